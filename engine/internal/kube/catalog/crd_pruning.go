package catalog

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "sigs.k8s.io/json"
)

// This file does to custom objects what the server does instead of decoding
// them into Go types: it prunes unknown fields, drops nulls, brings metadata
// into its typed form, and fills in the defaults of the schema.

// metaFields are the fields that every object has without declaring them.
var metaFields = map[string]bool{"apiVersion": true, "kind": true, "metadata": true}

// decodeUnstructured decodes an object without a Go type. Strictly decoded,
// duplicate fields are errors; unknown fields never are.
func decodeUnstructured(data []byte, strict bool) (map[string]any, error) {
	obj := map[string]any{}
	if strict {
		strictErrors, err := kjson.UnmarshalStrict(data, &obj)
		if err != nil {
			return nil, err
		}
		if len(strictErrors) > 0 {
			return nil, runtime.NewStrictDecodingError(strictErrors)
		}
	} else if err := kjson.UnmarshalCaseSensitivePreserveInts(data, &obj); err != nil {
		return nil, err
	}
	if kind, _ := obj["kind"].(string); kind == "" {
		return nil, runtime.NewMissingKindErr(string(data))
	}
	return obj, nil
}

// Default fills in the defaults that the server fills in on decoding and after
// every mutation: the defaulting of a built-in kind, or the defaults in a CRD's
// schema. It changes nothing else; unknown kinds are returned as they are.
func (c *Catalog) Default(gvk schema.GroupVersionKind, obj map[string]any) map[string]any {
	out := runtime.DeepCopyJSON(obj)
	if v, ok := c.crds.versions[gvk]; ok {
		if v.schema != nil {
			v.schema.fillDefaults(out)
		}
		return out
	}
	return c.defaultBuiltin(gvk, out)
}

// DefaultBytes is about how many bytes Default adds to a custom object; 0 for
// built-in kinds, whose defaults are small. It changes nothing.
func (c *Catalog) DefaultBytes(gvk schema.GroupVersionKind, obj map[string]any) int {
	v, ok := c.crds.versions[gvk]
	if !ok || v.schema == nil {
		return 0
	}
	return v.schema.defaultBytes(obj)
}

// sizeAs is what the default of a property of some name takes, 0 when it has none.
func (n *schemaNode) sizeAs(name string) int {
	if n == nil || n.def == nil {
		return 0
	}
	return len(name) + n.defaultSize
}

// defaultBytes counts what fillDefaults sets, defaults in defaults included. An object of a long
// list is looked at as far as it is written, not property by property of the schema.
func (n *schemaNode) defaultBytes(x any) int {
	if n == nil {
		return 0
	}
	sum := 0
	switch x := x.(type) {
	case map[string]any:
		sum = n.absentSize
		for key, value := range x {
			if property := n.properties[key]; property != nil {
				if value != nil || property.nullable {
					sum -= property.sizeAs(key)
				}
				sum += property.defaultBytes(value)
			} else {
				sum += n.additional.defaultBytes(value)
			}
		}
	case []any:
		for i := range x {
			sum += n.items.defaultBytes(x[i])
		}
	}
	return sum
}

// Prune removes the fields that a CRD's schema does not declare, as the server
// does when it stores an object, and returns their paths. Built-in kinds lose
// unknown fields when they are decoded and are returned as they are.
func (c *Catalog) Prune(gvk schema.GroupVersionKind, obj map[string]any) (map[string]any, []string) {
	v, ok := c.crds.versions[gvk]
	if !ok || v.preserve {
		return obj, nil
	}
	out := runtime.DeepCopyJSON(obj)
	p := pruner{}
	p.prune(out, v.schema, true)
	slices.Sort(p.unknown)
	return out, p.unknown
}

// Reread is a custom object unchanged back from storage: pruned by the schema of
// the version that its definition stores, with that version's defaults, and pruned
// by its own schema again, whose defaults it does not get. It is returned as it is
// when nothing is known about that: a built-in kind, or a webhook converts.
//
// The second result is the name of the version that is stored; empty then.
func (c *Catalog) Reread(gvk schema.GroupVersionKind, obj map[string]any) (map[string]any, string) {
	v, ok := c.crds.versions[gvk]
	if !ok || v.stored == nil || obj == nil {
		return obj, ""
	}
	out, _ := v.stored.normalise(c, obj)
	if v.stored.schema != nil {
		v.stored.schema.fillDefaults(out)
	}
	if v.stored != v {
		out, _ = v.normalise(c, out)
	}
	return out, v.stored.gvk.Version
}

// normalise decodes a custom object: pruned, without nulls that the schema does
// not allow, with metadata in its typed form.
func (v *customVersion) normalise(c *Catalog, obj map[string]any) (map[string]any, []Problem) {
	out := runtime.DeepCopyJSON(obj)
	var problems []Problem
	if !v.preserve {
		p := pruner{}
		p.prune(out, v.schema, true)
		slices.Sort(p.unknown)
		for _, path := range p.unknown {
			problems = append(problems, Problem{Path: path, Unknown: true, Message: "unknown field " + strconv.Quote(path)})
		}
		v.schema.dropNulls(out)
	}
	m := metaCoercer{catalog: c}
	m.metadata(out, "")
	m.coerce(out, v.schema, "")
	return out, append(problems, m.problems...)
}

// pruner removes undeclared fields and notes their paths.
type pruner struct {
	path    []string
	unknown []string
}

// prune walks an object; resource says that x is a whole object, whose
// metadata is not declared by the schema.
func (p *pruner) prune(x any, s *schemaNode, resource bool) {
	if s != nil && s.preserve {
		p.keep(x, s, resource)
		return
	}
	switch x := x.(type) {
	case map[string]any:
		for _, key := range sortedNames(x) {
			if (resource || s != nil && s.embedded) && metaFields[key] {
				continue
			}
			child, known := s.child(key)
			if !known {
				p.note(key)
				delete(x, key)
				continue
			}
			p.descend(key, func() { p.prune(x[key], child, false) })
		}
	case []any:
		for i, item := range x {
			p.below("["+strconv.Itoa(i)+"]", func() { p.prune(item, s.item(), false) })
		}
	}
}

// keep walks a part that keeps unknown fields; declared fields in it are pruned
// again.
func (p *pruner) keep(x any, s *schemaNode, resource bool) {
	switch x := x.(type) {
	case map[string]any:
		for _, key := range sortedNames(x) {
			if (resource || s.embedded) && metaFields[key] {
				continue
			}
			if child, known := s.child(key); known {
				p.descend(key, func() { p.prune(x[key], child, false) })
			}
		}
	case []any:
		if s.items == nil {
			return
		}
		for i, item := range x {
			p.below("["+strconv.Itoa(i)+"]", func() { p.keep(item, s.items, false) })
		}
	}
}

// descend walks the value of a key, which may be any text, also an empty one.
func (p *pruner) descend(key string, walk func()) {
	if len(p.path) > 0 {
		key = "." + key
	}
	p.below(key, walk)
}

// below walks a value with one more step in the path.
func (p *pruner) below(step string, walk func()) {
	p.path = append(p.path, step)
	walk()
	p.path = p.path[:len(p.path)-1]
}

func (p *pruner) note(key string) {
	if len(p.path) > 0 {
		key = strings.Join(p.path, "") + "." + key
	}
	p.unknown = append(p.unknown, key)
}

// child is the schema of a key, and whether the key may be there. A node that
// allows any additional properties without a schema has known children whose
// own fields are unknown.
func (n *schemaNode) child(key string) (*schemaNode, bool) {
	if n == nil {
		return nil, false
	}
	if child := n.properties[key]; child != nil {
		return child, true
	}
	return n.additional, n.hasAdditional
}

func (n *schemaNode) item() *schemaNode {
	if n == nil {
		return nil
	}
	return n.items
}

// fillDefaults sets what is missing, or null where null is not allowed.
func (n *schemaNode) fillDefaults(x any) {
	if n == nil {
		return
	}
	switch x := x.(type) {
	case map[string]any:
		for name, property := range n.properties {
			if value, found := x[name]; property.def != nil && (!found || value == nil && !property.nullable) {
				x[name] = runtime.DeepCopyJSONValue(property.def)
			}
		}
		for key, value := range x {
			if property := n.properties[key]; property != nil {
				property.fillDefaults(value)
			} else if n.additional != nil {
				if value == nil && !n.additional.nullable {
					x[key] = runtime.DeepCopyJSONValue(n.additional.def)
				}
				n.additional.fillDefaults(x[key])
			}
		}
	case []any:
		for i := range x {
			if x[i] == nil && n.items != nil && !n.items.nullable {
				x[i] = runtime.DeepCopyJSONValue(n.items.def)
			}
			n.items.fillDefaults(x[i])
		}
	}
}

// dropNulls removes nulls that the schema neither allows nor replaces by a
// default.
func (n *schemaNode) dropNulls(x any) {
	switch x := x.(type) {
	case map[string]any:
		for key, value := range x {
			child, _ := n.child(key)
			if value == nil && child != nil && !child.nullable && child.def == nil {
				delete(x, key)
			} else {
				child.dropNulls(value)
			}
		}
	case []any:
		for _, item := range x {
			n.item().dropNulls(item)
		}
	}
}

// pruneDefaults removes undeclared fields from the defaults themselves, as the
// server does before it uses a schema.
func (n *schemaNode) pruneDefaults() {
	if n == nil {
		return
	}
	if n.def != nil {
		(&pruner{}).prune(n.def, n, false)
	}
	for _, child := range n.properties {
		child.pruneDefaults()
	}
	n.additional.pruneDefaults()
	n.items.pruneDefaults()
}

// metaCoercer brings the metadata of an object and of the objects embedded in
// it into typed form.
type metaCoercer struct {
	catalog  *Catalog
	problems []Problem
}

// metadata decodes and encodes x.metadata through the ObjectMeta type.
func (m *metaCoercer) metadata(x map[string]any, path string) {
	value, found := x["metadata"]
	if !found {
		return
	}
	prefix := strings.TrimPrefix(path+".metadata", ".")
	data, err := json.Marshal(value)
	if err != nil {
		m.problems = append(m.problems, Problem{Path: prefix, Message: err.Error()})
		return
	}
	t := m.catalog.named("meta/v1.ObjectMeta")
	d := decoder{b: m.catalog.builtin, data: string(data), strict: true, tolerant: true}
	tree, err := d.run(t)
	if err != nil {
		m.problems = append(m.problems, Problem{Path: prefix, Message: err.Error()})
		return
	}
	for _, p := range d.problems {
		full := strings.TrimSuffix(prefix+"."+p.Path, ".")
		if p.Unknown {
			p.Message = "unknown field " + strconv.Quote(full)
		}
		p.Path = full
		m.problems = append(m.problems, p)
	}
	meta := normalise(t, false, tree).(map[string]any)
	if meta["creationTimestamp"] == nil && path != "" {
		delete(meta, "creationTimestamp") // embedded objects never show an unset one
	}
	x["metadata"] = meta
}

func (m *metaCoercer) coerce(x any, s *schemaNode, path string) {
	if s == nil {
		return
	}
	switch x := x.(type) {
	case map[string]any:
		if s.embedded {
			m.typeMeta(x, path)
			m.metadata(x, path)
		}
		for _, key := range sortedNames(x) {
			if child, _ := s.child(key); child != nil && !(path == "" && metaFields[key]) {
				m.coerce(x[key], child, strings.TrimPrefix(path+"."+key, "."))
			}
		}
	case []any:
		for i, item := range x {
			m.coerce(item, s.items, path+"["+strconv.Itoa(i)+"]")
		}
	}
}

// typeMeta reports an embedded object whose kind or apiVersion is no string.
func (m *metaCoercer) typeMeta(x map[string]any, path string) {
	for _, key := range []string{"apiVersion", "kind"} {
		if value, found := x[key]; found {
			if _, ok := value.(string); !ok {
				full := path + "." + key
				m.problems = append(m.problems, Problem{Path: full, Message: fmt.Sprintf("%s: Invalid value: %v: must be a string", full, value)})
			}
		}
	}
}

// FromUnstructured converts an object in unstructured form into the Go type of
// its kind and back, as the server does with the result of an
// ApplyConfiguration (semantics §6.4): unknown fields are dropped, whole floats
// become integers, the rest is the server's error. Objects of CRDs are not
// converted.
func (c *Catalog) FromUnstructured(gvk schema.GroupVersionKind, obj map[string]any) (map[string]any, error) {
	if _, custom := c.crds.versions[gvk]; custom {
		return obj, nil
	}
	t, ok := c.TypeOf(gvk)
	if !ok {
		return nil, fmt.Errorf("no kind %q is registered for version %q in scheme %q", gvk.Kind, gvk.GroupVersion(), SchemeName)
	}
	tree, err := convert(c.builtin, t, obj)
	if err != nil {
		return nil, fmt.Errorf("unable to convert unstructured object to %v: %v", gvk, err)
	}
	return givenLists(nil).settle(t, false, tree).(map[string]any), nil
}

func sortedNames[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
