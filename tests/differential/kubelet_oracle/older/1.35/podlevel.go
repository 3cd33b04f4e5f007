package main

import v1 "k8s.io/api/core/v1"

func (n *node) sharesCPUs(*v1.Pod, *v1.Container) bool { return false }

func (n *node) sharesMemory(*v1.Pod, *v1.Container) bool { return false }

func (n *node) heldBy(*v1.Pod) *holding { return nil }
