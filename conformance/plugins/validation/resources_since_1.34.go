//go:build !until1.33

package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/registry/resource/deviceclass"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaimtemplate"
	"k8s.io/kubernetes/pkg/registry/resource/resourceslice"
)

// resource.k8s.io is served by default since 1.34. Namespaces are only looked at for
// claims with rights of an administrator, which no object here has.
func init() {
	strategies[schema.GroupKind{Group: "resource.k8s.io", Kind: "DeviceClass"}] = deviceclass.Strategy
	strategies[schema.GroupKind{Group: "resource.k8s.io", Kind: "ResourceSlice"}] = resourceslice.Strategy
	strategies[schema.GroupKind{Group: "resource.k8s.io", Kind: "ResourceClaim"}] = claimStrategy()
	strategies[schema.GroupKind{Group: "resource.k8s.io", Kind: "ResourceClaimTemplate"}] = resourceclaimtemplate.NewStrategy(nil)
}
