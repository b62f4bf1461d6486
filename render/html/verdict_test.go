package html

import (
	"slices"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
)

func TestOwnWords(t *testing.T) {
	for message, want := range map[string]string{
		`admission webhook "scan.example.com" denied the request: 2 findings`:                                                                        "2 findings",
		"ValidatingAdmissionPolicy 'p' with binding 'p' denied request: failed to configure binding: no params found for policy binding with `Deny`": "failed to configure binding: no params found for policy binding with `Deny`",
		`pods "web" is forbidden: no`:                     "",
		`admission webhook "x" denied the request: `:      "",
		`admission webhook "x" denied the request: a: b`:  "a: b",
		`pods "a" is forbidden: denied request: because…`: "because…",
	} {
		_, own := ownWords(&report.Report{Outcome: report.Outcome{Message: message, DecidedBy: -1}})
		if own != want {
			t.Errorf("%s: %q, want %q", message, own, want)
		}
	}
}

func TestChangesOfPoliciesFirst(t *testing.T) {
	diff := []report.PatchOperation{{Op: "add", Path: "/a"}}
	step := func(kind, name string, pass int) report.Step {
		return report.Step{Kind: kind, Policy: name, Pass: pass, Diff: diff, Status: report.Evaluated}
	}
	r := &report.Report{Steps: []report.Step{step(pluginKind, "ServiceAccount", 0), step("MutatingAdmissionPolicy", "mine", 0), step(pluginKind, "ServiceAccount", 1), step("MutatingAdmissionPolicy", "other", 1)}}
	var titles []string
	for _, c := range changes(r) {
		titles = append(titles, c.Title)
	}
	if want := []string{"mine", "other", "ServiceAccount", "ServiceAccount (second pass)"}; !slices.Equal(titles, want) {
		t.Errorf("%q, want %q", titles, want)
	}
	object := func(value string) map[string]any { return map[string]any{"a": value} }
	r.Request, r.OldObject, r.Input, r.Mutated = &report.Request{Operation: "UPDATE"}, object("old"), object("sent"), object("new")
	list := changes(r)
	if first, last := list[0], list[len(list)-1]; first.Title != "From the old object to the new one" || first.Before["a"] != "old" || first.After["a"] != "new" || last.Title != "The whole change" {
		t.Errorf("of an update: %+v", list)
	}
}

// TestRefusedKind: only a policy that the server rejects is called one.
func TestRefusedKind(t *testing.T) {
	refused := func(kinds ...string) *report.Report {
		r := &report.Report{Outcome: report.Outcome{State: report.StatePolicyRefused}}
		for _, kind := range kinds {
			r.Install = append(r.Install, report.Install{Kind: kind, Code: 422})
		}
		return r
	}
	for want, r := range map[string]*report.Report{
		"CustomResourceDefinition rejected": refused(definitionKind),
		"Policy rejected":                   refused(definitionKind, "ValidatingAdmissionPolicy"),
	} {
		if got := verdictWord(r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestSecondPassOfBudgets: the budget of a policy that runs again says so.
func TestSecondPassOfBudgets(t *testing.T) {
	list := mainBudgets([]report.Budget{{Scope: report.MutationScope, Name: "mutation 1"}, {Scope: report.MutationScope, Name: "mutation 1", Step: 1}}, []report.Step{{}, {Pass: 1}})
	if first, second := budgetName(list[0]), budgetName(list[1]); first != "mutation 1" || second != "mutation 1 (second pass)" {
		t.Errorf("%q, %q", first, second)
	}
}

// TestOperandsOfMissing says which field is missing, and not all that is there.
func TestOperandsOfMissing(t *testing.T) {
	object := report.Node{Kind: "select", Start: 0, End: 15, Evaluated: true, Value: map[string]any{"uid": "0"}}
	for key, want := range map[string][]operand{
		"labels": {{Text: "object.metadata", Value: "labels", Missing: true}},
		"3":      {{Text: "object.metadata", Value: `{"uid":"0"}`}}, // an index
	} {
		e := report.Evaluation{Expression: "object.metadata.labels", Error: "no such key: labels", Decisive: &report.Part{Start: 0, End: 22},
			Children: []report.Node{{Kind: "select", Start: 0, End: 22, Error: "no such key", Missing: key, Children: []report.Node{object}}}}
		if got := operands(e); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", key, got, want)
		}
	}
}

// TestOperandsOfTests says what the alternatives of a false "or" compare, and not that each is false.
func TestOperandsOfTests(t *testing.T) {
	const text = "a.op != 'U' || a.n <= b.n"
	leaf := func(start, end int, kind string, value any) report.Node {
		return report.Node{Kind: kind, Start: start, End: end, Evaluated: true, Value: value}
	}
	test := func(start, end int, sides ...report.Node) report.Node {
		return report.Node{Kind: "call", Start: start, End: end, Evaluated: true, Value: false, Children: sides}
	}
	or := report.Node{Kind: "logical", Name: "_||_", Start: 0, End: 25, Evaluated: true, Value: false, Children: []report.Node{
		test(0, 11, leaf(0, 4, "select", "U"), leaf(8, 11, "literal", "U")),
		test(15, 25, leaf(15, 18, "select", 3), leaf(22, 25, "select", 2)),
	}}
	e := report.Evaluation{Expression: text, Decisive: &report.Part{Start: 0, End: 25}, Children: []report.Node{or}}
	want := []operand{{Text: "a.op", Value: `"U"`}, {Text: "a.n", Value: "3"}, {Text: "b.n", Value: "2"}}
	if got := operands(e); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestCostText: a variable that is read twice costs once, and the free expression nothing. The limit that a larger object exceeds or
// comes near is named in place of the nearest one.
func TestCostText(t *testing.T) {
	budget := func(scope report.Scope, limit int64, o *report.Outlook) report.Budget {
		return report.Budget{Scope: scope, Policy: "p", Used: 12, Limit: limit, Outlook: o}
	}
	call, all := budget(report.CallScope, 1_000_000, nil), budget("validations", 10_000_000, &report.Outlook{Max: 6_606_047})
	for want, list := range map[string][]report.Budget{
		"Low: 21. Nearest limit: one expression of p, 12 of 1,000,000":      {call, budget("validations", 10_000_000, &report.Outlook{Max: 345_883_268_362})},
		"Low: 21 now. At worst 6,606,047 of 10,000,000 for p (66 %)":        {call, all},
		"Low: 21 now. A larger object exceeds the limit of 2,500,000 for p": {all, budget("match", 2_500_000, &report.Outlook{Max: 1 << 40, Growth: make([]report.Growth, 1)})},
		"21": nil,
	} {
		steps := []report.Step{{Status: report.Evaluated,
			Variables:   []report.Evaluation{{Evaluated: true, Cost: 5, Cached: true}},
			Validations: []report.Validation{{Evaluation: report.Evaluation{Evaluated: true, Cost: 16}}}}}
		r := &report.Report{Steps: steps, Budgets: list, Expression: &report.Evaluation{Evaluated: true, Cost: 20}}
		if got := costText(r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestCountedProblems: what all is right with is a note.
func TestCountedProblems(t *testing.T) {
	note, wrong := diag.Diagnostic{Severity: diag.Info}, diag.Diagnostic{Severity: diag.Warning}
	for want, list := range map[string][]diag.Diagnostic{"1 note": {note}, "2 problems": {note, wrong}} {
		if got := countedProblems(worstFirst(list)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestAligned(t *testing.T) {
	lines := func(texts ...string) []diffLine {
		var out []diffLine
		for _, text := range texts {
			out = append(out, diffLine{Op: text[0], Text: text[1:]})
		}
		compareLines(out)
		return out
	}
	show := func(list []diffLine) []string {
		var out []string
		for _, l := range list {
			if l.Gap {
				out = append(out, string(l.Op)+"gap")
			} else {
				out = append(out, string(l.Op)+l.Text)
			}
		}
		return out
	}
	for _, tt := range []struct{ lines, want []string }{
		{[]string{"-replicas: 1", "-name: web", "+paused: true", "+name: api"}, []string{"-replicas: 1", "-name: web", "+paused: true", "+name: api"}},
		{[]string{"-name: web", "+a: {}", "+b: []", "+name: api", "+z"}, []string{"-gap", "-gap", "-name: web", "-gap", "+a: {}", "+b: []", "+name: api", "+z"}},
		{[]string{"-x", "-name: web", "+name: api"}, []string{"-x", "-name: web", "+gap", "+name: api"}},
		{[]string{"+a"}, []string{"+a"}},
		{[]string{"-a"}, []string{"-a"}},
	} {
		if got := show(aligned(lines(tt.lines...))); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.lines, got, tt.want)
		}
	}
}

func TestPodsOfARejectedPolicy(t *testing.T) {
	o := report.Outcome{State: report.StatePolicyRefused, Allowed: true}
	if got := madeState(report.Made{Outcome: o}); got != Admitted {
		t.Errorf("admitted Pods look %s", got)
	}
	o.Allowed = false
	if got := madeState(report.Made{Outcome: o}); got != Denied {
		t.Errorf("denied Pods look %s", got)
	}
}
