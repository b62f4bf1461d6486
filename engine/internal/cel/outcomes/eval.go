package outcomes

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"

	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
)

// scope are the variables of the macros around a part of an expression.
type scope map[string]value

func (s scope) with(name string, v value) scope {
	out := maps.Clone(s)
	if out == nil {
		out = scope{}
	}
	out[name] = v
	return out
}

// eval is the value of a part of an expression in this case.
func (r *Run) eval(e *Expression, n *values.Node, in scope) value {
	if *r.steps--; *r.steps < 0 {
		panic(tooMany{})
	}
	switch n.Kind {
	case values.Literal:
		return literal(n.Expr)
	case values.Ident:
		if v, ok := in[n.Name]; ok {
			return v
		}
		return r.root(n.Name)
	case values.Select:
		if v, ok := r.variable(n, in); ok {
			return v
		}
		of := r.eval(e, n.Children[0], in)
		if isCall(n, operators.OptSelect) {
			return r.optional(of, n.Name)
		}
		return r.chained(of, func(of value) value { return r.selected(of, n.Name) })
	case values.Index:
		of, at := r.eval(e, n.Children[0], in), r.eval(e, n.Children[1], in)
		if isCall(n, operators.OptIndex) {
			if at.kind == text {
				return r.optional(of, at.s)
			}
			return r.unclear("[?]", of, at)
		}
		return r.chained(of, func(of value) value { return r.indexed(of, at) })
	case values.Logical:
		return r.logical(e, n, in)
	case values.Ternary:
		switch r.condition(r.eval(e, n.Children[0], in)) {
		case True:
			return r.eval(e, n.Children[1], in)
		case False:
			return r.eval(e, n.Children[2], in)
		}
		return failure
	case values.List:
		out := value{kind: list}
		for _, child := range n.Children {
			item := r.eval(e, child, in)
			if item.kind == failed {
				return failure
			}
			out.items = append(out.items, item)
		}
		return out
	case values.Map:
		return r.mapping(e, n, in)
	case values.Macro:
		return r.macro(e, n, in)
	case values.Call:
		return r.call(e, n, in)
	case values.Struct:
		var parts []value
		for _, child := range n.Children {
			part := r.eval(e, child, in)
			if part.kind == failed {
				return failure
			}
			parts = append(parts, part)
		}
		return value{kind: unknown, key: n.Name + "{" + names(parts) + "}", shape: mapShape, level: deepest(parts...)}
	}
	return r.unclear(n.Name)
}

func isCall(n *values.Node, function string) bool {
	return n.Expr != nil && n.Expr.Kind() == ast.CallKind && n.Expr.AsCall().FunctionName() == function
}

func names(list []value) string {
	var out []string
	for _, v := range list {
		out = append(out, v.name())
	}
	return strings.Join(out, ",")
}

func literal(e ast.Expr) value {
	if e == nil || e.Kind() != ast.LiteralKind {
		return failure
	}
	switch v := e.AsLiteral().Value().(type) {
	case uint64:
		return amount(float64(v))
	case float64:
		return amount(v)
	case []byte:
		return value{kind: unknown, key: "bytes:" + string(v), shape: otherShape}
	default:
		return scalar(v)
	}
}

// exact is where numbers of CEL stop to be numbers here.
const exact = 1 << 53

func amount(n float64) value {
	if math.Abs(n) >= exact {
		return value{kind: unknown, key: "number:" + value{kind: number, n: n}.name(), shape: numberShape}
	}
	return value{kind: number, n: n}
}

// unclear is a result of which nothing is known: it may be an error too.
func (r *Run) unclear(what string, of ...value) value {
	if slices.ContainsFunc(of, func(v value) bool { return v.kind == failed }) {
		return failure
	}
	v := value{kind: unknown, key: what + "(" + names(of) + ")", level: deepest(of...)}
	if r.choose(v.level, "fails "+v.key, 0, 1) == 1 {
		return failure
	}
	return v
}

// root is a variable that every expression has.
func (r *Run) root(name string) value {
	v := value{kind: unknown, key: name, path: []string{name}, shape: mapShape}
	w := r.world
	switch name {
	case "object", "oldObject":
		missing := map[string]string{"object": "DELETE", "oldObject": "CREATE"}[name]
		if w.Operation == missing || w.Operation == "CONNECT" && name == "oldObject" {
			return value{kind: null}
		}
		v.typ = w.Object
		if w.Operation == "" && r.choose(0, "null "+name, 0, 1) == 1 {
			return value{kind: null}
		}
		return v
	case "request":
		return v
	case "namespaceObject":
		v.typ = nil
		if w.Resource != nil && !w.Resource.Namespaced && w.Resource.GVK.Kind != "Namespace" {
			return value{kind: null}
		}
		if r.choose(0, "null "+name, 0, 1) == 1 {
			return value{kind: null}
		}
		return v
	case "params":
		v.typ = w.Params
		if r.choose(0, "null "+name, 0, 1) == 1 {
			return value{kind: null}
		}
		return v
	}
	v.shape, v.path = anyShape, nil
	return v
}

// variable is the value of variables.name.
func (r *Run) variable(n *values.Node, in scope) (value, bool) {
	if len(n.Children) == 0 || n.Children[0].Kind != values.Ident || n.Children[0].Name != "variables" {
		return failure, false
	}
	if _, shadowed := in["variables"]; shadowed {
		return failure, false
	}
	of := r.world.Variables[n.Name]
	if of == nil {
		return r.unclear("variables." + n.Name), true
	}
	return r.eval(of, of.tree.Root, nil), true
}

// chained selects from a value, or from what an optional value holds.
func (r *Run) chained(of value, get func(value) value) value {
	switch of.kind {
	case none:
		return of
	case some:
		v := get(*of.inner)
		if v.kind == failed { // an absent key may also make an optional value that is none
			at := deepest(*of.inner)
			if r.pick(at, 0, 1) == 1 {
				return value{kind: none}
			}
			return failure
		}
		return value{kind: some, inner: &v}
	}
	return get(of)
}

// selected is a field, or what a map has for a key.
func (r *Run) selected(of value, name string) value {
	switch of.kind {
	case mapping:
		if i := slices.Index(of.keys, name); i >= 0 {
			return of.items[i]
		}
		return failure
	case unknown:
		known, ok := r.ofRequest(of, name)
		switch {
		case ok && known.kind == failed || !ok && !r.present(of, name):
			return value{kind: failed, key: of.key + "." + name}
		case ok:
			return known
		}
		return r.field(of, name, r.typeOf(of, name))
	case failed:
		return of
	}
	return failure
}

// typeOf is the type of a field; nil if it is not known.
func (r *Run) typeOf(of value, name string) *catalog.Type {
	switch {
	case of.typ == nil && name == "metadata" && (of.key == "object" || of.key == "oldObject"):
		return r.world.Metadata
	case of.typ == nil:
		return nil
	case of.typ.Kind == catalog.Map:
		return of.typ.Elem
	case of.typ.Kind == catalog.Struct && of.typ.Field(name) != nil:
		return of.typ.Field(name).Type
	}
	return nil
}

// alwaysThere are fields that every request and object has.
var alwaysThere = map[string][]string{
	"request": {"uid", "kind", "resource", "operation", "userInfo"}, "request.kind": {"group", "version", "kind"}, "request.resource": {"group", "version", "resource"},
	"object": {"apiVersion", "kind", "metadata"}, "oldObject": {"apiVersion", "kind", "metadata"}, "namespaceObject": {"metadata"},
}

// present reports whether a field or key is there.
func (r *Run) present(of value, name string) bool {
	if of.shape != mapShape && of.shape != anyShape {
		return false
	}
	if slices.Contains(alwaysThere[of.key], name) {
		return true
	}
	if of.typ != nil && of.typ.Kind == catalog.Struct && !of.typ.Open {
		f := of.typ.Field(name)
		switch {
		case f == nil:
			return false
		case f.DeclaredIn != "" && !f.Pointer && !f.OmitZero && f.Type != nil && f.Type.Kind == catalog.Struct:
			return true // the server writes {}
		}
	}
	key := r.alias(of.key + "." + name)
	set := r.world.Texts[key]
	switch {
	case set.Missing:
		return false
	case set.Exists || r.holdsKnown(key):
		return true
	}
	l := r.levels[of.level]
	if of.path != nil {
		l.paths["has "+key] = append(of.path[:len(of.path):len(of.path)], name)
	}
	return r.choose(of.level, "has "+key, 1, 0) == 1
}

// holdsKnown reports whether a value is known of a field, or of one in it.
func (r *Run) holdsKnown(key string) bool {
	for of := range r.world.Known {
		if of == key || strings.HasPrefix(of, key+".") {
			return true
		}
	}
	return false
}

// scalar is the value of a text, integer or bool.
func scalar(v any) value {
	switch v := v.(type) {
	case bool:
		return boolOf(v)
	case int64:
		return amount(float64(v))
	case string:
		return value{kind: text, s: v}
	}
	return value{kind: null}
}

// ofRequest is what the world says about a field of the request or the object.
func (r *Run) ofRequest(of value, name string) (value, bool) {
	w := r.world
	if v, ok := w.Known[of.key+"."+name]; ok {
		return scalar(v), true
	}
	known := func(s string) (value, bool) { return value{kind: text, s: s}, true }
	switch of.key + "." + name {
	case "request.operation":
		if w.Operation != "" {
			return known(w.Operation)
		}
	case "request.subResource":
		if w.Resource != nil && w.Sub != "" {
			return known(w.Sub)
		}
		if w.Resource != nil {
			return failure, true // the server leaves an empty one out
		}
	case "request.namespace":
		if w.Resource != nil && !w.Resource.Namespaced && w.Resource.GVK.Kind != "Namespace" {
			return failure, true
		}
	case "request.resource.group":
		if w.Resource != nil {
			return known(w.Resource.GVR.Group)
		}
	case "request.resource.version":
		if w.Resource != nil {
			return known(w.Resource.GVR.Version)
		}
	case "request.resource.resource":
		if w.Resource != nil {
			return known(w.Resource.GVR.Resource)
		}
	case "request.kind.kind", "object.kind", "oldObject.kind":
		if w.Resource != nil && w.Sub == "" {
			return known(w.Resource.GVK.Kind)
		}
	case "request.kind.group":
		if w.Resource != nil && w.Sub == "" {
			return known(w.Resource.GVK.Group)
		}
	}
	return failure, false
}

// optional is a field as an optional value.
func (r *Run) optional(of value, name string) value {
	switch of.kind {
	case failed:
		return failure
	case none:
		return of
	case some:
		of = *of.inner
	}
	if of.kind == null {
		return failure
	}
	if of.kind == unknown && of.shape != mapShape && of.shape != anyShape || of.kind != unknown && of.kind != mapping {
		return failure
	}
	v := r.selected(of, name)
	if v.kind == failed {
		return value{kind: none}
	}
	return value{kind: some, inner: &v}
}

// indexed is an item of a list, or what a map has for a key.
func (r *Run) indexed(of, at value) value {
	switch {
	case of.kind == failed:
		return of
	case at.kind == failed || of.kind == null || at.kind == null:
		return failure
	case at.kind == text && (of.kind == mapping || of.kind == unknown):
		return r.selected(of, at.s)
	case of.kind == list && at.kind == number:
		if i := int(at.n); float64(i) == at.n && i >= 0 && i < len(of.items) {
			return of.items[i]
		}
		return failure
	case of.kind == unknown && of.shape != mapShape && of.shape != listShape && of.shape != anyShape:
		return failure
	}
	v := r.unclear("[]", of, at)
	if v.kind == failed {
		return v
	}
	if of.kind == unknown && of.typ != nil {
		v.typ = of.typ.Elem
		v.shape = r.shapeOf(v.typ)
		v.integral = v.typ != nil && v.typ.Kind == catalog.Integer
	}
	return v
}

// logical is && and ||, of which an error does not matter where the other side decides.
func (r *Run) logical(e *Expression, n *values.Node, in scope) value {
	decides, rest := False, True
	if n.Name == operators.LogicalOr {
		decides, rest = True, False
	}
	result := rest
	for _, child := range n.Children {
		switch r.condition(r.eval(e, child, in)) {
		case decides:
			return boolOf(decides == True)
		case Failed:
			result = Failed
		}
	}
	if result == Failed {
		return failure
	}
	return boolOf(result == True)
}

func (r *Run) mapping(e *Expression, n *values.Node, in scope) value {
	out := value{kind: mapping}
	var all []value
	known := true
	for i := 0; i+1 < len(n.Children); i += 2 {
		key, v := r.eval(e, n.Children[i], in), r.eval(e, n.Children[i+1], in)
		if key.kind == failed || v.kind == failed {
			return failure
		}
		all = append(all, key, v)
		known = known && key.kind == text
		out.keys, out.items = append(out.keys, key.s), append(out.items, v)
	}
	if !known || n.Expr != nil && n.Expr.Kind() == ast.MapKind && n.Expr.AsMap().Size() != len(out.keys) {
		return value{kind: unknown, key: "map{" + names(all) + "}", shape: mapShape, level: deepest(all...)}
	}
	return out
}
