// Package fielddocs reads docs.txt, one sentence of help for every built-in type
// and field: the first of its comment in the Kubernetes API (Apache License 2.0),
// newest release. The page fetches the file and gives it to [Parse]; other programs carry
// it.
package fielddocs

import "strings"

// Docs are sentences by type, and by field within a type. Types are named as in
// the catalog: core/v1.PodSpec.
type Docs struct {
	types  map[string]string
	fields map[string]map[string]string
}

// Parse reads the form of docs.txt: a line with type and sentence, then a line
// for each of its fields that begins with a tab.
func Parse(text string) Docs {
	d := Docs{types: map[string]string{}, fields: map[string]map[string]string{}}
	id := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if field, ok := strings.CutPrefix(line, "\t"); ok {
			name, sentence, _ := strings.Cut(field, "\t")
			if d.fields[id] == nil {
				d.fields[id] = map[string]string{}
			}
			d.fields[id][name] = sentence
			continue
		}
		if strings.HasPrefix(line, "#") {
			continue
		}
		var sentence string
		id, sentence, _ = strings.Cut(line, "\t")
		d.types[id] = sentence
	}
	return d
}

// Type describes a type; empty when nothing is known.
func (d Docs) Type(id string) string { return d.types[id] }

// Field describes a field of the struct that declares it.
func (d Docs) Field(structID, name string) string { return d.fields[structID][name] }
