package expressions

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/crd"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/scenario"
)

// This file repairs rules whose estimated cost is too high: it finds the lists, maps and
// strings of the schema whose missing limits cause that, and limits that are enough.

// sizeLimits are tried in turn, for lists and maps, and for strings.
var sizeLimits = []struct{ items, length int64 }{
	{1000, 1024}, {500, 512}, {256, 253}, {128, 253}, {100, 128}, {64, 63}, {32, 63}, {16, 63}, {10, 32}, {5, 16}, {3, 10},
}

const (
	// maxUnlimited is how many places without a limit are looked at.
	maxUnlimited = 12
	// maxRulesTogether is how many rules an estimate of all may have.
	maxRulesTogether = 20
	// estimateWork is what one estimate of one rule takes, in units of work.
	estimateWork = 3_000
)

// unlimited is a node of a schema that may be of any size.
type unlimited struct {
	path    fieldpath.Path // of the node
	keyword string         // maxItems, maxProperties or maxLength
	value   string         // the path of the values, as people write it
	// inAllOf is the smallest limit that branches of allOf set, which estimates do not read.
	inAllOf int64
}

// sizes adds the limits that a rule at a path needs, or that all schema rules need,
// and says which are missing.
func (r *Repairer) sizes(d *diag.Diagnostic, doc *scenario.Document, path fieldpath.Path, v version.Version) {
	s := &sizing{Repairer: r, doc: doc, version: v, path: path.String()}
	node, below := path, ""
	if last := path.Last(); last == "rule" || last == "messageExpression" {
		node = path.Parent().Parent().Parent()
	}
	if s.value = s.only(node, path); s.value == nil {
		return
	}
	var list []unlimited
	list, below = around(s.value, node)
	inside, _ := node.Get(s.value)
	list = within(list, inside, node, below)
	if len(list) == 0 || len(list) > maxUnlimited {
		return
	}
	for _, limit := range sizeLimits {
		s.items, s.length = limit.items, limit.length
		if !s.fits(list) {
			continue
		}
		// What makes no difference is not the cause.
		for i := len(list) - 1; i >= 0; i-- {
			if without := slices.Delete(slices.Clone(list), i, i+1); s.fits(without) {
				list = without
			}
		}
		s.repair(d, list)
		return
	}
}

// sizing is the search for limits.
type sizing struct {
	*Repairer
	doc     *scenario.Document
	version version.Version
	// value is the definition with the rules that count.
	value         map[string]any
	path          string
	rules         int
	items, length int64
}

// only is the definition without all other rules, or with all where the path is that of
// a schema; nil when there are too many.
func (s *sizing) only(node, path fieldpath.Path) map[string]any {
	value := runtime.DeepCopyJSON(s.doc.Value)
	all := path.Last() == "openAPIV3Schema"
	var walk func(v any, at fieldpath.Path)
	walk = func(v any, at fieldpath.Path) {
		switch v := v.(type) {
		case map[string]any:
			if list, ok := v["x-kubernetes-validations"].([]any); ok {
				if s.rules += len(list); !all && !sameNames(at, node) {
					delete(v, "x-kubernetes-validations")
				}
			}
			for name, child := range v {
				walk(child, at.Child(name))
			}
		case []any:
			for i, item := range v {
				walk(item, at.Index(i))
			}
		}
	}
	walk(value, nil)
	if all && s.rules > maxRulesTogether {
		return nil
	}
	return value
}

// sameNames compares paths however their steps are written.
func sameNames(a, b fieldpath.Path) bool {
	return slices.EqualFunc(a, b, func(x, y fieldpath.Step) bool { return x.Name() == y.Name() })
}

// fits reports whether the estimates are within their limits when the places have some.
func (s *sizing) fits(list []unlimited) bool {
	s.Environments.Budget().Work(estimateWork * max(s.rules, 1))
	value := runtime.DeepCopyJSON(s.value)
	for _, u := range list {
		node, _ := u.path.Get(value)
		if fields, ok := node.(map[string]any); ok {
			fields[u.keyword] = s.limit(u)
		}
	}
	decoded, err := crd.Decode(value)
	if err != nil {
		return false
	}
	decoded.PrepareForCreate(s.version)
	return s.WithinLimits(decoded, s.path)
}

func (s *sizing) limit(u unlimited) int64 {
	limit := s.items
	if u.keyword == "maxLength" {
		limit = s.length
	}
	if u.inAllOf > 0 {
		return min(u.inAllOf, limit)
	}
	return limit
}

// repair writes the limits.
func (s *sizing) repair(d *diag.Diagnostic, list []unlimited) {
	var edits []diag.Edit
	var missing, added []string
	// A place inside another comes first: both may end at the same line.
	slices.SortStableFunc(list, func(a, b unlimited) int { return len(b.path) - len(a.path) })
	for _, u := range list {
		edit, ok := s.doc.Insert(u.path.String(), u.keyword, fmt.Sprint(s.limit(u)))
		if !ok {
			return
		}
		if i := slices.IndexFunc(edits, func(e diag.Edit) bool { return e.Span == edit.Span }); i >= 0 {
			edits[i].New += edit.New
		} else {
			edits = append(edits, edit)
		}
	}
	slices.Reverse(list)
	for _, u := range list {
		missing = append(missing, fmt.Sprintf("%s of %s", u.keyword, u.value))
		added = append(added, fmt.Sprintf("%s: %d to %s", u.keyword, s.limit(u), u.value))
	}
	d.Detail = "The estimate uses the largest sizes that the schema allows. It is too high because of the missing " + listed(missing) + "."
	if slices.ContainsFunc(list, func(u unlimited) bool { return u.inAllOf > 0 }) {
		d.Detail += " It does not look into allOf."
	}
	d.Fixes = []diag.Fix{{Title: "Add " + listed(added), Edits: edits}}
}

func listed(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// around are the nodes around a node that may be of any size: they say how often a rule
// runs. The second result is the path of the node's values.
func around(value map[string]any, node fieldpath.Path) (list []unlimited, below string) {
	start := slices.IndexFunc(node, func(s fieldpath.Step) bool { return s.Name() == "openAPIV3Schema" })
	for i := start + 1; start >= 0 && i <= len(node); i++ {
		at := node[:i]
		if i == len(node) {
			break
		}
		fields := fieldpath.As[map[string]any](at.Get(value))
		switch name := node[i].Name(); name {
		case "properties":
			if i++; i < len(node) {
				below = fieldpath.Join(below, node[i].Name())
			}
		case "items", "additionalProperties":
			list = limitless(list, fields, at, below)
			below += "[]"
		}
	}
	return list, below
}

// within adds the nodes of a value's schema that may be of any size.
func within(list []unlimited, schema any, at fieldpath.Path, below string) []unlimited {
	fields, _ := schema.(map[string]any)
	list = limitless(list, fields, at, below)
	properties, _ := fields["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		list = within(list, properties[name], at.Child("properties").Key(name), fieldpath.Join(below, name))
	}
	for _, name := range []string{"items", "additionalProperties"} {
		if fields[name] != nil {
			list = within(list, fields[name], at.Child(name), below+"[]")
		}
	}
	return list
}

// limitless adds a node that may be of any size.
func limitless(list []unlimited, fields map[string]any, at fieldpath.Path, below string) []unlimited {
	keyword := ""
	switch kind, _ := fields["type"].(string); {
	case kind == "array":
		keyword = "maxItems"
	case kind == "object" && fields["additionalProperties"] != nil:
		keyword = "maxProperties"
	case (kind == "string" || fields[intOrString] == true) && fields["enum"] == nil:
		keyword = "maxLength"
	}
	if keyword == "" || fields[keyword] != nil {
		return list
	}
	if below == "" {
		below = "the value"
	}
	return append(list, unlimited{slices.Clone(at), keyword, below, inAllOf(fields, keyword)})
}

// inAllOf is the smallest limit that the branches of allOf set; 0 where none does.
func inAllOf(fields map[string]any, keyword string) (smallest int64) {
	branches, _ := fields["allOf"].([]any)
	for _, branch := range branches {
		of, _ := branch.(map[string]any)
		if n, ok := of[keyword].(int64); ok && (smallest == 0 || n < smallest) {
			smallest = n
		}
	}
	return smallest
}
