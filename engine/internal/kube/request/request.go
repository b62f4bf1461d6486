// Package request reads the request text of a scenario: an AdmissionReview, an
// AdmissionRequest, or a plain object, which means that a user creates it.
//
// A captured request is not changed. Missing fields are derived from
// the rest, and each derivation is reported.
package request

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/match"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Form is the kind of request text.
type Form string

// The forms of a request text.
const (
	Review    Form = "AdmissionReview"
	Admission Form = "AdmissionRequest"
	Object    Form = "object"
)

// Request is a request as the admission chain sees it (semantics §0.4).
type Request struct {
	match.Request
	User    *user.DefaultInfo
	Options map[string]any
	DryRun  bool
	// UID is the AdmissionRequest's; empty if absent.
	UID string

	Form Form
	// MadeUp says that the text names no user.
	MadeUp bool
	// MadeUpScaled says that a Scale is assumed to be that of a Deployment.
	MadeUpScaled bool
	// Derived lists derived values, one sentence each.
	Derived []string
	// ObjectPath is the object's path in Document; OldObjectPath is the old object's:
	// "request.object" in an AdmissionReview, "" for a plain object.
	ObjectPath, OldObjectPath string

	// Apply says that Object is a configuration to apply to OldObject; nil for other requests.
	Apply *scenario.ApplySettings

	// ownOld says that OldObject is the settings' and not in the text.
	ownOld bool

	text     string
	document *scenario.Document // nil until Document is called, for a Review

	// read is the object as Undecodable read it, for Complete.
	read *read
}

// Document returns the parsed text, for problems. For a valid review it is built on first use.
func (r *Request) Document() *scenario.Document {
	if r.document == nil {
		var reader *scenario.Reader                                 // a review may be longer than other texts
		docs, _ := reader.Once(nil).Documents(diag.Request, r.text) // it has been read without problems
		r.document = docs[0]
	}
	return r.document
}

// Report returns the request for the report. kind and resource are the request's, as their String
// methods write them: requests of the same kind share the strings.
func (r *Request) Report(kind, resource string) *report.Request {
	return &report.Request{
		Operation: r.Operation, Kind: kind, Resource: resource, SubResource: r.SubResource,
		Name: r.Name, Namespace: r.Namespace, User: r.User.Name, Groups: r.User.Groups, DryRun: r.DryRun,
		Form: string(r.Form), Derived: r.Derived,
	}
}

// The operations (admission.k8s.io/v1 Operation).
const (
	Create  = "CREATE"
	Update  = "UPDATE"
	Delete  = "DELETE"
	Connect = "CONNECT"
)

// The user of a request that names none: authenticated, with no permissions except those from the
// cluster text.
const (
	madeUpUser  = "jane"
	madeUpGroup = "system:authenticated"
)

// Parse reads the request text. c has the kinds. settings say how a plain object is sent; nil means
// the default. The request is nil if the text is empty, or if an error diagnostic says why it
// cannot be evaluated.
//
// The objects may be shared parts of a cached text. The engine never changes an object in place, so
// no copies are needed.
func Parse(texts *scenario.Reader, text string, settings *scenario.RequestSettings, c *catalog.Catalog) (*Request, []diag.Diagnostic) {
	p := &parser{catalog: c, r: &Request{text: text}}
	if settings != nil {
		p.settings = *settings
		p.r.Apply = settings.Apply
	}
	if review, ok := texts.Review(text, operations); ok {
		p.plainReview(review)
	} else if !p.documents(texts) {
		return nil, p.diags
	}
	if len(p.diags) > 0 {
		p.diags = scenario.Capped(p.diags)
		diag.Locate(p.diags, map[diag.Text]string{diag.Request: text})
		if diag.HasErrors(p.diags) {
			return nil, p.diags
		}
	}
	return p.r, p.diags
}

// documents reads a text in any form. It returns false if the text has no request.
func (p *parser) documents(texts *scenario.Reader) bool {
	docs, diags := texts.Documents(diag.Request, p.r.text)
	p.diags = diags
	if diag.HasErrors(diags) || len(docs) == 0 {
		return false
	}
	p.r.document = docs[0]
	if len(docs) > 1 {
		p.several(docs)
	} else {
		p.read(texts, docs[0])
	}
	return true
}

// parser holds the state while one request is read.
type parser struct {
	catalog *catalog.Catalog
	// settings apply to a plain object.
	settings scenario.RequestSettings
	diags    []diag.Diagnostic
	r        *Request
}

// problem adds a diagnostic for a field of the text.
func (p *parser) problem(severity diag.Severity, code, path, summary, detail string) {
	p.diags = append(p.diags, diag.Diagnostic{
		Code: code, Severity: severity, Text: diag.Request, Span: p.r.Document().Locate(path), Path: path, Summary: summary, Detail: detail,
	})
}

// fix adds repairs to the last problem.
func (p *parser) fix(fixes []diag.Fix) { p.diags[len(p.diags)-1].Fixes = fixes }

// derived records a derived value.
func (p *parser) derived(format string, args ...any) {
	p.r.Derived = append(p.r.Derived, fmt.Sprintf(format, args...))
}

func (p *parser) several(docs []*scenario.Document) {
	summary := fmt.Sprintf("the request is one object, but the text has %d documents", len(docs))
	detail := "A request concerns one object at a time. Keep one document here; objects that exist already belong in the scenario's cluster."
	if docs[1].FromList {
		summary = fmt.Sprintf("the request is one object, but the text has a list of %d", len(docs))
		detail = "A request concerns one object at a time. Keep one item of the list, without the list around it; preadmit replay runs all of them."
	}
	p.diags = append(p.diags, diag.Diagnostic{
		Code: codes.SeveralRequests, Severity: diag.Error, Text: diag.Request, Span: docs[1].Span, Summary: summary, Detail: detail,
	})
}

// read determines the form and reads it.
func (p *parser) read(texts *scenario.Reader, doc *scenario.Document) {
	p.r.Form = shape(doc.Value)
	switch p.r.Form {
	case Review:
		p.review()
	case Admission:
		p.admission(scenario.NewFields(doc, &p.diags), "")
	case Object:
		p.bareObject(texts)
	default:
		place := ""
		if _, ok := doc.Value["kind"]; ok {
			place = "kind"
		}
		p.problem(diag.Error, codes.NotARequest, place, "this is neither an object nor a request: it has no kind",
			"Paste an AdmissionReview, its request, or any object with apiVersion and kind.")
	}
}

// shape determines a document's form. An AdmissionRequest has no kind of its own: its field kind is
// the object's.
func shape(value map[string]any) Form {
	switch kind := value["kind"].(type) {
	case string:
		switch kind {
		case "AdmissionReview":
			return Review
		case "": // the server treats it as a missing kind
		default:
			return Object
		}
	case map[string]any:
		return Admission
	}
	for _, field := range []string{"operation", "object", "oldObject", "userInfo", "resource", "requestKind"} {
		if _, ok := value[field]; ok {
			return Admission
		}
	}
	return ""
}

// review reads an AdmissionReview, which wraps an AdmissionRequest.
func (p *parser) review() {
	f := scenario.NewFields(p.r.Document(), &p.diags)
	f.String("kind")
	f.OneOf("apiVersion", "admission.k8s.io/v1", "admission.k8s.io/v1beta1")
	if f.Map("response") != nil {
		p.problem(diag.Info, codes.ResponseIgnored, "response", "an AdmissionReview's response is not used here",
			"To simulate a webhook's answer, add a WebhookResponse to the scenario's cluster.")
	}
	if !f.Has("request") {
		p.problem(diag.Error, codes.NoRequest, "", "this AdmissionReview has no request",
			"The field request is in the API server's review, not in the webhook's answer.")
		f.Sub("request")
		f.Done()
		return
	}
	request := f.Sub("request")
	f.Done()
	p.admission(request, "request.")
}

// groupVersionKind reads the field kind or requestKind.
func groupVersionKind(f *scenario.Fields, name string) schema.GroupVersionKind {
	sub := f.Sub(name)
	defer sub.Done()
	return schema.GroupVersionKind{Group: sub.String("group"), Version: sub.String("version"), Kind: sub.String("kind")}
}

// groupVersionResource reads the field resource or requestResource.
func groupVersionResource(f *scenario.Fields, name string) schema.GroupVersionResource {
	sub := f.Sub(name)
	defer sub.Done()
	return schema.GroupVersionResource{Group: sub.String("group"), Version: sub.String("version"), Resource: sub.String("resource")}
}
