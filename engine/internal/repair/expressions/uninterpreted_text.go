package expressions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// Doubt is a text in an expression that CEL takes as it is and that was likely meant
// otherwise: nothing fails, and the answer is wrong.
type Doubt struct {
	// Start and End are the text's place, in code points.
	Start, End      int
	Summary, Detail string
	// Repaired is the whole expression as it was likely meant.
	Repaired string
	// Or is another one, where it is as likely.
	Or string
}

// Doubts finds patterns where there is a text, texts where there is a pattern, and
// names that are to be filled into a text.
func Doubts(expression string) []Doubt {
	d := &draft{Tokens: source.NewTokens(expression), text: expression}
	var out []Doubt
	for i := range d.List {
		if doubt := d.guardTurned(i); doubt != nil {
			doubt.Start, doubt.End = d.List[i].Start, d.List[d.Partner[i+1]].End
			out = append(out, *doubt)
		}
		if content, ok := d.plainText(i); ok {
			for _, find := range []func(int, string) *Doubt{d.swapped, d.patternArgument, d.betweenSlashes, d.unanchored, d.idleEnd, d.misspeltName, d.wildcardCompared, d.wildcardInList, d.alternativesCompared, d.filledIn, d.defaultCompared, d.pairInMap, d.versionLetter, d.unitsCompared} {
				if doubt := find(i, content); doubt != nil && doubt.Repaired != expression {
					doubt.Start, doubt.End = d.List[i].Start, d.List[i].End
					out = append(out, *doubt)
					break
				}
			}
		}
	}
	return out
}

// betweenSlashes is a pattern in the slashes of other languages, which matches() looks for in the text.
func (d *draft) betweenSlashes(i int, _ string) *Doubt {
	pattern := d.List[i].Text
	if !d.Is(i-1, "(") || !d.Is(i-2, "matches") || withoutSlashes(strings.TrimPrefix(pattern, "r")) == strings.TrimPrefix(pattern, "r") {
		return nil
	}
	meant := withoutSlashes(strings.TrimPrefix(pattern, "r"))
	if strings.HasPrefix(pattern, "r") {
		meant = "r" + meant
	}
	return &Doubt{
		Summary:  fmt.Sprintf("matches(%s) looks for the slashes in the text", pattern),
		Detail:   "A regular expression of CEL has no slashes around it.",
		Repaired: d.with(edit{d.start(i), d.end(i), meant}),
	}
}

// letterVersion is a version as tags have it.
var letterVersion = lazy.Regexp{Text: `^[vV][0-9]+\.[0-9]`}

// versionLetter is a version with the v of tags, which semver() does not take.
func (d *draft) versionLetter(i int, content string) *Doubt {
	if !letterVersion.MatchString(content) || !d.Is(i-1, "(") || !d.Is(i-2, "semver") || d.Partner[i-1] != i+1 {
		return nil
	}
	return &Doubt{
		Summary:  fmt.Sprintf("semver(%s) fails: a version has no letter before its number", d.List[i].Text),
		Detail:   "isSemver() checks whether a text is a version.",
		Repaired: d.with(edit{d.start(i), d.end(i), d.quoted(i, content[1:])}),
	}
}

// plainText is what is in the quotes of a token, where no escape makes it something
// else.
func (d *draft) plainText(i int) (string, bool) {
	if !d.isString(i) {
		return "", false
	}
	text := d.List[i].Text
	if len(text) < 2 || text[0] != '\'' && text[0] != '"' || strings.HasPrefix(text, `'''`) || strings.HasPrefix(text, `"""`) || strings.Contains(text, `\`) {
		return "", false
	}
	return text[1 : len(text)-1], true
}

// quoted is a text in the quotes of a token.
func (d *draft) quoted(i int, content string) string {
	quote := d.List[i].Text[:1]
	return quote + content + quote
}

// regexLike is a text with what only a regular expression has.
var regexLike = lazy.Regexp{Text: `^\^|\$$|\.[*+]|\[[^\]]+\]|\(\?|[^ ]\|[^ ]`}

// defaultCompared is the default of other languages in a comparison, which CEL takes for a
// comparison of two literals: field || 'none' != 'none'.
func (d *draft) defaultCompared(i int, _ string) *Doubt {
	if !slices.Contains(comparisons, d.token(i+1)) || !d.isString(i+2) && !d.isNumber(i+2) {
		return nil
	}
	repaired := d.defaultAt(i - 1)
	if repaired == "" {
		return nil
	}
	return &Doubt{
		Summary:  "|| is for conditions and sets no default: this compares " + d.slice(i, i+2),
		Detail:   "Use orValue() to give a default for a field that may be absent.",
		Repaired: repaired,
	}
}

// token is the text of a token, empty behind the last one.
func (d *draft) token(i int) string {
	if i < 0 || i >= len(d.List) {
		return ""
	}
	return d.List[i].Text
}

// swapped is a text whose method is given what it should be a method of:
// '^web'.matches(name).
func (d *draft) swapped(i int, content string) *Doubt {
	if d.Is(i-1, "(") && d.Is(i-2, "matches") && !d.Is(i-3, ".") && d.Is(i+1, ",") && regexLike.MatchString(content) {
		return d.swappedArguments(i)
	}
	if !d.Is(i+1, ".") || !d.IsWord(i+2) || !d.Is(i+3, "(") || d.Partner[i+3] <= i+4 {
		return nil
	}
	method, first, last := d.List[i+2].Text, i+4, d.Partner[i+3]-1
	switch {
	case d.isString(first) && first == last, len(d.arguments(i+3)) != 1:
		return nil
	case method == "matches" && !regexLike.MatchString(content), !slices.Contains([]string{"matches", "startsWith", "endsWith"}, method):
		return nil
	}
	of := d.slice(first, last)
	if d.chainEnd(first) != last || d.Is(first, "!") || d.Is(first, "-") {
		of = "(" + of + ")"
	}
	literal := d.List[i].Text
	return &Doubt{
		Summary:  fmt.Sprintf("the text and the pattern of %s are swapped", method),
		Detail:   fmt.Sprintf("x.%s(y) looks for y in x. This checks whether the text %s matches the value of %s.", method, literal, d.slice(first, last)),
		Repaired: d.with(edit{d.start(i), d.end(last + 1), of + "." + method + "(" + literal + ")"}),
	}
}

// swappedArguments is matches('^web', name), with the pattern first as other languages
// have it.
func (d *draft) swappedArguments(i int) *Doubt {
	args := d.arguments(i - 1)
	if len(args) != 2 || d.isString(args[1][0]) {
		return nil
	}
	return &Doubt{
		Summary:  "the text and the pattern of matches are swapped",
		Detail:   fmt.Sprintf("matches(x, y) looks for the pattern y in the text x. This checks whether the text %s matches the value of %s.", d.List[i].Text, d.argument(args[1])),
		Repaired: d.with(edit{d.start(i - 2), d.end(d.Partner[i-1]), d.operand(args[1]) + ".matches(" + d.List[i].Text + ")"}),
	}
}

// glob is a text with wildcards, but none of the other signs of a regular
// expression.
var glob = lazy.Regexp{Text: `^[\w./:@-]*$`}

// wildcards is a text without its wildcards at the ends, and the method that asks for
// it; false for one without wildcards, or with some in its middle.
func wildcards(content string) (text, method string, ok bool) {
	text = strings.Trim(content, "*")
	if len(text) < 2 || text == content || !glob.MatchString(text) {
		return "", "", false
	}
	switch before, after := strings.HasPrefix(content, "*"), strings.HasSuffix(content, "*"); {
	case before && after:
		return text, "contains", true
	case before:
		return text, "endsWith", true
	}
	return text, "startsWith", true
}

// patternArgument is the argument of a method that takes another kind of text: a
// wildcard or an anchor where a plain text is wanted, a wildcard as a regular expression.
func (d *draft) patternArgument(i int, content string) *Doubt {
	if !d.Is(i-1, "(") || d.Partner[i-1] != i+1 || !d.IsWord(i-2) || !d.Is(i-3, ".") {
		return nil
	}
	method := d.List[i-2].Text
	with := func(method, text, why string) *Doubt {
		return &Doubt{
			Summary:  fmt.Sprintf("%s takes %s literally", d.List[i-2].Text, d.List[i].Text),
			Detail:   why,
			Repaired: d.with(edit{d.start(i - 2), d.end(i + 1), method + "(" + d.quoted(i, text) + ")"}),
		}
	}
	const noWildcards = "CEL has no wildcards: * is a character like any other."
	text, wild, isWild := wildcards(content)
	switch {
	case method == "matches" && isWild && wild == "startsWith" && !strings.HasSuffix(content, ".*"):
		doubt := with(wild, text, "In a regular expression * repeats the character before it, and without ^ it may begin anywhere.")
		doubt.Summary = fmt.Sprintf("%s is a wildcard, but matches needs a regular expression", d.List[i].Text)
		return doubt
	case method == "startsWith" && isWild && wild == "startsWith":
		return with(method, strings.TrimSuffix(text, "."), noWildcards)
	case method == "endsWith" && isWild && wild == "endsWith":
		return with(method, text, noWildcards)
	case method == "contains" && isWild:
		return with(method, text, noWildcards)
	case method == "startsWith" && strings.HasPrefix(content, "^") && glob.MatchString(content[1:]) && len(content) > 1:
		return with(method, content[1:], "startsWith does not use regular expressions: it looks for the character ^.")
	case method == "endsWith" && strings.HasSuffix(content, "$") && glob.MatchString(content[:len(content)-1]) && len(content) > 1:
		return with(method, content[:len(content)-1], "endsWith does not use regular expressions: it looks for the character $.")
	case method == "contains" && (strings.HasPrefix(content, "^") || strings.Contains(content, ".*") || strings.HasSuffix(content, "$") && len(content) > 1):
		return with("matches", content, "contains does not use regular expressions; matches does.")
	}
	return nil
}

// wildFields are fields whose values may have an asterisk.
var wildFields = lazy.Regexp{Text: `(?i)host|verb|resource|group|schedule|path|operation|pattern|dns|rule`}

// wildcardCompared is a text with wildcards beside == or !=.
func (d *draft) wildcardCompared(i int, content string) *Doubt {
	text, method, ok := wildcards(content)
	if !ok || i < 2 || !d.Is(i-1, "==") && !d.Is(i-1, "!=") || !d.ends(i-2) || d.Is(i+1, "+") || d.Is(i+1, ".") {
		return nil
	}
	from := d.chainStart(i - 2)
	field := d.slice(from, i-2)
	if wildFields.MatchString(field) || d.Is(from-1, "+") || d.isString(from) {
		return nil
	}
	call := fmt.Sprintf("%s.%s(%s)", field, method, d.quoted(i, text))
	if d.Is(i-1, "!=") {
		call = "!" + call
	}
	return &Doubt{
		Summary:  fmt.Sprintf("%s takes %s literally", d.List[i-1].Text, d.List[i].Text),
		Detail:   "CEL has no wildcards: * is a character like any other.",
		Repaired: d.with(edit{d.start(from), d.end(i), call}),
	}
}

// wildcardInList is the first text with wildcards in a list behind in.
func (d *draft) wildcardInList(i int, content string) *Doubt {
	if _, _, ok := wildcards(content); !ok {
		return nil
	}
	open := i - 1
	for open > 0 && (d.isString(open) || d.Is(open, ",")) {
		open--
	}
	if !d.Is(open, "[") || !d.Is(open-1, "in") || open < 2 || !d.ends(open-2) {
		return nil
	}
	closing := d.Partner[open]
	from := d.chainStart(open - 2)
	field := d.slice(from, open-2)
	if wildFields.MatchString(field) || d.isString(from) {
		return nil
	}
	var calls, whole []string
	for j := open + 1; j < closing; j++ {
		each, plain := d.plainText(j)
		text, method, wild := wildcards(each)
		switch {
		case d.Is(j, ","):
		case !plain:
			return nil
		case wild && j < i:
			return nil // the first one speaks for all
		case wild:
			calls = append(calls, fmt.Sprintf("%s.%s(%s)", field, method, d.quoted(j, text)))
		default:
			whole = append(whole, d.List[j].Text)
		}
	}
	if len(whole) > 0 {
		calls = append([]string{fmt.Sprintf("%s in [%s]", field, strings.Join(whole, ", "))}, calls...)
	}
	asked := strings.Join(calls, " || ")
	if len(calls) > 1 && !(d.Is(from-1, "(") && d.Partner[from-1] == closing+1) {
		asked = "(" + asked + ")"
	}
	return &Doubt{
		Summary:  fmt.Sprintf("in takes %s literally", d.List[i].Text),
		Detail:   "CEL has no wildcards: a value is in a list only if it is equal to an item.",
		Repaired: d.with(edit{d.start(from), d.end(closing), asked}),
	}
}

// alternativesCompared is a text with several values in it that a field is compared with, as Kyverno has them.
func (d *draft) alternativesCompared(i int, content string) *Doubt {
	if !strings.Contains(content, " | ") || !d.Is(i-1, "==") && !d.Is(i-1, "!=") || !d.ends(i-2) || d.isString(i-2) {
		return nil
	}
	quote := d.List[i].Text[:1]
	from := d.chainStart(i - 2)
	asked := d.slice(from, i-2) + " in [" + d.quoted(i, strings.ReplaceAll(content, " | ", quote+", "+quote)) + "]"
	if d.Is(i-1, "!=") {
		asked = "!(" + asked + ")"
	}
	return &Doubt{
		Summary:  d.List[i-1].Text + " takes " + d.List[i].Text + " literally",
		Detail:   "Use in to check whether a value is one of several.",
		Repaired: d.with(edit{d.start(from), d.end(i), asked}),
	}
}

// guardTurned is a guard that lets through exactly what it is to keep away: has(x) || x == 1, !has(x) && x == 1.
func (d *draft) guardTurned(i int) *Doubt {
	open, method, ok := d.call(i)
	if !ok || method || !d.Is(i, "has") {
		return nil
	}
	end, from, joins, other := d.Partner[open], i, "||", "&&"
	if d.Is(i-1, "!") {
		from, joins, other = i-1, "&&", "||"
	}
	field, reads := d.slice(open+1, end-1), false
	if !d.Is(end+1, joins) || d.Is(from-1, "==") || d.Is(from-1, "!=") {
		return nil
	}
	for j := end + 2; j < len(d.List) && (d.Partner[j] < 0 || d.Partner[j] > i) && !d.Is(j, ",") && !d.Is(j, "?") && !d.Is(j, ":") && !(d.Is(j, "||") && d.enclosing(j) == d.enclosing(i)); j++ {
		if width := end - open - 2; d.slice(j, j+width) == field && !d.Is(j-1, ".") {
			if d.Is(j-1, "(") && d.Is(j-2, "has") && d.Is(j+width+1, ")") {
				return nil // it is asked for again
			}
			reads = true
		}
	}
	if !reads {
		return nil
	}
	not := "!"
	if from < i {
		not = ""
	}
	return &Doubt{
		Summary:  "the rest reads " + field + " only where it is absent",
		Detail:   "Reading a missing field fails, so this always fails or is never evaluated.",
		Repaired: d.with(edit{d.start(from), d.end(end), not + d.slice(i, end)}),
		Or:       d.with(edit{d.start(end + 1), d.end(end + 1), other}),
	}
}

// insertion is a name in a text, as shells, JavaScript and templates have it.
var insertion = lazy.Regexp{Text: `\$\{\s*([A-Za-z_][\w.]*)\s*\}|\{\{\s*\.?([A-Za-z_][\w.]*)\s*\}\}|\{([A-Za-z_]\w*\.[\w.]*\w)\}`}

// filled are the variables that a name in a text may begin with.
var filled = []string{"object", "oldObject", "request", "params", "variables", "namespaceObject"}

// filledIn is a text with names that are to be replaced by their values.
func (d *draft) filledIn(i int, content string) *Doubt {
	if d.Is(i+1, ".") || d.Is(i+1, "[") || d.Is(i-1, ".") {
		return nil
	}
	var parts []string
	at := 0
	for _, m := range insertion.FindAllStringSubmatchIndex(content, -1) {
		name := ""
		for g := 2; g < len(m); g += 2 {
			if m[g] >= 0 {
				name = content[m[g]:m[g+1]]
			}
		}
		root, _, _ := strings.Cut(name, ".")
		if !slices.Contains(filled, root) && !d.declared(root) {
			return nil
		}
		if m[0] > at {
			parts = append(parts, d.quoted(i, content[at:m[0]]))
		}
		parts = append(parts, "string("+withoutRequest(name)+")")
		at = m[1]
	}
	if len(parts) == 0 {
		return nil
	}
	if at < len(content) {
		parts = append(parts, d.quoted(i, content[at:]))
	}
	return &Doubt{
		Summary:  fmt.Sprintf("nothing is inserted into the string %s", d.List[i].Text),
		Detail:   "CEL does not interpolate strings. Join them with +, or with format: 'web-%s'.format([x]).",
		Repaired: d.with(edit{d.start(i), d.end(i), strings.Join(parts, " + ")}),
	}
}

// declared reports whether a name is the variable of a macro: all(c, ...).
func (d *draft) declared(name string) bool {
	for i := range d.List {
		if d.Is(i, "(") && d.Is(i+1, name) && d.Is(i+2, ",") && d.Is(i-2, ".") {
			return true
		}
	}
	return false
}

// labelAndValue is a label with its value, as a selector on a command line has them.
var labelAndValue = lazy.Regexp{Text: `^([A-Za-z0-9][\w./-]*)=([\w.-]+)$`}

// pairInMap is a label with its value looked for among the keys of a map: 'env=prod' in labels.
func (d *draft) pairInMap(i int, content string) *Doubt {
	m := labelAndValue.FindStringSubmatch(content)
	if m == nil || !d.Is(i+1, "in") || i+2 >= len(d.List) {
		return nil
	}
	last := d.chainEnd(i + 2)
	if !slices.Contains(mapFields, d.token(last)) || !d.Is(last-1, ".") {
		return nil
	}
	asked := fmt.Sprintf("%s.?%s[?%s].orValue(%s) == %s", d.slice(i+2, last-2), d.token(last), d.quoted(i, m[1]), d.quoted(i, ""), d.quoted(i, m[2]))
	return &Doubt{
		Summary:  fmt.Sprintf("no key of a map is %s", d.List[i].Text),
		Detail:   "in searches a map's keys, and a key is only the label's name.",
		Repaired: d.with(edit{d.start(i), d.end(last), asked}),
	}
}
