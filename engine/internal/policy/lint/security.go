package lint

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// securityFields give access to the node, or other rights than a Pod has by itself.
var securityFields = []string{
	"privileged", "hostNetwork", "hostPID", "hostIPC", "hostPath", "runAsUser", "runAsNonRoot", "capabilities", "allowPrivilegeEscalation", "seccompProfile", "procMount", "readOnlyRootFilesystem", "runAsGroup",
}

// ignoredFailures finds policies that deny by such fields and admit where an expression fails.
func ignoredFailures(p *policy) {
	if p.webhook || p.failurePolicy == nil || *p.failurePolicy != v1.Ignore {
		return
	}
	if len(p.bindings) > 0 && !slices.ContainsFunc(p.bindings, func(b binding) bool { return slices.Contains(b.actions, v1.Deny) }) {
		return
	}
	for _, v := range p.validations {
		for _, name := range p.fields(v.read) {
			if slices.Contains(securityFields, name) {
				out := p.report(p.document, codes.IgnoredFailures, diag.Warning, "spec.failurePolicy", fmt.Sprintf("an error in an expression admits the object, although the policy denies by %s", name),
					"Write failurePolicy: Fail, and test with has() for fields that may be absent.")
				if e, ok := p.document.Rewrite("spec.failurePolicy", string(v1.Fail)); ok && out.Code != "" {
					out.Fixes = []diag.Fix{{Title: "Change to Fail", Edits: []diag.Edit{e}}}
				}
				return
			}
		}
	}
}

// exactMatches finds rules that another version of the same objects bypasses.
func exactMatches(p *policy) {
	if p.match.MatchPolicy == nil || *p.match.MatchPolicy != v1.Exact {
		return
	}
	for _, t := range p.targets(p.match.ResourceRules) {
		if t.resource == nil || t.operation == "CONNECT" {
			continue
		}
		i := slices.IndexFunc(p.Catalog.Equivalents(t.resource.GVR, t.sub), func(r schema.GroupVersionResource) bool {
			return !slices.ContainsFunc(p.match.ResourceRules, func(rule v1.NamedRuleWithOperations) bool {
				return slices.Contains(expanded(rule.Operations), t.operation) && holds(rule.APIGroups, r.Group) && holds(rule.APIVersions, r.Version) && namesResource(rule.Resources, r.Resource, t.sub)
			})
		})
		if i < 0 {
			continue
		}
		other := p.Catalog.Equivalents(t.resource.GVR, t.sub)[i]
		path := p.matchField + "matchPolicy"
		out := p.report(p.document, codes.ExactMatchPolicy, diag.Warning, path, fmt.Sprintf("who sends %s in %s gets around the rules", t.resource.GVR.Resource, other.GroupVersion()),
			"The server serves the same objects in that version. With matchPolicy Equivalent, it converts and checks them.")
		if e, ok := p.document.Rewrite(path, string(v1.Equivalent)); ok && out.Code != "" {
			out.Fixes = []diag.Fix{{Title: "Change to Equivalent", Edits: []diag.Edit{e}}}
		}
		return
	}
}

// leftOutContainers finds policies that test the rights of containers and not those of init containers.
func leftOutContainers(p *policy) {
	if p.mentions("initContainers") || p.mentions("ephemeralContainers") {
		return
	}
	found := false
	p.eachPart(func(e expression, n *values.Node, of func(*values.Node) *place) bool {
		if found || n.Kind != values.Macro || n.Name != "all" && n.Name != "exists" || len(n.Children) != 3 || !slices.ContainsFunc(p.validations, func(v validation) bool { return v.path == e.path }) {
			return false
		}
		list := of(n.Children[0])
		if list == nil || list.typ == nil || list.steps[0] != "object" || list.steps[len(list.steps)-1] != "containers" || list.typ.Elem == nil || !strings.HasSuffix(list.typ.Elem.ID, ".Container") || !readsSecurity(n.Children[2]) {
			return false
		}
		found = true
		out := p.report(p.document, codes.ContainersLeftOut, diag.Warning, e.path, "initContainers are not checked, so they bypass this validation",
			"An init container has the same rights on the node, so check both lists. Ephemeral containers are added through pods/ephemeralcontainers.")
		if out.Code == "" {
			return true
		}
		p.within(out, p.document, e.path, n.Children[0].Start, n.Children[0].End)
		text := string([]rune(e.text)[n.Children[0].Start:n.Children[0].End])
		if base, ok := strings.CutSuffix(text, ".containers"); ok {
			out.Fixes = p.rewritten(p.document, e.path, n.Children[0].Start, n.Children[0].End, "("+text+" + "+base+".?initContainers.orValue([]))")
		}
		return true
	})
}

// mentions reports whether any expression of the policy has a word in it.
func (p *policy) mentions(word string) bool {
	return slices.ContainsFunc(p.expressions(), func(e expression) bool { return strings.Contains(e.text, word) })
}

// readsSecurity reports whether a part reads the security context.
func readsSecurity(n *values.Node) bool {
	return (n.Kind == values.Select && (n.Name == "securityContext" || slices.Contains(securityFields, n.Name))) || slices.ContainsFunc(n.Children, readsSecurity)
}
