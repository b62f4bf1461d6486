package compile

import (
	"context"
	"maps"
	"slices"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/customresource"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/internal/kube/clientaddress"
	"github.com/preadmit/preadmit/engine/internal/kube/crd"
	"github.com/preadmit/preadmit/engine/internal/policy/definition"
	"github.com/preadmit/preadmit/engine/internal/repair/expressions"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// customResources are the definitions in the cluster text, and what checks their
// objects, made when a request first needs it. Safe for concurrent use.
type customResources struct {
	Definitions map[schema.GroupResource]*customDefinition

	mu       sync.Mutex
	prepared map[schema.GroupVersionResource]*customresource.Resource
}

// customDefinition is a CustomResourceDefinition of the cluster text.
type customDefinition struct {
	*crd.Definition
	Document *scenario.Document
}

func newCustomResources() *customResources {
	return &customResources{Definitions: map[schema.GroupResource]*customDefinition{}, prepared: map[schema.GroupVersionResource]*customresource.Resource{}}
}

func (c *customResources) add(d *crd.Definition, document *scenario.Document) {
	c.Definitions[schema.GroupResource{Group: d.Spec.Group, Resource: d.Spec.Names.Plural}] = &customDefinition{d, document}
}

// Of is what checks the objects of a resource; nil when the cluster text does
// not define it.
func (c *customResources) Of(resource schema.GroupVersionResource, environments *eval.Environments) (*customresource.Resource, error) {
	d := c.Definitions[resource.GroupResource()]
	if d == nil {
		return nil, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.prepared[resource]; known != nil {
		return known, nil
	}
	r, err := customresource.New(d.Definition, d.Document, resource.Version, environments)
	if err == nil {
		c.prepared[resource] = r
	}
	return r, err
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
	environments, err := p.store.Environments.ForVersion(p.version)
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
	p.Customs.add(decoded, d)
	p.conversionBundle(decoded, d)
	p.doubtfulRules(d, fieldpath.New("spec"), d.Value["spec"])
	p.removable(d)
	return true
}

// Unestablished reports whether the server does not serve a new definition, because of the certificates of its
// conversion webhook.
func (d *customDefinition) Unestablished(v version.Version) bool {
	return v.Has(version.ConversionBundles) && badBundle(d.Definition) != ""
}

// badBundle is what is wrong with the certificates of a conversion webhook; empty where they can be read.
func badBundle(d *crd.Definition) string {
	c := d.Spec.Conversion
	if c == nil || c.WebhookClientConfig == nil || len(c.WebhookClientConfig.CABundle) == 0 {
		return ""
	}
	for _, err := range clientaddress.Bundle(nil, c.WebhookClientConfig.CABundle) {
		return err.Detail
	}
	return ""
}

// conversionBundle reports certificates of a conversion webhook that cannot be read. The server accepts them
// in a new definition.
func (p *clusterReader) conversionBundle(decoded *crd.Definition, d *scenario.Document) {
	problem := badBundle(decoded)
	if problem == "" {
		return
	}
	const path = "spec.conversion.webhook.clientConfig.caBundle"
	found := diag.Diagnostic{Code: codes.CRD, Severity: diag.Warning, Text: d.Text, Span: d.Locate(path), Path: path, Document: d.Kind + "/" + d.Name,
		Summary: "the certificates of the conversion webhook cannot be read: " + problem, Detail: "The server accepts the definition, and every conversion of an object fails. From Kubernetes 1.31 on, it does not serve the kind (condition Established: InvalidCABundle), and rejects such an update of a definition that it serves. "}
	if p.version.Has(version.ConversionBundles) {
		found.Detail = "The server accepts the new definition, but does not serve the kind: requests for its objects get 404 (condition Established: InvalidCABundle). It rejects such an update of a definition that it serves. "
	}
	found.Detail += "A controller that writes the certificates, such as cert-manager's CA injector, needs no placeholder."
	if edit, ok := d.Remove(path); ok {
		found.Fixes = []diag.Fix{{Title: "Remove caBundle", Edits: []diag.Edit{edit}}}
	}
	p.diagnose([]diag.Diagnostic{found})
}

// refuseDefinition reports a rejected definition: the answer, and each error at
// its place with its repairs. decoded is nil where the definition cannot be decoded.
func (p *clusterReader) refuseDefinition(d *scenario.Document, decoded *crd.Definition, status *apierrors.StatusError, answer report.Install) {
	s := &status.ErrStatus
	answer.Code, answer.Reason, answer.Message = int(s.Code), string(s.Reason), s.Message
	p.answers = append(p.answers, answer)
	refused := RefusedDefinition{Document: d, Decoded: decoded, Plain: p.plain(d), Version: p.version, Sets: p.store.Environments.Within(p.budget)}
	if decoded == nil && p.wrongDefinition(d, s.Message) {
		return
	}
	p.diagnose(refused.Problems(status))
}

// plain is the text that a document is in.
func (p *clusterReader) plain(d *scenario.Document) string {
	if d.Text == diag.Policies {
		return p.scenario.Policies
	}
	return p.scenario.Cluster
}

// doubtfulRules reports rules of an accepted definition, below a path, that compile and are hardly
// what their author meant.
func (p *clusterReader) doubtfulRules(d *scenario.Document, at fieldpath.Path, value any) {
	switch value := value.(type) {
	case []any:
		for i, item := range value {
			p.doubtfulRules(d, at.Index(i), item)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			below := at.Child(key)
			if at.Last() == "properties" {
				below = at.Key(key)
			}
			p.doubtfulRules(d, below, value[key])
		}
	case string:
		if at.Last() != "rule" || len(at) < 3 || at.Parent().Parent().Last() != "x-kubernetes-validations" {
			return
		}
		p.contradictedRule(d, at, value)
		p.fixedRule(d, at, value)
		for _, doubt := range expressions.Doubts(value) {
			found := diag.Diagnostic{Code: codes.DoubtfulText, Severity: diag.Warning, Text: d.Text, Span: d.Locate(at.String()), Path: at.String(),
				Summary: doubt.Summary, Detail: doubt.Detail, Document: d.Kind + "/" + d.Name}
			if m, ok := d.Scalar(at.String()); ok {
				found.Span = m.SpanOfRunes(doubt.Start, doubt.End)
			}
			if s := rewrite.In(d, p.plain(d), at.String()); s != nil && doubt.Repaired != "" {
				found.Fixes = []diag.Fix{s.Fix("Write "+doubt.Repaired, s.Differences(doubt.Repaired)...)}
			}
			p.diagnose([]diag.Diagnostic{found})
		}
	}
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
			wrong[i].Fixes = expressions.NamedSchema(d, path)
		}
		wrong[i].Code, wrong[i].Document = codes.CRD, d.Kind+"/"+d.Name
	}
	p.diagnose(wrong)
	return len(wrong) > 0
}
