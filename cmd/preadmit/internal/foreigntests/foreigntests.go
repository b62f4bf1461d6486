// Package foreigntests reads other tools' tests: from kyverno's command line, kaptest and kat. Each
// test becomes a scenario with one policy, its bindings and its request, and the tool's expected
// result. Everything that cannot be converted is listed with its place: a test that silently checks
// less is worse than none.
package foreigntests

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/preadmit/preadmit/engine/scenario"
)

// Suite is the content of one file, or of one kat folder.
type Suite struct {
	// Tool is Kyverno, Kaptest or Kat.
	Tool  string
	Tests []*Test
	// Left lists what was not converted.
	Left []Left
}

// The tools.
const (
	Kyverno = "kyverno"
	Kaptest = "kaptest"
	Kat     = "kat"
)

// Left is something that was not converted.
type Left struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"` // from 1; 0 for a whole file
	What string `json:"what"`
}

func (l Left) String() string {
	if l.Line == 0 {
		return l.File + ": " + l.What
	}
	return fmt.Sprintf("%s:%d: %s", l.File, l.Line, l.What)
}

// Test is one policy with one request.
type Test struct {
	Name string
	// File and Line are the expectation's place.
	File string
	Line int
	// Policy is the name of the test's policy, the only one in the scenario.
	Policy   string
	Scenario scenario.Scenario
	Expected Expected
}

// testsFolder is where kat keeps its tests, next to the policies.
const testsFolder = "tests"

// Is reports whether a path has a known layout: a test file for kyverno or kaptest, or kat's test
// folder.
func Is(path string) bool { return tool(path) != "" }

func tool(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	name := filepath.Base(path)
	switch {
	case info.IsDir():
		if name == testsFolder && len(katTests(path)) > 0 && len(katPolicies(filepath.Dir(path))) > 0 {
			return Kat
		}
		return ""
	case isYAML(name, "kyverno-test"):
		return Kyverno
	case isYAML(name, "kaptest"):
		return Kaptest
	}
	return ""
}

func isYAML(name, stem string) bool { return name == stem+".yaml" || name == stem+".yml" }

// Read reads a path that Is accepts. An error means that nothing can be read.
func Read(path string) (*Suite, error) {
	s := &Suite{Tool: tool(path)}
	var err error
	switch s.Tool {
	case Kyverno:
		err = s.kyverno(path)
	case Kaptest:
		err = s.kaptest(path)
	case Kat:
		err = s.kat(path)
	default:
		err = fmt.Errorf("%s is not a test for kyverno, kaptest or kat", path)
	}
	return s, err
}

func (s *Suite) left(file string, line int, format string, args ...any) {
	one := Left{file, line, fmt.Sprintf(format, args...)}
	if !slices.Contains(s.Left, one) {
		s.Left = append(s.Left, one)
	}
}

// mapping reads a YAML file that is one mapping.
func mapping(file string) (*yaml.Node, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(document.Content) != 1 || document.Content[0].Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%s: it is not a mapping", file)
	}
	return document.Content[0], nil
}

// field returns a mapping's field, or nil.
func field(node *yaml.Node, name string) *yaml.Node {
	if node == nil || node.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == name {
			return node.Content[i+1]
		}
	}
	return nil
}

// text returns a field's value; empty if missing.
func text(node *yaml.Node, name string) string {
	if f := field(node, name); f != nil && f.Kind == yaml.ScalarNode {
		return f.Value
	}
	return ""
}

// items returns a list's items.
func items(node *yaml.Node) []*yaml.Node {
	if node == nil || node.Kind != yaml.SequenceNode {
		return nil
	}
	return node.Content
}

// rest lists the fields that were not converted. why has reasons for some.
func (s *Suite) rest(file string, node *yaml.Node, why map[string]string, taken ...string) {
	if node == nil || node.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i]
		if slices.Contains(taken, key.Value) || empty(node.Content[i+1]) {
			continue
		}
		reason := why[key.Value]
		if reason == "" {
			reason = "Preadmit has no equivalent"
		}
		s.left(file, key.Line, "%s: %s", key.Value, reason)
	}
}

func empty(node *yaml.Node) bool {
	switch node.Kind {
	case yaml.ScalarNode:
		return node.Value == "" || node.Tag == "!!null" || node.Value == "false"
	case yaml.MappingNode, yaml.SequenceNode:
		return len(node.Content) == 0
	}
	return false
}

// beside resolves a path relative to the folder of the file that names it.
func beside(file, name string) string { return filepath.Join(filepath.Dir(file), name) }

// remote reports whether a name is a URL, which is never fetched.
func remote(name string) bool { return strings.Contains(name, "://") }
