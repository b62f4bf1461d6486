package bridge

import (
	"encoding/json"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/html"
)

// TestAnswerFirst: a reply with the outcome alone equals that of a full call. render then returns
// the parts and the safety checks' findings.
func TestAnswerFirst(t *testing.T) {
	for _, example := range []string{"first-look", "webhook-not-reinvoked", "not-idempotent"} {
		t.Run(example, func(t *testing.T) {
			read, err := scenario.FromFS(os.DirFS("../../examples/" + example))
			if err != nil {
				t.Fatal(err)
			}
			seen := []Sight{{Text: diag.Policies, End: len(read.Scenario.Policies)}}
			p := EvaluateParams{Scenario: read.Scenario, Parts: []html.Part{html.StepsPart}, In: seen}
			p.Scenario.Now = "2026-01-01T00:00:00Z"
			whole := evaluated(t, p)
			p.First = true
			first := evaluated(t, p)
			if len(first.HTML.Parts) != 0 || first.HTML.Outcome != whole.HTML.Outcome || first.ID == 0 {
				t.Errorf("the first reply has the id %d, %d parts and the outcome\n%s\nwant\n%s", first.ID, len(first.HTML.Parts), first.HTML.Outcome, whole.HTML.Outcome)
			}
			var noted Noted
			if msg := callWith(t, "notes", NotesParams{ID: first.ID, In: seen}, &noted); msg != "" {
				t.Fatal(msg)
			}
			if first.Notes != nil || (example == "first-look") && len(noted.Steps) == 0 || text(t, noted.Steps) != text(t, whole.Notes) {
				t.Errorf("the first reply has the notes %v, and asked for they are\n%s\nwant\n%s", first.Notes, text(t, noted.Steps), text(t, whole.Notes))
			}
			var rest RenderedParts
			if msg := callWith(t, "render", RenderParams{ID: first.ID, Parts: p.Parts}, &rest); msg != "" {
				t.Fatal(msg)
			}
			if !maps.Equal(rest.Parts, whole.HTML.Parts) {
				t.Errorf("the steps are\n%v\nwant\n%v", rest.Parts, whole.HTML.Parts)
			}
			got := Repaired{first.Report.Diagnostics, first.HTML.Problems}
			if rest.Late != nil {
				got = *rest.Late
			}
			if want := (Repaired{whole.Report.Diagnostics, whole.HTML.Problems}); text(t, got) != text(t, want) {
				t.Errorf("the problems are\n%s\nwant\n%s", text(t, got), text(t, want))
			}
			if wanted := example == "webhook-not-reinvoked"; wanted != (rest.Late != nil) {
				t.Errorf("there are late problems: %v, want %v", rest.Late != nil, wanted)
			}
			if example == "not-idempotent" && !strings.Contains(rest.Parts[html.StepsPart], "idempotent") {
				t.Error("the steps do not have the finding")
			}
		})
	}
}

// TestWhatIsLeftIsMadeForAnyPart: the first request for a report's part completes the report.
func TestWhatIsLeftIsMadeForAnyPart(t *testing.T) {
	read, err := scenario.FromFS(os.DirFS("../../examples/not-idempotent"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		method string
		params func(id int64) any
		made   bool
	}{
		{"unfold", func(id int64) any { return UnfoldParams{ID: id, Key: "step-0"} }, true},
		{"repairs", func(id int64) any { return RepairsParams{ID: id, Scenario: read.Scenario} }, true},
		{"notes", func(id int64) any { return NotesParams{ID: id} }, false},
	} {
		id := evaluated(t, EvaluateParams{Scenario: read.Scenario, First: true}).ID
		if view, ok := results.find(id); !ok || len(view.Report.Findings) != 0 {
			t.Fatalf("kept is %v, with the findings %v", ok, view.Report.Findings)
		}
		var out map[string]any
		if msg := callWith(t, c.method, c.params(id), &out); msg != "" {
			t.Fatal(msg)
		}
		if view, _ := results.find(id); (len(view.Report.Findings) > 0) != c.made {
			t.Errorf("after %s there are %d findings", c.method, len(view.Report.Findings))
		}
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
