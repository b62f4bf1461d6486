package engine

import (
	"context"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestInvalidObject checks that a value that the server does not know is marked where it is
// written, and that the repair writes the one that was meant: in a bare object, and in a review.
func TestInvalidObject(t *testing.T) {
	const object = `{apiVersion: v1, kind: Service, metadata: {name: web, namespace: default}, spec: {selector: {app: web}, sessionAffinity: clientip, ports: [{port: 80}]}}`
	for _, test := range []struct{ name, request, path string }{
		{"an object", object, "spec.sessionAffinity"},
		{"a review", `{apiVersion: admission.k8s.io/v1, kind: AdmissionReview, request: {uid: a, operation: CREATE, name: web, namespace: default,
 kind: {group: "", version: v1, kind: Service}, resource: {group: "", version: v1, resource: services}, userInfo: {username: a},
 object: ` + object + `}}`, "request.object.spec.sessionAffinity"},
	} {
		r, err := Evaluate(context.Background(), scenario.Scenario{Request: test.request}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, d := range r.Diagnostics {
			if d.Code != codes.InvalidObject {
				continue
			}
			found = true
			if d.Path != test.path || test.request[d.Span.Start:d.Span.End] != "clientip" {
				t.Errorf("%s: %s is marked at %q", test.name, d.Path, test.request[d.Span.Start:d.Span.End])
			}
			if len(d.Fixes) != 1 || !strings.Contains(d.Fixes[0].Edits[0].New, "ClientIP") {
				t.Errorf("%s: the repairs are %+v", test.name, d.Fixes)
			}
		}
		if !found {
			t.Errorf("%s: nothing says what was meant: %v", test.name, r.Diagnostics)
		}
	}
}
