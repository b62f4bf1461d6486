package bootstrap

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/webhook"
)

// advice says in words how the requests of the control plane are left out: by what
// leaves them out, since no namespaceSelector concerns what is in no namespace.
func (f *found) advice() string {
	out := ""
	if len(f.namespaces) > 0 {
		out += fmt.Sprintf(" Exclude %s with the namespaceSelector, and name only the resources that it needs in its rules.", list(f.namespaces))
	}
	if len(f.cluster) > 0 {
		out += fmt.Sprintf(" %s are cluster-scoped, so a namespaceSelector cannot exclude them. Use a match condition, or rules that name only the resources that the webhook needs.", capital(list(f.cluster)))
	}
	if f.server {
		out += " The EndpointSlice of the API server is in the namespace default, beside users' objects: exclude only it with a match condition."
	}
	return out
}

// unless are the repairs of a webhook that no namespaceSelector repairs: a match condition
// that leaves the requests out, or letting them pass. Which is right depends on what the
// webhook is for.
func (f *found) unless(h *webhook.Facts) []diag.Fix {
	var clauses []string
	if len(f.namespaces) > 0 {
		clauses = append(clauses, "has(request.namespace) && request.namespace in "+celList(f.namespaces))
	}
	if len(f.cluster) > 0 {
		clauses = append(clauses, "request.resource.resource in "+celList(f.cluster))
	}
	if f.server {
		clauses = append(clauses, "has(request.name) && request.name == 'kubernetes' && has(request.namespace) && request.namespace == 'default'")
	}
	return append(unlessCondition(h, "Exclude these requests with a match condition", "not-the-control-plane", "!("+strings.Join(clauses, " || ")+")"),
		set(h, "failurePolicy", "Ignore")...)
}

// capital is a text that begins a sentence.
func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func celList(values []string) string { return "['" + strings.Join(values, "', '") + "']" }

// namesOnly reports whether rules name some resources and nothing else: a webhook that
// is about them is not repaired by leaving them out.
func namesOnly(rules []v1.RuleWithOperations, resources []string) bool {
	for _, r := range rules {
		for _, name := range r.Resources {
			plural, _, _ := strings.Cut(name, "/")
			if !slices.Contains(resources, plural) {
				return false
			}
		}
	}
	return true
}
