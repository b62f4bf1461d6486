package install

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/admissionregistration/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// unusedParamKind reports a kind of params that the API does not have and that no
// expression needs: the policy denies every request until it is removed. The paramRef of
// its bindings goes with it.
func (p *plausible) unusedParamKind(d *scenario.Document, k *v1.ParamKind) {
	if readsParams(d.Value) {
		return
	}
	out := p.in.report(d, codes.InvalidParamKind, diag.Warning, d.LocateKey("spec.paramKind"),
		fmt.Sprintf("the cluster has no kind %s %s, and no expression reads params", k.APIVersion, k.Kind),
		"The server accepts the policy, and fails for every request that it matches.")
	out.Path, out.Fixes = "spec.paramKind", p.in.withoutParams(d)
}

// withoutParams removes the paramKind of a policy and the paramRef of its bindings.
func (in *installer) withoutParams(d *scenario.Document) []diag.Fix {
	edits := []func() (diag.Edit, bool){mender{d, in}.remove("spec.paramKind")}
	for _, b := range in.bindings() {
		if b.policyKind == d.Kind && b.policyName == d.Name && b.paramRef != nil {
			edits = append(edits, mender{b.document, in}.remove("spec.paramRef"))
		}
	}
	return fixed("Remove the paramKind", edits...)
}

// readsParams reports whether an expression anywhere in a policy names params.
func readsParams(value any) bool {
	switch v := value.(type) {
	case []any:
		return slices.ContainsFunc(v, readsParams)
	case map[string]any:
		for name, item := range v {
			text, ok := item.(string)
			if ok && slices.Contains(expressionFields, name) && slices.ContainsFunc(source.Lex(text), func(t source.Token) bool { return t.Text == "params" }) {
				return true
			}
			if !ok && readsParams(item) {
				return true
			}
		}
	}
	return false
}

// expressionFields are the fields of a policy with CEL.
var expressionFields = []string{"expression", "messageExpression", "valueExpression"}
