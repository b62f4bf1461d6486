package storage_test

import (
	"context"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestContradictingAddresses checks that a Service whose clusterIPs are rejected is rejected as it was
// sent, without addresses and families that the server would have allocated.
func TestContradictingAddresses(t *testing.T) {
	for request, want := range map[string]string{
		`{apiVersion: v1, kind: Service, metadata: {name: s, namespace: default}, spec: {clusterIPs: ["*"]}}`: "Service \"s\" is invalid: " +
			"[spec.clusterIPs: Invalid value: [\"*\"]: must be empty when `clusterIP` is not specified, " +
			`spec.clusterIPs[0]: Invalid value: "*": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)]`,
		`{apiVersion: v1, kind: Service, metadata: {name: s, namespace: default}, spec: {clusterIP: a, clusterIPs: [a, b]}}`: "Service \"s\" is invalid: " +
			`[spec.clusterIPs[0]: Invalid value: "a": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff), ` +
			`spec.clusterIPs[1]: Invalid value: "b": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)]`,
	} {
		r, err := engine.Evaluate(context.Background(), scenario.Scenario{Request: request}, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Outcome.Message != want {
			t.Errorf("%s\n got %s\nwant %s", request, r.Outcome.Message, want)
		}
	}
}
