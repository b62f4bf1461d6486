// Package elsewhere checks CEL outside admission: the device selectors of
// dynamic resource allocation (resource.k8s.io), and the expressions of the files that
// configure a server's authentication and authorization.
//
// The server's own packages are not imported: the one for authorization depends on Prometheus,
// and the one for devices is in a separate module. Their variables are declared here
// on the same base environment. A test compares those for authentication and authorization
// with the server's.
package elsewhere

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/scenario"
)

// scope is what an expression can use, and what it must evaluate to.
type scope int

const (
	device  scope = iota // device: bool, or what an attribute is
	claims               // claims: bool
	mapping              // claims: anything
	user                 // user: bool
	review               // request, a SubjectAccessReview: bool
)

// place is a field with CEL. Its path has [*] for every item of a list.
type place struct {
	path  string
	scope scope
}

const (
	resourceGroup = "resource.k8s.io"
	configGroup   = "apiserver.config.k8s.io"
	oldGroup      = "apiserver.k8s.io"
)

// claimPlaces are those of a ResourceClaim below its spec. In v1beta1 a request has its
// selectors itself.
func claimPlaces(spec string) []place {
	return []place{
		{spec + ".devices.requests[*].exactly.selectors[*].cel.expression", device},
		{spec + ".devices.requests[*].selectors[*].cel.expression", device},
		{spec + ".devices.requests[*].firstAvailable[*].selectors[*].cel.expression", device},
	}
}

// places are the fields with CEL, by kind.
var places = map[string][]place{
	resourceGroup + "/DeviceClass":           {{"spec.selectors[*].cel.expression", device}},
	resourceGroup + "/DeviceTaintRule":       {{"spec.deviceSelector.selectors[*].cel.expression", device}},
	resourceGroup + "/ResourceClaim":         claimPlaces("spec"),
	resourceGroup + "/ResourceClaimTemplate": claimPlaces("spec.spec"),
	configGroup + "/AuthenticationConfiguration": {
		{"jwt[*].claimValidationRules[*].expression", claims},
		{"jwt[*].claimMappings.username.expression", mapping},
		{"jwt[*].claimMappings.groups.expression", mapping},
		{"jwt[*].claimMappings.uid.expression", mapping},
		{"jwt[*].claimMappings.extra[*].valueExpression", mapping},
		{"jwt[*].userValidationRules[*].expression", user},
	},
	configGroup + "/AuthorizationConfiguration": {{"authorizers[*].webhook.matchConditions[*].expression", review}},
}

// Has reports whether a kind has CEL that this package checks.
func Has(apiVersion, kind string) bool { return len(placesOf(apiVersion, kind)) > 0 }

func placesOf(apiVersion, kind string) []place {
	group, _, _ := strings.Cut(apiVersion, "/")
	if group == oldGroup {
		group = configGroup
	}
	return places[group+"/"+kind]
}

// found is an expression with its place.
type found struct {
	path, expression string
	scope            scope
}

// expressions finds the CEL of a document, in the order of the places.
func expressions(d *scenario.Document) []found {
	var out []found
	for _, p := range placesOf(d.APIVersion, d.Kind) {
		below(d.Value, "", p.path, func(path string, value any) {
			if text, ok := value.(string); ok && text != "" {
				out = append(out, found{path, text, p.scope})
			}
		})
	}
	group, _, _ := strings.Cut(d.APIVersion, "/")
	if group == resourceGroup {
		out = append(out, other(d, out)...)
	}
	return out
}

// unknown is the scope of an expression that another release has put somewhere.
const unknown scope = -1

// other finds texts of fields called expression that are in no known place.
func other(d *scenario.Document, known []found) []found {
	var out []found
	var walk func(path string, value any)
	walk = func(path string, value any) {
		switch v := value.(type) {
		case []any:
			for i, item := range v {
				walk(fmt.Sprintf("%s[%d]", path, i), item)
			}
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				at := strings.TrimPrefix(path+"."+name, ".")
				text, ok := v[name].(string)
				if name == "expression" && ok && !slices.ContainsFunc(known, func(f found) bool { return f.path == at }) {
					out = append(out, found{at, text, unknown})
				}
				walk(at, v[name])
			}
		}
	}
	walk("spec", d.Value["spec"])
	return out
}

// below calls use for every value that a path leads to.
func below(value any, at, path string, use func(path string, value any)) {
	if path == "" {
		use(at, value)
		return
	}
	if rest, ok := strings.CutPrefix(path, "[*]"); ok {
		list, _ := value.([]any)
		for i, item := range list {
			below(item, fmt.Sprintf("%s[%d]", at, i), strings.TrimPrefix(rest, "."), use)
		}
		return
	}
	end := strings.IndexAny(path, ".[")
	if end < 0 {
		end = len(path)
	}
	fields, _ := value.(map[string]any)
	next, ok := fields[path[:end]]
	if !ok {
		return
	}
	below(next, strings.TrimPrefix(at+"."+path[:end], "."), strings.TrimPrefix(path[end:], "."), use)
}
