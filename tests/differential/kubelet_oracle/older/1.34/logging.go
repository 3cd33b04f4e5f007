package main

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	pluginapi "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
	"k8s.io/kubernetes/pkg/kubelet/cm/containermap"
	"k8s.io/kubernetes/pkg/kubelet/cm/cpumanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/devicemanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/devicemanager/plugin/v1beta1"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"
	"k8s.io/kubernetes/pkg/kubelet/config"
	"k8s.io/utils/cpuset"
)

func addHintProvider(_ context.Context, manager topologymanager.Manager, provider topologymanager.HintProvider) {
	manager.AddHintProvider(provider)
}

func newCPUManager(_ context.Context, asked settings, period time.Duration, info *machineModel,
	reserved cpuset.CPUSet, reservation v1.ResourceList, states string, store topologymanager.Store) (
	cpumanager.Manager, error) {
	return cpumanager.NewManager(asked.CPUManagerPolicy, asked.CPUManagerPolicyOptions, period, info, reserved,
		reservation, states, store)
}

func startCPUManager(_ context.Context, manager cpumanager.Manager, active func() []*v1.Pod,
	ready config.SourcesReady) error {
	return manager.Start(active, ready, nothing{}, nothing{}, containermap.NewContainerMap())
}

func connect(_ context.Context, manager *devicemanager.ManagerImpl, resource string, made v1beta1.DevicePlugin,
	devices *pluginapi.ListAndWatchResponse) error {
	if err := manager.PluginConnected(resource, made); err != nil {
		return err
	}
	manager.PluginListAndWatchReceiver(resource, devices)
	return nil
}

func nodeGetter(node *v1.Node) func() (*v1.Node, error) {
	return func() (*v1.Node, error) { return node, nil }
}
