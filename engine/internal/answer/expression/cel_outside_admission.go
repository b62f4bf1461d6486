package expression

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/answer/compile"
	"github.com/preadmit/preadmit/engine/internal/answer/evaluate"
	"github.com/preadmit/preadmit/engine/internal/policy/elsewhere"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// ResultsElsewhere evaluates the CEL that is not about admission on the request.
func ResultsElsewhere(e *evaluate.Evaluation) {
	if err := compile.EvaluateElsewhere(elsewhere.New(e.Version), documentsElsewhere(e), requestElsewhere(e), e.Diagnose); err != nil {
		failedElsewhere(e, diag.Cluster, err)
	}
}

// evaluateElsewhere evaluates the free expression in a context that is not about admission.
func evaluateElsewhere(e *evaluate.Evaluation) {
	var in elsewhere.Input
	if e.Chain != nil {
		in = requestElsewhere(e)
	}
	documents := documentsElsewhere(e)
	in = compile.InputElsewhere(in, slices.Concat(documents[diag.Policies], documents[diag.Cluster], documents[diag.Request]))
	result, problems, err := elsewhere.New(e.Version).Free(e.Scenario.ExpressionContext, e.Scenario.Expression, in)
	if err != nil {
		failedElsewhere(e, diag.Expression, err)
		return
	}
	e.Report.Expression = &result
	e.Diagnose(problems)
}

func failedElsewhere(e *evaluate.Evaluation, text diag.Text, err error) {
	e.Diagnose([]diag.Diagnostic{{Code: codes.Internal, Severity: diag.Error, Text: text, Summary: err.Error()}})
}

// documentsElsewhere are the documents that have such CEL, or what it is evaluated on.
func documentsElsewhere(e *evaluate.Evaluation) map[diag.Text][]*scenario.Document {
	documents := map[diag.Text][]*scenario.Document{diag.Policies: e.Parsed(diag.Policies), diag.Cluster: e.Parsed(diag.Cluster)}
	if e.Chain != nil {
		if sent := sentElsewhere(e); sent != nil {
			documents[diag.Request] = []*scenario.Document{sent}
		}
	}
	return documents
}

// requestElsewhere is the request as that CEL sees it: its user, and the SubjectAccessReview about
// it. The server gives the review every text, also the empty ones.
func requestElsewhere(e *evaluate.Evaluation) elsewhere.Input {
	a := &e.Initial
	in := elsewhere.Input{User: map[string]any{}, Review: map[string]any{"user": "", "groups": []string{}, "uid": "", "extra": map[string][]string{}}}
	if u := a.User; u != nil {
		in.User["username"], in.Review["user"] = u.Name, u.Name
		for _, to := range []map[string]any{in.User, in.Review} {
			to["uid"] = u.UID
			if len(u.Groups) > 0 {
				to["groups"] = u.Groups
			}
			if len(u.Extra) > 0 {
				to["extra"] = u.Extra
			}
		}
	}
	in.Review["resourceAttributes"] = map[string]any{"verb": strings.ToLower(a.Operation), "namespace": a.Namespace, "group": a.Resource.Group,
		"version": a.Resource.Version, "resource": a.Resource.Resource, "subresource": a.SubResource, "name": a.Name}
	return in
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
