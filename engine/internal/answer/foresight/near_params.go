package foresight

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// nearParams finds bindings whose paramRef finds none of the scenario's params, but nearly one: of a similar name, of
// the same name in another namespace, or with another value of a label that the selector demands.
func (f *foresight) nearParams(s *subject) {
	if s.kind == nil || s.unbound || s.binding.ParamRef == nil || s.binding.Document == nil {
		return
	}
	var params []*scenario.Document
	for _, d := range slices.Concat(f.Documents[diag.Policies], f.Documents[diag.Cluster]) {
		if apiVersion, _ := d.Value["apiVersion"].(string); apiVersion != s.kind.APIVersion || d.Kind != s.kind.Kind {
			continue
		}
		params = append(params, d)
	}
	if i := slices.IndexFunc(params, s.refersTo); i >= 0 {
		if len(params) == 1 {
			f.onlyHere(s, params[0])
		}
		return
	}
	for _, d := range params {
		if path, wanted, has := s.nearly(d); path != "" {
			f.reportNear(s, d, path, wanted, has)
			return
		}
	}
}

// nearly is the field of a paramRef that keeps it from finding a param, with its value and the one that finds it; empty
// for a param that it does not mean.
func (s *subject) nearly(d *scenario.Document) (path, wanted, has string) {
	ref, namespace := s.binding.ParamRef, textAt(d.Value, "metadata", "namespace")
	here := ref.Namespace == "" || ref.Namespace == namespace
	if ref.Selector != nil {
		for _, key := range slices.Sorted(maps.Keys(ref.Selector.MatchLabels)) {
			if label := textAt(d.Value, "metadata", "labels", key); here && label != "" && label != ref.Selector.MatchLabels[key] {
				return "spec.paramRef.selector.matchLabels", key + "=" + ref.Selector.MatchLabels[key], key + "=" + label
			}
			if like := similarLabel(d, key, ref.Selector.MatchLabels[key]); here && like != "" {
				return "spec.paramRef.selector.matchLabels", key + "=" + ref.Selector.MatchLabels[key], like + "=" + ref.Selector.MatchLabels[key]
			}
		}
		return "", "", ""
	}
	if _, near := suggest.Of([]string{d.Name}, ref.Name); here && near {
		return "spec.paramRef.name", ref.Name, d.Name
	}
	if !here && d.Name == ref.Name {
		return "spec.paramRef.namespace", ref.Namespace, namespace
	}
	return "", "", ""
}

// similarLabel is a label of a document that has a value, and nearly a key; empty for none, and where it has the key.
func similarLabel(d *scenario.Document, key, value string) string {
	labels := fieldpath.As[map[string]any](fieldpath.New("metadata", "labels").Get(d.Value))
	if _, has := labels[key]; has {
		return ""
	}
	for _, other := range slices.Sorted(maps.Keys(labels)) {
		_, near := suggest.Of([]string{other}, key)
		if labels[other] == value && (near || strings.HasPrefix(other, key) || strings.HasPrefix(key, other)) {
			return other
		}
	}
	return ""
}

// onlyHere reports a paramRef without a namespace whose only param is in one namespace: requests in others find none.
func (f *foresight) onlyHere(s *subject, d *scenario.Document) {
	ref, b, namespace := s.binding.ParamRef, s.binding.Document, textAt(d.Value, "metadata", "namespace")
	if ref.Name == "" || ref.Namespace != "" || namespace == "" || slices.ContainsFunc(s.source.Namespaces, func(n *metav1.LabelSelector) bool { return n != nil }) {
		return
	}
	out := diag.Diagnostic{Code: codes.MissingParam, Severity: diag.Info, Accepted: true, Text: b.Text, Span: b.LocateKey("spec.paramRef"), Path: "spec.paramRef", Document: b.Kind + "/" + b.Name,
		Summary: fmt.Sprintf("the paramRef names no namespace, so only requests in %s find %s %s", namespace, s.kind.Kind, d.Name),
		Detail:  "The server looks for the param in the namespace of each request. " + s.withoutParam() + " For one param for all namespaces, add paramRef.namespace."}
	if edit, ok := b.Insert("spec.paramRef", "namespace", scenario.Scalar(namespace)); ok {
		out.Fixes = []diag.Fix{{Title: "Add namespace: " + namespace, Edits: []diag.Edit{edit}, Choice: true}}
	}
	f.found = append(f.found, out)
}

// withoutParam says what the server does where it finds no param.
func (s *subject) withoutParam() string {
	if act := s.binding.ParamRef.ParameterNotFoundAction; act != nil && *act == "Allow" {
		return "The policy then checks nothing, because of parameterNotFoundAction Allow."
	}
	return "The server denies each matched request then, because of parameterNotFoundAction Deny."
}

func (f *foresight) reportNear(s *subject, d *scenario.Document, path, wanted, has string) {
	b := s.binding.Document
	out := diag.Diagnostic{Code: codes.MissingParam, Severity: diag.Warning, Accepted: true, Text: b.Text, Span: b.Locate(path), Path: path, Document: b.Kind + "/" + b.Name,
		Summary: fmt.Sprintf("the paramRef finds no %s: it has %s, and %s %s has %s", s.kind.Kind, wanted, s.kind.Kind, d.Name, has), Detail: s.withoutParam()}
	if path != "spec.paramRef.selector.matchLabels" {
		if edit, ok := b.Rewrite(path, has); ok {
			out.Fixes = []diag.Fix{{Title: "Change to " + has, Edits: []diag.Edit{edit}, Choice: true}}
		}
	}
	f.found = append(f.found, out)
}
