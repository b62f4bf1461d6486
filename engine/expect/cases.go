package expect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/guard"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// CasesFile is the file of a scenario that holds a table of requests, each with what
// is expected of it.
const CasesFile = scenario.CasesFile

// Cases is the table of a scenario: several requests that meet the same policies and
// the same cluster.
//
//   - name: five replicas
//     set: {/spec/replicas: 5}
//     expected: {outcome: {allowed: true}}
//   - name: a Job
//     request: {apiVersion: batch/v1, kind: Job, ...}
//     expected: {outcome: {state: noPolicyRan}}
//
// set and remove change request.yaml, by JSON Pointers into the document that it has;
// request takes its place, and file names a file beside it that does.
type Cases struct {
	List     []*Case
	document *yaml.Node
}

// Case is one line of the table.
type Case struct {
	Name string
	// Line is where the case begins in the file, from 1.
	Line int
	// File is the name of a file with the request, or empty.
	File string
	// Expected is what the report must hold; nil when the case does not say it yet.
	Expected *Expected

	node    *yaml.Node
	request *yaml.Node
	set     *yaml.Node
	remove  []string
}

// ParseCases reads a table. A field that cases do not have is an error, as are two
// cases of one name.
func ParseCases(data []byte) (_ *Cases, err error) {
	defer guard.Error(&err)
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	c := &Cases{document: &yaml.Node{}}
	if err := decoder.Decode(c.document); errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: it has no cases", CasesFile)
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", CasesFile, err)
	}
	root := c.document.Content[0]
	if root.Kind != yaml.SequenceNode || len(root.Content) == 0 {
		return nil, fmt.Errorf("%s:%d: it must be a list of cases, each with name and expected", CasesFile, root.Line)
	}
	if err := (&bounded{file: CasesFile}).check(root, 0); err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, node := range root.Content {
		one, err := parseCase(resolve(node))
		if err != nil {
			return nil, err
		}
		if names[one.Name] {
			return nil, fmt.Errorf("%s:%d: there are two cases %q", CasesFile, one.Line, one.Name)
		}
		names[one.Name] = true
		c.List = append(c.List, one)
	}
	return c, nil
}

func parseCase(node *yaml.Node) (*Case, error) {
	wrong := func(at *yaml.Node, format string, args ...any) error {
		return fmt.Errorf("%s:%d: %s", CasesFile, at.Line, fmt.Sprintf(format, args...))
	}
	if node.Kind != yaml.MappingNode {
		return nil, wrong(node, "a case must be a mapping")
	}
	one := &Case{Line: node.Line, node: node}
	for key, item := range pairs(node) {
		item = resolve(item)
		switch key.Value {
		case "name":
			one.Name = fmt.Sprint(plain(item))
		case "file":
			one.File = fmt.Sprint(plain(item))
		case "request":
			one.request = item
		case "set":
			if item.Kind != yaml.MappingNode {
				return nil, wrong(item, "set must be a mapping from JSON Pointers to values")
			}
			one.set = item
		case "remove":
			list, ok := plain(item).([]any)
			if !ok {
				return nil, wrong(item, "remove must be a list of JSON Pointers")
			}
			for _, pointer := range list {
				one.remove = append(one.remove, fmt.Sprint(pointer))
			}
		case "expected":
			if isNull(item) || item.Kind == yaml.MappingNode && len(item.Content) == 0 {
				return nil, wrong(item, "the case expects nothing: write at least outcome: {allowed: true}")
			}
			one.Expected = &Expected{document: &yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{item}}}
			if err := checkShape(item, reflect.TypeFor[report.Report](), nil); err != nil {
				return nil, errors.New(CasesFile + strings.TrimPrefix(err.Error(), FileName))
			}
		default:
			return nil, wrong(key, "cases have no field %s; they have name, request, file, set, remove and expected", key.Value)
		}
	}
	given := 0
	for _, is := range []bool{one.File != "", one.request != nil, one.set != nil || one.remove != nil} {
		if is {
			given++
		}
	}
	switch {
	case one.Name == "":
		return nil, wrong(node, "the case has no name")
	case given > 1:
		return nil, wrong(node, "give the request by only one of request, file, or set and remove")
	}
	return one, nil
}

// Request is the text of the case's request. base is that of request.yaml, or of the
// case's file.
func (c *Case) Request(base string) (_ string, err error) {
	defer guard.Error(&err)
	if c.request != nil {
		text, err := scenario.YAML(plain(c.request))
		return string(text), err
	}
	if c.set == nil && c.remove == nil {
		return base, nil
	}
	documents, problems := scenario.ParseDocuments(diag.Request, base)
	if diag.HasErrors(problems) || len(documents) != 1 {
		return "", fmt.Errorf("%s:%d: set and remove need one request in %s that can be read", CasesFile, c.Line, scenario.RequestFile)
	}
	var object any = untyped.Copy(documents[0].Value)
	for _, pointer := range c.remove {
		path := fieldpath.FromPointer(pointer)
		if _, ok := path.Get(object); !ok {
			return "", fmt.Errorf("%s:%d: %s has nothing at %s, which remove names", CasesFile, c.Line, scenario.RequestFile, pointer)
		}
		object = path.Remove(object)
	}
	if c.set != nil {
		for key, item := range pairs(c.set) {
			if !fieldpath.FromPointer(nameOf(key)).Set(object, plain(item)) {
				return "", fmt.Errorf("%s:%d: %s has no place for %s", CasesFile, key.Line, scenario.RequestFile, nameOf(key))
			}
		}
	}
	text, err := scenario.YAML(object)
	return string(text), err
}

// Update brings the case into line with a report: one that says nothing yet gets the
// verdict, as [Verdict] writes it. It reports whether anything changed.
func (c *Case) Update(r *report.Report) (_ bool, err error) {
	defer guard.Error(&err)
	if c.Expected == nil {
		fresh := Verdict(r).root()
		// Written as YAML and read again, since the nodes of a new document have no tags.
		raw, err := yaml.Marshal(fresh)
		if err != nil {
			return false, fmt.Errorf("writing %s: %w", CasesFile, err)
		}
		var value yaml.Node
		if err := yaml.Unmarshal(raw, &value); err != nil {
			return false, fmt.Errorf("writing %s: %w", CasesFile, err)
		}
		var key yaml.Node
		key.SetString("expected")
		c.node.Style = 0
		c.node.Content = append(c.node.Content, &key, value.Content[0])
		return true, nil
	}
	differences, err := Compare(c.Expected, r)
	if err != nil {
		return false, err
	}
	for _, d := range differences {
		d.edit()
	}
	return len(differences) > 0, nil
}

// YAML is the text of the table.
func (c *Cases) YAML() (_ []byte, err error) {
	defer guard.Error(&err)
	text, err := (&Expected{document: c.document}).YAML()
	if err != nil {
		return nil, errors.New(CasesFile + strings.TrimPrefix(err.Error(), FileName))
	}
	return text, nil
}

// bound is an expectation of a number that leaves room: {atMost: 100}.
type bound struct{ atLeast, atMost *float64 }

// boundOf reads a mapping as a bound. It is none when it has another field.
func boundOf(v any) (bound, bool) {
	m, ok := v.(map[string]any)
	if !ok || len(m) == 0 {
		return bound{}, false
	}
	var b bound
	for name, limit := range m {
		f, ok := asFloat(limit)
		switch {
		case !ok:
			return bound{}, false
		case name == "atMost":
			b.atMost = &f
		case name == "atLeast":
			b.atLeast = &f
		default:
			return bound{}, false
		}
	}
	return b, true
}

// holds reports whether a number is within the bound. No number is not.
func (b bound) holds(v any) bool {
	if n, ok := v.(json.Number); ok {
		v, _ = n.Float64()
	}
	f, ok := asFloat(v)
	return ok && (b.atMost == nil || f <= *b.atMost) && (b.atLeast == nil || f >= *b.atLeast)
}
