package completion

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/preadmit/preadmit/engine/internal/cel/check"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// Boosts order the list: what the place knows comes before what is always there.
const (
	fieldBoost   = 20
	localBoost   = 30
	methodBoost  = 0
	macroBoost   = 5
	guessBoost   = -40 // of a value whose type is not known
	keywordBoost = -20
)

// members lists what can follow a value and a dot. After .? only fields can.
func (q *query) members(s *surroundings, view check.View, onlyFields bool) []Item {
	t := s.operand
	if inner, ok := optional(t); ok {
		items := q.fields(s.result, inner, view)
		if !onlyFields {
			items = append(items, q.methods(t, view)...)
		}
		return items
	}
	items := q.fields(s.result, t, view)
	if !onlyFields {
		items = append(items, q.methods(t, view)...)
	}
	return items
}

// optional is the type of the value in an optional.
func optional(t *cel.Type) (*cel.Type, bool) {
	if t != nil && t.Kind() == cel.OpaqueKind && t.TypeName() == "optional_type" && len(t.Parameters()) == 1 {
		return t.Parameters()[0], true
	}
	return nil, false
}

// fields lists the fields of a type.
func (q *query) fields(result *check.Result, t *cel.Type, view check.View) []Item {
	if place, ok := result.PlaceOf(t); ok {
		return q.fieldItems(place.Type)
	}
	if t == nil || t.Kind() != cel.StructKind {
		return nil
	}
	var items []Item
	if t.TypeName() == "kubernetes.variables" {
		for i, v := range view.Variables {
			// Later ones are built on earlier ones and are what is wanted more often.
			items = append(items, Item{Label: v.Name, Kind: VariableItem, Detail: typeName(v.Type), Doc: v.Expression, Boost: fieldBoost + min(i, 20)})
		}
		return items
	}
	if declared, ok := handmade()[t.TypeName()]; ok {
		items = declaredFields(declared)
		for i := range items {
			items[i].Doc = requestDoc[items[i].Label]
		}
	}
	return items
}

// declaredFields lists the fields of a type that the server declares by hand.
func declaredFields(t *apiservercel.DeclType) (items []Item) {
	for name, f := range t.Fields {
		if plain, ok := apiservercel.Unescape(name); ok {
			name = plain
		}
		items = append(items, Item{Label: name, Kind: FieldItem, Detail: typeName(f.Type.CelType()), Boost: boostOf(name)})
	}
	sortItems(items)
	return items
}

// handmade are the types of request and namespaceObject, which the server
// declares by hand (semantics §1.3, §1.4), by name.
var handmade = sync.OnceValue(func() map[string]*apiservercel.DeclType {
	out := map[string]*apiservercel.DeclType{}
	for _, root := range []*apiservercel.DeclType{plugincel.BuildRequestType(), plugincel.BuildNamespaceType()} {
		for name, t := range apiservercel.FieldTypeMap(root.TypeName(), root) {
			if t.IsObject() {
				out[name] = t
			}
		}
	}
	return out
})

// requestDoc says what differs from what the names promise.
var requestDoc = map[string]string{
	"kind":               "The kind that the policy matched, which matchPolicy Equivalent may have converted to.",
	"requestKind":        "The kind as the client sent it.",
	"resource":           "The resource that the policy matched.",
	"requestResource":    "The resource as the client sent it.",
	"subResource":        "The subresource, such as status or scale. Absent, not empty, when there is none: guard it with has().",
	"requestSubResource": "The subresource as the client sent it. Absent when there is none.",
	"operation":          "CREATE, UPDATE, DELETE or CONNECT.",
	"name":               "The name of the object; empty on CREATE with generateName.",
	"namespace":          "The namespace of the request. Absent for cluster-scoped resources.",
	"userInfo":           "Who sends the request: username, uid, groups, extra.",
	"dryRun":             "Whether nothing will be stored.",
	"options":            "The options of the operation, such as CreateOptions.",
	"UID":                "Declared under this name, but the data has uid: reading it always fails.",
	"creationTimestamp":  "Declared as a timestamp, but the value is a string: its methods fail.",
}

// fieldItems lists the fields of a struct type as they can follow a dot.
func (q *query) fieldItems(t *catalog.Type) []Item {
	var items []Item
	for _, f := range t.Fields() {
		label, ok := q.selectable(f.Name)
		if !ok {
			continue
		}
		items = append(items, Item{
			Label: label, Kind: FieldItem, Detail: describeField(f), Doc: q.fieldDoc(t, f), Boost: boostOf(f.Name),
		})
	}
	return items
}

// boostOf puts the fields that nearly every expression is about first.
func boostOf(field string) int {
	switch field {
	case "spec", "metadata", "data", "labels", "annotations", "containers", "template", "name", "image", "replicas", "operation", "userInfo":
		return fieldBoost + 5
	case "kind", "apiVersion", "managedFields", "selfLink", "status":
		return fieldBoost - 5
	}
	return fieldBoost
}

func describeField(f *catalog.Field) string {
	text := describeType(f.Type)
	if f.OmitEmpty || f.OmitZero {
		text += ", optional"
	}
	return text
}

// describeType names a type as its documentation does.
func describeType(t *catalog.Type) string {
	switch {
	case t.Kind == catalog.List:
		return "[]" + describeType(t.Elem)
	case t.Kind == catalog.Map:
		return "map[string]" + describeType(t.Elem)
	case len(t.Enum) > 0:
		return strings.Join(quoteAll(t.Enum), " | ")
	case t.ID != "":
		return t.ID[strings.LastIndexByte(t.ID, '.')+1:]
	case t.Kind == catalog.Struct:
		return "object"
	}
	return t.Kind.String()
}

func quoteAll(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = "'" + s + "'"
	}
	return out
}

func (q *query) fieldDoc(t *catalog.Type, f *catalog.Field) string {
	doc := ""
	if t.ID != "" {
		doc = q.docs(t.ID, f.Name)
	}
	if f.HasDefault && f.Default != nil && f.Default != "" {
		doc = strings.TrimSpace(doc + fmt.Sprintf("\n\nDefault: %v", f.Default))
	}
	return doc
}

// typeName shows a CEL type without the marks of our own names.
func typeName(t *cel.Type) string {
	return strings.NewReplacer("<object>", "object", "<params>", "params", ".@idx", "[]", ".@elem", "[]", "optional_type", "optional").
		Replace(cel.FormatCELType(t))
}

// methods lists the functions and macros that can be called on a value.
func (q *query) methods(t *cel.Type, view check.View) []Item {
	env, err := q.checker.Env(view)
	if err != nil {
		return nil
	}
	var items []Item
	for name, f := range env.Functions() {
		var fitting []*decls.OverloadDecl
		for _, o := range f.OverloadDecls() {
			if o.IsMemberFunction() && accepts(o.ArgTypes()[0], t) {
				fitting = append(fitting, o)
			}
		}
		if item, ok := q.functionItem(name, fitting, f); ok {
			item.Kind, item.Boost = MethodItem, methodBoost
			items = append(items, item)
		}
	}
	items = append(items, q.macros(t)...)
	if isDyn(t) {
		for i := range items {
			items[i].Boost = guessBoost
		}
	}
	sortItems(items)
	return items
}

func isDyn(t *cel.Type) bool { return t == nil || t.Kind() == cel.DynKind || t.Kind() == cel.AnyKind }

// accepts reports whether a parameter takes an argument, as far as is known.
func accepts(param, arg *cel.Type) bool {
	if isDyn(arg) || isDyn(param) || param.Kind() == types.TypeParamKind || arg.Kind() == types.TypeParamKind {
		return true
	}
	if param.Kind() != arg.Kind() || param.TypeName() != arg.TypeName() && param.Kind() != cel.ListKind && param.Kind() != cel.MapKind {
		return false
	}
	have := arg.Parameters()
	for i, p := range param.Parameters() {
		if i < len(have) && !accepts(p, have[i]) {
			return false
		}
	}
	return true
}

// functionItem describes a function by the overloads that fit.
func (q *query) functionItem(name string, overloads []*decls.OverloadDecl, f *decls.FunctionDecl) (Item, bool) {
	h, known := helpOf(name)
	if len(overloads) == 0 || !isCallable(name) || q.version.Before(version.FunctionSince(name)) {
		return Item{}, false
	}
	if !known {
		h.doc = f.Description()
	}
	shortest, longest := len(arguments(overloads[0])), 0
	var results []string
	for _, o := range overloads {
		shortest, longest = min(shortest, len(arguments(o))), max(longest, len(arguments(o)))
		if r := typeName(o.ResultType()); !slices.Contains(results, r) {
			results = append(results, r)
		}
	}
	result := strings.Join(results, " | ")
	if len(results) > 3 {
		result = "…"
	}
	names := parametersOf(h)
	if !known {
		for i := range longest {
			names = append(names, fmt.Sprintf("value%d", i+1))
		}
	}
	names = names[:min(longest, len(names))]
	return Item{
		Label: name, Detail: signature(names, shortest) + " → " + result, Doc: h.text(name), Apply: name + call(names[:min(shortest, len(names))], longest > 0),
		parameters: names,
	}, true
}

func arguments(o *decls.OverloadDecl) []*cel.Type {
	if o.IsMemberFunction() {
		return o.ArgTypes()[1:]
	}
	return o.ArgTypes()
}

// signature writes parameters, those that may be left out in brackets.
func signature(names []string, required int) string {
	var b strings.Builder
	b.WriteByte('(')
	for i, n := range names {
		if i >= required {
			b.WriteByte('[')
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(n)
	}
	b.WriteString(strings.Repeat("]", max(len(names)-required, 0)))
	return b.String() + ")"
}

// call is the text of a call with places to fill in.
func call(names []string, takesArguments bool) string {
	if len(names) == 0 {
		if takesArguments {
			return "(${})"
		}
		return "()"
	}
	return "(${" + strings.Join(names, "}, ${") + "})"
}

// text is the help in words about the function or macro of that name.
func (h help) text(name string) string {
	out := h.doc
	if h.cost != "" {
		out += "\n\nCost: " + h.cost + "."
	}
	if since := version.FunctionSince(name); since != (version.Version{}) {
		out += fmt.Sprintf("\n\nSince Kubernetes %s.", since)
	}
	return strings.TrimSpace(out)
}

// macros lists the macros that can be called on a value of a type.
func (q *query) macros(t *cel.Type) []Item {
	_, isOptional := optional(t)
	isRange := isDyn(t) || t.Kind() == cel.ListKind || t.Kind() == cel.MapKind
	var items []Item
	for _, m := range functions() {
		name := m.name
		ofOptional := strings.HasPrefix(name, "opt")
		if !m.isMacro() || name == "has" || q.version.Before(version.FunctionSince(name)) || ofOptional && !isOptional && !isDyn(t) || !ofOptional && !isRange {
			continue
		}
		if name == "sortBy" && !isDyn(t) && t.Kind() != cel.ListKind {
			continue
		}
		items = append(items, Item{Label: name, Kind: MacroItem, Detail: "(" + m.params + ")", Doc: m.text(name), Apply: m.body, Boost: macroBoost, parameters: parametersOf(m)})
	}
	return items
}

// isCallable keeps operators and internal functions out of the list.
func isCallable(name string) bool {
	for _, part := range strings.Split(name, ".") {
		if !isIdentifier(part) || strings.HasPrefix(part, "__") || strings.HasPrefix(part, "_") || part == "in" {
			return false
		}
	}
	return true
}

func isIdentifier(s string) bool {
	for i := range len(s) {
		if !isLetter(s[i]) && (i == 0 || !isDigit(s[i])) {
			return false
		}
	}
	return s != ""
}

func sortItems(items []Item) {
	sort.SliceStable(items, func(i, j int) bool { return items[i].Label < items[j].Label })
}
