package storage

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// TestConflict: the texts are a server's (conformance/server asks one).
func TestConflict(t *testing.T) {
	c, err := catalog.For(version.Default())
	if err != nil {
		t.Fatal(err)
	}
	object := func(uid, resourceVersion string) map[string]any {
		return map[string]any{"metadata": map[string]any{"name": "a", "uid": uid, "resourceVersion": resourceVersion}}
	}
	const uids = `StorageError: invalid object, Code: 4, Key: /services/specs/lab/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: u2, UID in object meta: u1`
	for name, c2 := range map[string]struct {
		object, old            map[string]any
		precondition, conflict string
	}{
		"the same":          {object("u1", "1"), object("u1", "1"), "", ""},
		"no version":        {object("", ""), object("u1", "1"), "", ""},
		"another version":   {object("u1", "1"), object("u1", "2"), "", `Operation cannot be fulfilled on services "a": ` + modified},
		"any version":       {object("u1", "0"), object("u1", "2"), "", ""},
		"no number":         {object("u1", "a"), object("u1", "2"), "", `strconv.ParseUint: parsing "a": invalid syntax`},
		"another object":    {object("u2", "1"), object("u1", "1"), `Operation cannot be fulfilled on services "a": ` + uids, ""},
		"taken from review": {object("u2", "1"), object("", ""), "", ""},
	} {
		s := Storage{Chain: &run.Chain{Catalog: c, Version: version.Default()}}
		a := &s.Attributes
		a.Operation, a.Kind, a.Resource = "UPDATE", schema.GroupVersionKind{Version: "v1", Kind: "Service"}, schema.GroupVersionResource{Version: "v1", Resource: "services"}
		a.Namespace, a.Name, a.Object, a.OldObject = "lab", "a", c2.object, c2.old
		if got := message(s.Precondition()); got != c2.precondition {
			t.Errorf("%s: %s", name, got)
		}
		if got := message(s.Conflict()); got != c2.conflict {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestNoConflict: only an update of a stored object, whole or its status, can have one.
func TestNoConflict(t *testing.T) {
	c, err := catalog.For(version.Default())
	if err != nil {
		t.Fatal(err)
	}
	object := func(uid string) map[string]any {
		return map[string]any{"metadata": map[string]any{"name": "a", "uid": uid, "resourceVersion": uid}}
	}
	for name, c2 := range map[string]struct {
		change func(a *run.Attributes)
		want   bool
	}{
		"an update":                  {func(*run.Attributes) {}, true},
		"of a status":                {func(a *run.Attributes) { a.SubResource = "status" }, true},
		"a creation":                 {func(a *run.Attributes) { a.Operation = "CREATE" }, false},
		"a removal":                  {func(a *run.Attributes) { a.Operation = "DELETE" }, false},
		"nothing from before":        {func(a *run.Attributes) { a.OldObject = nil }, false},
		"nothing new":                {func(a *run.Attributes) { a.Object = nil }, false},
		"an object of another kind":  {func(a *run.Attributes) { a.Kind.Kind = "Scale" }, false},
		"a resource that is unknown": {func(a *run.Attributes) { a.Resource.Resource = "nothings" }, false},
	} {
		s := Storage{Chain: &run.Chain{Catalog: c, Version: version.Default()}}
		a := &s.Attributes
		a.Operation, a.Kind, a.Resource = "UPDATE", schema.GroupVersionKind{Version: "v1", Kind: "Service"}, schema.GroupVersionResource{Version: "v1", Resource: "services"}
		a.Namespace, a.Name, a.Object, a.OldObject = "lab", "a", object("u1"), object("u2")
		c2.change(a)
		if got := s.Precondition() != nil; got != c2.want {
			t.Errorf("%s: a precondition that fails: %t", name, got)
		}
		if got := s.Conflict() != nil; got != c2.want {
			t.Errorf("%s: a conflict: %t", name, got)
		}
	}
}

func message(status *apierrors.StatusError) string {
	if status == nil {
		return ""
	}
	return status.ErrStatus.Message
}

// TestKey: where the server keeps objects, as its texts about them say.
func TestKey(t *testing.T) {
	c, err := catalog.For(version.Default())
	if err != nil {
		t.Fatal(err)
	}
	for want, of := range map[string]struct{ api, kind, resource, namespace string }{
		"/services/specs/lab/a":     {"v1", "Service", "services", "lab"},
		"/services/endpoints/lab/a": {"v1", "Endpoints", "endpoints", "lab"},
		"/minions/a":                {"v1", "Node", "nodes", ""},
		"/namespaces/a":             {"v1", "Namespace", "namespaces", "a"},
		"/controllers/lab/a":        {"v1", "ReplicationController", "replicationcontrollers", "lab"},
		"/ingress/lab/a":            {"networking.k8s.io/v1", "Ingress", "ingresses", "lab"},
		"/deployments/lab/a":        {"apps/v1", "Deployment", "deployments", "lab"},
		"/apiextensions.k8s.io/customresourcedefinitions/a": {"apiextensions.k8s.io/v1", "CustomResourceDefinition", "customresourcedefinitions", ""},
		"/clusterroles/a": {"rbac.authorization.k8s.io/v1", "ClusterRole", "clusterroles", ""},
	} {
		s := Storage{Chain: &run.Chain{Catalog: c, Version: version.Default()}}
		a := &s.Attributes
		a.Kind = schema.FromAPIVersionAndKind(of.api, of.kind)
		a.Resource, a.Namespace, a.Name = a.Kind.GroupVersion().WithResource(of.resource), of.namespace, "a"
		if got := s.key(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
