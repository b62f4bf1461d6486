package bootstrap

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/webhook"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// alone looks at one webhook.
func (c *checker) alone(h *webhook.Facts, b *backend) {
	c.rules(h)
	c.objectSelector(h)
	c.address(h)
	c.backendProblems(h, b)
	if h.Timeout > defaultTimeout {
		d := c.report(h, codes.WebhookLongTimeout, diag.Warning, h.Path+".timeoutSeconds",
			fmt.Sprintf("while webhook %q does not answer, each request that it intercepts waits %d seconds", h.Name, h.Timeout),
			"Clients and controllers often give up earlier, and the server allows a request at most 34 seconds. Webhooks should answer within a second; use a short timeout.")
		d.Fixes = set(h, "timeoutSeconds", "5")
	}
	if !h.FailsClosed && !h.Mutating {
		d := c.report(h, codes.WebhookIgnoresFailures, diag.Info, h.Path+".failurePolicy",
			fmt.Sprintf("webhook %q validates, and with failurePolicy Ignore everything passes while it does not answer", h.Name),
			"This is right for advice and for rules that are checked again later. For security, use Fail, exclude everything that the webhook and the cluster need to start, and run several replicas. A ValidatingAdmissionPolicy cannot be down.")
		if !slices.ContainsFunc(h.Match.Rules, func(r v1.RuleWithOperations) bool { return wide(&r) }) {
			d.Fixes = set(h, "failurePolicy", "Fail") // one for everything would keep a cluster from starting
		}
	}
}

// defaultTimeout is what the API sets, in seconds; longer ones are reported.
const defaultTimeout = 10

// rules looks for rules that match everything, or nothing.
func (c *checker) rules(h *webhook.Facts) {
	for i := range h.Match.Rules {
		r := &h.Match.Rules[i]
		path := fieldpath.Parse(h.Path).Child("rules").Index(i)
		if exemptOnly(r) {
			d := c.report(h, codes.WebhookNeverCalled, diag.Warning, path.Child("resources").String(),
				fmt.Sprintf("webhook %q is never called for %s", h.Name, ruleNames(r)),
				"The server sends no webhook configurations and no admission policies to webhooks, so that a broken one can be repaired. A ValidatingAdmissionPolicy can check webhook configurations. Remove the rule.")
			d.Fixes = without(h, "Remove this rule", path.String())
		}
		if !wide(r) || len(h.Conditions) > 0 || optIn(h.Match.ObjectSelector) || optIn(h.Match.NamespaceSelector) {
			continue
		}
		severity, then := diag.Warning, "rejected while it does not answer"
		if !h.FailsClosed {
			severity, then = diag.Info, fmt.Sprintf("delayed by %d s while it does not answer", h.Timeout)
		}
		d := c.report(h, codes.WebhookMatchesEverything, severity, path.Child("resources").String(),
			fmt.Sprintf("webhook %q intercepts every resource of every group: everything that is %s is %s", h.Name, operations(r), then),
			"That includes nodes, certificate requests, access reviews, leases, events, status updates by controllers, and resources of future definitions. Name the groups and resources that the webhook needs.")
		d.Fixes = unlessCondition(h, "Exclude what the control plane needs with a match condition", "exclude-control-plane",
			"!(request.resource.group in ['coordination.k8s.io', 'authentication.k8s.io', 'authorization.k8s.io', 'certificates.k8s.io'] || request.resource.resource in ['nodes', 'events'])")
		if h.FailsClosed {
			d.Fixes = append(d.Fixes, set(h, "failurePolicy", "Ignore")...)
		}
	}
}

// wide reports whether a rule names neither groups nor resources.
func wide(r *v1.RuleWithOperations) bool {
	return slices.Contains(r.APIGroups, "*") && (slices.Contains(r.Resources, "*") || slices.Contains(r.Resources, "*/*"))
}

func operations(r *v1.RuleWithOperations) string {
	past := map[v1.OperationType]string{v1.Create: "created", v1.Update: "changed", v1.Delete: "deleted", v1.Connect: "connected to"}
	if slices.Contains(r.Operations, v1.OperationAll) {
		return "created, changed or deleted"
	}
	var words []string
	for _, o := range r.Operations {
		words = append(words, past[o])
	}
	return strings.Join(words, " or ")
}

// exemptResources are those of the admission configuration, which no webhook is
// called for (semantics §4.6).
var exemptResources = []string{"validatingwebhookconfigurations", "mutatingwebhookconfigurations", "validatingadmissionpolicies", "validatingadmissionpolicybindings"}

func exemptOnly(r *v1.RuleWithOperations) bool {
	if !slices.Equal(r.APIGroups, []string{"admissionregistration.k8s.io"}) || len(r.Resources) == 0 {
		return false
	}
	return !slices.ContainsFunc(r.Resources, func(name string) bool { return !slices.Contains(exemptResources, name) })
}

// objectSelector reports a check that the author of an object can avoid.
func (c *checker) objectSelector(h *webhook.Facts) {
	s := h.Match.ObjectSelector
	if h.Mutating || !h.FailsClosed || s == nil || empty(s) {
		return
	}
	if connectOnly(h) {
		d := c.report(h, codes.SelectorNotApplied, diag.Info, h.Path+".objectSelector",
			fmt.Sprintf("webhook %q is never called: its objectSelector matches no CONNECT request", h.Name),
			"A CONNECT request carries options without labels, not the object. Select by namespaceSelector, or by match conditions on request.name and request.userInfo.")
		d.Fixes = without(h, "Remove the objectSelector", h.Path+".objectSelector")
		return
	}
	severity, how := diag.Warning, "with a label that leaves it out"
	if optIn(s) {
		severity, how = diag.Info, "by leaving out the label that selects it"
	}
	d := c.report(h, codes.WebhookObjectSelector, severity, h.Path+".objectSelector",
		fmt.Sprintf("an object's author can avoid the check by webhook %q %s", h.Name, how),
		"The user who creates an object also sets its labels. For a check that must hold, select by namespace, because administrators control namespace labels, or use matchConditions on the user or the content.")
	d.Fixes = without(h, "Check every object: remove the objectSelector", h.Path+".objectSelector")
}

// connectOnly reports whether all rules of a webhook are about CONNECT.
func connectOnly(h *webhook.Facts) bool {
	return len(h.Match.Rules) > 0 && !slices.ContainsFunc(h.Match.Rules, func(r v1.RuleWithOperations) bool {
		return slices.ContainsFunc(r.Operations, func(o v1.OperationType) bool { return o != v1.Connect })
	})
}

// address looks at URLs that work on some servers only.
func (c *checker) address(h *webhook.Facts) {
	if h.Client.URL == nil {
		return
	}
	u, err := url.Parse(*h.Client.URL)
	if err != nil {
		return // installation refuses it
	}
	host, path := u.Hostname(), h.Path+".clientConfig.url"
	ip, notAddress := netip.ParseAddr(host)
	summary, detail := "", ""
	switch {
	case host == "localhost" || notAddress == nil && ip.IsLoopback():
		summary = fmt.Sprintf("webhook %q is called on the host of each API server: %s", h.Name, host)
		detail = "It must run on every API server's host, which is hard to guarantee in a new cluster. Use a Service."
	case strings.HasSuffix(host, ".svc") || strings.HasSuffix(host, ".cluster.local"):
		summary = fmt.Sprintf("webhook %q is called by a name that API servers may not know: %s", h.Name, host)
		detail = "API servers usually do not use the cluster's DNS. Write clientConfig.service instead of the URL."
	default:
		return
	}
	c.report(h, codes.WebhookLocalAddress, diag.Warning, path, summary, detail)
	c.urls = append(c.urls, byURL{hook: h, at: len(c.out) - 1, url: u})
}
