package compile

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/webhook"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// kindless are objects of a cluster that people write without saying what they are, by the one
// field that they have besides metadata.
var kindless = map[string]struct{ apiVersion, kind string }{
	"":     {"v1", "Namespace"},
	"data": {"v1", "ConfigMap"},
}

// withoutKind reports an object of the cluster that has no kind, with the one that its fields are
// those of.
func (p *clusterReader) withoutKind(d *scenario.Document) {
	missing := "kind"
	if d.APIVersion == "" {
		missing = "apiVersion and kind"
	}
	p.diagnose([]diag.Diagnostic{{Code: codes.UnknownKind, Severity: diag.Warning, Text: d.Text, Span: d.Locate(""), Document: "/" + d.Name,
		Summary: fmt.Sprintf("this object has no %s, so its kind is unknown", missing),
		Detail:  "The object is left out.", Fixes: kindFor(d)}})
}

// kindFor writes the kind of an object that has none.
func kindFor(d *scenario.Document) []diag.Fix {
	field := ""
	for name := range d.Value {
		switch {
		case slices.Contains([]string{"metadata", "apiVersion", "kind"}, name):
		case field != "":
			return nil
		default:
			field = name
		}
	}
	is, ok := kindless[field]
	if !ok || d.Name == "" || field == "" && d.Has("metadata.namespace") || d.APIVersion != "" && d.APIVersion != is.apiVersion || d.Brackets("") || d.Has("kind") {
		return nil
	}
	var lines strings.Builder
	if d.APIVersion == "" && !d.Has("apiVersion") {
		lines.WriteString("apiVersion: " + is.apiVersion + "\n")
	}
	lines.WriteString("kind: " + is.kind + "\n")
	at := diag.Span{Start: d.Span.Start, End: d.Span.Start}
	return []diag.Fix{{Title: "Make it a " + is.kind, Edits: []diag.Edit{{Text: d.Text, Span: at, New: lines.String()}}}}
}

func (p *clusterReader) unknownKind(d *scenario.Document, gvk schema.GroupVersionKind) {
	if response, ok := d.Value["response"].(map[string]any); ok && d.Kind == "AdmissionReview" && len(response) > 0 {
		p.diagnose([]diag.Diagnostic{{Code: codes.WhichWebhook, Severity: diag.Error, Text: d.Text, Span: d.Locate("kind"), Path: "kind", Document: d.Kind + "/" + d.Name,
			Summary: "this AdmissionReview is a webhook's response, but does not name the webhook",
			Detail:  "Write a webhook's answer as a WebhookResponse with the webhook's name. You can also paste it, or give it with -f: then Preadmit finds the webhook."}})
		return
	}
	if d.Kind == "" {
		p.withoutKind(d)
		return
	}
	if p.foreignKind(d, gvk) {
		return
	}
	fixes := request.KindFixes(d, p.Catalog)
	detail := "The object is left out. Add its CustomResourceDefinition to the scenario's cluster, or correct apiVersion and kind."
	if fixes == nil {
		fixes = DefinitionFor(p.scenario.Cluster, gvk)
	}
	p.diagnose([]diag.Diagnostic{{Code: codes.UnknownKind, Severity: diag.Warning, Text: d.Text, Span: d.Locate("kind"), Path: "kind", Document: d.Kind + "/" + d.Name,
		Summary: fmt.Sprintf("Kubernetes %s does not serve %s, and no CustomResourceDefinition here defines it", p.scenario.Kubernetes, gvk),
		Detail:  detail, Fixes: fixes}})
}

// responseGroup is the group of our own kind, which is no custom resource.
var responseGroup, _, _ = strings.Cut(webhook.ResponseAPIVersion, "/")

// DefinitionFor adds a CustomResourceDefinition that takes objects of any form to a cluster text.
func DefinitionFor(cluster string, gvk schema.GroupVersionKind) []diag.Fix {
	if !strings.Contains(gvk.Group, ".") || strings.HasSuffix(gvk.Group, ".k8s.io") || strings.HasSuffix(gvk.Group, ".kubernetes.io") || gvk.Version == "" || gvk.Kind == "" || gvk.Group == responseGroup {
		return nil // those of Kubernetes itself have their own
	}
	resource, _ := meta.UnsafeGuessKindToResource(gvk)
	text := fmt.Sprintf(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: %[1]s.%[2]s
spec:
  group: %[2]s
  scope: Namespaced
  names: {kind: %[3]s, plural: %[1]s}
  versions:
  - name: %[4]s
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
`, resource.Resource, gvk.Group, gvk.Kind, gvk.Version)
	fix := AddToCluster(cluster, "Add a CustomResourceDefinition for "+gvk.Kind, text)
	fix.Choice = true // its scope and schema are guesses: the program that brings the kind has the real one
	return []diag.Fix{fix}
}
