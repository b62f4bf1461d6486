package engine

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/scenario"
)

// kyvernoGroup has policies that are written as those of Kubernetes are, with fields of their own.
const kyvernoGroup = "policies.kyverno.io"

// kyvernoKinds are the kinds of the server that those of Kyverno are like.
var kyvernoKinds = map[string]string{
	"ValidatingPolicy": "ValidatingAdmissionPolicy", "NamespacedValidatingPolicy": "ValidatingAdmissionPolicy",
	"MutatingPolicy": "MutatingAdmissionPolicy", "NamespacedMutatingPolicy": "MutatingAdmissionPolicy",
}

// kyvernoFields are the fields of a policy that only Kyverno has. What it says of actions is in the binding
// here.
var kyvernoFields = []string{"validationActions", "validationAction", "evaluation", "autogen", "webhookConfiguration", "mutateExisting", "targetMatchConstraints"}

// fromKyverno makes a policy of the server, and a binding of it, of one that is Kyverno's.
func (p *clusterReader) fromKyverno(d *scenario.Document, gvk schema.GroupVersionKind) []diag.Fix {
	kind := kyvernoKinds[gvk.Kind]
	api := version.NewestAPI(kind, p.version)
	if gvk.Group != kyvernoGroup || kind == "" || api == "" || d.Name == "" || d.FromList || d.IsJSON() || d.Brackets("") || !d.Has("spec.matchConstraints") {
		return nil
	}
	var edits []diag.Edit
	ok := true
	keep := func(e diag.Edit, made bool) { edits, ok = append(edits, e), ok && made }
	keep(d.Rewrite("apiVersion", admissionGroup+"/"+api))
	keep(d.Rewrite("kind", kind))
	for _, field := range kyvernoFields {
		if d.Has("spec." + field) {
			keep(d.Remove("spec." + field))
		}
	}
	actions := ""
	if kind == "ValidatingAdmissionPolicy" {
		actions = "  validationActions: [" + strings.Join(kyvernoActions(d), ", ") + "]\n"
	} else if !d.Has("spec.reinvocationPolicy") {
		keep(d.Insert("spec", "reinvocationPolicy", "Never"))
	}
	if !ok {
		return nil
	}
	binding := fmt.Sprintf("---\napiVersion: %s/%s\nkind: %sBinding\nmetadata:\n  name: %s-binding\nspec:\n  policyName: %s\n%s", admissionGroup, api, kind, d.Name, d.Name, actions)
	src, at := d.Source(), d.Span.End
	if i := strings.IndexByte(src[at:], '\n'); i >= 0 {
		at += i + 1
	} else {
		at, binding = len(src), "\n"+binding
	}
	edits = append(edits, diag.Edit{Text: d.Text, Span: diag.Span{Start: at, End: at}, New: binding})
	return []diag.Fix{{Title: "Make it a " + kind + " with a binding", Edits: edits}}
}

// kyvernoActions are the actions that a policy of Kyverno has itself; it denies without any.
func kyvernoActions(d *scenario.Document) []string {
	spec, _ := d.Value["spec"].(map[string]any)
	list, _ := spec["validationActions"].([]any)
	var out []string
	for _, item := range list {
		if action, ok := item.(string); ok {
			out = append(out, scenario.Scalar(action))
		}
	}
	if len(out) == 0 {
		return []string{"Deny"}
	}
	return out
}
