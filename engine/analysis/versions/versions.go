// Package versions runs one scenario on every Kubernetes version and reports
// where the answers differ.
package versions

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/internal/guard"
	"github.com/preadmit/preadmit/engine/internal/kube/diff"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Difference is one thing that is not the same on all versions.
type Difference struct {
	// Kind is one of differenceKinds.
	Kind string `json:"kind"`
	// Policy is the policy or webhook whose step it concerns.
	Policy string `json:"policy,omitempty"`
	// What names it: "outcome", "refusal of ValidatingAdmissionPolicy x",
	// "cost of x, validation 1".
	What string `json:"what"`
	// Values are in the order of versions; neighbours with the same value are
	// one entry.
	Values []Value `json:"values"`
}

// differenceKinds are the kinds of differences, the most important first.
var differenceKinds = []string{"outcome", "refusal", "warning", "annotation", "step", "error", "input", "object", "cost"}

// Value is what a run of versions has in common.
type Value struct {
	// From and To are the first and the last of the versions.
	From  string `json:"from"`
	To    string `json:"to"`
	Value string `json:"value"`
}

// Run evaluates a scenario on every version, oldest first.
func Run(ctx context.Context, s scenario.Scenario) (_ []*report.Report, err error) {
	defer guard.Error(&err)
	if s.Now == "" {
		s.Now = time.Now().UTC().Format(time.RFC3339) // the same for all
	}
	var reports []*report.Report
	for _, version := range scenario.Versions() {
		s.Kubernetes = version
		r, err := engine.Evaluate(ctx, s, engine.Options{Safety: true})
		if err != nil {
			return nil, fmt.Errorf("Kubernetes %s: %w", version, err)
		}
		reports = append(reports, r)
	}
	return reports, nil
}

// Differences compares the reports of one scenario. An object that the chain
// receives in another form is none by itself: see Compare for its effects.
func Differences(reports []*report.Report) []Difference {
	return slices.DeleteFunc(compare(reports), func(d Difference) bool { return d.Kind == "input" })
}

func compare(reports []*report.Report) []Difference {
	t := table{reports: reports, rows: map[string]int{}}
	for i, r := range reports {
		t.add(i, "outcome", "outcome", outcome(r))
		for _, w := range r.Outcome.Warnings {
			t.add(i, "warning", fmt.Sprintf("warning %q", w), "given")
		}
		for _, in := range r.Install {
			if in.Code != 0 {
				t.add(i, "refusal", "creation of "+in.Kind+" "+in.Name, "rejected: "+in.Message)
			}
		}
		for key, value := range r.Outcome.AuditAnnotations {
			t.add(i, "annotation", "audit annotation "+key, value)
		}
		t.steps(i, r)
		t.add(i, "input", "object as the admission chain receives it", t.object(i, func(r *report.Report) map[string]any { return r.Input }))
		t.add(i, "object", "object", t.object(i, func(r *report.Report) map[string]any { return r.Object }))
	}
	return t.differences()
}

func outcome(r *report.Report) string {
	if r.Request == nil {
		return "no request"
	}
	if r.Outcome.Allowed {
		return "admitted"
	}
	return fmt.Sprintf("denied %d %s: %s", r.Outcome.Code, r.Outcome.Reason, r.Outcome.Message)
}

// table collects a value for each thing and version. What a version does not
// have stays "".
type table struct {
	reports []*report.Report
	list    []row
	rows    map[string]int
}

type row struct {
	kind, what, policy string
	values             []string
}

func (t *table) add(version int, kind, what, value string) {
	t.addFor("", version, kind, what, value)
}

func (t *table) addFor(policy string, version int, kind, what, value string) {
	key := kind + "\x00" + what
	i, ok := t.rows[key]
	if !ok {
		i = len(t.list)
		t.rows[key] = i
		t.list = append(t.list, row{kind, what, policy, make([]string, len(t.reports))})
	}
	t.list[i].values[version] = value
}

// steps adds the state of every step, and the costs and errors of its
// expressions.
func (t *table) steps(version int, r *report.Report) {
	for i := range r.Steps {
		s := &r.Steps[i]
		name := stepName(s)
		policy, reported := s.Policy+s.Webhook, false
		t.addFor(policy, version, "step", name, strings.TrimSpace(string(s.Status)+" "+string(s.Verdict)))
		s.Evaluations(func(e *report.Evaluation) {
			what := name + ", " + expressionName(e)
			if e.Evaluated {
				t.addFor(policy, version, "cost", "cost of "+what, fmt.Sprint(e.Cost))
			}
			if e.Error != "" {
				reported = true
				t.addFor(policy, version, "error", what, "error: "+e.Error)
			}
		})
		if s.Error != "" && !reported {
			t.addFor(policy, version, "error", name, "error: "+s.Error)
		}
	}
}

func stepName(s *report.Step) string {
	parts := []string{s.Policy + s.Webhook}
	if s.Binding != "" && s.Binding != s.Policy {
		parts = append(parts, s.Binding)
	}
	if s.Param != "" {
		parts = append(parts, s.Param)
	}
	if s.Pass > 0 && s.Phase == report.Mutating {
		parts = append(parts, "pass 2")
	}
	return strings.Join(parts, " / ")
}

// expressionName is the field of an expression, and of a variable the part of
// the policy that computed it.
func expressionName(e *report.Evaluation) string {
	name := e.Path
	if name == "" {
		name = e.Name
	}
	if e.List != "" && strings.Contains(name, "variables[") {
		name += " (" + string(e.List) + ")"
	}
	return name
}

// object describes an object of a report by its difference to the newest
// version's.
func (t *table) object(version int, of func(*report.Report) map[string]any) string {
	newest := t.reports[len(t.reports)-1]
	mine, theirs := of(t.reports[version]), of(newest)
	switch {
	case diff.Equal(any(mine), any(theirs)):
		return "as on " + newest.Kubernetes
	case mine == nil:
		return "none"
	case theirs == nil:
		raw, err := scenario.YAML(mine)
		if err != nil {
			return fmt.Sprintf("cannot be shown: %v", err)
		}
		return string(raw)
	}
	var parts []string
	for _, op := range diff.Objects(theirs, mine) {
		part := op.Op + " " + op.Path
		if op.Op != "remove" {
			part += " " + short(op.Value)
		}
		parts = append(parts, part)
	}
	return "compared with " + newest.Kubernetes + ": " + strings.Join(parts, ", ")
}

func short(v any) string {
	if v == nil {
		return "null"
	}
	s := fmt.Sprint(v)
	if len(s) > 60 {
		return s[:60] + "…"
	}
	return s
}

// absent are the words for a version that does not have a thing. Costs have
// none: where a step does not run, that is reported already.
var absent = map[string]string{
	"refusal": "accepted", "warning": "not given", "step": "does not run", "error": "no error",
	"annotation": "not published",
}

func (t *table) differences() []Difference {
	var out []Difference
	for _, r := range t.list {
		d := Difference{Kind: r.kind, What: r.what, Policy: r.policy}
		for i, v := range r.values {
			version := t.reports[i].Kubernetes
			if v == "" {
				v = absent[r.kind]
			}
			if v == "" {
				continue
			}
			if last := len(d.Values) - 1; last >= 0 && d.Values[last].Value == v {
				d.Values[last].To = version
				continue
			}
			d.Values = append(d.Values, Value{version, version, v})
		}
		if len(d.Values) > 1 {
			out = append(out, d)
		}
	}
	slices.SortStableFunc(out, func(a, b Difference) int {
		return slices.Index(differenceKinds, a.Kind) - slices.Index(differenceKinds, b.Kind)
	})
	return out
}
