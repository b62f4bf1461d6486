package documents

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/configuration"
	"github.com/preadmit/preadmit/engine/internal/kube/gotype"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// synonyms are names of fields that others would call what a field of the API is
// called.
var synonyms = map[string][]string{
	"rules": {"resourceRules", "validations", "mutations"}, "rule": {"expression", "resourceRules", "rules"}, "cel": {"expression", "validations"}, "condition": {"expression", "matchConditions"},
	"conditions": {"matchConditions"}, "match": {"matchConstraints", "matchResources"}, "matchresources": {"matchConstraints"},
	"matchconstraints": {"matchResources"}, "matchconstraint": {"matchConstraints", "matchResources"}, "matchrules": {"resourceRules"}, "exclude": {"excludeResourceRules"}, "excluderules": {"excludeResourceRules"},
	"policy": {"policyName"}, "policyref": {"policyName"}, "params": {"paramRef", "paramKind"}, "param": {"paramRef", "paramKind"},
	"paramref": {"paramKind"}, "paramkind": {"paramRef"}, "actions": {"validationActions"}, "action": {"validationActions"}, "validationaction": {"validationActions"},
	"enforcementaction": {"validationActions"}, "validationfailureaction": {"validationActions"}, "errormessage": {"message"}, "msg": {"message"},
	"expr": {"expression", "messageExpression", "valueExpression"}, "error": {"message"}, "description": {"message"}, "messagecel": {"messageExpression"}, "validation": {"validations"}, "validate": {"validations"},
	"checks": {"validations"}, "mutate": {"mutations"}, "mutation": {"mutations"}, "patches": {"mutations"}, "type": {"patchType"},
	"patch": {"jsonPatch", "patchType"}, "apply": {"applyConfiguration"}, "applyconfig": {"applyConfiguration"}, "jsonpatches": {"jsonPatch"}, "json": {"jsonPatch"},
	"value": {"expression", "valueExpression"}, "groups": {"apiGroups"}, "group": {"apiGroups"}, "apigroup": {"apiGroups"}, "versions": {"apiVersions"}, "version": {"apiVersions"}, "apiversion": {"apiVersions"},
	"verbs": {"operations"}, "verb": {"operations"}, "operation": {"operations"}, "resource": {"resources"}, "kinds": {"resources"}, "kind": {"resources"},
	"selector": {"namespaceSelector", "objectSelector"}, "labelselector": {"objectSelector"}, "namespaces": {"namespaceSelector"},
	"timeout": {"timeoutSeconds"}, "timeoutseconds": {"timeoutSeconds"}, "onfailure": {"failurePolicy"}, "onerror": {"failurePolicy"}, "failure": {"failurePolicy"}, "hooks": {"webhooks"},
	"client": {"clientConfig"}, "config": {"clientConfig"}, "ca": {"caBundle"}, "cabundle": {"caBundle"}, "uri": {"url"}, "endpoint": {"url"}, "labels": {"matchLabels"},
	"expressions": {"matchExpressions", "validations"}, "notfoundaction": {"parameterNotFoundAction"}, "vars": {"variables"}, "let": {"variables"}, "annotations": {"auditAnnotations"},
	"reinvocation": {"reinvocationPolicy"}, "reviewversions": {"admissionReviewVersions"}, "names": {"resourceNames"},
	"metadata.annotation": {"annotations"},
}

// UnknownField repairs a field that the API does not have at its place: it is
// moved to where the API has it, or gets the name of a field that is meant.
func (m Document) UnknownField(t reflect.Type, path string) []diag.Fix {
	steps := fieldpath.Parse(path)
	if at := m.LocateKey(path).Start; strings.HasPrefix(steps.Last(), "-") && strings.HasPrefix(m.Source()[at:], steps.Last()) {
		return Fix("Write a space after the dash", func() (diag.Edit, bool) {
			return diag.Edit{Text: m.Text, Span: diag.Span{Start: at + 1, End: at + 1}, New: " "}, true
		})
	}
	if fixes := m.selectorLabels(path); fixes != nil {
		return fixes
	}
	if fixes := m.indented(t, steps.Parent()); fixes != nil {
		return fixes
	}
	for _, repair := range []func(fieldpath.Path) []diag.Fix{m.selectorNames, m.listOfWebhooks, m.MoveToBinding, m.annotationFields, m.kindInReference, m.groupVersion} {
		if fixes := repair(steps); fixes != nil {
			return fixes
		}
	}
	if body := steps.Parent(); body.Last() == "applyConfiguration" || body.Last() == "jsonPatch" {
		if fixes := m.bodyAsExpression(body.String()); fixes != nil {
			return fixes
		}
	}
	if fixes := m.pairs(steps); fixes != nil {
		return fixes
	}
	if fixes := m.asBinding(); fixes != nil && slices.Contains(bindingFields, steps.Last()) {
		return fixes
	}
	parent := steps.Parent()
	names := gotype.FieldNames(t, parent)
	var free []string // the API's names that are not taken
	for _, name := range names {
		if !m.Has(parent.Child(name).String()) {
			free = append(free, name)
		}
	}
	// A field's plural beside it is likelier than the same name elsewhere.
	if !slices.Contains(free, steps.Last()+"s") {
		if fixes := m.move(t, steps); fixes != nil {
			return fixes
		}
	}
	best := m.meant(t, steps, free)
	if best == "" {
		// What mutating policies do has no actions.
		actions := path == "spec.validationActions" && m.Kind != configuration.ValidatingAdmissionPolicyBinding
		if slices.Contains(removable, steps.Last()) || actions {
			return Fix("Remove "+steps.Last(), m.ToRemove(path))
		}
		return nil
	}
	if want, ok := gotype.TypeAt(t, parent.Child(best)); ok && want.Kind() == reflect.Map {
		if _, list := m.value(path).([]any); list {
			return nil // no list is a mapping
		}
	}
	edits := []Edit{m.ToRename(path, best)}
	if value, ok := m.asWanted(t, parent.Child(best), path); ok {
		edits = append(edits, m.ToRewrite(path, value))
	}
	return Fix("Change to "+best, edits...)
}

// indented takes the indentation from the key of an empty mapping that belongs above the one where it is, and whose
// fields follow it there: a spec in metadata, with its fields beside it.
func (m Document) indented(t reflect.Type, within fieldpath.Path) []diag.Fix {
	object, _ := m.value(within.String()).(map[string]any)
	if len(within) == 0 || object == nil || m.Brackets(within.String()) {
		return nil
	}
	known, above := gotype.FieldNames(t, within), within.Parent()
	for key, value := range object {
		at := within.Child(key).String()
		if value != nil || slices.Contains(known, key) || m.Has(above.Child(key).String()) || !typed(t, above.Child(key)) {
			continue
		}
		inner, follow := gotype.FieldNames(t, above.Child(key)), 0
		for other := range object {
			if name := within.Child(other).String(); other != key && m.LocateKey(name).Start > m.LocateKey(at).Start {
				if follow++; !slices.Contains(inner, other) {
					return nil
				}
			}
		}
		start := m.LocateKey(at).Start
		deeper := m.KeyColumn(at) - m.KeyColumn(within.String())
		if follow == 0 || deeper <= 0 || strings.TrimLeft(m.Source()[start-deeper:start], " ") != "" {
			continue
		}
		return Fix(unindent+key, func() (diag.Edit, bool) {
			return diag.Edit{Text: m.Text, Span: diag.Span{Start: start - deeper, End: start}}, true
		})
	}
	return nil
}

// unindent begins the title of the repair of a mapping that is indented too far.
const unindent = "Unindent "

// joinIndented makes one diagnostic of those that a mapping indented too far has caused: of the fields that are not
// known where they are, and of those that are missing where they belong.
func joinIndented(list []diag.Diagnostic) []diag.Diagnostic {
	isIndented := func(d diag.Diagnostic) bool {
		return d.Code == codes.UnknownField && len(d.Fixes) > 0 && strings.HasPrefix(d.Fixes[0].Title, unindent)
	}
	i := slices.IndexFunc(list, isIndented)
	if i < 0 {
		return list
	}
	first, kept := list[i], -1
	name := strings.TrimPrefix(first.Fixes[0].Title, unindent)
	var out []diag.Diagnostic
	for _, d := range list {
		missing := d.Code == codes.RequiredValue && strings.HasPrefix(d.Path, name+".")
		switch {
		case !missing && !isIndented(d):
			out = append(out, d)
			continue
		case kept < 0:
			kept = len(out)
			d.Fixes, d.Detail = first.Fixes, name+" is indented too far, so what follows it is not in it."
			out = append(out, d)
		case missing && out[kept].Code != d.Code:
			d.Fixes, d.Detail = out[kept].Fixes, out[kept].Detail
			out[kept] = d
		}
	}
	if missing := &out[kept]; missing.Code == codes.RequiredValue {
		missing.Related = append(missing.Related, diag.Related{Text: first.Text, Span: first.Span, Path: first.Path, Summary: first.Summary})
	}
	return out
}

// removable are fields that people add and that say nothing the API wants.
var removable = []string{"namespace", "enabled", "priority", "weight", "order", "mutationValidationPolicy", "background", "enforcementAction", "severity",
	"reinvocationPolicy", "validationFailureAction", "failureAction", "emitWarning", "webhookTimeoutSeconds", "admission", "generateExisting"}

// meant is the name that an unknown name stands for: by its letters, or by its
// meaning if the value has the type of the field.
func (m Document) meant(t reflect.Type, steps fieldpath.Path, names []string) string {
	got := steps.Last()
	for _, name := range names {
		if strings.EqualFold(strings.TrimSuffix(name, "s"), strings.TrimSuffix(got, "s")) {
			return name
		}
	}
	if best, ok := suggest.Of(names, got); ok {
		return best
	}
	normal := strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(got))
	for _, name := range names {
		if strings.ToLower(name) == normal {
			return name
		}
	}
	for _, name := range names {
		// messageExpr, whose last word is not written out
		if word := strings.LastIndexFunc(name, unicode.IsUpper); word > 0 && len(got) >= word+3 && strings.HasPrefix(name, got) {
			return name
		}
	}
	for _, name := range synonyms[normal] {
		if slices.Contains(names, name) {
			return name
		}
	}
	return ""
}

// pairs joins the fields group and version of a paramKind, and kind and name of
// other references, to those that the API has.
func (m Document) pairs(steps fieldpath.Path) []diag.Fix {
	parent := steps.Parent()
	if parent.Last() != "paramKind" || steps.Last() != "group" && steps.Last() != "version" {
		return nil
	}
	group, version := parent.Child("group").String(), parent.Child("version").String()
	at := parent.Child("apiVersion").String()
	if m.Has(at) {
		return Fix("Remove "+steps.Last(), m.ToRemove(steps.String()))
	}
	value := m.text(version)
	if value == "" {
		value = "v1"
	}
	if g := m.text(group); g != "" {
		value = g + "/" + value
	}
	title := "Write apiVersion: " + value
	switch {
	case m.Has(group) && m.Has(version):
		return Fix(title, m.ToRename(group, "apiVersion"), m.ToRewrite(group, value), m.ToRemove(version))
	case m.Has(group):
		return Fix(title, m.ToRename(group, "apiVersion"), m.ToRewrite(group, value))
	}
	return Fix(title, m.ToRename(version, "apiVersion"))
}

// A target is where the API has a field: below or above the place of the text.
type target struct {
	parent fieldpath.Path // the mapping that the field belongs to
	wrap   []string       // mappings between it and the field that are not there yet
	item   bool           // the last of them is a list
}

// move finds the place that the API has for a field: in a mapping below the one
// where it is, or in one that this is in.
func (m Document) move(t reflect.Type, steps fieldpath.Path) []diag.Fix {
	parent, name := steps.Parent(), steps.Last()
	if m.IsJSON() {
		return nil
	}
	if name == "expression" && len(parent) > 0 {
		if fixes := m.mutationExpression(parent); fixes != nil {
			return fixes
		}
	}
	for _, to := range m.below(t, parent, name) {
		if fixes := m.moveTo(t, parent, steps, to); fixes != nil {
			return fixes
		}
	}
	for up := parent; len(up) > 0; {
		up = up.Parent()
		if names := gotype.FieldNames(t, up); slices.Contains(names, name) && name != "name" && !m.Has(up.Child(name).String()) && typed(t, up) {
			return m.moveUp(up, steps)
		}
	}
	for up := parent; len(up) > 0; {
		up = up.Parent()
		if !typed(t, up) {
			continue
		}
		for _, to := range m.below(t, up, name) {
			if to.parent.String() != parent.String() && name != "name" {
				if fixes := m.moveTo(t, up, steps, to); fixes != nil {
					return fixes
				}
			}
		}
	}
	return nil
}

// typed says that the type at a path is a mapping with named fields.
func typed(t reflect.Type, path fieldpath.Path) bool {
	at, ok := gotype.TypeAt(t, path)
	for ok && at.Kind() == reflect.Pointer {
		at = at.Elem()
	}
	return ok && at.Kind() == reflect.Struct
}

// below are the fields of the mapping at parent, or one deeper, that have a field
// of that name.
func (m Document) below(t reflect.Type, parent fieldpath.Path, name string) []target {
	if !typed(t, parent) {
		return nil
	}
	var out []target
	for _, child := range gotype.FieldNames(t, parent) {
		if child == "metadata" || child == "status" || name == "matchLabels" && child != m.labelsOf(parent) {
			continue
		}
		path := parent.Child(child)
		childType, ok := gotype.TypeAt(t, path)
		if !ok || gotype.Element(childType).Kind() != reflect.Struct || !slices.Contains(gotype.FieldNames(t, path), name) {
			continue
		}
		list := childType.Kind() == reflect.Slice
		items, _ := m.value(path.String()).([]any)
		switch {
		case list && len(items) == 1 && !m.Has(path.Index(0).Child(name).String()):
			out = append(out, target{parent: path.Index(0)})
		case list && len(items) == 0 && !m.Has(path.String()) && name == "expression" && child == "validations":
			out = append(out, target{parent: parent, wrap: []string{child}, item: true})
		case list && !m.Has(path.String()) && child == "resourceRules":
			out = append(out, target{parent: parent, wrap: []string{child}, item: true})
		case !list && m.Has(path.String()) && !m.Has(path.Child(name).String()):
			out = append(out, target{parent: path})
		case !list && !m.Has(path.String()):
			out = append(out, target{parent: parent, wrap: []string{child}})
		}
	}
	slices.SortStableFunc(out, func(a, b target) int { return len(a.wrap) - len(b.wrap) })
	return out
}

// labelsOf is the selector that labels belong to: those of applications are on
// objects, all others are taken for those of namespaces.
func (m Document) labelsOf(parent fieldpath.Path) string {
	object, _ := m.value(parent.Child("matchLabels").String()).(map[string]any)
	for key := range object {
		if key == "app" || key == "k8s-app" || key == "tier" || key == "component" || strings.HasPrefix(key, "app.kubernetes.io/") {
			return "objectSelector"
		}
	}
	return "namespaceSelector"
}

// selectorLabels moves labels that are written directly in a selector into matchLabels.
func (m Document) selectorLabels(path string) []diag.Fix {
	for _, name := range []string{"namespaceSelector", "objectSelector", "selector"} {
		before, _, ok := strings.Cut(path, "."+name+".")
		selector := before + "." + name
		object, isMap := m.value(selector).(map[string]any)
		if !ok || !isMap || object["matchLabels"] != nil || object["matchExpressions"] != nil {
			continue
		}
		for _, value := range object {
			if _, text := value.(string); !text {
				return nil
			}
		}
		span := m.Locate(selector)
		if m.Brackets(selector) {
			return Fix("Move it to matchLabels", m.ToRewrite(selector, "{matchLabels: "+m.Source()[span.Start:span.End]+"}"))
		}
		text, ok := m.Shifted(selector, 2)
		if !ok {
			return nil
		}
		return Fix("Move it to matchLabels", m.ToRewrite(selector, "matchLabels:\n"+strings.Repeat(" ", m.Column(selector)+2)+text))
	}
	return nil
}

// moveTo moves a field of a document of type t down, with its neighbours that belong to the same place.
func (m Document) moveTo(t reflect.Type, parent, steps fieldpath.Path, to target) []diag.Fix {
	path := steps.String()
	text, ok := m.Field(path)
	if !ok || m.Brackets(steps.Parent().String()) && len(to.wrap) > 0 {
		return nil
	}
	if fixes := m.intoEmpty(t, steps, to); fixes != nil {
		return fixes
	}
	if len(to.wrap) == 0 {
		name, value, _ := strings.Cut(text, ":")
		if m.Brackets(to.parent.String()) && strings.Contains(text, "\n") {
			return nil
		}
		return m.moved(fmt.Sprintf("Move %s to %s", name, to.parent), m.ToRemove(path), m.ToInsert(to.parent.String(), name, strings.TrimPrefix(value, " ")))
	}
	wrapper := to.wrap[0]
	if parent.String() != steps.Parent().String() {
		return m.wrapElsewhere(parent, steps, to, text)
	}
	fields, rest := m.companions(t, parent, steps, wrapper)
	return m.wrapped(parent, wrapper, to.item, fields, rest)
}

// wrapElsewhere moves a field into a new mapping beside one of its ancestors.
func (m Document) wrapElsewhere(parent, steps fieldpath.Path, to target, text string) []diag.Fix {
	inner := "  "
	first := inner
	if to.item {
		first = "- "
	}
	value := "\n" + first + strings.ReplaceAll(text, "\n", "\n"+inner)
	return m.moved(fmt.Sprintf("Move %s to %s", steps.Last(), parent.Child(to.wrap[0])), m.ToRemove(steps.String()), m.ToInsert(parent.String(), to.wrap[0], value))
}

// companions are the unknown fields of a mapping that the wrapper has too, in
// the order of the text; rest are those without the first.
func (m Document) companions(t reflect.Type, parent, steps fieldpath.Path, wrapper string) (fields, rest []string) {
	known, inner := gotype.FieldNames(t, parent), gotype.FieldNames(t, parent.Child(wrapper))
	object, _ := m.value(parent.String()).(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if !slices.Contains(known, key) && slices.Contains(inner, key) {
			fields = append(fields, parent.Child(key).String())
		}
	}
	slices.SortFunc(fields, func(a, b string) int { return m.LocateKey(a).Start - m.LocateKey(b).Start })
	if len(fields) == 0 {
		return []string{steps.String()}, nil
	}
	return fields, fields[1:]
}

// wrapped puts a mapping, or the first item of a list, around fields.
func (m Document) wrapped(parent fieldpath.Path, wrapper string, item bool, fields, rest []string) []diag.Fix {
	column := m.KeyColumn(fields[0])
	outer, inner := strings.Repeat(" ", column), strings.Repeat(" ", column+2)
	text := wrapper + ":"
	for i, f := range fields {
		part, ok := m.Field(f)
		if !ok {
			return nil
		}
		lead := inner
		if item && i == 0 {
			lead = outer + "- "
		}
		text += "\n" + lead + strings.ReplaceAll(part, "\n", "\n"+inner)
	}
	whole := diag.Span{Start: m.LocateKey(fields[0]).Start, End: max(m.Locate(fields[0]).End, m.LocateKey(fields[0]).End)}
	fix := diag.Fix{Title: fmt.Sprintf("Move it to %s", parent.Child(wrapper)), Edits: []diag.Edit{{Text: m.Document.Text, Span: whole, New: text}}}
	for _, f := range rest {
		e, ok := m.Remove(f)
		if !ok {
			return nil
		}
		fix.Edits = append(fix.Edits, e)
	}
	return []diag.Fix{fix}
}

// moveUp moves a field to a mapping that its own is in.
func (m Document) moveUp(up, steps fieldpath.Path) []diag.Fix {
	text, ok := m.Field(steps.String())
	if !ok {
		return nil
	}
	name, value, _ := strings.Cut(text, ":")
	where := up.String()
	if where == "" {
		where = "the top level"
	}
	remove := m.ToRemove(steps.String())
	last := steps.Parent()
	if object, _ := m.value(last.String()).(map[string]any); len(object) == 1 && len(last) > 0 {
		remove = m.ToRemove(last.String()) // an empty mapping is of no use
	}
	return m.moved(fmt.Sprintf("Move %s to %s", name, where), remove, m.ToInsert(up.String(), name, strings.TrimPrefix(value, " ")))
}

// moved makes a fix of a removal and an insertion, if they can be made together.
func (m Document) moved(title string, remove, insert Edit) []diag.Fix {
	fixes := Fix(title, remove, insert)
	if len(fixes) == 0 {
		return nil
	}
	var ok bool
	if fixes[0].Edits, ok = diag.Moved(m.Source(), fixes[0].Edits[0], fixes[0].Edits[1]); !ok {
		return nil
	}
	return fixes
}

// mutationExpression wraps the expression of a mutation in the body that its
// patch type has.
func (m Document) mutationExpression(parent fieldpath.Path) []diag.Fix {
	if parent.Parent().Last() != "mutations" {
		return nil
	}
	path := parent.Child("expression").String()
	kind := "ApplyConfiguration"
	if strings.Contains(m.text(path), "JSONPatch{") {
		kind = "JSONPatch"
	}
	body := "applyConfiguration"
	if t := m.text(parent.Child("patchType").String()); t == "JSONPatch" || t == "" && kind == "JSONPatch" {
		body = "jsonPatch"
	}
	if m.Brackets(path) {
		span := m.Locate(path)
		value := m.Source()[span.Start:span.End]
		return Fix("Move it to "+body, m.ToRename(path, body), m.ToRewrite(path, "{expression: "+value+"}"))
	}
	return m.wrapped(parent, body, false, []string{path}, nil)
}

// JoinCauses makes one diagnostic of a missing field and of an unknown one whose
// repair gives it.
func JoinCauses(list []diag.Diagnostic) []diag.Diagnostic {
	list = joinIndented(list)
	gone := map[int]bool{}
	for i := range list {
		required := &list[i]
		if required.Code != codes.RequiredValue {
			continue
		}
		for j := range list {
			unknown := &list[j]
			if unknown.Code != codes.UnknownField || len(unknown.Fixes) == 0 || !gives(unknown.Fixes[0].Title, required.Path, unknown.Path) {
				continue
			}
			if gone[j] { // a required field before this one has the repair, which gives this one as well
				gone[i] = gone[i] || unknown.Fixes[0].Title == bothOfRule
				continue
			}
			required.Fixes = unknown.Fixes
			required.Detail = strings.TrimSpace(unknown.Summary + ". " + required.Detail)
			required.Span = unknown.Span // what is missing has no place; the reader looks for what is wrong
			gone[j] = true
			break
		}
	}
	var kept []diag.Diagnostic
	for i, d := range list {
		if !gone[i] {
			kept = append(kept, d)
		}
	}
	return kept
}

// gives reports whether a repair with such a title writes the required field.
func gives(title, required, unknown string) bool {
	path := fieldpath.Parse(required)
	name := path.Last()
	if name == "auditAnnotations" {
		return false
	}
	if title == "Write a space after the dash" {
		return fieldpath.Parse(unknown).Parent().String() == path.Parent().String()
	}
	if title == bothOfRule {
		return (name == "apiGroups" || name == "apiVersions") && fieldpath.Parse(unknown).Parent().String() == path.Parent().String()
	}
	if title == "Write it as an expression" {
		return name == "expression" && fieldpath.Parse(unknown).Parent().String() == path.Parent().String()
	}
	to := title[strings.LastIndexByte(title, ' ')+1:]
	if strings.HasPrefix(title, "Change to ") {
		return to == name && fieldpath.Parse(unknown).Parent().String() == path.Parent().String()
	}
	if strings.HasPrefix(title, "Write apiVersion") {
		return name == "apiVersion" && path.Parent().Last() == "paramKind"
	}
	return strings.HasPrefix(title, "Move ") && (to == required || to == name || to == path.Parent().String() && fieldpath.Parse(unknown).Last() == name)
}
