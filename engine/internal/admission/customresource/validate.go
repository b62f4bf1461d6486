package customresource

import (
	"context"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/cel/common"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/rules"
	"github.com/preadmit/preadmit/engine/internal/kube/crd"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// Result is what the server says about an object.
type Result struct {
	Errors field.ErrorList
	// Kept are errors of the schema about values that an update leaves as they are. The server ignores
	// them where there is no other one.
	Kept field.ErrorList
	// Warnings are about rules that a value breaks which is as it was before.
	Warnings []string
	// FinalizerWarnings are about names of finalizers.
	FinalizerWarnings []string
	// Blocked says that the rules were not run because of an error that makes
	// them meaningless.
	Blocked bool
	// Asked is what the rules were asked about; nil when they were not run.
	Asked *rules.Record
	// Used is what all rules together cost, in CEL cost units; Exceeded says that
	// the budget was broken.
	Used     int64
	Exceeded bool
}

// check is one validation under way.
type check struct {
	*Resource
	evaluator *eval.Evaluator
	observe   func(rules.Visit)
	Result
}

// Create checks a new object. observe is called for each evaluation of a rule.
func (r *Resource) Create(evaluator *eval.Evaluator, object map[string]any, observe func(rules.Visit)) Result {
	c := &check{Resource: r, evaluator: evaluator, observe: observe}
	u := &unstructured.Unstructured{Object: object}
	if c.Errors = r.typeMeta(u); len(c.Errors) == 0 {
		c.add(crd.Reword(apivalidation.ValidateObjectMetaAccessor(u, r.namespaced, apivalidation.NameIsDNSSubdomain, field.NewPath("metadata")), r.version))
		c.charge(object)
		c.add(inOrder(validation.ValidateCustomResource(nil, object, r.schema)))
		c.add(r.scaleSpec(u))
		c.add(r.scaleStatus(u))
	}
	c.add(r.embedded(evaluator.Context(), object))
	c.add(inOrder(listtype.ValidateListSetsAndMaps(nil, r.node, object)))
	c.runRules(object, nil, nil)
	c.warnOfFinalizers(object, nil)
	return c.Result
}

// Update checks an object that replaces old.
func (r *Resource) Update(evaluator *eval.Evaluator, object, old map[string]any, observe func(rules.Visit)) Result {
	c := &check{Resource: r, evaluator: evaluator, observe: observe}
	keepSystemMetadata(object, old)
	correlated := r.correlate(object, old)
	u, before := &unstructured.Unstructured{Object: object}, &unstructured.Unstructured{Object: old}
	if c.Errors = r.typeMeta(u); len(c.Errors) == 0 {
		c.add(crd.Reword(apivalidation.ValidateObjectMetaAccessorUpdate(u, before, field.NewPath("metadata")), r.version))
		c.chargeUpdate(object)
		c.fits(nil, object, old, r.schema, validation.WithRatcheting(correlated))
		c.add(r.scaleSpec(u))
		c.add(r.scaleStatus(u))
	}
	c.add(r.embedded(evaluator.Context(), object))
	if len(listtype.ValidateListSetsAndMaps(nil, r.node, old)) == 0 {
		c.add(inOrder(listtype.ValidateListSetsAndMaps(nil, r.node, object)))
	}
	c.runRules(object, old, correlated)
	c.Errors = append(crd.CommonMetadata(u, before, r.namespaced, r.version), c.Errors...)
	c.warnOfFinalizers(object, old)
	return c.Result
}

// UpdateStatus checks an object whose status alone is new.
func (r *Resource) UpdateStatus(evaluator *eval.Evaluator, object, old map[string]any, observe func(rules.Visit)) Result {
	c := &check{Resource: r, evaluator: evaluator, observe: observe}
	keepSystemMetadata(object, old)
	var correlated *common.CorrelatedObject
	if r.version.Has(version.StatusRatcheting) {
		correlated = r.correlate(object, old)
	}
	u, before := &unstructured.Unstructured{Object: object}, &unstructured.Unstructured{Object: old}
	if c.Errors = r.typeMeta(u); len(c.Errors) == 0 {
		c.add(crd.Reword(apivalidation.ValidateObjectMetaAccessorUpdate(u, before, field.NewPath("metadata")), r.version))
		if status, ok := object["status"]; ok {
			var path *field.Path
			if r.version.Has(version.StatusPaths) {
				path = field.NewPath("status")
			}
			var options []validation.ValidationOption
			if r.node != nil && correlated != nil {
				options = append(options, validation.WithRatcheting(correlated.Key("status")))
			}
			c.fits(path, status, old["status"], r.status, options...)
		}
		c.add(r.scaleStatus(u))
	}
	if len(listtype.ValidateListSetsAndMaps(nil, r.node, old)) == 0 {
		c.add(inOrder(listtype.ValidateListSetsAndMaps(nil, r.node, object)))
	}
	c.runRules(object, old, correlated)
	c.Errors = append(crd.CommonMetadata(u, before, r.namespaced, r.version), c.Errors...)
	return c.Result
}

// fits checks an update of a value against its schema.
func (c *check) fits(path *field.Path, value, old any, schema validation.SchemaValidator, options ...validation.ValidationOption) {
	errs := validation.ValidateCustomResourceUpdate(path, value, old, schema, options...)
	c.add(inOrder(errs))
	if len(errs) == 0 {
		c.Kept = inOrder(validation.ValidateCustomResource(path, value, schema))
	}
}

// keepSystemMetadata sets what only the server sets in an update, as it does
// before it validates.
func keepSystemMetadata(object, old map[string]any) {
	metadata, ok := object["metadata"].(map[string]any)
	before, _ := old["metadata"].(map[string]any)
	if !ok {
		return
	}
	if version, _ := before["resourceVersion"].(string); version == "" && (metadata["resourceVersion"] == nil || metadata["resourceVersion"] == "") {
		metadata["resourceVersion"] = "1" // a review that somebody took the versions out of
	}
	for _, name := range []string{"uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"} {
		if value, ok := before[name]; ok && (name != "uid" && name != "deletionGracePeriodSeconds" || metadata[name] == nil || metadata[name] == "") {
			metadata[name] = value
		}
	}
	if generation, ok := before["generation"].(int64); ok {
		if next, ok := metadata["generation"].(int64); !ok || next < generation {
			metadata["generation"] = generation
		}
	}
}

func (r *Resource) correlate(object, old map[string]any) *common.CorrelatedObject {
	return common.NewCorrelatedObject(object, old, r.adapted)
}

// warnOfFinalizers warns when nothing else is wrong.
func (c *check) warnOfFinalizers(object, old map[string]any) {
	if len(c.Errors) == 0 {
		c.FinalizerWarnings = finalizerWarnings(object, old, c.version)
	}
}

func (c *check) add(list field.ErrorList) { c.Errors = append(c.Errors, list...) }

// blocking are the errors after which rules are not run.
var blocking = map[field.ErrorType]bool{
	field.ErrorTypeNotSupported: true, field.ErrorTypeRequired: true, field.ErrorTypeTooLong: true,
	field.ErrorTypeTooMany: true, field.ErrorTypeTypeInvalid: true,
}

// Unchecked is the error that stands for rules that were not run.
const Unchecked = "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"

func (c *check) runRules(object, old map[string]any, correlated *common.CorrelatedObject) {
	if c.rules == nil {
		return
	}
	for _, err := range c.Errors {
		if blocking[err.Type] {
			c.Blocked = true
			c.add(field.ErrorList{field.Invalid(nil, nil, Unchecked)})
			return
		}
	}
	c.Asked = &rules.Record{Validator: c.rules, Object: object, Old: old, RulePath: c.RulePath}
	run := rules.Run{Evaluator: c.evaluator, Budget: eval.Budget, Observe: func(v rules.Visit) {
		c.Used += v.Result.Cost
		if v.Message != nil {
			c.Used += v.Message.Cost
		}
		if c.observe != nil {
			c.observe(v)
		}
	}}
	var before any
	if old != nil {
		before = old
	}
	run.Validate(c.rules, nil, object, before, correlated)
	c.add(run.Errors)
	c.Warnings, c.Exceeded = run.Warnings, run.Budget < 0
}

// typeMeta checks that the object is still one of its kind.
func (r *Resource) typeMeta(u *unstructured.Unstructured) field.ErrorList {
	var errs field.ErrorList
	if kind := u.GetKind(); kind != r.Kind.Kind {
		errs = append(errs, field.Invalid(field.NewPath("kind"), kind, "must be "+r.Kind.Kind))
	}
	if version, want := u.GetAPIVersion(), r.Kind.GroupVersion().String(); version != want {
		errs = append(errs, field.Invalid(field.NewPath("apiVersion"), version, "must be "+want))
	}
	return errs
}

// embedded checks what every object in the object must have.
func (r *Resource) embedded(ctx context.Context, object map[string]any) field.ErrorList {
	return crd.Embedded(inOrder(objectmeta.Validate(ctx, nil, object, r.node, false)), r.version)
}

func (r *Resource) scaleSpec(u *unstructured.Unstructured) field.ErrorList {
	if r.scale == nil {
		return nil
	}
	return replicas(u, r.scale.SpecReplicasPath)
}

func (r *Resource) scaleStatus(u *unstructured.Unstructured) field.ErrorList {
	if r.scale == nil {
		return nil
	}
	errs := replicas(u, r.scale.StatusReplicasPath)
	if at := r.scale.LabelSelectorPath; at != nil {
		if selector, _, err := unstructured.NestedString(u.Object, replicasPath(*at)...); err != nil {
			errs = append(errs, field.Invalid(field.NewPath(*at), selector, err.Error()))
		}
	}
	return errs
}

func replicas(u *unstructured.Unstructured, at string) field.ErrorList {
	n, _, err := unstructured.NestedInt64(u.Object, replicasPath(at)...)
	path := field.NewPath(at)
	switch {
	case err != nil:
		return field.ErrorList{field.Invalid(path, n, err.Error())}
	case n < 0:
		return field.ErrorList{field.Invalid(path, n, "should be a non-negative integer")}
	case n > maxReplicas:
		return field.ErrorList{field.Invalid(path, n, fmt.Sprintf("should be less than or equal to %v", maxReplicas))}
	}
	return nil
}
