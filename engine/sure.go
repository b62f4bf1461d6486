package engine

import (
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// markSure marks the fixes that are the one likely answer to their problem: the
// only fix of an error or a warning. Where there are several, as guards that
// allow and guards that deny, the reader decides. What is good advice for this
// one request, and no mistake in a text, is the reader's choice, too.
func markSure(list []diag.Diagnostic) {
	for i := range list {
		d := &list[i]
		if len(d.Fixes) == 1 && d.Severity != diag.Info && !choice[d.Code] {
			d.Fixes[0].Sure = true
		}
	}
}

// choice are the codes whose only fix is one of several ways.
var choice = map[string]bool{
	codes.PolicyWithoutBinding: true, // what the binding does is not known
	codes.CostlyExpression:     true,
}
