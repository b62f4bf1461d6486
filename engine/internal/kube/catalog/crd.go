package catalog

import (
	"fmt"
	"sync"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/worklimit"
)

// CRD is a CustomResourceDefinition of the cluster text.
type CRD struct {
	Value map[string]any
}

// CRDProblem says why a CRD, or one of its versions, was left out of the catalog.
type CRDProblem struct {
	// Index is the CRD's index in the given list.
	Index int
	// Path is the wrong field, as the server writes it.
	Path    string
	Message string
}

// customKinds are the kinds that CRDs define.
type customKinds struct {
	resources []Resource
	versions  map[schema.GroupVersionKind]*customVersion
}

// customVersion is one version of a CRD.
type customVersion struct {
	gvk schema.GroupVersionKind
	// schema is nil if the version has none. Then nothing is known, and everything is pruned unless
	// preserve is set.
	schema *schemaNode
	// structural is the same schema for the server's own pruning and defaulting.
	structural *structuralschema.Structural
	// preserve is spec.preserveUnknownFields from old CRDs.
	preserve bool
	typ      *Type
	// stored is the definition's storage version. It is set if conversion only changes apiVersion,
	// and nil if a webhook converts or no version is stored.
	stored *customVersion

	mergerOnce sync.Once
	merger     Merger
}

// WithCRDs returns a catalog that includes the custom kinds. Invalid CRDs are left out and reported
// as problems. A CRD for a built-in kind, or for the kind of an earlier CRD, is a problem too.
func (c *Catalog) WithCRDs(crds []CRD) (*Catalog, []CRDProblem) {
	out := &Catalog{builtin: c.builtin, crds: customKinds{versions: map[schema.GroupVersionKind]*customVersion{}}}
	var problems []CRDProblem
	for i, crd := range crds {
		r := crdReader{catalog: out, index: i}
		r.read(crd.Value)
		problems = append(problems, r.problems...)
	}
	return out, problems
}

// crdReader reads one CRD.
type crdReader struct {
	catalog  *Catalog
	index    int
	problems []CRDProblem

	group, kind, plural string
	namespaced          bool
	preserve            bool
}

func (r *crdReader) problem(path fieldpath.Path, format string, args ...any) {
	r.problems = append(r.problems, CRDProblem{Index: r.index, Path: path.String(), Message: fmt.Sprintf(format, args...)})
}

func (r *crdReader) read(crd map[string]any) {
	spec, _ := crd["spec"].(map[string]any)
	names, _ := spec["names"].(map[string]any)
	r.group, _ = spec["group"].(string)
	r.kind, _ = names["kind"].(string)
	r.plural, _ = names["plural"].(string)
	r.namespaced = spec["scope"] == "Namespaced"
	r.preserve, _ = spec["preserveUnknownFields"].(bool)
	path := fieldpath.New("spec")
	for _, need := range []struct {
		path  fieldpath.Path
		value string
	}{
		{path.Child("group"), r.group}, {path.Child("names", "kind"), r.kind}, {path.Child("names", "plural"), r.plural},
	} {
		if need.value == "" {
			r.problem(need.path, "must be set: without it the CRD defines nothing")
		}
	}
	versions, _ := spec["versions"].([]any)
	if len(versions) == 0 {
		r.problem(path.Child("versions"), "must have at least one version")
	}
	if len(r.problems) > 0 {
		return
	}
	for i, item := range versions {
		version, _ := item.(map[string]any)
		r.readVersion(path.Child("versions").Index(i), version)
	}
	if conversion, _ := spec["conversion"].(map[string]any); conversion["strategy"] != "Webhook" {
		r.linkStored(versions)
	}
}

// linkStored sets each version's storage version.
func (r *crdReader) linkStored(versions []any) {
	var stored *customVersion
	var all []*customVersion
	for _, item := range versions {
		version, _ := item.(map[string]any)
		name, _ := version["name"].(string)
		v := r.catalog.crds.versions[schema.GroupVersionKind{Group: r.group, Version: name, Kind: r.kind}]
		if v == nil {
			continue
		}
		all = append(all, v)
		if version["storage"] == true {
			stored = v
		}
	}
	for _, v := range all {
		v.stored = stored
	}
}

func (r *crdReader) readVersion(path fieldpath.Path, version map[string]any) {
	name, _ := version["name"].(string)
	if name == "" {
		r.problem(path.Child("name"), "must be set")
		return
	}
	gvk := schema.GroupVersionKind{Group: r.group, Version: name, Kind: r.kind}
	if r.catalog.builtinKind(gvk) || r.catalog.crds.versions[gvk] != nil {
		r.problem(path, "%s is defined already", gvk)
		return
	}
	v := &customVersion{gvk: gvk, preserve: r.preserve}
	validation, _ := version["schema"].(map[string]any)
	if root, ok := validation["openAPIV3Schema"].(map[string]any); ok {
		node, err := parseSchema(root, path.Child("schema", "openAPIV3Schema"), 0)
		if err != nil {
			r.problem(err.path, "%s", err.message)
			return
		}
		v.schema, v.structural = node, node.structural()
		pruneDefaults(v.structural)
	}
	v.typ = r.catalog.rootType(v)
	r.catalog.crds.versions[gvk] = v
	served, _ := version["served"].(bool)
	resource := Resource{
		GVK: gvk, GVR: gvk.GroupVersion().WithResource(r.plural), Namespaced: r.namespaced, Served: served,
		Subresources: map[string]schema.GroupVersionKind{},
	}
	subresources, _ := version["subresources"].(map[string]any)
	if _, ok := subresources["status"]; ok {
		resource.Subresources["status"] = gvk
	}
	if _, ok := subresources["scale"]; ok {
		resource.Subresources["scale"] = schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}
	}
	r.catalog.crds.resources = append(r.catalog.crds.resources, resource)
}

// schemaNode is a node of a structural schema. It has the parts of an OpenAPI schema that affect
// decoding, defaulting, pruning and merging.
type schemaNode struct {
	typ, format, description string

	properties map[string]*schemaNode
	order      []string // sorted property names
	items      *schemaNode
	// additional is the schema for undeclared keys; anyAdditional allows any value.
	additional    *schemaNode
	anyAdditional bool
	hasAdditional bool

	nullable                        bool
	preserve, embedded, intOrString bool
	embeds                          bool // it or a node below it is embedded
	listType, mapType               string
	listMapKeys, enum, required     []string
	maxSize                         *int64 // maxLength, maxItems or maxProperties
	def                             any    // nil: none
	// defaultSize is the size in bytes of the default, including nested defaults.
	defaultSize int
	// absentSize is the size of all properties' defaults, for an object without any of the
	// properties.
	absentSize int
}

// maxSchemaDepth limits a schema's nesting, because scenarios come from strangers.
const maxSchemaDepth = 200

type schemaError struct {
	path    fieldpath.Path
	message string
}

// parseSchema reads a CRD's OpenAPI schema.
func parseSchema(in map[string]any, path fieldpath.Path, depth int) (*schemaNode, *schemaError) {
	if depth > maxSchemaDepth {
		return nil, &schemaError{path, "the schema is nested too deeply"}
	}
	n := &schemaNode{properties: map[string]*schemaNode{}}
	n.typ, _ = in["type"].(string)
	n.format, _ = in["format"].(string)
	n.description, _ = in["description"].(string)
	n.nullable, _ = in["nullable"].(bool)
	n.preserve, _ = in["x-kubernetes-preserve-unknown-fields"].(bool)
	n.embedded, _ = in["x-kubernetes-embedded-resource"].(bool)
	n.intOrString, _ = in["x-kubernetes-int-or-string"].(bool)
	n.listType, _ = in["x-kubernetes-list-type"].(string)
	n.mapType, _ = in["x-kubernetes-map-type"].(string)
	n.listMapKeys = untyped.Strings(in["x-kubernetes-list-map-keys"])
	n.enum, n.required = untyped.Strings(in["enum"]), untyped.Strings(in["required"])
	n.maxSize = maxSizeOf(n.typ, in)
	n.def = runtime.DeepCopyJSONValue(in["default"])
	err := n.parseChildren(in, path, depth)
	n.embeds = n.embedded || n.items != nil && n.items.embeds || n.additional != nil && n.additional.embeds
	for name, property := range n.properties {
		if property == nil { // which cannot be read
			continue
		}
		n.absentSize += property.sizeAs(name)
		n.embeds = n.embeds || property.embeds
	}
	if n.def != nil && err == nil {
		n.defaultSize = 64 + worklimit.Measure(n.def).Bytes + n.defaultBytes(n.def)
	}
	return n, err
}

func (n *schemaNode) parseChildren(in map[string]any, path fieldpath.Path, depth int) *schemaError {
	var err *schemaError
	properties, _ := in["properties"].(map[string]any)
	for _, name := range sortedNames(properties) {
		at := path.Child("properties").Key(name)
		child, ok := properties[name].(map[string]any)
		if !ok {
			return &schemaError{at, "must be a schema"}
		}
		if n.properties[name], err = parseSchema(child, at, depth+1); err != nil {
			return err
		}
		n.order = append(n.order, name)
	}
	switch items := in["items"].(type) {
	case nil:
	case map[string]any:
		if n.items, err = parseSchema(items, path.Child("items"), depth+1); err != nil {
			return err
		}
	default:
		return &schemaError{path.Child("items"), "must be a schema, not an array of schemas"}
	}
	switch additional := in["additionalProperties"].(type) {
	case bool:
		n.hasAdditional, n.anyAdditional = true, additional
	case map[string]any:
		n.hasAdditional, n.anyAdditional = true, true
		n.additional, err = parseSchema(additional, path.Child("additionalProperties"), depth+1)
	}
	return err
}

// maxSizeOf returns the schema's length limit for a value, or nil.
func maxSizeOf(typ string, in map[string]any) *int64 {
	keyword := map[string]string{"string": "maxLength", "array": "maxItems", "object": "maxProperties"}[typ]
	switch limit := in[keyword].(type) {
	case int64:
		return &limit
	case float64:
		return new(int64(limit))
	}
	return nil
}
