//go:build !until1.35

package main

import "k8s.io/kubernetes/pkg/registry/resource/resourceclaim"

func claimStrategy() strategy { return resourceclaim.NewStrategy(nil, nil) }
