package scenario

import (
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/text/pasted"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// maxCopied is the size of text, in bytes, in which traces of copying are looked for.
const maxCopied = 256 << 10

// copied looks for what copying, printing and kubectl do to a text: output for
// people is rejected as what it is, and what can be undone is a repair, of the first
// problem of reading, or of a problem of its own where the text can be read and
// means something else.
func (p *parser) copied() {
	if len(p.src) > maxCopied {
		return
	}
	unread := slices.IndexFunc(p.diags, func(d diag.Diagnostic) bool { return d.Code == codes.YAMLSyntax || d.Code == codes.JSONSyntax })
	kindless := !slices.ContainsFunc(p.docs, func(d *Document) bool { return d.Kind != "" })
	logged := kindless && pasted.Logged(p.src)
	if !logged && p.replied() {
		return
	}
	if kindless && !logged {
		if said, command := foreign(p.src); said != "" {
			p.docs, p.diags = nil, nil
			p.report(diag.Error, codes.ForeignOutput, diag.Span{End: len(strings.TrimRight(firstLine(p.src), "\r"))}, said, "Use instead: "+command)
			return
		}
	}
	if unread < 0 && !logged && !suspicious(p.src) {
		return
	}
	p.budget.Work(4 * len(p.src))
	clean := pasted.Clean(p.src)
	said := cleaned(clean.Repairs)
	if said == "" {
		return
	}
	docs, problems := parseClean(p, clean.Text)
	readable := !slices.ContainsFunc(problems, func(d diag.Diagnostic) bool { return d.Code == codes.YAMLSyntax || d.Code == codes.JSONSyntax })
	if !readable || len(docs) == 0 {
		return
	}
	fix := diag.Fix{Title: strings.ToUpper(said[:1]) + said[1:], Edits: p.cleanEdits(clean)}
	switch {
	case unread >= 0:
		if d := &p.diags[unread]; len(d.Fixes) == 0 || !onlyWithin(clean.Repairs) {
			d.Fixes = []diag.Fix{fix}
		}
	case sameValues(p.docs, docs):
	case p.cutOff() != nil:
		p.cutOff().Fixes = []diag.Fix{fix}
	case logged || printed(p.src) || slices.ContainsFunc(p.docs, func(d *Document) bool { return showsCopying("", d.Value) }):
		span := fix.Edits[0].Span
		d := p.report(diag.Warning, codes.CopiedText, span, "copying changed this text: "+said+" to restore it", "")
		d.Fixes = []diag.Fix{fix}
	}
}

// cutOff is the problem of a document that ends before its text does.
func (p *parser) cutOff() *diag.Diagnostic {
	for i := range p.diags {
		if p.diags[i].Code == codes.IgnoredAfterDocumentEnd {
			return &p.diags[i]
		}
	}
	return nil
}

// showsCopying reports whether a value has what nobody writes on purpose: such
// characters in the name of a field, typographic quotes around all of a value, or
// any of it in an expression. Within other texts they may be meant.
func showsCopying(key string, value any) bool {
	switch v := value.(type) {
	case map[string]any:
		for k, item := range v {
			if k == "..." || margin.MatchString(k) || strings.ContainsAny(k, copies) || showsCopying(k, item) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, func(item any) bool { return showsCopying(key, item) })
	case string:
		open, close := strings.IndexAny(v, "“”„‘«"), strings.LastIndexAny(v, "“”’‚»")
		return open == 0 && close > 0 && close+len("”") >= len(v) || slices.Contains(expressionFields, key) && strings.ContainsAny(v, copies)
	}
	return false
}

// expressionFields are the fields with CEL.
var expressionFields = []string{"expression", "messageExpression", "valueExpression", "rule"}

// parseClean reads a text after its repairs.
func parseClean(p *parser, src string) ([]*Document, []diag.Diagnostic) {
	q := &parser{text: p.text, src: src, budget: p.budget}
	for _, c := range q.split() {
		if len(q.docs) < MaxDocuments {
			q.chunk(c)
		}
	}
	return q.docs, q.diags
}

// copies are the characters that copying leaves in a text: blanks that do not
// break, characters without a width, typographic quotes; and an ellipsis for what
// was left out.
const copies = "\u00a0\u2003\u2007\u2009\u202f\u3000\u200b\u2060\u00ad“”„‘’‚«»…"

// margin is a sign of a diff, or the number of a line, in front of the first field of an
// object.
var margin = lazy.Regexp{Text: `^(?:\+|[0-9]+[:|]?\s+)(?:apiVersion|kind)$`}

// releaseHead begins what helm prints of a release around its manifests.
const releaseHead = "NAME: "

// printed reports whether a text begins with what a command prints around its output.
func printed(src string) bool {
	return strings.HasPrefix(src, releaseHead) || pasted.Banner(firstLine(src))
}

func suspicious(src string) bool {
	first := strings.TrimLeft(firstLine(src), " ")
	return printed(src) || first != "" && strings.ContainsRune("+0123456789", rune(first[0])) || strings.HasPrefix(first, "diff ") || strings.Contains(src, "...") || strings.Contains(src, "\n+") || !ascii(src) && strings.ContainsAny(src, copies)
}

// ascii reports whether a text has none of the characters of copies, as most have.
func ascii(src string) bool {
	for i := range len(src) {
		if src[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// imperative words for what each repair does.
var imperative = map[string]string{
	"quoted": "remove the quote signs", "fence": "remove the Markdown around it", "heredoc": "remove the shell command around it", "template": "remove the template lines", "command": "remove the command line",
	"invisible": "remove the invisible characters", "spaces": "replace the non-breaking spaces", "quotes": "replace the typographic quotes",
	"line-numbers": "remove the line numbers", "diff": "extract the new text from the diff", "separator": "write --- between the documents",
	"log":     "cut the log to the request in it",
	"banner":  "remove the command's messages before its output",
	"release": "extract the manifests from helm's output",
	"tabs":    "replace the tabs that indent", "json": "remove the comments, commas and ellipses from the JSON", "ellipsis": "turn the ellipses into comments",
}

// cleaned says what repairs do that matter to kubectl; empty when there are none.
func cleaned(repairs []pasted.Repair) string {
	var parts []string
	for _, r := range repairs {
		if word := imperative[r.Name]; word != "" && !r.Same {
			parts = append(parts, word)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ", ")
}

// onlyWithin reports whether repairs change single lines only, for which the
// problem has repairs of its own.
func onlyWithin(repairs []pasted.Repair) bool {
	return !slices.ContainsFunc(repairs, func(r pasted.Repair) bool { return !r.Same && r.Name != "tabs" && r.Name != "ellipsis" })
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

func sameValues(a, b []*Document) bool {
	return slices.EqualFunc(a, b, func(x, y *Document) bool { return reflect.DeepEqual(x.Value, y.Value) })
}

// cleanEdits are the changes of single lines that make a text clean.
func (p *parser) cleanEdits(clean pasted.Text) []diag.Edit {
	old := strings.SplitAfter(p.src, "\n")
	lines := map[int]string{}
	for i, line := range strings.Split(clean.Text, "\n") {
		lines[clean.Lines[i]] = line
	}
	var edits []diag.Edit
	start := 0
	for i, line := range old {
		bare := strings.TrimSuffix(line, "\n")
		kept, ok := lines[i+1]
		switch {
		case !ok && line != "":
			edits = append(edits, diag.Edit{Text: p.text, Span: diag.Span{Start: start, End: start + len(line)}})
		case ok && kept != bare && kept != strings.TrimSuffix(bare, "\r"):
			edits = append(edits, diag.Edit{Text: p.text, Span: diag.Span{Start: start, End: start + len(bare)}, New: kept})
		}
		start += len(line)
	}
	return edits
}
