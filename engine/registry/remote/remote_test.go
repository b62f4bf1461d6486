package remote_test

import (
	"errors"
	"reflect"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/preadmit/preadmit/engine/registry"
	"github.com/preadmit/preadmit/engine/registry/remote"
)

// echo answers with what it was asked.
type echo struct{ asked *registry.Request }

func (echo) Knows(kind schema.GroupVersionKind, resource schema.GroupResource, sub string) bool {
	return kind.Kind == "Pod" && resource.Resource == "pods" && sub == "status"
}

func (e echo) Before(q registry.Request) (registry.Answer, error) {
	*e.asked = q
	switch q.Name {
	case "refused":
		return registry.Answer{Status: apierrors.NewBadRequest("no")}, nil
	case "broken":
		return registry.Answer{}, errors.New("it is broken")
	}
	return registry.Answer{Object: q.Object, Warnings: []string{"a", "b"}, Release: q.Kubernetes}, nil
}

func TestRemote(t *testing.T) {
	var asked registry.Request
	serve := remote.Serve(echo{&asked}).Call
	calls := 0
	r := remote.New(func(call string) (string, error) {
		calls++
		return serve(call), nil
	})
	pods := schema.GroupResource{Resource: "pods"}
	for range 2 {
		if !r.Knows(schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, pods, "status") || r.Knows(schema.GroupVersionKind{Kind: "Pod"}, pods, "") {
			t.Error("Knows does not say what the far side says")
		}
	}
	if calls != 2 {
		t.Errorf("%d calls for two kinds", calls)
	}
	q := registry.Request{
		Kubernetes: "1.36", Create: true, Resource: pods.WithVersion("v1"), SubResource: "status",
		Kind: schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, Name: "web", Namespace: "shop",
		User:   &user.DefaultInfo{Name: "jane", Groups: []string{"dev"}, Extra: map[string][]string{"a": {"b"}}},
		Object: map[string]any{"int": int64(1) << 60, "float": 1.5, "list": []any{nil, true, "x"}},
		Old:    map[string]any{},
	}
	a, err := r.Before(q)
	if err != nil || !reflect.DeepEqual(a, registry.Answer{Object: q.Object, Warnings: []string{"a", "b"}, Release: "1.36"}) {
		t.Errorf("%#v, %v", a, err)
	}
	if !reflect.DeepEqual(asked, q) {
		t.Errorf("%#v\nfor\n%#v", asked, q)
	}
	q.Name = "refused"
	if a, err := r.Before(q); err != nil || !reflect.DeepEqual(a.Status, apierrors.NewBadRequest("no")) {
		t.Errorf("%#v, %v", a.Status, err)
	}
	q.Name = "broken"
	if _, err := r.Before(q); err == nil {
		t.Error("the far side failed, and nothing was said")
	}
}

func TestMistakes(t *testing.T) {
	serve := remote.Serve(echo{new(registry.Request)}).Call
	for _, call := range []string{"", "{}", "{", `{"before": 1}`} {
		r := remote.New(func(string) (string, error) { return serve(call), nil })
		if _, err := r.Before(registry.Request{}); err == nil {
			t.Errorf("call %q: nothing was said", call)
		}
	}
	for _, said := range []func() (string, error){
		func() (string, error) { return "", errors.New("it is gone") },
		func() (string, error) { return "x", nil },
		func() (string, error) { return remote.Failure("a panic"), nil },
	} {
		r := remote.New(func(string) (string, error) { return said() })
		if _, err := r.Before(registry.Request{}); err == nil {
			t.Error("nothing was said")
		}
	}
}
