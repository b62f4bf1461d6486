package noeffect

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	cel "github.com/preadmit/preadmit/engine/internal/cel/source"
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
			items := fieldpath.As[[]any](fieldpath.FromPointer(pointer).Get(m.Before))
			if operation.Op != "add" || !end || !has(items, operation.Value) {
				continue
			}
			f := diag.Fix{}
			if source := r.source(doc, m.Path); source != nil && len(m.Patch) == 1 {
				f = onlyOnce(source, "object."+fieldpath.FromPointer(pointer).String())
			}
			r.add(doc, codes.NotIdempotent, m.Path, m.Span, "the second pass appends an item to "+pointer+" again",
				"Once any policy (including this one) or webhook has changed the object, the server runs the policy again (reinvocationPolicy: IfNeeded).", f)
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

// onlyOnce makes a patch where the list does not have the item yet: one of its name or key, or an equal scalar value.
func onlyOnce(source *rewrite.Source, list string) diag.Fix {
	expression := string(source.Runes)
	tokens := cel.NewTokens(expression)
	value := slices.IndexFunc(tokens.List, func(t cel.Token) bool { return t.Text == "value" })
	if value < 0 || !tokens.Is(value+1, ":") || strings.ContainsAny(list, "'\"") {
		return diag.Fix{}
	}
	first := tokens.List[value+2:]
	test := ""
	if literal := first[0]; literal.Kind == cel.String || literal.Kind == cel.Number {
		test = fmt.Sprintf("%s in %s", literal.Text, list)
	} else if field, wants := identity(expression, tokens, value+2); field == "name" { // which the items of lists always have
		test = fmt.Sprintf("%s.exists(e, e.name == %s)", list, wants)
	} else if field != "" {
		test = fmt.Sprintf("%s.exists(e, has(e.%s) && e.%s == %s)", list, field, field, wants)
	} else {
		return diag.Fix{}
	}
	at := len(expression) - len(strings.TrimLeft(expression, " \n\t"))
	return source.Fix("Add it only if it is not there yet", rewrite.Replace(at, at, fmt.Sprintf("has(%s) && %s ? [] : ", list, test)))
}

// identity is the name or key that a literal at a token gives an item, and its value as it is written.
func identity(expression string, tokens *cel.Tokens, at int) (field, value string) {
	for at < len(tokens.List) && !tokens.Is(at, "{") {
		at++
	}
	if at == len(tokens.List) {
		return "", ""
	}
	runes := []rune(expression)
	for i := at + 1; i < tokens.Partner[at]; i++ {
		if name := strings.Trim(tokens.List[i].Text, `'"`); (name == "name" || name == "key") && tokens.Is(i+1, ":") {
			end := i + 2
			for ; end < tokens.Partner[at] && !tokens.Is(end, ","); end++ {
				end = max(end, tokens.Partner[end])
			}
			return name, string(runes[tokens.List[i+2].Start:tokens.List[end-1].End])
		}
		i = max(i, tokens.Partner[i])
	}
	return "", ""
}
