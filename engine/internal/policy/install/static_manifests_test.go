package install

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// loaderFiles are the names of files in the texts of the server's loaders.
var loaderFiles = regexp.MustCompile(`^error loading FILE: | in file "FILE" \(previously seen in "FILE"\)| \(file "FILE"\)`)

// TestManifests: the texts are those of kube-apiserver 1.37.0's own loaders, which
// conformance/reference/manifests recorded, without the files.
func TestManifests(t *testing.T) {
	raw, err := os.ReadFile("testdata/manifests.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded []struct{ Name, Plugin, Text, Error string }
	if err := json.Unmarshal(raw, &recorded); err != nil {
		t.Fatal(err)
	}
	for _, c := range recorded {
		t.Run(c.Name, func(t *testing.T) {
			docs, problems := scenario.ParseDocuments(diag.Policies, c.Text)
			r, err := Install(docs, eval.NewSet(), version.MustParse("1.37"), Server{Static: func(d *scenario.Document) bool { return strings.HasSuffix(d.Name, staticSuffix) }})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, d := range r.Diagnostics {
				if d.Code == codes.StaticManifest {
					got = append(got, d.Summary)
				}
			}
			want := loaderFiles.ReplaceAllString(c.Error, "")
			if strings.Join(got, "\n") != want {
				t.Errorf("got\n%q\nwant\n%q\n%v\n%v", strings.Join(got, "\n"), want, problems, r.Diagnostics)
			}
			if len(r.Answers) > 0 {
				t.Errorf("the API answers: %+v", r.Answers)
			}
			for _, p := range r.ValidatingPolicies {
				if !p.Static {
					t.Error("not marked")
				}
			}
		})
	}
	if len(recorded) < 30 {
		t.Errorf("only %d cases", len(recorded))
	}
}
