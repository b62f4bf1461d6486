package findings

import (
	"slices"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// waiting are the findings that need no request.
var waiting = []string{codes.ContainersLeftOut, codes.EphemeralLeftOut, codes.FailsWhenMissing, codes.FailsWhenNull, codes.FailsForKind}

// Waits reports whether a finding needs no request, and can wait for what does.
func Waits(code string) bool { return slices.Contains(waiting, code) }

// InOrder sorts problems by their places. What is found whatever is requested comes after what
// is wrong with a text, and after what decided about this request.
func InOrder(list []diag.Diagnostic) {
	diag.Sort(list)
	slices.SortStableFunc(list, func(a, b diag.Diagnostic) int {
		switch standing := codes.Standing(a.Code); {
		case standing == codes.Standing(b.Code):
			return 0
		case standing:
			return 1
		}
		return -1
	})
}

// WithoutWaiting are the problems without those findings that can wait: an expression that does not
// compile, fails or says something else than it seems must be repaired first, and so does the
// request.
func WithoutWaiting(list []diag.Diagnostic) []diag.Diagnostic {
	all := slices.Clone(list)
	return slices.DeleteFunc(list, func(d diag.Diagnostic) bool {
		return Waits(d.Code) && slices.ContainsFunc(all, func(other diag.Diagnostic) bool {
			return !Waits(other.Code) && other.Code != codes.PolicyBlocksControlPlane && len(other.Fixes) > 0 && other.Severity != diag.Info &&
				(other.Text == diag.Request || other.Text == d.Text && other.Document == d.Document && other.Path == d.Path)
		})
	})
}
