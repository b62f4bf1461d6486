package mend

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// fileName is the key of a text that is a file, such as application.yaml.
var fileName = lazy.Regexp{Text: `\.(?:ya?ml|json|conf|cfg|ini|toml|properties|txt)$`}

// asText writes a list or a mapping as a text, which is all that a ConfigMap holds: a list of
// values with commas, a mapping and what is a file as a block of text.
func (o Object) asText(w wrongType, path string) []diag.Fix {
	if list, isList := w.got.([]any); isList && !fileName.MatchString(w.path.Last()) && !slices.ContainsFunc(list, isCollection) {
		var words []string
		for _, item := range list {
			words = append(words, fmt.Sprint(item))
		}
		return o.rewritten("Write it as one text, with commas", path, quote(strings.Join(words, ",")))
	}
	if o.Document.IsJSON() {
		return nil
	}
	value, key := o.Document.Locate(path), o.Document.LocateKey(path)
	src := o.Document.Source()
	if o.Document.Brackets(path) {
		return o.rewritten("Put it in quotes", path, quote(src[value.Start:value.End]))
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

// quote writes a text in quotes that need no escapes but their own.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// drafts marks fixes as those that the reader completes.
func drafts(fixes []diag.Fix) []diag.Fix {
	for i := range fixes {
		fixes[i].Draft = true
	}
	return fixes
}
