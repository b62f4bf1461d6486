//go:build apiserver

package servertest

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// reads are the read-only verbs.
var reads = []string{"get", "list", "watch"}

// TestWritten runs last and checks the other tests' requests: none wrote anything or read a Secret.
func TestWritten(t *testing.T) {
	f, err := os.Open(filepath.Join(shared.dir, "audit.log"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	seen := 0
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var event struct {
			Verb      string
			User      struct{ Username string }
			ObjectRef struct{ Resource, Name string }
		}
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			t.Fatal(err)
		}
		if event.User.Username != "reader" && event.User.Username != "preadmit" {
			continue
		}
		seen++
		review := event.Verb == "create" && event.ObjectRef.Resource == "selfsubjectreviews" // who am I
		if !slices.Contains(reads, event.Verb) && !review {
			t.Errorf("%s %s %s", event.Verb, event.ObjectRef.Resource, event.ObjectRef.Name)
		}
		if event.ObjectRef.Resource == "secrets" {
			t.Errorf("%s of a Secret %s", event.Verb, event.ObjectRef.Name)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if seen == 0 {
		t.Error("the audit log has nothing of the program")
	}
	t.Logf("%d requests of the program, all of them reads", seen)
}
