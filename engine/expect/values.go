package expect

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/gotype"
	"github.com/preadmit/preadmit/engine/report"
)

var diagnosticType = reflect.TypeFor[diag.Diagnostic]()

// generic returns a report's JSON form, with integers as int64.
func generic(r *report.Report) (map[string]any, error) {
	raw, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("the report cannot be written as JSON: %w", err)
	}
	var out map[string]any
	if err := utiljson.Unmarshal(raw, &out); err != nil {
		return nil, fmt.Errorf("the report's JSON cannot be read: %w", err)
	}
	return out, nil
}

// plain returns a node's value in the same form. Dates stay strings, as in a report.
func plain(node *yaml.Node) any {
	node = resolve(node)
	switch node.Kind {
	case yaml.MappingNode:
		out := map[string]any{}
		for key, item := range pairs(node) {
			out[nameOf(key)] = plain(item)
		}
		return out
	case yaml.SequenceNode:
		out := make([]any, len(node.Content))
		for i, item := range node.Content {
			out[i] = plain(item)
		}
		return out
	}
	switch node.ShortTag() {
	case "!!null":
		return nil
	case "!!bool":
		return strings.EqualFold(node.Value, "true")
	case "!!int":
		if i, err := strconv.ParseInt(node.Value, 0, 64); err == nil {
			return i
		}
	case "!!float":
		if f, err := strconv.ParseFloat(node.Value, 64); err == nil {
			return f
		}
	}
	return node.Value
}

// nameOf returns a mapping key as in JSON: null, numbers and booleans become words.
func nameOf(key *yaml.Node) string {
	switch v := plain(key).(type) {
	case string:
		return v
	case nil:
		return "null"
	default:
		return fmt.Sprint(v)
	}
}

// resolve follows an alias to its anchor.
func resolve(node *yaml.Node) *yaml.Node {
	for node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	return node
}

func isNull(node *yaml.Node) bool {
	return node.Kind == yaml.ScalarNode && node.ShortTag() == "!!null"
}

// pairs returns a mapping's keys and values.
func pairs(node *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(*yaml.Node, *yaml.Node) bool) {
		for i := 0; i+1 < len(node.Content); i += 2 {
			if !yield(node.Content[i], node.Content[i+1]) {
				return
			}
		}
	}
}

func child(node *yaml.Node, name string) (*yaml.Node, bool) {
	for key, item := range pairs(node) {
		if key.Value == name {
			return item, true
		}
	}
	return nil, false
}

// fieldsOf returns a struct's JSON fields, including embedded structs'.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	out := map[string]reflect.Type{}
	gotype.EachField(t, func(name string, field reflect.Type) { out[name] = field })
	return out
}

func nameList(fields map[string]reflect.Type) string {
	return strings.Join(slices.Sorted(maps.Keys(fields)), ", ")
}

// empty reports whether a value is absent, null, an empty list or an empty map.
func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// zero reports whether a value is empty or omitted from a report's JSON.
func zero(v any) bool {
	return empty(v) || v == "" || v == false || v == int64(0)
}

// equalScalars compares numbers by value: 2 equals 2.0, as in JSON.
func equalScalars(a, b any) bool {
	x, ok1 := asFloat(a)
	y, ok2 := asFloat(b)
	if ok1 && ok2 {
		if i, ok := a.(int64); ok {
			if j, ok := b.(int64); ok {
				return i == j
			}
		}
		return x == y
	}
	return reflect.DeepEqual(a, b)
}

func asFloat(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, !math.IsNaN(v)
	}
	return 0, false
}
