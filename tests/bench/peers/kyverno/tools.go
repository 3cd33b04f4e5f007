//go:build tools

// Package tools pins the program that `make bench-peers` measures: `go mod tidy` keeps what is imported here.
package tools

import _ "github.com/kyverno/kyverno/cmd/kyverno"
