package httpapi

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/preadmit/preadmit/cmd/preadmit/internal/checks"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/serve"
)

// schemas are the description's components: one per struct.
type schemas struct {
	types map[reflect.Type]*jsonschema.Schema // the reference for each type
	made  map[string]*jsonschema.Schema
}

// ownModule is the prefix of our packages' paths.
const ownModule = "github.com/preadmit/preadmit/"

// newSchemas builds the schemas for some types and all types in them.
func newSchemas(of ...reflect.Type) (*schemas, error) {
	s := &schemas{types: map[reflect.Type]*jsonschema.Schema{}, made: map[string]*jsonschema.Schema{}}
	s.types[reflect.TypeFor[scenario.Plugins]()] = pluginsSchema()
	for _, t := range of {
		s.collect(t)
	}
	for t, ref := range s.types {
		if ref.Ref == "" {
			continue
		}
		made, err := jsonschema.ForType(flat(t), &jsonschema.ForOptions{TypeSchemas: s.types})
		if err != nil {
			return nil, err
		}
		if _, twice := s.made[name(t)]; twice {
			return nil, fmt.Errorf("two types are called %s", name(t))
		}
		made.AdditionalProperties = nil // allows new fields
		for _, property := range made.Properties {
			optional(property)
		}
		s.made[name(t)] = made
	}
	return s, nil
}

// pluginsSchema describes scenario.Plugins, which has its own JSON encoding.
func pluginsSchema() *jsonschema.Schema {
	names := &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "string"}}
	return &jsonschema.Schema{OneOf: []*jsonschema.Schema{
		names, {Type: "object", Properties: map[string]*jsonschema.Schema{"enable": names, "disable": names}},
	}}
}

// collect records the structs in a type.
func (s *schemas) collect(t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		s.collect(t.Elem())
		return
	case reflect.Struct:
	default:
		return
	}
	if s.types[t] != nil {
		return
	}
	if strings.HasPrefix(t.PkgPath(), ownModule) {
		s.types[t] = &jsonschema.Schema{Ref: "#/components/schemas/" + name(t)}
	}
	for _, f := range reflect.VisibleFields(t) {
		if f.IsExported() && f.Tag.Get("json") != "-" {
			s.collect(f.Type)
		}
	}
}

// optional allows null where Go writes it: for a nil map or list, and for a pointer to a referenced
// type.
func optional(property *jsonschema.Schema) {
	if null := property.Types; property.Ref != "" && len(null) > 0 {
		*property = jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Ref: property.Ref}, {Type: "null"}}}
	}
	if property.Type == "object" && property.Properties == nil { // a map
		property.Type, property.Types = "", []string{"null", "object"}
	}
	if plugins := property.OneOf; len(plugins) > 0 && len(property.Types) > 0 {
		*property = jsonschema.Schema{OneOf: append(plugins, &jsonschema.Schema{Type: "null"})}
	}
}

// name returns the name of a type's schema.
func name(t reflect.Type) string {
	if t == reflect.TypeFor[checks.Result]() {
		return "CheckResult"
	}
	if t == reflect.TypeFor[problem]() {
		return "Failure"
	}
	return t.Name()
}

// flat returns an unnamed struct type with the same JSON, because a named type cannot contain
// itself.
func flat(t reflect.Type) reflect.Type {
	var fields []reflect.StructField
	for _, f := range reflect.VisibleFields(t) {
		if !f.IsExported() || f.Tag.Get("json") == "-" || f.Anonymous && f.Tag.Get("json") == "" {
			continue // an embedded struct's fields are visible directly
		}
		fields = append(fields, reflect.StructField{Name: f.Name, Type: f.Type, Tag: f.Tag})
	}
	return reflect.StructOf(fields)
}

// openAPI describes the calls.
func openAPI(version string, limits serve.Limits) ([]byte, error) {
	s, err := newSchemas(reflect.TypeFor[scenario.Scenario](), reflect.TypeFor[report.Report](), reflect.TypeFor[checks.Result](), reflect.TypeFor[problem]())
	if err != nil {
		return nil, err
	}
	s.made["Scenario"].AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
	type object = map[string]any
	ref := func(t reflect.Type) object {
		return object{"application/json": object{"schema": s.types[t]}}
	}
	responses := func(what string, t reflect.Type) object {
		out := object{"200": object{"description": what, "content": ref(t)}}
		for code, text := range map[string]string{
			"400": "The body is not a scenario, or the release is unknown.",
			"413": fmt.Sprintf("The body is larger than %d MiB.", limits.Body>>20),
			"415": "The Content-Type is not application/json.",
			"503": fmt.Sprintf("%d calls are being answered already.", limits.Concurrent),
		} {
			out[code] = object{"description": text, "content": ref(reflect.TypeFor[problem]())}
		}
		return out
	}
	call := func(id, summary, what string, result reflect.Type, parameters ...object) object {
		return object{"post": object{
			"operationId": id, "summary": summary, "parameters": append([]object{}, parameters...),
			"requestBody": object{"required": true, "content": ref(reflect.TypeFor[scenario.Scenario]())},
			"responses":   responses(what, result),
		}}
	}
	return json.MarshalIndent(object{
		"openapi": "3.1.0",
		"info":    object{"title": "Preadmit", "version": version, "description": "What the Kubernetes API server's admission answers.", "license": object{"name": "Apache-2.0"}},
		"paths": object{
			"/v1/evaluate": call("evaluate", "Evaluate a scenario", fmt.Sprintf("The report. Problems of the texts are diagnostics in it. After %v the state is undecided.", limits.Timeout), reflect.TypeFor[report.Report](),
				object{"name": "explain", "in": "query", "description": "Add the values of all parts of the expressions, and the safety checks.", "schema": object{"type": "boolean", "default": false}}),
			"/v1/check": call("check", "Check policies without a request", "What the server answers when the documents are created.", reflect.TypeFor[checks.Result]()),
		},
		"components": object{"schemas": s.made},
	}, "", "  ")
}
