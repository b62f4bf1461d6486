package expressions

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// escapedKeys calls the function for the keys of paths by its name, which begins with that
// of its library: jsonpatch.escapeKey().
func escapedKeys(d *draft) string {
	if !d.expression.Scope.Patch {
		return d.text
	}
	for i := range d.List {
		_, method, ok := d.call(i)
		if !ok || !slices.Contains([]string{"escapekey", "escape", "escapepath", "escapejsonpointer", "escape_key"}, strings.ToLower(d.List[i].Text)) {
			continue
		}
		from := i
		if method && strings.EqualFold(d.List[max(i-2, 0)].Text, "jsonpatch") {
			from = i - 2
		} else if method {
			continue
		}
		if d.slice(from, i) != "jsonpatch.escapeKey" {
			return d.with(edit{d.start(from), d.end(i), "jsonpatch.escapeKey"})
		}
	}
	return d.text
}

// reversed are the comparisons of quantities and versions that CEL does not have, by the one
// that is true where they are not.
var reversed = map[string]string{
	"isLessThanOrEqualTo": "isGreaterThan", "isLessThanOrEqual": "isGreaterThan", "isLessOrEqual": "isGreaterThan", "lessThanOrEqual": "isGreaterThan", "lte": "isGreaterThan", "isAtMost": "isGreaterThan",
	"isGreaterThanOrEqualTo": "isLessThan", "isGreaterThanOrEqual": "isLessThan", "isGreaterOrEqual": "isLessThan", "greaterThanOrEqual": "isLessThan", "gte": "isLessThan", "isAtLeast": "isLessThan",
}

// notMore writes a.isLessThanOrEqualTo(b) as !a.isGreaterThan(b).
func notMore(d *draft) string {
	for i := range d.List {
		_, method, ok := d.call(i)
		name := reversed[d.List[i].Text]
		if !ok || !method || name == "" {
			continue
		}
		from := d.chainStart(i - 2)
		if args := d.arguments(i + 1); len(args) == 1 && args[0][0] == args[0][1] && d.isNumber(args[0][0]) {
			operator := map[string]string{"isGreaterThan": " <= ", "isLessThan": " >= "}[name]
			return d.with(edit{d.start(from), d.end(d.Partner[i+1]), d.bracketed(from, d.slice(from, i-2)+operator+d.argument(args[0]))})
		}
		if d.Is(from-1, "!") {
			return d.with(edit{d.start(from - 1), d.start(from), ""}, edit{d.start(i), d.end(i), name})
		}
		return d.with(edit{d.start(from), d.start(from), "!"}, edit{d.start(i), d.end(i), name})
	}
	return d.text
}

// partsOfURL are the methods that read a URL.
var partsOfURL = map[string]string{"host": "getHost", "hostname": "getHostname", "scheme": "getScheme", "protocol": "getScheme", "port": "getPort", "path": "getEscapedPath", "query": "getQuery"}

// quotedOperand takes the quotes off a field that is compared: 'object.spec.replicas' <= 5.
// In quotes it is a text, which is the same for all objects.
func quotedOperand(d *draft) string {
	if !d.messages("applied to '(string, ") && !d.messages(", string)'") {
		return d.text
	}
	return d.each(func(i int) (string, bool) {
		path := d.quotedPath([2]int{i, i})
		root, _, _ := strings.Cut(path, ".")
		beside := i > 0 && slices.Contains(comparisons, d.List[i-1].Text) || i+1 < len(d.List) && slices.Contains(comparisons, d.List[i+1].Text)
		return path, beside && slices.Contains(rootNames, root)
	})
}

// urlParts reads the parts of a URL with its methods: url(x).host.
func urlParts(d *draft) string {
	for i := range d.List {
		name := partsOfURL[d.List[i].Text]
		if name == "" || !d.Is(i-1, ".") || !d.Is(i-2, ")") || d.Partner[i-2] < 1 || !d.Is(d.Partner[i-2]-1, "url") {
			continue
		}
		if d.Is(i+1, "(") {
			return d.with(edit{d.start(i), d.end(i), name})
		}
		return d.with(edit{d.start(i), d.end(i), name + "()"})
	}
	return d.text
}

// inMethod writes x.in(list) with the operator.
func inMethod(d *draft) string {
	if !d.syntaxError() {
		return d.text
	}
	for i := range d.List {
		if !d.Is(i, "in") || !d.Is(i-1, ".") || !d.Is(i+1, "(") || d.Partner[i+1] < i+3 {
			continue
		}
		from := d.chainStart(i - 2)
		list := d.slice(i+2, d.Partner[i+1]-1)
		if len(d.arguments(i+1)) > 1 {
			list = "[" + list + "]"
		}
		return d.with(edit{d.start(from), d.end(d.Partner[i+1]), d.bracketed(from, d.slice(from, i-2)+" in "+list)})
	}
	return d.text
}

// lateBracket closes a call before the comparison that is in it: size(x > 0).
func lateBracket(d *draft) string {
	for i := range d.List {
		open, method, ok := d.call(i)
		if !ok || method || !d.messages("overload for '"+d.List[i].Text+"' applied to '(bool)'") {
			continue
		}
		for j := open + 1; j < d.Partner[open]; j++ {
			if p := d.Partner[j]; p > j {
				j = p
			} else if slices.Contains(comparisons, d.List[j].Text) {
				closing := d.Partner[open]
				return d.with(edit{d.end(j - 1), d.end(j - 1), ")"}, edit{d.start(closing), d.end(closing), ""})
			}
		}
	}
	return d.text
}

// indexedItem looks for a text in a list of texts that is read like a map: groups['admin'].
func indexedItem(d *draft) string {
	if !d.messages("'_[_]' applied to '(list(string), string)'") {
		return d.text
	}
	for open := range d.List {
		if !d.Is(open, "[") || !d.ends(open-1) || d.Partner[open] != open+2 || !d.isString(open+1) || d.Is(open+3, ".") {
			continue
		}
		if next := open + 3; next < len(d.List) && slices.Contains(comparisons, d.List[next].Text) {
			continue
		}
		from := d.chainStart(open - 1)
		return d.with(edit{d.start(from), d.end(open + 2), d.bracketed(from, d.List[open+1].Text+" in "+d.slice(from, open-1))})
	}
	return d.text
}

// namespaceText reads the name of the Namespace where its object is used like a text.
func namespaceText(d *draft) string {
	if !d.messages("applied to 'kubernetes.Namespace.(string") && !d.messages("applied to '(kubernetes.Namespace, ") && !d.messages("applied to '(string, kubernetes.Namespace)'") {
		return d.text
	}
	return d.each(func(i int) (string, bool) {
		text := d.Is(i+1, ".") && slices.Contains([]string{"startsWith", "endsWith", "contains", "matches"}, d.List[min(i+2, len(d.List)-1)].Text) || !d.Is(i+1, ".")
		return "namespaceObject.metadata.name", d.Is(i, "namespaceObject") && !d.Is(i-1, ".") && text && !d.Is(i+2, "null")
	})
}

// lookahead is a pattern that matches what has no other pattern in it.
var lookahead = lazy.Regexp{Text: `^\^?\(\?!(\.\*)?((?:[^()\\]|\\.|\([^()]*\))+)\)(?:\.[*+]?)?\$?$`}

// withoutLookahead asks for the opposite of what a pattern forbids: RE2 has no (?!...).
func withoutLookahead(d *draft) string {
	if !d.messages("invalid matches argument") {
		return d.text
	}
	for i := range d.List {
		open, method, ok := d.call(i)
		if !ok || !method || d.List[i].Text != "matches" || d.Partner[open] != open+2 || !d.isString(open+1) {
			continue
		}
		literal := d.List[open+1].Text
		quote := literal[len(literal)-1:]
		prefix, _, _ := strings.Cut(literal, quote)
		m := lookahead.FindStringSubmatch(strings.TrimSuffix(strings.TrimPrefix(literal, prefix+quote), quote))
		if m == nil {
			continue
		}
		pattern := m[2]
		if m[1] == "" {
			pattern = "^" + pattern
		}
		pattern = strings.TrimSuffix(pattern, ".*")
		from := d.chainStart(i - 2)
		call := d.slice(from, i) + "(" + prefix + quote + pattern + quote + ")"
		if d.Is(from-1, "!") {
			return d.with(edit{d.start(from - 1), d.end(open + 2), call})
		}
		return d.with(edit{d.start(from), d.end(open + 2), "!" + call})
	}
	return d.text
}

// itemType is the type of the items of the list that a chain of tokens reads from the
// object, nil where it is not known.
func (d *draft) itemType(from, to int) *catalog.Type {
	path, ok := strings.CutPrefix(d.slice(from, to), "object.")
	if !ok {
		path, ok = strings.CutPrefix(d.slice(from, to), "oldObject.")
	}
	if !ok || strings.ContainsAny(path, "()[]?") {
		return nil
	}
	if t := typeAt(d.object, path); t != nil && t.Kind == catalog.List {
		return t.Elem
	}
	return nil
}

// itemFields reads the fields of an item from the item: all(c, image == 'a'), and
// all(image == 'a'), which gives it no name.
func itemFields(d *draft) string {
	undeclared := d.undeclared()
	for i := range d.List {
		open, method, ok := d.call(i)
		if !ok || !method || !slices.Contains(macros, d.List[i].Text) {
			continue
		}
		args, item := d.arguments(open), d.itemType(d.chainStart(i-2), i-2)
		if len(args) == 0 || item == nil || item.Kind != catalog.Struct {
			continue
		}
		name, body, before := d.itemName(i-2), args[0], ""
		if len(args) > 1 && args[0][0] == args[0][1] && d.IsWord(args[0][0]) {
			name, body = d.List[args[0][0]].Text, args[1]
		} else {
			before = name + ", "
		}
		var edits []edit
		for j := body[0]; j <= body[1]; j++ {
			field, _, _ := strings.Cut(undeclared[j], ".")
			if field == "" || d.Is(j-1, ".") || d.Is(j+1, "(") || field == name || item.Field(field) == nil {
				continue
			}
			edits = append(edits, edit{d.start(j), d.start(j), name + "."})
		}
		if len(edits) > 0 {
			if before != "" {
				edits = append([]edit{{d.start(body[0]), d.start(body[0]), before}}, edits...)
			}
			return d.with(edits...)
		}
	}
	return d.text
}

// testBehind takes what is asked of the result of a macro without a test as its test:
// exists(c).name == 'a'.
func testBehind(d *draft) string {
	for i := range d.List {
		open, method, ok := d.call(i)
		closing := 0
		if ok {
			closing = d.Partner[open]
		}
		if !ok || !method || !slices.Contains([]string{"all", "exists", "exists_one"}, d.List[i].Text) || closing != open+2 || !d.IsWord(open+1) || !d.Is(closing+1, ".") {
			continue
		}
		to := len(d.List) - 1
		if stop := d.find(closing+1, "&&", "||", ",", ")", "]", "?", ":"); stop > 0 {
			to = stop - 1
		}
		return d.with(edit{d.start(closing), d.end(to), ", " + d.List[open+1].Text + d.slice(closing+1, to) + ")"})
	}
	return d.text
}

// bracketedTest takes a test out of the brackets of a list.
func bracketedTest(d *draft) string {
	if !d.messages("found 'list(bool)'") && !d.messages("must evaluate to bool but got list(bool)") {
		return d.text
	}
	for open := range d.List {
		closing := d.Partner[open]
		if !d.Is(open, "[") || closing < open || d.ends(open-1) || d.Is(open-1, "in") || len(d.arguments(open)) != 1 {
			continue
		}
		return d.with(edit{d.start(open), d.end(open), "("}, edit{d.start(closing), d.end(closing), ")"})
	}
	return d.text
}
