package expressions

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/hints"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
)

// Elsewhere repairs an expression outside admission, which compile compiles. The names are those of its
// variable and of the fields. Without a repair that compiles, the list is empty.
func Elsewhere(source *rewrite.Source, names []string, compile func(text string) *eval.Compiled) (fixes []diag.Fix, said string) {
	text := string(source.Runes)
	c := &context{expression: model.Expression{Place: model.Validation, Text: text, Webhook: -1}, compile: compile}
	repaired, all := nearestNames(text, names, compile), []string(nil)
	if next, said := c.repair(repaired); next != "" {
		repaired, all = nearestNames(next, names, compile), said // names show where the syntax is right
	}
	if repaired == text || !compile(repaired).OK() {
		return nil, ""
	}
	return []diag.Fix{source.Fix(title(text, repaired), source.Differences(repaired)...)}, strings.Join(all, " ")
}

// nearestNames writes unknown names as the nearest of those that there are.
func nearestNames(text string, names []string, compile func(text string) *eval.Compiled) string {
	for range maxRounds {
		next := text
		for _, issue := range compile(text).Issues {
			name := hints.Undeclared(issue.Message)
			if m := undefinedField.FindStringSubmatch(issue.Message); m != nil {
				name = m[1]
			}
			runes := []rune(text)
			at := strings.Index(string(runes[issue.Start:]), name)
			if near, ok := suggest.Of(names, name); name != "" && ok && at >= 0 && !slices.Contains(names, name) {
				rest := string(runes[issue.Start:])
				next = string(runes[:issue.Start]) + rest[:at] + near + rest[at+len(name):]
				break
			}
		}
		if next == text {
			break
		}
		text = next
	}
	return text
}

var undefinedField = lazy.Regexp{Text: `^undefined field '([^']+)'`}
