package main

import (
	v1 "k8s.io/api/core/v1"
)

func (n *node) startContainer(pod *v1.Pod, container *v1.Container) error {
	_, err := n.devices.GetDeviceRunContainerOptions(pod, container)
	return err
}
