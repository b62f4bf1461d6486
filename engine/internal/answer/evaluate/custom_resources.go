package evaluate

import (
	"cmp"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/customresource"
	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/answer/compile"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/configuration"
	"github.com/preadmit/preadmit/engine/internal/kube/crd"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/internal/policy/definition"
	"github.com/preadmit/preadmit/engine/internal/repair/objects"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// undecodable is the server's answer for an object that it cannot read; nil when it
// can. Of a custom resource it reads the metadata only when a client sends it: what a
// mutation makes of that stays as it is, and goes to the webhooks that are called later.
func (e *Evaluation) undecodable(r *request.Request) (*apierrors.StatusError, []diag.Diagnostic) {
	if r.Object == nil || r.Operation == request.Delete {
		return nil, nil
	}
	if given, err := r.Undecodable(e.Catalog); err != nil {
		status, problems := r.Unreadable(e.Catalog, err)
		if wrong := inText(r, given).WrongTypes(fmt.Sprintf("The server rejects the object before admission: %v.", err)); len(wrong) > 0 {
			problems = wrong
		}
		return status, problems
	}
	resource, err := e.Customs.Of(r.Resource, e.Environments)
	if resource == nil || err != nil { // the stage itself says what is wrong with the definition
		return nil, nil
	}
	err = resource.Unreadable(e.Catalog, r.Object)
	if err != nil && e.Form.Captured {
		e.Report.Request.Derived = append(e.Report.Request.Derived, fmt.Sprintf("The object's metadata cannot be read: %v. The server rejects that from a client, so an earlier mutation wrote it.", err))
		return nil, nil
	}
	if err != nil {
		return r.Unreadable(e.Catalog, err)
	}
	return nil, nil
}

// inText is one of the request's objects in its document, for repairs.
func inText(r *request.Request, given request.Given) objects.Object {
	return objects.Object{Document: r.Document(), At: given.At, Type: given.Type, Value: given.Value}
}

// withRepairs are the problems of strict field validation, with repairs of unknown fields.
func (e *Evaluation) withRepairs(r *request.Request, problems []diag.Diagnostic) []diag.Diagnostic {
	kind, known := e.Catalog.TypeOf(r.Kind)
	if !known || len(problems) == 0 {
		return problems // without reading the text of a review once more
	}
	o := objects.Object{Document: r.Document(), At: fieldpath.Parse(r.ObjectPath), Type: kind, Value: r.Object}
	for i := range problems {
		if d := &problems[i]; d.Code == codes.UnknownField && i < maxInvalid {
			path := strings.TrimPrefix(strings.TrimPrefix(d.Path, r.ObjectPath), ".")
			repaired := o.UnknownFields([]catalog.Problem{{Path: path}})[0]
			d.Fixes, d.Detail = repaired.Fixes, cmp.Or(d.Detail, repaired.Detail)
		}
	}
	return objects.Joined(problems)
}

// customResource checks a custom resource, or the definition of custom
// resources, as the server does between the mutating and the validating phase.
func (e *Evaluation) customResource(c *run.Chain) (*apierrors.StatusError, *report.Step) {
	a := &c.Attributes
	if a.Operation != "CREATE" && a.Operation != "UPDATE" || a.Object == nil {
		return nil, nil
	}
	if a.Kind.GroupKind() == crd.GroupKind && a.SubResource == "" {
		status, step := customresource.ValidateDefinition(c)
		if e.Options.Explain || e.Options.TryRepairs {
			e.placeDefinition(status, step)
		}
		return status, step
	}
	if a.Kind.GroupKind() == crd.GroupKind && a.SubResource == "status" && a.Operation == "UPDATE" && a.OldObject != nil {
		return customresource.ValidateDefinitionStatus(c)
	}
	r, err := e.Customs.Of(a.Resource, e.Environments)
	if err != nil {
		c.NotSimulated(fmt.Sprintf("The schema of %s cannot be used: %v. It does not check objects.", a.Resource.Resource, err))
	}
	if r == nil {
		return nil, nil
	}
	status, step := customresource.Validate(c, r)
	if status != nil && (e.Options.Explain || e.Options.TryRepairs) {
		e.Diagnose(e.invalidCustom(status, step))
	}
	return status, step
}

// placeDefinition says where in the request the errors of its definition are, with
// their repairs, and what its rules cost at most. The errors are the answer to the request
// and make no text wrong.
func (e *Evaluation) placeDefinition(status *apierrors.StatusError, step *report.Step) {
	docs := e.Parsed(diag.Request)
	if len(docs) == 0 {
		return
	}
	object := e.Chain.Attributes.Object
	d := docs[0]
	if below := objectPaths[request.Form(e.Report.Request.Form)]; below != "" {
		d = d.Moved(object, map[string]string{"metadata": below + "metadata", "spec": below + "spec", "status": below + "status"})
	}
	refused := compile.RefusedDefinition{Document: d, Plain: e.Scenario.Request, Version: e.Version, Sets: e.Store.Environments.Within(e.Budget)}
	if decoded, err := crd.Decode(object); err == nil {
		decoded.PrepareForCreate(e.Version)
		refused.Decoded = decoded
		for _, c := range definition.Costs(e.Evaluator.Context(), decoded, e.Environments.Within(e.Budget)) {
			cost := compile.RuleCost(c)
			cost.Text, cost.Span = d.Text, d.Locate(compile.InVersion(c.Path))
			step.RuleCosts = append(step.RuleCosts, cost)
		}
	}
	if status == nil {
		return
	}
	problems := refused.Problems(status)
	for i := range problems {
		problems[i].Severity, problems[i].Document = diag.Warning, crd.Kind+"/"+e.Chain.Attributes.Name
	}
	e.Diagnose(problems)
}

// warnOfDeprecation sends the warning of a version that its definition, or the
// release, deprecates. The server sends it before anything else.
func (e *Evaluation) warnOfDeprecation() {
	a := &e.Chain.Attributes
	if d := e.Customs.Definitions[a.Resource.GroupResource()]; d != nil {
		if warning := d.Deprecation(a.Resource.Version); warning != "" {
			e.Chain.Warn(warning)
		}
	} else if warning := e.Catalog.Deprecation(a.Resource); warning != "" {
		e.Chain.Warn(warning)
	} else if a.Resource.Group == configuration.Group {
		for _, warning := range configuration.Deprecation(a.Kind.Kind, a.Resource.Version, e.Version) {
			e.Chain.Warn(warning)
		}
	}
}

// objectPaths are what the paths of the object's fields begin with in a request.
var objectPaths = map[request.Form]string{request.Review: "request.object.", request.Admission: "object."}
