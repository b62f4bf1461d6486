package bridge

import (
	"path"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/scenario"
)

func pinned(t *testing.T, s scenario.Scenario) Case {
	t.Helper()
	var c Case
	if msg := callWith(t, "cases/pin", s, &c); msg != "" {
		t.Fatal(msg)
	}
	return c
}

func runOne(t *testing.T, s scenario.Scenario, c Case) CaseResult {
	t.Helper()
	var got CasesResults
	if msg := callWith(t, "cases/run", CasesRun{Scenario: s, Cases: []Case{c}}, &got); msg != "" || len(got.Results) != 1 {
		t.Fatal(msg, got)
	}
	return got.Results[0]
}

// A pinned case passes, and fails when the policy's verdict changes.
func TestCases(t *testing.T) {
	s := example(t, "first-look")
	c := pinned(t, s)
	if c.Name != "web-denied" && !strings.HasSuffix(c.Name, "-denied") {
		t.Errorf("the name is %q", c.Name)
	}
	if got := runOne(t, s, c); got.Status != CasePassed {
		t.Errorf("got %+v", got)
	}
	s.Policies = strings.Replace(s.Policies, "validationActions: [Deny]", "validationActions: [Warn]", 1)
	got := runOne(t, s, c)
	if got.Status != CaseFailed || len(got.Differences) == 0 || got.State != "mutated" {
		t.Fatalf("got %+v", got)
	}
	first := got.Differences[0]
	if first.Path == "" || first.Want == "" || first.Got == "" || first.Line == 0 {
		t.Errorf("the difference says too little: %+v", first)
	}
}

// A test must not pass for a policy that did not run, whatever it expects.
func TestNoPolicyNoPass(t *testing.T) {
	for name, change := range map[string]func(*scenario.Scenario){
		"no policy":       func(s *scenario.Scenario) { s.Policies = "" },
		"refused":         func(s *scenario.Scenario) { s.Policies = strings.Replace(s.Policies, "object.spec", "object..spec", 1) },
		"nothing matches": func(s *scenario.Scenario) { s.Policies = strings.ReplaceAll(s.Policies, "deployments", "secrets") },
		"cannot be read":  func(s *scenario.Scenario) { s.Policies = "kind: [" },
	} {
		t.Run(name, func(t *testing.T) {
			s := example(t, "first-look")
			c := pinned(t, s)
			change(&s)
			if got := runOne(t, s, c); got.Status != CaseFailed {
				t.Errorf("what was pinned before is %q: %+v", got.Status, got)
			}
			c = pinned(t, s)
			if got := runOne(t, s, c); got.Status != CaseNoPolicy || got.Message == "" {
				t.Errorf("what was pinned like this is %q: %+v", got.Status, got)
			}
		})
	}
}

// A passing case lists the policies that did not run. One that names such a policy fails.
func TestOneOfTwoPolicies(t *testing.T) {
	s := example(t, "first-look")
	before := pinned(t, s)
	if got, want := runOne(t, s, before), `1 policy did not run: change-window: match condition "production-only" is false`; got.NotRun != want {
		t.Errorf("got %q, want %q", got.NotRun, want)
	}
	first, rest, found := strings.Cut(s.Policies, "resources: [deployments]")
	if !found {
		t.Fatal("the example has no rule for deployments")
	}
	s.Policies = first + "resources: [secrets]" + rest
	if got := runOne(t, s, before); got.Status != CaseFailed {
		t.Errorf("the case names a policy that does not run any more, and is %q", got.Status)
	}
	got := runOne(t, s, pinned(t, s))
	if got.Status != CasePassed || !strings.Contains(got.NotRun, "2 policies did not run: ") || !strings.Contains(got.NotRun, "secrets") {
		t.Errorf("got %+v", got)
	}
}

// Without a request nothing can be pinned.
func TestPinNothing(t *testing.T) {
	s := example(t, "first-look")
	s.Request = ""
	if msg := callWith(t, "cases/pin", s, &Case{}); !strings.Contains(msg, "request") {
		t.Errorf("got %q", msg)
	}
}

// A download reads back unchanged, with each case's settings.
func TestCasesThereAndBack(t *testing.T) {
	s := example(t, "first-look")
	s.Title, s.Description, s.Tags = "", "", nil
	on, other := true, "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n"
	cases := []Case{pinned(t, s), pinned(t, s), pinned(t, s)}
	cases[1].Cluster = &other
	cases[2].Defaulting = &on
	var files map[string]string
	if msg := callWith(t, "cases/files", CasesRun{Scenario: s, Cases: cases}, &files); msg != "" {
		t.Fatal(msg)
	}
	if files[".github/workflows/policy-tests.yaml"] == "" {
		t.Error("there is no workflow")
	}
	names := map[string]bool{}
	for name := range files {
		if strings.HasPrefix(name, testsFolder) {
			names[path.Dir(name)] = true
		}
	}
	if len(names) != 3 {
		t.Errorf("3 cases are in %v", names)
	}
	var back CasesOpened
	if msg := callWith(t, "cases/open", files, &back); msg != "" || len(back.Problems) > 0 {
		t.Fatal(msg, back.Problems)
	}
	if len(back.Cases) != 3 || back.Scenario.Policies != s.Policies {
		t.Fatalf("got %+v", back)
	}
	for i, c := range back.Cases {
		want, got := cases[i].on(s), c.on(back.Scenario)
		want.Title, got.Title = "", ""
		if got.Request != want.Request || got.Cluster != want.Cluster || c.Expected != cases[i].Expected {
			t.Errorf("case %d came back as %+v", i, c)
		}
		if a, b := got.Options.Defaulting, want.Options.Defaulting; (a == nil) != (b == nil) || a != nil && *a != *b {
			t.Errorf("case %d: the defaulting is %v, was %v", i, a, b)
		}
		if r := runOne(t, back.Scenario, c); r.Status != CasePassed && i != 1 {
			t.Errorf("case %d: %+v", i, r)
		}
	}
}

// The examples are tests too: each opens and passes.
func TestOpenExampleAsCase(t *testing.T) {
	s := example(t, "first-look")
	files, err := s.Files()
	if err != nil {
		t.Fatal(err)
	}
	in := map[string]string{"x/expected.yaml": "outcome: {allowed: false}\n"}
	for name, content := range files {
		in["x/"+name] = string(content)
	}
	in["y/expected.yaml"] = "outcome: {allowed: false}\n"
	var got CasesOpened
	if msg := callWith(t, "cases/open", in, &got); msg != "" {
		t.Fatal(msg)
	}
	if len(got.Cases) != 1 || len(got.Problems) != 1 || got.Cases[0].Name != "x" {
		t.Fatalf("got %+v", got)
	}
	if r := runOne(t, got.Scenario, got.Cases[0]); r.Status != CasePassed {
		t.Errorf("got %+v", r)
	}
	if msg := callWith(t, "cases/open", map[string]string{"a.yaml": "kind: Pod"}, &got); msg == "" {
		t.Error("files without a test are opened")
	}
}

// TestAssumedWebhookIsNotGreen: a webhook without a response here was not called, so a test of it
// alone proves nothing.
func TestAssumedWebhookIsNotGreen(t *testing.T) {
	s := scenario.Scenario{
		Policies: "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: wh}\nwebhooks:\n- name: check.example.com\n  clientConfig: {url: 'https://example.com/x'}\n  admissionReviewVersions: [v1]\n  sideEffects: None\n  rules:\n  - {apiGroups: [''], apiVersions: [v1], operations: ['*'], resources: [configmaps]}\n",
		Request:  "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}\n",
	}
	c := Case{Request: s.Request, Expected: "outcome: {allowed: true, code: 201}\nsteps:\n- webhook: check.example.com\n  status: evaluated\n"}
	got := runOne(t, s, c)
	if got.Status != CaseNoPolicy || !strings.Contains(got.Message, "check.example.com") {
		t.Errorf("%+v", got)
	}
	s.Cluster = "apiVersion: preadmit.dev/v1\nkind: WebhookResponse\nmetadata: {name: check.example.com}\nspec: {allowed: true}\n"
	if got := runOne(t, s, c); got.Status != CasePassed {
		t.Errorf("with its answer: %+v", got)
	}
}
