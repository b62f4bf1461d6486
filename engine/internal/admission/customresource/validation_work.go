package customresource

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/preadmit/preadmit/engine/internal/kube/crd"
	"github.com/preadmit/preadmit/engine/internal/worklimit"
	"github.com/preadmit/preadmit/engine/report"
)

// What the check of an object by its schema takes, in units of work.
const (
	// enumWork is for a value that a text is compared with, patternSteps for how many characters of a
	// text times those of a pattern a unit is.
	enumWork     = 2
	patternSteps = 16
	// pieceValues is how large an object is whose errors are not counted before the check.
	pieceValues = 2000
	// errorWork is for an error, and for writing it into the answer.
	errorWork = 200
	// errorCopies is how often its text is in the answer and in the report.
	errorCopies = 4
)

// charge charges for the check of an object by its schema. The library writes all values of an enum
// into each error. So the errors of a large object are counted first, in pieces of it.
// It returns how many there are.
func (c *check) charge(object map[string]any) (errors int) {
	b := c.evaluator.Budget()
	if b == nil {
		return 0
	}
	b.Enter("validating the object against its schema")
	b.Work(schemaWork(c.node, object))
	values := worklimit.Measure(object).Values
	most := values + missing(c.node, object)
	if most <= pieceValues {
		return 0
	}
	defer b.Reading("")()
	found := 0
	pieces(object, max(pieceValues*values/most, 50), func(piece map[string]any) {
		errs := validation.ValidateCustomResource(nil, piece, c.schema)
		if found += len(errs); len(errs) > 0 {
			c.manyErrors(b, found, errs)
		}
		bytes := 0
		for _, err := range errs {
			bytes += len(err.Detail) + len(err.Field)
		}
		b.Work(errorWork * len(errs))
		b.Make(errorCopies * bytes)
	})
	return found
}

// chargeUpdate is charge for the check of an update, which compares each error with all before it.
func (c *check) chargeUpdate(object map[string]any) {
	if b := c.evaluator.Budget(); b != nil {
		b.Work(schemaWork(c.node, object)) // what is valid is validated again, without the old object
	}
	if found := c.charge(object); found > 0 {
		c.evaluator.Budget().Work(found * found)
	}
}

// manyErrors says what to change if the run ends at this check.
func (c *check) manyErrors(b *worklimit.Budget, found int, errs field.ErrorList) {
	first := crd.ErrorText(errs[0], c.version)
	if len(first) > 300 {
		first = first[:300] + "…"
	}
	b.At(0, 0, fmt.Sprintf("The object has at least %s schema errors, which may have a common cause. One is: %s", report.Number(int64(found)), first))
}

// missing is how many required fields the values of an object lack: errors without a value.
func missing(node *schema.Structural, value any) int {
	if node == nil {
		return 0
	}
	n := 0
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			n += missing(node.Items, item)
		}
	case map[string]any:
		if node.ValueValidation != nil {
			for _, name := range node.ValueValidation.Required {
				if _, ok := value[name]; !ok {
					n++
				}
			}
		}
		for name, item := range value {
			if property, ok := node.Properties[name]; ok {
				n += missing(&property, item)
			} else if node.AdditionalProperties != nil {
				n += missing(node.AdditionalProperties.Structural, item)
			}
		}
	}
	return n
}

// schemaWork is what comparing the values of an object with the enums and patterns of its schema takes.
func schemaWork(node *schema.Structural, value any) int {
	if node == nil || value == nil {
		return 0
	}
	work := 4
	if v := node.ValueValidation; v != nil {
		work += validationWork(v, value)
	}
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			work += schemaWork(node.Items, item)
		}
	case map[string]any:
		for name, item := range value {
			if property, ok := node.Properties[name]; ok {
				work += schemaWork(&property, item)
			} else if node.AdditionalProperties != nil {
				work += schemaWork(node.AdditionalProperties.Structural, item)
			}
		}
	}
	return work
}

func validationWork(v *schema.ValueValidation, value any) int {
	work := enumWork * len(v.Enum)
	if text, ok := value.(string); ok && v.Pattern != "" {
		work += len(v.Pattern) + len(text)*len(v.Pattern)/patternSteps
	}
	for _, list := range [][]schema.NestedValueValidation{v.AllOf, v.AnyOf, v.OneOf} {
		for i := range list {
			work += nestedWork(&list[i], value)
		}
	}
	if v.Not != nil {
		work += nestedWork(v.Not, value)
	}
	return work
}

// alternativeWork is for each schema of an anyOf, oneOf or allOf: the library makes a validator of it for
// every value.
const alternativeWork = 150

func nestedWork(node *schema.NestedValueValidation, value any) int {
	work := alternativeWork + validationWork(&node.ValueValidation, value)
	switch value := value.(type) {
	case []any:
		if node.Items != nil {
			for _, item := range value {
				work += nestedWork(node.Items, item)
			}
		}
	case map[string]any:
		for name, property := range node.Properties {
			if item, ok := value[name]; ok {
				work += nestedWork(&property, item)
			}
		}
	}
	return work
}

// pieces calls f with objects of so many values at most that have together those of a large one. They share
// its values, and the first has its first ones.
func pieces(object map[string]any, size int, f func(map[string]any)) {
	if worklimit.Measure(object).Values <= size {
		f(object)
		return
	}
	first, second, ok := halves(object)
	if !ok {
		f(object)
		return
	}
	pieces(first.(map[string]any), size, f)
	pieces(second.(map[string]any), size, f)
}

// halves are two copies of a value, each without half of the items of the deepest list or map that
// has most of it.
func halves(value any) (first, second any, ok bool) {
	all := worklimit.Measure(value).Values
	switch value := value.(type) {
	case []any:
		for i, item := range value {
			if worklimit.Measure(item).Values*2 > all {
				a, b, ok := halves(item)
				return with(value, i, a), with(value, i, b), ok
			}
		}
		if n := len(value) / 2; n > 0 {
			return value[:n], value[n:], true
		}
	case map[string]any:
		names := slices.Sorted(maps.Keys(value))
		for _, name := range names {
			if worklimit.Measure(value[name]).Values*2 > all {
				a, b, ok := halves(value[name])
				return withKey(value, name, a), withKey(value, name, b), ok
			}
		}
		if n := len(names) / 2; n > 0 {
			return only(value, names[:n]), only(value, names[n:]), true
		}
	}
	return nil, nil, false
}

func with(list []any, i int, item any) []any {
	out := slices.Clone(list)
	out[i] = item
	return out
}

func withKey(object map[string]any, name string, value any) map[string]any {
	out := maps.Clone(object)
	out[name] = value
	return out
}

func only(object map[string]any, names []string) map[string]any {
	out := make(map[string]any, len(names))
	for _, name := range names {
		out[name] = object[name]
	}
	return out
}
