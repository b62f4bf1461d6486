package version

import (
	"slices"
	"strings"
)

// API is an API version of an admission kind, and the Kubernetes versions that can serve it.
type API struct {
	// Name is the version without the group, such as "v1beta1".
	Name string
	// First and Last are the first and last Kubernetes versions that can serve it. Last is the zero
	// Version if it is still served.
	First, Last Version
	// ByDefault is false if only --runtime-config enables it. MutatingAdmissionPolicy also needs
	// its feature gate.
	ByDefault bool
	// Deprecated is the version from which the server warns; the zero Version if it does not.
	Deprecated Version
	// Replacement is the version that the warning names, if it names one.
	Replacement string
}

// Includes reports whether API servers of a version can serve this one.
func (a API) Includes(v Version) bool {
	return !v.Before(a.First) && (a.Last == Version{} || !a.Last.Before(v))
}

// Switched reports whether one of --runtime-config's values, such as
// "admissionregistration.k8s.io/v1beta1" or "api/beta", enables this version.
func (a API) Switched(config []string) bool {
	return slices.ContainsFunc(config, func(value string) bool {
		value = strings.TrimSuffix(value, "=true")
		return value == "admissionregistration.k8s.io/"+a.Name || value == "api/all" ||
			value == "api/beta" && strings.Contains(a.Name, "beta") || value == "api/alpha" && strings.Contains(a.Name, "alpha")
	})
}

// IsDeprecated reports whether API servers of a version warn about it.
func (a API) IsDeprecated(v Version) bool {
	return a.Deprecated != Version{} && !v.Before(a.Deprecated)
}

var (
	policyAPIs = []API{
		{Name: "v1", First: Version{30}, ByDefault: true},
		{Name: "v1beta1", First: Version{28}, Last: Version{33}, Deprecated: Version{31}},
		{Name: "v1alpha1", First: Version{26}, Last: Version{31}, Deprecated: Version{29}},
	}
	mutatingAPIs = []API{
		{Name: "v1", First: Version{36}, ByDefault: true},
		{Name: "v1beta1", First: Version{34}, Last: Version{39}, Deprecated: Version{37}, Replacement: "v1"},
		{Name: "v1alpha1", First: Version{32}, Last: Version{37}, Deprecated: Version{35}},
	}
	webhookAPIs = []API{
		{Name: "v1", First: Version{16}, ByDefault: true},
		{Name: "v1beta1", First: Version{9}, Last: Version{21}, ByDefault: true, Deprecated: Version{16}},
	}
)

// APIs lists the API versions of one of admissionregistration.k8s.io's six kinds, newest first:
// their lifecycle in k8s.io/api and the API server's feature gates (semantics §12).
func APIs(kind string) []API {
	switch kind {
	case "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding":
		return policyAPIs
	case "MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding":
		return mutatingAPIs
	case "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration":
		return webhookAPIs
	}
	return nil
}

// NewestAPI returns a kind's newest API version on a Kubernetes version, or "".
func NewestAPI(kind string, v Version) string {
	for _, a := range APIs(kind) {
		if a.Includes(v) {
			return a.Name
		}
	}
	return ""
}
