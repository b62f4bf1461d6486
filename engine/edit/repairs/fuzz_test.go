package repairs

import (
	"context"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/scripts/hostile/variants"
)

// FuzzRepairs holds that every repair that is offered can be applied: its edits are
// in the texts.
func FuzzRepairs(f *testing.F) {
	target := variants.Of(f, 15)
	target.Add("apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\nspec:\n  matchConstraint: {}\n  validations: [{expresion: 'object.spec.replica > 1'}]\n", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {container: []}\n", "")
	target.Add("kind: ValidatingAdmissionPolicyBinding\napiVersion: admissionregistration.k8s.io/v1\nmetadata: {name: b}\nspec: {policyName: q, validationActions: [deny]}\n", "{\"kind\": \"ConfigMap\", \"apiVersion\": \"v1\"", "a: b\n c: d\n")
	target.Add("apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: matchConstraint: {}\n  validations: [{expresion: 'object.spec.replica\" > 1'}]\n", "", "") // its edits overlapped
	target.Fuzz(func(t *testing.T, policies, request, cluster string) {
		s := scenario.Scenario{Policies: policies, Request: request, Cluster: cluster, Now: "2026-01-01T00:00:00Z"}
		o := engine.Everything()
		o.Limits = engine.Limits{Work: 5_000_000}
		r, err := engine.Evaluate(context.Background(), s, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range r.Diagnostics {
			for _, fix := range d.Fixes {
				after, err := Apply(s, fix)
				if err != nil {
					t.Fatalf("%s: %q: %v", d.Summary, fix.Title, err)
				}
				if _, err := engine.Evaluate(context.Background(), after, engine.Options{Limits: o.Limits}); err != nil {
					t.Fatalf("after %q: %v", fix.Title, err)
				}
			}
		}
	})
}
