package values

import (
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
)

// decorator wraps the nodes of a program while it is planned. The planner
// decorates a variable again after each selection that is added to it, and
// cel-go's cost observer must then find its own wrapper, not ours.
type decorator struct {
	program    *Program
	attributes map[interpreter.Interpretable]*attribute
}

// unwrap is the first of all decorators.
func (d *decorator) unwrap(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	if a, ok := i.(*attribute); ok {
		return a.InterpretableAttribute, nil
	}
	return i, nil
}

// wrap is the last of all decorators. Only what is in the source is
// watched, and the loops.
func (d *decorator) wrap(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	p, id := d.program, i.ID()
	n := p.tree.Node(id)
	constant, isConstant := i.(interpreter.InterpretableConst)
	variable, isAttribute := i.(interpreter.InterpretableAttribute)
	switch {
	case p.tree.Conditions[id] && isConstant:
		return &constantCondition{constant, p}, nil
	case p.tree.Conditions[id]:
		return &condition{i, p}, nil
	case p.tree.Loops[id] && n == nil:
		return &loop{i, p, -1}, nil
	case n == nil:
		return i, nil
	case isAttribute:
		a := d.attributes[variable]
		if a == nil {
			a = &attribute{InterpretableAttribute: variable, program: p, conditional: isConditional(n), operand: p.tested[n.Index]}
			d.attributes[variable] = a
		}
		a.index = n.Index
		return a, nil
	case isConstant:
		p.constants[n.Index] = constant.Value()
		return &literal{constant, p, n.Index}, nil
	case p.tree.Loops[id]:
		return &loop{i, p, n.Index}, nil
	}
	return &part{i, p, n.Index}, nil
}

// part watches a call, an operator, a constructor.
// It implements interpreter.InterpretableV2.
type part struct {
	interpreter.InterpretableV2
	program *Program
	index   int
}

func (w *part) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	r := w.program.run
	if r == nil { // the planner folds constants
		return w.InterpretableV2.Exec(frame)
	}
	r.open(w.index)
	v := w.InterpretableV2.Exec(frame)
	r.close(w.index)
	r.add(w.index, v, nil)
	return v
}

func (w *part) Eval(vars interpreter.Activation) ref.Val { return w.Exec(interpreter.AsFrame(vars)) }

// literal watches a constant. What the planner folds into another node is
// never evaluated. It implements interpreter.InterpretableV2.
type literal struct {
	interpreter.InterpretableConst
	program *Program
	index   int
}

func (w *literal) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	v := w.InterpretableConst.Exec(frame)
	if r := w.program.run; r != nil { // nil while the planner folds constants
		r.add(w.index, v, nil)
	}
	return v
}

func (w *literal) Eval(vars interpreter.Activation) ref.Val { return w.Exec(interpreter.AsFrame(vars)) }

// loop watches a comprehension. index is -1 for one that a macro has inside.
// It implements interpreter.InterpretableV2.
type loop struct {
	interpreter.InterpretableV2
	program *Program
	index   int
}

func (w *loop) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	r := w.program.run
	r.loops = append(r.loops, -1)
	if w.index >= 0 {
		r.open(w.index)
	}
	v := w.InterpretableV2.Exec(frame)
	r.loops = r.loops[:len(r.loops)-1]
	if w.index >= 0 {
		r.close(w.index)
		r.add(w.index, v, nil)
	}
	return v
}

func (w *loop) Eval(vars interpreter.Activation) ref.Val { return w.Exec(interpreter.AsFrame(vars)) }

// condition is evaluated at the beginning of each iteration of a loop.
// It implements interpreter.InterpretableV2.
type condition struct {
	interpreter.InterpretableV2
	program *Program
}

func (w *condition) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	w.program.run.iterate()
	return w.InterpretableV2.Exec(frame)
}

func (w *condition) Eval(vars interpreter.Activation) ref.Val {
	return w.Exec(interpreter.AsFrame(vars))
}

// constantCondition is a condition that is always true.
// It implements interpreter.InterpretableV2.
type constantCondition struct {
	interpreter.InterpretableConst
	program *Program
}

func (w *constantCondition) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	w.program.run.iterate()
	return w.InterpretableConst.Exec(frame)
}

func (w *constantCondition) Eval(vars interpreter.Activation) ref.Val {
	return w.Exec(interpreter.AsFrame(vars))
}

func (r *run) iterate() { r.loops[len(r.loops)-1]++ }

// optionalOr makes or and orValue leave out their second operand where the
// first has a value. cel-go does the same by a decorator that it does not
// export.
func optionalOr(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	call, ok := i.(interpreter.InterpretableCall)
	if !ok || len(call.Args()) != 2 {
		return i, nil
	}
	switch call.Function() + " " + call.OverloadID() {
	case "or ", "or optional_or_optional":
		return &alternative{id: call.ID(), first: call.Args()[0], second: call.Args()[1]}, nil
	case "orValue ", "orValue optional_orValue_value":
		return &alternative{id: call.ID(), first: call.Args()[0], second: call.Args()[1], unpack: true}, nil
	}
	return i, nil
}

// alternative implements interpreter.InterpretableV2.
type alternative struct {
	id            int64
	first, second interpreter.InterpretableV2
	unpack        bool
}

func (a *alternative) ID() int64 { return a.id }

func (a *alternative) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	v := a.first.Exec(frame)
	if types.IsUnknownOrError(v) {
		return v
	}
	switch optional, ok := v.(*types.Optional); {
	case !ok:
		return types.NoSuchOverloadErr()
	case !optional.HasValue():
		return a.second.Exec(frame)
	case a.unpack:
		return optional.GetValue()
	}
	return v
}

func (a *alternative) Eval(vars interpreter.Activation) ref.Val {
	return a.Exec(interpreter.AsFrame(vars))
}
