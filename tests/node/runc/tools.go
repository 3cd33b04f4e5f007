//go:build tools

// Package tools pins the program that makes the containers of the test node: `go mod tidy` keeps what is imported here.
package tools

import _ "github.com/opencontainers/runc"
