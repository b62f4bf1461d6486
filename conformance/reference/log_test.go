package main

import (
	"bytes"
	"flag"
	"strings"
	"testing"

	"k8s.io/klog/v2"

	"github.com/preadmit/preadmit/conformance/wire"
)

// TestExclusionIsNotLogged: KEP-3716 announces a line of the log at level 5 for a request
// that a match condition keeps from a webhook. No release writes one, so preadmit prints
// none (docs/not-simulated.md). If this fails, there is a line to print.
func TestExclusionIsNotLogged(t *testing.T) {
	dir := kubernetesDir(t)
	kinds, err := loadResources(dir)
	if err != nil {
		t.Fatal(err)
	}
	r := &reference{kinds: kinds, schemas: newSchemaStore(dir)}
	var log bytes.Buffer
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	if err := flags.Parse([]string{"-logtostderr=false", "-stderrthreshold=FATAL", "-v=10"}); err != nil {
		t.Fatal(err)
	}
	klog.SetOutput(&log)
	ask := func(condition string) wire.Answer {
		log.Reset()
		a := r.answer(wire.Case{ID: "log", Webhooks: true,
			Policies: `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: configuration-of-the-log}
webhooks:
- name: of-the-log.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  failurePolicy: Fail
  clientConfig: {url: https://of-the-log.example.com/}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  matchConditions: [{name: condition-of-the-log, expression: '` + condition + `'}]
`,
			Cluster: "apiVersion: v1\nkind: Namespace\nmetadata: {name: default}\n",
			Request: `{"kind": "AdmissionReview", "request": {"uid": "a", "kind": {"group": "", "version": "v1", "kind": "ConfigMap"}, "resource": {"group": "", "version": "v1", "resource": "configmaps"},
				"operation": "CREATE", "namespace": "default", "name": "a", "object": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default"}}}}`,
		})
		klog.Flush()
		if a.Error != "" {
			t.Fatal(a.Error)
		}
		return a
	}
	excluded := ask("false")
	text := log.String()
	failed := ask("object.nothing == 1")
	failure := log.String()
	silence()
	if !excluded.Allowed || len(excluded.Calls) > 0 || failed.Allowed {
		t.Fatalf("not what is to be shown: %+v, %+v", excluded, failed)
	}
	if strings.Contains(text, "of-the-log") {
		t.Errorf("there is a line now:\n%s", text)
	}
	if !strings.Contains(failure, "Failed evaluating match conditions, failing closed of-the-log.example.com") {
		t.Errorf("the log is not seen at all:\n%s", failure)
	}
}
