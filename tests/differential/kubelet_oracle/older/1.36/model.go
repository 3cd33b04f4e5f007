package main

import (
	"context"

	cadvisorapi "github.com/google/cadvisor/info/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	api "k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/kubelet/cm/devicemanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
	"k8s.io/kubernetes/pkg/kubelet/nodestatus"
)

type (
	machineModel   = cadvisorapi.MachineInfo
	nodeModel      = cadvisorapi.Node
	coreModel      = cadvisorapi.Core
	cacheModel     = cadvisorapi.Cache
	hugePagesModel = cadvisorapi.HugePagesInfo
)

// defaultOnCreate has nothing to do: pods were defaulted when they were decoded, before the webhooks.
func defaultOnCreate(*api.Pod) {}

func newTopologyManager(_ klog.Logger, topology []nodeModel, asked settings) (topologymanager.Manager, error) {
	return topologymanager.NewManager(topology, asked.TopologyManagerPolicy, asked.TopologyManagerScope,
		asked.TopologyManagerPolicyOptions)
}

func newDeviceManager(_ klog.Logger, topology []nodeModel, store topologymanager.Store) (
	*devicemanager.ManagerImpl, error) {
	return devicemanager.NewManagerImpl(topology, store)
}

func ask(_ context.Context, handler lifecycle.PodAdmitHandler, about *lifecycle.PodAdmitAttributes) (
	said lifecycle.PodAdmitResult) {
	return handler.Admit(about)
}

func affinityOf(_ klog.Logger, manager topologymanager.Manager, pod, container string) (
	hint topologymanager.TopologyHint) {
	return manager.GetAffinity(pod, container)
}

func machineStatus(name string, info *machineModel, devices *devicemanager.ManagerImpl, storage,
	reservation v1.ResourceList) nodestatus.Setter {
	return nodestatus.MachineInfo(name, maxPods, podsPerCore,
		func() (*machineModel, error) { return info, nil },
		func(bool) v1.ResourceList { return storage },
		devices.GetCapacity,
		func() v1.ResourceList { return reservation },
		func(string, string, string) {},
		true)
}
