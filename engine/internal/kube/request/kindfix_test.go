package request

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestKindFixes: a kind is renamed within its own group, by one or two letters. Other projects'
// kinds stay, even if a Kubernetes kind has a similar name.
func TestKindFixes(t *testing.T) {
	kinds, err := catalog.For(version.Default())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ apiVersion, kind, want string }{
		{"apps/v1", "Deploymnet", "Change to Deployment"},
		{"apps/v1", "deployment", "Change to Deployment"},
		{"extensions/v1beta1", "Deployment", "Change to apps/v1"},
		{"v1", "Deployment", "Change to apps/v1"},
		{"apps/v1", "ConfigMop", ""},
		{"kyverno.io/v1", "ClusterPolicy", ""},
		{"policies.kubewarden.io/v1", "ClusterAdmissionPolicy", ""},
		{"templates.gatekeeper.sh/v1", "ConstraintTemplate", ""},
		{"serving.knative.dev/v1", "Service", ""},
		{"crd.projectcalico.org/v1", "NetworkPolicy", ""},
		{"networking.k8s.io/v1", "NetworkPolcy", "Change to NetworkPolicy"},
		{"networking.k8s.io/v1", "NetPol", ""},
	} {
		docs, _ := scenario.ParseDocuments(diag.Cluster, "apiVersion: "+c.apiVersion+"\nkind: "+c.kind+"\nmetadata: {name: a}\n")
		got := ""
		for _, fix := range KindFixes(docs[0], kinds) {
			got += fix.Title
		}
		if got != c.want {
			t.Errorf("%s %s: %q, want %q", c.apiVersion, c.kind, got, c.want)
		}
	}
}

func TestForeignKind(t *testing.T) {
	for _, c := range []struct{ group, kind, engine string }{
		{"kyverno.io", "ClusterPolicy", "Kyverno"},
		{"reports.kyverno.io", "EphemeralReport", "Kyverno"},
		{"policies.kyverno.io", "ImageValidatingPolicy", "Kyverno"},
		{"constraints.gatekeeper.sh", "K8sAllowedRepos", "Gatekeeper"},
		{"config.gatekeeper.sh", "Config", "Gatekeeper"},
		{"policies.kubewarden.io", "PolicyServer", "Kubewarden"},
		{"policy", "PodSecurityPolicy", "Kubernetes before 1.25"},
		{"policy", "PodDisruptionBudget", ""},
		{"security.istio.io", "AuthorizationPolicy", "Istio"},
		{"apps", "Deployment", ""},
		{"notkyverno.io", "Policy", ""},
	} {
		if got, _ := ForeignKind(schema.GroupVersionKind{Group: c.group, Version: "v1", Kind: c.kind}); got.Engine != c.engine || (got.Advice == "") != (c.engine == "") {
			t.Errorf("%s %s: %+v", c.group, c.kind, got)
		}
	}
}

// TestForeignAdvice: what no admission policy does is not said to be writable as one.
func TestForeignAdvice(t *testing.T) {
	for _, c := range []struct {
		group, kind string
		native      bool
	}{
		{"policies.kyverno.io", "NamespacedMutatingPolicy", true},
		{"policies.kyverno.io", "ImageValidatingPolicy", false},
		{"policies.kyverno.io", "GeneratingPolicy", false},
		{"kyverno.io", "ClusterCleanupPolicy", false},
		{"policies.kubewarden.io", "PolicyServer", false},
		{"kubescape.io", "ControlConfiguration", false},
	} {
		if got, _ := ForeignKind(schema.GroupVersionKind{Group: c.group, Version: "v1", Kind: c.kind}); strings.Contains(got.Advice, writeNative) != c.native {
			t.Errorf("%s %s: %s", c.group, c.kind, got.Advice)
		}
	}
}
