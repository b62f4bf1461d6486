package bootstrap

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/webhook"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// requestTimeout is what the server gives one request, in seconds: the upper
// bound of its handlers, requestTimeoutUpperBound.
const requestTimeout = 34

// maxKinds bounds how many resources the sums of timeouts are made for.
const maxKinds = 60

// timeouts adds up what mutating webhooks may take, which are called one after
// the other. Validating ones are called at the same time.
func (c *checker) timeouts() {
	var worst []*webhook.Facts
	most, about := int32(requestTimeout), ""
	for _, p := range c.named() {
		var list []*webhook.Facts
		var sum int32
		for i := range c.hooks {
			h := &c.hooks[i]
			if !h.Mutating {
				continue
			}
			if d, _ := c.intercepts(h, &p); d != no {
				sum, list = sum+h.Timeout, append(list, h)
			}
		}
		if sum > most && len(list) > 1 {
			most, worst, about = sum, list, p.what
		}
	}
	if worst == nil {
		return
	}
	var names []string
	for _, h := range worst {
		names = append(names, fmt.Sprintf("%s (%d s)", h.Name, h.Timeout))
	}
	last := worst[len(worst)-1]
	d := c.report(last, codes.WebhookTimeoutsAddUp, diag.Warning, last.Path+".timeoutSeconds",
		fmt.Sprintf("the mutating webhooks of %s may take %d s in sequence, but the request's limit is %d s", about, most, requestTimeout),
		"They are called in this order: "+strings.Join(names, ", ")+". After that time the request fails, even with failurePolicy Ignore. Use short timeouts.")
	d.Fixes = shortened(worst)
}

// shortened gives each of the webhooks a timeout with which all fit into a request.
func shortened(hooks []*webhook.Facts) []diag.Fix {
	each := min(5, requestTimeout/int32(len(hooks)))
	if each == 0 {
		return nil
	}
	var edits []diag.Edit
	for _, h := range hooks {
		if h.Timeout <= each {
			continue
		}
		if h.Document == nil {
			return nil
		}
		edit, ok := h.Document.Put(h.Path, "timeoutSeconds", fmt.Sprint(each))
		if !ok {
			return nil
		}
		edits = append(edits, edit)
	}
	return one(fmt.Sprintf("Change to timeoutSeconds: %d in each of them", each), len(edits) > 0, edits...)
}

// named are requests for the resources that rules of mutating webhooks name.
func (c *checker) named() []probe {
	var out []probe
	seen := map[string]bool{}
	total := int32(0)
	for i := range c.hooks {
		if c.hooks[i].Mutating {
			total += c.hooks[i].Timeout
		}
	}
	if total <= requestTimeout {
		return nil
	}
	someone := &user.DefaultInfo{Name: "user", Groups: []string{"system:authenticated"}}
	kinds := c.Catalog.Kinds()
	for i := range c.hooks {
		if !c.hooks[i].Mutating {
			continue
		}
		for _, r := range c.hooks[i].Match.Rules {
			for _, k := range kinds {
				if len(out) >= maxKinds || !names(&r, k.GVR) {
					continue
				}
				for _, operation := range []string{"CREATE", "UPDATE", "DELETE"} {
					key := operation + " " + k.GVR.Resource
					if seen[key] || !slices.Contains(r.Operations, v1.OperationType(operation)) && !slices.Contains(r.Operations, v1.OperationAll) {
						continue
					}
					seen[key] = true
					p := probe{what: key, operation: operation, resource: k.GVR, name: "some", user: someone}
					if k.Namespaced {
						p.namespace = "some"
					}
					out = append(out, p)
				}
			}
		}
	}
	return out
}

// names reports whether a rule has a resource; of one for all, Pods stand for
// them.
func names(r *v1.RuleWithOperations, resource schema.GroupVersionResource) bool {
	holds := func(list []string, item string) bool {
		return slices.Contains(list, item) || slices.Contains(list, "*")
	}
	return holds(r.APIGroups, resource.Group) && holds(r.APIVersions, resource.Version) &&
		(slices.Contains(r.Resources, resource.Resource) || resource.Resource == "pods" && (slices.Contains(r.Resources, "*") || slices.Contains(r.Resources, "*/*")))
}

// sameService finds a service that mutates and then validates the same, with
// failure policies that work against each other.
func (c *checker) sameService() {
	for i := range c.hooks {
		m := &c.hooks[i]
		if !m.Mutating || m.FailsClosed || c.of[i] == nil {
			continue
		}
		for j := range c.hooks {
			v := &c.hooks[j]
			if v.Mutating || !v.FailsClosed || c.of[j] != c.of[i] || !overlap(m.Match.Rules, v.Match.Rules) {
				continue
			}
			d := c.report(m, codes.WebhookMutatesThenValidates, diag.Info, m.Path+".failurePolicy",
				fmt.Sprintf("if the call to webhook %q fails, the object continues unchanged, and %q of the same Service may then deny it", m.Name, v.Name),
				"The mutating webhook ignores failures, the validating one does not. If the validation expects the mutated fields, both should have the same failurePolicy.")
			d.Fixes = set(m, "failurePolicy", "Fail")
			if v.Document != nil {
				d.Related = append(d.Related, diag.Related{Text: v.Document.Text, Span: v.Document.Locate(v.Path + ".name"), Path: v.Path + ".name", Summary: "it validates, with failurePolicy Fail"})
			}
			break
		}
	}
}

// overlap reports whether two lists of rules have an operation on a resource in
// common.
func overlap(a, b []v1.RuleWithOperations) bool {
	for i := range a {
		for j := range b {
			if common(a[i].APIGroups, b[j].APIGroups) && named(a[i].Resources, b[j].Resources) && common(a[i].Operations, b[j].Operations) {
				return true
			}
		}
	}
	return false
}

func common[T ~string](a, b []T) bool {
	return slices.Contains(a, "*") || slices.Contains(b, "*") || named(a, b)
}

// named reports whether two lists have an item in common, the wildcard being one
// like others.
func named[T ~string](a, b []T) bool {
	return slices.ContainsFunc(a, func(x T) bool { return slices.Contains(b, x) })
}
