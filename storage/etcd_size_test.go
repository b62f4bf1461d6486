package storage_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestTooLargeForEtcd checks what kube-apiserver 1.37.2 answers to objects that etcd does not store, to the
// byte: custom resources, which are stored as JSON, and built-in ones.
func TestTooLargeForEtcd(t *testing.T) {
	const definition = `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: bigs.size.example.com}, spec: {group: size.example.com, scope: Namespaced,
 names: {plural: bigs, singular: big, kind: Big, listKind: BigList}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}`
	const custom = "apiVersion: size.example.com/v1\nkind: Big\nmetadata: {name: b, namespace: default%s}\ndata: %s"
	const builtin = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d, namespace: default%s}\nspec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: i, args: [%s]}]}}}"
	const etcd, client = "etcdserver: request is too large", "rpc error: code = ResourceExhausted desc = trying to send message larger than max (%d vs. 2097152)"
	for _, c := range []struct {
		object  string
		length  int
		dryRun  bool
		update  bool
		message string
	}{
		{object: custom, length: 1572533}, {object: custom, length: 1572534, message: etcd}, {object: custom, length: 2096000, message: etcd},
		{object: custom, length: 2097000, message: fmt.Sprintf(client, 2097316)}, {object: custom, length: 3000000, message: fmt.Sprintf(client, 3000316)},
		{object: custom, length: 2200000, update: true, message: fmt.Sprintf(client, 2200364)},
		{object: custom, length: 2200000, dryRun: true},
		{object: builtin, length: 1572412}, {object: builtin, length: 1572413, message: etcd}, {object: builtin, length: 2200000, message: fmt.Sprintf(client, 2200443)},
	} {
		version := ""
		options := &scenario.RequestSettings{DryRun: c.dryRun}
		if c.update {
			version = `, uid: 37f83a4d-4012-4b7b-a690-a3601a16aa0f, resourceVersion: "243", generation: 1, creationTimestamp: "2026-11-29T14:06:35Z"`
			options.Operation, options.OldObject = "UPDATE", fmt.Sprintf(c.object, version, "small")
		}
		r, err := engine.Evaluate(context.Background(), scenario.Scenario{Kubernetes: "1.37", Cluster: definition, Now: "2026-11-29T14:06:35Z",
			Request: fmt.Sprintf(c.object, version, strings.Repeat("x", c.length)), Options: scenario.Options{Request: options}}, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Outcome; got.Message != c.message || got.Allowed != (c.message == "") || !got.Allowed && got.Code != 500 {
			t.Errorf("%.70s with %d bytes: %d %s\n%v", c.object, c.length, got.Code, got.Message, r.Diagnostics)
		}
	}
}
