package engine

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/scenario"
)

// TestRejectedEarly checks the order in which the server answers: it authorizes a request before it reads
// the body, and warns of the request's version only then. An apply that creates the object also needs the
// right to create it, which the server checks when the object is valid.
func TestRejectedEarly(t *testing.T) {
	const roles = `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: writer}, rules: [{apiGroups: [""], resources: ["*"], verbs: ["*"]}]}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: writer}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: writer},
  subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: jane}]}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: patcher}, rules: [{apiGroups: [""], resources: ["*"], verbs: [patch]}]}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: patcher}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: patcher},
  subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: sam}]}`
	const deprecated = "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"
	for _, test := range []struct {
		name, user, object, message string
		code                        int
		warnings                    []string
		apply                       *scenario.ApplySettings
	}{
		{"allowed", "jane", "subsets: []", "", 201, []string{deprecated}, nil},
		{"unreadable", "jane", "subsets: 1", `Endpoints in version "v1" cannot be handled`, 400, []string{deprecated}, nil},
		{"not allowed", "nobody", "subsets: []", `User "nobody" cannot create resource "endpoints"`, 403, nil, nil},
		{"neither", "nobody", "subsets: 1", `User "nobody" cannot create resource "endpoints"`, 403, nil, nil},
		{"an apply by a user who may create", "jane", "subsets: []", "", 201, []string{deprecated}, &scenario.ApplySettings{FieldManager: "me"}},
		{"an apply that creates", "sam", "subsets: []", `endpoints "e" is forbidden: User "sam" cannot create resource "endpoints" in API group "" in the namespace "default"`, 403, []string{deprecated}, &scenario.ApplySettings{FieldManager: "me"}},
		{"an apply by nobody", "nobody", "subsets: []", `User "nobody" cannot patch resource "endpoints"`, 403, nil, &scenario.ApplySettings{FieldManager: "me"}},
	} {
		yes := true
		r, err := Evaluate(context.Background(), scenario.Scenario{Kubernetes: "1.37", Cluster: roles, Options: scenario.Options{Defaulting: &yes, Request: &scenario.RequestSettings{Apply: test.apply}},
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
