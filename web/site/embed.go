package site

import "github.com/a-h/templ"

// embedText is one text of the page in an embedded example.
type embedText struct {
	ID, Name, Language, Text string
	Shown, Hidden            bool
}

// embedTexts are an example's texts. The first that is not empty is shown. Without an example they
// are empty, and a script shows the scenario in the URL.
func embedTexts(e *Example) []embedText {
	texts := []embedText{
		{ID: "policies", Name: "Policies", Language: "yaml"},
		{ID: "request", Name: "Request", Language: "yaml"},
		{ID: "cluster", Name: "Cluster", Language: "yaml"},
		{ID: "expression", Name: "Expression", Language: "cel"},
	}
	if e == nil {
		texts[0].Shown = true
		return texts
	}
	shown := false
	for i, text := range []string{e.Scenario.Policies, e.Scenario.Request, e.Scenario.Cluster, e.Scenario.Expression} {
		t := &texts[i]
		t.Text, t.Hidden = text, text == ""
		t.Shown = text != "" && !shown
		shown = shown || t.Shown
	}
	return texts
}

// embedPath is the page's URL for an example's frame.
func (e Example) embedPath() string { return "/embed/examples/" + e.Slug + "/" }

func embedSlug(e *Example) string {
	if e == nil {
		return ""
	}
	return e.Slug
}

func embedHeading(e *Example) string {
	if e == nil {
		return "Kubernetes admission example"
	}
	return e.Scenario.Title
}

func embedPlayground(e *Example) templ.SafeURL {
	if e == nil {
		return "/"
	}
	return templ.SafeURL("/#example=" + e.Slug)
}

func boolWord(b bool) string {
	if b {
		return "true"
	}
	return "false"
}
