package outcomes

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
)

// kind says what is known of a value.
type kind uint8

const (
	failed kind = iota // there is none: an error
	null
	boolean
	number
	text
	list    // of known length
	mapping // with known keys
	unknown
	none // optional.none()
	some // optional.of(inner)
)

// shape is the type of an unknown value.
type shape uint8

const (
	anyShape shape = iota
	boolShape
	numberShape
	textShape
	listShape
	mapShape
	otherShape // a quantity, a duration, a check
)

// value is a value of which not all need be known.
type value struct {
	kind  kind
	b     bool
	n     float64
	s     string
	items []value
	keys  []string // of a mapping
	inner *value   // of some

	// Of an error: key is the field whose absence caused it, empty for other causes.
	//
	// Of an unknown value: key is its name, the same for the same value, typ its type of the
	// API, level the loop that it is an item of, path the field that it is, nil for none.
	key      string
	typ      *catalog.Type
	shape    shape
	level    int
	path     []string
	integral bool // a number without a fraction
	least    *float64
	most     *float64
}

var failure = value{kind: failed}

func boolOf(b bool) value { return value{kind: boolean, b: b} }

// name identifies a value.
func (v value) name() string {
	switch v.kind {
	case failed:
		return "error"
	case null:
		return "null"
	case boolean:
		return strconv.FormatBool(v.b)
	case number:
		return strconv.FormatFloat(v.n, 'g', -1, 64)
	case text:
		return strconv.Quote(v.s)
	case list, mapping:
		var parts []string
		for i, item := range v.items {
			if v.kind == mapping {
				parts = append(parts, strconv.Quote(v.keys[i])+":"+item.name())
				continue
			}
			parts = append(parts, item.name())
		}
		return fmt.Sprintf("%d[%s]", v.kind, strings.Join(parts, ","))
	case none:
		return "none"
	case some:
		return "some(" + v.inner.name() + ")"
	}
	return v.key
}

// deepest is the innermost loop that values depend on.
func deepest(list ...value) int {
	at := 0
	for _, v := range list {
		at = max(at, v.level, deepest(v.items...))
		if v.inner != nil {
			at = max(at, deepest(*v.inner))
		}
	}
	return at
}

// hasShape is the shape that a value has for sure; anyShape if that is not known.
func (v value) hasShape() shape {
	switch v.kind {
	case boolean:
		return boolShape
	case number:
		return numberShape
	case text:
		return textShape
	case list:
		return listShape
	case mapping:
		return mapShape
	case unknown:
		return v.shape
	}
	return otherShape
}

func (r *Run) shapeOf(t *catalog.Type) shape {
	if t == nil {
		return anyShape
	}
	switch t.Kind {
	case catalog.Struct, catalog.Map:
		return mapShape
	case catalog.List:
		return listShape
	}
	if r.world.Loose {
		return anyShape
	}
	switch t.Kind {
	case catalog.String, catalog.Bytes:
		return textShape
	case catalog.Boolean:
		return boolShape
	case catalog.Integer, catalog.Number:
		return numberShape
	}
	return anyShape
}

// field is the unknown value of a field, or of a key of a map.
func (r *Run) field(of value, name string, t *catalog.Type) value {
	v := value{kind: unknown, key: r.alias(of.key + "." + name), typ: t, shape: r.shapeOf(t), level: of.level}
	v.integral = t != nil && t.Kind == catalog.Integer
	if t == nil {
		v.shape = requestShapes[v.key]
	}
	if of.path != nil {
		v.path = append(of.path[:len(of.path):len(of.path)], name)
	}
	return v
}

// alias gives the names of the request's namespace one key.
func (r *Run) alias(key string) string {
	res := r.world.Resource
	if res == nil || !res.Namespaced {
		return key
	}
	switch key {
	case "namespaceObject.metadata.name", "object.metadata.namespace", "oldObject.metadata.namespace", "namespaceObject.metadata.labels.kubernetes.io/metadata.name":
		return "request.namespace"
	}
	return key
}

// requestShapes are the types of fields that are no field of an object.
var requestShapes = map[string]shape{
	"request.userInfo": mapShape, "request.userInfo.username": textShape, "request.userInfo.groups": listShape, "request.name": textShape, "request.namespace": textShape,
	"request.resource": mapShape, "request.kind": mapShape, "request.dryRun": boolShape, "request.operation": textShape, "request.uid": textShape,
	"namespaceObject.metadata": mapShape, "namespaceObject.metadata.labels": mapShape, "namespaceObject.metadata.annotations": mapShape,
}
