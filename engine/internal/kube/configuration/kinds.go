// Package configuration names the six kinds of admission configuration, and says which releases
// serve which of their versions.
package configuration

import (
	"fmt"
	"reflect"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"

	"github.com/preadmit/preadmit/engine/internal/version"
)

// Group is the API group of the six admission kinds.
const Group = "admissionregistration.k8s.io"

// The six kinds of admission configuration.
const (
	ValidatingAdmissionPolicy        = "ValidatingAdmissionPolicy"
	ValidatingAdmissionPolicyBinding = "ValidatingAdmissionPolicyBinding"
	MutatingAdmissionPolicy          = "MutatingAdmissionPolicy"
	MutatingAdmissionPolicyBinding   = "MutatingAdmissionPolicyBinding"
	ValidatingWebhookConfiguration   = "ValidatingWebhookConfiguration"
	MutatingWebhookConfiguration     = "MutatingWebhookConfiguration"
)

// Names lists the six kinds, for suggestions.
var Names = []string{
	ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding,
	MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding,
	ValidatingWebhookConfiguration, MutatingWebhookConfiguration,
}

// Resources are the REST names of the kinds.
var Resources = map[string]string{
	ValidatingAdmissionPolicy:        "validatingadmissionpolicies",
	ValidatingAdmissionPolicyBinding: "validatingadmissionpolicybindings",
	MutatingAdmissionPolicy:          "mutatingadmissionpolicies",
	MutatingAdmissionPolicyBinding:   "mutatingadmissionpolicybindings",
	ValidatingWebhookConfiguration:   "validatingwebhookconfigurations",
	MutatingWebhookConfiguration:     "mutatingwebhookconfigurations",
}

// GoTypes are the types that the kinds are decoded into.
var GoTypes = map[string]reflect.Type{
	ValidatingAdmissionPolicy:        reflect.TypeFor[v1.ValidatingAdmissionPolicy](),
	ValidatingAdmissionPolicyBinding: reflect.TypeFor[v1.ValidatingAdmissionPolicyBinding](),
	MutatingAdmissionPolicy:          reflect.TypeFor[v1.MutatingAdmissionPolicy](),
	MutatingAdmissionPolicyBinding:   reflect.TypeFor[v1.MutatingAdmissionPolicyBinding](),
	ValidatingWebhookConfiguration:   reflect.TypeFor[v1.ValidatingWebhookConfiguration](),
	MutatingWebhookConfiguration:     reflect.TypeFor[v1.MutatingWebhookConfiguration](),
}

// Availability is what a Kubernetes version makes of one version of a kind.
type Availability int

// The availabilities of a version.
const (
	NotServed Availability = iota
	// OffByDefault: the kind has no version that is served by default, this
	// one can be switched on. A scenario that uses it means a cluster where
	// it is.
	OffByDefault
	Served
)

// Available looks up a version of a kind. config is that of --runtime-config.
func Available(kind, apiVersion string, v version.Version, config []string) Availability {
	anyDefault := false
	this := NotServed
	for _, api := range version.APIs(kind) {
		if !api.Includes(v) {
			continue
		}
		anyDefault = anyDefault || api.ByDefault
		if api.Name == apiVersion {
			this = OffByDefault
			if api.ByDefault || api.Switched(config) {
				this = Served
			}
		}
	}
	if this == OffByDefault && anyDefault {
		// Nobody switches on an old version of what is served anyway.
		return NotServed
	}
	return this
}

// Deprecation is the server's warning about an apiVersion that will go.
func Deprecation(kind, apiVersion string, v version.Version) []string {
	for _, api := range version.APIs(kind) {
		if api.Name != apiVersion || !api.IsDeprecated(v) {
			continue
		}
		warning := fmt.Sprintf("%s/%s %s is deprecated in v%s+, unavailable in v%s+", Group, apiVersion, kind, api.Deprecated, api.Last.Next())
		if api.Replacement != "" {
			warning += fmt.Sprintf("; use %s/%s %s", Group, api.Replacement, kind)
		}
		return []string{warning}
	}
	return nil
}

// History says in words from when to when the versions of a kind are served.
func History(kind string) string {
	var parts []string
	for _, api := range version.APIs(kind) {
		s := fmt.Sprintf("%s from %s", api.Name, api.First)
		if (api.Last != version.Version{}) {
			s += " to " + api.Last.String()
		}
		if !api.ByDefault {
			s += " (off by default)"
		}
		parts = append(parts, s)
	}
	return kind + " is served as " + strings.Join(parts, ", ")
}

// ValidationActions are the actions of a ValidatingAdmissionPolicyBinding, as the server lists them.
var ValidationActions = []string{"Audit", "Deny", "Warn"}

// BodyFields are the fields of a mutation with the patch of each type.
var BodyFields = map[v1.PatchType]string{v1.PatchTypeApplyConfiguration: "applyConfiguration", v1.PatchTypeJSONPatch: "jsonPatch"}

// OtherPatch is the other one of the two types of patches.
func OtherPatch(t v1.PatchType) v1.PatchType {
	if t == v1.PatchTypeJSONPatch {
		return v1.PatchTypeApplyConfiguration
	}
	return v1.PatchTypeJSONPatch
}
