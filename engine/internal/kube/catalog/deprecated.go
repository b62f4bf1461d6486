package catalog

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/version"
)

// deprecations are the server's deprecation warnings for API versions that are writable and on by
// default (zz_generated.prerelease-lifecycle.go of k8s.io/api).
var deprecations = map[schema.GroupVersionResource]string{
	endpoints: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
	{Group: "flowcontrol.apiserver.k8s.io", Version: "v1beta3", Resource: "flowschemas"}: "flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema is deprecated in v1.29+, " +
		"unavailable in v1.32+; use flowcontrol.apiserver.k8s.io/v1 FlowSchema",
	{Group: "flowcontrol.apiserver.k8s.io", Version: "v1beta3", Resource: "prioritylevelconfigurations"}: "flowcontrol.apiserver.k8s.io/v1beta3 PriorityLevelConfiguration is deprecated in v1.29+, " +
		"unavailable in v1.32+; use flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration",
}

var endpoints = schema.GroupVersionResource{Version: "v1", Resource: "endpoints"}

// Deprecation returns the warning in every response about a built-in kind's deprecated version;
// empty otherwise.
func (c *Catalog) Deprecation(resource schema.GroupVersionResource) string {
	if _, known := c.ResourceFor(resource); !known || resource == endpoints && !c.version.Has(version.EndpointsDeprecated) {
		return ""
	}
	return deprecations[resource]
}
