package engine_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestAssumedNamespace: a selector that looks at a Namespace that no text gives
// says so, and each fix leads to the state that its title promises.
func TestAssumedNamespace(t *testing.T) {
	s := scenario.Scenario{Policies: policyOf("s", "namespaceSelector: {matchLabels: {env: prod}}", "true", "false"), Request: statePod}
	evaluate := func(s scenario.Scenario) *report.Report {
		t.Helper()
		r, err := engine.Evaluate(context.Background(), s, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := evaluate(s)
	if want := "namespaceSelector wants env=prod, but the scenario has no Namespace payments, which is assumed to have no labels"; len(r.Outcome.Unmatched) != 1 || r.Outcome.Unmatched[0].Reason != want {
		t.Errorf("got %v, want %q", r.Outcome.Unmatched, want)
	}
	if len(r.Assumed) != 1 || len(r.Assumed[0].Fixes) != 2 {
		t.Fatalf("assumed: %+v", r.Assumed)
	}
	for i, want := range []report.State{report.StateNoPolicyRan, report.StateDenied} {
		for _, before := range []string{"", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}"} {
			s.Cluster = before
			fix := evaluate(s).Assumed[0].Fixes[i]
			fixed := s
			fixed.Cluster += fix.Edits[0].New
			if got := evaluate(fixed); got.Outcome.State != want || len(got.Assumed) > 0 || len(got.Diagnostics.Errors()) > 0 {
				t.Errorf("%s: got %s, want %s; assumed %v, %v", fix.Title, got.Outcome.State, want, got.Assumed, got.Diagnostics)
			}
		}
	}
	if !strings.Contains(r.Assumed[0].Fixes[1].Title, "env=prod") {
		t.Errorf("title %q", r.Assumed[0].Fixes[1].Title)
	}
}

// TestAssumed: what an expression looked at or a rule decided on, and no text gives,
// is an assumption at that step; what nothing looked at is none. Each fix makes its
// assumption go away.
func TestAssumed(t *testing.T) {
	const review = `apiVersion: admission.k8s.io/v1
kind: AdmissionReview
request:
  uid: a
  kind: {group: "", version: v1, kind: Pod}
  resource: {group: "", version: v1, resource: pods}
  namespace: payments
  operation: CREATE
  object: {apiVersion: v1, kind: Pod, metadata: {name: web, namespace: payments}, spec: {containers: [{name: a, image: b}]}}
`
	for _, c := range []struct {
		name, policy, request, cluster string
		want                           []string // the beginnings
	}{
		{"nothing beside the object", policyOf("s", "", "true", "object.metadata.name == 'web'"), statePod, "", nil},
		{"namespaceObject", policyOf("s", "", "true", "has(namespaceObject.metadata)"), statePod, "", []string{"Namespace payments with no label but kubernetes.io/metadata.name"}},
		{"namespaceObject not reached", policyOf("s", "", "true", "true || has(namespaceObject.metadata)"), statePod, "", nil},
		{"namespaceObject of one given", policyOf("s", "", "true", "has(namespaceObject.metadata)"), statePod, "apiVersion: v1\nkind: Namespace\nmetadata: {name: payments}", nil},
		{"the user", policyOf("s", "", "true", "request.userInfo.username == 'jane'"), statePod, "", []string{"the user is jane"}},
		{"the user of a review", policyOf("s", "", "true", "request.userInfo.username == 'jane'"), review, "", []string{"the user is jane"}},
		{"the user in a condition", policyOf("s", "", "request.userInfo.username != 'jane'", "true"), statePod, "", []string{"the user is jane"}},
		{"the operation", policyOf("s", "", "true", "request.operation == 'CREATE'"), statePod, "", []string{"the operation is CREATE"}},
		{"the old object", policyOf("s", "", "true", "oldObject == null"), statePod, "", []string{"the operation is CREATE"}},
		{"the operation of a review", policyOf("s", "", "true", "request.operation == 'CREATE'"), review, "", nil},
		{"an operation of the rules", strings.Replace(policyOf("s", "", "true", "true"), "[CREATE]", "[DELETE]", 1), statePod, "", []string{"the operation is CREATE"}},
		{"rights", policyOf("s", "", "true", "authorizer.group('').resource('pods').namespace('payments').check('get').allowed()"), statePod, "",
			[]string{"the user is jane", "no permissions except"}},
		{"the name of the namespace", policyOf("s", "namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: shop}}", "true", "true"), statePod, "", nil},
		{"the default namespace", policyOf("s", "namespaceSelector: {matchLabels: {env: prod}}", "true", "true"), strings.Replace(statePod, "payments", "default", 1), "",
			[]string{"Namespace default with no label but kubernetes.io/metadata.name"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := scenario.Scenario{Policies: c.policy, Request: c.request, Cluster: c.cluster}
			r := evaluated(t, s)
			var got []string
			for _, a := range r.Assumed {
				got = append(got, a.What)
				if len(a.Steps) == 0 || len(a.Fixes) == 0 {
					t.Errorf("%s: steps %v, fixes %v", a.What, a.Steps, a.Fixes)
				}
				for _, fix := range a.Fixes {
					after := evaluated(t, applied(t, s, fix))
					if diag := after.Diagnostics.Errors(); len(diag) > 0 {
						t.Errorf("%s: %v", fix.Title, diag)
					}
					for _, left := range after.Assumed {
						if left.What == a.What {
							t.Errorf("%s leaves %s", fix.Title, a.What)
						}
					}
				}
			}
			if !slices.EqualFunc(got, c.want, strings.HasPrefix) {
				t.Errorf("assumed %q, want %q", got, c.want)
			}
		})
	}
}

// TestAssumedAddresses: whether a cluster has both families of addresses is an assumption only where a Service
// asks for both.
func TestAssumedAddresses(t *testing.T) {
	for spec, want := range map[string]int{
		"{ports: [{port: 80}], selector: {app: web}, ipFamilyPolicy: PreferDualStack}":  0,
		"{ports: [{port: 80}], selector: {app: web}, ipFamilyPolicy: RequireDualStack}": 1,
		"{ports: [{port: 80}], clusterIP: None}":                                        0, // has both on any server
	} {
		r := evaluated(t, scenario.Scenario{Request: "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: payments}\nspec: " + spec + "\n"})
		if got := len(r.Assumed); got != want || want > 0 && r.Assumed[0].What != "the cluster has IPv4 and IPv6 addresses" {
			t.Errorf("%s: %+v", spec, r.Assumed)
		}
	}
}

// TestMissingParam: a param that is not there is a problem where the binding denies the request without it, and an
// assumption elsewhere. It is said once, and the fix adds one that the binding finds.
func TestMissingParam(t *testing.T) {
	for _, ref := range []string{"name: limits", "selector: {matchLabels: {app: shop}}", "selector: {matchExpressions: [{key: tier, operator: In, values: [a, b]}]}"} {
		for _, action := range []string{"Allow", "Deny"} {
			policies := `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  paramKind: {apiVersion: v1, kind: ConfigMap}
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [pods]}]}
  validations: [{expression: "params.metadata.name != ''"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: p}
spec: {policyName: p, validationActions: [Deny], paramRef: {` + ref + ", parameterNotFoundAction: " + action + "}}\n"
			s := scenario.Scenario{Policies: policies, Request: statePod}
			r := evaluated(t, s)
			fix := paramFix(t, r, action == "Deny")
			if action == "Allow" && !slices.Equal(r.Assumed[0].Steps, []int{len(r.Steps) - 1}) {
				t.Errorf("%s: %+v", ref, r.Assumed)
			}
			if strings.HasPrefix(ref, "name") { // one that the server rejects is not offered again
				s := s
				s.Cluster = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: limits, namespace: payments}\ndata: {max: 5}\n"
				if r := evaluated(t, s); len(r.Assumed) != 1 || len(r.Assumed[0].Fixes) != 0 || !strings.HasPrefix(r.Assumed[0].Why, "the server rejects the one") {
					t.Errorf("refused: %+v", r.Assumed)
				}
			}
			if after := evaluated(t, applied(t, s, fix)); after.Outcome.State != report.StateAdmitted || len(after.Assumed) > 0 {
				t.Errorf("%s: %s, %+v", fix.Title, after.Outcome.State, after.Assumed)
			}
		}
	}
}

// paramFix is the only fix for a param that is not there: of a problem, or of an assumption.
func paramFix(t *testing.T, r *report.Report, problem bool) diag.Fix {
	t.Helper()
	var fixes []diag.Fix
	for _, d := range r.Diagnostics {
		if d.Code == codes.MissingParam {
			fixes = append(fixes, d.Fixes...)
		}
	}
	if problem != (len(fixes) == 1) || problem == (len(r.Assumed) > 0) {
		t.Fatalf("problems %+v, assumed %+v", r.Diagnostics, r.Assumed)
	}
	if problem {
		return fixes[0]
	}
	if len(r.Assumed) != 1 || len(r.Assumed[0].Fixes) != 1 {
		t.Fatalf("%+v", r.Assumed)
	}
	return r.Assumed[0].Fixes[0]
}

// TestMissingNamespace: a namespace that is missing where there are others is assumed to exist
// and said; in a complete cluster it is a problem. Each fix leads to a request that is admitted.
func TestMissingNamespace(t *testing.T) {
	s := scenario.Scenario{Policies: policyOf("s", "", "object.metadata.name != 'x'", "object.metadata.name != 'y'"), Request: statePod, Cluster: "apiVersion: v1\nkind: Namespace\nmetadata: {name: payment}\n"}
	missing := func(d diag.Diagnostic) bool { return d.Code == codes.MissingNamespace }
	if r := evaluated(t, s); !r.Outcome.Allowed || !slices.ContainsFunc(r.Diagnostics, missing) {
		t.Errorf("code %d, %v", r.Outcome.Code, r.Diagnostics)
	}
	s.Options.CompleteCluster = true
	r := evaluated(t, s)
	i := slices.IndexFunc(r.Diagnostics, missing)
	if i < 0 || r.Outcome.Code != 404 {
		t.Fatalf("code %d, %v", r.Outcome.Code, r.Diagnostics)
	}
	d := r.Diagnostics[i]
	if d.Text != diag.Request || s.Request[d.Span.Start:d.Span.End] != "payments" || len(d.Fixes) != 2 {
		t.Fatalf("%+v", d)
	}
	for _, fix := range d.Fixes {
		if after := evaluated(t, applied(t, s, fix)); !after.Outcome.Allowed || len(after.Diagnostics) > 0 {
			t.Errorf("%s: %+v, %v", fix.Title, after.Outcome, after.Diagnostics)
		}
	}
}

// TestMissingParamFields: the param that a fix adds has the fields that the policy reads, with
// values that its expressions can use; the first one is for the reader to fill in.
func TestMissingParamFields(t *testing.T) {
	for name, c := range map[string]struct{ kind, cluster, expression, want, fill string }{
		"a number in a ConfigMap":     {"ConfigMap", "", "1 <= int(params.data.max)", "data:\n  max: \"1\"\n", "1"},
		"compared with a text":        {"ConfigMap", "", "!('mode' in params.data) || params.data['mode'] == 'strict'", "data:\n  mode: strict\n", "strict"},
		"a variable":                  {"ConfigMap", "", "params.?data.tier.orValue('') != ''", "data:\n  tier: x\n", "x"},
		"a list in a custom resource": {"Limits", limitsDefinition, "object.metadata.name in params.names && params.max > 0", "max: 0\nnames:\n- x\n", "x"},
		"only its name":               {"ConfigMap", "", "params.metadata.name != ''", "  namespace: payments\n", ""},
	} {
		apiVersion := "v1"
		if c.kind != "ConfigMap" {
			apiVersion = "example.com/v1"
		}
		s := scenario.Scenario{Request: statePod, Cluster: c.cluster, Policies: `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  paramKind: {apiVersion: ` + apiVersion + `, kind: ` + c.kind + `}
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [pods]}]}
  validations: [{expression: "` + c.expression + `"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: p}
spec: {policyName: p, validationActions: [Deny], paramRef: {name: limits, parameterNotFoundAction: Deny}}
`}
		r := evaluated(t, s)
		fix := paramFix(t, r, true)
		added := fix.Edits[0].New
		fill := ""
		if fix.Fill != nil {
			fill = added[fix.Fill.Start:fix.Fill.End]
		}
		if !strings.HasSuffix(added, c.want) || fill != c.fill || fix.Draft != (c.fill != "") {
			t.Errorf("%s: fill %q of\n%s", name, fill, added)
		}
		after := evaluated(t, applied(t, s, fix))
		for _, step := range after.Steps {
			if step.Policy == "p" && step.Error != "" || len(after.Diagnostics.Errors()) > 0 {
				t.Errorf("%s: %s, %v", name, step.Error, after.Diagnostics)
			}
		}
	}
}

const limitsDefinition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: limits.example.com}
spec:
  group: example.com
  names: {kind: Limits, plural: limits, singular: limits, listKind: LimitsList}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object, properties: {max: {type: integer}, names: {type: array, items: {type: string}}}}
`
