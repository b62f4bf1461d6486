package objects

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/scenario"
)

// within are the fields in which a misplaced field is looked for.
var within = [][]string{{"spec"}, {"metadata"}, {"template", "spec"}, {"template", "metadata"}, {"spec", "template", "spec"}, {"jobTemplate", "spec"}, {"spec", "jobTemplate", "spec", "template", "spec"}, {"securityContext"}}

// canMove reports whether the mapping at a place accepts a field with its value. Most mappings
// below the object have their own name field, so a misplaced name is most likely the object's.
func (o Object) canMove(name string, value any, to fieldpath.Path) bool {
	around, isMapping := o.value(to).(map[string]any)
	if name == "name" && len(to) > 0 && to.Last() != "metadata" {
		return false
	}
	return (isMapping && around != nil || o.leftEmpty(to)) && o.takes(to.Child(name), value)
}

// moved moves a field to where the kind has it: in an enclosing mapping, or below one.
func (o Object) moved(steps fieldpath.Path) []diag.Fix {
	value, name := o.value(steps), steps.Last()
	for up := steps.Parent(); ; up = up.Parent() {
		targets := []fieldpath.Path{up}
		for _, below := range within {
			targets = append(targets, up.Child(below...))
		}
		for _, to := range targets {
			if to.String() == steps.Parent().String() || !o.canMove(name, value, to) {
				continue
			}
			names := o.companions(steps, func(name string, value any) bool { return o.canMove(name, value, to) })
			if fixes := o.movedTo(to, steps.Parent(), names); fixes != nil {
				return fixes
			}
			if fixes := o.movedTo(to, steps.Parent(), []string{name}); fixes != nil {
				return fixes
			}
		}
		if len(up) == 0 {
			return nil
		}
	}
}

// companions are neighbouring fields that do not exist there either and pass a test, with the field
// itself, in source order: someone who writes one of spec's fields at the top level writes all of
// them there.
func (o Object) companions(steps fieldpath.Path, fits func(name string, value any) bool) []string {
	parent := steps.Parent()
	t := o.typeOf(parent)
	around, _ := o.value(parent).(map[string]any)
	if t == nil || t.Kind != catalog.Struct {
		return []string{steps.Last()}
	}
	var names []string
	for _, name := range sortedKeys(around) {
		if t.Field(name) == nil && (name == steps.Last() || fits(name, around[name])) {
			names = append(names, name)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int {
		return o.Document.LocateKey(o.in(parent.Child(a))).Start - o.Document.LocateKey(o.in(parent.Child(b))).Start
	})
	return names
}

// movedTo moves fields from one mapping to another.
func (o Object) movedTo(to, from fieldpath.Path, names []string) []diag.Fix {
	var edits []diag.Edit
	for _, name := range names {
		steps := from.Child(name)
		removed, ok := o.removed(steps)
		text, made := o.Document.Field(o.in(steps))
		_, value, _ := strings.Cut(text, ":")
		inserted, put := o.Document.Insert(o.in(to), name, strings.TrimPrefix(value, " "))
		if o.leftEmpty(to) && len(names) == 1 {
			inserted, put = o.filled(to, text)
		}
		if !ok || !made || !put {
			return nil
		}
		if len(names) == 1 && len(removed) == 1 {
			if edits, ok = diag.Moved(o.Document.Source(), removed[0], inserted); !ok {
				return nil
			}
			break
		}
		edits = append(edits, removed...)
		if i := slices.IndexFunc(edits, func(e diag.Edit) bool { return e.Span == inserted.Span && e.New != "" }); i >= 0 {
			edits[i].New += inserted.New
			continue
		}
		edits = append(edits, inserted)
	}
	return o.tried("Move "+strings.Join(names, ", ")+" to "+o.in(to), edits)
}

// leftEmpty reports whether a field has no value, because its content is not indented enough.
func (o Object) leftEmpty(path fieldpath.Path) bool {
	value, there := path.Get(o.Value)
	return len(path) > 0 && there && value == nil
}

// filled writes a field, with its key at column 0, into a mapping that is empty.
func (o Object) filled(path fieldpath.Path, field string) (diag.Edit, bool) {
	if o.Document.IsJSON() || o.Document.Brackets(o.in(path)) {
		return diag.Edit{}, false
	}
	indent := "\n" + strings.Repeat(" ", o.Document.KeyColumn(o.in(path))+2)
	return o.Document.Rewrite(o.in(path), indent+strings.ReplaceAll(field, "\n", indent))
}

// templates are the paths to a Pod's spec in other kinds.
var templates = [][]string{{"spec"}, {"metadata"}, {"template", "spec"}, {"spec", "template", "spec"}, {"jobTemplate", "spec", "template", "spec"}, {"spec", "jobTemplate", "spec", "template", "spec"}}

// wrapped adds missing mappings around fields: a Deployment spec's containers move into
// template.spec. A template gets the labels from the selector.
func (o Object) wrapped(steps fieldpath.Path) []diag.Fix {
	parent := steps.Parent()
	if o.Document.IsJSON() || o.Document.Brackets(o.in(parent)) && len(parent) > 0 {
		return nil
	}
	for _, way := range templates {
		into := o.typeOf(parent.Child(way...))
		first := parent.Child(way[0])
		if _, there := first.Get(o.Value); there && o.Document.Has(o.in(first)) || into == nil || into.Kind != catalog.Struct {
			continue
		}
		fits := func(name string, value any) bool {
			f := into.Field(name)
			return f != nil && len(wrongTypes(f.Type, value, nil)) == 0
		}
		if names := o.companions(steps, fits); fits(steps.Last(), o.value(steps)) && (len(names) > 1 || len(way) > 1) {
			return o.around(parent, way, names)
		}
	}
	return nil
}

// around writes mappings around fields, in place of the first field.
func (o Object) around(parent fieldpath.Path, way, names []string) []diag.Fix {
	first := o.in(parent.Child(names[0]))
	indent := strings.Repeat(" ", o.Document.KeyColumn(first))
	var text strings.Builder
	for i, name := range way {
		if i > 0 {
			text.WriteString(indent)
		}
		text.WriteString(name + ":\n")
		indent += "  "
		if labels := o.templateLabels(parent.Child(way[:i+1]...)); name == "template" && labels != "" {
			text.WriteString(indent + "metadata: {labels: " + labels + "}\n")
		}
	}
	var edits []diag.Edit
	for i, name := range names {
		at := o.in(parent.Child(name))
		part, ok := o.Document.Field(at)
		if !ok {
			return nil
		}
		text.WriteString(indent + strings.ReplaceAll(part, "\n", "\n"+indent) + "\n")
		if i == 0 {
			span := diag.Span{Start: o.Document.LocateKey(at).Start, End: max(o.Document.Locate(at).End, o.Document.LocateKey(at).End)}
			edits = append(edits, diag.Edit{Text: o.Document.Text, Span: span})
			continue
		}
		e, ok := o.Document.Remove(at)
		if !ok {
			return nil
		}
		edits = append(edits, e)
	}
	edits[0].New = strings.TrimSuffix(text.String(), "\n")
	return o.tried("Move "+strings.Join(names, ", ")+" to "+o.in(parent.Child(way...)), edits)
}

// templateLabels returns the labels that a template's selector requires, in brackets; empty if
// there is no selector.
func (o Object) templateLabels(template fieldpath.Path) string {
	labels, _ := o.value(template.Parent().Child("selector", "matchLabels")).(map[string]any)
	var pairs []string
	for _, key := range sortedKeys(labels) {
		if value, ok := labels[key].(string); ok {
			pairs = append(pairs, key+": "+scenario.Quoted(value))
		}
	}
	if len(pairs) == 0 {
		return ""
	}
	return "{" + strings.Join(pairs, ", ") + "}"
}

// toAmounts moves an amount such as cpu into the limits or requests of a container's resources.
func (o Object) toAmounts(steps fieldpath.Path) []diag.Fix {
	t := o.typeOf(steps.Parent())
	if t == nil || t.Kind != catalog.Struct || o.Document.IsJSON() {
		return nil
	}
	amount := func(name string, value any) bool {
		switch value.(type) {
		case string, int64, float64:
			return name == "cpu" || name == "memory" || name == "ephemeral-storage" || name == "storage" || strings.Contains(name, "/")
		}
		return false
	}
	var fixes []diag.Fix
	order := []string{"limits", "requests"}
	if steps.Last() == "storage" {
		order = []string{"requests", "limits"} // a volume requests its size
	}
	for _, into := range order {
		f := t.Field(into)
		if f == nil || f.Type == nil || f.Type.Kind != catalog.Map || !amount(steps.Last(), o.value(steps)) {
			continue
		}
		names, to := o.companions(steps, amount), steps.Parent().Child(into)
		if at := o.in(steps.Parent()); o.Document.Brackets(at) {
			if all, _ := o.value(steps.Parent()).(map[string]any); len(all) == len(names) { // resources: {cpu: 1}
				span := o.Document.Locate(at)
				fixes = append(fixes, o.rewritten("Move it to "+into, at, "{"+into+": "+o.Document.Source()[span.Start:span.End]+"}")...)
			}
			continue
		}
		if _, there := to.Get(o.Value); there {
			fixes = append(fixes, o.movedTo(to, steps.Parent(), names)...)
		} else {
			fixes = append(fixes, o.around(steps.Parent(), []string{into}, names)...)
		}
	}
	return fixes
}
