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
		var head struct {
			APIVersion, Kind string
			Metadata         struct{ Name string }
		}
		if err := json.Unmarshal(data, &head); err != nil {
			return nil, err
		}
		gv, err := schema.ParseGroupVersion(head.APIVersion)
		if err != nil {
			return nil, err
		}
		if head.Kind == "" {
			return nil, fmt.Errorf("a document without kind")
		}
		out = append(out, document{GVK: gv.WithKind(head.Kind), Name: head.Metadata.Name, JSON: data})
	}
}
