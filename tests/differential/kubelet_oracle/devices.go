package main

import (
	v1 "k8s.io/api/core/v1"
)

// startContainer gives a container its devices, as the kubelet does before it creates one.
func (n *node) startContainer(pod *v1.Pod, container *v1.Container) error {
	_, err := n.devices.GetDeviceRunContainerOptions(n.ctx, pod, container)
	return err
}
