package findings

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// FromCopying gives the errors of a text that copying has changed the repair
// of that: most are symptoms of it, and those that are not keep until it is repaired.
func FromCopying(list []diag.Diagnostic) {
	i := slices.IndexFunc(list, func(d diag.Diagnostic) bool { return d.Code == codes.CopiedText })
	if i < 0 {
		return
	}
	for j := range list {
		if d := &list[j]; d.Severity == diag.Error && d.Text == list[i].Text {
			d.Fixes = list[i].Fixes
		}
	}
}

// nextDetail is said of what the server would say next.
const nextDetail = "The server stops at an earlier error. It reports this one once the earlier error is fixed."

// ExplainNext says of each problem that is ahead of the server why it is there.
func ExplainNext(list []diag.Diagnostic) {
	for i := range list {
		if d := &list[i]; d.Next && !strings.HasPrefix(d.Detail, nextDetail) {
			d.Detail = strings.TrimSpace(nextDetail + " " + d.Detail)
		}
	}
}

// Article is the name of an operation or a kind with its article.
func Article(name string) string {
	if name != "" && strings.ContainsRune("AEIOU", rune(name[0])) {
		return "an " + name
	}
	return "a " + name
}
