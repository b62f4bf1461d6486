package engine_test

import (
	"testing"

	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// A webhook's response among the cluster's objects is said to be one: no
// CustomResourceDefinition is missing.
func TestResponseInCluster(t *testing.T) {
	r := evaluated(t, scenario.Scenario{
		Cluster: `{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": {"uid": "1", "allowed": true}}`,
		Request: "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}}",
	})
	if len(r.Diagnostics) != 1 || r.Diagnostics[0].Code != codes.WhichWebhook {
		t.Errorf("%+v", r.Diagnostics)
	}
}
