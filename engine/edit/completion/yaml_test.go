package completion

import (
	"regexp"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/policy/install"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/scenario"
)

func TestYAML(t *testing.T) {
	head := "apiVersion: admissionregistration.k8s.io/v1\nkind: "
	for _, tc := range []struct{ name, text, want string }{
		{"keys of a policy", head + "ValidatingAdmissionPolicy\nspec:\n  fail" + cursorMark, "failurePolicy validations -mutations"},
		{"without a letter", head + "ValidatingAdmissionPolicy\nspec:\n  " + cursorMark, "failurePolicy validations"},
		{"not those that are there", head + "ValidatingAdmissionPolicy\nspec:\n  failurePolicy: Fail\n  " + cursorMark, "validations -failurePolicy"},
		{"not the status", head + "ValidatingAdmissionPolicy\n" + cursorMark, "spec metadata -status -kind"},
		{"keys in the middle", head + "ValidatingAdmissionPolicy\nspec:\n  " + cursorMark + "\n  validations:\n  - expression: 'true'\n", "failurePolicy -validations"},
		{"keys of an item", head + "ValidatingAdmissionPolicy\nspec:\n  validations:\n  - " + cursorMark, "expression message messageExpression reason"},
		{"further keys of an item", head + "ValidatingAdmissionPolicy\nspec:\n  validations:\n  - expression: 'true'\n    " + cursorMark, "message -expression"},
		{"an enum", head + "ValidatingAdmissionPolicy\nspec:\n  failurePolicy: " + cursorMark, "Fail Ignore"},
		{"an enum begun", head + "ValidatingAdmissionPolicy\nspec:\n  failurePolicy: F" + cursorMark, "Fail"},
		{"an enum in a list", head + "ValidatingAdmissionPolicyBinding\nspec:\n  validationActions:\n  - " + cursorMark, "Deny Warn Audit"},
		{"an enum in brackets", head + "ValidatingAdmissionPolicyBinding\nspec:\n  validationActions: [De" + cursorMark + "]", "Deny Warn Audit"},
		{"brackets still open", head + "ValidatingAdmissionPolicyBinding\nspec:\n  validationActions: [" + cursorMark, "Deny Warn Audit"},
		{"operations", head + "ValidatingAdmissionPolicy\nspec:\n  matchConstraints:\n    resourceRules:\n    - operations: [" + cursorMark + "]", "CREATE DELETE *"},
		{"operations of a mutating policy", head + "MutatingAdmissionPolicy\nspec:\n  matchConstraints:\n    resourceRules:\n    - operations: [" + cursorMark + "]", "CREATE -DELETE"},
		{"groups", head + "ValidatingAdmissionPolicy\nspec:\n  matchConstraints:\n    resourceRules:\n    - apiGroups: [" + cursorMark + "]", "apps batch *"},
		{"versions of the group", head + "ValidatingAdmissionPolicy\nspec:\n  matchConstraints:\n    resourceRules:\n    - apiGroups: [autoscaling]\n      apiVersions: [" + cursorMark + "]", "v1 v2 -v1alpha1"},
		{"resources of the group", head + "ValidatingAdmissionPolicy\nspec:\n  matchConstraints:\n    resourceRules:\n    - apiGroups: [apps]\n      apiVersions: [v1]\n      resources: [" + cursorMark + "]", "deployments deployments/scale * -pods"},
		{"kinds of the version", "apiVersion: apps/v1\nkind: De" + cursorMark, "Deployment -Pod"},
		{"versions of the kind", "apiVersion: " + cursorMark + "\nkind: Deployment", "apps/v1 -v1"},
		{"the kind of params", head + "ValidatingAdmissionPolicy\nspec:\n  paramKind:\n    apiVersion: v1\n    kind: " + cursorMark, "ConfigMap -Deployment"},
		{"any kind", "apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    spec:\n      containers:\n      - " + cursorMark, "name image"},
		{"a boolean", "apiVersion: apps/v1\nkind: Deployment\nspec:\n  paused: " + cursorMark, "true false"},
		{"webhooks", head + "MutatingWebhookConfiguration\nwebhooks:\n- sideEffects: " + cursorMark, "None NoneOnDryRun"},
		{"reasons", head + "ValidatingAdmissionPolicy\nspec:\n  validations:\n  - reason: " + cursorMark, strings.Join(install.Reasons, " ")},
		{"our own kind", "apiVersion: preadmit.dev/v1\nkind: WebhookResponse\nspec:\n  " + cursorMark, "allowed patch delaySeconds"},
		{"a map takes any key", "apiVersion: v1\nkind: ConfigMap\ndata:\n  " + cursorMark, "-data -metadata"},
		{"JSON", `{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy", "spec": {"` + cursorMark + `"}}`, "failurePolicy"},
		{"an empty document", cursorMark, "apiVersion kind new¬ValidatingAdmissionPolicy new¬MutatingWebhookConfiguration"},
		{"an empty document after another", "kind: A\n---\n" + cursorMark + "\n---\nkind: B\n", "apiVersion new¬MutatingAdmissionPolicy"},
		{"a comment", "# " + cursorMark, "-apiVersion"},
		{"the separator", "kind: A\n--" + cursorMark + "-\n", "-apiVersion"},
		{"a message", head + "ValidatingAdmissionPolicy\nspec:\n  validations:\n  - message: fail" + cursorMark, "-failurePolicy"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := completeIn(t, "1.36", scenario.Scenario{Policies: tc.text})
			for i := range r.Items {
				r.Items[i].Label = strings.ReplaceAll(r.Items[i].Label, " ", "¬")
			}
			wantOffers(t, r.Items, tc.want)
		})
	}
}

func TestPolicyNames(t *testing.T) {
	s := policy("")
	s.Policies += "---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nspec:\n  policyName: " + cursorMark
	if got := labels(completeIn(t, "1.36", s).Items); len(got) != 1 || got[0] != "p" {
		t.Errorf("got %q", got)
	}
}

// TestParamRefs: a binding names objects of its policy's paramKind that are in
// the cluster text, and namespaces that are.
func TestParamRefs(t *testing.T) {
	s := policy("  paramKind: {apiVersion: v1, kind: ConfigMap}\n")
	s.Cluster = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: limits}\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: other}\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: team-a}\n"
	binding := s.Policies + "---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nspec:\n  policyName: p\n  paramRef:\n    "
	for field, want := range map[string]string{"name: ": "limits", "namespace: ": "team-a"} {
		s.Policies = binding + field + cursorMark
		if got := labels(completeIn(t, "1.36", s).Items); len(got) != 1 || got[0] != want {
			t.Errorf("%s: got %q", field, got)
		}
	}
}

// TestTextsBeginDifferently: every text offers the documents that belong in it.
func TestTextsBeginDifferently(t *testing.T) {
	for text, want := range map[diag.Text]string{
		diag.Policies: "new¬ValidatingAdmissionPolicy -new¬AdmissionReview -new¬Namespace",
		diag.Request:  "new¬AdmissionReview -new¬ValidatingAdmissionPolicy",
		diag.Cluster:  "new¬Namespace new¬ConfigMap new¬WebhookResponse new¬ClusterRole -new¬AdmissionReview -new¬ValidatingAdmissionPolicy",
	} {
		r, err := completer(t, "1.36").Complete(scenario.Scenario{}, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Items {
			r.Items[i].Label = strings.ReplaceAll(r.Items[i].Label, " ", "¬")
		}
		wantOffers(t, r.Items, want)
	}
}

// TestNamesOfTheScenario completes what other texts of the scenario name.
func TestNamesOfTheScenario(t *testing.T) {
	base := scenario.Scenario{
		Policies: "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingWebhookConfiguration\nmetadata: {name: c}\nwebhooks:\n- name: answered.example.com\n- name: open.example.com\n",
		Cluster: "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {env: prod}}\n---\n" +
			"apiVersion: preadmit.dev/v1\nkind: WebhookResponse\nmetadata: {name: answered.example.com}\nspec: {allowed: true}\n---\n",
	}
	in := func(text diag.Text, change func(*scenario.Scenario)) []Item {
		s := base
		change(&s)
		var offset int
		edited := map[diag.Text]*string{diag.Policies: &s.Policies, diag.Request: &s.Request, diag.Cluster: &s.Cluster}[text]
		*edited, offset = cut(t, *edited)
		r, err := completer(t, "1.37").Complete(s, text, offset)
		if err != nil {
			t.Fatal(err)
		}
		return r.Items
	}
	for name, test := range map[string]struct {
		items []Item
		want  string
	}{
		"the namespace of a request": {in(diag.Request, func(s *scenario.Scenario) {
			s.Request = "apiVersion: v1\nkind: Pod\nmetadata:\n  namespace: " + cursorMark
		}), "shop"},
		"a webhook that is to be answered": {in(diag.Cluster, func(s *scenario.Scenario) {
			s.Cluster += "apiVersion: preadmit.dev/v1\nkind: WebhookResponse\nmetadata:\n  name: " + cursorMark
		}), "open.example.com answered.example.com"},
		"a label of namespaces": {in(diag.Policies, func(s *scenario.Scenario) {
			s.Policies = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\nspec:\n  matchConstraints:\n    namespaceSelector:\n      matchLabels:\n        env: " + cursorMark
		}), "prod"},
		"the names of labels of namespaces": {in(diag.Policies, func(s *scenario.Scenario) {
			s.Policies = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\nspec:\n  matchConstraints:\n    namespaceSelector:\n      matchLabels:\n        e" + cursorMark
		}), "env"},
		"a label in an expression": {in(diag.Policies, func(s *scenario.Scenario) {
			s.Policies = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\nspec:\n  matchConstraints:\n    namespaceSelector:\n      matchExpressions:\n      - key: " + cursorMark
		}), "env"},
		"its values": {in(diag.Policies, func(s *scenario.Scenario) {
			s.Policies = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\nspec:\n  matchConstraints:\n    namespaceSelector:\n      matchExpressions:\n      - key: env\n        values: [" + cursorMark + "]"
		}), "prod"},
		"labels of the object": {in(diag.Policies, func(s *scenario.Scenario) {
			s.Request = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, labels: {tier: gold}}\n"
			s.Policies = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\nspec:\n  matchConstraints:\n    objectSelector:\n      matchLabels:\n        " + cursorMark
		}), "tier -env"},
		"the namespace in an expression": {in(diag.Policies, func(s *scenario.Scenario) {
			s.Policies = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\nspec:\n  validations:\n  - expression: request.namespace == '" + cursorMark
		}), "shop"},
		"a service account": {in(diag.Request, func(s *scenario.Scenario) {
			s.Cluster += "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: deployer, namespace: shop}\n---\n"
			s.Request = "apiVersion: v1\nkind: Pod\nspec:\n  serviceAccountName: " + cursorMark
		}), "deployer"},
	} {
		t.Run(name, func(t *testing.T) {
			wantOffers(t, test.items, test.want)
		})
	}
	draft := find(in(diag.Cluster, func(s *scenario.Scenario) { s.Cluster += cursorMark }), "new WebhookResponse")
	if !strings.Contains(draft.Apply, "name: ${open.example.com}") {
		t.Errorf("the draft of an answer is %q", draft.Apply)
	}
}

// TestInsertedKeys checks the text that a key brings along.
func TestInsertedKeys(t *testing.T) {
	s := policy("  validations:\n  - " + cursorMark)
	r := completeIn(t, "1.36", s)
	if got := find(r.Items, "message").Apply; got != "message: " {
		t.Errorf("message: %q", got)
	}
	// The editor repeats the indentation of the line, which ends before the dash.
	if got := find(r.Items, "expression").Apply; got != "expression: >-\n    ${}" {
		t.Errorf("expression: %q", got)
	}
	r = completeIn(t, "1.36", policy("  "+cursorMark))
	if got := find(r.Items, "validations").Apply; got != "validations:" {
		t.Errorf("validations: %q", got)
	}
}

// TestSnippetsAreAccepted installs every snippet, its places filled in: the
// server would reject none of them.
func TestSnippetsAreAccepted(t *testing.T) {
	places := regexp.MustCompile(`\$\{([^{}]*)\}`)
	for minor, want := range map[string]int{"1.30": 4, "1.36": 6} {
		items := labelsOf(completeIn(t, minor, scenario.Scenario{Policies: cursorMark}).Items, SnippetItem)
		if len(items) != want {
			t.Errorf("%s has %d snippets, want %d", minor, len(items), want)
		}
		for _, item := range items {
			text := places.ReplaceAllStringFunc(item.Apply, func(place string) string {
				name := places.FindStringSubmatch(place)[1]
				if name == "replicas" {
					return "1"
				}
				return name
			})
			docs, problems := scenario.ParseDocuments(diag.Policies, text)
			if len(problems) > 0 || len(docs) == 0 {
				t.Errorf("%s %s: %v", minor, item.Label, problems)
			}
			if refused := refusals(t, docs, minor); len(refused) > 0 {
				t.Errorf("%s %s: %q", minor, item.Label, refused)
			}
		}
	}
}

func labelsOf(items []Item, kind Kind) []Item {
	var out []Item
	for _, i := range items {
		if i.Kind == kind {
			out = append(out, i)
		}
	}
	return out
}

func TestHover(t *testing.T) {
	for _, tc := range []struct{ name, policies, title, doc string }{
		{"a field", validation("object.spec.rep" + cursorMark + "licas > 1").Policies, "replicas: integer, optional", "Number of desired pods."},
		{"a variable", validation("obj" + cursorMark + "ect.spec.paused").Policies, "object: Deployment", "Null on DELETE."},
		{"a method", validation("object.metadata.name.starts" + cursorMark + "With('a')").Policies, "startsWith(prefix) → bool", "Cost: "},
		{"a macro", validation("object.spec.template.spec.containers.a" + cursorMark + "ll(c, true)").Policies, "all(item, condition)", "every item"},
		{"a function", validation("quan" + cursorMark + "tity('1') == null").Policies, "quantity(text) → kubernetes.Quantity", "resource quantity"},
		{"a variable of a macro", validation("object.spec.template.spec.containers.all(c, c" + cursorMark + ".name != '')").Policies, "c: object.spec.template.spec.containers[]", ""},
		{"a key", policy("  failure" + cursorMark + "Policy: Fail\n").Policies, "failurePolicy: 'Ignore' | 'Fail', optional", ""},
		{"a value", policy("  failurePolicy: Fa" + cursorMark + "il\n").Policies, "failurePolicy: 'Ignore' | 'Fail', optional", ""},
		{"text", validation("object.metadata.name == 'ob" + cursorMark + "ject'").Policies, "", ""},
		{"an unknown field", validation("object.spec.no" + cursorMark + "ne").Policies, "", ""},
		{"no function of that name", validation("spe" + cursorMark + "c(1)").Policies, "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			text, offset := cut(t, tc.policies)
			help, err := completer(t, "1.36").Hover(scenario.Scenario{Policies: text}, diag.Policies, offset)
			if err != nil {
				t.Fatal(err)
			}
			if help == nil {
				help = &Help{}
			}
			if help.Title != tc.title || !strings.Contains(help.Doc, tc.doc) {
				t.Errorf("got %+v", help)
			}
			if word := text[help.From:help.To]; tc.title != "" && !strings.HasPrefix(tc.title, word) && word != "Fail" {
				t.Errorf("the help is for %q", word)
			}
		})
	}
}

// refusals are what the server answers to the documents.
func refusals(t *testing.T, docs []*scenario.Document, minor string) []string {
	t.Helper()
	result, err := install.Install(docs, eval.NewSet(), version.MustParse(minor), install.Server{})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, r := range result.Answers {
		if r.Code != 0 {
			out = append(out, r.Message)
		}
	}
	return out
}
