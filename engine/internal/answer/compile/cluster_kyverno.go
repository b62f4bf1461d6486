package compile

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report/codes"
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
	return []diag.Fix{{Title: "Convert it to a " + kind + " with a binding", Edits: edits}}
}

// foreignKind says of a document that its kind is one of another policy engine, and reports
// whether it is.
func (p *clusterReader) foreignKind(d *scenario.Document, gvk schema.GroupVersionKind) bool {
	foreign, ok := request.ForeignKind(gvk)
	if !ok {
		return false
	}
	fixes, detail := p.fromKyverno(d, gvk), foreign.Advice
	if fixes != nil {
		detail = "The fix converts it to the server's own kind."
		if lost := kyvernoLosses(d); len(lost) > 0 {
			detail = "The fix converts it, and loses: " + strings.Join(lost, "; ") + "."
		}
	}
	p.diagnose([]diag.Diagnostic{{Code: codes.ForeignKind, Severity: diag.Warning, Text: d.Text, Span: d.Locate("kind"), Path: "kind", Document: d.Kind + "/" + d.Name,
		Summary: foreign.Summary(gvk.Kind), Detail: detail, Fixes: fixes}})
	return true
}

// kyvernoLost is what a policy of the server lacks: a field below spec, or the beginning of a
// call in an expression, and what it does in Kyverno.
var kyvernoLost = []struct{ field, call, lost string }{
	{"autogen", "", "autogen (controllers of Pods are no longer checked)"},
	{"evaluation", "", "evaluation (background scans and modes)"},
	{"webhookConfiguration", "", "webhookConfiguration (the timeout)"},
	{"mutateExisting", "", "mutateExisting (objects that exist already)"},
	{"targetMatchConstraints", "", "targetMatchConstraints (objects that exist already)"},
	{"images", "", "images (what is read from images)"},
	{"", "resource.", "resource.Get, List and Post (a policy reads only its params)"},
	{"", "http.", "http.Get and Post (a policy calls nothing)"},
	{"", "globalContext.", "globalContext.Get (a policy reads only its params)"},
	{"", "imageData.", "imageData.Get (a policy reads no registry)"},
	{"", "image(", "image() (parse the name with split() or a regular expression)"},
	{"", "verifyImageSignatures(", "verifyImageSignatures (a policy verifies no signature)"},
}

// kyvernoLosses are what a conversion of a policy loses.
func kyvernoLosses(d *scenario.Document) (lost []string) {
	text := string(d.JSON())
	for _, l := range kyvernoLost {
		if l.field != "" && d.Has("spec."+l.field) || l.call != "" && calls(text, l.call) {
			lost = append(lost, l.lost)
		}
	}
	return lost
}

// calls reports whether a text has a call, which begins a name.
func calls(text, call string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], call)
		if i < 0 {
			return false
		}
		at += i
		if at == 0 || !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.", rune(text[at-1])) {
			return true
		}
		at += len(call)
	}
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
