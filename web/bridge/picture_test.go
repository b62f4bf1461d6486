package bridge

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/render/html"
)

// TestPicture draws a denied request: its description covers the picture's content, and the file is
// valid XML.
func TestPicture(t *testing.T) {
	var evaluated Evaluated
	params := EvaluateParams{Scenario: example(t, "first-look"), Parts: []html.Part{html.StepsPart}}
	if msg := callWith(t, "evaluate", params, &evaluated); msg != "" {
		t.Fatal(msg)
	}
	const link = "https://preadmit.example/#1/abc-_"
	var got Picture
	if msg := callWith(t, "picture", PictureParams{ID: evaluated.ID, Title: "A <large> one", Link: link}, &got); msg != "" {
		t.Fatal(msg)
	}
	for _, want := range []string{
		"A &lt;large&gt; one", ">Validating</text>", "<metadata>" + link + "</metadata>", `href="` + link + `"`,
		"object.spec.replicas &lt;= variables.limit", "at most 5 replicas in namespace shop, not 8", "Denied",
		">false</tspan>", "object.spec.replicas is 8, variables.limit is 5</tspan>",
	} {
		if !strings.Contains(got.SVG, want) {
			t.Errorf("no %s in\n%s", want, got.SVG)
		}
	}
	for _, want := range []string{"A <large> one: Denied 422 Invalid. at most 5 replicas", "Validating: denied here, 1 of 2 ran", "Answer: denied, 422",
		"The expression: object.spec.replicas <= variables.limit is false, as object.spec.replicas is 8, variables.limit is 5.",
	} {
		if !strings.Contains(got.Alt, want) {
			t.Errorf("the words lack %q: %s", want, got.Alt)
		}
	}
	for d := xml.NewDecoder(strings.NewReader(got.SVG)); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if msg := callWith(t, "picture", PictureParams{ID: 1}, &got); msg != "" || !got.Gone {
		t.Errorf("a report that is not there: %q, gone %v", msg, got.Gone)
	}
}
