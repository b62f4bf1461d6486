package objects

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/scenario"
)

// fileName matches a key that is a file name, such as application.yaml.
var fileName = lazy.Regexp{Text: `\.(?:ya?ml|json|conf|cfg|ini|toml|properties|txt)$`}

// asText writes a list or mapping as a string, the only type in a ConfigMap: a list with commas, a
// mapping or a file as a block.
func (o Object) asText(w wrongType, path string) []diag.Fix {
	if fixes := o.plainLabels(w, path); fixes != nil {
		return fixes
	}
	if list, isList := w.got.([]any); isList && !fileName.MatchString(w.path.Last()) && !slices.ContainsFunc(list, isCollection) {
		var words []string
		for _, item := range list {
			words = append(words, fmt.Sprint(item))
		}
		return o.rewritten("Write it as one text, with commas", path, scenario.Quoted(strings.Join(words, ",")))
	}
	if o.Document.IsJSON() {
		return nil
	}
	value, key := o.Document.Locate(path), o.Document.LocateKey(path)
	src := o.Document.Source()
	if o.Document.Brackets(path) {
		return o.rewritten("Put it in quotes", path, scenario.Quoted(src[value.Start:value.End]))
	}
	if key.End >= len(src) || src[key.End] != ':' || o.Document.Column(path) <= o.Document.KeyColumn(path) {
		return nil
	}
	return []diag.Fix{{Title: "Write it as a block of text", Edits: []diag.Edit{{Text: o.Document.Text, Span: diag.Span{Start: key.End + 1, End: key.End + 1}, New: " |"}}}}
}

func isCollection(value any) bool {
	switch value.(type) {
	case []any, map[string]any:
		return true
	}
	return false
}

// drafts marks fixes that the reader must complete.
func drafts(fixes []diag.Fix) []diag.Fix {
	for i := range fixes {
		fixes[i].Draft = true
	}
	return fixes
}

// plainLabels removes matchLabels from a selector that only has labels, such as a Service's.
func (o Object) plainLabels(w wrongType, path string) []diag.Fix {
	around, _ := o.value(w.path.Parent()).(map[string]any)
	labels, isMapping := w.got.(map[string]any)
	if w.path.Last() != "matchLabels" || !isMapping || len(around) != 1 || len(labels) == 0 || o.Document.IsJSON() {
		return nil
	}
	span, outer := o.Document.Locate(path), o.in(w.path.Parent())
	text := o.Document.Source()[span.Start:span.End]
	if !o.Document.Brackets(path) {
		shifted, ok := o.Document.Shifted(path, o.Document.Column(outer)-o.Document.Column(path))
		if !ok || o.Document.Brackets(outer) {
			return nil
		}
		text = shifted
	}
	if at := o.Document.Locate(outer); o.Document.Brackets(path) && !o.Document.Brackets(outer) {
		// The braces replace the block.
		return []diag.Fix{{Title: "Write the labels without matchLabels", Edits: []diag.Edit{{Text: o.Document.Text, Span: at, New: text}}}}
	}
	return o.rewritten("Write the labels without matchLabels", outer, text)
}
