package main

import (
	"encoding/json"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/registry"
	"github.com/preadmit/preadmit/engine/registry/remote"
	"github.com/preadmit/preadmit/engine/scenario"
)

// example is what the first page shows (firstExample in web/cmd/site).
const example = "examples/first-look"

// engineCalls are those that warm up the engine, as the page makes them.
func engineCalls() ([]byte, error) {
	read, err := scenario.FromFS(os.DirFS(example))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", example, err)
	}
	seen := []any{map[string]any{"text": "policies", "start": 0, "end": len(read.Scenario.Policies)}}
	params := map[string]any{"scenario": read.Scenario, "parts": []string{"steps"}, "open": []string{}, "in": seen}
	evaluate := map[string]any{"method": "evaluate", "params": params}
	return json.Marshal([]any{evaluate})
}

// registryCalls are those that warm up the API server's own code: a Pod is made, and one replaces it.
func registryCalls() ([]byte, error) {
	var calls []json.RawMessage
	registered := remote.New(func(call string) (string, error) {
		calls = append(calls, json.RawMessage(call))
		return "{}", nil
	})
	pod := func() map[string]any {
		return map[string]any{
			"apiVersion": "v1", "kind": "Pod",
			"metadata": map[string]any{
				"name": "web", "namespace": "default", "uid": "00000000-0000-0000-0000-000000000001",
				"creationTimestamp": "2000-01-01T00:00:00Z", "labels": map[string]any{"app": "web"},
			},
			"spec": map[string]any{"containers": []any{map[string]any{"name": "web", "image": "registry.example/web:1"}}},
		}
	}
	request := registry.Request{
		Kubernetes: scenario.DefaultVersion, Create: true,
		Resource: schema.GroupVersionResource{Version: "v1", Resource: "pods"},
		Kind:     schema.GroupVersionKind{Version: "v1", Kind: "Pod"},
		Name:     "web", Namespace: "default", Object: pod(),
	}
	replaced := request
	replaced.Create, replaced.Old = false, pod()
	for _, q := range []registry.Request{request, replaced} {
		if _, err := registered.Before(q); err != nil {
			return nil, err
		}
	}
	return json.Marshal(calls)
}
