package typecheck

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"

	"github.com/preadmit/preadmit/engine/internal/cel/check"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/repair/expressions"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// literals checks every Object{} literal below a node against the schema
// (semantics §6.5). A literal is checked at the place that its own name gives
// it; a literal in a field of another one must have the name of that place.
func (a *analysis) literals(root ast.Expr) {
	ast.PreOrderVisit(root, ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() == ast.StructKind && isObject(e.AsStruct().TypeName()) {
			a.literal(e)
		}
		if e.Kind() == ast.StructKind && e.AsStruct().TypeName() == "JSONPatch" {
			a.operation(e)
		}
	}))
}

// operation finds an operation of a JSON Patch that needs a value and has none: the
// server takes null for it.
func (a *analysis) operation(e ast.Expr) {
	fields := map[string]ast.Expr{}
	for _, item := range e.AsStruct().Fields() {
		fields[item.AsStructField().Name()] = item.AsStructField().Value()
	}
	if a.sourceAsValue(fields) {
		return
	}
	a.unknownPointer(fields)
	if fields["value"] != nil {
		a.patchValue(fields["value"], a.pointed(fields["path"]))
		a.itemAsList(fields["op"], fields["path"], fields["value"])
		a.listAsItem(fields["path"], fields["value"])
		return
	}
	op := fields["op"]
	if op == nil || op.Kind() != ast.LiteralKind {
		return
	}
	name, _ := op.AsLiteral().Value().(string)
	if name != "add" && name != "replace" && name != "test" {
		return
	}
	start, end := a.place(op.ID())
	a.add(finding{code: codes.PatchOperation, draft: true, start: start, end: end, summary: "the operation " + name + " has no value",
		detail:      "The server reads it as null and drops the field. Write the value, or remove the field with op: 'remove'.",
		replacement: a.source.Slice(start, end) + ", value: " + a.emptyValue(fields["path"])})
}

// emptyValue is a value to begin with, of the type of the field that a path leads to.
func (a *analysis) emptyValue(path ast.Expr) string {
	t := a.pointed(path)
	if t == nil {
		return "''"
	}
	switch t.Kind {
	case catalog.Struct, catalog.Map:
		return "{}"
	case catalog.List:
		return "[]"
	case catalog.Boolean:
		return "true"
	case catalog.Integer, catalog.Number:
		return "0"
	}
	return "''"
}

// pointed is the type of the field that a literal path leads to; nil where it is not
// known.
func (a *analysis) pointed(path ast.Expr) *catalog.Type {
	if path == nil || path.Kind() != ast.LiteralKind {
		return nil
	}
	pointer, _ := path.AsLiteral().Value().(string)
	return a.view.Object.At(strings.Split(strings.TrimPrefix(pointer, "/"), "/")...)
}

// patchValue finds literals in the value of an operation that have another type than
// the field: the server cannot decode the object that the patch makes.
func (a *analysis) patchValue(value ast.Expr, want *catalog.Type) {
	switch {
	case want == nil:
		return
	case value.Kind() == ast.ListKind && want.Kind == catalog.List:
		for _, item := range value.AsList().Elements() {
			a.patchValue(item, want.Elem)
		}
		return
	case value.Kind() == ast.MapKind && want.Kind == catalog.Map:
		for _, entry := range value.AsMap().Entries() {
			a.patchValue(entry.AsMapEntry().Value(), want.Elem)
		}
		return
	case value.Kind() != ast.LiteralKind:
		a.patchedType(value, want)
		return
	}
	got := value.AsLiteral().Type().TypeName()
	if got == "string" && (want.Kind == catalog.Map || want.Kind == catalog.List) {
		a.valueInText(value, want)
		return
	}
	to := map[catalog.Kind]string{catalog.Integer: "int", catalog.Boolean: "bool", catalog.String: "string"}[want.Kind]
	if to == "" || got == to || got == "null_type" || got == "double" && to == "int" || got == "uint" && to == "int" {
		return
	}
	start, end := a.place(value.ID())
	a.add(finding{code: codes.LiteralWrongType, start: start, end: end, replacement: expressions.Converted(a.source.Slice(start, end), to),
		summary: fmt.Sprintf("the field is %s, not %s", kindName(want), got), detail: "The mutation fails at run time: the server cannot read the patched object."})
}

func isObject(typeName string) bool {
	return typeName == "Object" || strings.HasPrefix(typeName, "Object.")
}

func (a *analysis) literal(e ast.Expr) {
	name := e.AsStruct().TypeName()
	at, belowMap := a.placeOf(name)
	for _, item := range e.AsStruct().Fields() {
		field := item.AsStructField()
		a.names(field.Value(), name+"."+field.Name())
		a.nestedMaps(field.Value(), 0, origin{value: field.Value(), place: name + "." + field.Name()})
		if at == nil || at.Kind != catalog.Struct {
			continue
		}
		start, end := a.place(item.ID())
		f := at.Field(field.Name())
		if f == nil {
			if !at.Open {
				a.unknown(at, name, field.Name(), start, end)
			}
			continue
		}
		if a.expression.Place.Result == eval.ApplyConfiguration && check.IsAtomic(f) && !belowMap && !(field.IsOptional() && a.alwaysNone(field.Value())) {
			a.add(finding{code: codes.LiteralAtomic, start: start, end: end,
				summary: fmt.Sprintf("%s is atomic: an ApplyConfiguration may not set it", path(name, f.Name)),
				detail:  "The API replaces this value as a whole, so merging into it is rejected: \"may not mutate atomic arrays, maps or structs\". Use a JSONPatch for it.",
				patches: a.asPatches(a.expression.Text)})
			continue
		}
		if a.expression.Place.Result == eval.ApplyConfiguration && !belowMap && a.removesNothing(name, field, f) {
			continue
		}
		if !belowMap {
			a.mergesNothing(name, field.Value(), f)
			a.addsAgain(name, field)
		}
		if len(f.ListMapKeys) > 0 && f.Type.Kind == catalog.List && a.expression.Place.Result == eval.ApplyConfiguration {
			if fixed := a.eachItem(field.Value(), f, path(name, f.Name)); fixed != "" {
				start, end := a.place(field.Value().ID())
				found := missingKey(start, end, path(name, f.Name), f.ListMapKeys[0], "To change every item, create one for each: list.map(c, ...).")
				found.repaired = fixed
				a.add(found)
				continue
			}
			a.keys(field.Value(), f.ListMapKeys[0], path(name, f.Name), "")
		}
		a.fieldValue(field.Value(), f.Type, path(name, f.Name))
		if a.expression.Place.Result != eval.ApplyConfiguration {
			a.patchValue(field.Value(), f.Type)
		}
	}
}

// keys finds items of a keyed list that do not set its first key: the merge finds none
// that they belong to and appends one without a name. In list.map(c, ...) the item that
// is meant is c.
func (a *analysis) keys(value ast.Expr, key, list, variable string) {
	if value.Kind() == ast.ComprehensionKind {
		variable = value.AsComprehension().IterVar()
	}
	if value.Kind() != ast.StructKind {
		for _, part := range results(value) {
			a.keys(part, key, list, variable)
		}
		return
	}
	for _, item := range value.AsStruct().Fields() {
		if item.AsStructField().Name() == key {
			return
		}
	}
	start, end := a.typeName(value.ID())
	f := missingKey(start, end, list, key, "An item without it is appended to the list instead of changing the existing item.")
	text := []rune(a.expression.Text)
	if open := strings.IndexRune(string(text[min(end, len(text)):]), '{'); variable != "" && open >= 0 {
		at := end + len([]rune(string(text[end:])[:open])) + 1
		separator := ", "
		if len(value.AsStruct().Fields()) == 0 {
			separator = ""
		}
		f.repaired = string(text[:at]) + key + ": " + variable + "." + key + separator + string(text[at:])
	}
	a.add(f)
}

// missingKey is the finding of an item without the key of its list; next says what comes of it, or what to write.
func missingKey(start, end int, list, key, next string) finding {
	return finding{code: codes.LiteralMissingKey, start: start, end: end,
		summary: fmt.Sprintf("an item of %s has no %s, the list's merge key", list, key),
		detail:  "Each item of this list is identified by its " + key + ". " + next}
}

// asPatches are a text of the expression as a JSONPatch, where there is one that the version can run: one
// that adds to lists that are replaced as a whole, and one that replaces them.
func (a *analysis) asPatches(text string) []string {
	var out []string
	for _, patch := range []string{expressions.AsAddingPatch(text, a.view.Object, a.conditions()), expressions.AsPatch(text, a.view.Object, a.conditions())} {
		if patch == "" || slices.Contains(out, patch) {
			continue
		}
		if result, err := a.checker.Check(patch, a.view); err == nil && result.Issues == nil {
			out = append(out, patch)
		}
	}
	return out
}

// path is a field as the paths of the API have it: Object.spec and replicas
// give spec.replicas.
func path(typeName, field string) string {
	return strings.TrimPrefix(strings.TrimPrefix(typeName, "Object")+"."+field, ".")
}

// placeOf is the type at the path in the name of an Object type, nil when it is
// not known. Below a map the server does not look for atomic values.
func (a *analysis) placeOf(name string) (t *catalog.Type, belowMap bool) {
	t = a.view.Object
	list := false
	for _, step := range strings.Split(name, ".")[1:] {
		if step == "item" && list {
			continue // as the type of an item is often called
		}
		if t == nil || t.Kind != catalog.Struct || t.Field(step) == nil {
			return nil, false
		}
		list = t.Field(step).Type.Kind == catalog.List
		for t = t.Field(step).Type; t.Kind == catalog.List || t.Kind == catalog.Map; t = t.Elem {
			belowMap = belowMap || t.Kind == catalog.Map
		}
	}
	return t, belowMap
}

func (a *analysis) unknown(at *catalog.Type, name, field string, start, end int) {
	f := finding{code: codes.LiteralUnknownField, start: start, end: end,
		summary: fmt.Sprintf("%s has no field %q", name, field),
		detail:  "The mutation fails at run time: field not declared in schema.",
	}
	if best, ok := suggest.Of(at.FieldNames(), field); ok {
		f.replacement = best
		f.detail = fmt.Sprintf("Did you mean %q? %s", best, f.detail)
	} else if inner := below(at, field); inner != "" {
		f.detail = fmt.Sprintf("It is a field of %s. %s", path(name, inner), f.detail)
		f.repaired = expressions.WithinField(a.expression.Text, start, inner+": "+name+"."+inner+"{", "}")
	} else if way := wayToPods(at, field); way != nil {
		f.detail = fmt.Sprintf("It is a field of %s. %s", path(name, strings.Join(way, ".")), f.detail)
		f.repaired = expressions.Deeper(a.expression.Text, name, way)
	}
	a.add(f)
}

// wayToPods leads from the spec of a kind to that of its Pods, which has a field; nil where
// there is none.
func wayToPods(t *catalog.Type, field string) []string {
	for _, way := range [][]string{{"template", "spec"}, {"jobTemplate", "spec", "template", "spec"}} {
		if of := t.At(way...); of != nil && of.Kind == catalog.Struct && of.Field(field) != nil {
			return way
		}
	}
	return nil
}

// below is the field of a type, such as spec, whose value has another field;
// empty if there is none.
func below(t *catalog.Type, field string) string {
	for _, name := range []string{"spec", "metadata", "template", "securityContext"} {
		if f := t.Field(name); f != nil && f.Type.Kind == catalog.Struct && f.Type.Field(field) != nil {
			return name
		}
	}
	return ""
}

// names checks that the literals that are the value of a field have the name of
// its place. Items of lists and values of maps add nothing to the name.
func (a *analysis) names(value ast.Expr, want string) {
	switch value.Kind() {
	case ast.StructKind:
		if got := value.AsStruct().TypeName(); isObject(got) && got != want {
			start, end := a.typeName(value.ID())
			a.add(finding{code: codes.LiteralTypeName, start: start, end: end, replacement: want,
				summary: fmt.Sprintf("%s is used where %s is required", got, want),
				detail:  "The mutation fails at run time: the name of the type must be the path of the field."})
		}
	default:
		for _, part := range results(value) {
			a.names(part, want)
		}
	}
}

// results are the parts of an expression that its value may be made of: items,
// entries, both sides of a condition, what a macro collects.
func results(e ast.Expr) []ast.Expr {
	switch e.Kind() {
	case ast.ListKind:
		return e.AsList().Elements()
	case ast.MapKind:
		var out []ast.Expr
		for _, entry := range e.AsMap().Entries() {
			out = append(out, entry.AsMapEntry().Value())
		}
		return out
	case ast.ComprehensionKind:
		return []ast.Expr{e.AsComprehension().LoopStep()}
	case ast.CallKind:
		switch call := e.AsCall(); call.FunctionName() {
		case "_?_:_":
			return call.Args()[1:]
		case "_+_", "optional.of", "optional.ofNonZeroValue":
			return call.Args()
		}
	}
	return nil
}

// refused are types that no field takes (semantics §6.5c).
var refused = map[string]bool{
	"uint": true, "bytes": true, "google.protobuf.Duration": true, "google.protobuf.Timestamp": true, "null_type": true, "kubernetes.Quantity": true,
}

// fieldValue checks the static type of a value against the type of its field,
// as far as there is one, and so the items and entries of literals.
func (a *analysis) fieldValue(value ast.Expr, want *catalog.Type, path string) {
	if a.expression.Place.Result != eval.ApplyConfiguration {
		return
	}
	switch {
	case value.Kind() == ast.ListKind && want.Kind == catalog.List:
		for _, item := range value.AsList().Elements() {
			a.fieldValue(item, want.Elem, path+"[]")
		}
		return
	case value.Kind() == ast.MapKind && want.Kind == catalog.Map:
		for _, entry := range value.AsMap().Entries() {
			// A map in a map is reported by nestedMaps.
			v := entry.AsMapEntry().Value()
			if a.alwaysNone(v) {
				a.keptEntry(entry.AsMapEntry(), path)
			} else if v.Kind() != ast.MapKind {
				a.fieldValue(v, want.Elem, path+"[]")
			}
		}
		return
	}
	t := a.checked.AST.NativeRep().GetType(value.ID())
	if t == nil || t.Kind() == cel.OpaqueKind && t.TypeName() == "optional_type" {
		return
	}
	if v := a.variableOf(value); v != nil && t.Kind() == cel.DynKind {
		t = misfit(v.root, want)
	} else if t.Kind() == cel.ListKind && want.Kind == catalog.List && len(t.Parameters()) == 1 {
		t, want, path = t.Parameters()[0], want.Elem, path+"[]"
	}
	if t == nil || !refused[t.TypeName()] && fits(t, want) {
		return
	}
	start, end := a.place(value.ID())
	if t.Kind() == cel.NullTypeKind {
		f := finding{code: codes.LiteralWrongType, start: start, end: end, summary: fmt.Sprintf("an ApplyConfiguration cannot unset %s with null", path),
			detail: "It merges the fields that it sets and keeps the rest; null is rejected at run time. A JSONPatch can remove a field."}
		if a.setAgain(path) {
			f.detail = "Null is rejected at run time. " + setAgain(path)
		} else {
			f.patches = a.asPatches(a.expression.Text)
		}
		a.add(f)
		return
	}
	replacement := ""
	if value.Kind() == ast.LiteralKind {
		replacement = expressions.Converted(a.source.Slice(start, end), conversions[want.Kind])
	}
	repaired := a.cast(value, t, want)
	if value.Kind() == ast.StructKind && want.Kind == catalog.List && want.Elem.Kind == catalog.Struct {
		repaired = a.inList(value)
	}
	if value.Kind() == ast.SelectKind && want.Kind == catalog.Struct && t.Kind() == cel.StringKind && want.Field("name") != nil {
		repaired = a.named(value, path)
	}
	or := ""
	if repaired == "" && t.Kind() == cel.StringKind {
		repaired, or = a.textAsList(value, want)
	}
	if value.Kind() == ast.MapKind {
		if repaired = expressions.MapsAsObjects(a.expression.Text, a.view.Object, "Object"); repaired == "" {
			repaired = a.namedItems(value, want, path)
		}
	}
	a.add(finding{code: codes.LiteralWrongType, start: start, end: end, replacement: replacement, repaired: repaired, or: or,
		summary: fmt.Sprintf("%s is %s, not %s", path, kindName(want), readable(cel.FormatCELType(t))),
		detail:  "The mutation fails at run time."})
}

// conversions are the functions that make values of scalar types.
var conversions = map[catalog.Kind]string{catalog.Integer: "int", catalog.Number: "double", catalog.Boolean: "bool", catalog.String: "string"}

// cast is the expression with a text converted into the type of its field, or another scalar value into a text;
// empty for literals, which are written anew.
func (a *analysis) cast(value ast.Expr, t *cel.Type, want *catalog.Type) string {
	scalar := t.Kind() == cel.StringKind || want.Kind == catalog.String && (t.Kind() == cel.IntKind || t.Kind() == cel.DoubleKind || t.Kind() == cel.BoolKind)
	start, end, ok := a.extent(value)
	if !scalar || !ok || conversions[want.Kind] == "" || value.Kind() == ast.LiteralKind {
		return ""
	}
	return a.replaced(start, end, conversions[want.Kind]+"("+a.source.Slice(start, end)+")")
}

// kindName is the shape of a field's values in JSON.
func kindName(t *catalog.Type) string {
	switch t.Kind {
	case catalog.Bytes:
		return "base64 in a string"
	case catalog.Custom:
		return "a string or number"
	}
	return t.Kind.String()
}

// fits reports whether values of a CEL type can be those of a field.
func fits(t *cel.Type, field *catalog.Type) bool {
	kind := t.Kind()
	if kind == cel.DynKind || kind == cel.AnyKind || field.Kind == catalog.Any {
		return true
	}
	switch field.Kind {
	case catalog.Custom:
		return kind != cel.ListKind
	case catalog.String, catalog.Bytes:
		return kind == cel.StringKind
	case catalog.Boolean:
		return kind == cel.BoolKind
	case catalog.Integer, catalog.Number:
		return kind == cel.IntKind || kind == cel.DoubleKind
	case catalog.List:
		return kind == cel.ListKind
	}
	return kind == cel.StructKind || kind == cel.MapKind
}
