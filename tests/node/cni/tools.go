//go:build tools

// Package tools pins the network plug-ins of the test node: `go mod tidy` keeps what is imported here.
package tools

import (
	_ "github.com/containernetworking/plugins/plugins/ipam/host-local"
	_ "github.com/containernetworking/plugins/plugins/main/ptp"
)
