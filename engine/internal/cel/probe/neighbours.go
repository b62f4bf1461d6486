package probe

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report"
)

// maxAround bounds the number of requests that Around returns.
const maxAround = 20

// Around returns requests near the one that expressions were evaluated for. In each of them one
// field that an expression reads, or that its JSON Patch names, is different: it is absent, has
// another entry, one item less, or a value that an expression compares it with. The server may
// reject some of them: the types of fields are not known here. The expressions need the tree of
// their parts (engine.Options.Explain).
func Around(expressions []*report.Evaluation, request map[string]any) []map[string]any {
	a := around{collection{request: request, seen: map[string]bool{text(request): true}}}
	var pointers [][]string
	var reads []read
	for _, e := range expressions {
		r := &reader{source: []rune(e.Expression), reads: reads}
		for i := range e.Children {
			r.walk(&place{node: &e.Children[i]}, nil)
			pointers = r.pointers(&e.Children[i], pointers)
		}
		reads = r.reads
	}
	for _, path := range pointers {
		a.along(path)
	}
	for _, read := range reads {
		a.along(read.path)
		if now := valueAt(request, read.path); len(read.values) <= 3 {
			for _, value := range read.values {
				if now == nil || fmt.Sprintf("%T", now) == fmt.Sprintf("%T", value) {
					a.set(read.path, value)
				}
			}
		}
	}
	var out []map[string]any
	for _, p := range a.out {
		out = append(out, p.Request)
	}
	return out
}

// pointers adds the paths that the JSON pointers among the literals of a part have in the request.
func (r *reader) pointers(n *report.Node, list [][]string) [][]string {
	if pointer, ok := r.literal(n).(string); ok && strings.HasPrefix(pointer, "/") && strings.Count(pointer, "/") > 1 {
		path := []string{"object"}
		for _, step := range fieldpath.Pointer(strings.TrimSuffix(pointer, "/")) {
			if _, err := strconv.Atoi(step); err == nil || step == "-" {
				step = anyItem
			}
			path = append(path, step)
		}
		if !slices.ContainsFunc(list, func(known []string) bool { return slices.Equal(known, path) }) {
			list = append(list, path)
		}
	}
	for i := range n.Children {
		list = r.pointers(&n.Children[i], list)
	}
	return list
}

// around collects requests that differ from one in one field each.
type around struct{ collection }

// parts are the fields that objects always have, of which only what is in them is changed.
var parts = []string{"metadata", "spec"}

// along changes each field on the way to a path and the one at its end.
func (a *around) along(path []string) {
	for n := len(path); n > 1; n-- {
		at := path[:n]
		if path[n-1] == anyItem || n == 2 && slices.Contains(parts, path[1]) {
			continue
		}
		next := ""
		if n < len(path) {
			next = path[n]
		}
		switch value := valueAt(a.request, at).(type) {
		case nil:
			a.add(at, next)
		case []any:
			a.items(at, value)
		case map[string]any:
			a.remove(at)
			if next != "" && len(value) > 0 && texts(value) {
				a.set(at, map[string]any{other: other})
			}
		default:
			a.remove(at)
		}
	}
}

// add gives an absent field values that it may have, by the step of a path that follows.
func (a *around) add(at []string, next string) {
	switch next {
	case "":
		for _, value := range []any{true, int64(1), other} {
			a.set(at, value)
		}
	case anyItem:
		a.set(at, []any{map[string]any{"name": other, "image": other}})
	default:
		a.set(at, map[string]any{other: other})
		a.set(at, map[string]any{})
	}
}

// items makes a list one item shorter, and one longer.
func (a *around) items(at []string, list []any) {
	if len(list) < 2 {
		a.remove(at)
	} else {
		a.set(at, list[:len(list)-1])
	}
	if len(list) == 0 {
		return
	}
	if last, ok := list[len(list)-1].(map[string]any); ok && last["name"] != nil {
		more := maps.Clone(last)
		more["name"] = other
		a.set(at, append(slices.Clone(list), more))
	}
}

func (a *around) remove(path []string) { a.keep(changed(untyped.Copy(a.request), path, nil, true)) }

func (a *around) set(path []string, value any) {
	a.keep(changed(untyped.Copy(a.request), path, value, false))
}

// keep adds a request that is not known yet.
func (a *around) keep(changed any) {
	if key := text(changed); !a.seen[key] && len(a.out) < maxAround {
		a.seen[key] = true
		if r, ok := changed.(map[string]any); ok {
			a.out = append(a.out, Probe{Request: r})
		}
	}
}

// texts reports whether all values of a map are strings, as of labels.
func texts(values map[string]any) bool {
	for _, v := range values {
		if _, ok := v.(string); !ok {
			return false
		}
	}
	return true
}

// valueAt is the value at a path, of the first item for all items; nil where there is none.
func valueAt(in any, path []string) any {
	for _, step := range path {
		switch value := in.(type) {
		case map[string]any:
			in = value[step]
		case []any:
			if step != anyItem || len(value) == 0 {
				return nil
			}
			in = value[0]
		default:
			return nil
		}
	}
	return in
}
