package catalog

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/version"
)

// deprecations are what the server says about API versions that will not stay, of the
// resources that can be written and that it has on by default
// (zz_generated.prerelease-lifecycle.go of k8s.io/api).
var deprecations = map[schema.GroupVersionResource]string{
	endpoints: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
	{Group: "flowcontrol.apiserver.k8s.io", Version: "v1beta3", Resource: "flowschemas"}: "flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema is deprecated in v1.29+, " +
		"unavailable in v1.32+; use flowcontrol.apiserver.k8s.io/v1 FlowSchema",
	{Group: "flowcontrol.apiserver.k8s.io", Version: "v1beta3", Resource: "prioritylevelconfigurations"}: "flowcontrol.apiserver.k8s.io/v1beta3 PriorityLevelConfiguration is deprecated in v1.29+, " +
		"unavailable in v1.32+; use flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration",
}

var endpoints = schema.GroupVersionResource{Version: "v1", Resource: "endpoints"}

// Deprecation is the warning that the server sends with every answer about a resource
// of a built-in kind whose version is deprecated; empty when it is not.
func (c *Catalog) Deprecation(resource schema.GroupVersionResource) string {
	if _, known := c.ResourceFor(resource); !known || resource == endpoints && !c.version.Has(version.EndpointsDeprecated) {
		return ""
	}
	return deprecations[resource]
}
