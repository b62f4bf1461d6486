package install

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/configuration"
	"github.com/preadmit/preadmit/engine/internal/kube/crash"
	"github.com/preadmit/preadmit/engine/internal/kube/gotype"
	"github.com/preadmit/preadmit/engine/internal/repair/documents"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// kindOf is what differs between the six kinds when one is created.
type kindOf[T any] struct {
	meta func(*T) *metav1.ObjectMeta
	// prepare defaults a decoded object and drops what users may not set.
	prepare func(object *T, version string)
	check   func(*checker, *T)
}

var (
	validatingPolicyKind = kindOf[v1.ValidatingAdmissionPolicy]{
		meta: func(p *v1.ValidatingAdmissionPolicy) *metav1.ObjectMeta { return &p.ObjectMeta },
		prepare: func(p *v1.ValidatingAdmissionPolicy, _ string) {
			defaultValidatingPolicy(p)
			p.Status = v1.ValidatingAdmissionPolicyStatus{}
		},
		check: func(c *checker, p *v1.ValidatingAdmissionPolicy) { c.validatingPolicy(p) },
	}
	validatingBindingKind = kindOf[v1.ValidatingAdmissionPolicyBinding]{
		meta: func(b *v1.ValidatingAdmissionPolicyBinding) *metav1.ObjectMeta { return &b.ObjectMeta },
		prepare: func(b *v1.ValidatingAdmissionPolicyBinding, version string) {
			defaultMatchResources(b.Spec.MatchResources)
			defaultParamRef(b.Spec.ParamRef, version)
		},
		check: func(c *checker, b *v1.ValidatingAdmissionPolicyBinding) { c.validatingBinding(b) },
	}
	mutatingPolicyKind = kindOf[v1.MutatingAdmissionPolicy]{
		meta:    func(p *v1.MutatingAdmissionPolicy) *metav1.ObjectMeta { return &p.ObjectMeta },
		prepare: func(p *v1.MutatingAdmissionPolicy, _ string) { defaultMutatingPolicy(p) },
		check:   func(c *checker, p *v1.MutatingAdmissionPolicy) { c.mutatingPolicy(p) },
	}
	mutatingBindingKind = kindOf[v1.MutatingAdmissionPolicyBinding]{
		meta: func(b *v1.MutatingAdmissionPolicyBinding) *metav1.ObjectMeta { return &b.ObjectMeta },
		prepare: func(b *v1.MutatingAdmissionPolicyBinding, version string) {
			defaultMatchResources(b.Spec.MatchResources)
			defaultParamRef(b.Spec.ParamRef, version)
		},
		check: func(c *checker, b *v1.MutatingAdmissionPolicyBinding) { c.mutatingBinding(b) },
	}
	validatingWebhookKind = kindOf[v1.ValidatingWebhookConfiguration]{
		meta:    func(w *v1.ValidatingWebhookConfiguration) *metav1.ObjectMeta { return &w.ObjectMeta },
		prepare: func(w *v1.ValidatingWebhookConfiguration, _ string) { defaultValidatingWebhooks(w) },
		check: func(c *checker, w *v1.ValidatingWebhookConfiguration) {
			c.webhooks(&w.ObjectMeta, asMutating(w.Webhooks))
		},
	}
	mutatingWebhookKind = kindOf[v1.MutatingWebhookConfiguration]{
		meta:    func(w *v1.MutatingWebhookConfiguration) *metav1.ObjectMeta { return &w.ObjectMeta },
		prepare: func(w *v1.MutatingWebhookConfiguration, _ string) { defaultMutatingWebhooks(w) },
		check:   func(c *checker, w *v1.MutatingWebhookConfiguration) { c.webhooks(&w.ObjectMeta, w.Webhooks) },
	}
)

// create does with one document what the server does on POST: decode, default,
// check, store. An accepted object is appended to list.
func create[T any](in *installer, d *scenario.Document, version string, kind kindOf[T], list *[]Installed[T]) {
	object := new(T)
	static := in.static(d)
	strict, err := decode(d.JSON(), version, in.version, object)
	if err != nil {
		in.undecodable(d, version, err)
		next(in, d, kind)
		return
	}
	warnings := slices.Concat(configuration.Deprecation(d.Kind, version, in.version), d.DuplicateKeys(), strict)
	in.strictWarnings(d, strict, reflect.TypeFor[T]())
	if static && len(d.DuplicateKeys())+len(strict) > 0 {
		in.notDecoded(d, strict)
		return
	}

	meta := kind.meta(object)
	in.surprises(d, meta)
	kind.prepare(object, version)
	prepareMetadata(meta)

	c := &checker{version: in.version, environments: in.environments, document: d}
	kind.check(c, object)
	var reserved []string
	if !static {
		reserved = c.reservedName(meta.Name)
	}
	if d.Kind == configuration.ValidatingAdmissionPolicyBinding && !static { // the loaders ask for no declared checks
		c.declarative()
	}
	if static && !in.loaded(c, object, meta.Name) {
		return
	}
	if len(c.problems) > 0 {
		in.explain(c)
		if c.crashes() {
			in.answer(d, meta.Name, http.StatusInternalServerError, string(crash.Reason), crash.Answer, nil)
			return
		}
		in.answer(d, meta.Name, http.StatusUnprocessableEntity, string(metav1.StatusReasonInvalid), c.message(d.Kind, meta.Name), warnings)
		return
	}
	for _, w := range reserved {
		in.report(d, codes.ReservedName, diag.Warning, d.Locate("metadata.name"), w, "Kubernetes 1.37 and later reject the document.")
	}
	warnings = append(warnings, reserved...)
	key := d.Kind + "/" + meta.Name
	if first := in.accepted[key]; first != nil {
		in.exists(d, meta.Name, first, warnings)
		return
	}
	in.accepted[key] = d
	if len(warnings) > 0 {
		in.answer(d, meta.Name, 0, "", "", warnings)
	}
	*list = append(*list, Installed[T]{Object: object, Document: d, Static: static})
}

// undecodable rejects a document with a value of the wrong type.
func (in *installer) undecodable(d *scenario.Document, version string, err error) {
	all := gotype.Mismatches(configuration.GoTypes[d.Kind], d.Value, nil)
	for _, wrong := range all {
		path := wrong.Path.String()
		p := in.report(d, codes.WrongType, diag.Error, locate(d, path), wrong.Summary(), wrongTypeDetail(wrong, err))
		p.Path, p.Fixes = path, in.texts.Of(d).WrongType(wrong)
	}
	if len(all) == 0 { // a value of the right type that the decoder refuses all the same
		in.report(d, codes.WrongType, diag.Error, d.Span, err.Error(), "")
	}
	in.answer(d, d.Name, http.StatusBadRequest, string(metav1.StatusReasonBadRequest), decodeMessage(d.Kind, version, err), nil)
}

// wrongTypeDetail is the server's text, and why YAML may be the cause.
func wrongTypeDetail(wrong gotype.Mismatch, err error) string {
	text := "The server says: " + err.Error() + "."
	if gotype.TypeName(wrong.Want) == "a string" {
		switch wrong.Got.(type) {
		case bool, int64, float64:
			return "Put the value in quotes: YAML reads words such as true, yes, no, on, off and numbers as other types. " + text
		}
	}
	return text
}

// strictWarnings places the warnings of the strict decoder about fields that
// the API does not have.
func (in *installer) strictWarnings(d *scenario.Document, strict []string, t reflect.Type) {
	for _, text := range strict {
		quoted, ok := strings.CutPrefix(text, "unknown field ")
		if !ok {
			continue // a duplicate, which the parser of the text has reported
		}
		path := strings.Trim(quoted, `"`)
		p := in.report(d, codes.UnknownField, diag.Warning, d.LocateKey(path), text,
			"The server drops the field and answers with a warning; kubectl, which uses strict validation, rejects the document.")
		p.Path = path
		p.Fixes = in.texts.Of(d).UnknownField(t, path)
		if strings.HasSuffix(path, "mutationValidationPolicy") {
			p.Detail = "The enhancement proposal had this field, but no version has it. Preadmit checks with every request that a mutation changes nothing when it runs again (not-idempotent). " + p.Detail
		}
		if len(p.Fixes) > 0 {
			p.Detail = strings.Replace(p.Fixes[0].Title, "Change to", "Did you mean", 1) + "? " + p.Detail
		}
	}
}

// surprises reports metadata that the server treats in an unexpected way.
func (in *installer) surprises(d *scenario.Document, meta *metav1.ObjectMeta) {
	if meta.Namespace != "" {
		in.report(d, codes.NamespaceIgnored, diag.Info, d.LocateKey("metadata.namespace"), d.Kind+" is cluster-scoped: the namespace is dropped", "")
	}
	// What a cluster wrote has a uid as well: that it cannot be created is no news.
	if meta.ResourceVersion != "" && meta.UID == "" {
		in.report(d, codes.ResourceVersion, diag.Warning, d.LocateKey("metadata.resourceVersion"),
			"resourceVersion should not be set on objects to be created",
			"The server says this when you create the document. Preadmit evaluates it as if it were already in the cluster.")
	}
}

// exists rejects the second document of a kind and name.
func (in *installer) exists(d *scenario.Document, name string, first *scenario.Document, warnings []string) {
	message := fmt.Sprintf("%s.%s %q already exists", configuration.Resources[d.Kind], configuration.Group, name)
	p := in.report(d, codes.AlreadyExists, diag.Error, d.Locate("metadata.name"), message,
		"This document is left out. kubectl apply would change the first one instead.")
	p.Fixes = documents.Fix("Change to "+name+"-2", in.texts.Of(d).ToRewrite("metadata.name", name+"-2"))
	p.Path = "metadata.name"
	p.Related = []diag.Related{{Text: first.Text, Span: first.Locate("metadata.name"), Path: "metadata.name", Summary: "the first one"}}
	in.answer(d, name, http.StatusConflict, string(metav1.StatusReasonAlreadyExists), message, warnings)
}
