package bootstrap_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// hook is a validating configuration with one webhook of Service NAMESPACE/checks.
// The fields are those behind its name.
func hook(namespace, fields string) string {
	return fmt.Sprintf(`apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: %[1]s}
webhooks:
- name: %[1]s.example.com
  clientConfig: {service: {namespace: %[1]s, name: checks}}
  sideEffects: None
  admissionReviewVersions: [v1]
%[2]s---
`, namespace, fields)
}

const pods = "  rules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}]\n"

func without(namespaces ...string) string {
	return "  namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [" + strings.Join(namespaces, ", ") + "]}]}\n"
}

const space = "apiVersion: v1\nkind: Namespace\nmetadata: {name: hooks, labels: {runlevel: '2'}}\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: kube-system, labels: {runlevel: '0'}}\n---\n"

const workload = `apiVersion: v1
kind: Service
metadata: {name: checks, namespace: hooks}
spec: {selector: {app: checks}, ports: [{port: 443}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: checks, namespace: hooks}
spec:
  replicas: 3
  selector: {matchLabels: {app: checks}}
  template:
    metadata: {labels: {app: checks, exempt: 'yes'}}
    spec: {containers: [{name: checks, image: 'checks:1'}]}
---
`

// TestItself: what of a webhook's own start it intercepts, and how sure that is.
func TestItself(t *testing.T) {
	for _, c := range []struct{ name, policies, cluster, want string }{
		{"all Pods", hook("hooks", pods+without("kube-system")), "", "error webhook-blocks-itself its Pods (CREATE)"},
		{"it fails open", hook("hooks", pods+without("kube-system")+"  failurePolicy: Ignore\n"), "", "info webhook-ignores-failures"},
		{"its namespace is left out", hook("hooks", pods+without("kube-system", "hooks")), "", ""},
		{"another namespace", hook("hooks", pods+"  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: shop}}\n"), "", ""},
		{"a label that no text gives", hook("hooks", pods+"  namespaceSelector: {matchExpressions: [{key: runlevel, operator: NotIn, values: ['0', '1', '2']}]}\n"), "",
			"info webhook-blocks-itself its Pods (CREATE)"},
		{"a label that a text gives", hook("hooks", pods+"  namespaceSelector: {matchExpressions: [{key: runlevel, operator: NotIn, values: ['0', '1', '2']}]}\n"), space, ""},
		{"a label with another value", hook("hooks", pods+"  namespaceSelector: {matchExpressions: [{key: runlevel, operator: NotIn, values: ['0', '1']}]}\n"), space,
			"error webhook-blocks-itself its Pods (CREATE)"},
		{"a label of its Pods", hook("hooks", pods+without("kube-system")+"  objectSelector: {matchExpressions: [{key: exempt, operator: DoesNotExist}]}\n"), workload,
			"warning webhook-object-selector"},
		{"a label that its Pods may have", hook("hooks", pods+without("kube-system")+"  objectSelector: {matchExpressions: [{key: exempt, operator: DoesNotExist}]}\n"), "",
			"warning webhook-object-selector\ninfo webhook-blocks-itself its Pods (CREATE)"},
		{"a condition about the namespace", hook("hooks", pods+"  matchConditions: [{name: others, expression: '!(request.namespace in [\"hooks\", \"kube-system\"])'}]\n"), "", ""},
		{"a condition about the user", hook("hooks", pods+without("kube-system")+"  matchConditions: [{name: people, expression: '!request.userInfo.groups.exists(g, g == \"system:serviceaccounts\")'}]\n"), "", ""},
		{"a condition about what is not known", hook("hooks", pods+without("kube-system")+"  matchConditions: [{name: host, expression: 'object.spec.hostNetwork == true'}]\n"), "",
			"info webhook-blocks-itself its Pods (CREATE)"},
		{"only a repair", hook("hooks", "  rules: [{apiGroups: [apps], apiVersions: [v1], operations: ['*'], resources: ['*']}]\n"), workload,
			"warning webhook-blocks-itself its ReplicaSets (CREATE) and its Deployment (UPDATE)"},
		{"EndpointSlices", hook("hooks", "  rules: [{apiGroups: [discovery.k8s.io], apiVersions: [v1], operations: [UPDATE], resources: [endpointslices]}]\n"+without("default")), "",
			"error webhook-blocks-itself its EndpointSlices (CREATE, UPDATE)"},
		{"only subresources", hook("hooks", "  rules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods/binding]}]\n"), "",
			"error webhook-blocks-itself the binding of its Pods to nodes (CREATE pods/binding)"},
		{"no Pod is selected", hook("hooks", "  rules: [{apiGroups: [batch], apiVersions: [v1], operations: [CREATE], resources: [jobs]}]\n"), strings.Replace(workload, "app: checks, exempt", "app: other, exempt", 1),
			"warning webhook-without-backend"},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, c.policies, c.cluster, c.want) })
	}
}

// check compares what is found with lines of severity, code and, for some, what
// is intercepted.
func check(t *testing.T, policies, cluster, want string) {
	t.Helper()
	var lines []string
	for _, d := range findings(t, policies, cluster) {
		line := string(d.Severity) + " " + d.Code
		if _, what, ok := strings.Cut(d.Summary, ": "); ok && strings.Contains(d.Code, "-blocks-") || strings.Contains(d.Code, "block-each") {
			line += " " + what
		}
		lines = append(lines, line)
		if d.Span.End <= d.Span.Start || d.Detail == "" || d.Path == "" {
			t.Errorf("without a place or a detail: %+v", d)
		}
	}
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestControlPlane: what stops nodes and controllers.
func TestControlPlane(t *testing.T) {
	rule := func(group, resource, operation string) string {
		return fmt.Sprintf("  rules: [{apiGroups: ['%s'], apiVersions: ['*'], operations: [%s], resources: ['%s']}]\n", group, operation, resource)
	}
	for _, c := range []struct{ name, policies, want string }{
		{"leases", hook("hooks", rule("coordination.k8s.io", "leases", "UPDATE")),
			"error webhook-blocks-control-plane node heartbeats (UPDATE leases in kube-node-lease) and leader election of controllers (UPDATE leases in kube-system)"},
		{"leases of one namespace", hook("hooks", rule("coordination.k8s.io", "leases", "UPDATE")+without("kube-system")),
			"error webhook-blocks-control-plane node heartbeats (UPDATE leases in kube-node-lease)"},
		{"from outside the cluster", strings.Replace(hook("hooks", rule("coordination.k8s.io", "leases", "UPDATE")), "service: {namespace: hooks, name: checks}", "url: 'https://checks.example.com'", 1),
			"warning webhook-blocks-control-plane node heartbeats (UPDATE leases in kube-node-lease) and leader election of controllers (UPDATE leases in kube-system)"},
		{"the status of nodes", hook("hooks", rule("", "nodes/status", "UPDATE")), "error webhook-blocks-control-plane node status (UPDATE nodes/status)"},
		{"but not of the kubelet", hook("hooks", rule("", "nodes/status", "UPDATE")+"  matchConditions: [{name: no-kubelets, expression: '!(\"system:nodes\" in request.userInfo.groups)'}]\n"), ""},
		{"Pods of kube-system", hook("hooks", pods+without("hooks")), "warning webhook-blocks-control-plane Pods in kube-system (CREATE)"},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, c.policies, "", c.want) })
	}
}

// TestReviews: until 1.36 checks of tokens and permissions go to webhooks too.
func TestReviews(t *testing.T) {
	policies := hook("hooks", "  rules: [{apiGroups: [authentication.k8s.io], apiVersions: [v1], operations: [CREATE], resources: [tokenreviews]}]\n")
	for version, want := range map[string]bool{"1.36": true, "1.37": false} {
		_, list := engine.Compile(scenario.Scenario{Policies: policies, Kubernetes: version})
		if got := len(list) > 0; got != want {
			t.Errorf("%s: %v", version, list)
		}
	}
}

// TestCycle: two webhooks that leave out only their own namespaces, three in a
// circle, and the scheme of runlevels that leaves out all of them.
func TestCycle(t *testing.T) {
	two := hook("a", pods+without("kube-system", "a")) + hook("b", pods+without("kube-system", "b"))
	check(t, two, "", `error webhooks-block-each-other the Pods of a/checks need webhook "b.example.com" (its Pods (CREATE)), and the Pods of b/checks need webhook "a.example.com" (its Pods (CREATE))`)
	if g := graph(t, two); !inCycle(g, "pods/a/checks") || !inCycle(g, "service/b/checks") {
		t.Errorf("the cycle is not marked: %+v", g)
	}
	three := hook("a", pods+without("kube-system", "a", "b")) + hook("b", pods+without("kube-system", "b", "c")) + hook("c", pods+without("kube-system", "c", "a"))
	found := findings(t, three, "")
	if len(found) != 1 || strings.Count(found[0].Summary, "need webhook") != 3 {
		t.Errorf("got %v", found)
	}
	levels := "  namespaceSelector: {matchExpressions: [{key: runlevel, operator: NotIn, values: ['0', '1', '2']}]}\n"
	namespaces := strings.NewReplacer("name: hooks", "name: a").Replace(space) + strings.NewReplacer("name: hooks", "name: b").Replace(space)
	check(t, hook("a", pods+levels)+hook("b", pods+levels), namespaces, "")
	if g := graph(t, hook("a", pods+without("kube-system", "a"))+hook("b", pods+without("kube-system", "a", "b"))); inCycle(g, "pods/a/checks") {
		t.Errorf("b needs a, and not the other way round: %+v", g)
	}
}

func graph(t *testing.T, policies string) *report.Graph {
	t.Helper()
	c, _ := engine.Compile(scenario.Scenario{Policies: policies})
	return c.Report().WebhookGraph
}

func inCycle(g *report.Graph, id string) bool {
	return slices.ContainsFunc(g.Nodes, func(n report.GraphNode) bool { return n.ID == id && n.Cycle })
}

// TestRepairsInEveryStyle: the repair adds to whatever selector there is, and
// leaves nothing to report.
func TestRepairsInEveryStyle(t *testing.T) {
	for name, selector := range map[string]string{
		"none":                       "",
		"labels in brackets":         "  namespaceSelector: {matchLabels: {team: shop}}\n",
		"labels in a block":          "  namespaceSelector:\n    matchLabels:\n      team: shop\n",
		"an expression in a block":   "  namespaceSelector:\n    matchExpressions:\n    - key: team # which\n      operator: Exists\n  timeoutSeconds: 5\n",
		"an expression in brackets":  "  namespaceSelector: {matchExpressions: [{key: team, operator: Exists}]}\n",
		"names in brackets":          without("kube-system"),
		"names in a block":           "  namespaceSelector:\n    matchExpressions:\n    - key: kubernetes.io/metadata.name\n      operator: NotIn\n      values:\n      - kube-system\n",
		"an empty selector":          "  namespaceSelector: {}\n",
		"names at the end of a text": "  namespaceSelector:\n    matchExpressions:\n    - {key: kubernetes.io/metadata.name, operator: NotIn, values: [kube-system]}",
	} {
		t.Run(name, func(t *testing.T) {
			cluster := "apiVersion: v1\nkind: Namespace\nmetadata: {name: hooks, labels: {team: shop}}\n"
			policies := strings.TrimSuffix(hook("hooks", pods+selector), "---\n")
			for range 3 {
				list := findings(t, policies, cluster)
				if len(list) == 0 {
					return
				}
				if len(list[0].Fixes) == 0 {
					t.Fatalf("no repair: %s\n%s", list[0], policies)
				}
				text, err := list[0].Fixes[0].Apply("policies", policies)
				if err != nil {
					t.Fatal(err)
				}
				policies = text
			}
			t.Errorf("still reported: %v\n%s", findings(t, policies, cluster), policies)
		})
	}
}
