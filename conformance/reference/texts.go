package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// A document is one object of a text, as JSON.
type document struct {
	GVK  schema.GroupVersionKind
	Name string
	JSON []byte
}

// object is the document in unstructured form, integers as int64.
func (d document) object() (*unstructured.Unstructured, error) {
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(d.JSON); err != nil {
		return nil, err
	}
	return u, nil
}

// documents splits a text as kubectl does.
func documents(text string) ([]document, error) {
	reader := utilyaml.NewYAMLReader(bufio.NewReader(strings.NewReader(text)))
	var out []document
	for {
		raw, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		data, err := yaml.YAMLToJSON(raw)
		if err != nil {
			return nil, err
		}
		if bytes.Equal(bytes.TrimSpace(data), []byte("null")) {
			continue
		}
		head, err := headOf(data)
		if err != nil {
			return nil, err
		}
		gv, err := schema.ParseGroupVersion(head.APIVersion)
		if err != nil {
			return nil, err
		}
		if head.Kind == "" {
			return nil, fmt.Errorf("a document without kind")
		}
		out = append(out, document{GVK: gv.WithKind(head.Kind), Name: head.Name, JSON: data})
	}
}

// head is what tells documents apart.
type head struct{ APIVersion, Kind, Name string }

// headOf reads a head also where the rest is of wrong types.
func headOf(data []byte) (head, error) {
	var m map[string]any
	if err := json.Unmarshal(data, &m); err != nil {
		return head{}, err
	}
	text := func(m map[string]any, key string) string {
		s, ok := m[key].(string)
		if !ok {
			return ""
		}
		return s
	}
	metadata, ok := m["metadata"].(map[string]any)
	if !ok {
		metadata = nil
	}
	return head{text(m, "apiVersion"), text(m, "kind"), text(metadata, "name")}, nil
}
