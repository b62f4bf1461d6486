package outcome

import (
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/answer/compile"
	"github.com/preadmit/preadmit/engine/internal/answer/evaluate"
	"github.com/preadmit/preadmit/engine/internal/policy/elsewhere"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// resultsElsewhere evaluates the CEL that is not about admission on the request.
func resultsElsewhere(e *evaluate.Evaluation) {
	a := &e.Initial
	documents := map[diag.Text][]*scenario.Document{diag.Policies: e.Parsed(diag.Policies), diag.Cluster: e.Parsed(diag.Cluster)}
	if sent := sentElsewhere(e); sent != nil {
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
	if err := compile.EvaluateElsewhere(elsewhere.New(e.Version), documents, in, e.Diagnose); err != nil {
		e.Diagnose([]diag.Diagnostic{{Code: codes.Internal, Severity: diag.Error, Text: diag.Cluster, Summary: err.Error()}})
	}
}

// sentElsewhere is the object of the request where it has such CEL, or devices to evaluate it for: a
// claim, class or slice that is created or changed.
func sentElsewhere(e *evaluate.Evaluation) *scenario.Document {
	a := &e.Initial
	if a.Object == nil || a.SubResource != "" || !elsewhere.Has(a.Kind.GroupVersion().String(), a.Kind.Kind) && a.Kind.Kind != "ResourceSlice" {
		return nil
	}
	return e.RequestedObject()
}
