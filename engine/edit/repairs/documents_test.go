package repairs_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/edit/repairs"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// documented is the number of problems that a review by hand found in the
// printed texts of Kubernetes' documentation and enhancement proposals, of which
// testdata/documents has those whose repair does not depend on what the text leaves
// open; the head of a file has how many it has.
const documented = 42

// TestDocuments takes what the documents print, as a reader pastes it, and applies
// the first repair again and again. What the server accepts at the end counts with
// all of its problems, anything else with none.
func TestDocuments(t *testing.T) {
	files, err := filepath.Glob("../../testdata/documents/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files (%v)", len(files), err)
	}
	repaired, all := 0, 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		archive := txtar.Parse(data)
		var problems int
		if _, err := fmt.Sscanf(string(archive.Comment), "problems: %d", &problems); err != nil {
			t.Fatalf("%s does not say how many problems it has: %v", file, err)
		}
		s, found := scenario.FromTxtar(data)
		if len(found) > 0 {
			t.Fatalf("%s: %v", file, found)
		}
		all += problems
		after, applied := firstRepairs(t, s)
		if left := refusedOrBroken(after); left != "" {
			t.Logf("%s: %d repairs, and then: %s", filepath.Base(file), applied, left)
			continue
		}
		repaired += problems
	}
	t.Logf("%d of %d problems are repaired until the server accepts the text", repaired, documented)
	if all > documented {
		t.Errorf("the files have %d problems, more than were counted", all)
	}
	if repaired < documented { // docs/documents.md has this figure
		t.Errorf("%d problems are repaired, fewer than %d", repaired, documented)
	}
}

// firstRepairs applies the first repair of the first problem that has one, errors
// before warnings, until there is none that was not applied yet.
func firstRepairs(t *testing.T, s scenario.Scenario) (*report.Report, int) {
	t.Helper()
	seen := map[string]bool{}
	for n := 0; ; n++ {
		r, err := engine.Evaluate(context.Background(), s, engine.Everything())
		if err != nil {
			t.Fatal(err)
		}
		fix := firstRepair(r, seen)
		if fix == nil || n > 40 {
			return r, n
		}
		if s, err = repairs.Apply(s, *fix); err != nil {
			t.Fatal(err)
		}
	}
}

func firstRepair(r *report.Report, seen map[string]bool) *diag.Fix {
	for _, severity := range []diag.Severity{diag.Error, diag.Warning} {
		for _, d := range r.Diagnostics {
			if d.Severity != severity || len(d.Fixes) == 0 {
				continue
			}
			if key := fmt.Sprint(d.Line, d.Summary, d.Fixes[0].Title); !seen[key] {
				seen[key] = true
				return &d.Fixes[0]
			}
		}
	}
	return nil
}

// refusedOrBroken says what is still wrong: a document that the server rejects, a
// text that cannot be read, or a mutation that cannot work.
func refusedOrBroken(r *report.Report) string {
	for _, in := range r.Install {
		if in.Code != 0 {
			return in.Message
		}
	}
	if errors := r.Diagnostics.Errors(); len(errors) > 0 {
		return errors.Error()
	}
	for _, d := range r.Diagnostics {
		if d.Code == codes.LiteralAtomic {
			return d.Summary
		}
	}
	return ""
}

// TestDocumentFixed: of the longest text that the documents print only a choice is left.
func TestDocumentFixed(t *testing.T) {
	data, err := os.ReadFile("../../testdata/documents/mutating-sidecar.txtar")
	if err != nil {
		t.Fatal(err)
	}
	s, _ := scenario.FromTxtar(data)
	result, err := repairs.All(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	if left := result.Report.Diagnostics.Errors(); len(left) != 1 || len(left[0].Fixes) != 2 {
		t.Errorf("%d errors are left: %v", len(left), left)
	}
}
