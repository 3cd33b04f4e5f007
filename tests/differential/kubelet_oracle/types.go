package main

import (
	"encoding/json"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// scenario is one line of input: an empty node, and pods in the order of their arrival. With start, the containers of
// an admitted pod start before the next pod arrives: devices that its admission left out are handed out then.
// SkipPredicates leaves out the fit check. Configuration is the text of a KubeletConfiguration, which then speaks
// instead of the settings; with was the node had that one before, and keeps the state files that it left; with wasNUMA
// it had these CPUs and this memory then. Facts asks for what this kubelet knows, and for nothing else.
type scenario struct {
	Name    string              `json:"name"`
	NUMA    []numaNode          `json:"numa"`
	Devices map[string][]device `json:"devices"`
	Kubelet settings            `json:"kubelet"`
	Pods    []json.RawMessage   `json:"pods"`
	Start   bool                `json:"start"`

	SkipPredicates bool       `json:"skipPredicates"`
	Configuration  string     `json:"configuration"`
	Was            string     `json:"was"`
	WasNUMA        []numaNode `json:"wasNUMA"`
	Facts          bool       `json:"facts"`

	states string
}

// numaNode has as memory its MemTotal, huge pages included; one without CPUs has no cores.
type numaNode struct {
	ID        int               `json:"id"`
	Memory    resource.Quantity `json:"memory"`
	HugePages map[string]uint64 `json:"hugepages"`
	Cores     []core            `json:"cores"`
	Distances []uint64          `json:"distances"`
}

type core struct {
	Threads []int `json:"threads"`
	Socket  int   `json:"socket"`
	Uncore  *int  `json:"uncore"`
}

// device is healthy unless it says otherwise; without numa its plug-in gave no topology.
type device struct {
	ID      string `json:"id"`
	NUMA    *[]int `json:"numa"`
	Healthy *bool  `json:"healthy"`
}

// settings are the fields of a KubeletConfiguration, by their names there; the reservation is what kubeReserved,
// systemReserved and evictionHard add up to.
type settings struct {
	CPUManagerPolicy             string            `json:"cpuManagerPolicy"`
	CPUManagerPolicyOptions      map[string]string `json:"cpuManagerPolicyOptions"`
	MemoryManagerPolicy          string            `json:"memoryManagerPolicy"`
	TopologyManagerPolicy        string            `json:"topologyManagerPolicy"`
	TopologyManagerScope         string            `json:"topologyManagerScope"`
	TopologyManagerPolicyOptions map[string]string `json:"topologyManagerPolicyOptions"`
	ReservedSystemCPUs           string            `json:"reservedSystemCPUs"`
	NodeAllocatableReservation   v1.ResourceList   `json:"nodeAllocatableReservation"`
	ReservedMemory               []memoryLimits    `json:"reservedMemory"`
	FeatureGates                 map[string]bool   `json:"featureGates"`
}

type memoryLimits struct {
	NUMANode int32           `json:"numaNode"`
	Limits   v1.ResourceList `json:"limits"`
}

// result is one line of output; with an error the kubelet did not start, or a pod could not be read.
type result struct {
	Name  string   `json:"name"`
	Error string   `json:"error,omitempty"`
	Room  *room    `json:"room,omitempty"`
	Pods  []answer `json:"pods"`
}

// room is what an empty node has for pods: by its status, and the CPUs that the static CPU manager may give away.
type room struct {
	Node v1.ResourceList `json:"node"`
	CPUs string          `json:"cpus,omitempty"`
}

// answer has a handler, a reason and a message where the pod was rejected, else its containers by name; pod is what a
// pod with spec.resources holds as a whole.
type answer struct {
	Name       string               `json:"name"`
	Admit      bool                 `json:"admit"`
	Handler    string               `json:"handler,omitempty"`
	Reason     string               `json:"reason,omitempty"`
	Message    string               `json:"message,omitempty"`
	QOS        string               `json:"qos"`
	Containers map[string]placement `json:"containers,omitempty"`
	Pod        *holding             `json:"pod,omitempty"`
}

// placement has only exclusive CPUs and memory; pool is what the container shares with others of its pod. hint is the
// stored affinity, as "01/true": mask, lowest NUMA node right, or nil, and whether it was preferred.
type placement struct {
	CPUs    string              `json:"cpus,omitempty"`
	Memory  []block             `json:"memory,omitempty"`
	Devices map[string][]string `json:"devices,omitempty"`
	Hint    string              `json:"hint"`
	Pool    *holding            `json:"pool,omitempty"`
}

// holding belongs to a pod and not to one of its containers alone.
type holding struct {
	CPUs   string  `json:"cpus,omitempty"`
	Memory []block `json:"memory,omitempty"`
}

type block struct {
	Type string `json:"type"`
	NUMA []int  `json:"numa"`
	Size uint64 `json:"size"`
}
