package response

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/report"
)

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
