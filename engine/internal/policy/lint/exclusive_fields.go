package lint

import (
	"regexp"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/internal/lazy"
)

var (
	// saysExactlyOne and saysNotBoth are words of a message about fields of which an object may have one.
	saysExactlyOne = lazy.Regexp{Text: `(?i)\b(?:exactly one|one and only one|only one)\b`}
	saysNotBoth    = lazy.Regexp{Text: `(?i)\b(?:mutually exclusive|not both|at most one)\b`}
	// anyPresent tests whether an object has any of some fields.
	anyPresent = lazy.Regexp{Text: `^\s*has\([\w.]+\)(?:\s*\|\|\s*has\([\w.]+\))+\s*$`}
)

// ManyFields says what an expression admits that its message forbids: an object with several of some fields. now is the
// expression that admits one. All are empty for others.
func ManyFields(expression, message string) (summary, detail, now string) {
	one := saysExactlyOne.MatchString(message)
	if !anyPresent.MatchString(expression) || !one && !saysNotBoth.MatchString(message) {
		return "", "", ""
	}
	var tests []string
	for _, test := range strings.Split(expression, "||") {
		tests = append(tests, strings.TrimSpace(test))
	}
	if one {
		now = strings.Join(tests, " != ")
		if len(tests) > 2 {
			now = "[" + strings.Join(tests, ", ") + "].exists_one(x, x)"
		}
	}
	return "an object with all of these fields passes, but the message allows one of them", "|| is true for several, too.", now
}

// manyFields reports a validation that admits several of the fields of which its message allows one.
func (p *policy) manyFields(v validation, n *values.Node) bool {
	summary, detail, now := ManyFields(v.text, v.message)
	return summary != "" && p.contradiction(v, n, summary, detail, n.Start, n.End, now)
}

// KeepsValue is a rule of a definition that keeps a value as it is.
var KeepsValue = lazy.Regexp{Text: `^\s*(?:self\s*==\s*oldSelf|oldSelf\s*==\s*self)\s*$`}

// OneField is the field of several that a message calls immutable, while the rule keeps all of them; empty for other rules.
func OneField(rule, message string, fields []string) string {
	if !KeepsValue.MatchString(rule) || len(fields) < 2 {
		return ""
	}
	found := ""
	for _, field := range fields {
		if !regexp.MustCompile(`(?i)(?:^|[\s.])` + regexp.QuoteMeta(field) + ` (?:is|are) immutable\b`).MatchString(message) {
			continue
		}
		if found != "" {
			return ""
		}
		found = field
	}
	return found
}
