package install

import (
	"fmt"
	"strings"
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

// period is a run of Kubernetes minors in which one API version of a kind can
// be served. byDefault is false where only --runtime-config serves it, which
// for MutatingAdmissionPolicy also takes the feature gate of that name.
type period struct {
	version     string
	first, last int // minors; last 0 means still served
	byDefault   bool
	// deprecated is the minor from which on the server warns, 0 for never.
	deprecated int
}

var (
	policyPeriods = []period{
		{"v1", 30, 0, true, 0},
		{"v1beta1", 28, 33, false, 31},
		{"v1alpha1", 26, 31, false, 29},
	}
	mutatingPeriods = []period{
		{"v1", 36, 0, true, 0},
		{"v1beta1", 34, 39, false, 37},
		{"v1alpha1", 32, 37, false, 35},
	}
	webhookPeriods = []period{
		{"v1", 16, 0, true, 0},
		{"v1beta1", 9, 21, true, 16},
	}
)

// periods says which versions of a kind exist when: the lifecycle in
// k8s.io/api and the feature gates of the API server (semantics §12).
var periods = map[string][]period{
	ValidatingAdmissionPolicy:        policyPeriods,
	ValidatingAdmissionPolicyBinding: policyPeriods,
	MutatingAdmissionPolicy:          mutatingPeriods,
	MutatingAdmissionPolicyBinding:   mutatingPeriods,
	ValidatingWebhookConfiguration:   webhookPeriods,
	MutatingWebhookConfiguration:     webhookPeriods,
}

func (p period) covers(minor int) bool {
	return p.first <= minor && (p.last == 0 || minor <= p.last)
}

// availability is what a Kubernetes minor makes of one version of a kind.
type availability int

const (
	notServed availability = iota
	// offByDefault: the kind has no version that is served by default, this
	// one can be switched on. A scenario that uses it means a cluster where
	// somebody did.
	offByDefault
	served
)

func available(kind, version string, minor int) availability {
	anyDefault := false
	this := notServed
	for _, p := range periods[kind] {
		if !p.covers(minor) {
			continue
		}
		anyDefault = anyDefault || p.byDefault
		if p.version == version {
			this = offByDefault
			if p.byDefault {
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

// bestVersion is the version of a kind to use with a minor, "" when there is
// none.
func bestVersion(kind string, minor int) string {
	for _, p := range periods[kind] { // newest first
		if p.covers(minor) {
			return p.version
		}
	}
	return ""
}

// deprecation is the server's warning about an apiVersion that will go.
func deprecation(kind, version string, minor int) []string {
	for _, p := range periods[kind] {
		if p.version == version && p.deprecated != 0 && p.deprecated <= minor {
			return []string{fmt.Sprintf("%s/%s %s is deprecated in v1.%d+, unavailable in v1.%d+", Group, version, kind, p.deprecated, p.last+1)}
		}
	}
	return nil
}

// history says in words from when to when the versions of a kind are served.
func history(kind string) string {
	var parts []string
	for _, p := range periods[kind] {
		s := fmt.Sprintf("%s from 1.%d", p.version, p.first)
		if p.last != 0 {
			s += fmt.Sprintf(" to 1.%d", p.last)
		}
		if !p.byDefault {
			s += " (off by default)"
		}
		parts = append(parts, s)
	}
	return kind + " is served as " + strings.Join(parts, ", ")
}
