package completion

import (
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/decls"

	"github.com/preadmit/preadmit/engine/internal/cel/check"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/policy/elsewhere"
)

// cel completes inside an expression.
func (q *query) cel() (Result, error) {
	tokens := source.Lex(q.before)
	if n := len(tokens); n > 0 && tokens[n-1].Open {
		if tokens[n-1].Kind == source.String {
			return q.inString(tokens)
		}
		return q.result("", "", nil), nil
	}
	prefix, suffix := wordAround(q.before, q.after)
	if prefix != "" {
		tokens = tokens[:len(tokens)-1]
		if isDigit(prefix[0]) {
			return q.result("", "", nil), nil // a number
		}
	}
	var items []Item
	for _, view := range q.views {
		more, err := q.itemsAt(tokens, q.before[:len(q.before)-len(prefix)], view)
		if err != nil {
			return Result{}, err
		}
		items = append(items, more...)
	}
	q.requote(items)
	return q.result(prefix, suffix, items), nil
}

// requote makes the texts in what is inserted fit into the scalar: CEL takes
// either quote, YAML ends a single-quoted scalar at the next single one.
func (q *query) requote(items []Item) {
	if q.cursor == nil || !q.cursor.single {
		return
	}
	for i := range items {
		items[i].Apply = strings.ReplaceAll(items[i].Apply, "'", `"`)
		if items[i].Kind == ValueItem {
			items[i].Label = strings.ReplaceAll(items[i].Label, "'", `"`)
		}
	}
}

// itemsAt lists what may begin after the text, whose tokens are given.
func (q *query) itemsAt(tokens []source.Token, text string, view check.View) ([]Item, error) {
	if dot, _ := lastDot(tokens); dot >= 0 {
		return q.afterDot(tokens, text, view)
	}
	if endsOperand(tokens) {
		return nil, nil // an operator has to come first, and Enter would write a name behind a text
	}
	stack := brackets(tokens)
	top := stack[len(stack)-1]
	if top.open == "{" && !top.colon && q.isLiteralType(top.typeName) {
		return q.literalFields(top, view), nil
	}
	s, err := q.surroundingsOf(text, view)
	if err != nil {
		return nil, err
	}
	items := q.literalValues(top, view)
	if s != nil {
		for _, l := range s.locals {
			items = append(items, Item{Label: l.name, Kind: VariableItem, Detail: typeName(l.typ), Boost: localBoost})
		}
	}
	return append(items, q.globals(view)...), nil
}

// endsOperand reports whether the last token is the end of a value, behind which no other may begin.
func endsOperand(tokens []source.Token) bool {
	if len(tokens) == 0 {
		return false
	}
	switch last := tokens[len(tokens)-1]; last.Kind {
	case source.String, source.Number:
		return true
	case source.Word:
		return last.Text != "in"
	default:
		return last.Text == ")" || last.Text == "]" || last.Text == "}"
	}
}

// afterDot lists the members of what is before the dot.
func (q *query) afterDot(tokens []source.Token, text string, view check.View) ([]Item, error) {
	dot, isOptional := lastDot(tokens)
	name, _ := nameBefore(tokens, dot)
	if view.Scope.Patch && (name == "Object" || strings.HasPrefix(name, "Object.")) {
		return q.typeNames(name, view), nil
	}
	if t := elsewhere.TypeOf(q.outside, name, q.version); t != nil {
		items := declaredFields(t)
		if !isOptional {
			items = append(items, q.methods(t.CelType(), view)...)
		}
		return items, nil
	}
	if items := q.namespaced(name+".", view); len(items) > 0 || q.outside != "" && name != "" {
		return items, nil
	}
	s, err := q.surroundingsOf(text, view)
	if err != nil || s == nil || s.operand == nil {
		return nil, err
	}
	items := q.members(s, view, isOptional)
	if s.operand.Kind() == cel.MapKind {
		items = append(q.keyItems(name), items...)
	}
	return items, nil
}

// keyItems are the keys that a map has in the objects of the scenario and that
// can follow a dot.
func (q *query) keyItems(name string) []Item {
	var items []Item
	for _, key := range q.keysOf(name) {
		if isIdentifier(key) {
			items = append(items, Item{Label: key, Kind: FieldItem, Detail: "an existing key", Boost: fieldBoost})
		}
	}
	return items
}

// globals lists what an expression can begin with.
func (q *query) globals(view check.View) []Item {
	items := q.variables(view)
	env, err := q.checker.Env(view)
	if err != nil {
		return items
	}
	var functions []Item
	for name, f := range env.Functions() {
		var global []*decls.OverloadDecl
		for _, o := range f.OverloadDecls() {
			if !o.IsMemberFunction() {
				global = append(global, o)
			}
		}
		if item, ok := q.functionItem(name, global, f); ok {
			item.Kind = FunctionItem
			functions = append(functions, item)
		}
	}
	sortItems(functions)
	items = append(items, functions...)
	has, _ := helpOf("has")
	items = append(items, Item{Label: "has", Kind: MacroItem, Detail: "(" + has.params + ")", Doc: has.text("has"), Apply: has.body, Boost: macroBoost, parameters: parametersOf(has)})
	if view.Scope.Patch {
		items = append(items,
			Item{Label: "Object", Kind: TypeItem, Detail: "the object to merge", Doc: "Fields that are set are merged into the object; nothing can be removed with it.", Apply: "Object{${}}", Boost: q.typeBoost(eval.ApplyConfiguration)},
			Item{Label: "JSONPatch", Kind: TypeItem, Detail: "one operation of a patch", Apply: "JSONPatch{op: '${add}', path: '${/metadata/labels/}', value: ${}}", Boost: q.typeBoost(eval.JSONPatch)})
	}
	for _, word := range []string{"true", "false", "null", "in"} {
		items = append(items, Item{Label: word, Kind: KeywordItem, Boost: keywordBoost})
	}
	return items
}

func (q *query) typeBoost(place eval.Place) int {
	if q.expression.Place.Result == place {
		return localBoost
	}
	return methodBoost
}

// variables lists the variables that are declared here (semantics §1.2).
func (q *query) variables(view check.View) []Item {
	if view.Rule {
		return q.ruleVariables(view)
	}
	if q.outside != "" {
		return []Item{{Label: elsewhere.Variable(q.outside), Kind: VariableItem, Doc: "The only variable here.", Boost: fieldBoost}}
	}
	object := "of the matched kind"
	if view.Object != nil && !view.Object.Open {
		object = describeType(view.Object)
	}
	items := []Item{
		{Label: "object", Kind: VariableItem, Detail: object, Doc: "The object of the request. Null on DELETE.", Boost: fieldBoost + 3},
		{Label: "oldObject", Kind: VariableItem, Detail: object, Doc: "The object as it is stored. Null on CREATE and CONNECT.", Boost: fieldBoost + 2},
		{Label: "request", Kind: VariableItem, Detail: "AdmissionRequest", Doc: "Operation, kind, resource, name, namespace and user of the request.", Boost: fieldBoost + 1},
		{Label: "namespaceObject", Kind: VariableItem, Detail: "Namespace", Doc: "The namespace of the object. Null for cluster-scoped resources.", Boost: fieldBoost},
	}
	if !q.expression.Place.Namespace {
		items[3].Doc = "Always null in match conditions."
		items[3].Boost = keywordBoost
	}
	if view.Scope.Params {
		detail := "of the policy's paramKind"
		if view.Params != nil {
			detail = describeType(view.Params)
		}
		items = append(items, Item{Label: "params", Kind: VariableItem, Detail: detail, Doc: "The param object of the binding. Null when the binding has no paramRef.", Boost: fieldBoost + 2})
	}
	// In audit annotations the authorizer is declared, but reading it fails.
	if view.Scope.Authorizer && q.expression.Place.Result != eval.AuditAnnotation {
		items = append(items, Item{Label: "authorizer", Kind: VariableItem, Detail: "Authorizer", Doc: "Checks what the request's user may do.\n\nEach check costs 350,000.", Boost: methodBoost})
	}
	if view.Scope.Variables && len(view.Variables) > 0 {
		items = append(items, Item{Label: "variables", Kind: VariableItem, Detail: "the policy's variables", Doc: "Each is evaluated when it is first read.", Boost: fieldBoost + 4})
	}
	return items
}

// namespaced lists the functions whose names begin with a prefix such as sets.
func (q *query) namespaced(prefix string, view check.View) []Item {
	env, err := q.checker.Env(view)
	if err != nil {
		return nil
	}
	var items []Item
	for name, f := range env.Functions() {
		rest, ok := strings.CutPrefix(name, prefix)
		if !ok {
			continue
		}
		if item, ok := q.functionItem(name, f.OverloadDecls(), f); ok {
			item.Label, item.Kind, item.Boost = rest, FunctionItem, fieldBoost
			item.Apply = strings.TrimPrefix(item.Apply, prefix)
			items = append(items, item)
		}
	}
	// authorizer.requestResource is a variable with a dot in its name.
	if prefix == "authorizer." && view.Scope.Authorizer {
		items = append(items, Item{Label: "requestResource", Kind: VariableItem, Detail: "ResourceCheck", Doc: "A check of the request's resource.", Boost: fieldBoost})
		items = append(items, q.methods(authorizerType(env), view)...)
	}
	sortItems(items)
	return items
}

func authorizerType(env *cel.Env) *cel.Type {
	for _, v := range env.Variables() {
		if v.Name() == "authorizer" {
			return v.Type()
		}
	}
	return cel.DynType
}

// isLiteralType reports whether a name before { is one of the types that can be
// written as a literal.
func (q *query) isLiteralType(name string) bool {
	return q.expression.Scope.Patch && (name == "Object" || strings.HasPrefix(name, "Object.") || name == "JSONPatch")
}

// objectSteps are the fields in the name of an Object type.
func objectSteps(name string) []string { return strings.Split(name, ".")[1:] }

// typeNames lists the types below an Object type: those of fields that have
// fields of their own.
func (q *query) typeNames(name string, view check.View) []Item {
	t := structOf(typeAt(view.Object, objectSteps(name)))
	if t == nil {
		return nil
	}
	var items []Item
	for _, f := range t.Fields() {
		if inner := structOf(f.Type); inner != nil && isIdentifier(f.Name) {
			items = append(items, Item{Label: f.Name, Kind: TypeItem, Detail: describeType(inner) + atomicNote(f), Doc: q.fieldDoc(t, f), Boost: boostOf(f.Name)})
		}
	}
	return items
}

func atomicNote(f *catalog.Field) string {
	if check.IsAtomic(f) {
		return ", atomic: only a JSONPatch can set it"
	}
	return ""
}
