package noeffect

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// twice reports an item that the second pass appends again to a list.
func (r *Run) twice(s *report.Step, doc *scenario.Document) {
	if s.Pass == 0 {
		return
	}
	for i := range s.Mutations {
		m := &s.Mutations[i]
		for _, operation := range m.Patch {
			pointer, end := strings.CutSuffix(operation.Path, "/-")
			list, _ := fieldpath.Lookup(m.Before, pointer)
			items, _ := list.([]any)
			if operation.Op != "add" || !end || !has(items, operation.Value) {
				continue
			}
			f := diag.Fix{}
			if source := r.source(doc, m.Path); source != nil && len(m.Patch) == 1 {
				f = onlyOnce(source, "object"+strings.ReplaceAll(pointer, "/", "."))
			}
			r.add(doc, codes.NotIdempotent, m.Path, m.Span, "the second pass appends an item to "+pointer+" again",
				"After another policy or webhook has changed the object, the server runs the policy again (reinvocationPolicy: IfNeeded).", f)
		}
	}
}

// has reports whether a list has an item, or one of the same name.
func has(items []any, item any) bool {
	name := func(v any) any { m, _ := v.(map[string]any); return m["name"] }
	for _, other := range items {
		if reflect.DeepEqual(other, item) || name(item) != nil && name(item) == name(other) {
			return true
		}
	}
	return false
}

var (
	// steps is a list of the object that has no index in its path.
	steps = lazy.Regexp{Text: `^object(\.[A-Za-z][A-Za-z0-9]*)+$`}
	// itemName is the name or the key of a literal, before its other fields.
	itemName = lazy.Regexp{Text: `value:\s*(?:Object[\w.]*)?\s*\{[\s(]*["']?(name|key)["']?:\s*("[^"]*"|'[^']*'|[\w.]+)`}
)

// onlyOnce makes a patch where the list does not have the item yet.
func onlyOnce(source *rewrite.Source, list string) diag.Fix {
	expression := string(source.Runes)
	m := itemName.FindStringSubmatch(expression)
	if m == nil || !steps.MatchString(list) {
		return diag.Fix{}
	}
	test := fmt.Sprintf("has(%s) && %s.exists(e, has(e.%s) && e.%s == %s) ? [] : ", list, list, m[1], m[1], m[2])
	if m[1] == "name" { // which the items of lists always have
		test = fmt.Sprintf("has(%s) && %s.exists(e, e.name == %s) ? [] : ", list, list, m[2])
	}
	at := len(expression) - len(strings.TrimLeft(expression, " \n\t"))
	return source.Fix("Add it only if it is not there yet", rewrite.Replace(at, at, test))
}
