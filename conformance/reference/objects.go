package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

// objectQuestion asks what the server's scheme makes of one object; conformance/
// catalog sends them.
type objectQuestion struct {
	Kind schema.GroupVersionKind
	// Do is "default", "roundtrip" (to the internal version and back), "convert"
	// (to the kind To) or "write back" (into the internal object of Before, which
	// is of the kind To).
	Do             string
	To             schema.GroupVersionKind
	Object, Before json.RawMessage
}

type objectAnswer struct {
	Object map[string]any `json:",omitempty"`
	Error  string         `json:",omitempty"`
}

// answerObjects reads one objectQuestion per line and writes one objectAnswer
// per line, in their order.
func answerObjects(in io.Reader, out io.Writer) error {
	decoder, encoder := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var q objectQuestion
		if err := decoder.Decode(&q); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		var a objectAnswer
		var err error
		if a.Object, err = answerObject(q); err != nil {
			a.Error = err.Error()
		}
		if err := encoder.Encode(a); err != nil {
			return err
		}
	}
}

func answerObject(q objectQuestion) (map[string]any, error) {
	s := legacyscheme.Scheme
	object, err := readObject(q.Kind, q.Object)
	if err != nil {
		return nil, err
	}
	kind := q.Kind
	switch q.Do {
	case "default":
		s.Default(object)
	case "roundtrip", "convert":
		if q.Do == "convert" {
			kind = q.To
		}
		internal, err := internalOf(q.Kind, object)
		if err != nil {
			return nil, err
		}
		if object, err = s.ConvertToVersion(internal, kind.GroupVersion()); err != nil {
			return nil, err
		}
	case "write back":
		kind = q.To
		before, err := readObject(q.To, q.Before)
		if err != nil {
			return nil, err
		}
		internal, err := internalOf(q.To, before)
		if err != nil {
			return nil, err
		}
		if err := s.Convert(object, internal, nil); err != nil {
			return nil, err
		}
		if object, err = s.ConvertToVersion(internal, kind.GroupVersion()); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("unknown question %q", q.Do)
	}
	object.GetObjectKind().SetGroupVersionKind(kind)
	return runtime.DefaultUnstructuredConverter.ToUnstructured(object)
}

func readObject(kind schema.GroupVersionKind, text []byte) (runtime.Object, error) {
	object, err := legacyscheme.Scheme.New(kind)
	if err != nil {
		return nil, err
	}
	return object, json.Unmarshal(text, object)
}

func internalOf(kind schema.GroupVersionKind, object runtime.Object) (runtime.Object, error) {
	return legacyscheme.Scheme.ConvertToVersion(object, schema.GroupVersion{Group: kind.Group, Version: runtime.APIVersionInternal})
}
