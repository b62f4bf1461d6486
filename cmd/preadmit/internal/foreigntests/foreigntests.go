// Package foreigntests reads the tests of other tools: of kyverno's command line, of kaptest
// and of kat. Each test becomes a scenario with one policy, its bindings and its request,
// and what the tool would say of it. Whatever cannot be taken over is listed with its
// place: a test that is silently easier than it was is worse than none.
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

// Suite is what was read of one file, or of one folder of kat.
type Suite struct {
	// Tool is Kyverno, Kaptest or Kat.
	Tool  string
	Tests []*Test
	// Left is what was not taken over.
	Left []Left
}

// The tools.
const (
	Kyverno = "kyverno"
	Kaptest = "kaptest"
	Kat     = "kat"
)

// Left is something that was not taken over.
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

// Test is one policy that meets one request.
type Test struct {
	Name string
	// File and Line are where the test says what is expected.
	File string
	Line int
	// Policy is the name of the policy that the test is about. The scenario has no other.
	Policy   string
	Scenario scenario.Scenario
	Expected Expected
}

// testsFolder is where kat has its tests, beside the policies.
const testsFolder = "tests"

// Is reports whether a path is one of a layout: a test file of kyverno or kaptest, or
// the folder of the tests of kat.
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

// Read reads a path of which Is is true. An error means that nothing of it can be read.
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

// field is a field of a mapping, nil if there is none.
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

// text is the value of a field, empty if there is none.
func text(node *yaml.Node, name string) string {
	if f := field(node, name); f != nil && f.Kind == yaml.ScalarNode {
		return f.Value
	}
	return ""
}

// items are those of a list.
func items(node *yaml.Node) []*yaml.Node {
	if node == nil || node.Kind != yaml.SequenceNode {
		return nil
	}
	return node.Content
}

// rest lists the fields that are not among those taken. why has reasons for some.
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

// beside is a path that a file names, which is relative to the folder of the file.
func beside(file, name string) string { return filepath.Join(filepath.Dir(file), name) }

// remote reports whether a name is a URL: nothing is fetched.
func remote(name string) bool { return strings.Contains(name, "://") }
