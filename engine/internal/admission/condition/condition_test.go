package condition

import (
	"context"
	"fmt"
	"testing"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/explain"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// The cases are those of semantics §13.1.
func TestEvaluate(t *testing.T) {
	const failing, failing2 = "object.nope == 1", "object.nope2 == 1"
	const text = "expression 'object.nope == 1' resulted in error: no such key: nope"
	const text2 = "expression 'object.nope2 == 1' resulted in error: no such key: nope2"
	for _, test := range []struct {
		name        string
		expressions []string
		ignore      bool
		matches     bool
		excluding   string
		err         string
	}{
		{name: "single match", expressions: []string{"true"}, matches: true},
		{name: "none", matches: true},
		{name: "two match", expressions: []string{"true", "true"}, matches: true},
		{name: "first false named", expressions: []string{"false", "false"}, excluding: "c0"},
		{name: "last false", expressions: []string{"true", "false"}, excluding: "c1"},
		{name: "false beats errors", expressions: []string{"true", failing, "false", "true", failing}, excluding: "c2"},
		{name: "false beats later errors", expressions: []string{"false", failing}, excluding: "c0"},
		{name: "error", expressions: []string{"true", failing}, err: text},
		{name: "error ignored", expressions: []string{"true", failing}, ignore: true},
		{name: "two errors", expressions: []string{failing, failing2}, err: "[" + text + ", " + text2 + "]"},
		{name: "the same error twice", expressions: []string{failing, failing}, err: text},
		{name: "budget beats false", expressions: append([]string{"false"}, costly(30)...), err: eval.OutOfBudget},
		{name: "budget ignored", expressions: append([]string{"false"}, costly(30)...), ignore: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			e, err := eval.NewSet().ForVersion(version.MustParse("1.37"))
			if err != nil {
				t.Fatal(err)
			}
			compiler := e.NewCompiler(eval.Run, false, false)
			var list []Condition
			for i, x := range test.expressions {
				list = append(list, Condition{Source: explain.Source{Name: fmt.Sprintf("c%d", i)}, Compiled: compiler.Compile(x, eval.Condition)})
			}
			object := map[string]any{"list": numbers(300)}
			got := Evaluate(eval.NewEvaluator(context.Background(), eval.Options{}), list, nil, eval.Inputs{Object: object}, test.ignore)
			if got.Matches != test.matches || got.Excluding != test.excluding || got.Err != test.err {
				t.Errorf("matches %v, excluded by %q, error %q", got.Matches, got.Excluding, got.Err)
			}
			if len(got.Evaluations) != len(list) {
				t.Errorf("%d evaluations of %d conditions", len(got.Evaluations), len(list))
			}
		})
	}
}

// TestCost: what the conditions of one policy cost together is charged to a budget of their own, errors
// included, and what goes on with "does not match" keeps the server's text (semantics §2.2, §3).
func TestCost(t *testing.T) {
	e, err := eval.NewSet().ForVersion(version.MustParse("1.37"))
	if err != nil {
		t.Fatal(err)
	}
	compiler := e.NewCompiler(eval.Run, false, true)
	compiler.AddVariable(eval.Declaration{Name: "three", Expression: "1 + 2"})
	for _, test := range []struct {
		name        string
		expressions []string
		ignore      bool
		used        int64
		exceeded    bool
		ignored     string
		values      int // of variables
	}{
		{name: "no condition costs nothing"},
		{name: "one", expressions: []string{"object.a == 1"}, used: 3},
		{name: "two", expressions: []string{"object.a == 1", "object.a == 1"}, used: 6},
		{name: "what fails ignored", expressions: []string{"object.nope == 1"}, ignore: true, used: 3, ignored: "expression 'object.nope == 1' resulted in error: no such key: nope"},
		{name: "the budget ignored", expressions: costly(7), ignore: true, used: 1895409, exceeded: true, ignored: eval.OutOfBudget},
		{name: "with a variable", expressions: []string{"variables.three == 3"}, used: 4, values: 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			var list []Condition
			for i, x := range test.expressions {
				list = append(list, Condition{Source: explain.Source{Name: fmt.Sprintf("c%d", i)}, Compiled: compiler.Compile(x, eval.Condition)})
			}
			got := Evaluate(eval.NewEvaluator(context.Background(), eval.Options{}), list, compiler.Variables, eval.Inputs{Object: map[string]any{"a": int64(1), "list": numbers(300)}}, test.ignore)
			if got.Used != test.used || got.Exceeded != test.exceeded || got.Ignored != test.ignored || len(got.Variables) != test.values {
				t.Errorf("used %d, exceeded %v, ignored %q, %d variables", got.Used, got.Exceeded, got.Ignored, len(got.Variables))
			}
		})
	}
}

// costly gives n different conditions of several hundred thousand units each.
func costly(n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("object.list.all(a, object.list.all(b, a + b >= %d))", -i))
	}
	return out
}

func numbers(n int) []any {
	list := make([]any, n)
	for i := range list {
		list[i] = int64(i)
	}
	return list
}
