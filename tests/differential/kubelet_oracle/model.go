package main

import (
	"context"

	cadvisorapi "github.com/google/cadvisor/lib/model"
	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	podapi "k8s.io/kubernetes/pkg/api/pod"
	api "k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/kubelet/cm/devicemanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
	"k8s.io/kubernetes/pkg/kubelet/nodestatus"
)

// What was called otherwise until Kubernetes 1.36; older/1.36 has the same for it.

type (
	machineModel   = cadvisorapi.MachineInfo
	nodeModel      = cadvisorapi.Node
	coreModel      = cadvisorapi.Core
	cacheModel     = cadvisorapi.Cache
	hugePagesModel = cadvisorapi.HugePagesInfo
)

// defaultOnCreate does what the API server does to a pod after the webhooks.
func defaultOnCreate(pod *api.Pod) { podapi.DefaultPodLevelResources(pod) }

func newTopologyManager(logger klog.Logger, topology []nodeModel, asked settings) (topologymanager.Manager, error) {
	return topologymanager.NewManager(logger, topology, asked.TopologyManagerPolicy, asked.TopologyManagerScope,
		asked.TopologyManagerPolicyOptions)
}

func newDeviceManager(logger klog.Logger, topology []nodeModel, store topologymanager.Store) (
	*devicemanager.ManagerImpl, error) {
	return devicemanager.NewManagerImpl(logger, topology, store)
}

func ask(ctx context.Context, handler lifecycle.PodAdmitHandler, about *lifecycle.PodAdmitAttributes) (
	said lifecycle.PodAdmitResult) {
	return handler.Admit(ctx, about)
}

func affinityOf(logger klog.Logger, manager topologymanager.Manager, pod, container string) (
	hint topologymanager.TopologyHint) {
	return manager.GetAffinity(logger, pod, container)
}

func machineStatus(name string, info *machineModel, devices *devicemanager.ManagerImpl, storage,
	reservation v1.ResourceList) nodestatus.Setter {
	swap := false
	return nodestatus.MachineInfo(name, maxPods, podsPerCore,
		func() (*machineModel, error) { return info, nil },
		func(klog.Logger, bool) v1.ResourceList { return storage },
		devices.GetCapacity,
		func() v1.ResourceList { return reservation },
		func(string, string, string) {},
		func() *bool { return &swap },
		true)
}
