//go:build staging

// This file is never built. It keeps modules in go.mod that k8s.io/kubernetes names without a version
// that exists, and that a module with this package needs for "go mod tidy".

package storage

import (
	_ "k8s.io/cri-api/pkg/apis/runtime/v1"
)
