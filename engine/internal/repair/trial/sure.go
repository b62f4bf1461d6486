package trial

import (
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
		if len(d.Fixes) == 1 && !d.Fixes[0].Draft && !d.Fixes[0].Choice && d.Severity != diag.Info && !choice[d.Code] {
			d.Fixes[0].Sure = true
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

	// Advice: the server accepts the text, and it works as it is written.
	codes.ContainersLeftOut:        true,
	codes.EphemeralLeftOut:         true,
	codes.ExactMatchPolicy:         true,
	codes.IgnoredFailures:          true,
	codes.PolicyBlocksControlPlane: true,
	codes.WebhookLongTimeout:       true,
	codes.WebhookTimeoutsAddUp:     true,
	codes.WebhookMatchesEverything: true,
	codes.WebhookObjectSelector:    true,
	codes.WebhooksBlockEachOther:   true,

	codes.WebhookBlocksControlPlane: true, // leaving namespaces or objects out changes what the webhook checks
	codes.WebhookBlocksItself:       true,
	codes.KeepsObject:               true, // an exemption changes what the policy checks
	codes.UnusedVariable:            true, // an expression may have been meant to read it
	codes.UnusedParams:              true, // the expression may lack what it was to read of them
}

// provable are the codes of choice whose only fix is sure where the request shows the mistake: the
// expression denies it, and after the fix only others.
var provable = map[string]bool{codes.DoubtfulText: true, codes.MessageContradicts: true}
