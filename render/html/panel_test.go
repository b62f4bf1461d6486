package html

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

func TestOutcomeState(t *testing.T) {
	for state, want := range map[report.State]State{
		report.StateNoRequest: Idle, report.StateDenied: Denied, report.StateMutated: Mutated, report.StateAdmitted: Admitted,
		report.StatePolicyRefused: Refused, report.StateNoPolicyRan: NotRun, report.StateUndecided: NotRun,
	} {
		if got := OutcomeState(&report.Report{Outcome: report.Outcome{State: state}}); got != want {
			t.Errorf("%s: got %s, want %s", state, got, want)
		}
	}
}

func TestFailingPart(t *testing.T) {
	const text = "has(é.a) && é.b <= 5"
	e := report.Evaluation{Expression: text, Children: []report.Node{{
		Kind: "logical", Name: "_&&_", Start: 0, End: 20, Value: false, Evaluated: true, Children: []report.Node{
			{Start: 0, End: 8, Value: true, Evaluated: true},
			{Start: 12, End: 20, Value: false, Evaluated: true, Children: []report.Node{
				{Start: 12, End: 15, Value: int64(8), Evaluated: true},
				{Start: 19, End: 20, Value: int64(5), Evaluated: true},
			}},
		},
	}}}
	e.Decisive = &report.Part{Start: 12, End: 20}
	before, middle, after := e.DecisivePart()
	if before != "has(é.a) && " || middle != "é.b <= 5" || after != "" {
		t.Errorf("%q %q %q", before, middle, after)
	}
	if got := operands(e); len(got) != 1 || got[0] != (operand{Text: "é.b", Value: "8"}) {
		t.Errorf("operands = %v; the literal 5 is its own value", got)
	}
}

// TestHeadline: for a rule that does not compile, the compiler's error.
func TestHeadline(t *testing.T) {
	for text, want := range map[string]string{
		"no such field\n | a": "no such field",
		`Invalid value: {"Rule":"self.a: b"}: compilation failed: ERROR: <input>:1:17: undefined field 'maxi'` + "\n | self": "undefined field 'maxi'",
	} {
		if got := headline(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestTells: literals, and values with only functions, are not informative.
func TestTells(t *testing.T) {
	for _, c := range []struct {
		node report.Node
		want bool
	}{
		{report.Node{Kind: "literal", Value: "web", Type: "string"}, false},
		{report.Node{Kind: "call", Value: "kubernetes.authorization.Decision", Type: "authorization.Decision"}, false},
		{report.Node{Kind: "select", Value: "string", Type: "string"}, true},
		{report.Node{Kind: "select", Value: map[string]any{}, Type: "map"}, true},
	} {
		if got := tells(c.node); got != c.want {
			t.Errorf("%v: %t", c.node, got)
		}
	}
}

// TestDecidingPart: in a false "or" the part after the guards is marked, and a comparison as a
// whole.
func TestDecidingPart(t *testing.T) {
	for text, want := range map[string]string{
		"!has(object.a) || object.a == false":                        "object.a == false",
		"!has(object.m) || !has(object.m.b) || object.m.b > 9":       "object.m.b > 9",
		"!('x' in object) || object.x":                               "object.x",
		"object.b > 9 || object.b < 0":                               "",
		"has(object.z) ? object.b > 9 : object.b < 0 && object.a":    "object.b < 0",
		"!(object.a || object.b > 0)":                                "",
		"[1, 2].all(x, x < 5) && !['u', 'v'].exists(x, x == 'v')":    "!['u', 'v'].exists(x, x == 'v')",
		"[3, 7].all(x, x < 2 || x < 5)":                              "x < 2 || x < 5",
		"size(object) == 9 || object.missing == 1":                   "object.missing",
		"object.b == 1 && (object.a == false || object.a == object)": "object.a == false || object.a == object",
	} {
		r, err := engine.Evaluate(t.Context(), scenario.Scenario{
			Kubernetes: "1.37", Expression: text, ExpressionContext: "validation",
			Request: "{apiVersion: example.com/v1, kind: Thing, metadata: {name: a}, a: true, b: 1, x: false, m: {b: 1}}",
		}, engine.Everything())
		if err != nil || r.Expression == nil {
			t.Fatal(text, err)
		}
		_, middle, _ := r.Expression.DecisivePart()
		if middle != want {
			t.Errorf("%s: marked %q, want %q", text, middle, want)
		}
	}
}

// TestPartValue: only strings are shown as strings.
func TestPartValue(t *testing.T) {
	for text, want := range map[string]string{
		"optional.of('x')":                    `optional.of("x")`,
		"optional.none()":                     `optional.none()`,
		"'optional.none()'":                   `"optional.none()"`,
		"[[[[1]]]]":                           `[[[[…]]]]`,
		"{'a': {'b': {'c': {'d': 1}}}}":       `{"a":{"b":{"c":{…}}}}`,
		"[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]": `[1,2,3,4,5,6,7,8,9,10,… 1 more]`,
		"['{…}']":                             `["{…}"]`,
		"optional.of([[[[1]]]])":              `optional.of([[[…]]])`,
	} {
		r, err := engine.Evaluate(t.Context(), scenario.Scenario{Expression: text, ExpressionContext: "validation"}, engine.Everything())
		if err != nil || r.Expression == nil || len(r.Expression.Children) == 0 {
			t.Fatal(text, err)
		}
		if got := nodeValue(r.Expression.Children[0]); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// hostile holds markup in every string that a scenario can put into a report.
func hostile() *report.Report {
	const evil = `<img src=x onerror=alert(1)>"'&`
	e := report.Evaluation{Name: evil, Path: evil, Text: diag.Policies, Expression: evil, Error: evil, Evaluated: true, Notes: []report.Note{{Code: evil, Text: evil}},
		Children: []report.Node{{End: 9, Kind: "call", Name: evil, Type: evil, Value: evil, Error: evil, Evaluated: true, Note: evil, Missing: evil,
			Has: []string{evil}, Nearest: evil, Count: 2, Values: []any{evil, evil}, At: [][]int{{0}, {1}}}}}
	ops := []report.PatchOperation{{Op: "add", Path: "/" + evil, Value: evil}, {Op: "add", Path: "/a", Value: map[string]any{evil: evil}}}
	return &report.Report{
		Kubernetes: evil, Input: map[string]any{"a": evil}, Mutated: map[string]any{evil: evil}, Object: map[string]any{evil: evil},
		Request: &report.Request{Operation: evil, Kind: evil, Resource: evil, Name: evil, Namespace: evil, User: evil, Derived: []string{evil}},
		Outcome: report.Outcome{Reason: evil, Message: evil, Causes: []string{evil}, Warnings: []string{evil}, AuditAnnotations: map[string]string{evil: evil}, Patch: ops},
		Diagnostics: []diag.Diagnostic{{Code: evil, Severity: diag.Error, Text: diag.Request, Path: evil, Summary: evil, Detail: evil,
			Fixes: []diag.Fix{{Title: evil}}}},
		Expression: &e,
		Install:    []report.Install{{Kind: evil, Name: evil, Code: 422, Reason: evil, Message: evil, Warnings: []string{evil}}},
		Steps: []report.Step{{
			Phase: report.Validating, Kind: evil, Policy: evil, Binding: evil + "b", Param: evil, Status: report.Evaluated, Verdict: report.Deny,
			Reason: evil, Error: evil, Messages: []string{evil}, Warnings: []string{evil}, MatchedKind: evil, Notes: []report.Note{{Text: evil}},
			Match:      &report.Match{Hint: evil},
			Conditions: []report.Evaluation{e}, Variables: []report.Evaluation{e}, AuditAnnotations: []report.Evaluation{e},
			Mutations:   []report.Mutation{{Evaluation: e, PatchType: evil, Diff: ops, Before: map[string]any{"a": evil}, After: map[string]any{evil: evil}}},
			Validations: []report.Validation{{Evaluation: e, Decision: report.Deny, Message: evil, MessageExpression: &e}},
			Before:      map[string]any{"a": "b"}, After: map[string]any{"a": evil}, Diff: ops,
		}},
		Budgets:      []report.Budget{{Scope: evil, Policy: evil, Name: evil, Limit: 1, Used: 1}},
		Findings:     []report.Finding{{Code: evil, Level: diag.Warning, Policy: evil, Summary: evil, Detail: evil, Diff: ops}},
		NotSimulated: []string{evil},
	}
}

var allParts = []Part{StepsPart, ObjectPart, DiffPart, AnswerPart}

// TestEverythingIsEscaped renders a report full of markup: all of it is escaped. The
// Content-Security-Policy also forbids inline styles and handlers of our own.
func TestEverythingIsEscaped(t *testing.T) {
	r := hostile()
	for _, denied := range []bool{true, false} {
		r.Outcome.Allowed, r.Outcome.Mutated = !denied, !denied
		html, err := NewView(r, map[diag.Text]string{diag.Request: "a: '<img src=x>'"}).Render(context.Background(), allParts...)
		if err != nil {
			t.Fatal(err)
		}
		all := html.Outcome + html.Problems
		for _, part := range allParts {
			all += html.Parts[part]
		}
		if strings.Contains(all, "<img") {
			t.Errorf("markup survives:\n%s", all)
		}
		if found := regexp.MustCompile(`<(?:[^<>"]|"[^"]*")*\s(style|on\w+)=`).FindString(all); found != "" {
			t.Errorf("inline style or handler: %s", found)
		}
		if !strings.Contains(all, "&lt;img src=x") {
			t.Error("the text itself is not shown")
		}
	}
}

// TestEmptyReport: an empty report renders, as when a reader deletes everything.
func TestEmptyReport(t *testing.T) {
	html, err := View{Report: &report.Report{Outcome: report.Outcome{DecidedBy: -1}}}.Render(context.Background(), allParts...)
	if err != nil {
		t.Fatal(err)
	}
	for part, want := range map[string]string{
		html.Outcome: "No request", html.Parts[StepsPart]: "will be listed here", html.Parts[ObjectPart]: "There is no object yet",
		html.Parts[DiffPart]: "will be shown here", html.Parts[AnswerPart]: "appears here",
	} {
		if !strings.Contains(part, want) || strings.Contains(part, "enied") {
			t.Errorf("no %q in %s", want, part)
		}
	}
}

// TestTabTitle: without a request the tab names what the scenario has instead.
func TestTabTitle(t *testing.T) {
	for want, r := range map[string]*report.Report{
		"No request":      {},
		"Invalid · rules": {Rules: &report.Rules{State: report.RulesInvalid}},
		"Expression":      {Expression: &report.Evaluation{}},
	} {
		if got := tabTitle(r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestSentToTheWebhook: a called webhook's step has the review and a command that posts it,
// whatever the URL.
func TestSentToTheWebhook(t *testing.T) {
	called := report.Step{Webhook: "w", Called: true, Status: report.Evaluated, Address: "https://h.example.com/it's?timeout=5s",
		Sent: &report.Review{Kind: "AdmissionReview", APIVersion: "admission.k8s.io/v1", Request: report.ReviewRequest{Object: map[string]any{"a": "<b>"}}}}
	var b strings.Builder
	if err := (View{Report: &report.Report{Steps: []report.Step{called, {Webhook: "other"}}}}).Steps().Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	html := b.String()
	if strings.Count(html, "Sent to the webhook</summary>") != 1 || !strings.Contains(html, "&#34;a&#34;: &#34;&lt;b&gt;&#34;") {
		t.Errorf("got %s", html)
	}
	if !strings.Contains(html, `data-save="review-w.json"`) {
		t.Errorf("the review cannot be saved: %s", html)
	}
	if got, want := curlBefore(called), `'https://h.example.com/it'\''s?timeout=5s' <<'EOF'`+"\n"; !strings.HasSuffix(got, want) {
		t.Errorf("got %q", got)
	}
}

// TestExpressionAlone: a stand-alone expression or schema rules are shown without a verdict. With
// policies or a request there is one.
func TestExpressionAlone(t *testing.T) {
	r := &report.Report{Outcome: report.Outcome{DecidedBy: -1, State: report.StateNoRequest}, Rules: &report.Rules{State: report.RulesInvalid}}
	for _, c := range []struct {
		texts map[diag.Text]string
		want  bool
	}{
		{map[diag.Text]string{diag.Expression: "schema:"}, false},
		{map[diag.Text]string{diag.Policies: "kind: X", diag.Expression: "schema:"}, true},
		{map[diag.Text]string{diag.Request: "kind: [", diag.Expression: "schema:"}, true},
	} {
		var b strings.Builder
		if err := (View{Report: r, Texts: c.texts}).Outcome().Render(context.Background(), &b); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "Result of the rules") || strings.Contains(b.String(), "No request") != c.want {
			t.Errorf("%v: %s", c.texts, b.String())
		}
	}
}

// TestSaidOnce: the verdict offers a fix of several documents once, and does not repeat its message as an
// expression's error.
func TestSaidOnce(t *testing.T) {
	const policy = "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicy\nmetadata: {name: p}\nspec:\n  reinvocationPolicy: Never\n  matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: ['*'], resources: [configmaps]}]}\n  mutations: [{patchType: JSONPatch, jsonPatch: {expression: '[JSONPatch{op: \"remove\", path: \"/data\"}]'}}]\n" +
		"---\napiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicyBinding\nmetadata: {name: p}\nspec: {policyName: p}\n"
	for kubernetes, want := range map[string]string{"1.35": "Change to admissionregistration.k8s.io/v1beta1, in 2 documents", "1.37": "Unable to remove"} {
		texts := scenario.Scenario{Policies: policy, Request: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n", Kubernetes: kubernetes}
		r, err := engine.Evaluate(context.Background(), texts, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := NewView(r, nil).Outcome().Render(context.Background(), &b); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(b.String(), want); got != 1 {
			t.Errorf("%s: %q is there %d times: %s", kubernetes, want, got, b.String())
		}
	}
}

// TestNoSteps: an empty chain says why, and that the server itself can still reject the request.
func TestNoSteps(t *testing.T) {
	const account = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n"
	const alone = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\nspec:\n  matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: ['*'], resources: [configmaps]}]}\n  validations: [{expression: 'true'}]\n"
	for name, test := range map[string]struct {
		scenario scenario.Scenario
		want     string
	}{
		"no request":            {scenario.Scenario{}, "Policies and webhooks will be listed here"},
		"no policy":             {scenario.Scenario{Request: account}, "Policies has no policy or webhook configuration, so only the server's built-in checks run. Paste the output of kubectl"},
		"a policy alone":        {scenario.Scenario{Policies: alone, Request: account}, "p: the policy has no binding, so the server never evaluates it."},
		"a file of the server":  {scenario.Scenario{Policies: "apiVersion: pod-security.admission.config.k8s.io/v1\nkind: PodSecurityConfiguration\n", Request: account}, "Policies has no policy or webhook configuration, so only the server's built-in checks run."},
		"a policy with mistake": {scenario.Scenario{Policies: strings.Replace(alone, "'true'", "'frob('", 1), Request: account}, "The server rejects the policies, so none of them runs."},
		"a bad object":          {scenario.Scenario{Policies: alone, Request: account + "data: {a: 1}\n"}, "The server rejects the request before any policy or webhook runs."},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := engine.Evaluate(context.Background(), test.scenario, engine.Options{})
			if err != nil {
				t.Fatal(err)
			}
			v := View{Report: r, Texts: map[diag.Text]string{diag.Policies: test.scenario.Policies, diag.Request: test.scenario.Request}}
			if got := v.noSteps(); !strings.HasPrefix(got, test.want) {
				t.Error(got)
			}
		})
	}
}

// TestBindingsOffered: where nothing ran because a policy has no binding, the card offers the
// bindings. Of several such policies the problems do.
func TestBindingsOffered(t *testing.T) {
	const account = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n"
	const policy = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: %s}\nspec:\n  matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: ['*'], resources: [configmaps]}]}\n  validations: [{expression: 'true'}]\n---\n"
	const binding = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: q}\nspec: {policyName: q, validationActions: [Deny]}\n"
	p, q := fmt.Sprintf(policy, "p"), fmt.Sprintf(policy, "q")
	for name, test := range map[string]struct {
		policies string
		want     int
	}{"one": {p, 1}, "two": {p + q, 0}, "another ran": {p + q + binding, 0}} {
		s := scenario.Scenario{Policies: test.policies, Request: account}
		r, err := engine.Evaluate(context.Background(), s, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		v := View{Report: r, Texts: map[diag.Text]string{diag.Policies: s.Policies, diag.Request: s.Request}}
		if err := v.Outcome().Render(context.Background(), &b); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(b.String(), "Add a binding that denies</button>"); got != test.want {
			t.Errorf("%s: offered %d times, want %d: %s", name, got, test.want, b.String())
		}
	}
}

// TestSeveralErrors: an object's errors are listed one by one, each once. Other messages stay
// whole.
func TestSeveralErrors(t *testing.T) {
	const definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.example.com}\nspec: {group: example.com, scope: Namespaced, names: {kind: Widget, plural: widgets}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {b: {type: integer, maximum: 3}, a: {type: integer, maximum: 3%s}}}}}]}\n"
	const widget = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\n"
	cluster := fmt.Sprintf(definition, "")
	for name, test := range map[string]struct {
		scenario scenario.Scenario
		frame    string
		want     []string
	}{
		"several":  {scenario.Scenario{Cluster: cluster, Request: widget + "b: 5\na: 7\n"}, `Widget.example.com "w" is invalid:`, []string{"a: Invalid value: 7: a in body should be less than or equal to 3", "b: Invalid value: 5: b in body should be less than or equal to 3"}},
		"one":      {scenario.Scenario{Cluster: cluster, Request: widget + "b: 5\n"}, "", nil},
		"admitted": {scenario.Scenario{Cluster: cluster, Request: widget + "b: 1\n"}, "", nil},
		"of a built-in kind": {scenario.Scenario{Request: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: A_, labels: {'a b': c}}\n"}, `ConfigMap "A_" is invalid:`,
			[]string{`metadata.name: Invalid value: "A_": a lowercase RFC 1123 subdomain`, `metadata.labels: Invalid value: "a b": name part`}},
		"rules that do not compile": {scenario.Scenario{Request: fmt.Sprintf(definition, ", x-kubernetes-validations: [{rule: self > foo}, {rule: selv > 1}]")}, `CustomResourceDefinition.apiextensions.k8s.io "widgets.example.com" is invalid:`,
			[]string{"spec.validation.openAPIV3Schema.properties[a].x-kubernetes-validations[0].rule: undeclared reference to 'foo' (in container '')", "spec.validation.openAPIV3Schema.properties[a].x-kubernetes-validations[1].rule: undeclared reference to 'selv' (in container '')"}},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := engine.Evaluate(context.Background(), test.scenario, engine.Options{})
			if err != nil {
				t.Fatal(err)
			}
			frame, got := severalErrors(r)
			if frame != test.frame || !slices.EqualFunc(got, test.want, strings.HasPrefix) {
				t.Errorf("got %q, %q of %s", frame, got, r.Outcome.Message)
			}
		})
	}
}
