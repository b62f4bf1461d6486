package storage_test

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/preadmit/preadmit/engine/registry"
	"github.com/preadmit/preadmit/storage"
)

// byRelease is a request, and what the strategies of older releases answer to it, by release
// (conformance/plugins/strategies).
type byRelease struct {
	Name      string         `json:"name"`
	Object    map[string]any `json:"object"`
	OldObject map[string]any `json:"oldObject"`
	Answers   map[string]struct {
		Message string   `json:"message"`
		Causes  []string `json:"causes"`
	} `json:"answers"`
}

// TestReleases compares the answers for older releases with those of their own code.
func TestReleases(t *testing.T) {
	file, err := os.Open("testdata/releases.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	server := storage.New()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	n := 0
	for lines.Scan() {
		var c byRelease
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		for release, want := range c.Answers {
			n++
			t.Run(c.Name+" "+release, func(t *testing.T) {
				message, causes := asked(t, server, release, c)
				if message != want.Message {
					t.Errorf("message:\n got %s\nwant %s", message, want.Message)
				}
				if !slices.Equal(causes, want.Causes) {
					t.Errorf("causes:\n got %q\nwant %q", causes, want.Causes)
				}
			})
		}
	}
	if err := lines.Err(); err != nil || n < 60 {
		t.Errorf("%d answers: %v", n, err)
	}
}

// asked is the rejection of a request in a release; empty if there is none.
func asked(t *testing.T, server registry.Registry, release string, c byRelease) (message string, causes []string) {
	t.Helper()
	object := unstructured.Unstructured{Object: whole(c.Object)}
	kind := object.GroupVersionKind()
	resource, _ := meta.UnsafeGuessKindToResource(kind)
	if object.GetUID() == "" {
		object.SetUID("00000000-0000-0000-0000-000000000000")
	}
	q := registry.Request{Kubernetes: release, Create: c.OldObject == nil, Resource: resource, Kind: kind,
		Name: object.GetName(), Namespace: object.GetNamespace(), Object: object.Object, Old: whole(c.OldObject)}
	answer, err := server.Before(q)
	if err != nil {
		t.Fatal(err)
	}
	if answer.Status == nil {
		return "", nil
	}
	for _, cause := range answer.Status.ErrStatus.Details.Causes {
		causes = append(causes, cause.Field+"|"+cause.Message)
	}
	return answer.Status.ErrStatus.Message, causes
}

// whole is an object with whole numbers, as a server reads it.
func whole(object map[string]any) map[string]any {
	if object == nil {
		return nil
	}
	return number(object).(map[string]any)
}

func number(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key := range v {
			v[key] = number(v[key])
		}
	case []any:
		for i := range v {
			v[i] = number(v[i])
		}
	case float64:
		return int64(v)
	}
	return value
}
