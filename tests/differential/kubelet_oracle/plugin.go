package main

import (
	"context"
	"errors"
	"sort"

	"google.golang.org/grpc"
	pluginapi "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
	"k8s.io/kubernetes/pkg/kubelet/cm/devicemanager"
)

// plugin is a device plug-in within this process: it prefers devices in the order of the scenario, so that the same
// scenario gives the same devices.
type plugin struct {
	resource string
	order    map[string]int
}

func connectPlugins(ctx context.Context, manager *devicemanager.ManagerImpl, resources map[string][]device) error {
	for name, devices := range resources {
		made := &plugin{resource: name, order: map[string]int{}}
		listed := []*pluginapi.Device{}
		for position, one := range devices {
			listed = append(listed, announced(one))
			made.order[one.ID] = position
		}
		answer := &pluginapi.ListAndWatchResponse{Devices: listed}
		if err := connect(ctx, manager, name, made, answer); err != nil {
			return err
		}
	}
	return nil
}

func announced(one device) *pluginapi.Device {
	made := &pluginapi.Device{ID: one.ID, Health: pluginapi.Healthy}
	if one.Healthy != nil && !*one.Healthy {
		made.Health = pluginapi.Unhealthy
	}
	if one.NUMA != nil {
		made.Topology = &pluginapi.TopologyInfo{}
		for _, id := range *one.NUMA {
			made.Topology.Nodes = append(made.Topology.Nodes, &pluginapi.NUMANode{ID: int64(id)})
		}
	}
	return made
}

func (p *plugin) API() pluginapi.DevicePluginClient { return p }
func (p *plugin) Resource() string                  { return p.resource }
func (p *plugin) SocketPath() string                { return "/nowhere/" + p.resource }

func (p *plugin) GetDevicePluginOptions(context.Context, *pluginapi.Empty, ...grpc.CallOption) (
	*pluginapi.DevicePluginOptions, error) {
	return &pluginapi.DevicePluginOptions{GetPreferredAllocationAvailable: true}, nil
}

func (p *plugin) ListAndWatch(context.Context, *pluginapi.Empty, ...grpc.CallOption) (
	grpc.ServerStreamingClient[pluginapi.ListAndWatchResponse], error) {
	return nil, errors.New("the devices are handed to the manager directly")
}

func (p *plugin) GetPreferredAllocation(_ context.Context, asked *pluginapi.PreferredAllocationRequest,
	_ ...grpc.CallOption) (*pluginapi.PreferredAllocationResponse, error) {
	response := &pluginapi.PreferredAllocationResponse{}
	for _, request := range asked.ContainerRequests {
		preferred := &pluginapi.ContainerPreferredAllocationResponse{DeviceIDs: p.preferred(request)}
		response.ContainerResponses = append(response.ContainerResponses, preferred)
	}
	return response, nil
}

func (p *plugin) preferred(request *pluginapi.ContainerPreferredAllocationRequest) []string {
	chosen := append([]string{}, request.MustIncludeDeviceIDs...)
	taken := map[string]bool{}
	for _, id := range chosen {
		taken[id] = true
	}
	available := append([]string{}, request.AvailableDeviceIDs...)
	sort.Slice(available, func(i, j int) bool { return p.order[available[i]] < p.order[available[j]] })
	for _, id := range available {
		if !taken[id] && len(chosen) < int(request.AllocationSize) {
			chosen = append(chosen, id)
		}
	}
	return chosen
}

func (p *plugin) Allocate(context.Context, *pluginapi.AllocateRequest, ...grpc.CallOption) (
	*pluginapi.AllocateResponse, error) {
	return &pluginapi.AllocateResponse{ContainerResponses: []*pluginapi.ContainerAllocateResponse{{}}}, nil
}

func (p *plugin) PreStartContainer(context.Context, *pluginapi.PreStartContainerRequest, ...grpc.CallOption) (
	*pluginapi.PreStartContainerResponse, error) {
	return &pluginapi.PreStartContainerResponse{}, nil
}
