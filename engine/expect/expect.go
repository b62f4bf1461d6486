// Package expect compares a report with the expected one in a
// scenario's file expected.yaml.
//
// The file uses the report's own field names and pins only the fields
// that it has:
//
//	outcome: {allowed: false, code: 422}
//	steps:
//	- policy: replica-limit
//	  verdict: deny
//	  validations:
//	  - {result: false, cost: 12}
//
// A number may be bounded instead: cost: {atMost: 100}.
//
// Maps are subsets: an absent field may have any value. An empty map or
// list, or null, means that the value must be empty. Lists must be equal, except
// lists of named things: steps are found by policy, binding, param,
// webhook and pass; install entries, diagnostics, budgets, conditions,
// variables and annotations by their given fields. Mutations and
// validations are compared in order, from the first.
//
// Silence is not success. A step that is named without a status must have run;
// and a rejected document, an error among the diagnostics, a request without an
// answer, or a scenario in which no policy ran must be written down to be
// accepted. [Expected.Silent] has the policies that did not run while others did,
// and that the file does not name; notRun: [] says that there must be none.
package expect

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/preadmit/preadmit/engine/internal/guard"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// FileName is the file of a scenario that says what is expected.
const FileName = scenario.ExpectedFile

// Expected is the expected content of a report.
type Expected struct {
	document *yaml.Node // kind DocumentNode
}

// Difference is a deviation of a report from the expected one.
type Difference struct {
	// Line is the expectation's line in its file, from 1; 0 if the file does not mention it.
	Line int `json:"line,omitempty"`
	// Path is the place in the report: steps[replica-limit].validations[0].cost.
	Path string `json:"path"`
	// Want and Got are JSON values; nil means nothing.
	Want any `json:"want"`
	Got  any `json:"got"`
	// Problem explains the difference if the two values do not.
	Problem string `json:"problem,omitempty"`
	// edit updates the file to match the report; see Update.
	edit func()
}

// Parse reads expected.yaml. A field that reports do not have is an error, and so is an empty
// expectation.
func Parse(data []byte) (_ *Expected, err error) {
	defer guard.Error(&err)
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	e := &Expected{document: &yaml.Node{}}
	if err := decoder.Decode(e.document); errors.Is(err, io.EOF) {
		return nil, errNothing
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", FileName, err)
	}
	if err := decoder.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: it must be one document", FileName)
	}
	root := e.root()
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return nil, errNothing
	}
	if err := (&bounded{file: FileName}).check(root, 0); err != nil {
		return nil, err
	}
	if err := checkShape(root, reflect.TypeFor[report.Report](), nil); err != nil {
		return nil, err
	}
	if len(root.Content) == 0 {
		return nil, errNothing
	}
	return e, nil
}

var errNothing = fmt.Errorf("%s expects nothing: write at least outcome: {allowed: true}", FileName)

func (e *Expected) root() *yaml.Node { return e.document.Content[0] }

// Compare lists all differences between the expectation and a report.
func Compare(e *Expected, r *report.Report) (_ []Difference, err error) {
	defer guard.Error(&err)
	got, err := generic(r)
	if err != nil {
		return nil, err
	}
	c := &comparison{expected: e, report: r}
	c.compare(place{node: e.root(), typ: reflect.TypeFor[report.Report]()}, got)
	c.unmentioned(got)
	return c.differences, nil
}

// below returns the field that contains a misplaced name: outcome if it has the name, because most
// tests are about it, else the only field that does; empty if there is none or more than one.
func below(fields map[string]reflect.Type, name string) string {
	var found []string
	for field, t := range fields {
		if t = element(t); t.Kind() != reflect.Struct {
			continue
		}
		if _, has := fieldsOf(t)[name]; has {
			found = append(found, field)
		}
	}
	switch {
	case slices.Contains(found, "outcome"):
		return "outcome"
	case len(found) == 1:
		return found[0]
	}
	return ""
}

// checkShape checks that a node only has fields of the report's type, with lists and maps in the
// right places.
func checkShape(node *yaml.Node, t reflect.Type, path fieldpath.Path) error {
	node = resolve(node)
	t = element(t)
	if isNull(node) {
		return nil
	}
	wrong := func(want string) error {
		return fmt.Errorf("%s:%d: %s must be %s", FileName, node.Line, orRoot(path), want)
	}
	switch t.Kind() {
	case reflect.Struct:
		if node.Kind != yaml.MappingNode {
			return wrong("a mapping")
		}
		fields := fieldsOf(t)
		for key, item := range pairs(node) {
			field, ok := fields[key.Value]
			if inside := below(fields, key.Value); !ok && inside != "" {
				return fmt.Errorf("%s:%d: reports have no field %s; write it below %s, as %s.%s", FileName, key.Line, path.Child(key.Value), inside, inside, key.Value)
			}
			if !ok {
				return fmt.Errorf("%s:%d: reports have no field %s; %s has %s", FileName, key.Line, path.Child(key.Value), orRoot(path), nameList(fields))
			}
			if err := checkShape(item, field, path.Child(key.Value)); err != nil {
				return err
			}
		}
	case reflect.Slice:
		if node.Kind != yaml.SequenceNode {
			return wrong("a list")
		}
		for i, item := range node.Content {
			if err := checkShape(item, t.Elem(), path.Index(i)); err != nil {
				return err
			}
		}
	case reflect.Map:
		if node.Kind != yaml.MappingNode {
			return wrong("a mapping")
		}
	case reflect.Bool, reflect.String, reflect.Int, reflect.Int64:
		if _, bounded := boundOf(plain(node)); node.Kind != yaml.ScalarNode && !(bounded && isNumber(t)) {
			if isNumber(t) {
				return wrong("a single value, or a bound such as {atMost: 100}")
			}
			return wrong("a single value")
		}
	}
	return nil
}

func orRoot(path fieldpath.Path) string {
	if len(path) == 0 {
		return FileName
	}
	return path.String()
}

// kinds of named lists: the fields that identify an item
var identities = map[reflect.Type][]string{
	reflect.TypeFor[report.Step]():      {"phase", "pass", "kind", "policy", "binding", "param", "configuration", "webhook"},
	reflect.TypeFor[report.Install]():   {"kind", "name"},
	reflect.TypeFor[report.Budget]():    {"scope", "step", "policy", "name"},
	reflect.TypeFor[report.Finding]():   {"code", "policy"},
	reflect.TypeFor[report.Unmatched](): {"name"},
	diagnosticType:                      {"code", "text", "line", "path", "document"},
	reflect.TypeFor[report.Evaluation](): {
		"name", "list",
	},
	reflect.TypeFor[report.Authorization](): {
		"user", "verb", "path", "apiGroup", "resource", "subResource", "namespace", "name",
	},
}

// inOrder are lists of unnamed items: they are compared from the first, and the report may have
// more.
func inOrder(t reflect.Type) bool {
	return slices.Contains([]reflect.Type{reflect.TypeFor[report.Mutation](), reflect.TypeFor[report.Validation]()}, t)
}
