package lint

import (
	"slices"

	v1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// authorsSelectors finds rules about security that select new objects by labels, which the objects' authors set.
func authorsSelectors(p *policy) {
	if p.webhook || !p.creates() {
		return
	}
	document, path := p.document, p.matchField+"objectSelector"
	if !selectsSome(p.match.ObjectSelector) {
		denying := slices.DeleteFunc(slices.Clone(p.bindings), func(b binding) bool { return !slices.Contains(b.actions, v1.Deny) })
		if len(denying) == 0 || slices.ContainsFunc(denying, func(b binding) bool { return b.match == nil || !selectsSome(b.match.ObjectSelector) }) {
			return
		}
		document, path = denying[0].document, "spec.matchResources.objectSelector"
	}
	if name := p.securityField(); name != "" {
		p.report(document, codes.AuthorCanSkip, diag.Warning, path, "the object's author sets these labels, and so decides whether the policy checks "+name,
			"Select namespaces by namespaceSelector, or exempt users in a match condition.")
	}
}

func selectsSome(s *metav1.LabelSelector) bool {
	return s != nil && len(s.MatchLabels)+len(s.MatchExpressions) > 0
}
