package bridge

import (
	"context"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/edit/layout"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Paste is what was pasted into a text of the page, and where.
type Paste struct {
	// Given has the scenario before the paste, the text that was pasted into, and
	// what the reader chose.
	Given scenario.Given `json:"given"`
	Text  string         `json:"text"`
	// Before and After are what is around it in the text.
	Before string `json:"before"`
	After  string `json:"after"`
	// Example says that the scenario is an example that nobody has changed. What
	// replaces its policies or its request begins a scenario of its own.
	Example bool `json:"example,omitempty"`
}

// Pasted is the reply to paste.
type Pasted struct {
	// Own says that the paste is where it belongs, as it is: there is nothing to do.
	Own bool `json:"own,omitempty"`
	// Emptied says that the paste took the place of an example, all of it.
	Emptied bool `json:"emptied,omitempty"`
	// Refused says that nothing of it can be used; the scenario is as before.
	Refused bool `json:"refused,omitempty"`
	// Scenario has everything in its place.
	Scenario scenario.Scenario `json:"scenario"`
	// Summary says in one line what was done.
	Summary string `json:"summary"`
	// Candidates are the objects of which one is the request, by their names;
	// Chosen is its number, from 1.
	Candidates []string `json:"candidates,omitempty"`
	Chosen     int      `json:"chosen,omitempty"`
	// Webhooks are those of which one gave the response that was pasted.
	Webhooks []string `json:"webhooks,omitempty"`
	// Commands print what is needed in place of a server's answer.
	Commands []string `json:"commands,omitempty"`
	// Show is the text that has most of it.
	Show diag.Text `json:"show,omitempty"`
}

// paste sorts what was pasted into a text. What is pasted within a line, or what
// is no document, stays where it is.
func paste(_ context.Context, p Paste) (Pasted, error) {
	text := strings.ReplaceAll(p.Text, "\r\n", "\n")
	if !ownLines(p.Before, p.After) {
		return Pasted{Own: true, Scenario: p.Given.Scenario}, nil
	}
	given := p.Given
	c := classify(p.Text, given)
	if len(c.Placed) == 0 && !c.Whole && !c.Diagnostics.HasErrors() && c.Scenario.Expression == "" {
		return Pasted{Own: true, Scenario: p.Given.Scenario}, nil // nothing but comments
	}
	if len(c.Candidates) > 0 && given.Request == 0 {
		given.Request = 1 // shown with all the others to choose from
		c = classify(p.Text, given)
	}
	emptied := p.Example && replaces(p, c)
	if emptied {
		p.Given.Scenario = scenario.Scenario{Kubernetes: p.Given.Scenario.Kubernetes}
		given.Scenario = p.Given.Scenario
		c = classify(p.Text, given)
	}
	if given.Into == diag.Request && c.Scenario.Request != "" && strings.TrimSpace(p.Before+p.After) != "" {
		return Pasted{Own: true, Scenario: p.Given.Scenario}, nil // a part of what is there, or a second request
	}
	out := Pasted{Summary: c.Summary, Chosen: c.Chosen, Webhooks: c.Webhooks, Commands: c.Commands, Scenario: p.Given.Scenario, Emptied: emptied}
	for _, o := range c.Candidates {
		out.Candidates = append(out.Candidates, o.String())
	}
	if nowhere(c) {
		out.Refused = true
		if len(c.Webhooks) > 0 {
			out.Summary = "This is a webhook's response. Which webhook sent it?" // the page has a picker of them
		}
		return out, nil
	}
	if c.Whole {
		out.Scenario, out.Show = c.Scenario, diag.Policies
		out.Summary = "The pasted scenario has replaced all tabs."
		return out, nil
	}
	left := p.Given.Scenario
	*textOf(&left, given.Into) = p.Before + text + p.After
	out.Scenario = merged(p, c)
	if emptied {
		out.Summary = strings.TrimSpace(out.Summary + " Replaced the example with your own scenario.")
	} else if same(out.Scenario, left) {
		return Pasted{Own: true, Scenario: left}, nil
	}
	for _, name := range []diag.Text{diag.Request, diag.Policies, diag.Cluster, diag.Expression} {
		if t := textOf(&c.Scenario, name); *t != "" && (out.Show == "" || name == given.Into) {
			out.Show = name
		}
	}
	return out, nil
}

// longLine is from how many characters on a request in one line is laid out, as a log has an AdmissionReview.
const longLine = 120

// classify sorts a paste. A request in one long line of JSON gets lines that can be read.
func classify(text string, given scenario.Given) *scenario.Classified {
	c := scenario.Classify([]scenario.File{{Text: text}}, given)
	request := strings.TrimSpace(c.Scenario.Request)
	if len(request) < longLine || !strings.HasPrefix(request, "{") || strings.Contains(request, "\n") {
		return c
	}
	if lines, err := layout.Format(request); err == nil { // what is not JSON stays as it is
		c.Scenario.Request = lines
	}
	return c
}

// replaces reports whether a paste takes the place of all the policies, or of the
// request, of what was there. A new state of the same documents does not, nor does
// another object of the same kind and namespace: that is a change of them.
func replaces(p Paste, c *scenario.Classified) bool {
	into := p.Given.Into
	was := *textOf(&p.Given.Scenario, into)
	if into != diag.Policies && into != diag.Request || strings.TrimSpace(p.Before+p.After) != "" ||
		strings.TrimSpace(was) == "" || nowhere(c) || !hasDocuments(c) {
		return false
	}
	former := scenario.Classify([]scenario.File{{Text: was}}, scenario.Given{Into: into})
	return !slices.ContainsFunc(c.Placed, func(a scenario.Placed) bool {
		return slices.ContainsFunc(former.Placed, func(b scenario.Placed) bool {
			if into == diag.Request {
				return a.Kind == b.Kind && a.Namespace == b.Namespace
			}
			return a.Kind == b.Kind && a.Name == b.Name
		})
	})
}

// ownLines reports whether a paste between two parts of a text has its lines for
// itself.
func ownLines(before, after string) bool {
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return strings.TrimSpace(line) == "" && (after == "" || after[0] == '\n')
}

// nowhere reports whether nothing of a paste has found a text.
func nowhere(c *scenario.Classified) bool {
	for _, name := range []diag.Text{diag.Policies, diag.Request, diag.Cluster, diag.Expression} {
		if *textOf(&c.Scenario, name) != "" {
			return false
		}
	}
	return !c.Whole && diag.HasErrors(c.Diagnostics)
}

// merged puts what was pasted beside what is there: in the text that it was
// pasted into at its place, in others at the end. A request takes the place of
// another. What was selected stays where nothing of the paste takes its place.
func merged(p Paste, c *scenario.Classified) scenario.Scenario {
	out := p.Given.Scenario
	if *textOf(&c.Scenario, p.Given.Into) != "" {
		*textOf(&out, p.Given.Into) = p.Before + p.After
	}
	for _, name := range []diag.Text{diag.Policies, diag.Request, diag.Cluster, diag.Expression} {
		added, to := *textOf(&c.Scenario, name), textOf(&out, name)
		switch {
		case added == "":
		case name == p.Given.Into && !hasDocuments(c):
			*to = p.Before + added + p.After
		case name == p.Given.Into:
			*to = documents(p.Before, documents(added, p.After))
		case name == diag.Request || name == diag.Expression:
			*to = added
		default:
			*to = documents(*to, added)
		}
	}
	if c.Scenario.Options.Defaulting != nil {
		out.Options.Defaulting = c.Scenario.Options.Defaulting
	}
	if c.Scenario.Kubernetes != "" {
		out.Kubernetes = c.Scenario.Kubernetes
	}
	return out
}

// hasDocuments reports whether any part of a paste has a kind. Others are parts
// of a document, or of an expression.
func hasDocuments(c *scenario.Classified) bool {
	return slices.ContainsFunc(c.Placed, func(p scenario.Placed) bool { return p.Kind != "" })
}

// documents puts two parts of a text behind one another, with a separator
// between them if it needs one.
func documents(first, second string) string {
	begin, end := strings.TrimSpace(second), strings.TrimRight(first, " \n")
	last := end[strings.LastIndexByte(end, '\n')+1:]
	switch {
	case end == "" || begin == "" || strings.HasPrefix(begin, "---") || strings.HasPrefix(last, "---"):
		return first + second
	}
	return end + "\n---\n" + strings.TrimLeft(second, "\n")
}

func same(a, b scenario.Scenario) bool {
	return a.Policies == b.Policies && a.Request == b.Request && a.Cluster == b.Cluster && a.Expression == b.Expression &&
		a.Options.Defaulting == b.Options.Defaulting && a.Kubernetes == b.Kubernetes
}

// textOf is a text of a scenario by its name.
func textOf(s *scenario.Scenario, name diag.Text) *string {
	switch name {
	case diag.Request:
		return &s.Request
	case diag.Cluster:
		return &s.Cluster
	case diag.Expression:
		return &s.Expression
	}
	return &s.Policies
}
