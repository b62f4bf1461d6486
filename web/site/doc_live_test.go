package site

import (
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/web/tour"
)

const pageWithTranscripts = "---\ntitle: T\norder: 1\ngroup: Reference\nsummary: S.\n---\n\n# T\n\nBefore.\n\n" +
	"```yaml cm.yaml\nkind: ConfigMap\n```\n\n" +
	"## Part `one`\n\nSome words\nin two lines.\n\n" +
	"```console\n$ preadmit cel 'a == \"b\"' -r cm.yaml\nfalse\n$ preadmit cel '1' -r other.yaml\n1\n$ preadmit eval examples/first-look -o diff\nDENIED\n```\n\n" +
	"```txtar some.txtar\n-- expression.cel --\n1 + 1\n```\n\n```sh\nls\n```\n"

func TestTranscriptsRun(t *testing.T) {
	doc, err := ReadDoc("page", []byte(pageWithTranscripts))
	if err != nil {
		t.Fatal(err)
	}
	if !doc.live {
		t.Error("the page has nothing that runs")
	}
	// The first command, the example and the archive run. The second command's file is missing.
	if n := strings.Count(doc.Body, "<preadmit-example "); n != 3 || n != strings.Count(doc.Body, "</preadmit-example>") {
		t.Errorf("%d examples in\n%s", n, doc.Body)
	}
	if n := strings.Count(doc.Body, `<div class="code-block">`); n != 6 {
		t.Errorf("%d blocks, not one for each command, in\n%s", n, doc.Body)
	}
	if want := `<preadmit-example example="first-look" view="diff">`; !strings.Contains(doc.Body, want) {
		t.Errorf("no %s", want)
	}
	_, after, _ := strings.Cut(doc.Body, `<preadmit-example scenario="`)
	link, _, _ := strings.Cut(after, `"`)
	s, err := scenario.DecodeLink(link)
	if err != nil {
		t.Fatal(err)
	}
	if s.Expression != `a == "b"` || s.Request != "kind: ConfigMap\n" {
		t.Errorf("the first command became %+v", s)
	}
}

func TestSearchIndex(t *testing.T) {
	doc, err := ReadDoc("page", []byte(pageWithTranscripts))
	if err != nil {
		t.Fatal(err)
	}
	got := SearchIndex([]Doc{doc}, []Lesson{{Lesson: tour.Lesson{Slug: "l", Title: "L", Summary: "Of", Body: []byte("`x`\nand **y**.")}}}, []Example{{Slug: "x", Scenario: scenario.Scenario{Title: "An example", Description: "Of *this*.\n\nMore."}}})
	want := []SearchEntry{
		{Page: "T", Path: "/docs/page/", Text: "S. Before."},
		{Page: "T", Title: "Part one", Path: "/docs/page/#part-one", Text: "Some words in two lines."},
		{Page: "The tour", Title: "L", Path: "/tour/l/", Text: "Of x and y."},
		{Page: "Example", Title: "An example", Path: "/examples/x/", Text: "Of this."},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
}
