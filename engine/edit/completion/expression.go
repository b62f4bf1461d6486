package completion

import (
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/check"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/policy/elsewhere"
	"github.com/preadmit/preadmit/engine/scenario"
)

// maxViews bounds how many kinds of objects are looked at: a policy may match
// dozens, and every one of them costs time.
const maxViews = 4

// enterExpression reports whether the cursor is in a CEL expression, and
// finds out what that can see.
func (q *query) enterExpression() (bool, error) {
	if q.cursor.isKey {
		return false, nil
	}
	doc := q.cursor.document(true)
	path := q.cursor.path.String()
	for _, e := range model.Expressions(doc) {
		if e.Path == path {
			q.expression = e
			q.before, q.after = q.cursor.before, q.cursor.after
			return true, q.look(doc)
		}
	}
	if q.outside = elsewhere.ContextAt(text(doc["apiVersion"]), text(doc["kind"]), path); q.outside != "" {
		q.before, q.after = q.cursor.before, q.cursor.after
		q.expression = model.Free(q.outside)
		return true, q.lookAt(nil, nil)
	}
	return q.enterRule(doc), nil
}

// look makes the views of the expression: one for each kind it is evaluated for.
func (q *query) look(doc map[string]any) error {
	kinds := model.Kinds(q.catalog, model.Rules(doc, q.expression.Webhook), check.Runtime)
	if len(kinds) == 0 {
		kinds = q.requestKinds()
	}
	return q.lookAt(doc, kinds)
}

// lookAt makes the views of an expression with the params and variables of a policy for
// objects of some kinds.
func (q *query) lookAt(doc map[string]any, kinds []schema.GroupVersionKind) error {
	view := check.View{Style: check.Runtime, Scope: q.expression.Scope}
	if gvk, ok := model.ParamKind(doc); ok {
		view.Params, _ = q.catalog.TypeOf(gvk)
	}
	for _, gvk := range kinds[:min(len(kinds), maxViews)] {
		if t, ok := q.catalog.TypeOf(gvk); ok {
			view.Object = t
			q.views = append(q.views, view)
		}
	}
	if len(q.views) == 0 {
		view.Object = q.anyObject()
		q.views = []check.View{view}
	}
	if !q.expression.Scope.Variables {
		return nil
	}
	for i := range q.views {
		variables, err := q.checker.Variables(model.Variables(doc)[:q.expression.Variables], q.views[i])
		if err != nil {
			return err
		}
		q.views[i].Variables = variables
	}
	return nil
}

// requestKinds is the kind of the object in the request text. It is
// used where rules have wildcards.
func (q *query) requestKinds() []schema.GroupVersionKind {
	object := q.requestObject()
	gv, err := schema.ParseGroupVersion(text(object["apiVersion"]))
	if err != nil || text(object["kind"]) == "" {
		return nil
	}
	return []schema.GroupVersionKind{gv.WithKind(text(object["kind"]))}
}

// requestObject is the object in the request text, nil when there is none.
func (q *query) requestObject() map[string]any {
	docs, _ := scenario.ParseDocuments(diag.Request, q.scenario.Request)
	if len(docs) == 0 {
		return nil
	}
	value := docs[0].Value
	if request, ok := value["request"].(map[string]any); ok {
		value = request
	}
	for _, key := range []string{"object", "oldObject"} {
		if object, ok := value[key].(map[string]any); ok {
			return object
		}
	}
	return value
}

// anyObject is what every object has, for rules that name no kind.
func (q *query) anyObject() *catalog.Type {
	known, ok := q.catalog.TypeOf(schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"})
	if !ok {
		return nil
	}
	t := catalog.NewStruct(known.Field("apiVersion"), known.Field("kind"), known.Field("metadata"))
	t.Open = true
	return t
}

// free completes the free expression. It sees what its context sees, with the params and
// variables of a policy if there is one; else params are declared, of unknown type.
func (q *query) free() (Result, error) {
	if err := q.enterFree(); err != nil {
		return Result{}, err
	}
	return q.cel()
}

func (q *query) enterFree() error {
	q.expression = model.Free(q.scenario.ExpressionContext)
	if elsewhere.Variable(q.scenario.ExpressionContext) != "" {
		q.outside = q.scenario.ExpressionContext
	}
	q.before, q.after = q.src[:q.offset], q.src[q.offset:]
	doc := q.freePolicy()
	if doc != nil { // it sees what the expressions of this policy see
		scope := &q.expression.Scope
		_, scope.Params = model.ParamKind(doc)
		scope.Variables, q.expression.Variables = true, len(model.Variables(doc))
	}
	return q.lookAt(doc, q.requestKinds())
}

// freePolicy is the policy whose params and variables the free expression is evaluated
// with, as the engine chooses it: the first of those that have its context. Nil without one.
func (q *query) freePolicy() map[string]any {
	kinds := []string{"ValidatingAdmissionPolicy", "MutatingAdmissionPolicy"}
	switch q.scenario.ExpressionContext {
	case scenario.WebhookContext:
		return nil
	case scenario.MutationContext:
		kinds = kinds[1:]
	case scenario.ConditionContext:
		slices.Reverse(kinds)
	}
	docs, _ := scenario.ParseDocuments(diag.Policies, q.scenario.Policies)
	for _, kind := range kinds {
		for _, d := range docs {
			if d.Kind == kind && strings.HasPrefix(d.APIVersion, registration+"/") {
				return d.Value
			}
		}
	}
	return nil
}

// local is a variable that a macro binds around the cursor.
type local struct {
	name string
	typ  *cel.Type
}

// surroundings is what the checker says about the place of the cursor.
type surroundings struct {
	// operand is the type of what is before the dot, nil without a dot.
	operand *cel.Type
	locals  []local
	result  *check.Result
}

// surroundingsOf checks the expression text up to the cursor, with the marker
// in the cursor's place. The text ends after a dot, or where a name may begin.
// It returns nil when nothing can be said.
func (q *query) surroundingsOf(text string, view check.View) (*surroundings, error) {
	stack := brackets(source.Lex(text))
	for _, attempt := range []string{text + marker + closers(stack), chain(text) + marker} {
		parsed, issues, err := q.checker.Parse(attempt, view)
		if err != nil {
			return nil, err
		}
		if issues != nil && issues.Err() != nil {
			continue
		}
		s, err := q.check(parsed, view)
		if s != nil || err != nil {
			return s, err
		}
	}
	return nil, nil
}

// chain is the selection that a text ends with, such as a.b[0].c. after the
// last operator: enough where the rest does not parse.
func chain(text string) string {
	tokens := source.Lex(text)
	depth := 0
	for i := len(tokens) - 1; i >= 0; i-- {
		t := tokens[i]
		isOptional := t.Text == "?" && i > 0 && tokens[i-1].Text == "."
		switch {
		case t.Text == ")" || t.Text == "]":
			depth++
		case depth > 0 && (t.Text == "(" || t.Text == "["):
			depth--
		case depth > 0 || t.Kind == source.Word || t.Text == "." || isOptional:
		default:
			return text[t.EndBytes():]
		}
	}
	return text
}

func (q *query) check(parsed *cel.Ast, view check.View) (*surroundings, error) {
	native := parsed.NativeRep()
	r := &reducer{factory: ast.NewExprFactory(), nextID: ast.MaxID(native) + 1}
	reduced := r.reduce(native.Expr())
	if reduced == nil {
		return nil, nil
	}
	native.Expr().SetKindCase(reduced)
	result, err := q.checker.CheckParsed(parsed, view)
	if err != nil || result.AST == nil {
		return nil, err
	}
	s := &surroundings{result: result}
	typeOf := func(e ast.Expr) *cel.Type { return result.AST.NativeRep().GetType(e.ID()) }
	if r.operand != nil {
		s.operand = typeOf(r.operand)
	}
	for _, l := range r.locals {
		s.locals = append(s.locals, local{l.AsIdent(), typeOf(l)})
	}
	return s, nil
}

// reducer cuts an expression down to what gives the place of the marker its
// type: the operand before it, inside the macros around it. All else could only
// be wrong in its own way and keep the checker from an answer.
type reducer struct {
	factory ast.ExprFactory
	nextID  int64
	scope   []string
	operand ast.Expr
	locals  []ast.Expr
}

func (r *reducer) id() int64 {
	r.nextID++
	return r.nextID
}

// reduce returns what replaces e: nil when the marker is not in it.
func (r *reducer) reduce(e ast.Expr) ast.Expr {
	switch e.Kind() {
	case ast.IdentKind:
		if e.AsIdent() == marker {
			return r.leaf(nil)
		}
	case ast.SelectKind:
		if e.AsSelect().FieldName() == marker {
			return r.leaf(e.AsSelect().Operand())
		}
		return r.reduce(e.AsSelect().Operand())
	case ast.CallKind:
		return r.call(e.AsCall())
	case ast.ComprehensionKind:
		return r.comprehension(e.AsComprehension())
	}
	return r.any(source.Operands(e)...)
}

func (r *reducer) any(list ...ast.Expr) ast.Expr {
	for _, e := range list {
		if out := r.reduce(e); out != nil {
			return out
		}
	}
	return nil
}

func (r *reducer) call(c ast.CallExpr) ast.Expr {
	args := c.Args()
	// a.?b is a call with the name of the field as a text.
	if c.FunctionName() == "_?._" && len(args) == 2 && args[1].Kind() == ast.LiteralKind && args[1].AsLiteral() == types.String(marker) {
		return r.leaf(args[0])
	}
	if c.IsMemberFunction() {
		if c.FunctionName() == marker {
			return r.leaf(c.Target())
		}
		args = append([]ast.Expr{c.Target()}, args...)
	}
	return r.any(args...)
}

// comprehension keeps the variables that a macro binds around the marker.
func (r *reducer) comprehension(c ast.ComprehensionExpr) ast.Expr {
	if out := r.any(c.IterRange(), c.AccuInit()); out != nil {
		return out
	}
	outer := len(r.scope)
	defer func() { r.scope = r.scope[:outer] }()
	r.bind(c.AccuVar())
	if out := r.reduce(c.Result()); out != nil {
		return r.bound(c, r.factory.NewLiteral(r.id(), types.False), c.AccuInit(), r.factory.NewIdent(r.id(), c.AccuVar()), out)
	}
	r.bind(c.IterVar())
	if c.HasIterVar2() {
		r.bind(c.IterVar2())
	}
	out := r.any(c.LoopStep(), c.LoopCondition())
	if out == nil {
		return nil
	}
	// The accumulator takes whatever the body is now.
	start := r.dyn(r.factory.NewLiteral(r.id(), types.NullValue))
	return r.bound(c, r.factory.NewLiteral(r.id(), types.True), start, r.dyn(out), r.factory.NewIdent(r.id(), c.AccuVar()))
}

func (r *reducer) bound(c ast.ComprehensionExpr, condition, init, step, result ast.Expr) ast.Expr {
	if c.HasIterVar2() {
		return r.factory.NewComprehensionTwoVar(r.id(), c.IterRange(), c.IterVar(), c.IterVar2(), c.AccuVar(), init, condition, step, result)
	}
	return r.factory.NewComprehension(r.id(), c.IterRange(), c.IterVar(), c.AccuVar(), init, condition, step, result)
}

// bind adds a variable of a macro; those that macros make up have names that
// nobody can write.
func (r *reducer) bind(name string) {
	if name != "" && isLetter(name[0]) && !strings.HasPrefix(name, "__") {
		r.scope = append(r.scope, name)
	}
}

func (r *reducer) dyn(e ast.Expr) ast.Expr { return r.factory.NewCall(r.id(), "dyn", e) }

// leaf is a list of everything whose type we want to know.
func (r *reducer) leaf(operand ast.Expr) ast.Expr {
	var elements []ast.Expr
	if r.operand = operand; operand != nil {
		elements = append(elements, r.dyn(operand))
	}
	for _, name := range r.scope {
		ident := r.factory.NewIdent(r.id(), name)
		r.locals = append(r.locals, ident)
		elements = append(elements, r.dyn(ident))
	}
	return r.factory.NewList(r.id(), elements, nil)
}

// typeAt walks down from the type of the object along field names, through
// lists and maps, as the names of Object types do (semantics §6.5).
func typeAt(t *catalog.Type, steps []string) *catalog.Type {
	for _, step := range steps {
		t = structOf(t).At(step)
	}
	return t
}

// structOf is the struct in a list or map, or the type itself; nil when there
// is none.
func structOf(t *catalog.Type) *catalog.Type {
	for t != nil && (t.Kind == catalog.List || t.Kind == catalog.Map) {
		t = t.Elem
	}
	if t == nil || t.Kind != catalog.Struct {
		return nil
	}
	return t
}
