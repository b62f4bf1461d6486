package typecheck

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/check"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestServerWarnings compares our warnings with those that the type checker of
// Kubernetes 1.36.3 gave for the same policies.
func TestServerWarnings(t *testing.T) {
	text, err := os.ReadFile("testdata/policies.yaml")
	if err != nil {
		t.Fatal(err)
	}
	recorded, err := os.ReadFile("testdata/server.json")
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]map[string]string
	if err := json.Unmarshal(recorded, &want); err != nil {
		t.Fatal(err)
	}
	docs, problems := scenario.ParseDocuments(diag.Policies, string(text))
	if len(problems) > 0 || len(docs) != len(want) {
		t.Fatalf("%d documents, %d recorded: %v", len(docs), len(want), problems)
	}
	cat, err := catalog.For(version.MustParse("1.36"))
	if err != nil {
		t.Fatal(err)
	}
	checker, err := check.New(version.MustParse("1.36"))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range docs {
		t.Run(d.Name, func(t *testing.T) {
			warnings, err := ServerWarnings(d.Value, cat, checker)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for _, w := range warnings {
				got[w.FieldRef] = w.Warning
			}
			for _, e := range model.Expressions(d.Value) {
				if got, want := got[e.Path], want[d.Name][e.Path]; got != want {
					t.Errorf("%s\n got: %s\nwant: %s", e.Path, got, want)
				}
			}
		})
	}
}
