package failures

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/report"
)

// textForNumber is the field that a part compares with a number and that is a text; nil for another part. A rule of a
// custom resource has types, so the schema of such a field allows both. In a policy, a text that is no number shows it.
func textForNumber(e *report.Evaluation, n *node) *node {
	if !strings.HasPrefix(n.Error, "no such overload") || len(n.children) != 2 || !slices.Contains([]string{"_<_", "_<=_", "_>_", "_>=_"}, n.Name) {
		return nil
	}
	field, number := n.children[0], n.children[1]
	if field.Type == "int" {
		field, number = number, field
	}
	if field.Type != "string" || number.Type != "int" || field.Kind != "select" && field.Kind != "index" && field.Kind != "variable" {
		return nil
	}
	if text, _ := field.Value.(string); e.List != report.RulesList && (text == "" || strings.Trim(text, "0123456789") == "" || amount.MatchString(text)) {
		return nil
	}
	return field
}

// ofTextFunctions are the methods of texts that people call on fields of the type int-or-string.
var ofTextFunctions = []string{"endsWith", "startsWith", "contains", "matches", "replace", "split", "trim", "substring"}

// textOfNumber converts a number of which a method of texts is called: the field may hold a text, too.
func textOfNumber(s *rewrite.Source, n *node) []diag.Fix {
	of := n.children[0]
	return []diag.Fix{s.Fix("Convert the value with string() first", rewrite.Replace(of.Start, of.Start, "string("), rewrite.Replace(of.End, of.End, ")"))}
}

// ofNumbers compares a field only where it is a number. What a text means in a policy is for the reader to say.
func ofNumbers(s *rewrite.Source, e *report.Evaluation, n, field *node) []diag.Fix {
	name, compared := string(s.Runes[field.Start:field.End]), string(s.Runes[n.Start:n.End])
	guarded := func(test, operator string) diag.Fix {
		title := "Compare only numbers: " + test + compared
		if n.parent == nil || n.under("logical", operator) || n.under("macro", "all") {
			return s.Fix(title, rewrite.Replace(n.Start, n.Start, test))
		}
		return s.Fix(title, rewrite.Replace(n.Start, n.Start, "("+test), rewrite.Replace(n.End, n.End, ")"))
	}
	out := []diag.Fix{guarded("type("+name+") != int || ", "_||_")}
	if e.List != report.RulesList {
		out = append(out, guarded("type("+name+") == int && ", "_&&_"))
	}
	return out
}
