package growth

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
)

// subject is a list, map or string of the inputs that is made longer; several
// grow together, such as object and oldObject, which are alike in an update.
// A place with anyItem grows in every item.
type subject struct {
	places []place
	// now is the longest value there; where there is none, it is the shortest
	// that the schema allows.
	now any
	// empty reports that there is none in the request.
	empty bool
	typ   *catalog.Type // nil when it is not known
	// unique says that the schema wants different items.
	unique bool
}

// pattern says what a longer list is made of.
type pattern struct {
	// item is the one that is repeated; -1: all in turn.
	item int
	// same repeats items as they are; otherwise their names are made unique.
	same bool
}

// maxPatterns is how many items are tried as the only one.
const maxPatterns = 4

// patterns are the ways to make a value longer. Loops that end early with the
// items as they are may go on with one of them. What the schema would reject is none.
func patterns(s subject) []pattern {
	t := s.itemType()
	list, ok := s.now.([]any)
	if !ok {
		return []pattern{{item: -1}}
	}
	var out []pattern
	for item := -1; item < min(len(list), maxPatterns); item++ {
		if item == 0 && len(list) == 1 {
			continue // the same as all in turn
		}
		if t == nil || len(t.Enum) == 0 {
			out = append(out, pattern{item: item})
		}
		if !s.unique && !keyed(list, t) {
			out = append(out, pattern{item, true})
		}
	}
	return out
}

// keyed reports whether the items must differ in a name.
func keyed(list []any, t *catalog.Type) bool {
	for _, item := range list {
		if object, ok := item.(map[string]any); ok && object["name"] != nil {
			return true
		}
	}
	return t != nil && t.Kind == catalog.Struct
}

// resized is a list, map or string of another length.
func resized(v any, p pattern, n int, tick func()) any {
	switch v := v.(type) {
	case []any:
		source := v
		if p.item >= 0 {
			source = v[p.item : p.item+1]
		}
		out := make([]any, n)
		for i := range out {
			out[i] = source[i%len(source)]
			if i >= len(source) && !p.same {
				out[i] = renamed(out[i], i)
			}
			tick()
		}
		return out
	case map[string]any:
		keys := slices.Sorted(maps.Keys(v))
		out := make(map[string]any, n)
		for i := range n {
			key := keys[i%len(keys)]
			value := v[key]
			if i >= len(keys) {
				key = fmt.Sprintf("%s-%d", key, i)
			}
			out[key] = value
			tick()
		}
		return out
	case string:
		runes := []rune(v)
		return strings.Repeat(v, n/len(runes)) + string(runes[:n%len(runes)])
	}
	return v
}

// renamed gives an item a name of its own.
func renamed(item any, i int) any {
	switch v := item.(type) {
	case string:
		return fmt.Sprintf("%s-%d", v, i)
	case map[string]any:
		if name, ok := v["name"].(string); ok {
			v = maps.Clone(v)
			v["name"] = fmt.Sprintf("%s-%d", name, i)
			return v
		}
	}
	return item
}

// with is the document with the values at a place replaced. What is not on the
// way stays shared.
func with(document any, p place, replace func(any) any) any {
	if len(p) == 0 {
		return replace(document)
	}
	switch v := document.(type) {
	case map[string]any:
		out := maps.Clone(v)
		if p[0] == anyItem {
			for key := range out {
				out[key] = with(out[key], p[1:], replace)
			}
		} else if inner, ok := v[p[0]]; ok || len(p) == 1 {
			out[p[0]] = with(inner, p[1:], replace)
		}
		return out
	case []any:
		out := slices.Clone(v)
		for i := range out {
			out[i] = with(out[i], p[1:], replace)
		}
		return out
	}
	return document
}

// at finds the longest value at a place.
func at(document any, p place) any {
	if len(p) == 0 {
		return document
	}
	switch v := document.(type) {
	case map[string]any:
		if p[0] != anyItem {
			return at(v[p[0]], p[1:])
		}
		return longestOf(slices.Collect(maps.Values(v)), p[1:])
	case []any:
		return longestOf(v, p[1:])
	}
	return nil
}

func longestOf(list []any, p place) any {
	var best any
	for _, item := range list {
		if found := at(item, p); length(found) > length(best) {
			best = found
		}
	}
	return best
}

func length(v any) int {
	switch v := v.(type) {
	case []any:
		return len(v)
	case map[string]any:
		return len(v)
	case string:
		return utf8.RuneCountInString(v)
	}
	return 0
}

func unit(v any) string {
	switch v.(type) {
	case []any:
		return "items"
	case map[string]any:
		return "entries"
	}
	return "characters"
}

// bytes is the length of a value's JSON.
func bytes(v any) int {
	raw, err := json.Marshal(v)
	if err != nil {
		return 0 // what came from JSON can be written as JSON
	}
	return len(raw)
}

// root is the input that a place starts from.
func root(in *eval.Inputs, p place) *map[string]any {
	switch p[0] {
	case "object":
		return &in.Object
	case "oldObject":
		return &in.OldObject
	case "params":
		return &in.Params
	}
	return nil
}

// grown are the inputs with the values at the subject's places so long.
func grown(in eval.Inputs, s subject, p pattern, n int, tick func()) eval.Inputs {
	for _, place := range s.places {
		document := root(&in, place)
		*document = with(*document, place[1:], func(v any) any {
			if length(v) == 0 {
				v = s.now
			}
			return resized(v, p, n, tick)
		}).(map[string]any)
	}
	return in
}

// shortest is a list or map of one item that has what the schema demands; nil
// when the type does not tell.
func shortest(t *catalog.Type) any {
	switch {
	case t == nil:
		return nil
	case t.Kind == catalog.List:
		return []any{zero(t.Elem, 0)}
	case t.Kind == catalog.Map:
		return map[string]any{"key": zero(t.Elem, 0)}
	}
	return nil
}

func zero(t *catalog.Type, depth int) any {
	switch t.Kind {
	case catalog.Struct:
		out := map[string]any{}
		for _, f := range t.Fields() {
			if depth < maxDepth && (f.Required || !f.OmitEmpty && !f.OmitZero) {
				out[f.Name] = zero(f.Type, depth+1)
			}
		}
		return out
	case catalog.Map:
		return map[string]any{}
	case catalog.List:
		return []any{}
	case catalog.Boolean:
		return false
	case catalog.Integer:
		return int64(0)
	case catalog.Number:
		return 0.0
	case catalog.String, catalog.Bytes:
		if len(t.Enum) > 0 {
			return t.Enum[0]
		}
		return "item"
	}
	return nil
}
