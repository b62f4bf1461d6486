package html

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine/report"
)

// sentJSON returns a webhook's AdmissionReview, in lines.
func sentJSON(r *report.Review) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(r); err != nil {
		return fmt.Sprintf("cannot be shown: %v\n", err)
	}
	return b.String()
}

// sentSummary is the title of what a webhook is sent, or would be.
func sentSummary(s report.Step) string {
	if s.Called {
		return "Sent to the webhook"
	}
	return "Would be sent to the webhook"
}

// curlBefore and curlAfter surround a review's JSON with the command that posts it to its webhook.
// No line of JSON is just EOF. -i prints status and headers too: all output can be pasted as the
// response.
func curlBefore(s report.Step) string {
	return "curl -sS -i -H 'Content-Type: application/json' --data-binary @- '" + strings.ReplaceAll(s.Address, "'", `'\''`) + "' <<'EOF'\n"
}

const curlAfter = "EOF\n"

// reviewFile names a file with a webhook's review. Valid webhook names are domain names.
func reviewFile(webhook string) string { return "review-" + webhook + ".json" }

// canBeSkipped reports whether the webhook admitted the request, so that the call may be avoidable.
func canBeSkipped(s report.Step) bool { return s.Status == report.Evaluated && s.Error == "" }
