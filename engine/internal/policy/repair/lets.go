package repair

import (
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// letRules are for names and decisions that other languages begin an expression with.
var letRules = []rule{
	{"CEL has no variables of its own: the value is written in its place, or is one of spec.variables.", lets},
	{"A validation is true for what is allowed.", decided},
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
	if of := newDraft(d.context, value, nil); of.chainEnd(0) != len(of.List)-1 {
		value = "(" + value + ")"
	}
	body := newDraft(d.context, rest, nil)
	return body.each(func(i int) (string, bool) {
		return value, body.Is(i, name) && !body.Is(i-1, ".") && !body.Is(i+1, ":")
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

// labelAndValue is a label with its value, as a selector on a command line has them.
var labelAndValue = lazy.Regexp{Text: `^([A-Za-z0-9][\w./-]*)=([\w.-]+)$`}

// pairInMap is a label with its value looked for among the keys of a map: 'env=prod' in labels.
func (d *draft) pairInMap(i int, content string) *Doubt {
	m := labelAndValue.FindStringSubmatch(content)
	if m == nil || !d.Is(i+1, "in") || i+2 >= len(d.List) {
		return nil
	}
	last := d.chainEnd(i + 2)
	if !contains([]string{"labels", "annotations", "matchLabels", "nodeSelector"}, d.token(last)) || !d.Is(last-1, ".") {
		return nil
	}
	asked := fmt.Sprintf("%s.?%s[?%s].orValue(%s) == %s", d.slice(i+2, last-2), d.token(last), d.quoted(i, m[1]), d.quoted(i, ""), d.quoted(i, m[2]))
	return &Doubt{
		Summary:  fmt.Sprintf("no key of a map is %s", d.List[i].Text),
		Detail:   "in looks among the keys of a map, and a key is the name of the label alone.",
		Repaired: d.with(edit{d.start(i), d.end(last), asked}),
	}
}
