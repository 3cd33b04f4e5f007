package main

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	"k8s.io/kubernetes/pkg/kubelet/cm/devicemanager"
	"k8s.io/utils/cpuset"
)

const maxPods, podsPerCore = 1000, 0

// setFeatureGates sets the gates of one scenario; restore sets them back and is never nil.
func setFeatureGates(asked *scenario) (restore func(), err error) {
	gates := asked.Kubelet.FeatureGates
	global := utilfeature.DefaultMutableFeatureGate
	before := map[string]bool{}
	restore = func() {
		if err := global.SetFromMap(before); err != nil {
			fail(err)
		}
	}
	known := global.GetAll()
	for name := range gates {
		if _, found := known[featuregate.Feature(name)]; !found {
			return restore, fmt.Errorf("unrecognized feature gate: %s", name)
		}
		before[name] = global.Enabled(featuregate.Feature(name))
	}
	return restore, global.SetFromMap(gates)
}

// machineInfo is what cAdvisor would have found.
func machineInfo(nodes []numaNode) *machineModel {
	info := &machineModel{}
	sockets := map[int]bool{}
	pages := map[uint64]uint64{}
	for _, one := range nodes {
		found := nodeModel{Id: one.ID, Memory: uint64(one.Memory.Value()), Distances: one.Distances}
		info.MemoryCapacity += found.Memory
		for size, count := range one.HugePages {
			quantity := resource.MustParse(size)
			kib := uint64(quantity.Value()) / 1024
			found.HugePages = append(found.HugePages, hugePagesModel{PageSize: kib, NumPages: count})
			pages[kib] += count
		}
		for number, core := range one.Cores {
			found.Cores = append(found.Cores, coreInfo(number, core))
			info.NumCores += len(core.Threads)
			info.NumPhysicalCores++
			sockets[core.Socket] = true
		}
		info.Topology = append(info.Topology, found)
	}
	for kib, count := range pages {
		info.HugePages = append(info.HugePages, hugePagesModel{PageSize: kib, NumPages: count})
	}
	info.NumSockets = len(sockets)
	return info
}

func coreInfo(number int, one core) coreModel {
	found := coreModel{Id: number, Threads: one.Threads, SocketID: one.Socket}
	if one.Uncore != nil {
		found.UncoreCaches = []cacheModel{{Id: *one.Uncore, Level: 3}}
	}
	return found
}

// reservedCPUs checks reservedSystemCPUs and puts their number into the reservation, as the kubelet's start does.
func reservedCPUs(text string, info *machineModel, reservation v1.ResourceList) (cpuset.CPUSet, error) {
	reserved, err := cpuset.Parse(text)
	if err != nil || reserved.IsEmpty() {
		return reserved, err
	}
	online := cpuset.New()
	for _, node := range info.Topology {
		for _, core := range node.Cores {
			online = online.Union(cpuset.New(core.Threads...))
		}
	}
	if !reserved.IsSubsetOf(online) {
		return reserved, fmt.Errorf("reserved CPUs %s are not among the online CPUs %s", text, online)
	}
	reservation[v1.ResourceCPU] = *resource.NewQuantity(int64(reserved.Size()), resource.DecimalSI)
	return reserved, nil
}

// nodeObject is the Node with the status that the kubelet would report; the fit check counts with it.
func nodeObject(ctx context.Context, info *machineModel, devices *devicemanager.ManagerImpl,
	reservation v1.ResourceList) (*v1.Node, error) {
	node := &v1.Node{}
	node.Name = "node"
	storage := v1.ResourceList{v1.ResourceEphemeralStorage: resource.MustParse("1Ti")}
	set := machineStatus(node.Name, info, devices, storage, reservation)
	return node, set(ctx, node)
}
