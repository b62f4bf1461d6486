package webhook

import (
	"errors"
	"strconv"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
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

// The server's metrics of webhooks. The durations are those of real calls, and are
// not there without.
const (
	duration       = "apiserver_admission_webhook_admission_duration_seconds"
	requestTotal   = "apiserver_admission_webhook_request_total"
	rejectionCount = "apiserver_admission_webhook_rejection_count"
	failOpenCount  = "apiserver_admission_webhook_fail_open_count"
)
