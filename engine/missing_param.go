package engine

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/kube/cluster"
	"github.com/preadmit/preadmit/engine/internal/policy/model"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// missingParams reports bindings that name a param which the cluster text does not have,
// where it has one that is likely meant: of nearly the same name, of the same name in
// another namespace, or the only one of its kind. Where it has none, it reports those for which
// that denies the request.
func (e *evaluation) missingParams() {
	seen := map[*scenario.Document]bool{}
	for _, m := range e.chain.MissingParams {
		doc := e.bindingOf(m)
		if doc == nil || seen[doc] {
			continue
		}
		seen[doc] = true
		path, value := "spec.paramRef.name", ""
		switch o := likelyParam(m, e.cluster.List(m.Kind.GroupKind(), "", labels.Everything())); {
		case m.Name == "" || o == nil:
			e.absentParam(doc, m)
			continue
		case o.Name == m.Name && doc.Has("spec.paramRef.namespace"):
			path, value = "spec.paramRef.namespace", o.Namespace
		case o.Name == m.Name:
			edit, ok := doc.Insert("spec.paramRef", "namespace", o.Namespace)
			e.missingParam(doc, m, diag.Fix{Title: "Add namespace: " + o.Namespace, Edits: []diag.Edit{edit}}, ok)
			continue
		default:
			value = o.Name
		}
		edit, ok := doc.Rewrite(path, value)
		e.missingParam(doc, m, diag.Fix{Title: "Change to " + value, Edits: []diag.Edit{edit}}, ok)
	}
}

// missingParamKinds reports policies whose paramKind the server does not serve: it accepts the
// policy and denies each request that the policy matches.
func (e *evaluation) missingParamKinds() {
	seen := map[*scenario.Document]bool{}
	for i := range e.report.Steps {
		s := &e.report.Steps[i]
		if s.Status != report.Errored || !strings.Contains(s.Error, "failed to find resource referenced by paramKind") {
			continue
		}
		for _, doc := range e.parsed(diag.Policies) {
			if doc.Kind != s.Kind || doc.Name != s.Policy || seen[doc] {
				continue
			}
			seen[doc] = true
			if slices.ContainsFunc(e.report.Diagnostics, func(d diag.Diagnostic) bool {
				return d.Code == codes.InvalidParamKind && d.Document == doc.Kind+"/"+doc.Name
			}) {
				continue // no expression reads params: the paramKind has to go
			}
			gvk, _ := model.ParamKind(doc.Value)
			e.diagnose([]diag.Diagnostic{{Code: codes.UnknownKind, Severity: diag.Warning, Text: doc.Text, Span: doc.LocateKey("spec.paramKind"), Path: "spec.paramKind", Document: doc.Kind + "/" + doc.Name,
				Summary: fmt.Sprintf("the server does not serve %s, so it cannot evaluate the policy", gvk),
				Detail:  "The server accepts the policy without its paramKind and then answers each request by failurePolicy. Install the CustomResourceDefinition first.",
				Fixes:   definitionFor(e.scenario.Cluster, gvk)}})
		}
	}
}

// absentParam reports a param whose lack denies the request, with the object to add.
func (e *evaluation) absentParam(doc *scenario.Document, m run.MissingParam) {
	a := assumed{places: map[string]int{}, report: e.report, cluster: e.scenario.Cluster}
	a.param(e, m, 0, e.terminates(m.Namespace))
	if m.Step.Verdict != report.Deny || len(a.list) == 0 || len(a.list[0].Fixes) == 0 {
		return
	}
	path := "spec.paramRef.name"
	if m.Name == "" {
		path = "spec.paramRef"
	}
	e.diagnose([]diag.Diagnostic{{Code: codes.MissingParam, Severity: diag.Warning, Text: doc.Text, Span: doc.Locate(path), Path: path, Document: doc.Kind + "/" + doc.Name,
		Summary: a.list[0].What, Detail: "The binding denies requests without it. The scenario's cluster does not have it.", Fixes: a.list[0].Fixes}})
}

func (e *evaluation) missingParam(doc *scenario.Document, m run.MissingParam, fix diag.Fix, made bool) {
	if !made {
		return
	}
	where := ""
	if m.Namespace != "" {
		where = " in namespace " + m.Namespace
	}
	e.diagnose([]diag.Diagnostic{{Code: codes.MissingParam, Severity: diag.Warning, Text: doc.Text, Span: doc.Locate("spec.paramRef.name"), Path: "spec.paramRef.name", Document: doc.Kind + "/" + doc.Name,
		Summary: fmt.Sprintf("the scenario's cluster has no %s %s%s", m.Kind.Kind, m.Name, where), Detail: "It has another one, which may be the intended one.", Fixes: []diag.Fix{fix}}})
}

// bindingOf is the document of the binding that found no param.
func (e *evaluation) bindingOf(m run.MissingParam) *scenario.Document {
	if m.Step == nil {
		return nil
	}
	for _, d := range e.parsed(diag.Policies) {
		if d.Kind == m.Step.Kind+"Binding" && d.Name == m.Step.Binding {
			return d
		}
	}
	return nil
}

// likelyParam is the param that a reference most likely means; nil if there is none.
func likelyParam(m run.MissingParam, all []cluster.Object) *cluster.Object {
	var here []cluster.Object
	var names []string
	for _, o := range all {
		switch o.Namespace {
		case m.Namespace:
			here, names = append(here, o), append(names, o.Name)
		default:
			if o.Name == m.Name {
				return &o
			}
		}
	}
	near, ok := suggest.Of(names, m.Name)
	for i := range here {
		if ok && here[i].Name == near || len(here) == 1 {
			return &here[i]
		}
	}
	return nil
}
