package scenario

import (
	"math/bits"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// maxSearch limits the document size, in bytes, for locating a YAML error exactly. Larger documents
// use the parser's line.
const maxSearch = 64 << 10

// yamlProblem reports why and where a document is not YAML. The parser names only a line, often
// where the enclosing construct starts. The shortest prefix that also fails ends at the mistake.
func (p *parser) yamlProblem(s *source, err error, asJSON *jsonProblem) {
	if asJSON != nil && looksLikeJSON(s) {
		p.report(diag.Error, codes.JSONSyntax, diag.Span{Start: asJSON.at, End: min(asJSON.at+1, len(p.src))},
			"this is not valid JSON", asJSON.err.Error())
		return
	}
	text := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "error converting YAML to JSON: "), "yaml: ")
	at := s.from + errorLineStart(s.src[s.from:s.to], text)
	if size := s.to - s.from; size <= maxSearch {
		p.budget.Work(bits.Len(uint(size)) * (beginningWork + size))
		at = s.from + firstFailure(s.src[s.from:s.to], func(beginning string) bool {
			_, err := toJSONFromYAML([]byte(beginning))
			return err != nil
		})
	}
	at = exactPlace(text, s, at)
	summary, detail := explainYAML(text, s.src, at)
	span := diag.Span{Start: at, End: at}
	if at < s.to {
		_, width := utf8.DecodeRuneInString(s.src[at:])
		span.End = at + width
	}
	d := p.report(diag.Error, codes.YAMLSyntax, span, summary, detail)
	if inIndentation(s.src, at) {
		d.Fixes = []diag.Fix{{Title: "Indent with spaces", Edits: p.tabEdits(s)}}
		return
	}
	if d.Fixes = p.alone(s); d.Fixes != nil {
		d.Summary = "this is an expression, not a policy"
		return
	}
	d.Fixes = p.mend(s, at)
	if advice := "; put the value in quotes"; len(d.Fixes) > 0 && strings.HasSuffix(d.Summary, advice) && !strings.Contains(d.Fixes[0].Title, "quotes") {
		d.Summary = strings.TrimSuffix(d.Summary, advice) // this advice does not apply here
	}
}

// beginningWork is the fixed work for reading a prefix of a document, in bytes.
const beginningWork = 500

var lineInError = lazy.Regexp{Text: `line (\d+): `}

// errorLineStart returns the offset of the line in the parser's error.
func errorLineStart(part, text string) int {
	m := lineInError.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	at := 0
	for n := atoi(m[1]); n > 1 && at < len(part); n-- {
		at = lineEnd(part, at)
	}
	return min(at, max(len(part)-1, 0))
}

func atoi(digits string) int {
	n := 0
	for _, c := range digits {
		n = min(n*10+int(c-'0'), 1<<30)
	}
	return n
}

// firstFailure returns the byte at which a broken document fails: the end of the shortest prefix
// from which every longer one fails too. It bisects lines, then one line's characters.
func firstFailure(part string, fails func(beginning string) bool) int {
	var lines []int
	for i := 0; i < len(part); {
		i = lineEnd(part, i)
		lines = append(lines, i)
	}
	bad := sort.Search(len(lines)-1, func(i int) bool { return fails(part[:lines[i]]) })
	from := 0
	if bad > 0 {
		from = lines[bad-1]
	}
	var ends []int // prefix ends: before each character of the line, and after the last
	for i := range part[from:lines[bad]] {
		ends = append(ends, from+i)
	}
	ends = append(ends, lines[bad])
	breaks := len(ends) - 1
	if len(ends)*lines[bad] > 8*maxSearch { // too expensive to try them all
		breaks = sort.Search(len(ends)-1, func(i int) bool { return fails(part[:ends[i]]) })
	}
	for breaks > 1 && fails(part[:ends[breaks-1]]) {
		breaks--
	}
	return ends[breaks-1]
}

// exactPlace moves from where the parser gives up to the wrong characters, for errors where the two
// are known to differ.
func exactPlace(text string, s *source, at int) int {
	switch {
	case strings.Contains(text, "control characters"):
		if c, found := controlCharacter(s.src[s.from:s.to]); found {
			return s.from + c
		}
	case strings.Contains(text, "unknown escape"):
		if m := unknownEscape.FindStringSubmatchIndex(s.src[at:s.to]); m != nil {
			return at + m[2]
		}
	case strings.Contains(text, "unsupported value"):
		return s.from + strings.LastIndexAny(s.src[s.from:at], " \t\n[{,") + 1
	}
	return at
}

// unknownEscape finds the first escape in a double-quoted string that is not a YAML escape.
var unknownEscape = lazy.Regexp{Text: `^"(?:[^"\\]|\\[0abtnvfre"'\\N_LPxuU\s])*(\\)`}

// controlCharacter finds the first character that YAML does not allow.
func controlCharacter(part string) (int, bool) {
	for i, r := range part {
		switch {
		case r == '\t', r == '\n', r == '\r', r == 0x85, r >= 0x20 && r < 0x7f, r >= 0xa0 && r < 0xfffe, r >= 0x10000:
		default:
			return i, true
		}
	}
	return 0, false
}

// explainYAML rewrites the parser's error for people. The detail keeps the original.
func explainYAML(text, src string, at int) (summary, detail string) {
	bare := lineInError.ReplaceAllString(text, "")
	summary = "this is not valid YAML"
	switch {
	case strings.Contains(text, "control characters"):
		summary = "a control character is not allowed in YAML"
	case inIndentation(src, at):
		summary = "a tab indents this line; YAML allows only spaces"
	case strings.Contains(text, "mapping values are not allowed"):
		summary = "this value contains \": \"; put it in quotes"
	case strings.Contains(text, "unexpected end of stream"):
		summary = "a quote is not closed"
	case strings.Contains(text, "cannot start any token"):
		summary = "a value cannot start with this character; put it in quotes"
	case strings.Contains(text, "did not find expected key"), strings.Contains(text, "could not find expected ':'"):
		summary = "expected \"key: value\" here; check the indentation"
	case strings.Contains(text, "did not find expected ',' or"):
		summary = "a bracket is not closed or a comma is missing"
	case strings.Contains(text, "unknown escape character"):
		summary = "unknown escape in a double-quoted string; single quotes need no escapes"
	case strings.Contains(text, "unknown anchor"):
		summary = "an alias (*name) without an anchor (&name)"
	case strings.Contains(text, "unsupported value"), strings.Contains(text, "unsupported map key"):
		summary = "a value cannot be written as JSON"
	}
	return summary, "The parser says: " + strings.TrimSpace(bare)
}

// inIndentation reports whether src[at] is a tab with only white space before it on its line.
func inIndentation(src string, at int) bool {
	if at >= len(src) || src[at] != '\t' {
		return false
	}
	line := strings.LastIndexByte(src[:at], '\n') + 1
	return strings.Trim(src[line:at], " \t") == ""
}
