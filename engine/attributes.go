package engine

import (
	"fmt"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/kube/cluster"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
)

var namespaceKind = schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}

// readRequest reads the request text and puts the request at the begin of the
// chain. It is false when there is no request to run.
func (e *evaluation) readRequest() bool {
	r, problems := request.Parse(e.scenario.Request, e.catalog)
	e.diagnose(problems)
	if r == nil {
		return false
	}
	e.report.Request = r.Report()
	e.report.Sent, e.report.Input, e.report.OldObject = r.Object, r.Object, r.OldObject
	if e.undecodable(r) {
		return false
	}
	if e.defaulting(r) {
		r.Object = e.completed(r, r.Object, r.ObjectPath)
		r.OldObject = e.completed(r, r.OldObject, r.OldObjectPath)
	}
	if r.Kind == namespaceKind && r.OldObject != nil {
		e.cluster.Add(cluster.Object{GVK: r.Kind, Name: r.Name, Value: r.OldObject, Builtin: true})
	}
	e.report.Input, e.report.OldObject = r.Object, r.OldObject
	e.initial = run.Attributes{Request: r.Request, User: r.User, Options: r.Options, DryRun: r.DryRun, UID: r.UID}
	e.begin()
	return true
}

// undecodable answers for an object that does not fit its Go type: the server
// refuses it before any admission.
func (e *evaluation) undecodable(r *request.Request) bool {
	resource, known := e.catalog.ResourceForKind(r.Kind)
	if r.Form != request.Object || !known || !resource.Builtin {
		return false
	}
	_, err := e.catalog.DecodeLenient(r.Kind, r.Document.JSON)
	if err == nil {
		return false
	}
	e.refuse(apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", r.Kind.Kind, r.Kind.Version, r.Kind.Kind, err)))
	e.diagnose([]diag.Diagnostic{{Code: "undecodable", Severity: diag.Error, Text: diag.Request, Span: r.Document.Span,
		Summary: err.Error(), Detail: "The server refuses the object before admission: a value does not fit the type of its field."}})
	return true
}

// defaulting says whether the objects still have to be brought into the form
// that the server gives them. Captured requests have it already.
func (e *evaluation) defaulting(r *request.Request) bool {
	if wish := e.scenario.Options.Defaulting; wish != nil {
		return *wish
	}
	return r.Form == request.Object
}

// completed is an object as the admission chain receives it: in the server's
// normal form, with defaults. What the server drops is told.
func (e *evaluation) completed(r *request.Request, object map[string]any, path string) map[string]any {
	if object == nil {
		return nil
	}
	kind := schema.FromAPIVersionAndKind(textOf(object["apiVersion"]), textOf(object["kind"]))
	if _, known := e.catalog.ResourceForKind(kind); !known {
		kind = r.Kind
	}
	normal, problems := e.catalog.Normalise(kind, object)
	for _, problem := range problems {
		at := problem.Path
		if path != "" {
			at = path + "." + problem.Path
		}
		e.diagnose([]diag.Diagnostic{{Code: "unknown-field", Severity: diag.Warning, Text: diag.Request, Span: r.Document.LocateKey(at), Path: at, Summary: problem.Message}})
	}
	if normal == nil {
		normal = object
	}
	return e.catalog.Roundtrip(kind, e.catalog.Default(kind, normal))
}

func textOf(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// freshlyManaged says that the object is a typed one whose managedFields this
// request changed, so that their time is the present (see Chain.Precise).
func (e *evaluation) freshlyManaged(a run.Attributes) bool {
	resource, known := e.catalog.ResourceForKind(a.Kind)
	if known && !resource.Builtin {
		return false // the times of custom resources are texts
	}
	switch a.Operation {
	case request.Create:
		return known // an Eviction, for one, has no managedFields
	case request.Update: // a Scale has them, although it is no resource
		return !reflect.DeepEqual(managedFields(a.Object), managedFields(a.OldObject))
	}
	return false
}

func managedFields(object map[string]any) any {
	meta, _ := object["metadata"].(map[string]any)
	return meta["managedFields"]
}
