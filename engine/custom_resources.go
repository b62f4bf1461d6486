package engine

import (
	"context"
	"fmt"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/customresource"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/kube/crd"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/internal/policy/definition"
	"github.com/preadmit/preadmit/engine/internal/policy/repair"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// customResources are the definitions in the cluster text, and what checks their
// objects, made when a request first needs it. Safe for concurrent use.
type customResources struct {
	definitions map[schema.GroupResource]*customDefinition

	mu       sync.Mutex
	prepared map[schema.GroupVersionResource]*customresource.Resource
}

// customDefinition is a CustomResourceDefinition of the cluster text.
type customDefinition struct {
	*crd.Definition
	document *scenario.Document
}

func newCustomResources() *customResources {
	return &customResources{definitions: map[schema.GroupResource]*customDefinition{}, prepared: map[schema.GroupVersionResource]*customresource.Resource{}}
}

func (c *customResources) add(d *crd.Definition, document *scenario.Document) {
	c.definitions[schema.GroupResource{Group: d.Spec.Group, Resource: d.Spec.Names.Plural}] = &customDefinition{d, document}
}

// of is what checks the objects of a resource; nil when the cluster text does
// not define it.
func (c *customResources) of(resource schema.GroupVersionResource, environments *eval.Environments) (*customresource.Resource, error) {
	d := c.definitions[resource.GroupResource()]
	if d == nil {
		return nil, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.prepared[resource]; known != nil {
		return known, nil
	}
	r, err := customresource.New(d.Definition, d.document, resource.Version, environments)
	if err == nil {
		c.prepared[resource] = r
	}
	return r, err
}

// undecodable is the server's answer for an object that it cannot read; nil when it
// can. Of a custom resource it reads the metadata only when a client sends it: what a
// mutation makes of that stays as it is, and goes to the webhooks that are called later.
func (e *evaluation) undecodable(r *request.Request) (*apierrors.StatusError, []diag.Diagnostic) {
	if r.Object == nil || r.Operation == request.Delete {
		return nil, nil
	}
	if status, problems := r.Undecodable(e.catalog); status != nil {
		return status, problems
	}
	resource, err := e.customs.of(r.Resource, e.environments)
	if resource == nil || err != nil { // the stage itself says what is wrong with the definition
		return nil, nil
	}
	err = resource.Unreadable(r.Object)
	if err != nil && !e.defaulting(r) {
		e.report.Request.Derived = append(e.report.Request.Derived, fmt.Sprintf("The object's metadata cannot be read: %v. The server rejects that from a client, so an earlier mutation wrote it.", err))
		return nil, nil
	}
	if err != nil {
		return r.Unreadable(err)
	}
	return nil, nil
}

// customResource checks a custom resource, or the definition of custom
// resources, as the server does between the mutating and the validating phase.
func (e *evaluation) customResource() (*apierrors.StatusError, *report.Step) {
	a := &e.chain.Attributes
	if a.Operation != "CREATE" && a.Operation != "UPDATE" || a.Object == nil {
		return nil, nil
	}
	if a.Kind.GroupKind() == crd.GroupKind && a.SubResource == "" {
		status, step := customresource.ValidateDefinition(e.chain)
		if e.options.Explain || e.options.TryRepairs {
			e.placeDefinition(status, step)
		}
		return status, step
	}
	r, err := e.customs.of(a.Resource, e.environments)
	if err != nil {
		e.chain.NotSimulated(fmt.Sprintf("The schema of %s cannot be used: %v. It does not check objects.", a.Resource.Resource, err))
	}
	if r == nil {
		return nil, nil
	}
	status, step := customresource.Validate(e.chain, r)
	return status, step
}

// placeDefinition says where in the request the errors of its definition are, with
// their repairs, and what its rules cost at most. The errors are the answer to the request
// and make no text wrong.
func (e *evaluation) placeDefinition(status *apierrors.StatusError, step *report.Step) {
	docs := e.parsed(diag.Request)
	if len(docs) == 0 {
		return
	}
	object := e.chain.Attributes.Object
	d := docs[0]
	if below := objectPaths[request.Form(e.report.Request.Form)]; below != "" {
		d = d.Moved(object, map[string]string{"metadata": below + "metadata", "spec": below + "spec"})
	}
	refused := refusedDefinition{document: d, plain: e.scenario.Request, version: e.version, sets: e.engine.environments.Within(e.budget)}
	if decoded, err := crd.Decode(object); err == nil {
		decoded.PrepareForCreate(e.version)
		refused.decoded = decoded
		for _, c := range definition.Costs(e.evaluator.Context(), decoded, e.environments.Within(e.budget)) {
			cost := ruleCost(c)
			cost.Text, cost.Span = d.Text, d.Locate(inVersion(c.Path))
			step.RuleCosts = append(step.RuleCosts, cost)
		}
	}
	if status == nil {
		return
	}
	problems := refused.problems(status)
	for i := range problems {
		problems[i].Severity, problems[i].Document = diag.Warning, crd.Kind+"/"+e.chain.Attributes.Name
	}
	e.diagnose(problems)
}

// objectPaths are what the paths of the object's fields begin with in a request.
var objectPaths = map[request.Form]string{request.Review: "request.object.", request.Admission: "object."}

// warnOfDeprecation sends the warning of a version that its definition, or the
// release, deprecates. The server sends it before anything else.
func (e *evaluation) warnOfDeprecation() {
	a := &e.chain.Attributes
	if d := e.customs.definitions[a.Resource.GroupResource()]; d != nil {
		if warning := d.Deprecation(a.Resource.Version); warning != "" {
			e.chain.Warn(warning)
		}
	} else if warning := e.catalog.Deprecation(a.Resource); warning != "" {
		e.chain.Warn(warning)
	}
}

// installDefinition says what the server makes of a CustomResourceDefinition,
// and reports whether it accepts it.
func (p *clusterReader) installDefinition(d *scenario.Document) bool {
	answer := report.Install{Kind: d.Kind, Name: d.Name, Text: d.Text, Span: d.Span}
	decoded, err := crd.Decode(d.Value)
	if err != nil {
		if p.unreadable == nil {
			p.unreadable = map[*scenario.Document]bool{}
		}
		p.unreadable[d] = true
		p.refuseDefinition(d, nil, apierrors.NewBadRequest(err.Error()), answer)
		return false
	}
	decoded.PrepareForCreate(p.version)
	environments, err := p.engine.environments.ForVersion(p.version)
	if err != nil {
		p.diagnose([]diag.Diagnostic{{Code: codes.CRD, Severity: diag.Error, Text: d.Text, Span: d.Span, Summary: err.Error(), Document: d.Kind + "/" + d.Name}})
		return false
	}
	errs := definition.Validate(context.Background(), decoded, environments)
	if len(errs) > 0 {
		p.refuseDefinition(d, decoded, crd.Invalid(crd.GroupKind, d.Name, errs, p.version), answer)
		return false
	}
	if answer.Warnings = decoded.Warnings(nil, p.version); len(answer.Warnings) > 0 {
		p.answers = append(p.answers, answer)
	}
	p.customs.add(decoded, d)
	return true
}

// refuseDefinition reports a rejected definition: the answer, and each error at
// its place with its repairs. decoded is nil where the definition cannot be decoded.
func (p *clusterReader) refuseDefinition(d *scenario.Document, decoded *crd.Definition, status *apierrors.StatusError, answer report.Install) {
	s := &status.ErrStatus
	answer.Code, answer.Reason, answer.Message = int(s.Code), string(s.Reason), s.Message
	p.answers = append(p.answers, answer)
	plain := p.scenario.Cluster
	if d.Text == diag.Policies {
		plain = p.scenario.Policies
	}
	refused := refusedDefinition{document: d, decoded: decoded, plain: plain, version: p.version, sets: p.engine.environments.Within(p.budget)}
	if decoded == nil && p.wrongDefinition(d, s.Message) {
		return
	}
	p.diagnose(refused.problems(status))
}

// wrongDefinition reports the values of a definition that do not fit their fields where
// there is a repair for each; false where that is not so.
func (p *clusterReader) wrongDefinition(d *scenario.Document, message string) bool {
	wrong := p.given(d, schema.FromAPIVersionAndKind(d.APIVersion, d.Kind)).WrongTypes("The server rejects the definition: " + message)
	for i := range wrong {
		path := fieldpath.Parse(wrong[i].Path)
		if len(wrong[i].Fixes) == 0 && path.Last() == "required" {
			return false // the list of it is repaired as a whole
		}
		if len(wrong[i].Fixes) == 0 {
			wrong[i].Fixes = repair.NamedSchema(d, path)
		}
		wrong[i].Code, wrong[i].Document = codes.CRD, d.Kind+"/"+d.Name
	}
	p.diagnose(wrong)
	return len(wrong) > 0
}
