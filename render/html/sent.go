package html

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine/report"
)

// sentJSON is an AdmissionReview as its webhook gets it, in lines.
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

// sentSummary is the title of what a webhook gets, or would.
func sentSummary(s report.Step) string {
	if s.Called {
		return "Sent to the webhook"
	}
	return "Would be sent to the webhook"
}

// curlBefore and curlAfter are the command around the JSON of a review that posts it to its
// webhook. No line of JSON is EOF alone. -i prints status and headers, too: all of what
// it prints can be pasted as the answer.
func curlBefore(s report.Step) string {
	return "curl -sS -i -H 'Content-Type: application/json' --data-binary @- '" + strings.ReplaceAll(s.Address, "'", `'\''`) + "' <<'EOF'\n"
}

const curlAfter = "EOF\n"

// reviewFile is the name of a file with what a webhook is sent. Names of webhooks are
// those of domains, once the server takes them.
func reviewFile(webhook string) string { return "review-" + webhook + ".json" }

// canBeSkipped reports whether the webhook let the request pass, so that the call
// may be spared.
func canBeSkipped(s report.Step) bool { return s.Status == report.Evaluated && s.Error == "" }
