package growth

import (
	"slices"
	"strings"
	"unicode/utf8"

	core "k8s.io/api/core/v1"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
)

// maxBytes is how large a request may be, and so the JSON of an object in it.
const maxBytes = uint64(celconfig.MaxRequestSizeBytes)

// maxStored is how large an object in the cluster may be: etcd refuses larger requests.
const maxStored = uint64(1.5 * (1 << 20))

// Segments of places that are no field.
const (
	anyItem = "[]"     // any item of a list, any value of a map
	anyKey  = "{keys}" // any key of a map
)

// place is where a value is in the inputs of an expression: a root variable
// and the way down.
type place []string

func (p place) child(segment string) place { return append(p[:len(p):len(p)], segment) }

// String is the place as expressions write it.
func (p place) String() string { return strings.ReplaceAll(strings.Join(p, "."), "."+anyItem, "[]") }

// bounds are the limits for the sizes of what is in the inputs: as in the
// server's estimate for the rules of CRDs, those of the schema, and what fits
// into a request as JSON. Sizes are those of the CEL function size.
type bounds struct {
	// types are those of the roots; a root without one may hold anything.
	types map[string]*catalog.Type
	// checked are the roots that have been validated against their schema:
	// mutating policies see object before that.
	checked map[string]bool
}

// room is how large the JSON of a root may be: what a request holds, and less for what is stored
// in the cluster already.
func (b bounds) room(root string) uint64 {
	switch root {
	case "params", "oldObject", "namespaceObject":
	default:
		return maxBytes
	}
	if t := b.types[root]; t != nil && (t.ID == "v1.ConfigMap" || t.ID == "v1.Secret") {
		return core.MaxSecretSize // their validation limits the data
	}
	return maxStored
}

// max is the largest size of the value at a place.
func (b bounds) max(p place) uint64 {
	if p[0] == "request" {
		return requestSize(p[1:])
	}
	room := b.room(p[0])
	if p[len(p)-1] == anyKey {
		return room - 2
	}
	t, checked := b.typeAt(p), b.checked[p[0]]
	if t == nil {
		return room
	}
	size := fits(t, checked, room)
	if checked && t.MaxSize != nil {
		size = min(size, uint64(max(*t.MaxSize, 0)))
	}
	if checked && t.Kind == catalog.String && len(t.Enum) > 0 && t.ID == "" {
		size = min(size, longest(t.Enum))
	}
	return size
}

// typeAt is the type of the value at a place, nil when it is not known.
func (b bounds) typeAt(p place) *catalog.Type {
	if slices.Contains(p, anyKey) {
		return nil
	}
	return b.types[p[0]].At(p[1:]...)
}

// unique reports whether the place is a list that the schema calls a set.
func (b bounds) unique(p place) bool {
	last := len(p) - 1
	holder := b.typeAt(p[:last])
	if last == 0 || holder == nil || holder.Kind != catalog.Struct {
		return false
	}
	f := holder.Field(p[last])
	return f != nil && f.ListType == "set"
}

// requestSize bounds the fields of request: names of the API are no longer than
// those of custom resources may be.
func requestSize(path []string) uint64 {
	if len(path) == 0 {
		return maxBytes
	}
	switch path[0] {
	case "operation":
		return uint64(len("CONNECT"))
	case "kind", "resource", "requestKind", "requestResource", "subResource", "requestSubResource", "namespace":
		return 253
	}
	return maxBytes
}

// fits is the largest size of a value of a type that so many bytes have room for.
func fits(t *catalog.Type, checked bool, room uint64) uint64 {
	switch t.Kind {
	case catalog.List:
		return room / (least(t.Elem, checked, 0) + uint64(len(",")))
	case catalog.Map:
		return room / (least(t.Elem, checked, 0) + uint64(len(`"k":,`)))
	case catalog.Boolean, catalog.Integer, catalog.Number:
		return 1
	case catalog.Struct:
		if !t.Open {
			return uint64(len(t.Fields()))
		}
	}
	return room
}

// least is the length of the shortest JSON of a type's values, which have all
// required fields if they have been checked.
func least(t *catalog.Type, checked bool, depth int) uint64 {
	switch t.Kind {
	case catalog.Boolean:
		return uint64(apiservercel.MinBoolSize)
	case catalog.Integer, catalog.Number, catalog.Any, catalog.Custom:
		return uint64(apiservercel.MinNumberSize)
	case catalog.Struct:
		size := uint64(len("{}"))
		if !checked || depth > maxDepth {
			return size
		}
		for _, f := range t.Fields() {
			if f.Required {
				size += uint64(len(f.Name)) + uint64(len(`"":`)) + least(f.Type, checked, depth+1)
			}
		}
		return size
	}
	return 2 // "", [] and {}
}

// maxDepth bounds the walk down a type: a schema may be nested deeply.
const maxDepth = 20

func longest(list []string) uint64 {
	n := 0
	for _, s := range list {
		n = max(n, utf8.RuneCountInString(s))
	}
	return uint64(n)
}
