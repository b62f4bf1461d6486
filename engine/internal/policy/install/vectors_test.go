package install_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/policy/install"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

const vectorsDir = "../../../testdata/vectors"

// vector is what of a recorded answer this package is about.
type vector struct {
	Policies   string           `json:"policies"`
	Kubernetes string           `json:"kubernetes"`
	Install    []recordedAnswer `json:"install"`
}

type recordedAnswer struct {
	Kind, Name, Reason, Message string
	Code                        int
	Warnings                    []string
	NotServed                   bool
}

// TestVectors compares the answers to every policies text of the recorded
// vectors with those of the real server: the rejected and the warned about, and
// no others.
func TestVectors(t *testing.T) {
	files, answers := 0, 0
	err := filepath.WalkDir(vectorsDir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".yaml" {
			return err
		}
		files++
		name, err := filepath.Rel(vectorsDir, path)
		if err != nil {
			return err
		}
		t.Run(filepath.ToSlash(name), func(t *testing.T) { answers += compareVector(t, path) })
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d files, %d recorded answers", files, answers)
	if files < 300 || answers < 100 {
		t.Errorf("found %d files with %d recorded answers: vectors are missing", files, answers)
	}
}

func compareVector(t *testing.T, path string) int {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var v vector
	if err := yaml.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	if v.Kubernetes == "" {
		v.Kubernetes = "1.36"
	}
	result := installText(t, v.Policies, v.Kubernetes)
	got := result.Answers
	for _, want := range v.Install {
		i := slices.IndexFunc(got, func(a report.Install) bool { return a.Kind == want.Kind && a.Name == want.Name })
		if i < 0 {
			t.Errorf("%s/%s: no answer, want %q %q", want.Kind, want.Name, want.Message, want.Warnings)
			continue
		}
		a := got[i]
		got = slices.Delete(slices.Clone(got), i, i+1)
		if want.NotServed {
			continue
		}
		have := recordedAnswer{Kind: a.Kind, Name: a.Name, Reason: a.Reason, Message: a.Message, Code: a.Code, Warnings: a.Warnings}
		if fmt.Sprintf("%+v", have) != fmt.Sprintf("%+v", want) {
			t.Errorf("%s/%s:\n got %+v\nwant %+v", want.Kind, want.Name, have, want)
		}
	}
	for _, a := range got {
		t.Errorf("%s/%s: the server accepted it, got %d %q %q", a.Kind, a.Name, a.Code, a.Message, a.Warnings)
	}
	checkPlaces(t, v.Policies, result)
	return len(v.Install)
}

// checkPlaces asserts what holds for every diagnostic: a known code, a place
// within the text, and an explanation for every rejection.
func checkPlaces(t *testing.T, text string, result *install.Result) {
	t.Helper()
	explained := map[string]bool{}
	for _, d := range result.Diagnostics {
		if _, ok := codes.Find(d.Code); !ok {
			t.Errorf("code %q has no entry", d.Code)
		}
		if d.Span.Start < 0 || d.Span.End > len(text) || d.Span.Start > d.Span.End {
			t.Errorf("%s: span %v is outside of the text", d.Code, d.Span)
		}
		if d.Span.Start == d.Span.End {
			t.Errorf("%s: nothing is underlined for %s %q", d.Code, d.Path, d.Summary)
		}
		if d.Severity == diag.Error {
			explained[d.Document] = true
		}
	}
	for _, a := range result.Answers {
		// A document without a name, or with generateName, has only its kind.
		if a.Code != 0 && !explained[a.Kind+"/"+a.Name] && !explained[a.Kind] {
			t.Errorf("%s/%s is refused without a diagnostic", a.Kind, a.Name)
		}
	}
}

// installText parses a policies text and creates its documents.
func installText(t *testing.T, text, kubernetes string) *install.Result {
	t.Helper()
	docs, problems := scenario.ParseDocuments(diag.Policies, text)
	for _, p := range problems {
		if p.Severity == diag.Error {
			t.Errorf("%s: %s", p.Code, p.Summary)
		}
	}
	result, err := install.Install(docs, eval.NewSet(), version.MustParse(kubernetes), install.Server{})
	if err != nil {
		t.Fatal(err)
	}
	return result
}
