package scenario

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// Moved returns the document as another one with the given value, in which parts of this one have
// moved. moved maps a part's path in the new document to its path here. Both paths find such a
// part. A part that the text lacks does not exist under the new path.
func (d *Document) Moved(value map[string]any, moved map[string]string) *Document {
	return &Document{Text: d.Text, Index: d.Index, APIVersion: d.APIVersion, Kind: d.Kind, Name: d.Name, Namespace: d.Namespace,
		Value: value, raw: d.raw, Span: d.Span, FromList: d.FromList, source: d.source, json: d.json, quick: d.quick,
		root: func() *node { return movedRoot(d.root(), moved) }}
}

// Below returns the object at a document's path as a document of its own, with its places in the
// text. It reports false if there is no object.
func (d *Document) Below(path string) (*Document, bool) {
	if path == "" {
		return d, true
	}
	at := fieldpath.Parse(path)
	value, _ := at.Get(d.Value)
	object, ok := value.(map[string]any)
	if !ok {
		return nil, false
	}
	meta, _ := object["metadata"].(map[string]any)
	text := func(from map[string]any, name string) string { s, _ := from[name].(string); return s }
	return &Document{Text: d.Text, Index: d.Index, APIVersion: text(object, "apiVersion"), Kind: text(object, "kind"), Name: text(meta, "name"), Namespace: text(meta, "namespace"),
		Value: object, Span: d.Locate(path), FromList: true, source: d.source, json: d.json, quick: d.quick,
		raw: sync.OnceValue(func() []byte { raw, _ := json.Marshal(object); return raw }), // what was read as JSON or YAML can be written
		root: func() *node {
			below, _, _ := walk(d.root(), at)
			return below
		}}, true
}

// movedRoot returns a mapping with the root's fields and the parts at their new paths.
func movedRoot(root *node, moved map[string]string) *node {
	if root == nil || root.kind != mappingNode {
		return root
	}
	out := *root
	out.entries, out.names = slices.Clone(root.entries), nil
	for _, path := range slices.Sorted(maps.Keys(moved)) {
		value, key, found := walk(root, fieldpath.Parse(moved[path]))
		if found && value != nil && key != nil {
			out.put(fieldpath.Parse(path), key, value)
		}
	}
	return &out
}

// put places a value at a path below a mapping, with the key that it has in the text. The path
// leads only through mappings and first list items. put creates those that are missing, at the
// value's place.
func (n *node) put(path fieldpath.Path, key, value *node) {
	name, rest := path[0].Name(), path[1:]
	if len(rest) == 0 {
		n.entries = append(n.entries, entry{name: name, key: key, value: value})
		return
	}
	var below *node
	if path[0].IsIndex() {
		if len(n.items) == 0 {
			n.items = append(n.items, &node{kind: kindFor(rest), start: value.start, end: -1})
		}
		below = n.items[0]
	} else if below = n.child(name); below == nil {
		below = &node{kind: kindFor(rest), start: value.start, end: -1}
		n.entries = append(n.entries, entry{name: name, key: key, value: below})
	}
	below.put(rest, key, value)
}

// kindFor returns the node kind that holds the rest of a path.
func kindFor(rest fieldpath.Path) nodeKind {
	if rest[0].IsIndex() {
		return sequenceNode
	}
	return mappingNode
}
