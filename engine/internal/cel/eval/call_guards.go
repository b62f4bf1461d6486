package eval

import (
	"errors"
	"fmt"
	"slices"
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

	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/internal/worklimit"
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
	MaxQuantityDigits = worklimit.MaxQuantityDigits
)

// stopped begins the message of an evaluation that a guard stopped.
const stopped = "Preadmit stops here: "

// stop ends the evaluation. cel-go makes it the error of the whole expression,
// which no operator absorbs.
func stop(format string, args ...any) {
	panic(interpreter.EvalCancelledError{Message: stopped + fmt.Sprintf(format, args...)})
}

// tooLarge ends a run that a guard stopped; err is that of the evaluation.
func tooLarge(b *worklimit.Budget, err error) {
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
	global             bool // no method
}

var guards = []guard{
	{"replace", "string_replace_string_string", []*cel.Type{cel.StringType, cel.StringType, cel.StringType}, cel.StringType, checkReplace, false},
	{"replace", "string_replace_string_string_int", []*cel.Type{cel.StringType, cel.StringType, cel.StringType, cel.IntType}, cel.StringType, checkReplace, false},
	{"join", "list_join", []*cel.Type{cel.ListType(cel.StringType)}, cel.StringType, checkJoin, false},
	{"join", "list_join_string", []*cel.Type{cel.ListType(cel.StringType), cel.StringType}, cel.StringType, checkJoin, false},
	{"format", "string_format", []*cel.Type{cel.StringType, cel.ListType(cel.DynType)}, cel.StringType, checkFormat, false},
	{function: "quantity", overload: "string_to_quantity", args: []*cel.Type{cel.StringType}, result: apiservercel.QuantityType, check: checkExponent, global: true},
	{function: "isQuantity", overload: "is_quantity_string", args: []*cel.Type{cel.StringType}, result: cel.BoolType, check: checkExponent, global: true},
	{"isGreaterThan", "quantity_is_greater_than", quantities, cel.BoolType, checkQuantities, false},
	{"isLessThan", "quantity_is_less_than", quantities, cel.BoolType, checkQuantities, false},
	{"compareTo", "quantity_compare_to", quantities, cel.IntType, checkQuantities, false},
	{"asApproximateFloat", "quantity_get_float", quantities[:1], cel.DoubleType, checkQuantities, false},
	{"asInteger", "quantity_get_int", quantities[:1], cel.IntType, checkQuantities, false},
	{"isInteger", "quantity_is_integer", quantities[:1], cel.BoolType, checkQuantities, false},
	{"add", "quantity_add", quantities, apiservercel.QuantityType, checkQuantities, false},
	{"add", "quantity_add_int", []*cel.Type{apiservercel.QuantityType, cel.IntType}, apiservercel.QuantityType, checkQuantities, false},
	{"sub", "quantity_sub", quantities, apiservercel.QuantityType, checkQuantities, false},
	{"sub", "quantity_sub_int", []*cel.Type{apiservercel.QuantityType, cel.IntType}, apiservercel.QuantityType, checkQuantities, false},
}

var quantities = []*cel.Type{apiservercel.QuantityType, apiservercel.QuantityType}

// guarded puts the guards of a version in front of the functions that an environment has.
func guarded(base *cel.Env, v version.Version) ([]cel.EnvOption, error) {
	var out []cel.EnvOption
	for _, g := range slices.Concat(guards, searches, textSearches) {
		if !hasOverload(base, g.function, g.overload) {
			continue // a library that the version does not have
		}
		call, err := callOf(base, g.function, g.overload)
		if err != nil {
			return nil, err
		}
		if g.function == "format" && !v.Has(version.PlainExponents) {
			call = spacedExponents(call)
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
		declare := cel.MemberOverload
		if g.global {
			declare = cel.Overload
		}
		out = append(out, cel.Function(g.function, declare(g.overload, g.args, g.result, binding)))
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

// checkExponent stops the reading of a quantity with a far too small exponent.
func checkExponent(args []ref.Val) {
	if worklimit.WideQuantity(stringOf(args[0])) {
		stop("a quantity of more than %d digits; the API server computes them all, and does not answer for minutes", MaxQuantityDigits)
	}
}

func checkMade(function string, bytes int) {
	if bytes > MaxMadeBytes {
		stop("a call of %s would create a text of more than %d MiB; the API server creates it, and may run out of memory", function, MaxMadeBytes>>20)
	}
}

func stringOf(v ref.Val) string {
	s, _ := v.(types.String)
	return string(s)
}

// checkQuantities stops arithmetic between numbers so far apart that writing one
// of them out in digits takes minutes.
func checkQuantities(args []ref.Val) {
	if quantityDigits(args) > MaxQuantityDigits {
		stop("arithmetic with a quantity of more than %d digits; the API server computes them all, and does not answer for minutes", MaxQuantityDigits)
	}
}

// quantityDigits is how many decimal digits arithmetic between quantities writes out so that they have
// the same scale.
func quantityDigits(args []ref.Val) int64 {
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
	return int64(high) - int64(low)
}
