package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"sync"
	"time"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/klog/v2"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
	"k8s.io/kubernetes/pkg/kubelet/cm/containermap"
	"k8s.io/kubernetes/pkg/kubelet/cm/cpumanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/devicemanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/memorymanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/memorymanager/state"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"
	"k8s.io/kubernetes/pkg/kubelet/config"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
	schedulerframework "k8s.io/kubernetes/pkg/scheduler/framework"
)

// node is a started kubelet, as far as admission goes.
type node struct {
	ctx      context.Context
	topology topologymanager.Manager
	devices  *devicemanager.ManagerImpl
	cpus     cpumanager.Manager
	memory   memorymanager.Manager
	fit      lifecycle.PodAdmitHandler
	object   *v1.Node

	mutex sync.Mutex
	pods  []*v1.Pod
}

// startNode makes the managers in the order of container_manager_linux.go, which is the order of their hints.
func startNode(asked *scenario) (*node, error) {
	made := &node{ctx: klog.NewContext(context.Background(), klog.Background())}
	info := machineInfo(asked.NUMA)
	reservation := v1.ResourceList{}
	for name, quantity := range asked.Kubelet.NodeAllocatableReservation {
		reservation[name] = quantity
	}
	states := asked.states
	if states == "" {
		fresh, err := freshFolder()
		if err != nil {
			return nil, err
		}
		states, asked.states = fresh, fresh
	}
	for _, step := range []func() error{
		func() error { return made.makeTopologyManager(info, asked.Kubelet) },
		func() error { return made.makeDeviceManager(info) },
		func() error { return made.makeCPUManager(info, asked.Kubelet, reservation, states) },
		func() error { return made.makeMemoryManager(info, asked.Kubelet, reservation, states) },
		made.start,
		func() error { return connectPlugins(made.ctx, made.devices, asked.Devices) },
		func() error { return made.makeFitCheck(info, reservation, asked.SkipPredicates) },
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// freshFolder answers an empty folder for the states of the CPU and memory managers, and forgets the devices that the
// last node gave away.
func freshFolder() (string, error) {
	if err := os.RemoveAll(filepath.Join(folder, "device-plugins", "kubelet_internal_checkpoint")); err != nil {
		return "", err
	}
	old, err := filepath.Glob(filepath.Join(folder, "states-*"))
	if err != nil {
		return "", err
	}
	for _, states := range old {
		// The managers of an earlier node may still write there: then the folder goes the next time.
		_ = os.RemoveAll(states)
	}
	return os.MkdirTemp(folder, "states-")
}

func (n *node) makeTopologyManager(info *machineModel, asked settings) (err error) {
	n.topology, err = newTopologyManager(klog.FromContext(n.ctx), info.Topology, asked)
	return err
}

func (n *node) makeDeviceManager(info *machineModel) (err error) {
	n.devices, err = newDeviceManager(klog.FromContext(n.ctx), info.Topology, n.topology)
	if err != nil {
		return err
	}
	// Start would set this field, but it opens a socket as well.
	field := reflect.ValueOf(n.devices).Elem().FieldByName("activePods")
	active := reflect.ValueOf(devicemanager.ActivePodsFunc(n.active))
	reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem().Set(active)
	addHintProvider(n.ctx, n.topology, n.devices)
	return nil
}

func (n *node) makeCPUManager(info *machineModel, asked settings, reservation v1.ResourceList,
	states string) error {
	reserved, err := reservedCPUs(asked.ReservedSystemCPUs, info, reservation)
	if err != nil {
		return err
	}
	n.cpus, err = newCPUManager(n.ctx, asked, 24*time.Hour, info, reserved, reservation, states, n.topology)
	if err == nil {
		addHintProvider(n.ctx, n.topology, n.cpus)
	}
	return err
}

func (n *node) makeMemoryManager(info *machineModel, asked settings, reservation v1.ResourceList,
	states string) (err error) {
	reserved := []kubeletconfig.MemoryReservation{}
	for _, one := range asked.ReservedMemory {
		reserved = append(reserved, kubeletconfig.MemoryReservation{NumaNode: one.NUMANode, Limits: one.Limits})
	}
	n.memory, err = newMemoryManager(n.ctx, asked.MemoryManagerPolicy, info, reservation, reserved, states, n.topology)
	if err == nil {
		addHintProvider(n.ctx, n.topology, n.memory)
	}
	return err
}

func (n *node) start() error {
	ready := config.NewSourcesReady(func(sets.Set[string]) bool { return true })
	if err := startCPUManager(n.ctx, n.cpus, n.active, ready); err != nil {
		return err
	}
	return n.memory.Start(n.ctx, n.active, ready, nothing{}, nothing{}, containermap.NewContainerMap())
}

func (n *node) makeFitCheck(info *machineModel, reservation v1.ResourceList, skip bool) error {
	object, err := nodeObject(n.ctx, info, n.devices, reservation)
	n.object = object
	if skip {
		return err
	}
	n.fit = lifecycle.NewPredicateAdmitHandler(
		nodeGetter(object),
		lifecycle.NewAdmissionFailureHandlerStub(),
		func(about *schedulerframework.NodeInfo, attributes *lifecycle.PodAdmitAttributes) error {
			return n.devices.UpdatePluginResources(about, attributes)
		},
	)
	return err
}

// active answers the admitted pods; the managers ask for them from goroutines of their own too.
func (n *node) active() []*v1.Pod {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	return append([]*v1.Pod{}, n.pods...)
}

func (n *node) setActive(pods []*v1.Pod) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.pods = pods
}

// placementOf reads where the managers put a container, as the kubelet's PodResources API tells its own from its pod's.
func (n *node) placementOf(pod *v1.Pod, container *v1.Container) placement {
	uid := string(pod.UID)
	found := placement{
		CPUs:    n.cpus.GetExclusiveCPUs(uid, container.Name).String(),
		Memory:  blocksOf(memoryOf(n.ctx, n.memory, uid, container.Name)),
		Devices: map[string][]string{},
	}
	shared := holding{}
	if n.sharesCPUs(pod, container) {
		found.CPUs, shared.CPUs = "", found.CPUs
	}
	if n.sharesMemory(pod, container) {
		found.Memory, shared.Memory = nil, found.Memory
	}
	found.Pool = shared.orNil()
	for name, devices := range n.devices.GetDevices(uid, container.Name) {
		for id := range devices {
			found.Devices[name] = append(found.Devices[name], id)
		}
		sort.Strings(found.Devices[name])
	}
	hint, mask := affinityOf(klog.FromContext(n.ctx), n.topology, uid, container.Name), "nil"
	if hint.NUMANodeAffinity != nil {
		mask = hint.NUMANodeAffinity.String()
	}
	found.Hint = fmt.Sprintf("%s/%v", mask, hint.Preferred)
	return found
}

func (h holding) orNil() *holding {
	if h.CPUs == "" && len(h.Memory) == 0 {
		return nil
	}
	return &h
}

func blocksOf(found []state.Block) []block {
	var blocks []block
	for _, one := range found {
		blocks = append(blocks, block{string(one.Type), one.NUMAAffinity, one.Size})
	}
	sort.Slice(blocks, func(i, j int) bool { return blocks[i].Type < blocks[j].Type })
	return blocks
}

// nothing stands for the container runtime and for the status of pods: no container ever runs.
type nothing struct{}

func (nothing) UpdateContainerResources(context.Context, string, *runtimeapi.ContainerResources) error {
	return nil
}

func (nothing) GetPodStatus(types.UID) (v1.PodStatus, bool) { return v1.PodStatus{}, false }
