package expressions

import (
	"slices"
	"strconv"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// overloadRules are for operators and functions that CEL has for other types than
// these.
var overloadRules = []rule{
	{"Check whether a network contains an address with network.containsIP(address).", inNetwork},
	{"The units of a duration are h, m, s and smaller: a day is 24h.", days},
	{"orValue() needs the default value.", missingDefault},
	{"Give a default with orValue(); || joins conditions.", defaulted},
	{"orValue() is for optional fields: object.spec.?paused.orValue(false).", plainDefault},
	{"To compare a string with a time, use timestamp(); with a duration, use duration().", times},
	{"Read a field without quotes.", quotedOperand},
	{"A number has no size(): compare it directly.", sizeOfNumber},
	{"Close the call's parenthesis before the comparison.", lateBracket},
	{"Put the condition in parentheses.", bracketedTest},
	{"A regular expression cannot exclude a continuation: negate the test instead.", withoutLookahead},
	{"The % operator works only on integers.", wholeRemainder},
	{"Use `in` to check whether a list or a map has a key.", keysInMap},
	{"The list's items are strings, which have no fields.", throughTexts},
	{"Write a quantity as quantity('1Gi').", quantityMethods},
	{"Read a string with a time span with duration(), and one with a time with timestamp().", timeOfText},
	{"Variables are fields of variables: variables.name.", indexedVariables},
	{"To find common items of two lists, check item by item.", commonItems},
	{"Get a list's length with size().", negatedList},
	{"In a regular expression, * repeats the previous item: .* matches anything.", leadingStar},
}

// indexedVariables reads variables as the fields that they are: variables['max'].
func indexedVariables(d *draft) string {
	for i := range d.List {
		if !d.Is(i, "variables") || d.Is(i-1, ".") || !d.Is(i+1, "[") || d.Partner[i+1] != i+3 || !d.isString(i+2) {
			continue
		}
		name := strings.Trim(d.List[i+2].Text, `'"`)
		if slices.ContainsFunc(d.variables, func(v eval.Declaration) bool { return v.Name == name }) {
			return d.with(edit{d.start(i + 1), d.end(i + 3), "." + name})
		}
	}
	return d.text
}

// negatedList asks whether a list is empty: !list.filter(...).
func negatedList(d *draft) string {
	if !d.messages("'!_' applied to '(list(") && !d.messages("'!_' applied to '(map(") {
		return d.text
	}
	for i := range d.List {
		if !d.Is(i, "!") || d.ends(i-1) || i+1 >= len(d.List) {
			continue
		}
		to := d.chainEnd(i + 1)
		if open := d.Partner[to]; d.Is(to, ")") && open > 0 && slices.Contains([]string{"filter", "map", "split", "findAll"}, d.List[open-1].Text) {
			return d.with(edit{d.start(i), d.end(i), ""}, edit{d.end(to), d.end(to), ".size() == 0"})
		}
	}
	return d.text
}

// leadingStar returns a pattern that begins with a star what the star repeats.
func leadingStar(d *draft) string {
	if !d.messages("invalid matches argument") {
		return d.text
	}
	return d.each(func(i int) (string, bool) {
		content, plain := d.plainText(i)
		return d.quoted(i, "."+content), plain && strings.HasPrefix(content, "*") && d.Is(i-1, "(") && d.Is(i-2, "matches")
	})
}

// commonItems asks whether an item of one list is in another: list in ['a', 'b'].
func commonItems(d *draft) string {
	if !d.messages("'@in' applied to '(list(") {
		return d.text
	}
	for i := range d.List {
		if !d.Is(i, "in") || !d.IsWord(i-1) && !d.Is(i-1, ")") || !d.begins(i+1) {
			continue
		}
		from, to := d.chainStart(i-1), d.chainEnd(i+1)
		text := d.slice(from, i-1) + ".exists(x, x in " + d.slice(i+1, to) + ")"
		return d.with(edit{d.start(from), d.end(to), text})
	}
	return d.text
}

// inSplitText looks for a text among those that another one lists with commas, as
// ConfigMaps do: name in params.data.allowed.
func inSplitText(d *draft) string {
	if !d.messages("'@in' applied to '(string, string)'") {
		return d.text
	}
	for i := range d.List {
		if d.Is(i, "in") && d.ends(i-1) && !d.isString(i-1) && d.IsWord(i+1) {
			to := d.chainEnd(i + 1)
			return d.with(edit{d.end(to), d.end(to), ".split(',')"})
		}
	}
	return d.text
}

// quantityMethods makes quantities of the texts that a method of quantities is called on
// and with.
func quantityMethods(d *draft) string {
	for i := range d.List {
		open, method, ok := d.call(i)
		name := d.List[i].Text
		if !ok || !method || !d.messages("'"+name+"' applied to") {
			continue
		}
		args := d.arguments(open)
		if from := d.chainStart(i - 2); len(args) == 0 && slices.Contains([]string{"asInteger", "asApproximateFloat", "sign", "isInteger"}, name) && !strings.HasPrefix(d.slice(from, i-2), "quantity(") {
			return d.with(edit{d.start(from), d.end(i - 2), "quantity(" + d.slice(from, i-2) + ")"})
		}
		if !slices.Contains([]string{"isLessThan", "isGreaterThan", "compareTo"}, name) {
			continue
		}
		if len(args) != 1 {
			continue
		}
		from := d.chainStart(i - 2)
		target, with := d.slice(from, i-2), d.argument(args[0])
		made := func(text string) string {
			for _, function := range []string{"quantity(", "semver("} {
				if strings.HasPrefix(text, function) {
					return text
				}
			}
			return "quantity(" + textual(text) + ")"
		}
		if made(target) == target && made(with) == with {
			continue
		}
		return d.with(edit{d.start(from), d.end(d.Partner[open]), made(target) + "." + name + "(" + made(with) + ")"})
	}
	return d.text
}

// inNetwork writes address in network, and part in network, as methods.
func inNetwork(d *draft) string {
	method := ""
	switch {
	case d.messages("'@in' applied to '(net.IP, net.CIDR)'"), d.messages("'@in' applied to '(string, net.CIDR)'"):
		method = ".containsIP("
	case d.messages("'@in' applied to '(net.CIDR, net.CIDR)'"):
		method = ".containsCIDR("
	default:
		return d.text
	}
	for i := range d.List {
		if !d.Is(i, "in") || !d.ends(i-1) || !d.begins(i+1) {
			continue
		}
		from, to := d.chainStart(i-1), d.chainEnd(i+1)
		return d.with(edit{d.start(from), d.end(to), d.slice(i+1, to) + method + d.slice(from, i-1) + ")"})
	}
	return d.text
}

var longUnits = lazy.Regexp{Text: `^(\d+)([dw])((?:\d+(?:\.\d+)?(?:h|m|s|ms|us|ns))*)$`}

// inWords is a span of time with its unit in a word.
var inWords = lazy.Regexp{Text: `^(\d+(?:\.\d+)?)\s*(milliseconds?|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|w)$`}

// days writes the days and weeks of a duration as hours.
func days(d *draft) string {
	if !d.messages("invalid duration argument") {
		return d.text
	}
	for i := range d.List {
		if !d.isString(i) || !d.Is(i-1, "(") || !d.Is(i-2, "duration") {
			continue
		}
		text := strings.ToLower(strings.Trim(d.List[i].Text, `'"`))
		if m := inWords.FindStringSubmatch(text); m != nil {
			unit := m[2][:1]
			if strings.HasPrefix(m[2], "milli") {
				unit = "ms"
			}
			if text = m[1] + unit; unit != "d" && unit != "w" {
				return d.with(edit{d.start(i), d.end(i), "'" + text + "'"})
			}
		}
		m := longUnits.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		n, err := strconv.Atoi(m[1])
		if err != nil {
			continue
		}
		hours := 24 * n
		if m[2] == "w" {
			hours *= 7
		}
		return d.with(edit{d.start(i), d.end(i), "'" + strconv.Itoa(hours) + "h" + m[3] + "'"})
	}
	return d.text
}

// missingDefault gives orValue() the empty value of what its result is compared
// with.
func missingDefault(d *draft) string {
	for i := range d.List {
		open, method, ok := d.call(i)
		if !ok || !method || d.List[i].Text != "orValue" || d.Partner[open] != open+1 || !slices.Contains(comparisons, d.List[min(open+2, len(d.List)-1)].Text) {
			continue
		}
		if value := d.zeroOf(open + 3); value != "" {
			return d.with(edit{d.end(open), d.end(open), value})
		}
	}
	return d.text
}

// wholeRemainder divides by a whole number.
func wholeRemainder(d *draft) string {
	i, left, right, ok := d.operatorOf()
	if !ok || !d.Is(i, "%") || left != "double" && right != "double" {
		return d.text
	}
	for _, j := range []int{i + 1, i - 1} {
		if text := d.converted(j, "int"); text != "" {
			return d.with(edit{d.start(j), d.end(j), text})
		}
	}
	return d.text
}

// keysInMap asks for a key by itself: ['a'] in map is 'a' in map.
func keysInMap(d *draft) string {
	if !d.messages("'@in' applied to '(list(") {
		return d.text
	}
	for i := range d.List {
		open := -1
		if d.Is(i, "in") && d.Is(i-1, "]") {
			open = d.Partner[i-1]
		}
		if open < 0 || !d.begins(i+1) || d.ends(open-1) {
			continue
		}
		to := d.chainEnd(i + 1)
		var tests []string
		for _, a := range d.arguments(open) {
			tests = append(tests, d.argument(a)+" in "+d.slice(i+1, to))
		}
		switch {
		case len(tests) == 1 && !d.Is(open-1, "!"):
			return d.with(edit{d.start(open), d.end(to), tests[0]})
		case len(tests) > 0:
			return d.with(edit{d.start(open), d.end(to), "(" + strings.Join(tests, " && ") + ")"})
		}
	}
	return d.text
}

// keyOfMap writes map.contains(key) with `in`.
func keyOfMap(d *draft) string {
	if !d.messages("overload for 'contains' applied to 'map(") {
		return d.text
	}
	for i := range d.List {
		open, method, ok := d.call(i)
		if args := d.arguments(max(open, 0)); ok && method && d.List[i].Text == "contains" && len(args) == 1 {
			from := d.chainStart(i - 2)
			return d.with(edit{d.start(from), d.end(d.Partner[open]), d.bracketed(from, d.argument(args[0])+" in "+d.slice(from, i-2))})
		}
	}
	return d.text
}

// throughTexts takes a list of texts as it is: groups.name is groups.
func throughTexts(d *draft) string {
	point := d.selection("list(string)")
	if point < 0 || d.Is(point+2, "(") {
		return d.text
	}
	switch d.List[point+1].Text {
	case "length", "size", "count", "Length", "len":
		return d.with(edit{d.start(point + 1), d.end(point + 1), "size()"})
	case "name", "names", "value", "values", "key", "items", "item":
		return d.with(edit{d.end(point - 1), d.end(point + 1), ""})
	}
	return d.text
}

// timeOfText reads a text as the span or the time that Go wraps in a struct:
// self.timeout.duration is duration(self.timeout).
func timeOfText(d *draft) string {
	point := d.selection("string")
	if point < 0 || d.Is(point+2, "(") || d.Is(point+2, ".") {
		return d.text
	}
	function := map[string]string{"duration": "duration", "Duration": "duration", "time": "timestamp", "Time": "timestamp", "timestamp": "timestamp"}[d.List[point+1].Text]
	if function == "" {
		return d.text
	}
	from := d.chainStart(point - 1)
	return d.with(edit{d.start(from), d.end(point + 1), function + "(" + d.slice(from, point-1) + ")"})
}

// times makes a time, or a span of time, of the text that is compared with one.
func times(d *draft) string {
	i, left, right, ok := d.operatorOf()
	if !ok {
		return d.text
	}
	for _, kind := range []string{"timestamp", "duration"} {
		isTime := func(name string) bool { return strings.HasSuffix(strings.ToLower(name), kind) }
		switch {
		case left == "string" && isTime(right):
			from := d.chainStart(i - 1)
			return d.with(edit{d.start(from), d.end(i - 1), kind + "(" + d.moment(from, i-1) + ")"})
		case isTime(left) && right == "string":
			to := d.chainEnd(i + 1)
			return d.with(edit{d.start(i + 1), d.end(to), kind + "(" + d.moment(i+1, to) + ")"})
		}
	}
	return d.text
}

// day is a date without a time, which timestamp() does not read.
var day = lazy.Regexp{Text: `^[0-9]{4}-[0-9]{2}-[0-9]{2}$`}

// moment is a part as the argument of timestamp(): a date begins at midnight.
func (d *draft) moment(from, to int) string {
	if content, plain := d.plainText(from); plain && from == to && day.MatchString(content) {
		return d.quoted(from, content+"T00:00:00Z")
	}
	return d.slice(from, to)
}
