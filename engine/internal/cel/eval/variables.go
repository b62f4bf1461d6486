package eval

import (
	"fmt"
	"slices"
	"sync"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/lazy"

	"github.com/preadmit/preadmit/engine/internal/cel/adapt"
)

// listVariables are the variables of a list, which are computed when they are read.
type listVariables struct {
	defined []Variable
	index   map[string]int // of the defined ones; nil for few
	// computed are the results, and values what they are, at the index of the definition.
	computed []*VariableResult
	values   []ref.Val
}

// fewVariables are found as fast one after the other as in a map.
const fewVariables = 8

// at is the index of a variable, of duplicates that of the last one; -1 where there is none.
func (v *listVariables) at(name string) int {
	if len(v.defined) <= fewVariables {
		return last(v.defined, func(d Variable) bool { return d.Name == name })
	}
	if v.index == nil {
		v.index = make(map[string]int, len(v.defined))
		for i, d := range v.defined {
			v.index[d.Name] = i
		}
	}
	if i, known := v.index[name]; known {
		return i
	}
	return -1
}

func last[T any](list []T, is func(T) bool) int {
	for i, item := range slices.Backward(list) {
		if is(item) {
			return i
		}
	}
	return -1
}

// result is the computation of a variable, nil before it.
func (v *listVariables) result(name string) *VariableResult {
	if v.computed == nil {
		return nil
	}
	if i := v.at(name); i >= 0 {
		return v.computed[i]
	}
	return nil
}

// noVariables is what variables are besides what they hold. Nothing changes it.
var noVariables = sync.OnceValue(func() *lazy.MapValue { return lazy.NewMapValue(types.NewObjectType(variablesTypeName)) })

// variable is the value of a variable, computed if it was not; nil where there is none of the name.
func (p *ListRun) variable(name string) ref.Val {
	v := &p.variables
	i := v.at(name)
	if i < 0 {
		return nil
	}
	if v.computed == nil {
		v.computed, v.values = make([]*VariableResult, len(v.defined)), make([]ref.Val, len(v.defined))
	}
	if v.values[i] == nil {
		v.values[i] = p.compute(i)
	}
	return v.values[i]
}

// compute evaluates a variable on its first use. Its cost counts for the
// expression that is running, not for itself.
func (p *ListRun) compute(i int) ref.Val {
	v := p.variables.defined[i]
	result := &VariableResult{Variable: v, Result: Result{Compiled: v.Compiled, Brief: p.evaluator.brief}}
	p.variables.computed[i] = result
	p.Variables = append(p.Variables, result)
	if p.current != nil {
		p.current.Variables = append(p.current.Variables, result)
	}
	if !v.OK() {
		result.CELErr = v.Compiled.Err
		result.Result.Err = fmt.Sprintf("composited variable %q fails to compile: %v", v.Name, v.Compiled.Err)
		return types.NewErr("%s", result.Result.Err)
	}
	value, err := p.eval(v.Compiled, &result.Result)
	p.cost += result.Cost
	if err != nil {
		result.CELErr = err.Error()
		result.Result.Err = fmt.Sprintf("composited variable %q fails to evaluate: %v", v.Name, err)
		return types.NewErr("%s", result.Result.Err)
	}
	result.Value = value
	return value
}

func (p *ListRun) read(name string) {
	if v := p.variables.result(name); v != nil {
		v.Reads++
	}
	if p.current != nil {
		p.current.Used = append(p.current.Used, name)
	}
}

// watched are the variables as expressions see them. It counts the reads.
// It implements traits.Mapper, traits.Indexer, traits.Container and traits.Sizer.
type watched struct {
	*lazy.MapValue
	list *ListRun
}

func (w watched) Find(key ref.Val) (ref.Val, bool) {
	v, found := w.find(key)
	if name, ok := key.Value().(string); ok && found {
		w.list.read(name)
	}
	return v, found
}

// find is Find for those who do not count.
func (w watched) find(key ref.Val) (ref.Val, bool) {
	escaped, ok := key.(types.String)
	if !ok {
		return w.MapValue.Find(key)
	}
	name, ok := apiservercel.Unescape(string(escaped))
	if !ok {
		return nil, false
	}
	v := w.list.variable(name)
	return v, v != nil
}

func (w watched) Get(key ref.Val) ref.Val {
	v, found := w.Find(key)
	if found {
		return v
	}
	return types.ValOrErr(key, "no such key: %v", key)
}

func (w watched) Contains(key ref.Val) ref.Val {
	v, found := w.find(key)
	if v != nil && types.IsUnknownOrError(v) {
		return v
	}
	return types.Bool(found)
}

func (w watched) Size() ref.Val {
	names := map[string]bool{}
	for _, d := range w.list.variables.defined {
		names[d.Name] = true
	}
	return types.Int(len(names))
}

// Iterator implements traits.Iterable: the names of the variables that have been
// computed. No expression can iterate over variables; this is for showing them,
// which must not compute any.
func (w watched) Iterator() traits.Iterator {
	names := make([]string, len(w.list.Variables))
	for i, v := range w.list.Variables {
		names[i] = v.Name
	}
	slices.Sort(names)
	return types.NewStringList(adapt.Default, names).Iterator()
}

// remembered are the variables that the run of a list has computed. Reading them neither
// computes nor counts. It implements traits.Mapper and traits.Indexer.
type remembered struct{ watched }

func (r remembered) Find(key ref.Val) (ref.Val, bool) {
	name, _ := key.Value().(string)
	if plain, ok := apiservercel.Unescape(name); ok {
		name = plain
	}
	if r.list.variables.result(name) == nil {
		return types.NewErr("variable %q was not computed", name), true
	}
	return r.find(key)
}

func (r remembered) Get(key ref.Val) ref.Val {
	v, _ := r.Find(key)
	return v
}
