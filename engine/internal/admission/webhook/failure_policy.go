package webhook

import (
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// settle turns the error of one call into the server's answer; nil means that
// the request goes on. failedOpen is the key of the audit annotation about a failure that
// is ignored.
func settle(c *run.Chain, s *selected, err error, failedOpen func() string) *apierrors.StatusError {
	count(c, s, err)
	if err == nil {
		return nil
	}
	step := s.step
	step.Error = err.Error()
	var call *callError
	if !errors.As(err, &call) {
		return stop(c, step, asStatus(err))
	}
	step.Status = report.Errored
	if s.ignore() {
		step.Verdict = report.Admit
		c.Annotate(failedOpen(), s.name)
		if s.mutating && c.Elapsed >= requestSeconds {
			return stop(c, step, apierrors.NewTimeoutError("request did not complete within requested timeout", 0))
		}
		step.Notes = append(step.Notes, report.Note{Code: codes.FailedOpen, Text: "The call failed; failurePolicy is Ignore, so the request continues without the webhook."})
		return nil
	}
	return stop(c, step, apierrors.NewInternalError(err))
}

// callError is a failure of the call itself; the failure policy decides. Code is
// what the server's metrics say of it.
type callError struct {
	webhook string
	reason  error
	code    int
}

func (e *callError) Error() string {
	return fmt.Sprintf("failed calling webhook %q: %v", e.webhook, e.reason)
}
