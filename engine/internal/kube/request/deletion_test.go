package request

import (
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/internal/version"
)

// TestBeforeDelete: before admission, the server compares preconditions and computes a Pod's grace
// period, unless the object is already being deleted.
func TestBeforeDelete(t *testing.T) {
	const pod = "{apiVersion: v1, kind: Pod, metadata: {name: a, uid: u, resourceVersion: '5'}, spec: {nodeName: n1}}"
	const ending = "{apiVersion: v1, kind: Pod, metadata: {name: a, deletionTimestamp: '2126-01-01T00:00:00Z', deletionGracePeriodSeconds: 30}, spec: {nodeName: n1}}"
	for name, c := range map[string]struct {
		options, object string
		period          any
		ended           bool
		refusal         string
	}{
		"the Pod's own period":       {"{}", "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {nodeName: n1, terminationGracePeriodSeconds: 30}, status: {phase: Running}}", int64(30), false, ""},
		"another period":             {"{gracePeriodSeconds: 5}", "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {nodeName: n1, terminationGracePeriodSeconds: 30}}", int64(5), false, ""},
		"a negative one":             {"{gracePeriodSeconds: -5}", pod, int64(1), false, ""},
		"on no node":                 {"{gracePeriodSeconds: 5}", "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {terminationGracePeriodSeconds: 30}}", int64(0), false, ""},
		"one that has ended":         {"{}", "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {nodeName: n1, terminationGracePeriodSeconds: 30}, status: {phase: Succeeded}}", int64(0), false, ""},
		"being deleted":              {"{}", ending, int64(30), true, ""},
		"being deleted, and longer":  {"{gracePeriodSeconds: 60}", ending, int64(60), true, ""},
		"being deleted, and shorter": {"{gracePeriodSeconds: 5}", ending, int64(5), false, ""},
		"of another kind":            {"{}", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, deletionTimestamp: '2126-01-01T00:00:00Z'}}", nil, false, ""},
		"the same object":            {"{preconditions: {uid: u, resourceVersion: '5'}}", pod, int64(0), false, ""},
		"another object": {"{preconditions: {uid: other}}", pod, nil, false,
			`Operation cannot be fulfilled on Pod "a": the UID in the precondition (other) does not match the UID in record (u). The object might have been deleted and then recreated`},
		"another version": {"{preconditions: {resourceVersion: '4'}}", pod, nil, false,
			`the ResourceVersion in the precondition (4) does not match the ResourceVersion in record (5)`},
		"a manifest without a uid": {"{preconditions: {uid: other}}", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}", nil, false, ""},
		"another namespace": {"{preconditions: {uid: other}}", "{apiVersion: v1, kind: Namespace, metadata: {name: a, uid: u}}", nil, false,
			`Operation cannot be fulfilled on namespaces "a": Precondition failed: UID in precondition: other, UID in object meta: u`},
		"a namespace that ends": {"{}", "{apiVersion: v1, kind: Namespace, metadata: {name: a, deletionTimestamp: '2026-01-01T00:00:00Z'}, spec: {finalizers: [kubernetes]}}", nil, true, ""},
		"a namespace":           {"{}", "{apiVersion: v1, kind: Namespace, metadata: {name: a}, spec: {finalizers: [kubernetes]}}", nil, false, ""},
		"another definition": {"{preconditions: {resourceVersion: '4'}}", "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: a, resourceVersion: '5'}}", nil, false,
			`customresourcedefinitions.apiextensions.k8s.io "a": precondition failed: ResourceVersion in precondition: 4, ResourceVersion in object meta: 5`},
	} {
		r, _ := Parse(nil, "operation: DELETE\noptions: "+c.options+"\noldObject: "+c.object+"\n", nil, kinds(t))
		if r == nil {
			t.Fatalf("%s is no request", name)
		}
		ended, status := r.BeforeDelete(version.Default())
		refusal := ""
		if status != nil {
			refusal = status.ErrStatus.Message
		}
		if ended != c.ended || !strings.Contains(refusal, c.refusal) || (c.refusal == "") != (refusal == "") || refusal == "" && r.Options["gracePeriodSeconds"] != c.period {
			t.Errorf("%s: ended is %v, the period %v, the refusal %q", name, ended, r.Options["gracePeriodSeconds"], refusal)
		}
	}
}
