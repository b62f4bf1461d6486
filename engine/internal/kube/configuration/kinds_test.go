package configuration

import (
	"testing"

	"github.com/preadmit/preadmit/engine/internal/version"
)

func TestAvailable(t *testing.T) {
	for _, c := range []struct {
		kind, apiVersion, kubernetes string
		want                         Availability
	}{
		{ValidatingAdmissionPolicy, "v1", "1.30", Served},
		{ValidatingAdmissionPolicy, "v1beta1", "1.30", NotServed}, // off, and v1 is on
		{ValidatingAdmissionPolicy, "v1alpha1", "1.37", NotServed},
		{MutatingAdmissionPolicy, "v1alpha1", "1.31", NotServed},
		{MutatingAdmissionPolicy, "v1alpha1", "1.32", OffByDefault},
		{MutatingAdmissionPolicy, "v1beta1", "1.33", NotServed},
		{MutatingAdmissionPolicyBinding, "v1beta1", "1.34", OffByDefault},
		{MutatingAdmissionPolicyBinding, "v1", "1.35", NotServed},
		{MutatingAdmissionPolicy, "v1", "1.36", Served},
		{MutatingAdmissionPolicy, "v1beta1", "1.36", NotServed},
		{MutatingAdmissionPolicy, "v2", "1.37", NotServed},
		{ValidatingWebhookConfiguration, "v1beta1", "1.30", NotServed},
		{MutatingWebhookConfiguration, "v1", "1.37", Served},
	} {
		if got := Available(c.kind, c.apiVersion, version.MustParse(c.kubernetes), nil); got != c.want {
			t.Errorf("%s %s in %s: got %d, want %d", c.kind, c.apiVersion, c.kubernetes, got, c.want)
		}
	}
}
