package plugins

import (
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/report"
)

// Stored is an object of a manifest as it is stored: with what the plugins gave
// it when it was created. What a plugin would refuse stays as it is, because the
// object exists. c is the request whose object or old object it is; nothing is
// added to its report.
func (s Set) Stored(c *run.Chain, object map[string]any) map[string]any {
	if object == nil {
		return nil
	}
	own, ok := c.Catalog.KindFor(c.Attributes.Resource, "")
	if !ok || own != c.Attributes.Kind {
		return object // an Eviction or a Scale is not what is stored
	}
	creation := &run.Chain{Evaluator: c.Evaluator, Version: c.Version, Catalog: c.Catalog, Expressions: c.Expressions, Cluster: c.Cluster,
		Matcher: c.Matcher, Authorizer: c.Authorizer, Report: &report.Report{}, Attributes: c.Attributes}
	a := &creation.Attributes
	a.Operation, a.SubResource, a.OldObject = "CREATE", "", nil
	for _, p := range s.plugins {
		if p.admit == nil || p.refusesOnly {
			continue
		}
		a.Object = runtime.DeepCopyJSON(object)
		if s.run(p, creation, report.Mutating, p.resources, p.admit) == nil {
			object = a.Object
		}
	}
	return object
}
