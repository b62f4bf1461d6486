package eval

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/preadmit/preadmit/engine/internal/worklimit"
)

// meter charges the calls of an expression to the budget of the run that
// evaluates it. It sees what the cost tracker sees: every call, with its result.
type meter struct {
	interpreter.ActualCostEstimator // nil where all costs are those of CEL
	compiled                        *Compiled
	// frame is that of the evaluation under way until its first call, stack then
	// that of its cost tracker. In a loop the stack grows, and the tracker looks
	// through it from end to end: that work grows with the square of the loop, and
	// CEL's costs say nothing of it.
	frame *interpreter.ExecutionFrame
	stack reflect.Value
	// scans is how often the whole stack is looked through for a call, in hundredths
	// ([scansPerCall]).
	scans int
}

// CallCost implements interpreter.ActualCostEstimator.
func (m *meter) CallCost(function, overload string, args []ref.Val, result ref.Val) *uint64 {
	if b := m.compiled.running; b != nil {
		work := callWork + m.stackWork()
		for _, a := range args {
			work += argumentWork(function, a)
		}
		work += searchTextWork(function, args)
		switch function {
		case operators.Add:
		case overloads.Matches:
			work += patternWork(args)
		case "distinct", "indexOf", "lastIndexOf", "sets.contains", "sets.equivalent", "sets.intersects":
			chargeSearch(b, function, args)
			work += itemWork * items(result)
		case "format":
			work += formatWork * parts(args[len(args)-1])
		case "findAll":
			work += 2 * itemWork * items(result) // each is looked for anew
		default:
			work += itemWork * items(result)
			switch {
			case strings.HasSuffix(overload, withZone):
				work += zoneWork
			case strings.HasPrefix(overload, "quantity_"):
				work += int(quantityDigits(args)) // which CEL's costs do not count
			}
		}
		b.Work(work)
		if function != operators.Add { // of lists, it only remembers both
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

// stackWork is what looking through the tracker's stack takes for one call.
func (m *meter) stackWork() int {
	if m.frame != nil {
		m.stack, m.frame = stackOf(m.frame), nil
	}
	if !m.stack.IsValid() {
		return 0
	}
	return stackWork(m.stack.Len(), m.scans)
}

// zoneWork is what a call takes that is given the name of a time zone: the zone is read from
// its file in every call.
const (
	zoneWork = 2000
	withZone = "_with_tz"
)

// itemWork is what an item of a list takes that a function makes, formatWork a value that format
// writes: maps are sorted, and strings in them quoted.
const (
	itemWork   = 20
	formatWork = 60
)

// parts counts a value and everything in it.
func parts(v ref.Val) int {
	n := 1
	switch v := v.(type) {
	case traits.Lister:
		for it := v.Iterator(); it.HasNext() == types.True; {
			n += parts(it.Next())
		}
	case traits.Mapper:
		for it := v.Iterator(); it.HasNext() == types.True; {
			n++
			if item, found := v.Find(it.Next()); found {
				n += parts(item)
			}
		}
	}
	return n
}

func items(v ref.Val) int {
	list, ok := v.(traits.Lister)
	if !ok {
		return 0
	}
	n, _ := list.Size().(types.Int)
	return int(n)
}

// PatternWork is what a call takes besides what it costs, in units of work: cel-go reads
// the regular expression of every call of matches that computes it, and CEL's costs say
// nothing of that.
func PatternWork(function string, args []ref.Val) int {
	if function != overloads.Matches {
		return 0
	}
	return patternWork(args)
}

// patternWork is what a regular expression takes to read: a number in braces repeats
// what is before it.
func patternWork(args []ref.Val) int {
	if len(args) < 2 {
		return 0
	}
	pattern := stringOf(args[1])
	work := 200 + 10*len(pattern)
	for _, part := range strings.Split(pattern, "{")[1:] {
		digits := strings.IndexFunc(part, func(c rune) bool { return c < '0' || c > '9' })
		if n, err := strconv.Atoi(part[:max(digits, 0)]); err == nil {
			work += 10 * min(n, 1000)
		}
	}
	return work
}

// watch evaluates a program whose calls are charged.
func (m *meter) watch(ctx context.Context, program cel.Program, vars interpreter.Activation) (ref.Val, *cel.EvalDetails, error) {
	frame, err := interpreter.NewExecutionFrame(vars)
	if err != nil {
		return nil, nil, err
	}
	defer frame.Close()
	if err := frame.SetContext(ctx, celconfig.CheckFrequency); err != nil {
		return nil, nil, err
	}
	m.frame, m.stack = frame, reflect.Value{}
	defer func() { m.frame, m.stack = nil, reflect.Value{} }()
	v, details, err := program.Eval(frame)
	if err != nil && errors.Is(err, interpreter.InterruptError{}) {
		err = fmt.Errorf("%w: %w", err, context.Cause(ctx))
	}
	return v, details, err
}

// stackOf is the stack of the cost tracker of an evaluation. It has no other
// way out of cel-go.
func stackOf(frame *interpreter.ExecutionFrame) reflect.Value {
	costs := reflect.ValueOf(frame).Elem().FieldByName("ctx").Elem().FieldByName("costs")
	if !costs.IsValid() || costs.IsNil() {
		return reflect.Value{}
	}
	return costs.Elem().FieldByName("stack")
}

// comparison is an equality of two values, a search for one in a list, or for a pattern in a text, that
// charges for every part of them. Values share parts, so a short expression can make
// two whose comparison takes years, and cel-go does not look up while it compares.
// It implements interpreter.InterpretableV2.
type comparison struct {
	interpreter.InterpretableCall
	meter *meter
}

// compared is a planner's decorator.
func (m *meter) compared(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	call, ok := i.(interpreter.InterpretableCall)
	if !ok {
		return i, nil
	}
	switch call.Function() {
	case overloads.Matches, "find", "findAll":
		if guarded, ok := withLiteralPattern(call); ok {
			return guarded, nil
		}
	}
	if len(call.Args()) == 2 {
		switch call.Function() {
		case operators.Equals, operators.NotEquals, operators.In, overloads.Matches:
			return &comparison{call, m}, nil
		}
	}
	return i, nil
}

func (c *comparison) Eval(vars interpreter.Activation) ref.Val {
	return c.Exec(interpreter.AsFrame(vars))
}

func (c *comparison) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	args := c.Args()
	a, b := args[0].Exec(frame), args[1].Exec(frame)
	for _, v := range []ref.Val{a, b} {
		if types.IsUnknownOrError(v) {
			return v
		}
	}
	running := c.meter.compiled.running
	switch c.Function() {
	case operators.In:
		return c.in(running, a, b)
	case overloads.Matches:
		return types.LabelErrNode(c.ID(), matches(a, b))
	}
	chargeEquality(running, a, b)
	equal := types.Equal(a, b)
	if c.Function() == operators.NotEquals {
		return types.Bool(equal != types.True)
	}
	return equal
}

// matches is the function, for a pattern that is computed.
func matches(text, pattern ref.Val) ref.Val {
	matcher, ok := text.(traits.Matcher)
	if !ok {
		return types.MaybeNoSuchOverloadErr(text)
	}
	checkPattern(overloads.Matches)([]ref.Val{text, pattern})
	return matcher.Match(pattern)
}

// in looks for a value in a list or among the keys of a map.
func (c *comparison) in(running *worklimit.Budget, item, in ref.Val) ref.Val {
	if list, ok := in.(traits.Lister); ok {
		chargeSearch(running, "indexOf", []ref.Val{list, item}) // which compares the same
	}
	if container, ok := in.(traits.Container); ok {
		return types.LabelErrNode(c.ID(), container.Contains(item))
	}
	return types.NewErrWithNodeID(c.ID(), "no such overload")
}

// What a comparison of two values takes, and each part of them, the charge for it included: a part
// is looked up in both, made a value of CEL, and compared.
const (
	comparisonWork = 10
	partWork       = 24
)

// chargeEquality charges for the comparison of two values, part by part, and
// reports whether it goes on behind them.
func chargeEquality(budget *worklimit.Budget, a, b ref.Val) bool {
	return budget == nil || chargeParted(budget, comparisonWork, a, b)
}

// chargeParted charges for two values that are compared, or for two parts of such: so much
// for them, and for what they consist of.
func chargeParted(budget *worklimit.Budget, work int, a, b ref.Val) bool {
	budget.Work(work + min(weight(a), weight(b))/64)
	switch a := a.(type) {
	case traits.Lister:
		other, ok := b.(traits.Lister)
		if !ok || a.Size() != other.Size() {
			return false
		}
		for x, y := a.Iterator(), other.Iterator(); x.HasNext() == types.True && y.HasNext() == types.True; {
			if !chargeParted(budget, partWork, x.Next(), y.Next()) {
				return false
			}
		}
	case traits.Mapper:
		other, ok := b.(traits.Mapper)
		if !ok || a.Size() != other.Size() {
			return false
		}
		for it := a.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			x, _ := a.Find(key)
			y, found := other.Find(key)
			if !found || x == nil || !chargeParted(budget, partWork, x, y) {
				return false
			}
		}
	default:
		return types.Equal(a, b) == types.True
	}
	return true
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

// wholeWork is what a value takes that is converted and written as JSON: a map is sorted for it.
const wholeWork = 100

// ChargeWhole charges for a value that is written out, part by part: parts that
// it shares become as many copies.
func ChargeWhole(b *worklimit.Budget, v ref.Val) {
	if b == nil {
		return
	}
	b.Work(wholeWork)
	b.Make(64 + weight(v))
	switch v := v.(type) {
	case traits.Lister:
		for it := v.Iterator(); it.HasNext() == types.True; {
			ChargeWhole(b, it.Next())
		}
	case traits.Mapper:
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			b.Make(weight(key))
			if item, found := v.Find(key); found {
				ChargeWhole(b, item)
			}
		}
	}
}
