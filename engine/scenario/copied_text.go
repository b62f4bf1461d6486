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

// maxCopied is the maximum size, in bytes, of a text that is checked for damage from copying.
const maxCopied = 256 << 10

// copied looks for damage from copying, printing and kubectl. It rejects output for people and
// names it. Damage that can be undone becomes a repair of the first parse error. If the text parses
// but means something else, it becomes a problem of its own.
func (p *parser) copied() {
	if len(p.src) > maxCopied {
		return
	}
	unread := slices.IndexFunc(p.diags, func(d diag.Diagnostic) bool { return d.Code == codes.YAMLSyntax || d.Code == codes.JSONSyntax })
	kindless := !hasObject(p.docs)
	logged := kindless && pasted.Logged(p.src)
	if !logged && p.replied() {
		return
	}
	if kindless && !logged {
		if said, instead := foreign(p.src); said != "" {
			p.docs, p.diags = nil, nil
			p.report(diag.Error, codes.ForeignOutput, diag.Span{End: len(strings.TrimRight(firstLine(p.src), "\r"))}, said, instead)
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

// cutOff reports a document that is truncated.
func (p *parser) cutOff() *diag.Diagnostic {
	for i := range p.diags {
		if p.diags[i].Code == codes.IgnoredAfterDocumentEnd {
			return &p.diags[i]
		}
	}
	return nil
}

// showsCopying reports whether a value has characters that nobody writes on purpose: in a field
// name, as typographic quotes around a whole value, or anywhere in an expression. Inside other
// texts they may be intended.
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

// expressionFields are the fields that hold CEL.
var expressionFields = []string{"expression", "messageExpression", "valueExpression", "rule"}

// parseClean parses a text after its repairs.
func parseClean(p *parser, src string) ([]*Document, []diag.Diagnostic) {
	q := &parser{text: p.text, src: src, budget: p.budget}
	for _, c := range q.split() {
		if len(q.docs) < MaxDocuments {
			q.chunk(c)
		}
	}
	return q.docs, q.diags
}

// copies are the characters that copying leaves in a text: non-breaking blanks, zero-width
// characters, typographic quotes, and an ellipsis for omitted text.
const copies = "\u00a0\u2003\u2007\u2009\u202f\u3000\u200b\u2060\u00ad“”„‘’‚«»…"

// margin matches a diff sign or a line number before an object's first field.
var margin = lazy.Regexp{Text: `^(?:\+|[0-9]+[:|]?\s+)(?:apiVersion|kind)$`}

// releaseHead matches the start of what helm prints around a release's manifests.
const releaseHead = "NAME: "

// printed reports whether a text begins with a command's own output.
func printed(src string) bool {
	return strings.HasPrefix(src, releaseHead) || pasted.Banner(firstLine(src))
}

func suspicious(src string) bool {
	first := strings.TrimLeft(firstLine(src), " ")
	return printed(src) || first != "" && strings.ContainsRune("+0123456789", rune(first[0])) || strings.HasPrefix(first, "diff ") || strings.Contains(src, "...") || strings.Contains(src, "\n+") || !ascii(src) && strings.ContainsAny(src, copies)
}

// ascii reports whether a text has no character of copies. Most texts have none.
func ascii(src string) bool {
	for i := range len(src) {
		if src[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// imperative descriptions of the repairs
var imperative = map[string]string{
	"quoted": "remove the quote signs", "fence": "remove the Markdown around it", "heredoc": "remove the shell command around it", "template": "remove the template lines", "command": "remove the command line",
	"invisible": "remove the invisible characters", "spaces": "replace the non-breaking spaces", "quotes": "replace the typographic quotes",
	"line-numbers": "remove the line numbers", "diff": "extract the new text from the diff", "separator": "write --- between the documents",
	"log":     "cut the log to the request in it",
	"banner":  "remove the command's messages before its output",
	"release": "extract the manifests from helm's output",
	"tabs":    "replace the tabs that indent", "json": "remove the comments, commas and ellipses from the JSON", "ellipsis": "turn the ellipses into comments",
}

// cleaned describes the repairs that matter to kubectl. It is empty if there are none.
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

// onlyWithin reports whether repairs change only single lines, which the problem's own repairs
// cover.
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

// cleanEdits returns the single-line changes that clean a text.
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
