package engine

import (
	"context"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestKubectl: an unknown field is a warning of the server, and what kubectl rejects.
func TestKubectl(t *testing.T) {
	request := "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: a, image: b, imagePulPolicy: Always}]}}"
	for validation, want := range map[string]struct {
		code     int
		kubectl  bool
		warnings int
	}{"": {201, true, 1}, "Warn": {201, true, 1}, "Ignore": {201, false, 0}, "Strict": {400, false, 0}} {
		r, err := Evaluate(context.Background(), scenario.Scenario{Request: request, Options: scenario.Options{FieldValidation: validation}}, Everything())
		if err != nil {
			t.Fatal(err)
		}
		o := r.Outcome
		if o.Code != want.code || len(o.Warnings) != want.warnings || want.kubectl != strings.Contains(o.Kubectl, `unknown field "spec.containers[0].imagePulPolicy"`) {
			t.Errorf("%q: code %d, warnings %q, kubectl %q", validation, o.Code, o.Warnings, o.Kubectl)
		}
	}
}

// TestForeignRequest: a policy of another engine as the request is said to be one, without a
// promise of a fix that is not there.
func TestForeignRequest(t *testing.T) {
	policy := "apiVersion: policies.kyverno.io/v1alpha1\nkind: ValidatingPolicy\nmetadata:\n  name: p\nspec:\n  matchConstraints: {resourceRules: []}\n  validations: []\n"
	for _, s := range []scenario.Scenario{{Request: policy}, {Cluster: policy, Request: "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}"}} {
		r, err := Evaluate(context.Background(), s, Everything())
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, d := range r.Diagnostics {
			if d.Code == codes.ForeignKind {
				found++
				if strings.Contains(d.Detail, "fix") != (len(d.Fixes) > 0) || (len(d.Fixes) > 0) != (s.Cluster != "") {
					t.Errorf("%q with %d fixes", d.Detail, len(d.Fixes))
				}
			}
		}
		if found != 1 {
			t.Errorf("%d problems: %+v", found, r.Diagnostics)
		}
	}
}
