package install

import (
	"fmt"

	v1 "k8s.io/api/admissionregistration/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/repair/documents"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// unusedParamKind reports a kind of params that the API does not have and that no
// expression needs: the policy denies every request until it is removed. The paramRef of
// its bindings goes with it.
func (p *plausible) unusedParamKind(d *scenario.Document, k *v1.ParamKind) {
	if documents.ReadsParams(d.Value) {
		return
	}
	out := p.in.report(d, codes.InvalidParamKind, diag.Warning, d.LocateKey("spec.paramKind"),
		fmt.Sprintf("no document defines the kind %s %s, and no expression reads params", k.APIVersion, k.Kind),
		"Without the kind, the server fails for every request that the policy matches.")
	out.Path, out.Fixes = "spec.paramKind", p.in.withoutParams(d)
}

// withoutParams returns the repair that removes the params of a policy and of its bindings.
func (in *installer) withoutParams(d *scenario.Document) []diag.Fix {
	var bound []*scenario.Document
	for _, b := range in.bindings() {
		if b.policyKind == d.Kind && b.policyName == d.Name && b.paramRef != nil {
			bound = append(bound, b.document)
		}
	}
	return in.texts.Of(d).WithoutParams(bound)
}
