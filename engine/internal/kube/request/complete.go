package request

import (
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// read is a plain object in its kind's normal form, with the fields that were dropped.
type read struct {
	normal  catalog.Normal
	dropped []catalog.Problem
}

// Given is one of the request's objects as the text has it.
type Given struct {
	// At is the object's path in the document.
	At    fieldpath.Path
	Type  *catalog.Type // nil if the kind is unknown
	Value map[string]any
	// Dropped are the problems of the fields that the server drops.
	Dropped []catalog.Problem
}

// Undecodable returns why an object does not fit its Go type, and the object. The server rejects it
// before admission. The error is nil if the object decodes. Such a review was written by hand.
func (r *Request) Undecodable(c *catalog.Catalog) (Given, error) {
	if !c.Typed(r.Kind) || r.Object == nil || r.Operation == Connect {
		return Given{}, nil
	}
	given := Given{At: fieldpath.Parse(r.ObjectPath), Value: r.Object}
	var text []byte
	if r.Form == Object {
		if normal, ok := c.ReadValue(r.Kind, r.Document().Value); ok {
			r.read = &read{normal: normal}
			return Given{}, nil
		}
		if normal, dropped, ok := c.Read(r.Kind, r.Document().JSON()); ok {
			r.read = &read{catalog.Normal{Object: normal}, dropped}
			return Given{}, nil
		}
		given.At, given.Value, text = nil, r.Document().Value, r.Document().JSON()
	} else {
		if c.Fits(r.Kind, r.Object) {
			return Given{}, nil
		}
		var err error
		if text, err = json.Marshal(r.Object); err != nil {
			return Given{}, nil // a value that JSON cannot encode has no decoder message
		}
	}
	given.Type, _ = c.TypeOf(r.Kind)
	_, err := c.DecodeLenient(r.Kind, text)
	return given, err
}

// Unreadable returns the server's response for an object that it cannot read.
func (r *Request) Unreadable(c *catalog.Catalog, err error) (*apierrors.StatusError, []diag.Diagnostic) {
	return r.unreadable(c, err), []diag.Diagnostic{{Code: codes.Undecodable, Severity: diag.Error, Text: diag.Request, Span: r.Document().Span,
		Summary: err.Error(), Detail: "The server rejects the object before admission: a value does not fit the type of its field."}}
}

func (r *Request) unreadable(c *catalog.Catalog, err error) *apierrors.StatusError {
	if resource, known := c.ResourceFor(r.Resource); known && !resource.Builtin && r.SubResource == scale {
		// The handler of custom resources does not know the type whose kind it wants to name.
		return apierrors.NewBadRequest(fmt.Sprintf("no kind is registered for the type v1.Scale in scheme %q", catalog.SchemeName))
	}
	return apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", r.Kind.Kind, r.Kind.Version, r.Kind.Kind, err))
}

// Complete converts the objects to the form that admission receives: the server's normal form, with
// defaults. It returns the objects with fields that the server drops, and other problems.
func (r *Request) Complete(c *catalog.Catalog) (dropped []Given, problems []diag.Diagnostic) {
	for _, object := range []struct {
		of   *map[string]any
		path string
	}{{&r.Object, r.ObjectPath}, {&r.OldObject, r.OldObjectPath}} {
		given := Given{At: fieldpath.Parse(object.path), Value: *object.of}
		*object.of = r.completed(c, &given)
		switch {
		case len(given.Dropped) == 0:
		case r.ownOld && object.of == &r.OldObject:
			problems = append(problems, droppedOfOld(given.Dropped)...)
		default:
			dropped = append(dropped, given)
		}
	}
	return dropped, append(append(problems, r.selectors()...), r.resolvedKeys()...)
}

func (r *Request) completed(c *catalog.Catalog, given *Given) map[string]any {
	object := given.Value
	if object == nil {
		return nil
	}
	kind := schema.FromAPIVersionAndKind(textOf(object["apiVersion"]), textOf(object["kind"]))
	if _, known := c.ResourceForKind(kind); !known {
		kind = r.Kind
	}
	var normal catalog.Normal
	if r.read != nil {
		normal, given.Dropped, r.read = r.read.normal, r.read.dropped, nil
	} else {
		normal.Object, given.Dropped = c.Normalise(kind, object)
	}
	given.Type, _ = c.TypeOf(kind)
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
