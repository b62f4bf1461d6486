package eval

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/preadmit/preadmit/engine/internal/cel/celgen"
)

// TestTracingChangesNothing compares the traced evaluation of generated
// expressions with the ordinary one: value or error, and cost.
func TestTracingChangesNothing(t *testing.T) {
	for _, minor := range []string{"1.30", "1.37"} {
		compiler := environments(t, minor).NewCompiler(Run, false, true)
		compiled, failing := 0, 0
		for seed := range generated(1200) {
			g := celgen.New(seed)
			c := compiler.Compile(g.Bool(1+int(seed%5)), VariableValue)
			if !c.OK() {
				continue
			}
			compiled++
			p := NewEvaluator(context.Background(), Options{Trace: true}).NewListRun(Inputs{Object: celgen.Object()}, nil, Budget)
			r := p.Run(c)
			if r.Err != "" {
				failing++
			}
			sameAsTrace(t, r)
		}
		if enough := int(generated(1200)) * 2 / 3; compiled < enough || failing < enough/8 {
			t.Errorf("%d expressions compiled, %d failed", compiled, failing)
		}
	}
}

// generated is how many expressions are made: a fifth of them in a short run, as under
// js/wasm, where all take a minute.
func generated(n uint64) uint64 {
	if testing.Short() {
		return n / 5
	}
	return n
}

// sameAsTrace compares a run with its trace in every respect.
func sameAsTrace(t *testing.T, r Result) {
	t.Helper()
	if r.Trace == nil {
		t.Errorf("%s: no trace: value %v, error %q, cost %d", r.Expression, r.Value, r.CELErr, r.Cost)
		return
	}
	if got, want := describe(jsonValue(r.Trace.Value)), describe(jsonValue(r.Value)); r.Err == "" && got != want {
		t.Errorf("%s: traced %s, want %s", r.Expression, got, want)
	}
	if r.Err != "" && (r.Trace.Err == nil || r.Trace.Err.Error() != r.CELErr) {
		t.Errorf("%s: traced error %v, want %s", r.Expression, r.Trace.Err, r.CELErr)
	}
	if int64(r.Trace.Cost) != r.Cost {
		t.Errorf("%s: traced cost %d, want %d", r.Expression, r.Trace.Cost, r.Cost)
	}
	// The root's cost is the whole; no part costs more than the part around it
	// spends in all.
	root := r.Trace.Records[r.Trace.Tree.Root.Index]
	if root.Cost != r.Trace.Cost {
		t.Errorf("%s: root costs %d of %d", r.Expression, root.Cost, r.Trace.Cost)
	}
	for _, n := range r.Trace.Tree.Nodes {
		sum := uint64(0)
		for _, child := range n.Children {
			sum += r.Trace.Records[child.Index].Cost
		}
		if rec := r.Trace.Records[n.Index]; sum > rec.Cost {
			source := []rune(r.Expression)
			t.Errorf("%s: %s costs %d, its parts %d", r.Expression, string(source[n.Start:n.End]), rec.Cost, sum)
		}
	}
}

func describe(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

// Showing the variables computes none, and a traced run reads what the first
// run computed without counting.
func TestTracingComputesNoVariables(t *testing.T) {
	c := environments(t, "1.37").NewCompiler(Run, false, true)
	c.AddVariable(Declaration{"used", "object.n + 1"})
	c.AddVariable(Declaration{"unused", "object.n + 2"})
	c.AddVariable(Declaration{"broken", "object.nope"})
	p := NewEvaluator(context.Background(), Options{Trace: true}).NewListRun(Inputs{Object: celgen.Object()}, c.Variables, Budget)
	r := p.Run(c.Compile("variables.used == 4 && variables.used > 1", Condition))
	sameAsTrace(t, r)
	for _, n := range r.Trace.Tree.Nodes {
		for _, run := range r.Trace.Records[n.Index].Runs {
			if run.Err == nil {
				Preview(run.Value(), PreviewLeaves)
			}
		}
	}
	if len(p.Variables) != 1 || p.Variables[0].Reads != 2 || len(r.Used) != 2 {
		t.Errorf("%d variables, %d reads, used %v", len(p.Variables), p.Variables[0].Reads, r.Used)
	}
	r = p.Run(c.Compile("variables.broken == 1", Condition))
	sameAsTrace(t, r)
}

// A call that breaks its limit stops at the same cost when it is traced, and
// keeps no more than the capped number of runs.
func TestTraceOfALongLoop(t *testing.T) {
	c := environments(t, "1.37").NewCompiler(Run, false, true)
	p := NewEvaluator(context.Background(), Options{Trace: true}).NewListRun(Inputs{Object: celgen.Object()}, nil, Budget)
	r := p.Run(c.Compile("object.list.map(a, lists.range(100).all(b, object.list.all(c, lists.range(2000).all(d, a + b + c + d >= 0)))) == []", Condition))
	if !r.Exceeded {
		t.Fatalf("cost %d", r.Cost)
	}
	sameAsTrace(t, r)
	interrupted := 0
	for i, n := range r.Trace.Tree.Nodes {
		rec := r.Trace.Records[i]
		if rec.Interrupted {
			interrupted++
		}
		if len(rec.Runs) > 16 || n.Name == "d" && rec.Count > 0 && rec.Count < 10000 {
			t.Errorf("node %d keeps %d of %d runs", i, len(rec.Runs), rec.Count)
		}
	}
	if interrupted < 5 {
		t.Errorf("%d parts were interrupted", interrupted)
	}
}
