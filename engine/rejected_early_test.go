package engine

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/scenario"
)

// TestRejectedEarly checks the order in which the server answers: it authorizes a request before it reads
// the body, and warns of the request's version only then.
func TestRejectedEarly(t *testing.T) {
	const roles = `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: writer}, rules: [{apiGroups: [""], resources: ["*"], verbs: ["*"]}]}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: writer}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: writer},
  subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: jane}]}`
	const deprecated = "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"
	for _, test := range []struct {
		name, user, object, message string
		code                        int
		warnings                    []string
	}{
		{"allowed", "jane", "subsets: []", "", 201, []string{deprecated}},
		{"unreadable", "jane", "subsets: 1", `Endpoints in version "v1" cannot be handled`, 400, []string{deprecated}},
		{"not allowed", "nobody", "subsets: []", `User "nobody" cannot create resource "endpoints"`, 403, nil},
		{"neither", "nobody", "subsets: 1", `User "nobody" cannot create resource "endpoints"`, 403, nil},
	} {
		yes := true
		r, err := Evaluate(context.Background(), scenario.Scenario{Kubernetes: "1.37", Cluster: roles, Options: scenario.Options{Defaulting: &yes},
			Request: `{apiVersion: admission.k8s.io/v1, kind: AdmissionReview, request: {operation: CREATE, namespace: default,
  resource: {group: "", version: v1, resource: endpoints}, userInfo: {username: ` + test.user + `},
  object: {apiVersion: v1, kind: Endpoints, metadata: {name: e, namespace: default}, ` + test.object + `}}}`}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if o := r.Outcome; o.Code != test.code || !strings.Contains(o.Message, test.message) || !slices.Equal(o.Warnings, test.warnings) {
			t.Errorf("%s: %d %s %q", test.name, o.Code, o.Message, o.Warnings)
		}
	}
}
