package noeffect

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// stuck reports a denial that keeps an object from going away: of an update of an object that
// is being deleted, of the removal of a finalizer, and of anything but a new object in a
// namespace that terminates.
func (r *Run) stuck(s *report.Step, doc *scenario.Document) {
	a := r.Initial
	if s.Verdict != report.Deny || a.OldObject == nil || a.Operation != "UPDATE" && a.Operation != "DELETE" {
		return
	}
	deleting := deleted(a.OldObject)
	terminating := r.Namespace != nil && deleted(r.Namespace)
	finalizers := a.Operation == "UPDATE" && onlyFinalizers(a.OldObject, a.Object)
	what, kind := "the policy", a.Kind.Kind
	if s.Webhook != "" {
		what = "the webhook"
	}
	switch {
	case deleting && finalizers:
		what += fmt.Sprintf(" denies updates that only change finalizers of an object being deleted, so the %s stays", kind)
	case deleting && a.Operation == "UPDATE":
		what += fmt.Sprintf(" denies updates of an object that is being deleted, so the %s may never go away", kind)
	case finalizers:
		what += fmt.Sprintf(" denies updates that only change finalizers, so the %s cannot be deleted", kind)
	case terminating:
		what += fmt.Sprintf(" denies this deletion in namespace %s, which is being deleted, so the namespace stays Terminating", a.Namespace)
	default:
		return
	}
	if strings.Contains(s.Error, "no params found") {
		r.withoutParam(s, what)
		return
	}
	at := "spec."
	if s.Webhook != "" {
		at = fieldpath.Parse(pathOfWebhook(doc, s.Webhook)).String() + "."
	}
	have := fieldpath.As[[]any](fieldpath.Parse(at + "matchConditions").Get(doc.Value))
	var fixes []diag.Fix
	for _, e := range r.exemptions(deleting, finalizers) {
		item := "{name: " + e.name + ", expression: " + scenario.Quoted(e.test) + "}"
		edit, ok := doc.Append(at+"matchConditions", len(have), item)
		if len(have) == 0 {
			edit, ok = doc.Insert(strings.TrimSuffix(at, "."), "matchConditions", "["+item+"]")
		}
		fixes = append(fixes, fix(e.title, edit, ok))
	}
	r.add(doc, codes.KeepsObject, strings.TrimSuffix(at, "."), doc.LocateKey("metadata.name"), what,
		"Controllers such as the garbage collector and the namespace controller repeat the request forever. Let requests about objects that are being deleted pass.",
		fixes...)
}

// withoutParam reports a binding that denies because its param is gone: in a namespace that
// terminates it cannot be created again, and match conditions are evaluated after the param
// is looked up.
func (r *Run) withoutParam(s *report.Step, what string) {
	for _, doc := range r.Parsed(diag.Policies) {
		if doc.Kind != s.Kind+"Binding" || doc.Name != s.Binding {
			continue
		}
		const path = "spec.paramRef.parameterNotFoundAction"
		edit, ok := doc.Put("spec.paramRef", "parameterNotFoundAction", "Allow")
		r.add(doc, codes.KeepsObject, path, doc.Locate(path), what,
			"The param may be deleted before the object, and a terminating namespace accepts no new one. The server looks the param up before it evaluates match conditions.",
			fix("Allow requests without a param", edit, ok))
	}
}

// exemption is a match condition that lets the request pass: its name, the title of the repair and the expression.
type exemption struct{ name, title, test string }

const controllers = "system:serviceaccount:kube-system:"

func (r *Run) exemptions(deleting, finalizers bool) []exemption {
	var out []exemption
	switch {
	case deleting:
		out = append(out, exemption{"not-being-deleted", "Let objects that are being deleted pass", "oldObject == null || !has(oldObject.metadata.deletionTimestamp)"})
	case finalizers:
		out = append(out, exemption{"not-only-finalizers", "Let updates pass that change finalizers only",
			"oldObject == null || object == null || !(has(oldObject.metadata.finalizers) && (!has(object.metadata.finalizers) || size(object.metadata.finalizers) < size(oldObject.metadata.finalizers)))"})
	default:
		return append(out, exemption{"not-by-cleaners", "Let the namespace controller and the garbage collector pass",
			"!(request.userInfo.username in ['" + controllers + "namespace-controller', '" + controllers + "generic-garbage-collector'])"})
	}
	if who := r.Initial.User; who != nil && strings.HasPrefix(who.Name, controllers) {
		out = append(out, exemption{"not-by-controllers", "Let the controllers in kube-system pass", "!request.userInfo.username.startsWith('" + controllers + "')"})
	}
	return out
}

func deleted(object map[string]any) bool {
	metadata, _ := object["metadata"].(map[string]any)
	return metadata["deletionTimestamp"] != nil
}

// onlyFinalizers reports whether two objects differ in metadata.finalizers, and in nothing else that
// a client sets.
func onlyFinalizers(old, object map[string]any) bool {
	if object == nil {
		return false
	}
	return !reflect.DeepEqual(untyped.At[any](old, "metadata", "finalizers"), untyped.At[any](object, "metadata", "finalizers")) && reflect.DeepEqual(without(old), without(object))
}

// without is an object less its finalizers and what the server sets on each update.
func without(object map[string]any) map[string]any {
	out := map[string]any{}
	for key, value := range object {
		out[key] = value
	}
	metadata := map[string]any{}
	own, _ := object["metadata"].(map[string]any)
	for key, value := range own {
		switch key {
		case "finalizers", "managedFields", "resourceVersion", "generation":
		default:
			metadata[key] = value
		}
	}
	out["metadata"] = metadata
	return out
}

func pathOfWebhook(doc *scenario.Document, name string) string {
	list, _ := doc.Value["webhooks"].([]any)
	for i, item := range list {
		if fields, ok := item.(map[string]any); ok && fields["name"] == name {
			return fieldpath.Item("webhooks", i)
		}
	}
	return "webhooks[0]"
}
