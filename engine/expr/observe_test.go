package expr

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/preadmit/preadmit/engine/internal/celgen"
)

// TestTracingChangesNothing compares the traced evaluation of generated
// expressions with the ordinary one: value or error, and cost.
func TestTracingChangesNothing(t *testing.T) {
	for _, minor := range []string{"1.30", "1.37"} {
		compiler := environments(t, minor).NewCompiler(Run, false, true)
		compiled, failing := 0, 0
		for seed := range uint64(1200) {
			g := celgen.New(seed)
			c := compiler.Compile(g.Bool(1+int(seed%5)), VariableValue)
			if !c.OK() {
				continue
			}
			compiled++
			p := NewPass(WithTrace(context.Background(), true), Inputs{Object: celgen.Object()}, nil, Budget)
			r := p.Run(c)
			if r.Err != "" {
				failing++
			}
			sameAsTrace(t, r)
		}
		if compiled < 800 || failing < 100 {
			t.Errorf("%d expressions compiled, %d failed", compiled, failing)
		}
	}
}

// sameAsTrace compares a run with its trace in every respect.
func sameAsTrace(t *testing.T, r Result) {
	t.Helper()
	if r.Trace == nil {
		t.Errorf("%s: no trace: value %v, error %q, cost %d", r.Expression, r.Value, r.CELErr, r.Cost)
		return
	}
	if got, want := describe(JSON(r.Trace.Value)), describe(JSON(r.Value)); r.Err == "" && got != want {
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
