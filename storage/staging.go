//go:build staging

// This file is never built. It keeps modules in go.mod that k8s.io/kubernetes requires with a
// version that does not exist. A module with this package needs them for "go mod tidy".

package storage

import (
	_ "k8s.io/cri-api/pkg/apis/runtime/v1"
)
