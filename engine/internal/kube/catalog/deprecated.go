package catalog

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/version"
)

// deprecation is what a server says about an API version that will not stay.
type deprecation struct {
	since version.Version // the zero Version is before all that can be simulated
	text  string
}

// deprecations are those of the resources that can be written and that a server has
// on by default (zz_generated.prerelease-lifecycle.go of k8s.io/api).
var deprecations = map[schema.GroupVersionResource]deprecation{
	{Version: "v1", Resource: "endpoints"}: {version.MustParse("1.33"), "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"},
	{Group: "flowcontrol.apiserver.k8s.io", Version: "v1beta3", Resource: "flowschemas"}: {version.Version{},
		"flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema is deprecated in v1.29+, unavailable in v1.32+; use flowcontrol.apiserver.k8s.io/v1 FlowSchema"},
	{Group: "flowcontrol.apiserver.k8s.io", Version: "v1beta3", Resource: "prioritylevelconfigurations"}: {version.Version{},
		"flowcontrol.apiserver.k8s.io/v1beta3 PriorityLevelConfiguration is deprecated in v1.29+, unavailable in v1.32+; use flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration"},
}

// Deprecation is the warning that the server sends with every answer about a resource
// of a built-in kind whose version is deprecated; empty when it is not.
func (c *Catalog) Deprecation(resource schema.GroupVersionResource) string {
	d, ok := deprecations[resource]
	if _, known := c.ResourceFor(resource); !ok || !known || c.version.Before(d.since) {
		return ""
	}
	return d.text
}
