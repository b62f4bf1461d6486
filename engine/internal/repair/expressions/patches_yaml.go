package expressions

import (
	"encoding/json"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
)

// patchesAsYAML rewrites a JSON Patch in YAML, as for kubectl and kustomize, in CEL.
func patchesAsYAML(d *draft) string {
	if d.expression.Place.Result != eval.JSONPatch || !d.syntaxError() {
		return d.text
	}
	var operations []operation
	if err := yaml.UnmarshalStrict([]byte(d.text), &operations); err != nil || len(operations) == 0 {
		return d.text // it is something else
	}
	if text := inCEL(operations); text != "" {
		return text
	}
	return d.text
}

// operation must be one of RFC 6902.
type operation struct {
	Op    string          `json:"op"`
	Path  string          `json:"path"`
	From  string          `json:"from"`
	Value json.RawMessage `json:"value"`
}

// Operations returns a JSON Patch as a CEL list. It returns "" for a list of anything else.
func Operations(list []any) string {
	raw, err := json.Marshal(list)
	if err != nil {
		return ""
	}
	var operations []operation
	if err := yaml.UnmarshalStrict(raw, &operations); err != nil || len(operations) == 0 {
		return ""
	}
	return inCEL(operations)
}

// inCEL returns "" if an operation lacks a required field.
func inCEL(operations []operation) string {
	var out []string
	for _, o := range operations {
		if o.Op == "" || o.Path == "" {
			return ""
		}
		fields := []string{"op: " + jsonText(o.Op), "path: " + jsonText(o.Path)}
		if o.From != "" {
			fields = append(fields, "from: "+jsonText(o.From))
		}
		if len(o.Value) > 0 {
			fields = append(fields, "value: "+string(o.Value))
		}
		out = append(out, "JSONPatch{"+strings.Join(fields, ", ")+"}")
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// jsonText returns a string as a JSON literal, which is also a CEL literal.
func jsonText(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string can always be written
	}
	return string(raw)
}
