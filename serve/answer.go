package serve

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/preadmit/preadmit/engine/report"
)

// mutated returns the mutating policies' response: their patch, or the rejection by one that
// failed. The API server does the later phases.
func mutated(r *report.Report) map[string]any {
	response := verdict(r, "MutatingAdmissionPolicy")
	if response["allowed"] == true && len(r.Outcome.Patch) > 0 {
		if patch, err := json.Marshal(r.Outcome.Patch); err == nil { // of what was JSON
			response["patchType"], response["patch"] = "JSONPatch", base64.StdEncoding.EncodeToString(patch)
		}
	}
	return response
}

// about returns the status's details, which clients print. For an Invalid status kubectl only shows
// the causes.
func about(o *report.Outcome) map[string]any {
	out := map[string]any{}
	if d := o.Details; d != nil {
		for key, value := range map[string]string{"name": d.Name, "group": d.Group, "kind": d.Kind, "uid": d.UID} {
			if value != "" {
				out[key] = value
			}
		}
	}
	var causes []map[string]any
	for i, message := range o.Causes {
		cause := map[string]any{"message": message}
		if field := o.CauseFields[i]; field != nil {
			cause["field"] = *field
		}
		causes = append(causes, cause)
	}
	if len(causes) > 0 {
		out["causes"] = causes
	}
	return out
}

// validated returns the validating policies' response.
func validated(r *report.Report) map[string]any { return verdict(r, "ValidatingAdmissionPolicy") }

// verdict returns the result of one kind of policies, with their warnings and audit annotations.
func verdict(r *report.Report, kind string) map[string]any {
	o := &r.Outcome
	response := map[string]any{"allowed": true}
	if at := o.DecidedBy; !o.Allowed && at >= 0 && r.Steps[at].Kind == kind {
		status := map[string]any{"status": "Failure", "code": o.Code, "message": o.Message}
		if o.Reason != "" {
			status["reason"] = o.Reason
		}
		if details := about(o); len(details) > 0 {
			status["details"] = details
		}
		response["allowed"], response["status"] = false, status
	}
	var warnings []string
	for _, s := range r.Steps {
		if s.Kind == kind {
			warnings = append(warnings, s.Warnings...)
		}
	}
	if len(warnings) > 0 {
		response["warnings"] = warnings
	}
	if len(o.AuditAnnotations) > 0 {
		annotations := map[string]string{}
		for key, value := range o.AuditAnnotations {
			// The API server adds the webhook's name and a slash as a prefix, and accepts no second
			// slash.
			annotations[strings.ReplaceAll(key, "/", "_")] = value
		}
		response["auditAnnotations"] = annotations
	}
	return response
}
