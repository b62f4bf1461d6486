package bootstrap

import (
	"strings"
	"testing"
)

// TestAdviceOfControlPlane: the advice is one that helps. No namespaceSelector leaves out
// what is in no namespace, and the namespace default has more than the server's own slice.
func TestAdviceOfControlPlane(t *testing.T) {
	for name, test := range map[string]struct {
		f             found
		says, saysNot []string
	}{
		"leases":       {found{namespaces: []string{"kube-system"}}, []string{"Exclude kube-system with the namespaceSelector"}, []string{"match condition", "default"}},
		"tokens":       {found{cluster: []string{"tokenreviews"}}, []string{"Tokenreviews are cluster-scoped", "Use a match condition"}, []string{"Exclude"}},
		"server":       {found{server: true}, []string{"exclude only it with a match condition"}, []string{"namespaceSelector"}},
		"all of these": {found{namespaces: []string{"kube-system"}, cluster: []string{"nodes"}, server: true}, []string{"Exclude kube-system", "Nodes are cluster-scoped", "EndpointSlice of the API server"}, nil},
	} {
		got := test.f.advice()
		for _, want := range test.says {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in %q", name, want, got)
			}
		}
		for _, not := range test.saysNot {
			if strings.Contains(got, not) {
				t.Errorf("%s: %q in %q", name, not, got)
			}
		}
	}
}
