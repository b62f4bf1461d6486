// Package response renders a report's outcome in two familiar forms: as the AdmissionReview
// response of a webhook with the same effect, and as kubectl's output.
package response

import (
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/preadmit/preadmit/engine/report"
)

// ReviewUID is the uid in the response: reports do not have the request's uid, because no
// expression can read it.
const ReviewUID = "00000000-0000-0000-0000-000000000000"

// Review returns the AdmissionReview (admission.k8s.io/v1) whose response has the whole chain's
// effect: the patch turns the incoming object into the final one.
func Review(r *report.Report) (map[string]any, error) {
	o := r.Outcome
	response := map[string]any{"uid": ReviewUID, "allowed": o.Allowed}
	if !o.Allowed {
		status := map[string]any{"code": int64(o.Code), "status": "Failure"}
		if o.Message != "" {
			status["message"] = o.Message
		}
		if o.Reason != "" {
			status["reason"] = o.Reason
		}
		response["status"] = status
	}
	if len(o.Warnings) > 0 {
		response["warnings"] = anySlice(o.Warnings)
	}
	if len(o.AuditAnnotations) > 0 {
		annotations := map[string]any{}
		for k, v := range o.AuditAnnotations {
			annotations[k] = v
		}
		response["auditAnnotations"] = annotations
	}
	if o.Allowed && len(o.Patch) > 0 {
		raw, err := json.Marshal(o.Patch)
		if err != nil {
			return nil, fmt.Errorf("encoding the patch: %w", err)
		}
		response["patchType"] = "JSONPatch"
		response["patch"] = base64.StdEncoding.EncodeToString(raw)
	}
	return map[string]any{
		"apiVersion": "admission.k8s.io/v1",
		"kind":       "AdmissionReview",
		"response":   response,
	}, nil
}

func anySlice(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}
