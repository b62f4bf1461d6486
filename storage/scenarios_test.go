package storage_test

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/scenario"
)

// serverAnswer is a server's response to a scenario in testdata/server. Missing fields are not
// compared.
type serverAnswer struct {
	Allowed         bool     `json:"allowed"`
	Code            int      `json:"code"`
	Reason          string   `json:"reason"`
	Message         string   `json:"message"`
	Causes          []string `json:"causes"`
	Warnings        []string `json:"warnings"`
	InstallWarnings []string `json:"installWarnings"`
	// Object has values in the final object, by JSON pointer; null means absent.
	Object map[string]any `json:"object"`
}

// TestServer compares with what a server does around policies: in storage, in built-in plugins and
// to rejected objects. The first line of each archive describes it.
func TestServer(t *testing.T) {
	files, err := filepath.Glob("testdata/server/*.txtar")
	if err != nil || len(files) < 25 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			archive := txtar.Parse(data)
			i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "answer.yaml" })
			var want serverAnswer
			if err := yaml.UnmarshalStrict(archive.Files[i].Data, &want); err != nil {
				t.Fatal(err)
			}
			archive.Files = slices.Delete(archive.Files, i, i+1)
			s, problems := scenario.FromTxtar(txtar.Format(archive))
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			checkServer(t, s, want)
		})
	}
}

func checkServer(t *testing.T, s scenario.Scenario, want serverAnswer) {
	r, err := engine.Evaluate(context.Background(), s, engine.Everything())
	if err != nil {
		t.Fatal(err)
	}
	o := r.Outcome
	if o.Allowed != want.Allowed || want.Code != 0 && o.Code != want.Code || want.Reason != "" && o.Reason != want.Reason {
		t.Errorf("allowed %v, code %d %s, want %v, %d %s: %s\n%v", o.Allowed, o.Code, o.Reason, want.Allowed, want.Code, want.Reason, o.Message, r.Diagnostics)
	}
	if want.Message != "" && o.Message != want.Message {
		t.Errorf("message:\n got %s\nwant %s", o.Message, want.Message)
	}
	if want.Causes != nil && !slices.Equal(o.Causes, want.Causes) {
		t.Errorf("causes:\n got %q\nwant %q", o.Causes, want.Causes)
	}
	if !slices.Equal(o.Warnings, want.Warnings) {
		t.Errorf("warnings:\n got %q\nwant %q", o.Warnings, want.Warnings)
	}
	var installed []string
	for _, in := range r.Install {
		installed = append(installed, in.Warnings...)
	}
	if !slices.Equal(installed, want.InstallWarnings) {
		t.Errorf("warnings about documents:\n got %q\nwant %q", installed, want.InstallWarnings)
	}
	for pointer, value := range want.Object {
		if number, ok := value.(float64); ok {
			value = int64(number)
		}
		if got := at(r.Object, pointer); !reflect.DeepEqual(got, value) {
			t.Errorf("%s is %v, want %v", pointer, got, value)
		}
	}
}

// at returns the value at a JSON pointer, or nil.
func at(value any, pointer string) any {
	for name := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
		switch parent := value.(type) {
		case map[string]any:
			value = parent[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(parent) {
				return nil
			}
			value = parent[i]
		default:
			return nil
		}
	}
	return value
}
