//go:build until1.35 && !until1.33

package main

import "k8s.io/kubernetes/pkg/registry/resource/resourceclaim"

func claimStrategy() strategy { return resourceclaim.NewStrategy(nil) }
