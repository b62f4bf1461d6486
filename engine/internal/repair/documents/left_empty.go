package documents

import (
	"reflect"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// intoEmpty indents fields below a mapping beside them that has no value, because its content
// is not indented enough. It returns nil if the mapping has a value, or if other fields are
// among them.
func (m Document) intoEmpty(t reflect.Type, steps fieldpath.Path, to target) []diag.Fix {
	parent := steps.Parent()
	if len(to.wrap) > 0 || len(to.parent) == 0 || to.parent.Parent().String() != parent.String() || m.Brackets(parent.String()) && len(parent) > 0 {
		return nil
	}
	if value, there := to.parent.Get(m.Value); !there || value != nil {
		return nil
	}
	fields, _ := m.companions(t, parent, steps, to.parent.Last())
	start, end := m.LocateKey(fields[0]).Start, m.Locate(fields[len(fields)-1]).End
	around, _ := m.value(parent.String()).(map[string]any)
	for key := range around {
		path := parent.Child(key).String()
		if at := m.LocateKey(path).Start; at > start && at < end && !slices.Contains(fields, path) {
			return nil
		}
	}
	empty, ok := m.Remove(to.parent.String())
	if !ok || end <= start {
		return nil
	}
	edits := []diag.Edit{empty}
	insert := func(at int, text string) {
		edits = append(edits, diag.Edit{Text: m.Document.Text, Span: diag.Span{Start: at, End: at}, New: text})
	}
	indent := strings.Repeat(" ", m.KeyColumn(fields[0])+2)
	insert(start, to.parent.Last()+":\n"+indent)
	text := m.Source()
	for at := start; ; at++ {
		next := strings.IndexByte(text[at:end], '\n')
		if next < 0 {
			return []diag.Fix{{Title: "Move " + strings.Join(fields, ", ") + " to " + to.parent.String(), Edits: edits}}
		}
		if at += next; at+1 < end && text[at+1] != '\n' {
			insert(at+1, "  ")
		}
	}
}
