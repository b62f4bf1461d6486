package values

import (
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"
	"github.com/google/cel-go/parser"

	"github.com/preadmit/preadmit/engine/internal/cel/adapt"
)

// OrderedMaps is a planner's decorator, the first one: a loop over a map that is
// written in the expression, or made by one of its loops (transformMap), goes through
// its keys in their order. The server's order is random; ours is one of the possible ones, and the same on every run, so that the
// parts that are shown are.
func OrderedMaps(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	if a, ok := i.(interpreter.InterpretableAttribute); ok && isAccumulator(a) {
		return &accumulator{a}, nil
	}
	made, ok := i.(interpreter.InterpretableConstructor)
	if !ok || made.Type() != types.MapType {
		return i, nil
	}
	literal := &mapLiteral{made}
	// As cel-go's own optimization does, which does not know the type of ours: a map of
	// constants is one, and costs nothing.
	for _, v := range made.InitVals() {
		if _, ok := v.(interpreter.InterpretableConst); !ok {
			return literal, nil
		}
	}
	return interpreter.NewConstValue(i.ID(), literal.Eval(interpreter.EmptyActivation())), nil
}

// isAccumulator reports whether an attribute is what a loop collects its result in.
func isAccumulator(a interpreter.InterpretableAttribute) bool {
	if _, ok := a.(*accumulator); ok {
		return false // the planner decorates variables more than once
	}
	named, ok := a.Attr().(interpreter.NamespacedAttribute)
	if !ok {
		return false
	}
	names := named.CandidateVariableNames()
	return len(names) == 1 && (names[0] == parser.HiddenAccumulatorName || names[0] == parser.AccumulatorName)
}

// accumulator is the variable that a loop collects its result in. Where that is a map,
// cel-go makes it immutable at the end of the loop.
// It implements interpreter.InterpretableV2.
type accumulator struct {
	interpreter.InterpretableAttribute
}

func (a *accumulator) Eval(vars interpreter.Activation) ref.Val {
	return a.Exec(interpreter.AsFrame(vars))
}

func (a *accumulator) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	v := a.InterpretableAttribute.Exec(frame)
	if made, ok := v.(traits.MutableMapper); ok {
		return orderedAtTheEnd{made}
	}
	return v
}

// orderedAtTheEnd is a map that a loop fills, and that has an order when it is done.
type orderedAtTheEnd struct {
	traits.MutableMapper
}

// ToImmutableMap implements traits.MutableMapper.
func (m orderedAtTheEnd) ToImmutableMap() traits.Mapper {
	return &orderedMap{Mapper: m.MutableMapper.ToImmutableMap()}
}

// mapLiteral makes maps with an order. It implements interpreter.InterpretableV2.
type mapLiteral struct {
	interpreter.InterpretableConstructor
}

func (m *mapLiteral) Eval(vars interpreter.Activation) ref.Val {
	return m.Exec(interpreter.AsFrame(vars))
}

func (m *mapLiteral) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	v := m.InterpretableConstructor.Exec(frame)
	if made, ok := v.(traits.Mapper); ok {
		return &orderedMap{Mapper: made}
	}
	return v
}

// orderedMap is a map whose iterators follow the order of its keys. It implements traits.Iterable.
type orderedMap struct {
	traits.Mapper
	// keys are there when it has been iterated. Constants serve several evaluations at
	// a time.
	keys atomic.Pointer[[]ref.Val]
}

func (m *orderedMap) Iterator() traits.Iterator {
	keys := m.keys.Load()
	if keys == nil {
		keys = new([]ref.Val)
		for it := m.Mapper.Iterator(); it.HasNext() == types.True; {
			*keys = append(*keys, it.Next())
		}
		slices.SortFunc(*keys, compareKeys)
		m.keys.Store(keys)
	}
	return types.NewRefValList(adapt.Default, *keys).Iterator()
}

// IsZeroValue implements traits.Zeroer, which optional.ofNonZeroValue asks.
func (m *orderedMap) IsZeroValue() bool { return m.Size() == types.IntZero }

// compareKeys orders keys of one type by their value, and others by their types.
func compareKeys(a, b ref.Val) int {
	if a.Type() != b.Type() {
		return cmp.Compare(a.Type().TypeName(), b.Type().TypeName())
	}
	if c, ok := a.(traits.Comparer); ok {
		if n, ok := c.Compare(b).(types.Int); ok {
			return int(n)
		}
	}
	return 0
}
