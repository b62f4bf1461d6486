package secrets

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/scripts/hostile/variants"
)

// texts are those of testdata, which the page's quick look at secrets
// (web/app/secrets.ts) is tested with too.
func texts(t *testing.T) (out struct {
	Secret []struct{ Name, Text, Want string }
	Quiet  []string
}) {
	raw, err := os.ReadFile("testdata/texts.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// replaced is a scenario without its secret values.
func replaced(t *testing.T, s scenario.Scenario) scenario.Scenario {
	t.Helper()
	s, err := Find(s).Removed(s)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestReplaced: the value and nothing else is replaced, in each text, and nothing is
// found a second time.
func TestReplaced(t *testing.T) {
	for _, c := range texts(t).Secret {
		t.Run(c.Name, func(t *testing.T) {
			after := replaced(t, scenario.Scenario{Cluster: c.Text})
			if after.Cluster != c.Want {
				t.Errorf("got\n%s\nwant\n%s", after.Cluster, c.Want)
			}
			if again := Find(after); len(again.Found) > 0 {
				t.Errorf("found again: %+v", again.Found)
			}
			old := scenario.Scenario{Options: scenario.Options{Request: &scenario.RequestSettings{OldObject: c.Text}}}
			if got := replaced(t, old); got.Options.Request.OldObject != c.Want || old.Options.Request.OldObject != c.Text {
				t.Errorf("as an old object: got\n%s", got.Options.Request.OldObject)
			}
			for _, s := range []scenario.Scenario{{Policies: c.Text}, {Request: c.Text}} {
				got := replaced(t, s)
				if got.Policies+got.Request != c.Want {
					t.Errorf("in another text:\n%s", got.Policies+got.Request)
				}
			}
		})
	}
}

// TestForm: what is replaced still reads, with the same keys and kinds of values.
func TestForm(t *testing.T) {
	for _, c := range texts(t).Secret {
		before, problems := scenario.ParseDocuments(diag.Cluster, c.Text)
		if diag.HasErrors(problems) {
			continue
		}
		after, problems := scenario.ParseDocuments(diag.Cluster, c.Want)
		if diag.HasErrors(problems) || len(after) != len(before) {
			t.Errorf("%s: no longer reads: %v", c.Name, problems)
			continue
		}
		for i := range before {
			if a, b := keys(before[i].Value), keys(after[i].Value); !slices.Equal(a, b) {
				t.Errorf("%s: the fields were %v and are %v", c.Name, a, b)
			}
		}
	}
}

// keys are the paths of all scalars.
func keys(value any) (out []string) {
	switch v := value.(type) {
	case map[string]any:
		for key, child := range v {
			for _, k := range append(keys(child), "") {
				out = append(out, key+"/"+k)
			}
		}
	case []any:
		for _, child := range v {
			out = append(out, keys(child)...)
		}
	}
	slices.Sort(out)
	return out
}

func TestQuiet(t *testing.T) {
	for _, text := range texts(t).Quiet {
		if got := Find(scenario.Scenario{Policies: text}); len(got.Found) > 0 {
			t.Errorf("%s: found %+v", text, got.Found)
		}
	}
}

// TestPlaces: what was found is named, with its line.
func TestPlaces(t *testing.T) {
	got := Find(scenario.Scenario{
		Request:    "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData:\n  a: b c\n",
		Cluster:    "# one\npassword: hunter22\n",
		Policies:   "a: [\n",
		Expression: `Object{stringData: {"a": "swordfish"}}`,
	})
	var lines []string
	for _, f := range got.Found {
		lines = append(lines, strings.Join([]string{string(f.Text), f.What, f.Edit.New}, ": "))
	}
	want := []string{
		"request: a value of Secret db: REMOVED",
		"cluster: the value of password: REMOVED",
		"expression: a value that an expression writes into a Secret: REMOVED",
	}
	if !slices.Equal(lines, want) || got.Found[0].Line != 5 || got.Found[1].Line != 2 {
		t.Errorf("got %q, %+v", lines, got.Found)
	}
	if !slices.Equal(got.Unread, []diag.Text{diag.Policies}) {
		t.Errorf("unread: %v", got.Unread)
	}
}

// FuzzFind: the edits fit the text, and what reads still reads.
func FuzzFind(f *testing.F) {
	raw, err := os.ReadFile("testdata/texts.json")
	if err != nil {
		f.Fatal(err)
	}
	var all struct{ Secret []struct{ Text string } }
	if err := json.Unmarshal(raw, &all); err != nil {
		f.Fatal(err)
	}
	target := variants.Of(f, 100)
	for _, c := range all.Secret {
		target.Add(c.Text)
	}
	target.Fuzz(func(t *testing.T, text string) {
		_, before := scenario.ParseDocuments(diag.Cluster, text)
		after := replaced(t, scenario.Scenario{Cluster: text})
		if _, now := scenario.ParseDocuments(diag.Cluster, after.Cluster); !diag.HasErrors(before) && diag.HasErrors(now) {
			t.Errorf("no longer reads: %v\n%q\n%q", now, text, after.Cluster)
		}
	})
}
