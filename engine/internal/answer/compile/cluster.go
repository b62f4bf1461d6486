package compile

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/webhook"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/cluster"
	"github.com/preadmit/preadmit/engine/internal/kube/crd"
	"github.com/preadmit/preadmit/engine/internal/kube/rbac"
	"github.com/preadmit/preadmit/engine/internal/repair/objects"
	"github.com/preadmit/preadmit/engine/internal/repair/roles"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/internal/worklimit"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

type clusterReader struct {
	*clusterState
	store    *Store
	version  version.Version
	scenario scenario.Scenario
	budget   *worklimit.Budget
	builtin  *catalog.Catalog
	// unreadable are the CustomResourceDefinitions that the server cannot decode; they are rejected already.
	unreadable map[*scenario.Document]bool
}

func (p *clusterReader) diagnose(list []diag.Diagnostic) { p.problems = append(p.problems, list...) }

// read reads CRDs first, because other objects may be of their kinds.
func (p *clusterReader) read(builtin *catalog.Catalog, docs []*scenario.Document) error {
	docs = slices.DeleteFunc(docs, configures)
	p.builtin = builtin
	if err := p.readKinds(builtin, docs); err != nil {
		return err
	}
	responses, problems := webhook.ReadResponses(docs)
	p.Responses = responses
	p.diagnose(problems)

	var rules []rbac.Document
	var granting []*scenario.Document
	p.budget.Enter("reading the roles")
	for _, d := range docs {
		if group(d) == "rbac.authorization.k8s.io" {
			p.budget.Work(20 * len(d.JSON()))
			p.budget.Make(4 * len(d.JSON()))
			granting = append(granting, d)
			rules = append(rules, rbac.Document{Text: d.Text, Value: d.Value, Locate: d.Locate})
		}
	}
	var err error
	if p.Rules, problems, err = rbac.NewLazy(p.version, rules); err != nil {
		return err
	}
	if len(granting) > 0 {
		mender := roles.New(granting, p.Catalog.Kinds())
		mender.Add(problems)
		problems = append(problems, mender.Unlikely()...)
	}
	p.diagnose(problems)
	p.budget.Enter("the cluster's objects")
	p.Objects = cluster.New(p.storedForm(docs), Now(p.scenario), p.scenario.Options.CompleteCluster)
	return nil
}

// readKinds finds the kinds of the version and of the CRDs. They are kept longer
// than a configuration: types are made anew with them, and every check of an
// expression is about types.
func (p *clusterReader) readKinds(builtin *catalog.Catalog, docs []*scenario.Document) error {
	checker, err := p.store.checkerFor(p.version)
	if err != nil {
		return err
	}
	p.Customs = newCustomResources()
	var crds []catalog.CRD
	var sources []*scenario.Document
	var refused []map[string]any
	var definitions, ofRefused strings.Builder
	for _, d := range docs {
		if d.Kind != "CustomResourceDefinition" || group(d) != "apiextensions.k8s.io" {
			continue
		}
		if !p.installDefinition(d) {
			refused = append(refused, d.Value)
			ofRefused.Write(d.JSON())
			ofRefused.WriteByte('\n')
		} else {
			crds = append(crds, catalog.CRD{Value: d.Value})
			sources = append(sources, d)
			definitions.Write(d.JSON())
			definitions.WriteByte('\n')
		}
	}
	key := kindsKey{p.version, definitions.String(), ofRefused.String()}
	known, ok := p.store.Kinds.Get(key)
	if !ok {
		known = &kinds{Catalog: builtin, Checker: checker}
		if len(crds) > 0 {
			known.Catalog, known.crds = builtin.WithCRDs(crds)
			known.Checker = checker.Fresh()
		}
		if len(refused) > 0 {
			known.Catalog = known.Catalog.WithRefused(refused)
		}
		p.store.Kinds.Put(key, known)
	}
	p.kinds = known
	for _, problem := range known.crds {
		d := sources[problem.Index]
		p.diagnose([]diag.Diagnostic{{Code: codes.CRD, Severity: diag.Error, Text: d.Text, Span: d.Locate(problem.Path), Path: problem.Path, Summary: problem.Message, Document: d.Kind + "/" + d.Name}})
	}
	return nil
}

// storedForm brings the objects of the cluster into the form in which they are
// stored.
func (p *clusterReader) storedForm(docs []*scenario.Document) []cluster.Object {
	var out []cluster.Object
	for _, d := range docs {
		gvk := schema.FromAPIVersionAndKind(d.APIVersion, d.Kind)
		if gvk.GroupVersion().String() == webhook.ResponseAPIVersion {
			continue
		}
		resource, ok := p.Catalog.ResourceForKind(gvk)
		if !ok {
			p.unknownKind(d, gvk)
			continue
		}
		p.budget.Measure(d.Value)
		isDefinition := gvk.GroupKind() == crd.GroupKind // which was decoded when the kinds were read
		if isDefinition && p.unreadable[d] {
			continue
		}
		if resource.Builtin && !isDefinition {
			if _, err := p.Catalog.DecodeLenient(gvk, d.JSON()); err != nil {
				p.undecodable(d, gvk, err)
				continue
			}
		}
		p.budget.Make(4*len(d.JSON()) + 2*p.Catalog.DefaultBytes(gvk, d.Value))
		p.budget.Work(5 * len(d.JSON()))
		value, problems := p.Catalog.Normalise(gvk, d.Value)
		unknown := slices.DeleteFunc(p.given(d, gvk).UnknownFields(problems), func(problem diag.Diagnostic) bool {
			return p.toldOfRole(d, problem.Path, problem.Fixes)
		})
		for i := range unknown {
			unknown[i].Document = d.Kind + "/" + d.Name
		}
		p.diagnose(objects.Joined(unknown))
		namespace := d.Namespace
		if resource.Namespaced && namespace == "" {
			namespace = "default"
		}
		value = p.Catalog.Roundtrip(gvk, p.Catalog.Default(gvk, value))
		if refusal := p.invalid(resource, namespace, value); refusal != nil {
			p.leaveOut(d, codes.InvalidObject, refusal.Error())
			continue
		}
		out = append(out, cluster.Object{GVK: gvk, Namespace: namespace, Name: d.Name, Value: value, Builtin: resource.Builtin})
	}
	return out
}

// invalid is the server's rejection to create a custom resource of the cluster
// text; nil when it would accept it. Objects of built-in kinds are not checked.
func (p *clusterReader) invalid(resource catalog.Resource, namespace string, value map[string]any) error {
	if resource.Builtin {
		return nil
	}
	environments, err := p.store.Environments.ForVersion(p.version)
	if err != nil {
		return err
	}
	r, err := p.Customs.Of(resource.GVR, environments)
	if r == nil || err != nil {
		return nil // what is wrong with the definition is reported with it
	}
	value = runtime.DeepCopyJSON(value)
	if metadata, ok := value["metadata"].(map[string]any); ok && resource.Namespaced {
		metadata["namespace"] = namespace
	}
	result := r.Create(eval.NewEvaluator(context.Background(), eval.Options{Budget: p.budget}), value, nil)
	p.budget.Work(ruleWork * int(result.Used))
	if len(result.Errors) == 0 {
		return nil
	}
	name, _, _ := unstructured.NestedString(value, "metadata", "name")
	return crd.Invalid(r.Kind.GroupKind(), name, result.Errors, p.version)
}

// given is an object of the text with what is known of its kind.
func (p *clusterReader) given(d *scenario.Document, gvk schema.GroupVersionKind) objects.Object {
	kinds := p.builtin
	if p.kinds != nil { // with those of the definitions
		kinds = p.Catalog
	}
	t, _ := kinds.TypeOf(gvk)
	return objects.Object{Document: d, Type: t, Value: d.Value}
}

// undecodable reports an object that the server cannot read: each value that does not fit
// its field, or the whole object where that is not it.
func (p *clusterReader) undecodable(d *scenario.Document, gvk schema.GroupVersionKind, err error) {
	wrong := p.given(d, gvk).WrongTypes(fmt.Sprintf("The server rejects the object, so it does not exist: %v.", err))
	if len(wrong) == 0 {
		p.leaveOut(d, codes.Undecodable, fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", gvk.Kind, gvk.Version, gvk.Kind, err))
		return
	}
	p.withoutRefusal(d)
	for i := range wrong {
		wrong[i].Document = d.Kind + "/" + d.Name
	}
	p.diagnose(wrong)
}

// ruleWork is what a cost unit of the rules of an object of the cluster takes besides what is charged
// for any: each of the objects has the server's budget for itself, and all are checked in one run.
const ruleWork = 13

// leaveOut reports an object that the server would not have created.
func (p *clusterReader) leaveOut(d *scenario.Document, code, text string) {
	p.diagnose([]diag.Diagnostic{{Code: code, Severity: diag.Error, Text: d.Text, Span: d.Span, Document: d.Kind + "/" + d.Name, Summary: text,
		Detail: "The server rejects the object, so it does not exist."}})
}

// AddToCluster is the fix that adds a document to the end of the cluster text.
func AddToCluster(cluster, title, document string) diag.Fix {
	return diag.Fix{Title: title, Edits: []diag.Edit{scenario.AtEnd(diag.Cluster, cluster, document)}}
}
