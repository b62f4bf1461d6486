package completion

import "github.com/preadmit/preadmit/engine/internal/cel/model"

// Field is a field of the API that holds CEL, for what colours texts.
type Field struct {
	Group string
	Kinds []string
	// Path is from the top of a document, with [] for an item of a list and **
	// for any number of fields.
	Path string
}

// Fields are all fields that hold CEL, in the order of the API.
func Fields() []Field {
	var out []Field
	for _, p := range model.Places() {
		out = append(out, Field{Group: p.Group, Kinds: p.Kinds, Path: p.Field})
	}
	return out
}
