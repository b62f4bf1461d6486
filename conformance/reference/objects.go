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
	// Do is "default", "roundtrip" (to the internal version and back) or
	// "convert" (to the kind To).
	Do     string
	To     schema.GroupVersionKind
	Object json.RawMessage
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
	object, err := s.New(q.Kind)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(q.Object, object); err != nil {
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
		internal, err := s.ConvertToVersion(object, schema.GroupVersion{Group: q.Kind.Group, Version: runtime.APIVersionInternal})
		if err != nil {
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
