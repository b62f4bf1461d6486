package request

import (
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/mend"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// read is a plain object in its kind's normal form, with the fields that were dropped.
type read struct {
	normal  catalog.Normal
	dropped []catalog.Problem
}

// Undecodable returns the server's response for an object that does not fit its Go type. The server
// rejects it before admission. It is nil if the object decodes. Such a review was written by hand.
func (r *Request) Undecodable(c *catalog.Catalog) (*apierrors.StatusError, []diag.Diagnostic) {
	resource, known := c.ResourceForKind(r.Kind)
	if !known || !resource.Builtin || r.Object == nil {
		return nil, nil
	}
	if r.Form == Object {
		if normal, ok := c.ReadValue(r.Kind, r.Document().Value); ok {
			r.read = &read{normal: normal}
			return nil, nil
		}
		if normal, dropped, ok := c.Read(r.Kind, r.Document().JSON()); ok {
			r.read = &read{catalog.Normal{Object: normal}, dropped}
			return nil, nil
		}
	} else if c.Fits(r.Kind, r.Object) {
		return nil, nil
	}
	t, _ := c.TypeOf(r.Kind)
	object, text, at := r.Object, []byte(nil), fieldpath.Parse(r.ObjectPath)
	if r.Form == Object {
		object, text, at = r.Document().Value, r.Document().JSON(), nil
	} else {
		var err error
		if text, err = json.Marshal(object); err != nil {
			return nil, nil // a value that JSON cannot encode has no decoder message
		}
	}
	_, err := c.DecodeLenient(r.Kind, text)
	if err == nil {
		return nil, nil
	}
	status, problems := r.Unreadable(err)
	given := mend.Object{Document: r.Document(), At: at, Type: t, Value: object}
	if wrong := given.WrongTypes(fmt.Sprintf("The server rejects the object before admission: %v.", err)); len(wrong) > 0 {
		problems = wrong
	}
	return status, problems
}

// Unreadable returns the server's response for an object that it cannot read.
func (r *Request) Unreadable(err error) (*apierrors.StatusError, []diag.Diagnostic) {
	return r.unreadable(err), []diag.Diagnostic{{Code: codes.Undecodable, Severity: diag.Error, Text: diag.Request, Span: r.Document().Span,
		Summary: err.Error(), Detail: "The server rejects the object before admission: a value does not fit the type of its field."}}
}

func (r *Request) unreadable(err error) *apierrors.StatusError {
	return apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", r.Kind.Kind, r.Kind.Version, r.Kind.Kind, err))
}

// Complete converts the objects to the form that admission receives: the server's normal form, with
// defaults. It reports what the server drops.
func (r *Request) Complete(c *catalog.Catalog) []diag.Diagnostic {
	var problems []diag.Diagnostic
	r.Object = r.completed(c, r.Object, r.ObjectPath, &problems)
	if r.ownOld {
		old, found := r.completedOld(c)
		r.OldObject, problems = old, append(problems, found...)
	} else {
		r.OldObject = r.completed(c, r.OldObject, r.OldObjectPath, &problems)
	}
	return append(append(problems, r.selectors()...), r.resolvedKeys()...)
}

func (r *Request) completed(c *catalog.Catalog, object map[string]any, path string, problems *[]diag.Diagnostic) map[string]any {
	if object == nil {
		return nil
	}
	kind := schema.FromAPIVersionAndKind(textOf(object["apiVersion"]), textOf(object["kind"]))
	if _, known := c.ResourceForKind(kind); !known {
		kind = r.Kind
	}
	var normal catalog.Normal
	var dropped []catalog.Problem
	if r.read != nil {
		normal, dropped, r.read = r.read.normal, r.read.dropped, nil
	} else {
		normal.Object, dropped = c.Normalise(kind, object)
	}
	t, _ := c.TypeOf(kind)
	given := mend.Object{Document: r.Document(), At: fieldpath.Parse(path), Type: t, Value: object}
	var unknown []diag.Diagnostic
	for i, problem := range dropped {
		at := fieldpath.Join(path, problem.Path)
		var fixes []diag.Fix
		if i < mend.MostRepaired {
			fixes = given.UnknownField(problem.Path)
		}
		unknown = append(unknown, diag.Diagnostic{Code: codes.UnknownField, Severity: diag.Warning, Text: diag.Request, Span: r.Document().LocateKey(at), Path: at, Summary: problem.Message,
			Fixes: fixes})
	}
	*problems = append(*problems, mend.Joined(unknown)...)
	if resource, known := c.ResourceForKind(kind); normal.Object != nil && known && resource.Builtin {
		return catalog.WithoutGivenEmpty(kind, object, c.Complete(kind, normal))
	}
	if normal.Object == nil {
		normal.Object = object
	}
	return c.Roundtrip(kind, c.Default(kind, normal.Object))
}

func textOf(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}
