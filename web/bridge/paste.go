package bridge

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/edit/layout"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Paste is a text pasted into a text of the page, and its place.
type Paste struct {
	// Given has the scenario before the paste, the target text, and the reader's choices.
	Given scenario.Given `json:"given"`
	Text  string         `json:"text"`
	// Before and After surround it in the text.
	Before string `json:"before"`
	After  string `json:"after"`
	// Example says that the scenario is an unchanged example. If its policies or request are
	// replaced, a new scenario begins.
	Example bool `json:"example,omitempty"`
}

// Pasted is the reply to paste.
type Pasted struct {
	// Own says that the paste belongs where it is, unchanged. There is nothing to do.
	Own bool `json:"own,omitempty"`
	// Emptied says that the paste replaced the whole example.
	Emptied bool `json:"emptied,omitempty"`
	// Refused says that nothing in it is usable. The scenario is unchanged.
	Refused bool `json:"refused,omitempty"`
	// Scenario has every document in its place.
	Scenario scenario.Scenario `json:"scenario"`
	// Summary describes the result in one line.
	Summary string `json:"summary"`
	// Candidates are the names of the possible requests. Chosen is the chosen one's number, from 1.
	Candidates []string `json:"candidates,omitempty"`
	Chosen     int      `json:"chosen,omitempty"`
	// Webhooks are the possible senders of the pasted response.
	Webhooks []string `json:"webhooks,omitempty"`
	// Commands print the objects to paste instead of a server's reply.
	Commands []string `json:"commands,omitempty"`
	// Show is the text with most of the paste.
	Show diag.Text `json:"show,omitempty"`
}

// paste sorts a pasted text. Text within a line, and text without a document, stays where it is.
func paste(_ context.Context, p Paste) (Pasted, error) {
	text := strings.ReplaceAll(p.Text, "\r\n", "\n")
	if !ownLines(p.Before, text, p.After) {
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
		// A Namespace beside the request belongs to the cluster.
		given.Into = diag.Policies
		if c = classify(p.Text, given); c.Scenario.Request != "" || !hasDocuments(c) {
			return Pasted{Own: true, Scenario: p.Given.Scenario}, nil // a part of the existing text, or a second request
		}
	}
	out := Pasted{Summary: c.Summary, Chosen: c.Chosen, Webhooks: c.Webhooks, Commands: c.Commands, Scenario: p.Given.Scenario, Emptied: emptied}
	for _, o := range c.Candidates {
		out.Candidates = append(out.Candidates, o.String())
	}
	if nowhere(c) {
		out.Refused = true
		if len(c.Webhooks) > 0 {
			out.Summary = "This is a webhook's response. Which webhook sent it?" // the page shows a list of them
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

// ownLines reports whether a paste between two parts of a text occupies whole lines.
func ownLines(before, text, after string) bool {
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return strings.TrimSpace(line) == "" && (after == "" || after[0] == '\n' || strings.HasSuffix(text, "\n"))
}

// nowhere reports whether no part of a paste was placed.
func nowhere(c *scenario.Classified) bool {
	for _, name := range []diag.Text{diag.Policies, diag.Request, diag.Cluster, diag.Expression} {
		if *textOf(&c.Scenario, name) != "" {
			return false
		}
	}
	return !c.Whole && diag.HasErrors(c.Diagnostics)
}

// merged combines the paste with the current scenario: at its place in the target text, at the end
// in other texts. A request replaces the current one. Selected text stays if no part of the paste
// replaces it.
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

// hasDocuments reports whether any part of a paste has a kind. Otherwise the paste is part of a
// document or expression.
func hasDocuments(c *scenario.Classified) bool {
	return slices.ContainsFunc(c.Placed, func(p scenario.Placed) bool { return p.Kind != "" })
}

// documents joins two parts of a text, with a separator if needed.
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

func textOf(s *scenario.Scenario, name diag.Text) *string { return cmp.Or(s.Text(name), &s.Policies) }
