package expressions

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/scenario"
)

// What is wrong with an expression may be around it in its document.

// cutByComment puts an expression in quotes that YAML ends at a # within a text of CEL:
// expression: object.metadata.name != 'a #b'. Nil where it is whole.
func cutByComment(doc *scenario.Document, path string) []diag.Fix {
	span := doc.Locate(path)
	text := doc.Source()
	line, _, _ := strings.Cut(text[span.End:], "\n")
	line = strings.TrimRight(line, " \r")
	if span.Start >= span.End || strings.ContainsAny(text[span.Start:span.Start+1], "'\"|>") || strings.Contains(text[span.Start:span.End], "\n") || !strings.HasPrefix(strings.TrimLeft(line, " "), "#") {
		return nil
	}
	open := func(text string) bool {
		tokens := source.NewTokens(text)
		return slices.ContainsFunc(tokens.List, func(t source.Token) bool { return t.Kind == source.String && t.Open })
	}
	whole := text[span.Start:span.End] + line
	if !open(text[span.Start:span.End]) || open(whole) {
		return nil
	}
	span.End += len(line)
	return []diag.Fix{{Title: "Put all of it in quotes", Edits: []diag.Edit{{Text: doc.Text, Span: span, New: "'" + strings.ReplaceAll(whole, "'", "''") + "'"}}}}
}

// otherPatchType moves an expression to the type of patch that it makes: a list of
// JSONPatch{...} to jsonPatch, an Object{...} to applyConfiguration. Nil where the
// expression fits its place.
func otherPatchType(doc *scenario.Document, e model.Expression, message string) []diag.Fix {
	kind, field := "", ""
	switch {
	case e.Place.Result == eval.ApplyConfiguration && strings.Contains(message, "JSONPatch"):
		kind, field = "JSONPatch", "jsonPatch"
	case e.Place.Result == eval.JSONPatch && strings.HasSuffix(message, "but got Object"):
		kind, field = "ApplyConfiguration", "applyConfiguration"
	default:
		return nil
	}
	body := fieldpath.Parse(e.Path).Parent()
	renamed, ok := doc.Rename(body.String(), field)
	if !ok {
		return nil
	}
	fix := diag.Fix{Title: "Change patchType to " + kind, Edits: []diag.Edit{renamed}}
	if at := body.Parent().Child("patchType").String(); doc.Has(at) {
		typed, ok := doc.Rewrite(at, kind)
		if !ok {
			return nil
		}
		fix.Edits = append(fix.Edits, typed)
	}
	return []diag.Fix{fix}
}

// FoldedDetail says why what follows a comment is not there.
const FoldedDetail = "YAML joins the lines of a text after >, so a comment hides everything after it. After | the lines stay separate, and the comment ends with its line."

// FoldedComment keeps the lines of an expression that YAML makes one line of, so that a comment in
// it ends with its line. Nil where no line is lost.
func FoldedComment(doc *scenario.Document, path string) []diag.Fix {
	m, ok := doc.Scalar(path)
	if !ok || m.Span.End <= m.Span.Start || doc.Source()[m.Span.Start] != '>' {
		return nil
	}
	if !slices.ContainsFunc(source.Lex(m.Text), func(t source.Token) bool {
		written := m.SpanOfRunes(t.Start, t.End)
		return t.Kind == source.Comment && strings.Contains(strings.TrimRight(doc.Source()[written.Start:written.End], " \n"), "\n")
	}) {
		return nil // lines that are indented further stay lines
	}
	return []diag.Fix{{Title: "Write | in place of >, so that the comment ends with its line", Edits: []diag.Edit{{
		Text: doc.Text, Span: diag.Span{Start: m.Span.Start, End: m.Span.Start + 1}, New: "|",
	}}}}
}
