package main

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
	"k8s.io/kubernetes/pkg/kubelet/cm/memorymanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/memorymanager/state"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"
)

func newMemoryManager(ctx context.Context, policy string, info *machineModel, reservation v1.ResourceList,
	reserved []kubeletconfig.MemoryReservation, states string, store topologymanager.Store) (
	memorymanager.Manager, error) {
	return memorymanager.NewManager(klog.FromContext(ctx), policy, info, reservation, reserved, states, store)
}

func memoryOf(_ context.Context, manager memorymanager.Manager, pod, container string) []state.Block {
	return manager.GetMemory(pod, container)
}
