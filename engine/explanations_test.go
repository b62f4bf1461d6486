package engine

import (
	"context"
	"encoding/json"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/answer/findings"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// TestExplanationsChangeNothing evaluates every vector with and without
// explanations. The reports are the same but for the explanations, and those
// account for every unit of cost.
func TestExplanationsChangeNothing(t *testing.T) {
	explained := 0
	files, atLeast := vectorFiles(t), 500
	if runtime.GOOS == "js" { // natively all of them
		files = everyFourth(files)
		atLeast = 125
	}
	for _, path := range files {
		if spendsBudget(path) {
			continue
		}
		v := readVector(t, path)
		for i, r := range v.Requests {
			if i > 2 && i < len(v.Requests)-1 {
				continue // the policies are the same; this test need not take minutes
			}
			s := scenarioOf(t, v, r)
			with, err := Evaluate(context.Background(), s, Options{Safety: true, Explain: true})
			if err != nil {
				t.Fatal(err)
			}
			without, err := Evaluate(context.Background(), s, Options{Safety: true})
			if err != nil {
				t.Fatal(err)
			}
			name := strings.TrimPrefix(path, vectorsRoot+"/") + " " + r.Name
			every(with, func(e *report.Evaluation) {
				explained += checkExplanation(t, name, s.Policies, e)
				e.Children, e.Notes, e.Decisive = nil, nil, nil
			})
			every(without, func(e *report.Evaluation) {
				if len(e.Children) > 0 {
					t.Errorf("%s: explained without being asked", name)
				}
				e.Notes, e.Decisive = nil, nil
			})
			for _, r := range []*report.Report{with, without} {
				r.Diagnostics = slices.DeleteFunc(r.Diagnostics, func(d diag.Diagnostic) bool {
					return slices.Contains(ofEffects, d.Code) || slices.Contains(ofFailures, d.Code) || d.Code == codes.CELRuntime || findings.Waits(d.Code) || d.Code == codes.UnescapedKey || d.Code == codes.MissingParent || d.Code == codes.PatchOperation
				})
				for i := range r.Diagnostics {
					// What was seen before the request tells what comes of it, and may get a repair from that.
					switch d := &r.Diagnostics[i]; d.Code {
					case codes.TypeChecking, codes.WrongOperandType, codes.ImpossibleIndex, codes.FailingConstant, codes.DoubtfulText:
						d.Related, d.Fixes = nil, nil
					}
				}
			}
			if a, b := asJSON(t, with), asJSON(t, without); a != b {
				t.Errorf("%s: reports differ\n%s\n%s", name, a, b)
			}
		}
	}
	if explained < atLeast {
		t.Errorf("only %d evaluations were explained", explained)
	}
}

// ofFailures are the codes of why a policy failed for the kind of the request, which is looked for
// with explanations only where its rules name no kind.
var ofFailures = []string{codes.UnknownObjectField, codes.LiteralUnknownField, codes.LiteralTypeName, codes.LiteralWrongType, codes.LiteralAtomic}

// ofEffects are the codes of what had no effect, which is looked for with explanations only.
var ofEffects = []string{codes.NotRFC6902, codes.SelectorNotApplied, codes.NearlyMatches, codes.AnnotationAlways, codes.NoChange, codes.DroppedValue,
	codes.NearName, codes.RuleWithoutValue, codes.KeepsObject, codes.WebhookPatch, codes.NotStored, codes.BeingDeleted, codes.GrantNotCompared, codes.QuotaCountsNothing}

func everyFourth(paths []string) []string {
	var out []string
	for i := 0; i < len(paths); i += 4 {
		out = append(out, paths[i])
	}
	return out
}

// every calls f with every evaluation of a report.
func every(r *report.Report, f func(*report.Evaluation)) {
	for i := range r.Steps {
		r.Steps[i].Evaluations(f)
	}
	if r.Expression != nil {
		f(r.Expression)
	}
}

// checkExplanation returns 1 for an evaluation that is explained.
func checkExplanation(t *testing.T, name, policies string, e *report.Evaluation) int {
	t.Helper()
	if !e.Evaluated {
		return 0
	}
	if len(e.Children) == 0 && e.Cost > 100_000 {
		return 0 // an expensive run may be left unexplained
	}
	if len(e.Children) == 0 {
		t.Errorf("%s: %s is not explained", name, e.Expression)
		return 0
	}
	var check func(report.Node) int64
	check = func(n report.Node) int64 {
		if n.Span.Start < e.Span.Start || n.Span.End > e.Span.End || n.Span.End > len(policies) {
			t.Errorf("%s: %s: node %v lies outside of %v", name, e.Expression, n.Span, e.Span)
		}
		total := n.Cost
		for _, child := range n.Children {
			total += check(child)
		}
		return total
	}
	if cost := check(e.Children[0]); cost != e.Cost {
		t.Errorf("%s: %s: the parts cost %d, the whole %d", name, e.Expression, cost, e.Cost)
	}
	// Other errors come from what is done with the value.
	if raised := errorsIn(e.Children); strings.Contains(e.Error, "resulted in error") && raised == 0 {
		t.Errorf("%s: %s: no part has the error %q", name, e.Expression, e.Error)
	}
	return 1
}

func errorsIn(list []report.Node) (count int) {
	for _, n := range list {
		if n.Error != "" {
			count++
		}
		count += errorsIn(n.Children)
	}
	return count
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// BenchmarkExplanations compares evaluation without and with explanations.
func BenchmarkExplanations(b *testing.B) {
	for _, name := range []string{"mutate/m09-sidecar-merge.yaml", "validate/replica-limit.yaml"} {
		v := readVector(b, vectorsRoot+"/"+name)
		s := scenarioOf(b, v, v.Requests[0])
		for what, options := range map[string]Options{"without": {Safety: true}, "with": Everything()} {
			b.Run(name+"/"+what, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := Evaluate(context.Background(), s, options); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
