package expressions

import (
	"strings"

	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// questionMarks writes ?., ?? and ?: with optional fields.
func questionMarks(d *draft) string {
	for i := range d.List {
		switch {
		case d.Is(i, "?") && (d.Is(i+1, "?") || d.Is(i+1, ":")) && d.touches(i) && d.ends(i-1):
			return d.coalesced(i)
		case d.Is(i, "?") && d.Is(i+1, ".") && d.touches(i) && d.ends(i-1):
			text := d.each(func(j int) (string, bool) {
				switch {
				case d.Is(j, "?") && d.Is(j+1, ".") && d.touches(j):
					return ".", true
				case d.Is(j, ".") && d.Is(j-1, "?") && d.touches(j-1):
					return "?", true
				case d.Is(j, ".") && d.IsWord(j-1) && d.IsWord(j+1) && d.Is(j+2, "?") && d.Is(j+3, ".") && d.touches(j+2) && j > 1 && !d.Is(j+1, "metadata") && !d.Is(j+1, "spec"):
					return ".?", true // what has ?. behind it may be absent
				}
				return "", false
			})
			return noneAsNull.ReplaceAllStringFunc(text, func(test string) string {
				m := noneAsNull.FindStringSubmatch(test)
				return map[string]string{"==": "!", "!=": ""}[m[2]] + m[1] + ".hasValue()"
			})
		}
	}
	return optionalCompared(d)
}

// noneAsNull is a comparison of an optional field with null, which it never is.
var noneAsNull = lazy.Regexp{Text: `([\w.?]+\.\?\w+) (==|!=) null\b`}

// doubledQuestion takes one sign out of a choice that has two: a ?? b : c.
func doubledQuestion(d *draft) string {
	for i := range d.List {
		if d.Is(i, "?") && d.Is(i+1, "?") && d.ends(i-1) && d.otherwise(i+2) {
			return d.with(edit{d.start(i + 1), d.end(i + 1), ""})
		}
	}
	return d.text
}

// otherwise reports whether the value that begins with token i is followed by a colon and another
// value, as in a choice.
func (d *draft) otherwise(i int) bool {
	for ; i < len(d.List); i++ {
		switch {
		case d.Is(i, "(") || d.Is(i, "[") || d.Is(i, "{"):
			if d.Partner[i] < i {
				return false
			}
			i = d.Partner[i]
		case d.Is(i, "?"), d.Is(i, ")"), d.Is(i, "]"), d.Is(i, "}"), d.Is(i, ","):
			return false
		case d.Is(i, ":"):
			return d.begins(i + 1)
		}
	}
	return false
}

// coalesced writes `chain ?? value`, or `chain ?: value`, at the first question mark.
func (d *draft) coalesced(i int) string {
	from := d.chainStart(i - 1)
	to := d.chainEnd(min(i+2, len(d.List)-1))
	return d.with(edit{d.start(from), d.end(to), optionalChain(d.slice(from, i-1)) + ".orValue(" + d.slice(i+2, to) + ")"})
}

// optionalChain makes all fields of a chain optional but the first, which
// objects always have when it is metadata, and none of request.
func optionalChain(chain string) string {
	parts := fieldsOf(chain)
	if len(parts) < 2 {
		return chain
	}
	out := parts[0]
	for i, part := range parts[1:] {
		if i == 0 && (part == "metadata" || part == "spec") && len(parts) > 2 {
			out += "." + part
			continue
		}
		out += ".?" + part
	}
	return out
}

// fieldsOf splits a chain at its points, also at those that are optional already, but not at
// those in brackets: a key may have some.
func fieldsOf(chain string) []string {
	var parts []string
	depth, from := 0, 0
	for i, c := range chain {
		switch {
		case c == '[' || c == '(':
			depth++
		case c == ']' || c == ')':
			depth--
		case c == '.' && depth == 0:
			parts = append(parts, strings.TrimPrefix(chain[from:i], "?"))
			from = i + 1
		}
	}
	return append(parts, strings.TrimPrefix(chain[from:], "?"))
}

// defaulted writes || with a value that is no condition, which is the default of other
// languages, as orValue().
func defaulted(d *draft) string {
	for i := range d.List {
		if text := d.defaultAt(i); text != "" && d.messages("but found '") {
			return text
		}
	}
	return d.text
}

// defaultAt is the expression with orValue() for the || at a token that has a field before
// it and a literal after it that is no condition; empty where there is none.
func (d *draft) defaultAt(i int) string {
	if !d.Is(i, "||") || !d.IsWord(i-1) && !d.Is(i-1, "]") || !d.isString(i+1) && !d.isNumber(i+1) && !(d.Is(i+1, "[") && d.Is(i+2, "]")) {
		return ""
	}
	from, to := d.chainStart(i-1), d.chainEnd(i+1)
	chain := d.slice(from, i-1)
	if !d.IsWord(from) || strings.ContainsAny(chain, "?(") || !strings.Contains(chain, ".") {
		return ""
	}
	return d.with(edit{d.start(from), d.end(to), optionalChain(chain) + ".orValue(" + d.slice(i+1, to) + ")"})
}

// optionalCompared returns an optional field that is compared the value that it
// has when it is absent.
func optionalCompared(d *draft) string {
	if !d.messages("optional_type") {
		return d.text
	}
	for i := range d.List {
		if !d.Is(i, "==") && !d.Is(i, "!=") && !d.Is(i, "<") && !d.Is(i, "<=") && !d.Is(i, ">") && !d.Is(i, ">=") {
			continue
		}
		from := d.chainStart(i - 1)
		mayBeNone := strings.Contains(d.slice(from, i-1), ".?") || d.Is(i-2, "(") && (d.Is(i-3, "last") || d.Is(i-3, "first"))
		if !mayBeNone || strings.Contains(d.slice(from, i-1), "orValue") || strings.Contains(d.slice(from, i-1), ".or(") {
			continue
		}
		if value := d.zeroOf(i + 1); value != "" {
			return d.with(edit{d.end(i - 1), d.end(i - 1), ".orValue(" + value + ")"})
		}
	}
	return d.text
}

// zeroOf is the empty value of the type of a literal.
func (d *draft) zeroOf(i int) string {
	switch {
	case d.isString(i):
		return "''"
	case d.isNumber(i) && strings.Contains(d.List[i].Text, "."):
		return "0.0"
	case d.isNumber(i):
		return "0"
	case d.Is(i, "true"), d.Is(i, "false"):
		return "false"
	case d.Is(i, "["):
		return "[]"
	}
	return ""
}

// plainDefault makes the fields optional in front of an orValue() that is called on a plain
// one: object.spec.paused.orValue(false).
func plainDefault(d *draft) string {
	if !d.messages("overload for 'orValue' applied to") {
		return d.text
	}
	for i := range d.List {
		if _, method, ok := d.call(i); !ok || !method || d.List[i].Text != "orValue" {
			continue
		}
		from := d.chainStart(i - 2)
		target := d.slice(from, i-2)
		if strings.ContainsAny(target, "?(") {
			continue
		}
		return d.with(edit{d.start(from), d.end(i - 2), optionalChain(target)})
	}
	return d.text
}
