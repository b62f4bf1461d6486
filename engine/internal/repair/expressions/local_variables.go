package expressions

import (
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// letRules are for names and decisions that other languages begin an expression with.
var letRules = []rule{
	{"CEL has no local variables: write the value directly, or use spec.variables.", lets},
	{"A validation must be true for allowed objects.", decided},
}

// beginsWithName is a name that is given a value: let x = , const x = , x := .
var beginsWithName = lazy.Regexp{Text: `^\s*(?:(?:let|const|var)\s+([A-Za-z_]\w*)\s*:?=|([A-Za-z_]\w*)\s*:=)[^=]`}

// lets writes the value of a name in its places: let x = object.spec; x.replicas > 1.
func lets(d *draft) string {
	m := beginsWithName.FindStringSubmatch(d.text)
	if m == nil || !d.syntaxError() && !d.messages("reserved identifier") {
		return d.text
	}
	name := m[1] + m[2]
	first := 0
	for first < len(d.List) && d.start(first) < len(m[0])-1 {
		first++
	}
	stop := d.find(first, ";")
	if stop < 0 && m[1] != "" {
		stop = d.find(first, "in")
	}
	value, rest := "", ""
	if stop > first {
		value, rest = d.slice(first, stop-1), d.slice(stop+1, len(d.List)-1)
	} else if line := strings.IndexByte(d.text[len(m[0]):], '\n'); line >= 0 {
		value, rest = strings.TrimSpace(d.text[len(m[0])-1:len(m[0])+line]), strings.TrimSpace(d.text[len(m[0])+line:])
	}
	if value == "" || rest == "" {
		return d.text
	}
	return d.inPlaceOf(name, value, rest)
}

// inPlaceOf is an expression with a value in the places of a name.
func (d *draft) inPlaceOf(name, value, expression string) string {
	if of := newDraft(d.context, value, nil); of.chainEnd(0) != len(of.List)-1 {
		value = "(" + value + ")"
	}
	body := newDraft(d.context, expression, nil)
	return body.each(func(i int) (string, bool) {
		field := body.Is(i+1, ":") && (body.Is(i-1, "{") || body.Is(i-1, ",")) // of a literal, not the value of a choice
		return value, body.Is(i, name) && !body.Is(i-1, ".") && !field
	})
}

// decision is what rules of other engines begin with.
var decision = lazy.Regexp{Text: `^\s*(deny|violation|reject|allow|permit)\s*(?:\[[^\]]*\]\s*)?(?:if\b|\{|:-|when\b)`}

// decided writes `deny if x` as !(x), and `allow if x` as x.
func decided(d *draft) string {
	m := decision.FindStringSubmatch(d.text)
	if m == nil || !d.syntaxError() || d.expression.Place.Result != eval.Validation {
		return d.text
	}
	condition := strings.TrimSpace(d.text[len(m[0]):])
	if strings.HasSuffix(m[0], "{") {
		inner, ok := strings.CutSuffix(condition, "}")
		if !ok {
			return d.text
		}
		condition = strings.TrimSpace(inner)
	}
	condition = strings.TrimSpace(strings.TrimSuffix(condition, ";"))
	switch {
	case condition == "":
		return d.text
	case m[1] == "allow" || m[1] == "permit":
		return condition
	}
	return "!(" + condition + ")"
}
