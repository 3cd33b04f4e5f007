package main

import (
	v1 "k8s.io/api/core/v1"
	cpustate "k8s.io/kubernetes/pkg/kubelet/cm/cpumanager/state"
	memorystate "k8s.io/kubernetes/pkg/kubelet/cm/memorymanager/state"
	cmqos "k8s.io/kubernetes/pkg/kubelet/cm/qos"
)

func (n *node) sharesCPUs(pod *v1.Pod, container *v1.Container) bool {
	return n.cpus.GetResourceIsolationLevel(pod, container) == cmqos.ResourceIsolationPod
}

// sharesMemory says what the memory manager has no call for yet.
func (n *node) sharesMemory(pod *v1.Pod, container *v1.Container) bool {
	held := n.heldBy(pod)
	return held != nil && len(held.Memory) > 0 && !cmqos.IsContainerEquivalentQOSGuaranteed(container)
}

// heldBy reads the managers' states, for they have no call for it yet.
func (n *node) heldBy(pod *v1.Pod) *holding {
	found, uid := holding{}, string(pod.UID)
	if state, known := n.cpus.State().(cpustate.State); known {
		cpus, _ := state.GetPodCPUSet(uid)
		found.CPUs = cpus.String()
	}
	if state, known := n.memory.State().(memorystate.State); known {
		found.Memory = blocksOf(state.GetPodMemoryBlocks(uid))
	}
	return found.orNil()
}
