package expressions

import (
	"slices"

	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// borrowedRules are for functions of CEL's other libraries, which the server does not have,
// and for those of the server that are called on a text.
var borrowedRules = []rule{
	{"CEL has no bind() here: write the value directly, or use spec.variables.", bound},
	{"Call max() and min() on a list of the values.", greatest},
	{"Write names with colons as strings, in quotes.", colonNames},
	{"Negate a method call with an exclamation mark: !value.method(...).", infixNot},
	{"Write a URL as url('https://...').", urlOfText},
	{"The authorizer has subresource(), and serviceAccount(namespace, name).", authorizerCalls},
	{"Add patches to a list as a list.", addedPatches},
	{"A macro over a map visits its keys: map.all(key, map[key] > 0).", valuesOfMap},
	{"Gatekeeper's template variables are object and params here.", templateVariables},
}

// bound writes cel.bind(name, value, body) as body with the value in the places of the name.
func bound(d *draft) string {
	for i := range d.List {
		open, method, ok := d.call(i)
		if !ok || !method || !d.Is(i, "bind") || !d.Is(i-2, "cel") {
			continue
		}
		args := d.arguments(open)
		if len(args) != 3 || args[0][0] != args[0][1] || !d.IsWord(args[0][0]) {
			continue
		}
		text := d.inPlaceOf(d.argument(args[0]), d.argument(args[1]), d.argument(args[2]))
		from, to := i-2, d.Partner[open]
		if from > 0 || to < len(d.List)-1 {
			text = "(" + text + ")"
		}
		return d.with(edit{d.start(from), d.end(to), text})
	}
	return d.text
}

// greatest writes math.greatest(a, b), and math.max of other languages, with a list.
func greatest(d *draft) string {
	names := map[string]string{"greatest": "max", "least": "min", "max": "max", "min": "min", "Max": "max", "Min": "min"}
	for i := range d.List {
		open, method, ok := d.call(i)
		name := names[d.List[i].Text]
		if !ok || !method || name == "" || !d.Is(i-2, "math") && !d.Is(i-2, "Math") {
			continue
		}
		args := d.arguments(open)
		if len(args) == 0 {
			continue
		}
		list := d.slice(args[0][0], args[len(args)-1][1])
		if len(args) > 1 || !d.Is(args[0][0], "[") {
			list = "[" + list + "]"
		}
		return d.with(edit{d.start(i - 2), d.end(d.Partner[open]), list + "." + name + "()"})
	}
	return d.text
}

// colonNames quotes the names of users and groups: system:nodes, system:serviceaccount:a:b.
func colonNames(d *draft) string {
	if !d.syntaxError() {
		return d.text
	}
	for i := range d.List {
		if !d.Is(i, "system") || d.Is(i-1, ".") || d.Is(i-1, "?") || !d.Is(i+1, ":") {
			continue
		}
		to := i
		for d.Is(to+1, ":") && d.IsWord(to+2) && d.touches(to) && d.touches(to+1) {
			to += 2
			for d.Is(to+1, "-") && d.IsWord(to+2) && d.touches(to) && d.touches(to+1) {
				to += 2
			}
		}
		if to > i {
			return d.with(edit{d.start(i), d.end(to), "'" + d.slice(i, to) + "'"})
		}
	}
	return d.text
}

// infixNot writes name not startsWith 'a', and name not contains 'a', with ! and a method.
func infixNot(d *draft) string {
	if !d.syntaxError() {
		return d.text
	}
	for i := range d.List {
		if !d.Is(i, "not") || !d.ends(i-1) || !d.IsWord(i+1) || !d.begins(i+2) {
			continue
		}
		method := d.List[i+1].Text
		if other := functionNames[method]; other != "" {
			method = other
		}
		if !slices.Contains([]string{"startsWith", "endsWith", "contains", "matches"}, method) {
			continue
		}
		from, to := d.chainStart(i-1), d.chainEnd(i+2)
		argument := d.slice(i+2, to)
		if !d.Is(i+2, "(") || d.Partner[i+2] != to {
			argument = "(" + argument + ")"
		}
		return d.with(edit{d.start(from), d.end(to), "!" + d.slice(from, i-1) + "." + method + argument})
	}
	return d.text
}

// urlMethods are those of URLs alone.
var urlMethods = []string{"getScheme", "getHost", "getHostname", "getPort", "getEscapedPath", "getQuery"}

// urlOfText reads the text that a method of URLs is called on.
func urlOfText(d *draft) string {
	for i := range d.List {
		_, method, ok := d.call(i)
		name := d.List[i].Text
		if !ok || !method || !slices.Contains(urlMethods, name) || !d.messages("'"+name+"' applied to 'string.") {
			continue
		}
		from := d.chainStart(i - 2)
		return d.with(edit{d.start(from), d.end(i - 2), "url(" + d.slice(from, i-2) + ")"})
	}
	return d.text
}

// authorizerCalls writes the methods of the authorizer with the names and arguments that they have.
func authorizerCalls(d *draft) string {
	for i := range d.List {
		open, method, ok := d.call(i)
		if !ok || !method {
			continue
		}
		switch {
		case (d.Is(i, "subResource") || d.Is(i, "sub_resource")) && d.undeclared()[i] != "":
			return d.with(edit{d.start(i), d.end(i), "subresource"})
		case d.Is(i, "serviceAccount") && len(d.arguments(open)) == 1 && d.messages("'serviceAccount' applied to"):
			return d.with(edit{d.end(open), d.end(open), "request.namespace, "})
		}
	}
	return d.text
}

// listAndOne is a list with something added that is no list, and the other way round.
var listAndOne = lazy.Regexp{Text: `'_\+_' applied to '\((?:list\(JSONPatch\), JSONPatch|JSONPatch, list\(JSONPatch\))\)'`}

// addedPatches makes lists of the patches that are added to a list.
func addedPatches(d *draft) string {
	found := false
	for _, issue := range d.compiled.Issues {
		found = found || listAndOne.MatchString(issue.Message)
	}
	if !found {
		return d.text
	}
	var edits []edit
	for i := range d.List {
		if !d.Is(i, "JSONPatch") || !d.Is(i+1, "{") || d.Partner[i+1] < 0 || d.Is(i-1, ".") {
			continue
		}
		if end := d.Partner[i+1]; d.Is(i-1, "+") || d.Is(end+1, "+") {
			edits = append(edits, edit{d.start(i), d.start(i), "["}, edit{d.end(end), d.end(end), "]"})
		}
	}
	return d.with(edits...)
}

// valuesOfMap reads the values of a map whose keys a macro compares with numbers:
// limits.all(v, v > 0).
func valuesOfMap(d *draft) string {
	if !d.messages("applied to '(string, int)'") && !d.messages("applied to '(string, double)'") {
		return d.text
	}
	for i := range d.List {
		from, variable, _, ok := d.macro(i)
		if !ok || !slices.Contains([]string{"all", "exists", "exists_one", "filter"}, d.List[i].Text) || !d.isMap(from, i-2) {
			continue
		}
		open, _, _ := d.call(i)
		var edits []edit
		for j := open + 2; j < d.Partner[open]; j++ {
			numbers := slices.Contains(comparisons, d.List[min(j+1, len(d.List)-1)].Text) && d.isNumber(j+2)
			if d.Is(j, variable) && !d.Is(j-1, ".") && numbers {
				edits = append(edits, edit{d.start(j), d.end(j), d.slice(from, i-2) + "[" + variable + "]"})
			}
		}
		if len(edits) > 0 {
			return d.with(edits...)
		}
	}
	return d.text
}

// isMap reports whether a part of the expression is a map: it takes texts as indexes, and no numbers.
func (d *draft) isMap(from, to int) bool {
	part := d.slice(from, to)
	return part != "" && d.compile("dyn("+part+"['a']) != null").OK() && !d.compile("dyn("+part+"[0]) != null").OK()
}

// ofTemplates are the variables that Gatekeeper gives every template, with what a policy has in
// their place.
var ofTemplates = map[string]string{"anyObject": "object", "params": "params"}

// templateVariables reads what a template of Gatekeeper reads as variables.anyObject and variables.params.
func templateVariables(d *draft) string {
	var edits []edit
	for i := range d.List {
		if !d.Is(i, "variables") || d.Is(i-1, ".") || !d.Is(i+1, ".") || !d.IsWord(i+2) || d.hasVariable(d.token(i+2)) {
			continue
		}
		if root := ofTemplates[d.token(i+2)]; root != "" {
			edits = append(edits, edit{d.start(i), d.end(i + 2), root})
		}
	}
	return d.with(edits...)
}
