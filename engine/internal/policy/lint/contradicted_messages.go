package lint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// What messages say, in the words that they have for it.
var (
	saysForbidden = lazy.Regexp{Text: `(?i)\b(?:(?:is|are|be) not (?:allowed|permitted)|not (?:allowed|permitted)|must not\b|may not\b|cannot be\b|forbidden|disallowed|prohibited|denied|banned)`}
	saysException = lazy.Regexp{Text: `(?i)\b(?:without|missing|needs?|required?s?|unless|only|except|other than|instead|explicit(?:ly)?|must be|must have|should be|set)\b`}
	saysMustBe    = lazy.Regexp{Text: `(?i)\bmust be (?:of type )?["']?(\w+)["']?\W*$`}
	saysOutcome   = lazy.Regexp{Text: `(?i)\b(?:denied|rejected|refused|blocked)\b`}
	saysOrigin    = lazy.Regexp{Text: `(?i)\bimages? (?:must|should|have to|has to|may only|can only) (?:only )?(?:come|be (?:from|pulled)|start|begin|originate)\b|\bonly images (?:from|that)\b`}
	saysOneOf     = lazy.Regexp{Text: `(?i)\b(?:or|either|any|one of|at least one)\b`}
	saysDemanded  = lazy.Regexp{Text: `(?i)\b(?:required|needed|mandatory|needs?|must|both|all)\b`}
	saysNotMore   = lazy.Regexp{Text: `(?i)\b(\w+) (?:must|may|should|can) ?not (?:exceed|be (?:more|greater|larger|higher) than) (?:the )?(?:spec\.)?(\w+)\W*$`}
	saysBetween   = lazy.Regexp{Text: `(?i)\b(?:between|from) (\d+) (?:and|to) (\d+)\b`}
	saysExclusive = lazy.Regexp{Text: `(?i)\bexclusive|\bexcluding`}
	saysBound     = lazy.Regexp{Text: `(?i)(?:\b(?:(at most|(?:no|not) (?:be |have )?more than|not exceed|maximum(?: is| of)?|up to)|(at least|(?:no|not) (?:be |have )?(?:fewer|less) than|minimum(?: is| of)?)|must be (?:(less|lower|smaller|fewer)|(more|greater|larger|higher)) than)|(<=)|(>=)|(<)|(>))\s*(\d+)(?:\s+(\w+)|\W*$)`}
)

// contradictedMessages finds validations that deny or admit something else than their message says.
func contradictedMessages(p *policy) {
	p.notDenied()
	for _, v := range p.validations {
		if v.read == nil || v.message == "" || v.messageExpression != nil || p.said(p.document, v.path) {
			continue
		}
		done := false
		for _, w := range p.worlds(nil) {
			p.walk(w, v.read, func(n *values.Node, of func(*values.Node) *place) {
				if !done {
					done = p.contradicted(v, n, of)
				}
			})
		}
	}
}

// contradicted reports the contradiction that a part of a validation shows, if any.
func (p *policy) contradicted(v validation, n *values.Node, of func(*values.Node) *place) bool {
	root := v.read.Root()
	top := slices.Contains(operands(root, ""), n)
	switch {
	case n == root && n.Kind == values.Macro && n.Name == "exists" && len(n.Children) == 3 && (saysOfEach(v.message, p.nouns(n)) || saysOrigin.MatchString(v.message) && slices.Contains(p.nouns(n), "image")):
		list := []rune(v.text)
		at := n.Children[0].End + strings.Index(string(list[n.Children[0].End:]), "exists")
		return p.contradiction(v, n, "one item is enough for exists(), but the message demands it of all",
			"all() demands it of every item.", at, at+len("exists"), "all")
	case top && n.Kind == values.Macro && n.Name == "exists" && len(n.Children) == 3 && saysBoth(v.message, n.Children[0]):
		at := n.Children[0].End + strings.Index(string([]rune(v.text)[n.Children[0].End:]), "exists")
		return p.contradiction(v, n, "one of these is enough for exists(), but the message demands all",
			"all() demands every one.", at, at+len("exists"), "all")
	case n == root && isLoop(n, "exists_one") && saysAtLeastOne.MatchString(v.message):
		at := n.Children[0].End + strings.Index(string([]rune(v.text)[n.Children[0].End:]), "exists_one")
		return p.contradiction(v, n, "exists_one() is false for two items, but the message demands at least one", "exists() is true for more, too.", at, at+len("exists_one"), "exists")
	case n == root && (p.manyFields(v, n) || p.forbidsEach(v, n) || p.bindsTighter(v, n)), p.admitsOthers(v, root, n):
		return true
	case n == root || root.Kind == values.Macro && root.Name == "all" && n == root.Children[len(root.Children)-1]:
		if p.deniesAbsent(v, n, of) {
			return true
		}
	}
	if p.otherUnit(v, n) {
		return true
	}
	if !top || n.Kind != values.Call || len(n.Children) != 2 {
		return false
	}
	return p.otherBound(v, n, of) || p.otherValue(v, n, of) || p.deniesEqual(v, n, of)
}

// saysAtLeastOne are words for one or more.
var saysAtLeastOne = lazy.Regexp{Text: `(?i)\b(?:at least one|one or more|any of)\b`}

// saysAll are words of a message about all items of something.
var saysAll = lazy.Regexp{Text: `(?i)\b(?:all|every|each|only|both)\b`}

// forbidsEach reports a validation that denies only an object all of whose items are what its message forbids for each.
func (p *policy) forbidsEach(v validation, n *values.Node) bool {
	if n.Kind != values.Call || n.Name != "!_" {
		return false
	}
	all := n.Children[0]
	if !isLoop(all, "all") || p.anyBelow(all.Children[2], func(part *values.Node) bool { return part.Kind == values.Call && part.Name == "!_" }) || !p.forbids(v, all.Children[2]) {
		return false
	}
	at := all.Children[0].End + strings.Index(string([]rune(v.text)[all.Children[0].End:]), "all")
	return p.contradiction(v, n, "one other item is enough for !all(), but the message forbids each", "exists() finds one among others.", at, at+len("all"), "exists")
}

// admitsOthers reports a list.exists(x, !forbidden) where the message forbids each: alone, or beside a test for an absent list.
func (p *policy) admitsOthers(v validation, root, n *values.Node) bool {
	isAbsence := func(part *values.Node) bool {
		return part == n || part.Kind == values.Call && part.Name == "!_" && isPresence(part.Children[0])
	}
	if !isLoop(n, "exists") || slices.ContainsFunc(operands(root, "_||_"), func(part *values.Node) bool { return !isAbsence(part) }) ||
		!slices.Contains(operands(root, "_||_"), n) || n.Children[2].Kind != values.Call || n.Children[2].Name != "!_" || !p.forbids(v, n.Children[2]) {
		return false
	}
	at := n.Children[0].End + strings.Index(string([]rune(v.text)[n.Children[0].End:]), "exists")
	return p.contradiction(v, n, "one other item is enough for exists(), but the message forbids each", "all() demands it of every item.", at, at+len("exists"), "all")
}

// forbids reports whether a message forbids what a part is about, without an exception.
func (p *policy) forbids(v validation, part *values.Node) bool {
	return saysForbidden.MatchString(v.message) && !saysException.MatchString(v.message) && !saysAll.MatchString(v.message) &&
		slices.ContainsFunc(p.nouns(part), func(noun string) bool {
			return len(noun) > 3 && strings.Contains(strings.ToLower(v.message), noun)
		})
}

// saysInAll are words for a demand in all of the cases that a message names.
var saysInAll = lazy.Regexp{Text: `(?i)\b(?:in|for|of) (?:both|all|any|either|each|every)\b(?: of)?(?: the(?:se|m)?)?(?: (?:two|three))?(?: (?:cases?|types?|kinds?)| must| need)|\bin any case\b`}

// bindsTighter reports a || b && c without brackets, where the message demands the last part in all cases.
func (p *policy) bindsTighter(v validation, n *values.Node) bool {
	if n.Kind != values.Logical || n.Name != "_||_" || !saysInAll.MatchString(v.message) {
		return false
	}
	parts := operands(n, "_||_")
	last := parts[len(parts)-1]
	if last.Kind != values.Logical || last.Name != "_&&_" {
		return false
	}
	source := []rune(v.text)
	demanded := operands(last, "_&&_")[1]
	between := string(source[parts[len(parts)-2].End:last.Start])
	if strings.Contains(between, "(") || strings.TrimSpace(string(source[last.Children[0].End:demanded.Start])) != "&&" {
		return false
	}
	end := last.Children[0].End
	return p.contradiction(v, n, "&& binds tighter than ||: only the last alternative demands what follows &&", "The message demands it in all cases. Put the alternatives into brackets.", n.Start, end, "("+string(source[n.Start:end])+")")
}

// saysBoth reports whether a message demands all texts of a list: it joins them with and, and knows no alternative.
func saysBoth(message string, list *values.Node) bool {
	if list.Kind != values.List || len(list.Children) < 2 || saysOneOf.MatchString(message) || !saysDemanded.MatchString(message) {
		return false
	}
	var names []string
	for _, item := range list.Children {
		text, ok := literalText(item)
		if !ok || text == "" {
			return false
		}
		names = append(names, text)
	}
	last := len(names) - 1
	joined := strings.Join(names[:last], ", ") + " and " + names[last]
	plain := strings.NewReplacer("'", "", `"`, "", "`", "", ", and ", " and ").Replace(message)
	return strings.Contains(plain, joined)
}

// deniesEqual finds a comparison of two fields that denies equal values, where the message only says that one does not
// exceed the other.
func (p *policy) deniesEqual(v validation, n *values.Node, of func(*values.Node) *place) bool {
	m, left, right := saysNotMore.FindStringSubmatch(v.message), of(n.Children[0]), of(n.Children[1])
	if m == nil || left == nil || right == nil || n.Name != "_<_" && n.Name != "_>_" {
		return false
	}
	if n.Name == "_>_" {
		left, right = right, left
	}
	named := func(word string, at *place) bool { return singular(word) == singular(at.steps[len(at.steps)-1]) }
	if !named(m[1], left) || !named(m[2], right) {
		return false
	}
	source := []rune(v.text)
	between := string(source[n.Children[0].End:n.Children[1].Start])
	at := n.Children[0].End + strings.IndexAny(between, "<>")
	return p.contradiction(v, n, "the validation denies "+m[1]+" equal to "+m[2]+", and the message admits it", "Correct one of the two.", at, at+1, n.Name[1:2]+"=")
}

// notDenied finds a policy whose bindings deny nothing, while a message says that the request is denied.
func (p *policy) notDenied() {
	if len(p.bindings) == 0 || slices.ContainsFunc(p.bindings, binding.denies) {
		return
	}
	for i, v := range p.validations {
		if saysOutcome.MatchString(v.message) {
			p.report(p.document, codes.MessageContradicts, diag.Info, fmt.Sprintf("spec.validations[%d].message", i), "no binding of this policy denies requests, but the message says so",
				"With Warn or Audit alone the server admits the request. Add Deny to validationActions once it should not.")
			return
		}
	}
}

func (p *policy) contradiction(v validation, n *values.Node, summary, detail string, start, end int, text string) bool {
	out := p.report(p.document, codes.MessageContradicts, diag.Warning, v.path, summary, fmt.Sprintf("The message is %q. %s", v.message, detail))
	out.Detail = strings.TrimSpace(out.Detail)
	p.within(out, p.document, v.path, n.Start, n.End)
	if out.Code != "" && text != "" {
		out.Fixes = p.rewritten(p.document, v.path, start, end, text)
		if titles := map[string]string{"all": "Replace exists() by all()", "exists": "Replace all() by exists()"}; titles[text] != "" && !isLoop(n, "exists_one") && len(out.Fixes) > 0 {
			out.Fixes[0].Title = titles[text]
		}
	}
	return true
}

// operands are the parts of a chain of one logical operator; of both for an empty one.
func operands(n *values.Node, operator string) []*values.Node {
	if n.Kind != values.Logical || operator != "" && n.Name != operator {
		return []*values.Node{n}
	}
	var out []*values.Node
	for _, child := range n.Children {
		out = append(out, operands(child, operator)...)
	}
	return out
}

// nouns are the names of the fields in a part, as messages write one of them.
func (p *policy) nouns(n *values.Node) []string {
	var out []string
	p.eachBelow(n, func(part *values.Node) {
		if name := fieldOf(part); name != "" {
			out = append(out, singular(name))
		}
	})
	return out
}

func singular(word string) string { return strings.TrimSuffix(strings.ToLower(word), "s") }

// saysOfEach reports whether a message speaks of all or every one of something.
func saysOfEach(message string, nouns []string) bool {
	words := strings.FieldsFunc(message, func(r rune) bool { return !unicode.IsLetter(r) })
	for i, word := range words {
		if !slices.Contains([]string{"all", "every", "each"}, strings.ToLower(word)) {
			continue
		}
		for _, next := range words[i+1 : min(len(words), i+3)] {
			if slices.Contains(nouns, singular(next)) {
				return true
			}
		}
	}
	return false
}

// falseWhenAbsent are the fields that the API defines as pointers, which mean false where they are absent. Others mean
// true, such as automountServiceAccountToken, or what another field says.
var falseWhenAbsent = []string{"privileged", "readOnlyRootFilesystem", "shareProcessNamespace"}

// deniesAbsent finds has(field) && !field for a field that is false where it is absent, where the message only
// forbids it.
func (p *policy) deniesAbsent(v validation, n *values.Node, of func(*values.Node) *place) bool {
	parts := operands(n, "_&&_")
	last := parts[len(parts)-1]
	field := last
	switch {
	case last.Kind == values.Call && last.Name == "!_":
		field = last.Children[0]
	case last.Kind == values.Call && last.Name == "_==_" && len(last.Children) == 2 && literal(last.Children[1]) == false:
		field = last.Children[0]
	}
	if len(parts) < 2 || field.Kind != values.Select || field == last || !strings.Contains(strings.ToLower(v.message), strings.ToLower(field.Name)) ||
		!saysForbidden.MatchString(v.message) || saysException.MatchString(v.message) {
		return false
	}
	in := of(field.Children[0])
	if in == nil || in.typ == nil || in.typ.Kind != catalog.Struct {
		return false
	}
	f := in.typ.Field(field.Name)
	if f == nil || f.Type.Kind != catalog.Boolean || f.Pointer && !slices.Contains(falseWhenAbsent, field.Name) {
		return false
	}
	source := []rune(v.text)
	var tests []string
	for _, part := range parts[:len(parts)-1] {
		if part.Kind != values.Macro || part.Name != "has" {
			return false
		}
		tests = append(tests, "!"+string(source[part.Start:part.End]))
	}
	if fieldOf(parts[len(parts)-2]) != field.Name {
		return false
	}
	tests = append(tests, string(source[last.Start:last.End]))
	return p.contradiction(v, n, "this validation denies every object without "+field.Name+", but the message only forbids it",
		"An absent field means false. Most objects do not set it.", n.Start, n.End, strings.Join(tests, " || "))
}

// otherBound finds the comparison of a field with another number than the message has for it.
func (p *policy) otherBound(v validation, n *values.Node, of func(*values.Node) *place) bool {
	limit, isInt := literal(n.Children[1]).(int64)
	field := n.Children[0]
	if field.Kind == values.Call && field.Name == "size" && len(field.Children) == 1 {
		field = field.Children[0]
	}
	at := of(field)
	if !isInt || at == nil || !slices.Contains([]string{"_<_", "_>_", "_<=_", "_>=_"}, n.Name) || numbers(v.message) != p.integers(v) {
		return false
	}
	want, upper := limit, strings.HasPrefix(n.Name, "_<")
	switch n.Name {
	case "_<_":
		want--
	case "_>_":
		want++
	}
	number, ok := saidBound(v.message, singular(at.steps[len(at.steps)-1]), upper)
	if !ok || want == number {
		return false
	}
	start, end, text := 0, 0, ""
	if number == limit { // only the sign is wrong
		between := string([]rune(v.text)[n.Children[0].End:n.Children[1].Start])
		start = n.Children[0].End + strings.IndexAny(between, "<>")
		end, text = start+1, n.Name[1:2]+"="
	}
	return p.contradiction(v, n, fmt.Sprintf("the message says %s, the validation %s", boundOf(upper, number), boundOf(upper, want)), "Correct one of the two.", start, end, text)
}

// saidBound is the upper or lower bound, itself admitted, that a message says for something; false where that is not clear.
func saidBound(message, noun string, upper bool) (number int64, ok bool) {
	if !strings.Contains(strings.ToLower(message), noun) {
		return 0, false
	}
	if m := saysBetween.FindStringSubmatch(message); m != nil && numbers(message) == 2 && !saysExclusive.MatchString(message) {
		text := m[1]
		if upper {
			text = m[2]
		}
		number, err := strconv.ParseInt(text, 10, 64)
		return number, err == nil
	}
	said := saysBound.FindAllStringSubmatch(message, -1)
	if len(said) != 1 || numbers(message) != 1 {
		return 0, false
	}
	m := said[0]
	number, err := strconv.ParseInt(m[9], 10, 64)
	if err != nil || m[10] != "" && singular(m[10]) != noun {
		return 0, false // the number is of something else, or in another unit
	}
	most := false
	switch {
	case m[1] != "" || m[5] != "":
		most = true
	case m[3] != "" || m[7] != "":
		most, number = true, number-1
	case m[4] != "" || m[8] != "":
		number++
	}
	return number, upper == most
}

// saysQuantity are quantities with a unit.
var saysQuantity = lazy.Regexp{Text: `\b\d+(?:\.\d+)?(?:m|k|[KMGT]i?)\b`}

// otherUnit finds a quantity of which the message has the same number with another unit, and not the quantity itself.
func (p *policy) otherUnit(v validation, n *values.Node) bool {
	if n.Kind != values.Call || n.Name != "quantity" || len(n.Children) != 1 {
		return false
	}
	text, _ := literalText(n.Children[0])
	number := strings.TrimRight(text, "mkKMGTi")
	named := saysQuantity.FindAllStringSubmatch(v.message, -1)
	if text == "" || number == "" || len(named) != 1 || named[0][0] == text || strings.TrimRight(named[0][0], "mkKMGTi") != number {
		return false
	}
	return p.contradiction(v, n, fmt.Sprintf("the message says %s, the validation %s", named[0][0], text), "Correct one of the two.", n.Children[0].Start, n.Children[0].End, "'"+named[0][0]+"'")
}

func boundOf(most bool, n int64) string {
	if most {
		return fmt.Sprintf("at most %d", n)
	}
	return fmt.Sprintf("at least %d", n)
}

// numbers is how many numbers a message has.
func numbers(message string) int {
	return len(strings.FieldsFunc(message, func(r rune) bool { return !unicode.IsDigit(r) }))
}

// integers is how many numbers a validation has.
func (p *policy) integers(v validation) int {
	n := 0
	p.each(v.read, func(part *values.Node) {
		if _, ok := literal(part).(int64); ok {
			n++
		}
		if part.Kind == values.Call && part.Name == "orValue" && len(part.Children) == 2 { // its default is no bound
			if _, ok := literal(part.Children[1]).(int64); ok {
				n--
			}
		}
	})
	return n
}

// otherValue finds a validation that forbids one value of a field, where its message forbids or demands another one.
func (p *policy) otherValue(v validation, n *values.Node, of func(*values.Node) *place) bool {
	value, isText := literal(n.Children[1]).(string)
	at := of(n.Children[0])
	if n.Name != "_!=_" || !isText || at == nil || at.typ == nil || !slices.Contains(at.typ.Enum, value) {
		return false
	}
	named := map[string]bool{}
	for _, word := range strings.FieldsFunc(v.message, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if slices.Contains(at.typ.Enum, word) {
			named[word] = true
		}
	}
	tested := 0
	p.each(v.read, func(part *values.Node) {
		if s, ok := literal(part).(string); ok && slices.Contains(at.typ.Enum, s) {
			tested++
		}
	})
	if len(named) != 1 || tested != 1 {
		return false
	}
	source := []rune(v.text)
	field := string(source[n.Children[0].Start:n.Children[0].End])
	if m := saysMustBe.FindStringSubmatch(v.message); m != nil && m[1] == value {
		return p.contradiction(v, n, "the message demands "+value+", and the validation denies it", "", n.Start, n.End, field+" == '"+value+"'")
	}
	if named[value] || !saysForbidden.MatchString(v.message) || saysException.MatchString(v.message) {
		return false
	}
	for other := range named {
		return p.contradiction(v, n, fmt.Sprintf("the message forbids %s, the validation %s", other, value), "Correct one of the two.", n.Start, n.End, field+" != '"+other+"'")
	}
	return false
}
