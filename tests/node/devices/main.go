// Command devices is the device plug-in of the test node: devices that are only names, each on a NUMA node of the guest.
//
//	devices nvidia.com/gpu=gpu-0@0,gpu-1@0+1,gpu-2@1! example.com/nic=nic-0@1,nic-1@
//
// Here gpu-1 belongs to two NUMA nodes, gpu-2 is unhealthy, and nic-1 has no topology, as older plug-ins report it. Each
// resource is served on a socket of its own, and registered again whenever the kubelet starts. Where the kubelet leaves the
// choice, devices are given in the order in which they are listed: so they are on the same NUMA nodes in every run.
package main

import (
	"context"
	"fmt"
	"log"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	api "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
)

const poll = 50 * time.Millisecond

type plugin struct {
	api.UnimplementedDevicePluginServer
	resource string
	devices  []*api.Device
}

func parse(argument string) (*plugin, error) {
	resource, list, found := strings.Cut(argument, "=")
	if !found {
		return nil, fmt.Errorf("%q is not resource=device@node,...", argument)
	}
	made := &plugin{resource: resource}
	for _, entry := range strings.Split(list, ",") {
		device, err := parseDevice(entry)
		if err != nil {
			return nil, err
		}
		made.devices = append(made.devices, device)
	}
	return made, nil
}

func parseDevice(entry string) (*api.Device, error) {
	id, nodes, found := strings.Cut(entry, "@")
	if !found {
		return nil, fmt.Errorf("%q is not device@node", entry)
	}
	device := &api.Device{ID: id, Health: api.Healthy}
	if rest, sick := strings.CutSuffix(nodes, "!"); sick {
		device.Health, nodes = api.Unhealthy, rest
	}
	if nodes == "" {
		return device, nil
	}
	device.Topology = &api.TopologyInfo{}
	for _, node := range strings.Split(nodes, "+") {
		number, err := strconv.ParseInt(node, 10, 64)
		if err != nil {
			return nil, err
		}
		device.Topology.Nodes = append(device.Topology.Nodes, &api.NUMANode{ID: number})
	}
	return device, nil
}

func (p *plugin) GetDevicePluginOptions(context.Context, *api.Empty) (*api.DevicePluginOptions, error) {
	return &api.DevicePluginOptions{GetPreferredAllocationAvailable: true}, nil
}

func (p *plugin) GetPreferredAllocation(_ context.Context, asked *api.PreferredAllocationRequest) (
	*api.PreferredAllocationResponse, error) {
	answer := &api.PreferredAllocationResponse{}
	for _, request := range asked.ContainerRequests {
		preferred := &api.ContainerPreferredAllocationResponse{DeviceIDs: p.preferred(request)}
		answer.ContainerResponses = append(answer.ContainerResponses, preferred)
	}
	return answer, nil
}

func (p *plugin) preferred(request *api.ContainerPreferredAllocationRequest) []string {
	chosen := slices.Clone(request.MustIncludeDeviceIDs)
	for _, device := range p.devices {
		wanted := slices.Contains(request.AvailableDeviceIDs, device.ID) && !slices.Contains(chosen, device.ID)
		if wanted && len(chosen) < int(request.AllocationSize) {
			chosen = append(chosen, device.ID)
		}
	}
	return chosen
}

func (p *plugin) ListAndWatch(_ *api.Empty, stream api.DevicePlugin_ListAndWatchServer) error {
	if err := stream.Send(&api.ListAndWatchResponse{Devices: p.devices}); err != nil {
		return err
	}
	<-stream.Context().Done()
	return nil
}

// Allocate names the devices in the environment, as NVIDIA's plug-in does.
func (p *plugin) Allocate(_ context.Context, asked *api.AllocateRequest) (*api.AllocateResponse, error) {
	answer := &api.AllocateResponse{}
	for _, container := range asked.ContainerRequests {
		visible := map[string]string{"NVIDIA_VISIBLE_DEVICES": strings.Join(container.DevicesIds, ",")}
		answer.ContainerResponses = append(answer.ContainerResponses, &api.ContainerAllocateResponse{Envs: visible})
	}
	return answer, nil
}

// serve serves until the kubelet is another one.
func (p *plugin) serve() error {
	kubelet := inode(api.KubeletSocket)
	for kubelet == 0 {
		time.Sleep(poll)
		kubelet = inode(api.KubeletSocket)
	}
	// Only now: a kubelet that starts empties the folder, and a socket in it would be lost.
	endpoint := strings.ReplaceAll(p.resource, "/", "-") + ".sock"
	socket := filepath.Join(api.DevicePluginPath, endpoint)
	if err := os.Remove(socket); err != nil && !os.IsNotExist(err) {
		return err
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	server := grpc.NewServer()
	defer server.Stop()
	api.RegisterDevicePluginServer(server, p)
	go func() {
		if err := server.Serve(listener); err != nil {
			log.Printf("%s: %v", p.resource, err)
		}
	}()
	if err := p.register(endpoint); err != nil {
		return err
	}
	log.Printf("%s: registered %d devices", p.resource, len(p.devices))
	for inode(api.KubeletSocket) == kubelet {
		time.Sleep(poll)
	}
	return nil
}

func (p *plugin) register(endpoint string) error {
	connection, err := grpc.NewClient("unix://"+api.KubeletSocket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer connection.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	request := &api.RegisterRequest{Version: api.Version, Endpoint: endpoint, ResourceName: p.resource}
	_, err = api.NewRegistrationClient(connection).Register(ctx, request)
	return err
}

// inode answers the inode of a file, 0 where there is none.
func inode(path string) uint64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Sys().(*syscall.Stat_t).Ino
}

func main() {
	log.SetFlags(log.Lmicroseconds)
	if len(os.Args) == 1 {
		log.Fatal("no resource is given")
	}
	for _, argument := range os.Args[1:] {
		made, err := parse(argument)
		if err != nil {
			log.Fatal(err)
		}
		go func() {
			for {
				if err := made.serve(); err != nil {
					log.Printf("%s: %v", made.resource, err)
					time.Sleep(poll)
				}
			}
		}()
	}
	select {}
}
