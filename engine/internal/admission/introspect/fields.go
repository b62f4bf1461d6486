// Package introspect finds which fields mutating policies read and write, from their
// expressions' syntax trees (KEP-3962, introspection), and the consequences for their
// order. It runs nothing: a field that depends on data, such as a computed
// key, is known only as far as the expression names it.
package introspect

import (
	"slices"
	"strconv"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
)

// path is a field by the names that lead to it. Items of lists have no name, and
// keys of maps are names like those of fields.
type path []string

// String writes a path as expressions do.
func (p path) String() string {
	var b strings.Builder
	for i, name := range p {
		switch {
		case !identifier(name):
			b.WriteString("[" + strconv.Quote(name) + "]")
		case i > 0:
			b.WriteString("." + name)
		default:
			b.WriteString(name)
		}
	}
	if b.Len() == 0 {
		return "object"
	}
	return b.String()
}

func identifier(s string) bool {
	for i, r := range s {
		if r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

// meets reports whether two fields are the same, or one is within the other.
func (p path) meets(other path) bool {
	n := min(len(p), len(other))
	return slices.Equal(p[:n], other[:n])
}

// use is what an expression, or a whole policy, does with fields.
type use struct{ reads, writes []path }

func add(list []path, p path) []path {
	if slices.ContainsFunc(list, func(o path) bool { return slices.Equal(o, p) }) {
		return list
	}
	return append(list, slices.Clone(p))
}

// walker goes through the expressions of one policy.
type walker struct {
	use
	variables map[string]*eval.Compiled
	seen      map[string]bool // variables whose expressions are in use already
}

// scope are the variables of loops, and what they stand for.
type scope map[string]path

func (w *walker) expression(c *eval.Compiled) {
	if c == nil || c.AST == nil {
		return
	}
	w.visit(c.AST.NativeRep().Expr(), scope{})
}

// visit notes what an expression reads and writes.
func (w *walker) visit(e ast.Expr, in scope) {
	if p, rest, ok := w.resolve(e, in); ok {
		w.reads = add(w.reads, p)
		for _, r := range rest {
			w.visit(r, in)
		}
		return
	}
	switch e.Kind() {
	case ast.SelectKind:
		if name, ok := w.variable(e); ok {
			w.useVariable(name)
			return
		}
	case ast.StructKind:
		w.structure(e.AsStruct(), in)
		return
	case ast.ComprehensionKind:
		w.loop(e.AsComprehension(), in)
	}
	for _, operand := range source.Operands(e) {
		w.visit(operand, in)
	}
}

func (w *walker) loop(c ast.ComprehensionExpr, in scope) {
	inner := scope{}
	for name, p := range in {
		inner[name] = p
	}
	if p, rest, ok := w.resolve(c.IterRange(), in); ok {
		inner[c.IterVar()] = p
		if c.HasIterVar2() {
			inner[c.IterVar2()] = p
		}
		for _, r := range rest {
			w.visit(r, in)
		}
		w.reads = add(w.reads, p)
	} else {
		delete(inner, c.IterVar())
		w.visit(c.IterRange(), in)
	}
	if p, _, ok := w.resolve(c.AccuInit(), in); ok { // cel.bind
		inner[c.AccuVar()] = p
	} else {
		delete(inner, c.AccuVar())
	}
	w.visit(c.AccuInit(), in)
	w.visit(c.LoopCondition(), inner)
	w.visit(c.LoopStep(), inner)
	w.visit(c.Result(), inner)
}

// resolve follows an expression to a field of the object. rest are the parts that
// are no steps on the way: indices, and the default of a missing value.
func (w *walker) resolve(e ast.Expr, in scope) (p path, rest []ast.Expr, ok bool) {
	switch e.Kind() {
	case ast.IdentKind:
		if e.AsIdent() == "object" {
			return path{}, nil, true
		}
		p, ok = in[e.AsIdent()]
		return p, nil, ok
	case ast.SelectKind:
		if name, isVariable := w.variable(e); isVariable {
			if c := w.variables[name]; c != nil && c.AST != nil {
				return w.resolve(c.AST.NativeRep().Expr(), scope{})
			}
			return nil, nil, false
		}
		p, rest, ok = w.resolve(e.AsSelect().Operand(), in)
		return append(slices.Clone(p), e.AsSelect().FieldName()), rest, ok
	case ast.CallKind:
		return w.resolveCall(e.AsCall(), in)
	}
	return nil, nil, false
}

func (w *walker) resolveCall(c ast.CallExpr, in scope) (path, []ast.Expr, bool) {
	switch c.FunctionName() {
	case operators.Index, operators.OptIndex, operators.OptSelect:
		p, rest, ok := w.resolve(c.Args()[0], in)
		if name, isText := source.StringOf(c.Args()[1]); isText {
			return append(slices.Clone(p), name), rest, ok
		}
		return p, append(rest, c.Args()[1]), ok
	case "orValue", "or":
		p, rest, ok := w.resolve(c.Target(), in)
		return p, append(rest, c.Args()...), ok
	case "value", "hasValue":
		return w.resolve(c.Target(), in)
	}
	return nil, nil, false
}

// variable is the name of variables.NAME.
func (w *walker) variable(e ast.Expr) (string, bool) {
	if e.Kind() != ast.SelectKind {
		return "", false
	}
	of := e.AsSelect().Operand()
	return e.AsSelect().FieldName(), of.Kind() == ast.IdentKind && of.AsIdent() == "variables"
}

func (w *walker) useVariable(name string) {
	if c := w.variables[name]; c != nil && !w.seen[name] {
		w.seen[name] = true
		w.expression(c)
	}
}

// structure notes what a literal of the object, or an operation of a patch,
// writes.
func (w *walker) structure(s ast.StructExpr, in scope) {
	if s.TypeName() == "JSONPatch" {
		w.operation(s, in)
		return
	}
	names := strings.Split(s.TypeName(), ".")
	// The type of an item of a list ends in item; paths have no name for it.
	names = slices.DeleteFunc(names, func(name string) bool { return name == "item" })
	for _, f := range s.Fields() {
		field, value := f.AsStructField(), f.AsStructField().Value()
		if names[0] == "Object" {
			w.value(append(append(path{}, names[1:]...), field.Name()), value)
		}
		w.visit(value, in)
	}
}

// value notes the fields that are set by a value: the keys of a map, or all of it,
// unless it is made of literals of the object, which say it themselves.
func (w *walker) value(at path, value ast.Expr) {
	if value.Kind() == ast.MapKind && len(value.AsMap().Entries()) > 0 {
		for _, entry := range value.AsMap().Entries() {
			if key, ok := source.StringOf(entry.AsMapEntry().Key()); ok {
				w.value(append(slices.Clone(at), key), entry.AsMapEntry().Value())
			} else {
				w.writes = add(w.writes, at)
			}
		}
		return
	}
	literals := false
	ast.PreOrderVisit(value, ast.NewExprVisitor(func(e ast.Expr) {
		literals = literals || e.Kind() == ast.StructKind && strings.HasPrefix(e.AsStruct().TypeName(), "Object.")
	}))
	if !literals {
		w.writes = add(w.writes, at)
	}
}

// operation must be one of a JSON patch.
func (w *walker) operation(s ast.StructExpr, in scope) {
	kind := ""
	for _, f := range s.Fields() {
		if f.AsStructField().Name() == "op" {
			kind, _ = source.StringOf(f.AsStructField().Value())
		}
	}
	for _, f := range s.Fields() {
		value := f.AsStructField().Value()
		switch name := f.AsStructField().Name(); {
		case name == "path" && kind == "test", name == "from" && kind == "copy":
			w.reads = add(w.reads, pointer(value))
		case name == "from":
			w.reads, w.writes = add(w.reads, pointer(value)), add(w.writes, pointer(value))
		case name == "path":
			w.writes = add(w.writes, pointer(value))
		}
		w.visit(value, in)
	}
}

// pointer is the field that a JSON pointer leads to, as far as it is written out.
func pointer(e ast.Expr) path {
	whole, done := written(e)
	parts := strings.Split(strings.TrimPrefix(whole, "/"), "/")
	if !done {
		parts = parts[:len(parts)-1] // the last may go on
	}
	out := path{}
	for _, part := range parts {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		if _, err := strconv.Atoi(part); err == nil || part == "-" || part == "" {
			continue
		}
		out = append(out, part)
	}
	return out
}

// written is the beginning of a text that the expression says; done, that it is
// all of it.
func written(e ast.Expr) (s string, done bool) {
	if s, ok := source.StringOf(e); ok {
		return s, true
	}
	if e.Kind() != ast.CallKind {
		return "", false
	}
	c := e.AsCall()
	switch {
	case c.FunctionName() == operators.Add && len(c.Args()) == 2:
		left, done := written(c.Args()[0])
		if !done {
			return left, false
		}
		right, done := written(c.Args()[1])
		return left + right, done
	case strings.HasSuffix(c.FunctionName(), "escapeKey") && len(c.Args()) == 1:
		key, done := written(c.Args()[0])
		return strings.NewReplacer("~", "~0", "/", "~1").Replace(key), done
	}
	return "", false
}
