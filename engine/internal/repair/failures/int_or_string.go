package failures

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/report"
)

// textForNumber is the field of a custom resource that a part compares with a number and that is a text; nil
// for another part. A rule has types, so the schema of such a field allows both.
func textForNumber(e *report.Evaluation, n *node) *node {
	if e.List != report.RulesList || !strings.HasPrefix(n.Error, "no such overload") || len(n.children) != 2 || !slices.Contains([]string{"_<_", "_<=_", "_>_", "_>=_"}, n.Name) {
		return nil
	}
	field, number := n.children[0], n.children[1]
	if field.Type == "int" {
		field, number = number, field
	}
	if field.Type != "string" || number.Type != "int" || field.Kind != "select" && field.Kind != "index" && field.Kind != "variable" {
		return nil
	}
	return field
}

// ofNumbers compares a field only where it is a number.
func ofNumbers(s *rewrite.Source, n, field *node) []diag.Fix {
	test := "type(" + string(s.Runes[field.Start:field.End]) + ") != int || "
	title := "Compare only numbers: " + test + string(s.Runes[n.Start:n.End])
	if n.parent == nil || n.under("logical", "_||_") || n.under("macro", "all") {
		return []diag.Fix{s.Fix(title, rewrite.Replace(n.Start, n.Start, test))}
	}
	return []diag.Fix{s.Fix(title, rewrite.Replace(n.Start, n.Start, "("+test), rewrite.Replace(n.End, n.End, ")"))}
}
