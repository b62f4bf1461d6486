package expect

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report"
)

// comparison collects the differences of one run.
type comparison struct {
	expected    *Expected
	report      *report.Report
	differences []Difference
}

// place is one expectation: a node of the file, and the report's type there;
// nil inside objects, which have none.
type place struct {
	node *yaml.Node
	typ  reflect.Type
	path fieldpath.Path
	// remove takes the expectation out of the file.
	remove func()
}

func (c *comparison) differ(p place, got any, problem string) {
	c.differences = append(c.differences, Difference{
		Line: p.node.Line, Path: orRoot(p.path), Want: plain(p.node), Got: got, Problem: problem,
		edit: func() { p.replace(got) },
	})
}

// replace writes another value in place of the expectation, or takes it out.
func (p place) replace(v any) {
	if v == nil && p.remove != nil {
		p.remove()
		return
	}
	var fresh yaml.Node
	if err := fresh.Encode(v); err != nil {
		return // a value of JSON can always be encoded
	}
	target := resolve(p.node)
	fresh.HeadComment, fresh.LineComment, fresh.FootComment = target.HeadComment, target.LineComment, target.FootComment
	if fresh.Kind == target.Kind && fresh.Kind != yaml.ScalarNode {
		fresh.Style = target.Style
	}
	*target = fresh
}

func (c *comparison) compare(p place, got any) {
	node := resolve(p.node)
	typ := p.typ
	for typ != nil && typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if typ != nil && typ.Kind() == reflect.Interface || isObject(typ) {
		typ = nil
	}
	want := plain(node)
	if limits, ok := boundOf(want); ok && isNumber(typ) {
		if !limits.holds(got) {
			c.outOfBounds(place{node, typ, p.path, p.remove}, got)
		}
		return
	}
	switch {
	case empty(want):
		if !empty(got) {
			c.differ(p, got, "")
		}
	case typ != nil && zero(want) && got == nil:
		// The report leaves out what is zero.
	case node.Kind == yaml.MappingNode:
		c.mapping(place{node, typ, p.path, p.remove}, got)
	case node.Kind == yaml.SequenceNode:
		c.sequence(place{node, typ, p.path, p.remove}, got)
	default:
		if !equalScalars(want, got) {
			c.differ(p, got, "")
		}
	}
}

// isNumber reports whether a type of the report is a number, such as a cost.
func isNumber(t reflect.Type) bool {
	return t != nil && (t.Kind() == reflect.Int || t.Kind() == reflect.Int64)
}

// outOfBounds adds the difference of a number that is too large or too small. Brought
// into line, the bound that is broken becomes the number, and stays a bound.
func (c *comparison) outOfBounds(p place, got any) {
	c.differ(p, got, "")
	c.differences[len(c.differences)-1].edit = func() {
		for key, item := range pairs(p.node) {
			if limit, ok := boundOf(map[string]any{key.Value: plain(item)}); ok && !limit.holds(got) {
				place{node: item}.replace(got)
			}
		}
	}
}

// isObject says that a type holds an object of Kubernetes, whose fields are
// not the report's.
func isObject(t reflect.Type) bool {
	return t != nil && t.Kind() == reflect.Map && t.Elem().Kind() == reflect.Interface
}

func (c *comparison) mapping(p place, got any) {
	object, ok := got.(map[string]any)
	if !ok {
		c.differ(p, got, "")
		return
	}
	var fields map[string]reflect.Type
	if p.typ != nil && p.typ.Kind() == reflect.Struct {
		fields = fieldsOf(p.typ)
	}
	for key, item := range pairs(p.node) {
		typ := fields[key.Value]
		if p.typ != nil && p.typ.Kind() == reflect.Map {
			typ = p.typ.Elem()
		}
		c.compare(place{item, typ, p.path.Child(key.Value), removeKey(p.node, key)}, object[key.Value])
	}
}

func removeKey(parent, key *yaml.Node) func() {
	return func() {
		if i := slices.Index(parent.Content, key); i >= 0 {
			parent.Content = slices.Delete(parent.Content, i, i+2)
		}
	}
}

func removeItem(parent, item *yaml.Node) func() {
	return func() {
		if i := slices.Index(parent.Content, item); i >= 0 {
			parent.Content = slices.Delete(parent.Content, i, i+1)
		}
	}
}

func (c *comparison) sequence(p place, got any) {
	list, ok := got.([]any)
	if !ok && got != nil {
		c.differ(p, got, "")
		return
	}
	var item reflect.Type
	if p.typ != nil && p.typ.Kind() == reflect.Slice {
		item = p.typ.Elem()
	}
	switch {
	case item != nil && identities[item] != nil:
		c.named(p, item, list)
	case item != nil && inOrder(item):
		c.ordered(p, item, list)
	case len(list) != len(p.node.Content):
		c.differ(p, got, fmt.Sprintf("%d items instead of %d", len(list), len(p.node.Content)))
	default:
		c.ordered(p, item, list)
	}
}

// ordered compares items by their place.
func (c *comparison) ordered(p place, item reflect.Type, list []any) {
	for i, node := range slices.Clone(p.node.Content) {
		at := place{node, item, p.path.Index(i), removeItem(p.node, node)}
		if i >= len(list) {
			c.differ(at, nil, fmt.Sprintf("there are only %d", len(list)))
			continue
		}
		c.compare(at, list[i])
	}
}

// named compares items with those of the same identity. Of several, the one
// with the fewest differences is taken, and each only once.
func (c *comparison) named(p place, item reflect.Type, list []any) {
	used := make([]bool, len(list))
	for _, node := range slices.Clone(p.node.Content) {
		resolved := resolve(node)
		name := identity(resolved, item)
		at := place{node, item, p.path.Key(name), removeItem(p.node, node)}
		best, differences := -1, []Difference(nil)
		for i, got := range list {
			if used[i] || !identifies(resolved, item, got) {
				continue
			}
			trial := &comparison{expected: c.expected, report: c.report}
			trial.compare(at, got)
			trial.mustRun(at, got)
			if best < 0 || len(trial.differences) < len(differences) {
				best, differences = i, trial.differences
			}
		}
		if best < 0 {
			c.differ(at, nil, "the report has none"+c.others(item, list))
			continue
		}
		used[best] = true
		c.differences = append(c.differences, differences...)
	}
}

// mustRun rejects a step of a policy that did not run although the author names it:
// only a status, or a match condition that is false, says that it shall not.
func (c *comparison) mustRun(p place, got any) {
	step, ok := got.(map[string]any)
	if p.typ != reflect.TypeFor[report.Step]() || !ok {
		return
	}
	status := fmt.Sprint(step["status"])
	ran := status == string(report.Evaluated) || status == string(report.Errored) || step["verdict"] == string(report.Deny)
	if ran || saysIdle(resolve(p.node)) {
		return
	}
	problem := "it did not run"
	if status == string(report.NotMatched) {
		problem = "it does not match the request"
	}
	c.differences = append(c.differences, Difference{
		Line: p.node.Line, Path: p.path.String(), Got: status,
		Problem: fmt.Sprintf("%s: %v. If that is intended, write status: %s", problem, step["reason"], status),
		edit:    func() { addField(p.node, "status", status) },
	})
}

// saysIdle reports whether the expectation of a step says that it need not run.
func saysIdle(step *yaml.Node) bool {
	if _, ok := child(step, "status"); ok {
		return true
	}
	conditions, ok := child(step, "conditions")
	return ok && slices.ContainsFunc(resolve(conditions).Content, func(n *yaml.Node) bool {
		result, ok := child(resolve(n), "result")
		return ok && plain(result) == false
	})
}

func addField(node *yaml.Node, name string, v any) {
	var key, item yaml.Node
	key.SetString(name)
	if err := item.Encode(v); err == nil {
		node = resolve(node)
		node.Content = append(node.Content, &key, &item)
	}
}

// identifies says that an item of the report has all identifying fields that
// the expectation names.
func identifies(node *yaml.Node, item reflect.Type, got any) bool {
	object, ok := got.(map[string]any)
	if !ok || node.Kind != yaml.MappingNode {
		return false
	}
	for _, field := range identities[item] {
		want, named := child(node, field)
		if !named {
			continue
		}
		if v := plain(want); !(zero(v) && object[field] == nil) && !equalScalars(v, object[field]) {
			return false
		}
	}
	return true
}

// identity is what an item is called in a path.
func identity(node *yaml.Node, item reflect.Type) string {
	var parts []string
	for _, field := range identities[item] {
		if v, ok := child(node, field); ok {
			parts = append(parts, fmt.Sprint(plain(v)))
		}
	}
	return strings.Join(parts, " ")
}

// others names what the report has instead.
func (c *comparison) others(item reflect.Type, list []any) string {
	if len(list) == 0 {
		return "; the list is empty"
	}
	var names []string
	for _, got := range list {
		object, _ := got.(map[string]any)
		var parts []string
		for _, field := range identities[item] {
			v := object[field]
			switch {
			case zero(v) || field == "phase" || field == "kind":
			case field == "pass":
				parts = append(parts, fmt.Sprint("pass ", v))
			default:
				parts = append(parts, fmt.Sprint(v))
			}
		}
		names = append(names, strings.Join(parts, " "))
	}
	return "; it has " + strings.Join(slices.Compact(names), ", ")
}
