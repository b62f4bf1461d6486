package scenario

import (
	"encoding/json"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// A YAML parser usually stops near the mistake. Repairs of a broken document are found by trial: a
// line is replaced by what people usually mean. The repair is offered if the document, or at least
// the part up to the next mistake, then parses.

const (
	// maxMend limits the document size, in bytes, for trying repairs.
	maxMend = 32 << 10
	// nearLines is how many lines before the error are tried; maxTries limits the parses.
	nearLines = 30
	maxTries  = 300
)

// attempt is a change of lines that may repair a document.
type attempt struct {
	title    string
	from, to int // lines
	with     []string
}

// mend finds repairs of a broken YAML document, best first.
func (p *parser) mend(s *source, at int) []diag.Fix {
	if s.to-s.from > maxMend {
		return nil
	}
	part := s.src[s.from:s.to]
	lines := strings.SplitAfter(part, "\n")
	stops := strings.Count(part[:min(max(at-s.from, 0), len(part))], "\n")
	var found []attempt
	var further *attempt
	tries := 0
	for _, try := range attempts(lines, stops) {
		if tries++; tries > maxTries || len(found) == 2 {
			break
		}
		text := try.apply(lines)
		switch {
		case readable(text):
			if len(found) == 0 || found[0].title != try.title {
				found = append(found, try)
			}
		case further == nil && len(found) == 0 && stops-try.from <= 2 && try.from <= stops && failsAfter(text, try.to+1):
			further = &try
		}
	}
	if both, ok := bothInQuotes(lines, stops); ok && len(found) == 0 && further == nil && readable(both.apply(lines)) {
		further = &both
	}
	if len(found) == 0 && further != nil {
		found = append(found, *further)
	}
	var fixes []diag.Fix
	for _, f := range found {
		fixes = append(fixes, diag.Fix{Title: f.title, Edits: []diag.Edit{p.lineEdit(s, lines, f)}})
	}
	return fixes
}

func (a attempt) apply(lines []string) string {
	var b strings.Builder
	for _, l := range lines[:a.from] {
		b.WriteString(l)
	}
	for _, l := range a.with {
		b.WriteString(l)
	}
	for _, l := range lines[a.to:] {
		b.WriteString(l)
	}
	return b.String()
}

// lineEdit returns an attempt's edit without the parts that stay the same.
func (p *parser) lineEdit(s *source, lines []string, a attempt) diag.Edit {
	start := s.from
	for _, l := range lines[:a.from] {
		start += len(l)
	}
	old, text := strings.Join(lines[a.from:a.to], ""), strings.Join(a.with, "")
	n := 0
	for n < len(old) && n < len(text) && old[n] == text[n] && old[n] < 0x80 {
		n++
	}
	m := 0
	for m < len(old)-n && m < len(text)-n && old[len(old)-1-m] == text[len(text)-1-m] && old[len(old)-1-m] < 0x80 {
		m++
	}
	return diag.Edit{Text: p.text, Span: diag.Span{Start: start + n, End: start + len(old) - m}, New: text[n : len(text)-m]}
}

func readable(text string) bool {
	raw, err := toJSONFromYAML([]byte(text))
	var object map[string]any
	return err == nil && json.Unmarshal(raw, &object) == nil && (!strings.Contains("\n"+text, "\nkind:") || object["kind"] != nil)
}

// failsAfter reports whether a text parses up to and including a line.
func failsAfter(text string, line int) bool {
	lines := strings.SplitAfter(text, "\n")
	_, err := toJSONFromYAML([]byte(strings.Join(lines[:min(line+1, len(lines))], "")))
	return err == nil
}

// attempts lists possible intentions, most likely first: changes within a line, near lines first,
// and then its indentation.
func attempts(lines []string, stops int) []attempt {
	var near []int
	for d := range nearLines {
		if i := stops - d; i >= 0 && i < len(lines) && strings.TrimSpace(lines[i]) != "" {
			near = append(near, i)
		}
		if d == 0 && stops+1 < len(lines) {
			near = append(near, stops+1)
		}
	}
	var out []attempt
	for _, i := range near {
		out = append(out, onLine(lines, i)...)
	}
	for _, i := range near[:min(len(near), 4)] {
		out = append(out, indentations(lines, i)...)
	}
	return out
}

// rewriting is a change within one line.
type rewriting struct {
	title string
	find  *lazy.Regexp
	with  string
}

// firstRewritings is how many of them are tried before quoting a value.
const firstRewritings = 11

// rewritings are mistakes from other languages and from haste.
var rewritings = []rewriting{
	{"Write it as a comment", &lazy.Regexp{Text: `^(\s*)(?:- +)?(\.\.\.|…)\s*$`}, "$1# $2"},
	{"Join the signs of the block", &lazy.Regexp{Text: `^(\s*(?:- +)*[\w.-]+:\s+[>|])\s+([-+])\s*$`}, "$1$2"},
	{"Put the list in brackets", &lazy.Regexp{Text: `^(\s*(?:- +)*[\w.-]+:\s+)((?:"[^"]*"|'[^']*')(?:\s*,\s*(?:"[^"]*"|'[^']*'))+)\s*$`}, "$1[$2]"},
	{"Close the quote", &lazy.Regexp{Text: `^(\s*(?:- +)*[\w.-]+:\s+\[\s*(?:"[^"]*"\s*,\s*)*"[\w./*-]+)(\]\s*)$`}, "$1\"$2"},
	{"Write the comment with #", &lazy.Regexp{Text: `^(\s*)//+`}, "$1#"},
	{"Write the comment with #", &lazy.Regexp{Text: `^(\s*(?:- )?[\w./-]+:(?:\s+(?:"[^"]*"|'[^']*'|[^\s"'][^"']*?))?)\s+//`}, "$1 #"},
	{"Write a space after the colon", &lazy.Regexp{Text: `^(\s*(?:- +)?[A-Za-z]\w*):([^\s:/].*)`}, "$1: $2"},
	{"Write a space after the dash", &lazy.Regexp{Text: `^(\s*)-([A-Za-z]\w*:(?:\s.*)?)$`}, "$1- $2"},
	{"Remove the comma", &lazy.Regexp{Text: `^(\s*(?:- +)?[\w./-]+:\s+(?:\[[^\[\]]*\]|\{[^{}]*\}|"[^"]*"|'[^']*')),\s*$`}, "$1"},
	{"Write a colon", &lazy.Regexp{Text: `^(\s*(?:- +)?[A-Za-z]\w*)\s*=\s*([^=\s].*)$`}, "$1: $2"},
	{"Write a colon", &lazy.Regexp{Text: `^(\s*(?:- +)?[A-Za-z]\w*)\s*$`}, "$1:"},
	{"Put the asterisk in quotes", &lazy.Regexp{Text: `^(\s*(?:- +)?(?:apiGroups|apiVersions|resources|operations):\s+)(\*(?:/\*)?)\s*$`}, "$1['$2']"},
	{"Put the asterisk in quotes", &lazy.Regexp{Text: `([\[,]\s*)(\*(?:/\*)?)(\s*[\],])`}, "$1'$2'$3"},
	{"Put the asterisk in quotes", &lazy.Regexp{Text: `^(\s*(?:- +)?(?:\w+:\s+)?)(\*(?:/\*)?)(\s*)$`}, "$1'$2'$3"},
	{"Write a comma", &lazy.Regexp{Text: `(["'\w])\s+(["'])`}, "$1, $2"},
	{"Close the bracket", &lazy.Regexp{Text: `^(\s*(?:- +)?\w+:\s*\[[^\]]*?),?\s*$`}, "$1]"},
	{"Close the bracket", &lazy.Regexp{Text: `^(\s*(?:- +)?\w+:\s*\{[^}]*?),?\s*$`}, "$1}"},
	{"Remove the bracket", &lazy.Regexp{Text: `^(\s*(?:- +)?\w+:.*)[\]})]\s*$`}, "$1"},
	{"Write a colon", &lazy.Regexp{Text: `^(\s*(?:- +)?[a-z][A-Za-z]*)[ \t]+([^\s:=#{}\[\]|>&*!-]\S*)\s*$`}, "$1: $2"},
}

var (
	keyAndValue  = lazy.Regexp{Text: `^(\s*(?:- +)*(?:"[^"]*"|'[^']*'|[\w./-]+):\s+)(\S.*?)\s*$`}
	onlyItem     = lazy.Regexp{Text: `^(\s*- +)([^\s].*?)\s*$`}
	onlyClosing  = lazy.Regexp{Text: "^\\s*[}\\])`]+[,;]?\\s*$"}
	blockScalar  = lazy.Regexp{Text: `^(\s*(?:- +)*)[\w./-]+:\s+[|>][+-]?[1-9]?\s*(?:#.*)?$`}
	looksLikeKey = lazy.Regexp{Text: `^\s*(?:- +)?[A-Za-z][\w./-]*:(?:\s|$)`}
)

// twoKeys matches a line with a mapping's key and the first key inside it.
var twoKeys = lazy.Regexp{Text: `^(\s*(?:- +)?)((?:metadata|spec|data|labels|annotations|selector|matchLabels|template|securityContext|resources|limits|requests|matchConstraints|matchResources|paramKind|paramRef|clientConfig|service|applyConfiguration|jsonPatch|names|schema|openAPIV3Schema|properties):)\s+([A-Za-z][\w./-]*:(?:\s.*)?)$`}

// innerColumn returns the column of a key's content, for a key at a column of a line: the next
// line's column, if that is further in.
func innerColumn(lines []string, i, column int) int {
	if i+1 < len(lines) {
		next := lines[i+1]
		if at := len(next) - len(strings.TrimLeft(next, " ")); at > column && looksLikeKey.MatchString(next) {
			return at
		}
	}
	return column + 2
}

// onLine returns the attempts that change one line.
func onLine(lines []string, i int) []attempt {
	text := strings.TrimRight(lines[i], "\r\n")
	end := lines[i][len(text):]
	one := func(title, with string) attempt { return attempt{title, i, i + 1, []string{with + end}} }
	var out []attempt
	if onlyClosing.MatchString(text) {
		out = append(out, attempt{"Remove the bracket", i, i + 1, nil})
	}
	for _, r := range rewritings[:firstRewritings] {
		if r.find.MatchString(text) {
			out = append(out, one(r.title, r.find.ReplaceAllString(text, r.with)))
		}
	}
	if m := twoKeys.FindStringSubmatch(text); m != nil {
		out = append(out, attempt{"Write it on two lines", i, i + 1, []string{m[1] + m[2] + "\n", strings.Repeat(" ", innerColumn(lines, i, len(m[1]))) + m[3] + end}})
	}
	m := keyAndValue.FindStringSubmatch(text)
	list := m != nil && strings.HasPrefix(m[2], "[")
	if m != nil && !list {
		out = append(out, quotations(m[1], m[2], one)...)
	} else if m := onlyItem.FindStringSubmatch(text); m != nil && !list {
		out = append(out, quotations(m[1], m[2], one)...)
	}
	for _, r := range rewritings[firstRewritings:] {
		if r.find.MatchString(text) {
			out = append(out, one(r.title, r.find.ReplaceAllString(text, r.with)))
		}
	}
	if list {
		out = append(out, quotations(m[1], m[2], one)...)
	}
	return append(out, blocks(lines, i)...)
}

// inQuotes is the title of the repair of a value that has a meaning in YAML.
const inQuotes = "Put it in quotes"

// bothInQuotes puts the values of a line and of the next one in quotes: the same mistake twice.
func bothInQuotes(lines []string, i int) (attempt, bool) {
	var with []string
	for at := i; at < min(i+2, len(lines)); at++ {
		for _, try := range onLine(lines, at) {
			if try.title == inQuotes && len(with) == at-i {
				with = append(with, try.with...)
			}
		}
	}
	return attempt{"Put both values in quotes", i, i + 2, with}, len(with) == 2
}

// quotations put a value in quotes that close at its end.
func quotations(before, value string, one func(title, with string) attempt) []attempt {
	if strings.HasPrefix(value, "|") || strings.HasPrefix(value, ">") || strings.HasPrefix(value, "[*") || value == "*" || strings.HasPrefix(value, "#") {
		return nil
	}
	single := func(text string) string {
		if strings.Contains(text, "'") && !strings.ContainsAny(text, "\"\\") {
			return `"` + text + `"`
		}
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	quote := value[0]
	last := value[len(value)-1]
	switch {
	case quote == '\'' && last == '\'' && len(value) > 1:
		return []attempt{one("Double the quotes inside", before+"'"+strings.ReplaceAll(strings.ReplaceAll(value[1:len(value)-1], "''", "'"), "'", "''")+"'")}
	case quote == '"' && last == '"' && len(value) > 1:
		inner := strings.ReplaceAll(value[1:len(value)-1], `\"`, `"`)
		if escaped := patternEscapes.ReplaceAllString(value, `$1\\$2`); escaped != value && rawString.MatchString(value) {
			return []attempt{one("Double the backslashes", before+escaped), one("Put it in single quotes", before+single(strings.ReplaceAll(inner, `\\`, `\`)))}
		}
		if escaped := patternEscapes.ReplaceAllString(value, `$1\\\\$2`); escaped != value && expressionKey.MatchString(before) {
			// Both YAML and CEL read a backslash as the beginning of an escape.
			return []attempt{one("Write the backslashes for YAML and CEL", before+escaped), one("Put it in single quotes", before+single(strings.ReplaceAll(inner, `\\`, `\`)))}
		}
		out := []attempt{one("Put it in single quotes", before+single(strings.ReplaceAll(inner, `\\`, `\`)))}
		if !expressionKey.MatchString(before) { // whose value is not quoted
			out = append(out, one("Put all of it in quotes", before+single(value)))
		}
		return out
	case quote == '\'' || quote == '"':
		var out []attempt
		if other := map[byte]string{'\'': `"`, '"': "'"}[quote]; string(last) == other && strings.Count(value, other)%2 == 1 && strings.Count(value, string(quote)) == 1 {
			out = append(out, one("Close it with its opening quote", before+value[:len(value)-1]+string(quote)))
		}
		if strings.Count(value, string(quote))%2 == 1 {
			out = append(out, one("Close the quote", before+value+string(quote)))
		}
		return append(out, one("Put all of it in quotes", before+single(value)))
	}
	text, comment := value, ""
	if quote == '`' && last == quote && len(value) > 2 {
		text = value[1 : len(value)-1] // other languages' quotes
	} else if strings.HasPrefix(value, "{{") && strings.HasSuffix(value, "}}") && expressionKey.MatchString(before) {
		text = strings.TrimSpace(value[2 : len(value)-2]) // template braces
	} else if i := strings.Index(value, " #"); i > 0 {
		text, comment = strings.TrimRight(value[:i], " "), " "+strings.TrimLeft(value[i:], " ")
	}
	return []attempt{one(inQuotes, before+single(text)+comment)}
}

var (
	// expressionKey matches a CEL field's key.
	expressionKey = lazy.Regexp{Text: `(?:expression|Expression|rule):\s+$`}
	// rawString matches a CEL raw string, in which a backslash is not an escape.
	rawString = lazy.Regexp{Text: `(^|[^\w])[rR]['"]`}
	// patternEscapes matches backslash escapes of regular expressions that are not YAML escapes,
	// not after another backslash.
	patternEscapes = lazy.Regexp{Text: `(^|[^\\])\\([dDwWsSbB.*+?()\[\]{}|^$-])`}
)

// blocks indents block scalar lines that are not indented enough.
func blocks(lines []string, i int) []attempt {
	m := blockScalar.FindStringSubmatch(strings.TrimRight(lines[i], "\r\n"))
	if m == nil {
		return blockSign(lines, i)
	}
	column := len(m[1])
	to := i + 1
	for to < len(lines) {
		text := strings.TrimRight(lines[to], "\r\n")
		indent := len(text) - len(strings.TrimLeft(text, " "))
		if text != "" && indent <= column && (looksLikeKey.MatchString(text) || strings.HasPrefix(text[indent:], "- ")) {
			break
		}
		to++
	}
	if to == i+1 {
		return nil
	}
	with := []string{lines[i]}
	for _, l := range lines[i+1 : to] {
		text := strings.TrimLeft(l, " ")
		extra := max(len(l)-len(text)-column, 0)
		if strings.TrimSpace(l) != "" {
			l = strings.Repeat(" ", column+2+extra) + text
		}
		with = append(with, l)
	}
	return []attempt{{"Indent the text", i, to, with}}
}

// indentations move a line, alone or with its content, to the column of an earlier line.
func indentations(lines []string, i int) []attempt {
	text := strings.TrimLeft(lines[i], " ")
	have := len(lines[i]) - len(text)
	if !looksLikeKey.MatchString(lines[i]) && !strings.HasPrefix(text, "- ") {
		return nil
	}
	to := i + 1
	for to < len(lines) && strings.TrimSpace(lines[to]) != "" && len(lines[to])-len(strings.TrimLeft(lines[to], " ")) > have {
		to++
	}
	// A line with its value on it has no content below, whatever the next lines' columns.
	alone := to > i+1 && keyAndValue.MatchString(strings.TrimRight(lines[i], "\r\n")) && !blockScalar.MatchString(strings.TrimRight(lines[i], "\r\n")) && looksLikeKey.MatchString(lines[i+1])
	if alone {
		to = i + 1
	}
	var out []attempt
	seen := map[int]bool{have: true}
	deltas := []int{-1, 1, -2, 2, -3, 3, -4, 4}
	if beside := keyColumn(lines[:i]); beside >= 0 && !strings.HasPrefix(text, "- ") {
		deltas = append([]int{beside - have}, deltas...)
	}
	for _, delta := range deltas {
		column := have + delta
		if column < 0 || seen[column] || !columnBefore(lines[:i], column) {
			continue
		}
		seen[column] = true
		var with []string
		for _, l := range lines[i:to] {
			if delta > 0 {
				l = strings.Repeat(" ", delta) + l
			} else {
				l = l[min(-delta, len(l)-len(strings.TrimLeft(l, " "))):]
			}
			with = append(with, l)
		}
		out = append(out, attempt{"Indent it like its neighbours", i, to, with})
	}
	return out
}

// keyColumn returns the column of the key on the last of some lines, after an item's dash. It is -1
// if that line has no value, because a line below it then belongs further in.
func keyColumn(lines []string) int {
	for i := len(lines) - 1; i >= 0; i-- {
		text := strings.TrimRight(lines[i], " \r\n")
		if text == "" {
			continue
		}
		if strings.HasSuffix(text, ":") || !looksLikeKey.MatchString(text) {
			return -1
		}
		return len(text) - len(strings.TrimLeft(text, " -"))
	}
	return -1
}

// columnBefore reports whether an earlier line has a key at a column.
func columnBefore(lines []string, column int) bool {
	for i := len(lines) - 1; i >= max(len(lines)-12, 0); i-- {
		text := strings.TrimLeft(lines[i], " ")
		at := len(lines[i]) - len(text)
		if at == column {
			return true
		}
		if rest, ok := strings.CutPrefix(text, "- "); ok && at+2+len(rest)-len(strings.TrimLeft(rest, " ")) == column {
			return true
		}
	}
	return false
}
