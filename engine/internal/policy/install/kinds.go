package install

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

// kindNames lists the six kinds, for suggestions.
var kindNames = []string{
	ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding,
	MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding,
	ValidatingWebhookConfiguration, MutatingWebhookConfiguration,
}

// resources are the REST names of the kinds.
var resources = map[string]string{
	ValidatingAdmissionPolicy:        "validatingadmissionpolicies",
	ValidatingAdmissionPolicyBinding: "validatingadmissionpolicybindings",
	MutatingAdmissionPolicy:          "mutatingadmissionpolicies",
	MutatingAdmissionPolicyBinding:   "mutatingadmissionpolicybindings",
	ValidatingWebhookConfiguration:   "validatingwebhookconfigurations",
	MutatingWebhookConfiguration:     "mutatingwebhookconfigurations",
}

// goTypes are the types that the kinds are decoded into.
var goTypes = map[string]reflect.Type{
	ValidatingAdmissionPolicy:        reflect.TypeFor[v1.ValidatingAdmissionPolicy](),
	ValidatingAdmissionPolicyBinding: reflect.TypeFor[v1.ValidatingAdmissionPolicyBinding](),
	MutatingAdmissionPolicy:          reflect.TypeFor[v1.MutatingAdmissionPolicy](),
	MutatingAdmissionPolicyBinding:   reflect.TypeFor[v1.MutatingAdmissionPolicyBinding](),
	ValidatingWebhookConfiguration:   reflect.TypeFor[v1.ValidatingWebhookConfiguration](),
	MutatingWebhookConfiguration:     reflect.TypeFor[v1.MutatingWebhookConfiguration](),
}

// availability is what a Kubernetes version makes of one version of a kind.
type availability int

const (
	notServed availability = iota
	// offByDefault: the kind has no version that is served by default, this
	// one can be switched on. A scenario that uses it means a cluster where
	// it is.
	offByDefault
	served
)

// available looks up a version of a kind. config is that of --runtime-config.
func available(kind, apiVersion string, v version.Version, config []string) availability {
	anyDefault := false
	this := notServed
	for _, api := range version.APIs(kind) {
		if !api.Includes(v) {
			continue
		}
		anyDefault = anyDefault || api.ByDefault
		if api.Name == apiVersion {
			this = offByDefault
			if api.ByDefault || api.Switched(config) {
				this = served
			}
		}
	}
	if this == offByDefault && anyDefault {
		// Nobody switches on an old version of what is served anyway.
		return notServed
	}
	return this
}

// deprecation is the server's warning about an apiVersion that will go.
func deprecation(kind, apiVersion string, v version.Version) []string {
	for _, api := range version.APIs(kind) {
		if api.Name == apiVersion && api.IsDeprecated(v) {
			return []string{fmt.Sprintf("%s/%s %s is deprecated in v%s+, unavailable in v%s+", Group, apiVersion, kind, api.Deprecated, api.Last.Next())}
		}
	}
	return nil
}

// history says in words from when to when the versions of a kind are served.
func history(kind string) string {
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
