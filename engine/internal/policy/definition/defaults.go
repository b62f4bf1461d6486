package definition

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/rules"
	"github.com/preadmit/preadmit/engine/internal/kube/crd"
)

// defaultCheck checks the defaults of a schema by the schema and the rules at
// their place.
type defaultCheck struct {
	*validator
	compiler rules.Compiler
	budget   int64
	errs     field.ErrorList
}

func (v *validator) defaults(path *field.Path, node *schema.Structural) field.ErrorList {
	c := &defaultCheck{validator: v, budget: eval.Budget, compiler: rules.Compiler{Environments: v.environments, Modes: rules.Stored}}
	root := *node
	root.XEmbeddedResource = true
	c.node(path, &root, &root, surrounding(), false)
	return c.errs
}

// surrounding is an object around a default in metadata.
func surrounding() defaulting.SurroundingObjectFunc {
	return defaulting.NewRootObjectFunc().WithTypeMeta(metav1.TypeMeta{APIVersion: "validation/v1", Kind: "Validation"})
}

func (c *defaultCheck) node(path *field.Path, s, root *schema.Structural, around defaulting.SurroundingObjectFunc, meta bool) {
	if s == nil || c.budget < 0 {
		return
	}
	if s.XEmbeddedResource {
		meta, around, root = false, surrounding(), s
	}
	if s.Default.Object != nil {
		c.value(path.Child("default"), s, root, around, meta)
	}
	if s.Items != nil {
		c.node(path.Child("items"), s.Items, root, around.Index(), meta)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		child := s.Properties[name]
		c.node(path.Child("properties").Key(name), &child, root, around.Child(name), meta || s.XEmbeddedResource && metaFields[name])
	}
}

// value checks one default.
func (c *defaultCheck) value(path *field.Path, s, root *schema.Structural, around defaulting.SurroundingObjectFunc, meta bool) {
	value := s.Default.Object
	var errs field.ErrorList
	if meta {
		object, _, err := around(runtime.DeepCopyJSONValue(value))
		if err != nil {
			return // only for a root that is no object, which has no metadata
		}
		if err := objectmeta.Coerce(nil, object, root, true, false); err != nil {
			errs = append(errs, field.Invalid(path, value, "must result in valid metadata: "+crd.ErrorText(err, c.version)))
		} else if list := crd.Embedded(objectmeta.Validate(c.ctx, nil, object, root, true), c.version); len(list) > 0 {
			errs = append(errs, field.Invalid(path, value, fmt.Sprintf("must result in valid metadata: %v", list.ToAggregate())))
		}
	} else {
		pruned := runtime.DeepCopyJSONValue(value)
		pruning.Prune(pruned, s, s.XEmbeddedResource)
		if !reflect.DeepEqual(pruned, value) && (c.before == nil || !c.before.unpruned) {
			c.errs = append(c.errs, field.Invalid(path, value, "must not have unknown fields"))
		}
		if err := objectmeta.Coerce(path, value, s, s.XEmbeddedResource, false); err != nil {
			errs = append(errs, err)
		} else {
			errs = crd.Embedded(objectmeta.Validate(c.ctx, path, value, s, s.XEmbeddedResource), c.version)
		}
	}
	if len(errs) == 0 {
		errs = sorted(validation.ValidateCustomResource(path, value, crd.DefaultValidator(s, c.version)))
	}
	if len(errs) == 0 {
		errs = c.rules(path, s, s == root)
	}
	c.errs = append(c.errs, errs...)
}

// rules runs the rules on a default, as one that replaces itself and as a new
// one.
func (c *defaultCheck) rules(path *field.Path, s *schema.Structural, root bool) field.ErrorList {
	validator := c.compiler.Validator(s, root)
	if validator == nil {
		return nil
	}
	same := rules.Run{Evaluator: eval.NewEvaluator(c.ctx, eval.Options{}), Budget: c.budget}
	same.Validate(validator, path, s.Default.Object, s.Default.Object, nil)
	left, errs := same.Budget, same.Errors
	if len(errs) == 0 {
		fresh := rules.Run{Evaluator: eval.NewEvaluator(c.ctx, eval.Options{}), Budget: c.budget}
		fresh.Validate(validator, path, s.Default.Object, nil, nil)
		left, errs = min(left, fresh.Budget), fresh.Errors
	}
	c.budget = left
	return errs
}
