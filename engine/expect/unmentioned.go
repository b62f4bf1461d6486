package expect

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/preadmit/preadmit/engine/report"
)

// unmentioned adds what must not pass in silence: refused documents, errors in
// the texts, and a scenario that tests nothing because nothing matches.
func (c *comparison) unmentioned(got map[string]any) {
	refused := map[string]bool{}
	for i, in := range c.report.Install {
		if in.Code == 0 {
			continue
		}
		refused[in.Kind+"/"+in.Name] = true
		c.mention("install", got["install"].([]any)[i], installEntry(in),
			fmt.Sprintf("the API server refuses %s %s: %s", in.Kind, in.Name, in.Message))
	}
	for i, d := range c.report.Diagnostics {
		if d.Wrong() && !refused[d.Document] {
			c.mention("diagnostics", got["diagnostics"].([]any)[i], diagnosticEntry(d),
				fmt.Sprintf("an error in the text %q, line %d: %s", d.Text, d.Line, d.Summary))
		}
	}
	c.nothingMatches()
}

// mention adds a difference unless the file's list has an entry for the item.
func (c *comparison) mention(field string, item any, entry object, problem string) {
	list, ok := child(c.expected.root(), field)
	if ok {
		list = resolve(list)
		typ := fieldsOf(reportType)[field].Elem()
		if slices.ContainsFunc(list.Content, func(n *yaml.Node) bool { return identifies(resolve(n), typ, item) }) {
			return
		}
	}
	c.differences = append(c.differences, Difference{
		Path: field, Got: item, Problem: problem + ". If that is meant, write it under " + field,
		edit: func() { c.expected.appendTo(field, entry) },
	})
}

// nothingMatches refuses a scenario whose policies and webhooks all leave the
// request alone, unless the file says so.
func (c *comparison) nothingMatches() {
	if c.report.Outcome.State != report.StateNoPolicyRan {
		return
	}
	if list, ok := child(c.expected.root(), "steps"); ok && len(resolve(list).Content) > 0 {
		return // each of its entries says what is expected
	}
	if outcome, ok := child(c.expected.root(), "outcome"); ok {
		if _, ok := child(resolve(outcome), "state"); ok {
			return
		}
	}
	steps := c.report.Steps
	c.differences = append(c.differences, Difference{
		Path: "steps", Problem: "no policy and no webhook had a say in the request. If that is meant, write outcome: {state: noPolicyRan}, or name one under steps with its status",
		edit: func() {
			for _, s := range steps {
				c.expected.appendTo("steps", stepEntry(s))
			}
		},
	})
}

// appendTo adds an entry to a list of the file.
func (e *Expected) appendTo(field string, entry object) {
	list, ok := child(e.root(), field)
	if !ok {
		addField(e.root(), field, []any{})
		list, _ = child(e.root(), field)
	}
	list = resolve(list)
	if list.Kind != yaml.SequenceNode {
		*list = yaml.Node{Kind: yaml.SequenceNode}
	}
	list.Style = 0
	list.Content = append(list.Content, entry.node())
}
