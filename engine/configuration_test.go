package engine

import (
	"context"
	"encoding/json"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// sharedGroups are the vectors that -short runs: with the race detector, and under
// js/wasm, all of them take minutes. They have params, webhooks with answers, and a second pass.
var sharedGroups = []string{"params", "reinvocation", "webhook-responses"}

// TestConfiguration checks on the recorded vectors that one configuration, used
// by several goroutines for all requests in different orders, gives the reports
// of an Engine that has seen nothing else.
func TestConfiguration(t *testing.T) {
	for _, path := range vectorFiles(t) {
		if spendsBudget(path) || testing.Short() && !slices.Contains(sharedGroups, filepath.Base(filepath.Dir(path))) {
			continue
		}
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			for _, same := range alike(t, path) {
				compareShared(t, same)
			}
		})
	}
}

// alike are the scenarios of a vector, grouped by what a configuration depends on.
func alike(t *testing.T, path string) [][]scenario.Scenario {
	v := readVector(t, path)
	var groups [][]scenario.Scenario
	var last scenario.BeforeValidation
	for i, request := range v.Requests {
		s := scenarioOf(t, v, request)
		if i == 0 || !reflect.DeepEqual(s.BeforeValidation, last) {
			groups = append(groups, nil)
		}
		last = s.BeforeValidation
		groups[len(groups)-1] = append(groups[len(groups)-1], s)
	}
	return groups
}

func compareShared(t *testing.T, same []scenario.Scenario) {
	t.Helper()
	c, problems := New().Compile(same[0])
	if c == nil {
		t.Fatal(problems)
	}
	want, other := make([]string, len(same)), New()
	for i, s := range same {
		r, err := other.Evaluate(context.Background(), s, Options{})
		if err != nil {
			t.Fatal(err)
		}
		want[i] = indented(t, r)
	}
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			for i := range same {
				if worker%2 == 1 {
					i = len(same) - 1 - i
				}
				r, err := c.Evaluate(context.Background(), Text(same[i].Request), Options{})
				if err != nil {
					t.Error(err)
				} else if got := indented(t, r); got != want[i] {
					t.Errorf("request %d: got\n%s\nwant\n%s", i, got, want[i])
				}
			}
		})
	}
	group.Wait()
}

const namespaced = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  matchConstraints:
    namespaceSelector: {matchLabels: {env: prod}}
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [pods]}]
  validations: [{expression: "false"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: p}
spec: {policyName: p, validationActions: [Deny]}
`

const (
	pod        = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: shop}\nspec: {containers: [{name: a, image: a}]}"
	production = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {env: prod}}"
)

// A request leaves no trace in its configuration, not even one that shows a
// Namespace; with Apply, what it stores is there for the next.
func TestApply(t *testing.T) {
	c, problems := Compile(scenario.Scenario{Policies: namespaced})
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	allowed := func(c *Configuration) bool {
		r, err := c.Evaluate(t.Context(), Text(pod), Options{})
		if err != nil {
			t.Fatal(err)
		}
		return r.Outcome.Allowed
	}
	if !allowed(c) {
		t.Error("without a Namespace the policy does not match")
	}
	r, after, err := c.Apply(t.Context(), Text(production), Options{})
	if err != nil || !r.Outcome.Allowed {
		t.Fatal(r.Outcome.Message, err)
	}
	if !allowed(c) || allowed(after) {
		t.Errorf("before: allowed %v, want true; after: allowed %v, want false", allowed(c), allowed(after))
	}
	deletion := `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","kind":{"group":"","version":"v1","kind":"Namespace"},"resource":{"group":"","version":"v1","resource":"namespaces"},"name":"shop","namespace":"shop","operation":"DELETE","userInfo":{"username":"jane"}}}`
	if _, after, err = after.Apply(t.Context(), Text(deletion), Options{}); err != nil || !allowed(after) {
		t.Errorf("after the deletion: allowed %v, %v", allowed(after), err)
	}
}

// A context that ended gives an error and no report.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, evaluate := range map[string]func() (*report.Report, error){
		"a scenario": func() (*report.Report, error) {
			return Evaluate(ctx, scenario.Scenario{Policies: namespaced, Request: pod}, Everything())
		},
		"a configuration": func() (*report.Report, error) {
			c, _ := Compile(scenario.Scenario{Policies: namespaced})
			return c.Evaluate(ctx, Text(pod), Options{})
		},
	} {
		if r, err := evaluate(); r != nil || err == nil {
			t.Errorf("%s: report %v, error %v", name, r != nil, err)
		}
	}
}

func indented(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestCapturedUnreadable: a review of an object that the server cannot read has the same
// answer from a configuration as from a scenario.
func TestCapturedUnreadable(t *testing.T) {
	s := scenario.Scenario{Request: `{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "u", "operation": "CREATE",
		"kind": {"version": "v1", "kind": "Pod"}, "resource": {"version": "v1", "resource": "pods"}, "name": "p", "namespace": "default", "userInfo": {"username": "jane"},
		"object": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "creationTimestamp": "today"}, "spec": {"containers": []}}}}`}
	alone, err := Evaluate(context.Background(), s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, problems := Compile(scenario.Scenario{})
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Evaluate(context.Background(), Text(s.Request), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]*report.Report{"alone": alone, "compiled": compiled} {
		if r.Outcome.Code != 400 || !strings.HasPrefix(r.Outcome.Message, `Pod in version "v1" cannot be handled as a Pod: parsing time "today"`) {
			t.Errorf("%s: %d %s", name, r.Outcome.Code, r.Outcome.Message)
		}
	}
}

// TestMetadataOfAMutation: what a policy makes of the metadata of a custom resource reaches
// the webhooks behind it, and is an error only where a client sends it.
func TestMetadataOfAMutation(t *testing.T) {
	const cluster = `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: widgets.example.com}, spec: {group: example.com, scope: Namespaced,
  names: {kind: Widget, plural: widgets}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}`
	const policy = `{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {name: p}, spec: {matchConstraints: {resourceRules: [
  {apiGroups: [example.com], apiVersions: [v1], operations: [CREATE], resources: [widgets]}]}, validations: [{expression: dyn(object.metadata.annotations) != 1, message: it is one}]}}
---
{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, metadata: {name: b}, spec: {policyName: p, validationActions: [Deny]}}`
	const object = `{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w", "namespace": "default", "annotations": 1}}`
	review := `{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "u", "operation": "CREATE", "kind": {"group": "example.com", "version": "v1", "kind": "Widget"},
		"resource": {"group": "example.com", "version": "v1", "resource": "widgets"}, "name": "w", "namespace": "default", "userInfo": {"username": "jane"}, "object": ` + object + `}}`
	sent := true
	for name, test := range map[string]struct {
		request string
		options scenario.Options
		want    string
	}{
		"from a client":                 {object, scenario.Options{}, `Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal number into Go struct field ObjectMeta.annotations of type map[string]string`},
		"a review, as a client sent it": {review, scenario.Options{Defaulting: &sent}, `Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal number into Go struct field ObjectMeta.annotations of type map[string]string`},
		"captured on its way":           {review, scenario.Options{}, `widgets.example.com "w" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: it is one`},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := Evaluate(context.Background(), scenario.Scenario{Cluster: cluster, Policies: policy, Request: test.request, Options: test.options}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if r.Outcome.Message != test.want {
				t.Errorf("got %s", r.Outcome.Message)
			}
		})
	}
}

// TestConfigurationInCluster: configuration of the server counts in the cluster text, too.
func TestConfigurationInCluster(t *testing.T) {
	r, err := Evaluate(context.Background(), scenario.Scenario{Cluster: "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins:\n- {name: none, configuration: {}}\n"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range r.Diagnostics {
		if d.Code == codes.UnknownKind {
			t.Errorf("%s: %s", d.Code, d.Summary)
		}
	}
}
