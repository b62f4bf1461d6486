package webhook

import (
	"errors"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// This file is what the server makes of the result of one call: its answer, and
// its counters.

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

// requestSeconds is what the server gives a request in all: requestTimeoutUpperBound
// of its handlers.
const requestSeconds = 34

// wait lets the time of an answer pass that a mutating webhook gives. The call ends
// with the time of the webhook, or with that of the request.
func (s *selected) wait(c *run.Chain, given *Response) {
	if !s.mutating {
		return // they are called at the same time
	}
	limit := min(float64(s.timeoutSeconds), requestSeconds-c.Elapsed)
	if given.Timeout || given.DelaySeconds > limit {
		given.Timeout = true
		c.Elapsed += limit
		return
	}
	c.Elapsed += max(given.DelaySeconds, 0)
}

// The server's metrics of webhooks. The durations are those of real calls, and are
// not there without.
const (
	duration       = "apiserver_admission_webhook_admission_duration_seconds"
	requestTotal   = "apiserver_admission_webhook_request_total"
	rejectionCount = "apiserver_admission_webhook_rejection_count"
	failOpenCount  = "apiserver_admission_webhook_fail_open_count"
)

// codeText is a code in letters, mostly that of an answer that came.
func codeText(code int) string {
	if code == 200 {
		return "200"
	}
	return strconv.Itoa(code)
}

// maxCountedCode is the largest code that the server counts by itself.
const maxCountedCode = 600

// count counts one call as the server's dispatchers do: an error of the call by
// the code of its Status, a rejection by its own, any other error as 0.
func count(c *run.Chain, s *selected, err error) {
	code, rejected, errorType := 200, err != nil, "no_error"
	var call *callError
	var denied *rejectedError
	switch {
	case err == nil:
	case errors.As(err, &call):
		code, rejected, errorType = call.code, !s.ignore(), "calling_webhook_error"
	case errors.As(err, &denied):
		code = int(denied.status.ErrStatus.Code)
	default:
		code, errorType = 0, "apiserver_internal_error"
	}
	code = min(code, maxCountedCode)
	kind := "validating"
	if s.mutating {
		kind = "admit"
	}
	base := run.Metric{Webhook: s.name, Type: kind}
	called := base
	called.Name, called.Operation, called.Code, called.Rejected = requestTotal, c.Attributes.Operation, codeText(code), strconv.FormatBool(rejected)
	c.Count(called)
	if s.measured {
		timed := called
		timed.Name, timed.Code = duration, ""
		c.Observe(timed, s.took)
	}
	if rejected {
		refused := base
		refused.Name, refused.Operation, refused.ErrorType, refused.RejectionCode = rejectionCount, c.Attributes.Operation, errorType, strconv.Itoa(code)
		c.Count(refused)
	}
	if call != nil && s.ignore() {
		opened := base
		opened.Name = failOpenCount
		c.Count(opened)
	}
}
