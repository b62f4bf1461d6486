package plugins

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/kube/podresources"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestQuotaNames: which names of a quota are about which objects (pkg/quota/v1/evaluator/core of
// k8s.io/kubernetes: MatchingResources of each evaluator).
func TestQuotaNames(t *testing.T) {
	for _, c := range []struct{ resource, given, want string }{
		{"pods", "pods count/pods cpu requests.cpu limits.memory ephemeral-storage limits.ephemeral-storage", "pods count/pods cpu requests.cpu limits.memory ephemeral-storage limits.ephemeral-storage"},
		{"pods", "services secrets count/secrets storage requests.storage limits.storage", ""},
		{"pods", "hugepages-2Mi requests.hugepages-2Mi limits.hugepages-2Mi", "hugepages-2Mi requests.hugepages-2Mi"},
		{"pods", "requests.example.com/gpu limits.example.com/gpu example.com/gpu requests.kubernetes.io/batch requests.a.kubernetes.io/b requests.gpu", "requests.example.com/gpu"},
		{"pods", "requests.deviceclass.resource.kubernetes.io/gpu deviceclass.resource.kubernetes.io/gpu", "requests.deviceclass.resource.kubernetes.io/gpu"},
		{"services", "services count/services services.nodeports services.loadbalancers services.others pods", "services count/services services.nodeports services.loadbalancers"},
		{"persistentvolumeclaims", "persistentvolumeclaims count/persistentvolumeclaims requests.storage storage pods", "persistentvolumeclaims count/persistentvolumeclaims requests.storage"},
		{"persistentvolumeclaims", "gold.storageclass.storage.k8s.io/requests.storage gold.storageclass.storage.k8s.io/persistentvolumeclaims gold.storageclass.storage.k8s.io/storage gold/requests.storage",
			"gold.storageclass.storage.k8s.io/requests.storage gold.storageclass.storage.k8s.io/persistentvolumeclaims"},
		{"secrets", "secrets count/secrets configmaps count/configmaps cpu", "secrets count/secrets"},
		{"apps/deployments", "deployments count/deployments count/deployments.apps deployments.apps", "count/deployments.apps"},
	} {
		group, name, grouped := strings.Cut(c.resource, "/")
		if !grouped {
			group, name = "", c.resource
		}
		counts := counter{resource: schema.GroupResource{Group: group, Resource: name}}
		if got := strings.Join(counts.restricted(strings.Fields(c.given)), " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.resource, got, c.want)
		}
	}
}

// TestComputed: requests and limits of a Pod count under these names (podComputeUsageHelper).
func TestComputed(t *testing.T) {
	amounts := func(text string) podresources.List {
		out := podresources.List{}
		for _, pair := range strings.Fields(text) {
			name, amount, _ := strings.Cut(pair, "=")
			out[name] = resource.MustParse(amount)
		}
		return out
	}
	for _, c := range []struct{ requests, limits, want string }{
		{"cpu=1 memory=2", "cpu=3", "cpu=1 limits.cpu=3 memory=2 pods=1 requests.cpu=1 requests.memory=2"},
		{"", "memory=2 ephemeral-storage=5", "limits.ephemeral-storage=5 limits.memory=2 pods=1"},
		{"hugepages-2Mi=4", "hugepages-2Mi=4", "hugepages-2Mi=4 pods=1 requests.hugepages-2Mi=4"},
		{"example.com/gpu=1", "example.com/gpu=1", "pods=1 requests.example.com/gpu=1"},
		{"kubernetes.io/batch=1 storage=1", "", "pods=1"},
		{"requests.example.com/gpu=1", "", "pods=1"},
		{"deviceclass.resource.kubernetes.io/gpu=2", "", "pods=1 requests.deviceclass.resource.kubernetes.io/gpu=2"},
	} {
		used := computed(amounts(c.requests), amounts(c.limits))
		var got []string
		for _, name := range podresources.List(used).Names() {
			amount := used[name]
			got = append(got, name+"="+amount.String())
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s, %s: %s, want %s", c.requests, c.limits, text, c.want)
		}
	}
}

// TestNodeIdentity: a node is a user of that prefix in the group of nodes
// (pkg/auth/nodeidentifier of k8s.io/kubernetes).
func TestNodeIdentity(t *testing.T) {
	for _, c := range []struct {
		user, group, name string
		isNode            bool
	}{
		{"system:node:a", "system:nodes", "a", true},
		{"system:node:", "system:nodes", "", true},
		{"system:node:a", "system:others", "", false},
		{"jane", "system:nodes", "", false},
		{"system:nodes:a", "system:nodes", "", false},
	} {
		if name, isNode := nodeIdentity(c.user, []string{"system:authenticated", c.group}); name != c.name || isNode != c.isNode {
			t.Errorf("%s of %s: %q, %t", c.user, c.group, name, isNode)
		}
	}
}

// TestSameList: an empty list is as good as none, and otherwise every item counts.
func TestSameList(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"{}", "{}", true}, {"{l: []}", "{}", true}, {"{}", "{l: []}", true}, {"{l: [a]}", "{l: [a]}", true},
		{"{l: [a]}", "{}", false}, {"{}", "{l: [a]}", false}, {"{l: [a]}", "{l: [b]}", false}, {"{l: [a]}", "{l: [a, b]}", false},
	} {
		if got := sameList(decoded(t, c.a), decoded(t, c.b), "l"); got != c.want {
			t.Errorf("%s and %s: %t", c.a, c.b, got)
		}
	}
}

// TestForbiddenLabels: which labels a kubelet may not set (pkg/kubelet/apis of k8s.io/kubernetes).
func TestForbiddenLabels(t *testing.T) {
	for _, c := range []struct {
		labels, old map[string]string
		want        string
	}{
		{map[string]string{"a": "b", "example.com/a": "b", "kubernetes.io/os": "linux", "kubelet.kubernetes.io/a": "b", "a.node.kubernetes.io/b": "c"}, nil, ""},
		{map[string]string{"node-restriction.kubernetes.io/a": "b", "a.node-restriction.kubernetes.io/a": "b"}, nil, "a.node-restriction.kubernetes.io/a node-restriction.kubernetes.io/a"},
		{map[string]string{"kubernetes.io/a": "b", "a.k8s.io/b": "c", "xk8s.io/a": "b"}, nil, "a.k8s.io/b kubernetes.io/a"},
		{map[string]string{"kubernetes.io/a": "b"}, map[string]string{"kubernetes.io/a": "b"}, ""},
		{map[string]string{"kubernetes.io/a": "b"}, map[string]string{"kubernetes.io/a": ""}, "kubernetes.io/a"},
		{map[string]string{"kubernetes.io/a": ""}, map[string]string{}, "kubernetes.io/a"},
		{nil, map[string]string{"kubernetes.io/a": "b", "a": "b"}, "kubernetes.io/a"},
	} {
		if got := strings.Join(forbiddenLabels(c.labels, c.old), " "); got != c.want {
			t.Errorf("%v after %v: %s, want %s", c.labels, c.old, got, c.want)
		}
	}
}

// TestSelect: a scenario adds to what is on by default and takes away from it, or names all.
func TestSelect(t *testing.T) {
	const usual, off, unknown = "Priority", "NodeRestriction", "Other"
	for _, c := range []struct {
		name        string
		choice      *scenario.Plugins
		on, isOff   string
		unsimulated bool
	}{
		{"nothing is said", nil, usual, off, false},
		{"one more", &scenario.Plugins{Enable: []string{off}}, usual + " " + off, "", false},
		{"one less", &scenario.Plugins{Disable: []string{usual}}, "LimitRanger", usual + " " + off, false},
		{"these alone", &scenario.Plugins{Enable: []string{"LimitRanger"}, Exactly: true}, "LimitRanger", usual + " " + off, false},
		{"one that does not exist", &scenario.Plugins{Enable: []string{unknown}}, usual, off + " " + unknown, true},
		{"one that is switched off and on", &scenario.Plugins{Enable: []string{usual}, Disable: []string{usual}}, usual, off, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, unsimulated := Select(version.Default(), c.choice)
			has := func(name string) bool {
				return slices.ContainsFunc(set.plugins, func(p plugin) bool { return p.name == name })
			}
			for _, name := range strings.Fields(c.on) {
				if !has(name) {
					t.Errorf("%s is off", name)
				}
			}
			for _, name := range strings.Fields(c.isOff) {
				if has(name) {
					t.Errorf("%s is on", name)
				}
			}
			if (len(unsimulated) > 0) != c.unsimulated || set.chosen != (c.choice != nil) {
				t.Errorf("unsimulated %q, chosen %t", unsimulated, set.chosen)
			}
			if captured := set.Captured(true); !captured.captured || set.captured {
				t.Error("a set for a captured request is one of its own")
			}
		})
	}
}
