package eval

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"
	"gopkg.in/inf.v0"
	"k8s.io/apimachinery/pkg/api/resource"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/preadmit/preadmit/engine/internal/budget"
)

// The server's cost model charges a few functions for what they read and not for
// what they make, and the time of arithmetic with quantities depends on an
// exponent that is nine digits long in the text. There the real server runs out of
// memory, or does not come back. The guards here are ours: they stop such a call
// before it is made, and the run with it.

// Limits of single calls.
const (
	// MaxMadeBytes is the longest string that one call may make.
	MaxMadeBytes = 16 << 20
	// MaxQuantityDigits is how many decimal digits arithmetic with quantities may
	// need.
	MaxQuantityDigits = 100_000
)

// stopped begins the message of an evaluation that a guard stopped.
const stopped = "Preadmit stops here: "

// stop ends the evaluation. cel-go makes it the error of the whole expression,
// which no operator absorbs.
func stop(format string, args ...any) {
	panic(interpreter.EvalCancelledError{Message: stopped + fmt.Sprintf(format, args...)})
}

// tooLarge ends a run that a guard stopped; err is that of the evaluation.
func tooLarge(b *budget.Budget, err error) {
	var canceled interpreter.EvalCancelledError
	if errors.As(err, &canceled) && strings.HasPrefix(canceled.Message, stopped) {
		b.TooLarge(strings.TrimPrefix(canceled.Message, stopped))
	}
}

// guard is a check in front of a function.
type guard struct {
	function, overload string
	args               []*cel.Type
	result             *cel.Type
	check              func(args []ref.Val)
}

var guards = []guard{
	{"replace", "string_replace_string_string", []*cel.Type{cel.StringType, cel.StringType, cel.StringType}, cel.StringType, checkReplace},
	{"replace", "string_replace_string_string_int", []*cel.Type{cel.StringType, cel.StringType, cel.StringType, cel.IntType}, cel.StringType, checkReplace},
	{"join", "list_join", []*cel.Type{cel.ListType(cel.StringType)}, cel.StringType, checkJoin},
	{"join", "list_join_string", []*cel.Type{cel.ListType(cel.StringType), cel.StringType}, cel.StringType, checkJoin},
	{"format", "string_format", []*cel.Type{cel.StringType, cel.ListType(cel.DynType)}, cel.StringType, checkFormat},
	{"isGreaterThan", "quantity_is_greater_than", quantities, cel.BoolType, checkQuantities},
	{"isLessThan", "quantity_is_less_than", quantities, cel.BoolType, checkQuantities},
	{"compareTo", "quantity_compare_to", quantities, cel.IntType, checkQuantities},
	{"asApproximateFloat", "quantity_get_float", quantities[:1], cel.DoubleType, checkQuantities},
	{"asInteger", "quantity_get_int", quantities[:1], cel.IntType, checkQuantities},
	{"isInteger", "quantity_is_integer", quantities[:1], cel.BoolType, checkQuantities},
	{"add", "quantity_add", quantities, apiservercel.QuantityType, checkQuantities},
	{"add", "quantity_add_int", []*cel.Type{apiservercel.QuantityType, cel.IntType}, apiservercel.QuantityType, checkQuantities},
	{"sub", "quantity_sub", quantities, apiservercel.QuantityType, checkQuantities},
	{"sub", "quantity_sub_int", []*cel.Type{apiservercel.QuantityType, cel.IntType}, apiservercel.QuantityType, checkQuantities},
}

var quantities = []*cel.Type{apiservercel.QuantityType, apiservercel.QuantityType}

// guarded puts the guards in front of the functions that an environment has.
func guarded(base *cel.Env) ([]cel.EnvOption, error) {
	var out []cel.EnvOption
	for _, g := range guards {
		if !hasOverload(base, g.function, g.overload) {
			continue // a library that the version does not have
		}
		call, err := callOf(base, g.function, g.overload)
		if err != nil {
			return nil, err
		}
		checked := func(args ...ref.Val) ref.Val {
			g.check(args)
			return call(args...)
		}
		// A call that fails costs by the form of its binding.
		var binding cel.OverloadOpt
		switch {
		case len(g.args) == 1:
			binding = cel.UnaryBinding(func(v ref.Val) ref.Val { return checked(v) })
		case len(g.args) == 2 && g.function != "format":
			binding = cel.BinaryBinding(func(a, b ref.Val) ref.Val { return checked(a, b) })
		default:
			binding = cel.FunctionBinding(checked)
		}
		out = append(out, cel.Function(g.function, cel.MemberOverload(g.overload, g.args, g.result, binding)))
	}
	return out, nil
}

func hasOverload(env *cel.Env, function, overload string) bool {
	f, ok := env.Functions()[function]
	if !ok {
		return false
	}
	for _, o := range f.OverloadDecls() {
		if o.ID() == overload {
			return true
		}
	}
	return false
}

func checkReplace(args []ref.Val) {
	text, from, to := stringOf(args[0]), stringOf(args[1]), stringOf(args[2])
	grows := len(to) - len(from)
	if grows <= 0 {
		return
	}
	n := len(text) + 1
	if from != "" {
		n = strings.Count(text, from)
	} else if utf8.ValidString(text) {
		n = utf8.RuneCountInString(text) + 1
	}
	if len(args) > 3 {
		if limit, ok := args[3].(types.Int); ok && limit >= 0 {
			n = min(n, int(limit))
		}
	}
	checkMade("replace", len(text)+n*grows)
}

func checkJoin(args []ref.Val) {
	separator := 0
	if len(args) > 1 {
		separator = len(stringOf(args[1]))
	}
	made := 0
	list, ok := args[0].(traits.Lister)
	if !ok {
		return
	}
	for it := list.Iterator(); it.HasNext() == types.True; {
		made += len(stringOf(it.Next())) + separator
		checkMade("join", made)
	}
}

func checkFormat(args []ref.Val) {
	list, ok := args[1].(traits.Lister)
	if !ok {
		return
	}
	made := len(stringOf(args[0]))
	for it := list.Iterator(); it.HasNext() == types.True; {
		made = written(it.Next(), made, 0)
	}
}

// written adds what a value is as text, about, and stops at the limit.
func written(v ref.Val, made, depth int) int {
	made += 8
	switch v := v.(type) {
	case types.String:
		made += len(v)
	case types.Bytes:
		made += len(v)
	case traits.Lister:
		for it := v.Iterator(); it.HasNext() == types.True; {
			made = written(it.Next(), made, depth+1)
		}
	case traits.Mapper:
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			made = written(key, made, depth+1)
			if value, found := v.Find(key); found {
				made = written(value, made, depth+1)
			}
		}
	}
	checkMade("format", made)
	return made
}

func checkMade(function string, bytes int) {
	if bytes > MaxMadeBytes {
		stop("a call of %s would make a text of more than %d MiB; the API server makes it, and may run out of memory", function, MaxMadeBytes>>20)
	}
}

func stringOf(v ref.Val) string {
	s, _ := v.(types.String)
	return string(s)
}

// checkQuantities stops arithmetic between numbers so far apart that writing one
// of them out in digits takes minutes.
func checkQuantities(args []ref.Val) {
	low, high := inf.Scale(0), inf.Scale(0) // whole numbers are what the others are compared with
	for _, v := range args {
		q, ok := v.Value().(*resource.Quantity)
		if !ok {
			continue
		}
		plain := q.DeepCopy()
		scale := plain.AsDec().Scale()
		low, high = min(low, scale), max(high, scale)
	}
	if int64(high)-int64(low) > MaxQuantityDigits {
		stop("arithmetic with a quantity of more than %d digits; the API server computes them all, and does not answer for minutes", MaxQuantityDigits)
	}
}

// meter charges the calls of an expression to the budget of the run that
// evaluates it. It sees what the cost tracker sees: every call, with its result.
type meter struct {
	interpreter.ActualCostEstimator // nil where all costs are those of CEL
	compiled                        *Compiled
}

// CallCost implements interpreter.ActualCostEstimator.
func (m *meter) CallCost(function, overload string, args []ref.Val, result ref.Val) *uint64 {
	if b := m.compiled.running; b != nil {
		work := 2
		for _, a := range args {
			work += weight(a) / 64
		}
		b.Work(work)
		if function != "_+_" { // of lists, it only remembers both
			b.Make(weight(result))
		} else if s, ok := result.(types.String); ok {
			b.Make(len(s))
		}
	}
	if m.ActualCostEstimator == nil {
		return nil
	}
	return m.ActualCostEstimator.CallCost(function, overload, args, result)
}

// weight is about how many bytes a value takes, without what is in its items.
func weight(v ref.Val) int {
	switch v := v.(type) {
	case types.String:
		return len(v)
	case types.Bytes:
		return len(v)
	case traits.Lister:
		if n, ok := v.Size().(types.Int); ok {
			return 16 * int(n)
		}
	}
	return 0
}
