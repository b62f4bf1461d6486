package findings

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// MarkSure marks the fixes that are the one likely answer to their problem: the
// only fix of an error or a warning. Where there are several, as guards that
// allow and guards that deny, the reader decides. What is good advice for this
// one request, and no mistake in a text, is the reader's choice, too.
func MarkSure(list []diag.Diagnostic) {
	for i := range list {
		d := &list[i]
		if len(d.Fixes) == 1 && !d.Fixes[0].Draft && d.Severity != diag.Info && !choice[d.Code] {
			d.Fixes[0].Sure = true
		}
	}
}

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

// choice are the codes whose only fix is one of several ways.
var choice = map[string]bool{
	codes.PolicyWithoutBinding: true, // what the binding does is not known
	codes.CostlyExpression:     true,
	codes.DoubtfulText:         true, // nothing fails, and the text may be meant as it is
	codes.MessageContradicts:   true, // the message may be the one that is wrong
	codes.ForeignKind:          true, // the other engine may do more

	codes.WebhookBlocksControlPlane: true, // leaving namespaces or objects out changes what the webhook checks
	codes.WebhookBlocksItself:       true,
	codes.KeepsObject:               true, // an exemption changes what the policy checks
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
