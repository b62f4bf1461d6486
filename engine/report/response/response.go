// Package response renders a report's outcome in two familiar forms: as the AdmissionReview
// response of a webhook with the same effect, and as kubectl's output.
package response

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

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

// File is the file name in kubectl's messages.
const File = "request.yaml"

// Kubectl returns kubectl's output for the request, on both streams: warnings first, then the
// result or the error (kubectl's CheckErr).
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
	return "" // CONNECT: the session begins and nothing is printed
}

// singular returns the lower-case kind, which kubectl prints for a resource.
func singular(q *report.Request, resource string) string {
	if _, kind, ok := strings.Cut(q.Kind, "Kind="); ok && kind != "" {
		return strings.ToLower(kind)
	}
	return resource
}

// failure returns the error. For an Invalid status kubectl lists the causes and does not print the
// message.
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

// splitResource splits "apps/v1, Resource=deployments".
func splitResource(s string) (group, resource string) {
	groupVersion, resource, _ := strings.Cut(s, ", Resource=")
	group, _, _ = strings.Cut(groupVersion, "/")
	return group, resource
}
