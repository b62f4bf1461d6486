// Package probe builds requests that differ only in the fields that an expression reads. Each field is
// missing, or has one of the values that the expression compares it with. An expression with the same
// result for all of them checks nothing.
package probe

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/report"
)

// maxProbes bounds the number of requests for one expression.
const maxProbes = 32

// anyItem is the step of a path for all items of a list.
const anyItem = "*"

// Set holds the requests for an expression.
type Set struct {
	// Probes are variants of the given request, without the request itself.
	Probes []Probe
	// Parts counts the parts of the request for which there are values to try.
	Parts int
	// Whole reports whether the expression reads only parts of the object for which there are values
	// to try. Only then does the same result for all probes mean the same result for all requests.
	Whole bool
}

// Probe is a request to evaluate an expression for. A server may reject it, because this package does
// not know the fields' types.
type Probe struct {
	Request map[string]any
	Set     []int // the parts that have a value to try in it, from 0
}

// Of varies object and oldObject of the AdmissionRequest that an expression was evaluated for. The
// evaluation needs its parts (engine.Options.Explain).
func Of(e *report.Evaluation, request map[string]any) Set {
	r := &reader{source: []rune(e.Expression), whole: true}
	for i := range e.Children {
		r.walk(&place{node: &e.Children[i]}, nil)
	}
	if slices.ContainsFunc(r.reads, func(read read) bool { return request[read.path[0]] == nil }) {
		return Set{} // what a deletion lacks, and a creation, no change of the request gives it
	}
	c := collection{request: request, seen: map[string]bool{}}
	c.seen[text(request)] = true
	most := 0
	for _, read := range r.reads {
		most = max(most, len(read.values))
	}
	for i := range most {
		c.add(r.reads, func(n int) action { return r.reads[n].value(i) })
	}
	for k := range r.reads {
		alone := func(a action) {
			c.add(r.reads, func(n int) action {
				if n == k {
					return a
				}
				return action{}
			})
		}
		alone(action{remove: true})
		for i := range r.reads[k].values {
			alone(r.reads[k].value(i))
		}
		c.add(r.reads, func(n int) action {
			if n == k {
				return action{remove: true}
			}
			return r.reads[n].value(0)
		})
	}
	out := Set{Probes: c.out, Whole: r.whole && len(c.out) > 0}
	for _, read := range r.reads {
		if len(read.values) > 0 {
			out.Parts++
		}
	}
	return out
}

// read is a part of the request that the expression reads, with the values to try.
type read struct {
	path   []string
	values []any // to try
}

// action sets or removes a part of the request.
type action struct {
	remove, set bool
	value       any
}

// value returns the action that sets value i, or the last one if there are fewer.
func (r read) value(i int) action {
	if len(r.values) == 0 {
		return action{}
	}
	return action{set: true, value: r.values[min(i, len(r.values)-1)]}
}

// collection collects requests and drops equal ones.
type collection struct {
	request map[string]any
	seen    map[string]bool
	out     []Probe
}

func (c *collection) add(reads []read, act func(i int) action) {
	if len(c.out) == maxProbes {
		return
	}
	request := untyped.Copy(c.request)
	var set []int
	for i, read := range reads {
		switch a := act(i); {
		case a.remove:
			request = changed(request, read.path, nil, true)
		case a.set:
			before := text(request)
			if request = changed(request, read.path, a.value, false); text(request) != before {
				set = append(set, i) // an item of a list has no place in a map
			}
		}
	}
	if key := text(request); !c.seen[key] {
		c.seen[key] = true
		c.out = append(c.out, Probe{Request: request.(map[string]any), Set: set})
	}
}

// text returns the same text for equal requests.
func text(request any) string {
	out, err := json.Marshal(request)
	if err != nil {
		return "" // such a request could not have been read
	}
	return string(out)
}

// changed sets or removes the value at a path. Setting creates the missing maps on the way. A value of
// another shape stays.
func changed(in any, path []string, value any, remove bool) any {
	if len(path) == 0 {
		return untyped.Copy(value) // what is below it may be changed next
	}
	if path[0] == anyItem {
		list, ok := in.([]any)
		if in == nil && !remove {
			list, ok = []any{nil}, true
		}
		if !ok || len(path) == 1 && remove {
			return in
		}
		for i := range list {
			list[i] = changed(list[i], path[1:], value, remove)
		}
		return list
	}
	object, ok := in.(map[string]any)
	if in == nil && !remove {
		object, ok = map[string]any{}, true
	}
	switch {
	case !ok:
		return in
	case remove && len(path) == 1:
		delete(object, path[0])
	case !remove || object[path[0]] != nil:
		object[path[0]] = changed(object[path[0]], path[1:], value, remove)
	}
	return object
}

// place is a part of an expression with its parents.
type place struct {
	node   *report.Node
	parent *place
	index  int // among the children of the parent
}

// reader collects what an expression reads.
type reader struct {
	source []rune
	reads  []read
	whole  bool
}

// walk collects a part's reads. scope has the path of each enclosing macro's variable, or nil if the
// variable is no item of a list in the request.
func (r *reader) walk(p *place, scope map[string][]string) {
	n := p.node
	if path, ok := r.path(n, scope); ok {
		if path == nil {
			r.whole = false // of something else than the object
			return
		}
		r.add(path, r.values(p))
		return
	}
	if path := r.asked(n, scope); path != nil {
		r.add(path, present)
		return
	}
	inner := scope
	if n.Kind == "macro" && n.Name != "has" && len(n.Children) > 1 {
		inner = maps.Clone(scope)
		if inner == nil {
			inner = map[string][]string{}
		}
		items, _ := r.path(&n.Children[0], scope)
		if items != nil {
			items = append(slices.Clip(items), anyItem)
		}
		for i, child := range n.Children {
			if child.Kind == "declared" {
				inner[child.Name] = items
			}
			if child.Kind == "declared" && i > 1 {
				r.whole = false // a key, or an index
			}
		}
	}
	for i := range n.Children {
		r.walk(&place{node: &n.Children[i], parent: p, index: i}, inner)
	}
}

// asked returns the path of the field that has() tests, or nil for any other part. The tree has only
// the field's parent.
func (r *reader) asked(n *report.Node, scope map[string][]string) []string {
	if n.Kind != "macro" || n.Name != "has" || len(n.Children) != 1 {
		return nil
	}
	of, _ := r.path(&n.Children[0], scope)
	if from := n.Children[0].End; of != nil && from >= 0 && from <= n.End && n.End <= len(r.source) {
		return append(slices.Clip(of), strings.Trim(string(r.source[from:n.End]), ".?) \n"))
	}
	return nil
}

// path returns a part's path in the request. ok is false if the part is neither a field nor a variable.
// path is nil if it is not part of the object.
func (r *reader) path(n *report.Node, scope map[string][]string) (path []string, ok bool) {
	switch n.Kind {
	case "variable":
		if items, declared := scope[n.Name]; declared {
			return items, true
		}
		if n.Name == "object" || n.Name == "oldObject" {
			return []string{n.Name}, true
		}
		return nil, true
	case "call": // a default stands for what is absent
		if n.Name == "orValue" && len(n.Children) == 2 {
			return r.path(&n.Children[0], scope)
		}
	case "select", "index":
		if len(n.Children) == 0 {
			return nil, false
		}
		of, ok := r.path(&n.Children[0], scope)
		if !ok || of == nil {
			return nil, ok
		}
		step := n.Name
		if n.Kind == "index" {
			switch key := r.literal(&n.Children[len(n.Children)-1]).(type) {
			case string:
				step = key
			case int64:
				step = anyItem
			default:
				return nil, true
			}
		}
		return append(slices.Clip(of), step), true
	}
	return nil, false
}

// add adds a read, or the values of one that is there.
func (r *reader) add(path []string, values []any) {
	i := slices.IndexFunc(r.reads, func(known read) bool { return slices.Equal(known.path, path) })
	if i < 0 {
		r.reads = append(r.reads, read{path: path})
		i = len(r.reads) - 1
	}
	for _, value := range values {
		if !slices.ContainsFunc(r.reads[i].values, func(known any) bool { return text(known) == text(value) }) {
			r.reads[i].values = append(r.reads[i].values, value)
		}
	}
}

// literal is the value of a literal, nil for all else. A part that was not evaluated has
// none in the report, but it has its text.
func (r *reader) literal(n *report.Node) any {
	if n.Kind != "literal" || n.Start < 0 || n.End > len(r.source) || n.Start > n.End {
		return nil
	}
	if s, ok := n.Value.(string); ok {
		return s
	}
	written := string(r.source[n.Start:n.End])
	if i, err := strconv.ParseInt(written, 10, 64); err == nil {
		return i
	}
	if f, err := strconv.ParseFloat(written, 64); err == nil {
		return f
	}
	if b, err := strconv.ParseBool(written); err == nil {
		return b
	}
	if len(written) > 1 && strings.ContainsAny(written[:1], `'"`) && written[0] == written[len(written)-1] && !strings.Contains(written, `\`) {
		return written[1 : len(written)-1]
	}
	return nil
}
