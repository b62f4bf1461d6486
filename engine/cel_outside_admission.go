package engine

import (
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/crd"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/internal/policy/elsewhere"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// checkElsewhere checks the CEL of documents that are not about admission, in the policies
// and the cluster text.
func (p *compiler) checkElsewhere() error {
	checker := elsewhere.New(p.version)
	var failed error
	p.optional("The checks of CEL outside admission", plausibleShare, func() {
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
	if failed == nil && p.scenario.Request == "" {
		failed = evaluateElsewhere(checker, p.documents, elsewhere.Input{}, p.diagnose)
	}
	return failed
}

// evaluateElsewhere evaluates the CEL of documents that are not about admission.
func evaluateElsewhere(checker *elsewhere.Checker, documents map[diag.Text][]*scenario.Document, in elsewhere.Input, diagnose func([]diag.Diagnostic)) error {
	all := slices.Concat(documents[diag.Policies], documents[diag.Cluster], documents[diag.Request])
	if !elsewhere.Kinds(all) {
		return nil
	}
	for _, d := range all {
		in.Devices = append(in.Devices, elsewhere.Devices(d)...)
	}
	for _, d := range all {
		results, err := checker.Evaluate(d, in)
		if err != nil {
			return err
		}
		diagnose(results)
	}
	return nil
}

// resultsElsewhere evaluates the CEL that is not about admission on the request.
func (e *evaluation) resultsElsewhere() {
	a := &e.initial
	documents := map[diag.Text][]*scenario.Document{diag.Policies: e.parsed(diag.Policies), diag.Cluster: e.parsed(diag.Cluster)}
	if sent := e.sentElsewhere(); sent != nil {
		documents[diag.Request] = []*scenario.Document{sent}
	}
	in := elsewhere.Input{User: map[string]any{}, Review: map[string]any{}}
	if u := a.User; u != nil {
		in.User["username"], in.Review["user"] = u.Name, u.Name
		for _, to := range []map[string]any{in.User, in.Review} {
			if len(u.Groups) > 0 {
				to["groups"] = u.Groups
			}
			if u.UID != "" {
				to["uid"] = u.UID
			}
			if len(u.Extra) > 0 {
				to["extra"] = u.Extra
			}
		}
	}
	resource := map[string]any{"verb": strings.ToLower(a.Operation)}
	for name, value := range map[string]string{"namespace": a.Namespace, "group": a.Resource.Group, "version": a.Resource.Version, "resource": a.Resource.Resource,
		"subresource": a.SubResource, "name": a.Name} {
		if value != "" {
			resource[name] = value
		}
	}
	in.Review["resourceAttributes"] = resource
	if err := evaluateElsewhere(elsewhere.New(e.version), documents, in, e.diagnose); err != nil {
		e.diagnose([]diag.Diagnostic{{Code: codes.Internal, Severity: diag.Error, Text: diag.Cluster, Summary: err.Error()}})
	}
}

// sentElsewhere is the object of the request where it has such CEL, or devices to evaluate it for: a
// claim, class or slice that is created or changed.
func (e *evaluation) sentElsewhere() *scenario.Document {
	a := &e.initial
	if a.Object == nil || a.SubResource != "" || !elsewhere.Has(a.Kind.GroupVersion().String(), a.Kind.Kind) && a.Kind.Kind != "ResourceSlice" {
		return nil
	}
	return e.requestedObject()
}

// validateElsewhere validates the CEL of an object of the request that is not about
// admission: the device selectors of dynamic resource allocation. A rejection that there is
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
