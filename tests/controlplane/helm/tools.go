//go:build tools

// Package tools pins helm, which the integration tests run: `go mod tidy` keeps what is imported here.
package tools

import (
	_ "helm.sh/helm/v4/cmd/helm"
)
