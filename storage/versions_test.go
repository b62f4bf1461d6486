package storage_test

import (
	"context"
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestSpreadConstraints: since 1.34 the server merges a spread constraint's keys into its selector.
func TestSpreadConstraints(t *testing.T) {
	const pod = `{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: b, labels: {app: web, hash: h}%s}, spec: {containers: [{name: c, image: d}],
  topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}, matchLabelKeys: [hash]}]}}`
	for _, request := range []string{
		fmt.Sprintf(pod, ""),
		"operation: UPDATE\nobject: " + fmt.Sprintf(pod, ", annotations: {note: a}") + "\noldObject: " + fmt.Sprintf(pod, "") + "\n",
	} {
		for kubernetes, merged := range map[string]bool{"1.30": false, "1.33": false, "1.34": true, "1.37": true} {
			r, err := engine.Evaluate(context.Background(), scenario.Scenario{Kubernetes: kubernetes, Request: request, Options: scenario.Options{Defaulting: new(true)}}, engine.Options{})
			if err != nil || !r.Outcome.Allowed {
				t.Fatalf("%s: %s, %v", kubernetes, r.Outcome.Message, err)
			}
			constraints, _, _ := unstructured.NestedSlice(r.Object, "spec", "topologySpreadConstraints")
			constraint, _ := constraints[0].(map[string]any)
			expressions, _, _ := unstructured.NestedSlice(constraint, "labelSelector", "matchExpressions")
			if (len(expressions) == 1) != merged {
				t.Errorf("%s: the constraint of %s is %v", kubernetes, request, constraint)
			}
		}
	}
}
