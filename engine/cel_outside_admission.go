package engine

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/crd"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/internal/policy/elsewhere"
)

// checkElsewhere checks the CEL of documents that are not about admission, in the policies
// and the cluster text.
func (p *compiler) checkElsewhere() error {
	checker := elsewhere.New(p.version)
	var failed error
	p.optional("The checks of CEL outside of admission", plausibleShare, func() {
		for _, text := range []diag.Text{diag.Policies, diag.Cluster} {
			for _, d := range p.documents[text] {
				p.budget.Work(10 * len(d.JSON()))
				found, err := checker.Check(d)
				if err != nil {
					failed = err
					return
				}
				p.diagnose(found.Diagnostics)
			}
		}
	})
	return failed
}

// validateElsewhere validates the CEL of an object of the request that is not about
// admission: the device selectors of dynamic resource allocation. A refusal that there is
// already has the same errors, but not their places.
func (e *evaluation) validateElsewhere() {
	a := &e.chain.Attributes
	if a.Operation != request.Create || a.SubResource != "" || !elsewhere.Has(a.Kind.GroupVersion().String(), a.Kind.Kind) {
		return
	}
	d := e.requestedObject() // which reads the text once more
	if d == nil {
		return
	}
	found, err := elsewhere.New(e.version).Check(d)
	if err != nil {
		e.validated.Status = apierrors.NewInternalError(err)
		return
	}
	e.diagnose(found.Diagnostics)
	if len(found.Errors) > 0 && e.validated.Status == nil {
		name, _, _ := unstructured.NestedString(a.Object, "metadata", "name")
		e.validated.Status = crd.InvalidWith(a.Kind.GroupKind(), name, found.Errors, e.version, func(int) (string, bool) { return "", false })
	}
}
