// Package response renders the outcome of a report in the two forms that people
// know: as the AdmissionReview response that a webhook with the same effect
// would send, and as what kubectl prints.
package response

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/report"
)

// ReviewUID is the uid in the response: reports do not carry the uid of the
// request, because no expression can read it.
const ReviewUID = "00000000-0000-0000-0000-000000000000"

// Review is the AdmissionReview (admission.k8s.io/v1) whose response has the
// effect of the whole chain: the patch leads from the object as it came in to
// the final one.
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

// File is the file name in kubectl's messages.
const File = "request.yaml"

// Kubectl is what kubectl prints for the request, on both of its outputs:
// warnings first, then the result or the error (kubectl's CheckErr).
func Kubectl(r *report.Report) string {
	var b strings.Builder
	for _, w := range r.Outcome.Warnings {
		fmt.Fprintf(&b, "Warning: %s\n", w)
	}
	if r.Outcome.Allowed {
		b.WriteString(success(r))
	} else {
		b.WriteString(failure(r))
	}
	return b.String()
}

// success is the line after a change: "deployment.apps/web created".
func success(r *report.Report) string {
	q := r.Request
	if q == nil {
		return ""
	}
	group, resource := splitResource(q.Resource)
	name := singular(q, resource)
	if group != "" {
		name += "." + group
	}
	suffix := ""
	if q.DryRun {
		suffix = " (server dry run)"
	}
	switch q.Operation {
	case "DELETE":
		return fmt.Sprintf("%s %q deleted%s\n", name, q.Name, suffix)
	case "UPDATE":
		return fmt.Sprintf("%s/%s configured%s\n", name, q.Name, suffix)
	case "CREATE":
		return fmt.Sprintf("%s/%s created%s\n", name, q.Name, suffix)
	}
	return "" // CONNECT: the session begins, nothing is printed
}

// singular is the lower-case kind, which is what kubectl prints for a
// resource.
func singular(q *report.Request, resource string) string {
	if _, kind, ok := strings.Cut(q.Kind, "Kind="); ok && kind != "" {
		return strings.ToLower(kind)
	}
	return resource
}

// failure is the error. An Invalid status has a form of its own: its causes
// are listed and its message is not shown.
func failure(r *report.Report) string {
	o := r.Outcome
	if o.Panic {
		return fmt.Sprintf("Error from server: error when %s %q: an error on the server (\"\") has prevented the request from succeeding\n", verb(r.Request), File)
	}
	if o.Reason == "Invalid" && len(o.Causes) > 0 && r.Request != nil {
		_, resource := splitResource(r.Request.Resource)
		head := fmt.Sprintf("The %s %q is invalid: ", resource, r.Request.Name)
		causes := slices.Compact(slices.Clone(o.Causes))
		if len(causes) == 1 {
			return head + ": " + causes[0] + "\n"
		}
		for _, c := range causes {
			head += "\n* : " + c
		}
		return head + "\n"
	}
	reason := ""
	if o.Reason != "" {
		reason = " (" + o.Reason + ")"
	}
	return fmt.Sprintf("Error from server%s: error when %s %q: %s\n", reason, verb(r.Request), File, o.Message)
}

func verb(q *report.Request) string {
	if q != nil {
		switch q.Operation {
		case "UPDATE":
			return "applying patch to"
		case "DELETE":
			return "deleting"
		}
	}
	return "creating"
}

// splitResource takes "apps/v1, Resource=deployments" apart.
func splitResource(s string) (group, resource string) {
	groupVersion, resource, _ := strings.Cut(s, ", Resource=")
	group, _, _ = strings.Cut(groupVersion, "/")
	return group, resource
}
