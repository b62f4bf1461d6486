package differential

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sort"
	"strings"

	"github.com/preadmit/preadmit/conformance/wire"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// A Difference is one disagreement between the engine and the reference.
type Difference struct {
	// subject: allowed, message, object, cost ...
	What              string
	Reference, Engine string
}

// String shows both, one below the other.
func (d Difference) String() string {
	return fmt.Sprintf("%s\n  reference: %s\n  engine:    %s", d.What, d.Reference, d.Engine)
}

// comparison collects differences and counts comparisons.
type comparison struct {
	differences []Difference
	counts      map[string]int
}

func (c *comparison) check(what string, reference, engine any) {
	if !reflect.DeepEqual(reference, engine) {
		c.differences = append(c.differences, Difference{what, show(reference), show(engine)})
	}
}

func show(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}

// crashedBefore reports whether the report names a patch release before which the request crashes
// the API server. The engine simulates a minor version's newest patch release; the reference may be
// older.
func crashedBefore(r *report.Report) bool {
	for _, s := range r.Steps {
		for _, m := range s.Mutations {
			if slices.ContainsFunc(m.Notes, func(n report.Note) bool {
				return n.Code == codes.ServerPanic && strings.HasPrefix(n.Text, "Before Kubernetes ")
			}) {
				return true
			}
		}
	}
	return false
}

// Compare lists where the engine's report differs from the reference's response, and counts the
// comparisons.
func Compare(a wire.Answer, r *report.Report, counts map[string]int) []Difference {
	c := &comparison{counts: counts}
	c.installation(a.Install, r.Install)
	if r.Request == nil && a.Code == 0 && a.Error == "" {
		return c.differences // documents without a request
	}
	if RefusedByDefinition(r) {
		c.counts["outcome: refused by the object's definition, which the reference does not ask"]++
		return c.differences
	}
	if isPanic(a) && crashedBefore(r) {
		c.counts["outcome: the server panics, and its newest patch release does not"]++
		return c.differences
	}
	if isPanic(a) {
		c.counts["outcome: the server panics"]++
		c.check("panic", true, r.Outcome.Panic)
		return c.differences
	}
	c.outcome(a, r.Outcome)
	if a.Allowed {
		c.counts["objects"]++
		c.object("object", plain(a.Object), plain(r.Object))
	}
	c.runs(withExpressions(a.Runs), runs(r))
	return c.differences
}

// RefusedByDefinition reports whether the CustomResourceDefinition's schema or rules rejected the
// object between the mutating and the validating phase. The reference only runs admission and no
// registry, so it has nothing to compare.
func RefusedByDefinition(r *report.Report) bool {
	by := r.Outcome.DecidedBy
	return by >= 0 && by < len(r.Steps) && r.Steps[by].Kind == "CustomResourceDefinition"
}

// isPanic reports that the server's code panicked, which ends the request and counts as a response
// here.
func isPanic(a wire.Answer) bool { return strings.HasPrefix(a.Error, "panic: ") }

// object lists the places where two objects differ.
func (c *comparison) object(path string, reference, engine any) {
	switch r := reference.(type) {
	case map[string]any:
		if e, ok := engine.(map[string]any); ok {
			keys := map[string]bool{}
			for k := range r {
				keys[k] = true
			}
			for k := range e {
				keys[k] = true
			}
			for _, k := range slices.Sorted(maps.Keys(keys)) {
				c.object(path+"."+k, at(r, k), at(e, k))
			}
			return
		}
	case []any:
		if e, ok := engine.([]any); ok && len(e) == len(r) {
			for i := range r {
				c.object(fmt.Sprintf("%s[%d]", path, i), r[i], e[i])
			}
			return
		}
	}
	c.check(path, reference, engine)
}

// absent is at's result for a missing key, unlike null.
const absent = "(absent)"

func at(m map[string]any, key string) any {
	if v, ok := m[key]; ok {
		return v
	}
	return absent
}

// installation compares rejections and warnings. Unnamed documents are matched by order.
func (c *comparison) installation(reference []wire.Install, engine []report.Install) {
	index := map[string][]report.Install{}
	for _, i := range engine {
		key := i.Kind + "/" + i.Name
		index[key] = append(index[key], i)
	}
	for _, want := range reference {
		if want.Message != "" {
			c.counts["documents refused at installation"]++
		}
		c.counts["warnings at installation"] += len(want.Warnings)
		key := want.Kind + "/" + want.Name
		var got report.Install
		if list := index[key]; len(list) > 0 {
			got, index[key] = list[0], list[1:]
		}
		c.check("installation of "+key, want.Message, got.Message)
		c.check("code of the installation of "+key, want.Code, got.Code)
		c.check("warnings of the installation of "+key, sorted(want.Warnings), sorted(got.Warnings))
	}
	for key, list := range index {
		for _, got := range list {
			c.check("installation of "+key, "", got.Message)
			c.check("warnings of the installation of "+key, sorted(nil), sorted(got.Warnings))
		}
	}
}

func (c *comparison) outcome(a wire.Answer, o report.Outcome) {
	c.check("allowed", a.Allowed, o.Allowed)
	c.check("warnings", sorted(a.Warnings), sorted(o.Warnings))
	c.check("audit annotations", annotations(a.AuditAnnotations), annotations(o.AuditAnnotations))
	c.counts["warnings"] += len(a.Warnings)
	c.counts["audit annotations"] += len(a.AuditAnnotations)
	if a.Allowed {
		c.counts["outcome: allowed"]++
		if o.Mutated {
			c.counts["outcome: allowed, mutated"]++
		}
		return
	}
	c.counts[fmt.Sprintf("outcome: denied, %d %s", a.Code, a.Reason)]++
	c.check("code", a.Code, o.Code)
	c.check("reason", a.Reason, o.Reason)
	if !sameText(a.Message, o.Message) {
		c.check("message", a.Message, o.Message)
	}
	var details wire.Details
	if o.Details != nil {
		details = wire.Details(*o.Details)
	}
	c.check("details", a.Details, details)
	if !slices.EqualFunc(a.Causes, o.Causes, sameText) {
		c.check("causes", a.Causes, o.Causes)
	}
}

// runs compares the evaluations of all expression lists, in order.
func (c *comparison) runs(reference []wire.Run, engine []engineRun) {
	for i := range max(len(reference), len(engine)) {
		switch {
		case i >= len(reference):
			c.check("run", "", name(engine[i].Run))
			return
		case i >= len(engine):
			c.check("run", name(reference[i]), "")
			return
		case name(reference[i]) != name(engine[i].Run):
			c.check("run", name(reference[i]), name(engine[i].Run))
			return
		}
		c.run(reference[i], engine[i])
	}
}

// name identifies a run. A report counts passes of the whole chain, and the validating phase has
// only one.
func name(r wire.Run) string {
	if r.Phase == string(report.Validating) {
		r.Pass = 0
	}
	return fmt.Sprintf("%s pass %d, policy %s, param %q: %s %d", r.Phase, r.Pass, r.Policy, r.Param, r.List, r.Index)
}

// withExpressions drops the runs of empty lists.
func withExpressions(list []wire.Run) []wire.Run {
	var out []wire.Run
	for _, r := range list {
		if len(r.Costs) > 0 {
			out = append(out, r)
		}
	}
	return out
}

// run compares one list.
func (c *comparison) run(reference wire.Run, engine engineRun) {
	what := name(reference)
	c.counts["runs: "+reference.List]++
	if reference.BudgetCheck != "" {
		c.check("budget of "+what, reference.BudgetCheck, "")
	}
	c.check("abort of "+what, reference.Aborted, engine.Aborted)
	if reference.Aborted != "" {
		c.counts["runs that broke their budget"]++
		return
	}
	if sum(reference.Costs) > 0 {
		c.counts["budgets set to the cost, and to one less"]++
	}
	c.costs(what, reference, engine)
	for _, e := range reference.Errors {
		if e != "" {
			c.counts["errors of expressions"]++
		}
	}
	if reference.List == wire.Mutation && reference.Errors[0] == "" {
		return // there the engine has the patch's error, which is in the message too
	}
	c.check("errors of "+what, reference.Errors, engine.Errors)
}

// costs compares a list's costs. The reference's cost of an expression includes the variables that
// it read first; the engine's is the expression's own. Without variables both must be equal, with
// them the sums, and no cost may be lower in the reference.
func (c *comparison) costs(what string, reference wire.Run, engine engineRun) {
	c.counts["costs of expressions"] += len(reference.Costs)
	if engine.variables == 0 {
		c.check("costs of "+what, reference.Costs, engine.Costs)
		return
	}
	c.counts["runs with costs of variables"]++
	c.check("cost of "+what, sum(reference.Costs), sum(engine.Costs)+engine.variables)
	for i := range min(len(reference.Costs), len(engine.Costs)) {
		if engine.Costs[i] > reference.Costs[i] {
			c.check(fmt.Sprintf("cost of expression %d of %s", i, what), reference.Costs[i], engine.Costs[i])
		}
	}
}

func sum(list []int64) (n int64) {
	for _, v := range list {
		n += v
	}
	return n
}

func sorted(list []string) []string {
	out := append([]string{}, list...)
	sort.Strings(out)
	return out
}

func annotations(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}

// plain converts the object through JSON, so that numbers have one type.
func plain(object map[string]any) any {
	data, err := json.Marshal(object)
	if err != nil {
		return err.Error()
	}
	var out any
	if err := json.Unmarshal(data, &out); err != nil {
		return err.Error()
	}
	return out
}

// Object lists the places where two objects differ.
func Object(path string, reference, engine map[string]any) []Difference {
	c := &comparison{counts: map[string]int{}}
	c.object(path, plain(reference), plain(engine))
	return c.differences
}
