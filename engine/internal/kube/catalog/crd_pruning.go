package catalog

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "sigs.k8s.io/json"

	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
)

// For custom objects, this file does what the server does instead of decoding into Go types. It
// prunes unknown fields, drops nulls, converts metadata to its typed form, and sets the schema's
// defaults.

// metaFields are the fields that every object has without declaring them.
var metaFields = map[string]bool{"apiVersion": true, "kind": true, "metadata": true}

// decodeUnstructured decodes an object without a Go type. In strict mode, duplicate fields are
// errors; unknown fields never are.
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

// Default sets the defaults that the server sets on decoding and after every mutation: a built-in
// kind's defaulting, or the defaults from a CRD's schema. It changes nothing else and returns
// unknown kinds unchanged.
func (c *Catalog) Default(gvk schema.GroupVersionKind, obj map[string]any) map[string]any {
	out := runtime.DeepCopyJSON(obj)
	if v, ok := c.crds.versions[gvk]; ok {
		defaulting.Default(out, v.structural)
		return out
	}
	return c.defaultBuiltin(gvk, out)
}

// DefaultAt returns the value that Default sets at a path, in an object that has the structs around it, with one item in
// each list, and the given fields beside it. It returns nil for none.
func (c *Catalog) DefaultAt(gvk schema.GroupVersionKind, steps []string, beside map[string]any) any {
	t, _ := c.TypeOf(gvk)
	object := map[string]any{}
	in, last := object, len(steps)-1
	for _, step := range steps[:last] {
		if t == nil || t.Kind != Struct || t.Field(step) == nil {
			return nil
		}
		around := in
		in, t = map[string]any{}, t.Field(step).Type
		if around[step] = in; t.Kind == List {
			around[step], t = []any{in}, t.Elem
		}
	}
	maps.Copy(in, beside)
	var found any = c.Default(gvk, object)
	for _, step := range steps {
		if list, ok := found.([]any); ok && len(list) == 1 {
			found = list[0]
		}
		found = untyped.At[any](found, step)
	}
	return found
}

// DefaultBytes estimates how many bytes Default adds to a custom object. It is 0 for built-in
// kinds, whose defaults are small. It changes nothing.
func (c *Catalog) DefaultBytes(gvk schema.GroupVersionKind, obj map[string]any) int {
	v, ok := c.crds.versions[gvk]
	if !ok || v.schema == nil {
		return 0
	}
	return v.schema.defaultBytes(obj)
}

// sizeAs returns the size of the default for a property with the given name; 0 without a default.
func (n *schemaNode) sizeAs(name string) int {
	if n == nil || n.def == nil {
		return 0
	}
	return len(name) + n.defaultSize
}

// defaultBytes counts what defaulting sets, including nested defaults. For an object in a long
// list, it visits the fields that are set instead of every property in the schema.
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

// Prune removes fields that a CRD's schema does not declare, as the server does when it stores an
// object, and returns their paths. It returns built-in kinds unchanged, because decoding drops
// their unknown fields.
func (c *Catalog) Prune(gvk schema.GroupVersionKind, obj map[string]any) (map[string]any, []string) {
	v, ok := c.crds.versions[gvk]
	if !ok || v.preserve {
		return obj, nil
	}
	out := runtime.DeepCopyJSON(obj)
	return out, v.prune(out)
}

// Reread returns a custom object as the server would read it back from storage. The object is
// pruned by the storage version's schema and gets its defaults. Then it is pruned by its own
// schema, without that schema's defaults. The object is returned unchanged if that cannot be
// computed: for a built-in kind, or if a webhook converts.
//
// The second result is the storage version's name, or "" in those cases.
func (c *Catalog) Reread(gvk schema.GroupVersionKind, obj map[string]any) (map[string]any, string) {
	v, ok := c.crds.versions[gvk]
	if !ok || v.stored == nil || obj == nil {
		return obj, ""
	}
	out, _ := v.stored.normalise(c, obj)
	defaulting.Default(out, v.stored.structural)
	if v.stored != v {
		out, _ = v.normalise(c, out)
	}
	return out, v.stored.gvk.Version
}

// prune removes undeclared fields and returns their paths.
func (v *customVersion) prune(object map[string]any) []string {
	return pruning.PruneWithOptions(object, v.structural, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
}

// normalise decodes a custom object: it prunes, drops nulls that the schema does not allow, and
// converts metadata to its typed form.
func (v *customVersion) normalise(c *Catalog, obj map[string]any) (map[string]any, []Problem) {
	out := runtime.DeepCopyJSON(obj)
	var problems []Problem
	if !v.preserve {
		for _, path := range v.prune(out) {
			problems = append(problems, Problem{Path: path, Unknown: true, Message: "unknown field " + strconv.Quote(path)})
		}
		defaulting.PruneNonNullableNullsWithoutDefaults(out, v.structural)
	}
	m := metaCoercer{catalog: c}
	m.metadata(out, "")
	m.coerce(out, v.schema, "")
	return out, append(problems, m.problems...)
}

// child returns a key's schema and whether the key is allowed. If a node allows any additional
// properties without a schema, its children are known but their fields are unknown.
func (n *schemaNode) child(key string) (*schemaNode, bool) {
	if n == nil {
		return nil, false
	}
	if child := n.properties[key]; child != nil {
		return child, true
	}
	return n.additional, n.hasAdditional
}

// structural returns the parts of a schema that the server's own pruning and defaulting read. It
// shares the defaults with the schema.
func (n *schemaNode) structural() *structuralschema.Structural {
	if n == nil {
		return nil
	}
	out := &structuralschema.Structural{
		Items:      n.items.structural(),
		Properties: make(map[string]structuralschema.Structural, len(n.properties)),
		Generic:    structuralschema.Generic{Nullable: n.nullable, Default: structuralschema.JSON{Object: n.def}},
		Extensions: structuralschema.Extensions{XPreserveUnknownFields: n.preserve, XEmbeddedResource: n.embedded},
	}
	for name, property := range n.properties {
		out.Properties[name] = *property.structural()
	}
	if n.hasAdditional {
		out.AdditionalProperties = &structuralschema.StructuralOrBool{Structural: n.additional.structural(), Bool: n.anyAdditional}
	}
	return out
}

// pruneDefaults removes undeclared fields from the defaults, as the server does before it uses a
// schema.
func pruneDefaults(s *structuralschema.Structural) {
	if s == nil {
		return
	}
	if s.Default.Object != nil {
		pruning.Prune(s.Default.Object, s, false)
	}
	for _, property := range s.Properties {
		pruneDefaults(&property)
	}
	if s.AdditionalProperties != nil {
		pruneDefaults(s.AdditionalProperties.Structural)
	}
	pruneDefaults(s.Items)
}

// metaCoercer converts the metadata of an object and its embedded objects to the typed form.
type metaCoercer struct {
	catalog  *Catalog
	problems []Problem
}

// metadata decodes and re-encodes x.metadata through the ObjectMeta type.
func (m *metaCoercer) metadata(x map[string]any, path string) {
	value, found := x["metadata"]
	if !found {
		return
	}
	if meta, ok := m.catalog.metadata(value); ok {
		x["metadata"] = withoutUnsetTime(meta, path)
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
	x["metadata"] = withoutUnsetTime(normalise(t, false, tree).(map[string]any), path)
}

// withoutUnsetTime takes the time from the metadata of an embedded object, which never shows an unset one.
func withoutUnsetTime(metadata map[string]any, path string) map[string]any {
	if metadata["creationTimestamp"] == nil && path != "" {
		delete(metadata, "creationTimestamp")
	}
	return metadata
}

// metadata is the typed form of metadata; it is false where it does not fit for sure.
func (c *Catalog) metadata(value any) (map[string]any, bool) {
	fields, ok := value.(map[string]any)
	if !ok {
		return nil, false
	}
	r := valueReader{b: c.builtin, long: math.MaxInt}
	return r.object(c.named("meta/v1.ObjectMeta"), fields)
}

// SurelyMetadata reports whether a value fits the type of metadata for sure.
func (c *Catalog) SurelyMetadata(value any) bool {
	_, ok := c.metadata(value)
	return ok
}

func (m *metaCoercer) coerce(x any, s *schemaNode, path string) {
	if s == nil || !s.embeds {
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

// typeMeta reports an embedded object whose kind or apiVersion is not a string.
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

// FromUnstructured converts an object to the Go type of its kind and back, as the server does with
// an ApplyConfiguration's result (semantics §6.4). Unknown fields are dropped and whole floats
// become integers. Other mismatches return the server's error. Custom resources are not converted.
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
