// Package foresee generates the requests that a policy or webhook can meet, before anybody sends
// one: the smallest object of each kind, and objects that differ in the fields that the
// expressions read. It also has the requests that a healthy cluster makes by itself.
//
// Nothing is evaluated here. The engine evaluates the requests and reports those that fail.
package foresee

import (
	"slices"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/rules"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
)

// Item is the name of a read of all items of a list, or of all keys of a map.
const Item = "*"

// Read is a field, key or item that expressions read, with the constants that they compare it
// with.
type Read struct {
	Name     string
	Values   []any // the constants and their neighbours: string, int64, float64, bool
	Children []*Read
}

// Child returns the read of a field of this one, or nil.
func (r *Read) Child(name string) *Read {
	if r == nil {
		return nil
	}
	for _, c := range r.Children {
		if c.Name == name {
			return c
		}
	}
	return nil
}

func (r *Read) child(name string) *Read {
	if c := r.Child(name); c != nil {
		return c
	}
	r.Children = append(r.Children, &Read{Name: name})
	return r.Children[len(r.Children)-1]
}

// maxValues bounds the constants that are tried for one field.
const maxValues = 6

func (r *Read) compare(values ...any) {
	for _, v := range values {
		if len(r.Values) < maxValues && !slices.Contains(r.Values, v) {
			r.Values = append(r.Values, v)
		}
	}
}

// Reads are what the expressions of one policy or webhook read, by the variable: object,
// oldObject, params, namespaceObject, request.
type Reads map[string]*Read

// ReadsOf returns what expressions read. Variables are followed where an expression uses them.
func ReadsOf(expressions []*eval.Compiled, variables []eval.Variable) Reads {
	w := walker{reads: Reads{}, variables: map[string]*eval.Compiled{}, used: map[string]bool{}, resolved: map[string][]*Read{}}
	for _, name := range []string{"object", "oldObject", "params", "namespaceObject", "request"} {
		w.reads[name] = &Read{Name: name}
	}
	for _, v := range variables {
		w.variables[v.Name] = v.Compiled
	}
	for _, c := range expressions {
		if c != nil && c.AST != nil {
			w.visit(c.AST.NativeRep().Expr(), scope{})
		}
	}
	return w.reads
}

// Rules are the rules of one node of a schema.
type Rules struct {
	Fields   []string // the way from the object to the values, with rules.AnyItem for items
	Compiled []*eval.Compiled
}

// ReadsOfRules returns what the custom resource rules read, by the variables that hold the whole objects.
func ReadsOfRules(list []Rules) Reads {
	w := walker{reads: Reads{}, variables: map[string]*eval.Compiled{}, used: map[string]bool{}, resolved: map[string][]*Read{}}
	for _, name := range []string{"object", "oldObject", "params", "namespaceObject", "request"} {
		w.reads[name] = &Read{Name: name}
	}
	for _, of := range list {
		in := scope{}
		for name, variable := range map[string]string{"self": "object", "oldSelf": "oldObject"} {
			node := w.reads[variable]
			for _, field := range of.Fields {
				if field == rules.AnyItem {
					field = Item
				}
				node = node.child(field)
			}
			in[name] = []*Read{node}
		}
		for _, c := range of.Compiled {
			if c != nil && c.AST != nil {
				w.visit(c.AST.NativeRep().Expr(), in)
			}
		}
	}
	return w.reads
}

// scope are the variables of macros, and what they stand for.
type scope map[string][]*Read

type walker struct {
	reads     Reads
	variables map[string]*eval.Compiled
	used      map[string]bool    // variables whose expressions have been visited
	resolved  map[string][]*Read // what variables stand for
	depth     int
}

// maxDepth bounds how far variables that use variables are followed.
const maxDepth = 16

// visit collects the reads of an expression and of all its parts.
func (w *walker) visit(e ast.Expr, in scope) {
	w.resolve(e, in)
	switch e.Kind() {
	case ast.SelectKind:
		if name, ok := variable(e); ok {
			w.useVariable(name)
			return
		}
	case ast.CallKind:
		w.compared(e.AsCall(), in)
	case ast.ComprehensionKind:
		w.loop(e.AsComprehension(), in)
	}
	for _, operand := range source.Operands(e) {
		w.visit(operand, in)
	}
}

func (w *walker) useVariable(name string) {
	if c := w.variables[name]; c != nil && c.AST != nil && !w.used[name] {
		w.used[name] = true
		w.visit(c.AST.NativeRep().Expr(), scope{})
	}
}

func (w *walker) loop(c ast.ComprehensionExpr, in scope) {
	w.visit(c.IterRange(), in)
	inner := w.inLoop(c, in)
	w.visit(c.AccuInit(), in)
	w.visit(c.LoopCondition(), inner)
	w.visit(c.LoopStep(), inner)
	w.visit(c.Result(), inner)
}

// inLoop is what the variables of a macro stand for: the items of what it iterates over, and
// for cel.bind the value that is bound.
func (w *walker) inLoop(c ast.ComprehensionExpr, in scope) scope {
	inner := scope{}
	for name, r := range in {
		inner[name] = r
	}
	var items []*Read
	for _, r := range w.resolve(c.IterRange(), in) {
		items = append(items, r.child(Item))
	}
	inner[c.IterVar()] = items
	if c.HasIterVar2() {
		inner[c.IterVar()], inner[c.IterVar2()] = nil, items
	}
	inner[c.AccuVar()] = w.resolve(c.AccuInit(), in)
	return inner
}

// resolve follows an expression to the fields that it stands for; none for what is no field.
func (w *walker) resolve(e ast.Expr, in scope) []*Read {
	switch e.Kind() {
	case ast.IdentKind:
		if r, declared := in[e.AsIdent()]; declared {
			return r
		}
		if r := w.reads[e.AsIdent()]; r != nil {
			return []*Read{r}
		}
	case ast.SelectKind:
		if name, ok := variable(e); ok {
			return w.resolveVariable(name)
		}
		return children(w.resolve(e.AsSelect().Operand(), in), e.AsSelect().FieldName())
	case ast.CallKind:
		return w.resolveCall(e.AsCall(), in)
	case ast.ComprehensionKind: // filter: the items are those of the list
		c := e.AsComprehension()
		if c.AccuInit().Kind() == ast.ListKind && filters(c) {
			return w.resolve(c.IterRange(), in)
		}
	}
	return nil
}

// filters reports whether a comprehension adds its own items to the result.
func filters(c ast.ComprehensionExpr) bool {
	found := false
	ast.PreOrderVisit(c.LoopStep(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() == ast.ListKind && len(e.AsList().Elements()) == 1 {
			item := e.AsList().Elements()[0]
			found = found || item.Kind() == ast.IdentKind && item.AsIdent() == c.IterVar()
		}
	}))
	return found
}

func (w *walker) resolveVariable(name string) []*Read {
	c := w.variables[name]
	known, done := w.resolved[name]
	if done || c == nil || c.AST == nil || w.depth > maxDepth {
		return known
	}
	w.depth++
	defer func() { w.depth-- }()
	w.resolved[name] = w.resolve(c.AST.NativeRep().Expr(), scope{})
	return w.resolved[name]
}

func (w *walker) resolveCall(c ast.CallExpr, in scope) []*Read {
	args := c.Args()
	switch c.FunctionName() {
	case operators.Index, operators.OptIndex, operators.OptSelect:
		of := w.resolve(args[0], in)
		if name, ok := constant(args[1]).(string); ok {
			return children(of, name)
		}
		return children(of, Item)
	case operators.Conditional:
		return either(w.resolve(args[1], in), w.resolve(args[2], in))
	case operators.Add: // of lists
		return either(w.resolve(args[0], in), w.resolve(args[1], in))
	case "orValue", "or":
		return either(w.resolve(c.Target(), in), w.resolve(args[0], in))
	case "value", "hasValue", "lowerAscii", "trim", "replace":
		if c.IsMemberFunction() {
			return w.resolve(c.Target(), in)
		}
	case "dyn", "string", "int", "quantity", "optional.of", "optional.ofNonZeroValue":
		if len(args) == 1 {
			return w.resolve(args[0], in)
		}
	}
	return nil
}

// either are the fields of two lists, each once.
func either(a, b []*Read) []*Read {
	out := slices.Clip(a)
	for _, r := range b {
		if !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out
}

func children(of []*Read, name string) []*Read {
	var out []*Read
	for _, r := range of {
		out = append(out, r.child(name))
	}
	return out
}

// variable is the name of variables.NAME.
func variable(e ast.Expr) (string, bool) {
	of := e.AsSelect().Operand()
	return e.AsSelect().FieldName(), of.Kind() == ast.IdentKind && of.AsIdent() == "variables"
}

// constant is the value of a literal; nil for all else.
func constant(e ast.Expr) any {
	switch e.Kind() {
	case ast.LiteralKind:
		switch v := e.AsLiteral().(type) {
		case types.String:
			return string(v)
		case types.Int:
			return int64(v)
		case types.Uint:
			return int64(v)
		case types.Double:
			return float64(v)
		case types.Bool:
			return bool(v)
		}
	case ast.CallKind:
		if c := e.AsCall(); len(c.Args()) == 1 && (c.FunctionName() == "quantity" || c.FunctionName() == "dyn" || c.FunctionName() == "string" || c.FunctionName() == "int") {
			return constant(c.Args()[0])
		}
	}
	return nil
}

// constants are the values of a literal, or of the items of a list of literals, also behind a
// variable.
func (w *walker) constants(e ast.Expr) []any {
	switch e.Kind() {
	case ast.ListKind:
		var out []any
		for _, item := range e.AsList().Elements() {
			if v := constant(item); v != nil {
				out = append(out, v)
			}
		}
		return out
	case ast.SelectKind:
		name, ok := variable(e)
		if c := w.variables[name]; ok && c != nil && c.AST != nil && w.depth <= maxDepth {
			w.depth++
			defer func() { w.depth-- }()
			return w.constants(c.AST.NativeRep().Expr())
		}
	}
	if v := constant(e); v != nil {
		return []any{v}
	}
	return nil
}

// compared notes the constants that a call compares fields with.
func (w *walker) compared(c ast.CallExpr, in scope) {
	args := c.Args()
	if c.IsMemberFunction() {
		if s, ok := firstText(args); ok {
			for _, r := range w.resolve(c.Target(), in) {
				switch c.FunctionName() {
				case "startsWith":
					r.compare(s+"x", "x")
				case "endsWith":
					r.compare("x"+s, "x")
				case "contains":
					r.compare(s, "x")
				}
			}
		}
		return
	}
	if name := c.FunctionName(); len(args) == 1 && (name == "int" || name == "double") {
		for _, r := range w.resolve(args[0], in) {
			r.compare("1Gi", "500m") // quantities are texts
		}
	}
	if len(args) != 2 {
		return
	}
	switch c.FunctionName() {
	case operators.Equals, operators.NotEquals, operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals:
		for i := range args {
			near := neighbours(w.constants(args[1-i]))
			for _, r := range w.resolve(args[i], in) {
				r.compare(near...)
			}
		}
	case operators.Divide, operators.Modulo:
		for _, r := range w.resolve(args[1], in) {
			r.compare(int64(0))
		}
	case operators.In, operators.OldIn:
		for _, r := range w.resolve(args[0], in) {
			r.compare(neighbours(w.constants(args[1]))...)
		}
		for _, v := range w.constants(args[0]) {
			if key, ok := v.(string); ok {
				children(w.resolve(args[1], in), key)
			}
		}
	}
}

func firstText(args []ast.Expr) (string, bool) {
	if len(args) != 1 {
		return "", false
	}
	s, ok := constant(args[0]).(string)
	return s, ok
}

// neighbours are constants, and for each kind of them a value beside them.
func neighbours(list []any) []any {
	out := slices.Clone(list)
	for _, v := range list {
		switch v := v.(type) {
		case string:
			if v != "" {
				return append(out, v+"x")
			}
		case int64:
			out = append(out, v+1, v-1)
		case float64:
			out = append(out, v+1, v-1)
		case bool:
			out = append(out, !v)
		}
	}
	return out
}
