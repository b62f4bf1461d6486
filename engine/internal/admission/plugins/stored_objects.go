package plugins

import (
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/report"
)

// Stored are the objects of an update as they are in manifests, old and new, with what
// the plugins gave the stored object when it was created. What a plugin has nothing to
// give to the old object, the new one leaves out on purpose. What a plugin would reject
// stays as it is, because the object exists. c is the request; nothing is added to its
// report.
func (s Set) Stored(c *run.Chain, old, object map[string]any) (storedOld, storedObject map[string]any) {
	own, ok := c.Catalog.KindFor(c.Attributes.Resource, "")
	if !ok || own != c.Attributes.Kind {
		return old, object // an Eviction or a Scale is not what is stored
	}
	creation := &run.Chain{Evaluator: c.Evaluator, Version: c.Version, Catalog: c.Catalog, Expressions: c.Expressions, Cluster: c.Cluster,
		Matcher: c.Matcher, Authorizer: c.Authorizer, Report: &report.Report{}, Attributes: c.Attributes}
	a := &creation.Attributes
	a.Operation, a.SubResource, a.OldObject = "CREATE", "", nil
	for _, p := range s.plugins {
		if p.admit == nil || p.refusesOnly {
			continue
		}
		given := func(object map[string]any) map[string]any {
			if object == nil {
				return nil
			}
			a.Object = runtime.DeepCopyJSON(object)
			if s.run(p, creation, &turn{phase: report.Mutating}, p.resources, p.admit) != nil {
				return object
			}
			return a.Object
		}
		before := old
		if old = given(old); before == nil || !reflect.DeepEqual(old, before) {
			object = given(object)
		}
	}
	return old, object
}
