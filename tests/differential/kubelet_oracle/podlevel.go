package main

import (
	v1 "k8s.io/api/core/v1"
	cmqos "k8s.io/kubernetes/pkg/kubelet/cm/qos"
)

// What belongs to a pod and not to one of its containers alone; not every version tells.

// sharesCPUs says whether a container's CPUs are those of its pod.
func (n *node) sharesCPUs(pod *v1.Pod, container *v1.Container) bool {
	return n.cpus.GetResourceIsolationLevel(pod, container) == cmqos.ResourceIsolationPod
}

// sharesMemory says whether a container's memory is that of its pod.
func (n *node) sharesMemory(pod *v1.Pod, container *v1.Container) bool {
	return n.memory.GetResourceIsolationLevel(pod, container) == cmqos.ResourceIsolationPod
}

// heldBy reads what the managers gave to a pod as a whole.
func (n *node) heldBy(pod *v1.Pod) *holding {
	uid := string(pod.UID)
	return holding{n.cpus.GetPodCPUs(uid).String(), blocksOf(n.memory.GetPodMemory(uid))}.orNil()
}
