package storage_test

import (
	"context"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestClaims: a claim with admin access needs a label on its namespace.
func TestClaims(t *testing.T) {
	const (
		claim    = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: a, namespace: team}\nspec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu, adminAccess: %}}]}}\n"
		template = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: a, namespace: team}\nspec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu, allocationMode: Some}}]}}}\n"
		admin    = "apiVersion: v1\nkind: Namespace\nmetadata: {name: team, labels: {resource.kubernetes.io/admin-access: 'true'}}\n"
		denied   = "ResourceClaim.resource.k8s.io \"a\" is invalid: spec.devices.requests[0].adminAccess: Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace"
	)
	for name, c := range map[string]struct{ request, cluster, message string }{
		"without admin access":                   {request: with(claim, "false")},
		"in a namespace that does not allow it":  {request: with(claim, "true"), message: denied},
		"in one that does":                       {request: with(claim, "true"), cluster: admin},
		"a template with a mode that is not one": {request: template, message: "ResourceClaimTemplate.resource.k8s.io \"a\" is invalid: spec.spec.devices.requests[0].exactly.allocationMode: Unsupported value: \"Some\": supported values: \"All\", \"ExactCount\""},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := engine.Evaluate(context.Background(), scenario.Scenario{Cluster: c.cluster, Request: c.request}, engine.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if r.Outcome.Message != c.message || r.Outcome.Allowed != (c.message == "") {
				t.Errorf("allowed %t: %s", r.Outcome.Allowed, r.Outcome.Message)
			}
		})
	}
}

func with(text, value string) string { return strings.Replace(text, "%", value, 1) }
