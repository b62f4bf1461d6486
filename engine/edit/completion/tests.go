package completion

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"

	"github.com/preadmit/preadmit/engine/expect"
	"github.com/preadmit/preadmit/engine/internal/guard"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// caseFields are those of a case, and whether their value is nested. See [expect.Case].
var caseFields = []expect.Field{{Name: "name"}, {Name: "expected", Nested: true}, {Name: "set", Nested: true},
	{Name: "remove", Nested: true}, {Name: "file"}, {Name: "request", Nested: true}}

// Tests lists what can be written at an offset of a file of tests: cases.yaml, or expected.yaml. A
// request in it completes as a manifest. What is expected completes with the fields of reports, and
// with the values that report says a test has: it is given the index of a case, or 0 for expected.yaml,
// and may return nil. Pointers of set and remove are those of s.Request.
func (c *Completer) Tests(s scenario.Scenario, file, text string, offset int, report func(index int) (*report.Report, error)) (_ Result, err error) {
	defer guard.Error(&err)
	nothing := Result{From: offset, To: offset}
	if offset < 0 || offset > len(text) || len(text) > scenario.MaxTextBytes {
		return nothing, nil
	}
	q := &query{Completer: c, scenario: s, offset: offset, src: text, catalog: c.withCRDs(s.Cluster), cursor: locate(text, offset)}
	if q.cursor == nil {
		return nothing, nil
	}
	path, index := q.cursor.path, 0
	if file == scenario.CasesFile {
		var rest fieldpath.Path
		if len(path) == 0 || !path[0].IsIndex() {
			return nothing, nil
		}
		var err error
		if index, err = strconv.Atoi(path[0].Name()); err != nil {
			return nothing, nil
		}
		if rest = path[1:]; len(rest) == 0 {
			return q.word(q.missing(caseFields)), nil
		}
		switch rest[0].Name() {
		case "expected":
			path = rest[1:]
		case "set", "remove":
			return q.word(q.pointers()), nil
		case "request":
			q.cursor.enter(path[:2])
			return q.yaml(), nil
		default:
			return nothing, nil
		}
	}
	if q.cursor.isKey {
		return q.word(q.missing(expect.Fields(path.String()))), nil
	}
	now, err := report(index)
	if err != nil {
		return nothing, err
	}
	values, err := expect.Values(now, path.String())
	if err != nil {
		return nothing, err
	}
	var items []Item
	for i, value := range values {
		items = append(items, Item{Label: value, Kind: ValueItem, Boost: -i})
	}
	if len(values) == 0 { // A key that is not finished reads as a value.
		items = q.missing(expect.Fields(path.String()))
	}
	return q.word(items), nil
}

// word is the answer for the key or value around the cursor.
func (q *query) word(items []Item) Result {
	return q.result(keyPrefix(q.cursor.before), keySuffix(q.cursor.after), items)
}

// missing are the fields that the mapping around the cursor does not have.
func (q *query) missing(fields []expect.Field) []Item {
	var items []Item
	for i, field := range fields {
		if !slices.Contains(q.cursor.siblings, field.Name) {
			items = append(items, Item{Label: field.Name, Kind: FieldItem, Apply: field.Name + ":" + afterKey(field.Nested), Boost: -i})
		}
	}
	return items
}

// pointers are the JSON Pointers of the request's single values.
func (q *query) pointers() []Item {
	documents, _ := scenario.ParseDocuments("", q.scenario.Request)
	if len(documents) != 1 {
		return nil
	}
	after := ""
	if q.cursor.isKey {
		after = ": "
	}
	var items []Item
	var walk func(value any, pointer string)
	walk = func(value any, pointer string) {
		switch value := value.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(value)) {
				walk(value[key], pointer+"/"+fieldpath.Escape(key))
			}
		case []any:
			for i, item := range value {
				walk(item, fmt.Sprintf("%s/%d", pointer, i))
			}
		default:
			detail := strings.TrimSpace(fmt.Sprint(value))
			items = append(items, Item{Label: pointer, Kind: FieldItem, Detail: detail, Apply: pointer + after})
		}
	}
	walk(documents[0].Value, "")
	return items
}

// enter takes the value at a path as the document.
func (c *cursor) enter(path fieldpath.Path) {
	for _, step := range path {
		var child *yamlv3.Node
		for i := 0; i+1 < len(c.root.Content) && !step.IsIndex(); i += 2 {
			if c.root.Content[i].Value == step.Name() {
				child = c.root.Content[i+1]
			}
		}
		for i, item := range c.root.Content {
			if step.IsIndex() && strconv.Itoa(i) == step.Name() {
				child = item
			}
		}
		if child == nil {
			return
		}
		c.root, c.path = child, c.path[1:]
	}
}
