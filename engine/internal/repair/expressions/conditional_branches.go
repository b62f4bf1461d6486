package expressions

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
)

// calledChoice writes a choice that is called as a function, as spreadsheets and templates
// have it: if(condition, a, b).
func calledChoice(d *draft) string {
	undeclared := d.undeclared()
	for i := range d.List {
		open, method, ok := d.call(i)
		if !ok || method || !slices.Contains([]string{"if", "If", "IF", "iif", "ifelse", "cond", "ternary"}, d.List[i].Text) || undeclared[i] == "" && !d.syntaxError() && !d.messages("reserved identifier") {
			continue
		}
		args := d.arguments(open)
		if len(args) < 2 || len(args) > 3 || d.expression.Scope.Patch && len(args) == 2 {
			continue
		}
		other := "true" // a condition that does not hold asks for nothing
		if len(args) == 3 {
			other = d.argument(args[2])
		}
		text := d.argument(args[0]) + " ? " + d.argument(args[1]) + " : " + other
		if i > 0 || d.Partner[open] < len(d.List)-1 {
			text = "(" + text + ")"
		}
		return d.with(edit{d.start(i), d.end(d.Partner[open]), text})
	}
	return d.text
}

// choice writes if ... else, of Python and of others.
func choice(d *draft) string {
	at := d.find(0, "if", "IF")
	if then := d.find(0, "then", "THEN"); at < 0 && then > 0 && d.syntaxError() {
		if other := d.find(then, "else", "ELSE"); other > 0 {
			return d.slice(0, then-1) + " ? " + d.slice(then+1, other-1) + " : " + d.slice(other+1, len(d.List)-1)
		}
	}
	other := d.find(max(at, 0), "else", "ELSE")
	if at < 0 {
		return d.text
	}
	if at > 0 { // a if c else b
		if other < 0 {
			return d.text
		}
		return d.slice(at+1, other-1) + " ? " + d.slice(0, at-1) + " : " + d.slice(other+1, len(d.List)-1)
	}
	then := d.find(1, "then", "THEN", "{")
	if d.expression.Scope.Patch {
		if colon := d.find(1, ":"); colon > 0 && (then < 0 || colon < then) {
			then = colon // as Python has it
		}
	}
	if d.Is(1, "(") && d.Partner[1] > 0 && (d.Is(d.Partner[1]+1, "Object") || d.Is(d.Partner[1]+1, "[")) {
		then = -1 // a brace behind it is that of the literal
	}
	if then < 0 {
		if !d.Is(1, "(") || d.Partner[1] < 0 {
			return d.text
		}
		then = d.Partner[1] // the bracket of the condition ends it
		return d.chosen(d.slice(1, then), then+1, other)
	}
	return d.chosen(d.slice(1, then-1), then+1, other)
}

// elseOf is the value of a choice without an else: true, as a condition that does not hold asks for nothing, but
// false where the other value is true, or the choice would always be true.
func elseOf(then string) string {
	if strings.TrimSpace(then) == "true" {
		return "false"
	}
	return "true"
}

// chosen writes a choice whose first value begins at a token; without an else a
// condition that does not hold asks for nothing.
func (d *draft) chosen(condition string, from, other int) string {
	last := len(d.List) - 1
	strip := func(text string) string {
		text = strings.TrimSpace(text)
		if !strings.HasPrefix(text, "{") && strings.Count(text, "{") == strings.Count(text, "}") {
			return text
		}
		return strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}"))
	}
	if other < 0 {
		otherwise := " : " + elseOf(strip(d.slice(from, last)))
		switch d.expression.Place.Result {
		case eval.JSONPatch:
			otherwise = " : []" // no patch
		case eval.ApplyConfiguration:
			otherwise = " : Object{}"
		}
		return condition + " ? " + strip(d.slice(from, last)) + otherwise
	}
	return condition + " ? " + strip(d.slice(from, other-1)) + " : " + strip(d.slice(other+1, last))
}
