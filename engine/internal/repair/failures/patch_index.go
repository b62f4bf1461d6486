package failures

import (
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/internal/lazy"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// beyondEnd is what the server says of an item that is added past the end of a list, not
// at it, or at a place that is no number but says the end.
var beyondEnd = lazy.Regexp{Text: `^JSON Patch: error in add for path: '(/[^']*/(?:[0-9]+|-1|\[\]|\*|\+|last|end|append))': (?:Unable to access invalid index|value was not a proper array index)`}

// appended adds at the end of a list what is added behind it; false where the path is not
// written as one text.
func (x *explainer) appended(e *report.Evaluation, root *node, document, path string) bool {
	at := x.operationAt(e, root)
	s := x.texts.source(e.Text, e.Path, e.Span)
	if at.Value != path || at.Kind != "literal" || s == nil || string(s.Runes) != e.Expression {
		return false
	}
	list := path[:strings.LastIndexByte(path, '/')]
	d := x.at(e, at, codes.MissingParent, "the list at "+list+" is too short for an item at "+path, document)
	if step := path[len(list)+1:]; strings.Trim(step, "0123456789") != "" {
		d.Summary = fmt.Sprintf("the list at %s has no item %q", list, step)
	}
	d.Detail = "Add an item at an existing index, or after the last one with - instead of the index."
	d.Fixes = []diag.Fix{s.Fix("Add it at the end", rewrite.Replace(at.Start, at.End, literal(list+"/-")))}
	x.add(d)
	return true
}

// inBrackets is an index as CEL writes it.
var inBrackets = lazy.Regexp{Text: `\[(\d+|-)\]`}

// bracketsInPath explains a path with an index in brackets, which a JSON pointer has as a
// step of its own; false for other paths.
func (x *explainer) bracketsInPath(e *report.Evaluation, at *node, document, path string) bool {
	wanted := inBrackets.ReplaceAllString(path, "/$1")
	s := x.texts.source(e.Text, e.Path, e.Span)
	if wanted == path || s == nil || string(s.Runes) != e.Expression || at.Kind != "literal" || at.Value != path {
		return false
	}
	d := x.at(e, at, codes.PatchOperation, fmt.Sprintf("%q is not a JSON pointer", path), document)
	d.Detail = "A JSON Patch path is a JSON pointer (RFC 6901). An item's index is one of its steps, such as /spec/containers/0/image."
	d.Fixes = []diag.Fix{s.Fix("Write "+wanted, rewrite.Replace(at.Start, at.End, literal(wanted)))}
	x.add(d)
	return true
}
