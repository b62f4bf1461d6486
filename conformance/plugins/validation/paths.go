package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A path leads through an object: names of fields and indexes of lists.
type path []any

// String writes a path as the server does in errors.
func (p path) String() string {
	var b strings.Builder
	for _, step := range p {
		switch s := step.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", s)
		case string:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s)
		}
	}
	return b.String()
}

// pattern writes a path without its indexes.
func (p path) pattern() string {
	var b strings.Builder
	for _, step := range p {
		switch s := step.(type) {
		case int:
			b.WriteString("[]")
		case string:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s)
		}
	}
	return b.String()
}

func (p path) with(step any) path { return append(slices.Clone(p), step) }

// get is the value at a path; nil when there is none.
func (p path) get(o any) any {
	for _, step := range p {
		switch s := step.(type) {
		case int:
			list, _ := o.([]any)
			if s >= len(list) {
				return nil
			}
			o = list[s]
		case string:
			m, _ := o.(map[string]any)
			o = m[s]
		}
	}
	return o
}

// without is a copy of an object that lacks what is at a path.
func (p path) without(o map[string]any) map[string]any {
	out := copied(o)
	if m, ok := p[:len(p)-1].get(out).(map[string]any); ok {
		delete(m, p[len(p)-1].(string))
	}
	return out
}

// set is a copy of an object with another value at a path.
func (p path) set(o map[string]any, value any) map[string]any {
	out := copied(o)
	switch parent := p[:len(p)-1].get(out).(type) {
	case map[string]any:
		parent[p[len(p)-1].(string)] = value
	case []any:
		parent[p[len(p)-1].(int)] = value
	}
	return out
}

func copied(o map[string]any) map[string]any {
	raw, err := json.Marshal(o)
	if err != nil {
		panic(err) // it was decoded from JSON
	}
	decoder := json.NewDecoder(strings.NewReader(string(raw)))
	decoder.UseNumber()
	var out map[string]any
	if err := decoder.Decode(&out); err != nil {
		panic(err)
	}
	return out
}

// notAsked are fields at the root that are checked elsewhere or not by clients.
var notAsked = map[string]bool{"apiVersion": true, "kind": true, "metadata": true, "status": true}

// opaque are fields whose keys are the user's, so that a path through them says
// nothing about other objects.
var opaque = map[string]bool{
	"data": true, "stringData": true, "binaryData": true, "labels": true, "annotations": true, "matchLabels": true, "nodeSelector": true, "selector": true,
	"requests": true, "limits": true, "hard": true, "capacity": true, "parameters": true, "max": true, "min": true, "default": true,
	"defaultRequest": true, "maxLimitRequestRatio": true, "podFixed": true, "volumeAttributes": true, "deviceRequests": true, "extra": true,
}

// walk calls f with every path of an object below its root, in order.
func walk(o map[string]any, f func(p path, value any)) {
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if !notAsked[name] {
			walkValue(path{name}, o[name], f)
		}
	}
}

func walkValue(p path, value any, f func(p path, value any)) {
	f(p, value)
	switch v := value.(type) {
	case map[string]any:
		name, _ := p[len(p)-1].(string)
		if opaque[name] && !hasStructure(name, v) {
			return
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if name == "metadata" {
				continue // of a template
			}
			walkValue(p.with(name), v[name], f)
		}
	case []any:
		for i, item := range v {
			walkValue(p.with(i), item, f)
		}
	}
}

// hasStructure reports whether a selector is a LabelSelector and not a map, and parameters
// name an object, as those of an IngressClass do.
func hasStructure(name string, v map[string]any) bool {
	return name == "selector" && (v["matchLabels"] != nil || v["matchExpressions"] != nil) ||
		name == "parameters" && v["kind"] != nil && v["name"] != nil
}

// expand are the paths of a pattern in an object whose last parent exists.
func expand(o map[string]any, pattern string) []path {
	at := []path{{}}
	for _, part := range strings.Split(pattern, ".") {
		name, lists := strings.TrimRight(part, "[]"), strings.Count(part, "[]")
		var next []path
		for _, p := range at {
			if _, ok := p.get(o).(map[string]any); !ok {
				continue
			}
			under := []path{p.with(name)}
			for range lists {
				var items []path
				for _, q := range under {
					list, _ := q.get(o).([]any)
					for i := range list {
						items = append(items, q.with(i))
					}
				}
				under = items
			}
			next = append(next, under...)
		}
		at = next
	}
	return at
}

func number(value any) (int64, bool) {
	n, ok := value.(json.Number)
	if !ok {
		return 0, false
	}
	i, err := strconv.ParseInt(n.String(), 10, 64)
	return i, err == nil
}
