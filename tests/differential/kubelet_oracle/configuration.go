package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"sync/atomic"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"
	_ "k8s.io/kubernetes/cmd/kubelet/app"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
	"k8s.io/kubernetes/pkg/kubelet/apis/config/validation"
	"k8s.io/kubernetes/pkg/kubelet/cadvisor"
	_ "k8s.io/kubernetes/pkg/kubelet/cm"
	"k8s.io/kubernetes/pkg/kubelet/eviction"
	evictionapi "k8s.io/kubernetes/pkg/kubelet/eviction/api"
)

// A scenario may have the text of a KubeletConfiguration instead of settings. The kubelet's own functions read and
// check it, in the order of cmd/kubelet/app/server.go; three of them are not exported, and are linked by name.

//go:linkname loadConfigFile k8s.io/kubernetes/cmd/kubelet/app.loadConfigFile
func loadConfigFile(ctx context.Context, name string) (*kubeletconfig.KubeletConfiguration, error)

//go:linkname parseResourceList k8s.io/kubernetes/cmd/kubelet/app.parseResourceList
func parseResourceList(amounts map[string]string) (v1.ResourceList, error)

//go:linkname hardEvictionReservation k8s.io/kubernetes/pkg/kubelet/cm.hardEvictionReservation
func hardEvictionReservation(thresholds []evictionapi.Threshold, capacity v1.ResourceList) v1.ResourceList

// configure puts the settings of a configuration into the scenario; restore sets the feature gates back and is never
// nil. The host's cgroups are not this machine's to say.
func configure(asked *scenario) (restore func(), err error) {
	restore = keepFeatureGates()
	defer func() {
		if broken := recover(); broken != nil {
			err = fmt.Errorf("panic: %v", broken)
		}
	}()
	loaded, err := load(asked.Configuration)
	if err != nil {
		return restore, err
	}
	if err := utilfeature.DefaultMutableFeatureGate.SetFromMap(loaded.FeatureGates); err != nil {
		return restore, err
	}
	loaded.FailCgroupV1 = false
	if err := validation.ValidateKubeletConfiguration(loaded, utilfeature.DefaultFeatureGate); err != nil {
		return restore, err
	}
	reservation, err := allocatableReservation(loaded, machineInfo(asked.NUMA))
	if err != nil {
		return restore, err
	}
	asked.Kubelet = settings{
		CPUManagerPolicy:             loaded.CPUManagerPolicy,
		CPUManagerPolicyOptions:      loaded.CPUManagerPolicyOptions,
		MemoryManagerPolicy:          loaded.MemoryManagerPolicy,
		TopologyManagerPolicy:        loaded.TopologyManagerPolicy,
		TopologyManagerScope:         loaded.TopologyManagerScope,
		TopologyManagerPolicyOptions: loaded.TopologyManagerPolicyOptions,
		ReservedSystemCPUs:           loaded.ReservedSystemCPUs,
		NodeAllocatableReservation:   reservation,
	}
	for _, one := range loaded.ReservedMemory {
		limits := memoryLimits{NUMANode: one.NumaNode, Limits: one.Limits}
		asked.Kubelet.ReservedMemory = append(asked.Kubelet.ReservedMemory, limits)
	}
	return restore, nil
}

func load(text string) (*kubeletconfig.KubeletConfiguration, error) {
	written := filepath.Join(folder, "configuration.yaml")
	if err := os.WriteFile(written, []byte(text), 0o600); err != nil {
		fail(err)
	}
	defer os.Remove(written)
	return loadConfigFile(klog.NewContext(context.Background(), klog.Background()), written)
}

// leaveStates starts the node with its earlier configuration, which leaves state files to the next one.
func leaveStates(asked *scenario) error {
	earlier := scenario{NUMA: asked.NUMA, Configuration: asked.Was}
	if asked.WasNUMA != nil {
		earlier.NUMA = asked.WasNUMA
	}
	restore, err := configure(&earlier)
	defer restore()
	if err != nil {
		return err
	}
	_, err = startNode(&earlier)
	asked.states = earlier.states
	return err
}

// allocatableReservation adds up what is reserved, as the container manager does, and refuses what the machine has not.
func allocatableReservation(loaded *kubeletconfig.KubeletConfiguration, info *machineModel) (v1.ResourceList, error) {
	reserved, err := reservedCPUs(loaded.ReservedSystemCPUs, info, v1.ResourceList{})
	if err != nil {
		return nil, err
	}
	if reserved.Size() > 0 {
		delete(loaded.KubeReserved, "cpu")
		if loaded.SystemReserved == nil {
			loaded.SystemReserved = map[string]string{}
		}
		loaded.SystemReserved["cpu"] = fmt.Sprint(reserved.Size())
	}
	kube, err := parseResourceList(loaded.KubeReserved)
	if err != nil {
		return nil, err
	}
	system, err := parseResourceList(loaded.SystemReserved)
	if err != nil {
		return nil, err
	}
	thresholds, err := eviction.ParseThresholdConfig(nil, loaded.EvictionHard, nil, nil, nil)
	if err != nil {
		return nil, err
	}
	capacity := cadvisor.CapacityFromMachineInfo(info)
	evicted := hardEvictionReservation(thresholds, capacity)
	total := v1.ResourceList{}
	for name, there := range capacity {
		sum := resource.NewQuantity(0, resource.DecimalSI)
		for _, part := range []v1.ResourceList{system, kube, evicted} {
			sum.Add(part[name])
		}
		if !sum.IsZero() {
			total[name] = *sum
		}
		if sum.Cmp(there) > 0 {
			err = fmt.Errorf("invalid Node Allocatable configuration: %s has %s but %s are reserved", name, &there, sum)
		}
	}
	return total, err
}

// keepFeatureGates answers a function that sets all gates back, those of AllAlpha and AllBeta too.
func keepFeatureGates() func() {
	gates := reflect.ValueOf(utilfeature.DefaultMutableFeatureGate).Elem()
	kept := map[*atomic.Value]any{}
	for _, name := range []string{"enabled", "enabledRaw"} {
		value := (*atomic.Value)(unsafe.Pointer(gates.FieldByName(name).UnsafeAddr()))
		kept[value] = value.Load()
	}
	return func() {
		for value, old := range kept {
			value.Store(old)
		}
	}
}
