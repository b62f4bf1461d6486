package expressions

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/source"
)

// Deeper writes the literals of a type as what is further below it: Object.spec{containers: ...}
// of a Deployment with a way of template and spec becomes
// Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: ...}}}.
// The names of the types within are those of their new places. It is empty where the expression
// has literals on the way already.
func Deeper(text, typeName string, way []string) string {
	if strings.Contains(text, typeName+"."+way[0]) {
		return ""
	}
	d := &draft{Tokens: source.NewTokens(text), text: text}
	var edits []edit
	for i := range d.List {
		_, path := d.typePath(i)
		open := i + 1
		if path == "" || !strings.HasPrefix(path, typeName) || !d.Is(open, "{") || d.Partner[open] < 0 {
			continue
		}
		from, _ := d.typePath(i)
		if below, ok := strings.CutPrefix(path, typeName+"."); ok {
			edits = append(edits, edit{d.start(from), d.end(i), typeName + "." + strings.Join(way, ".") + "." + below})
			continue
		}
		if path != typeName {
			continue
		}
		name, before := typeName, ""
		for _, step := range way {
			name += "." + step
			before += step + ": " + name + "{"
		}
		edits = append(edits, edit{d.end(open), d.end(open), before}, edit{d.start(d.Partner[open]), d.start(d.Partner[open]), strings.Repeat("}", len(way))})
	}
	slices.SortFunc(edits, func(a, b edit) int { return a.start - b.start })
	if next := d.with(edits...); next != text {
		return next
	}
	return ""
}
