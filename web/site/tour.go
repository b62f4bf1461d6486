package site

import (
	"bytes"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/html"
	"github.com/preadmit/preadmit/web/tour"
)

// Lesson is a tour step with its initial report.
type Lesson struct {
	tour.Lesson
	// Number is its number, from 1.
	Number int
	Report *report.Report
}

func (l Lesson) path() string { return "/tour/" + l.Slug + "/" }

// body is the lesson's text, rendered like a documentation page.
func (l Lesson) body() (string, error) {
	var out bytes.Buffer
	err := markdown.Convert(l.Body, &out)
	return out.String(), err
}

// view is the initial result.
func (l Lesson) view() html.View {
	return html.NewView(l.Report, map[diag.Text]string{
		diag.Policies: l.Start.Policies, diag.Request: l.Start.Request, diag.Cluster: l.Start.Cluster,
	})
}

func (l Lesson) texts() []embedText {
	var out []embedText
	for _, t := range []struct {
		text    diag.Text
		content string
	}{{diag.Policies, l.Start.Policies}, {diag.Request, l.Start.Request}, {diag.Cluster, l.Start.Cluster}, {diag.Expression, ""}} {
		out = append(out, embedText{ID: string(t.text), Name: textNames[t.text], Text: t.content, Shown: t.text == l.Show})
	}
	return out
}

// solved are the solution's texts that differ from the initial ones.
func (l Lesson) solved() []namedText {
	var out []namedText
	for _, t := range []struct{ name, start, solution string }{
		{"Policies", l.Start.Policies, l.Solution.Policies}, {"Request", l.Start.Request, l.Solution.Request},
	} {
		if t.start != t.solution {
			out = append(out, namedText{t.name, "yaml", t.solution})
		}
	}
	return out
}

// lessonWords is a lesson's text for the search.
func lessonWords(l Lesson) SearchEntry {
	text := strings.Join(strings.Fields(l.Summary+" "+string(l.Body)), " ")
	text = strings.NewReplacer("`", "", "*", "").Replace(text)
	return SearchEntry{Page: "The tour", Title: l.Title, Path: l.path(), Text: text}
}

// StartLink is the fragment that opens a lesson's initial scenario in the playground; empty if too
// large for a link.
func (l Lesson) StartLink() string {
	fragment, err := scenario.EncodeLink(l.Start)
	if err != nil {
		return ""
	}
	return fragment
}

// textNames are the names of the texts' tabs.
var textNames = map[diag.Text]string{diag.Policies: "Policies", diag.Request: "Request", diag.Cluster: "Cluster", diag.Expression: "Expression"}
