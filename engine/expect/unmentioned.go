package expect

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/preadmit/preadmit/engine/report"
)

// unmentioned adds what must not pass silently: rejected documents, errors in the texts, a scenario
// in which nothing ran, and an undecided one.
func (c *comparison) unmentioned(got map[string]any) {
	refused := map[string]bool{}
	for i, in := range c.report.Install {
		if in.Code == 0 {
			continue
		}
		refused[in.Kind+"/"+in.Name] = true
		c.mention("install", got["install"].([]any)[i], installEntry(in), saysRefused,
			fmt.Sprintf("the API server rejects %s %s: %s", in.Kind, in.Name, in.Message))
	}
	for i, d := range c.report.Diagnostics {
		if d.Wrong() && !refused[d.Document] {
			c.mention("diagnostics", got["diagnostics"].([]any)[i], diagnosticEntry(d), anyEntry,
				fmt.Sprintf("an error in the text %q, line %d: %s", d.Text, d.Line, d.Summary))
		}
	}
	c.nothingRan()
	c.undecided()
}

// saysRefused reports whether an install entry expects a rejection, and does not only name the
// document.
func saysRefused(entry *yaml.Node) bool {
	for _, field := range []string{"code", "message"} {
		if v, ok := child(entry, field); ok && !zero(plain(v)) {
			return true
		}
	}
	return false
}

func anyEntry(*yaml.Node) bool { return true }

// mention adds a difference unless the file's list has a sufficient entry for the item.
func (c *comparison) mention(field string, item any, entry object, enough func(*yaml.Node) bool, problem string) {
	list, ok := child(c.expected.root(), field)
	if ok {
		list = resolve(list)
		typ := fieldsOf(reportType)[field].Elem()
		if slices.ContainsFunc(list.Content, func(n *yaml.Node) bool { return identifies(resolve(n), typ, item) && enough(resolve(n)) }) {
			return
		}
	}
	c.differences = append(c.differences, Difference{
		Path: field, Got: item, Problem: problem + ". If that is intended, write it under " + field,
		edit: func() { c.expected.appendTo(field, entry) },
	})
}

// nothingRan rejects a scenario in which no policy or webhook ran, whatever the verdict, unless the
// file expects that.
func (c *comparison) nothingRan() {
	r := c.report
	if len(r.NotRun) == 0 || r.PolicyRan() {
		return
	}
	if list, ok := child(c.expected.root(), "steps"); ok && len(resolve(list).Content) > 0 {
		return // each of its entries is an expectation
	}
	if c.expected.says("outcome", "state") == string(report.StateNoPolicyRan) || c.expected.says("outcome", "message") != nil || c.expected.says("notRun") != nil {
		return
	}
	const problem = "no policy or webhook matched the request"
	if !r.Outcome.Allowed {
		c.differences = append(c.differences, Difference{
			Path: "steps", Problem: problem + ", something else denied it. If that is intended, write its outcome.message, or name under steps what denied it",
			edit: func() { c.expected.set("outcome", "message", r.Outcome.Message) },
		})
		return
	}
	meant := "If that is intended, write outcome: {state: noPolicyRan}, or name one under steps with its status"
	if slices.ContainsFunc(r.Steps, func(s report.Step) bool { return s.AnswerAssumed() }) {
		meant = "Give the webhook an answer with a WebhookResponse, or name its step under steps if none is meant"
	}
	c.differences = append(c.differences, Difference{
		Path: "steps", Problem: problem + ". " + meant,
		edit: func() {
			for _, s := range r.Steps {
				c.expected.appendTo("steps", stepEntry(s))
			}
		},
	})
}

// undecided rejects an undecided scenario, unless the file expects that.
func (c *comparison) undecided() {
	o := c.report.Outcome
	switch {
	case o.State != report.StateNoRequest && o.State != report.StateUndecided,
		c.expected.says("outcome", "state") != nil, c.expected.says("diagnostics") != nil,
		o.State == report.StateNoRequest && (c.expected.says("expression") != nil || c.expected.says("rules") != nil || c.expected.says("install") != nil):
		return
	}
	c.differences = append(c.differences, Difference{
		Path: "outcome.state", Got: string(o.State),
		Problem: fmt.Sprintf("there is no answer to the request: %s. If that is intended, write outcome: {state: %s}", o.StateReason, o.State),
		edit:    func() { c.expected.set("outcome", "state", string(o.State)) },
	})
}

// says returns the file's node at a path, or nil.
func (e *Expected) says(path ...string) any {
	node := resolve(e.root())
	for _, name := range path {
		next, ok := child(node, name)
		if !ok {
			return nil
		}
		node = resolve(next)
	}
	if v := plain(node); v != nil {
		return v
	}
	return "" // null means nothing
}

// set writes a field in one of the file's mappings.
func (e *Expected) set(field, name string, v any) {
	if _, ok := child(e.root(), field); !ok {
		addField(e.root(), field, map[string]any{})
	}
	node, _ := child(e.root(), field)
	addField(node, name, v)
}

// Silent returns the policies and webhooks that did not run and that the expectation does not
// mention. A test passes without them, and must say so. A webhook that was not called must be
// mentioned wherever its response is assumed.
func (e *Expected) Silent(r *report.Report) []report.Unmatched {
	if e.says("notRun") != nil || e.says("outcome", "state") == string(report.StateNoPolicyRan) {
		return nil
	}
	named := map[string]bool{}
	if list, ok := child(e.root(), "steps"); ok {
		for _, step := range resolve(list).Content {
			for _, field := range []string{"policy", "webhook"} {
				if name, ok := child(resolve(step), field); ok {
					named[fmt.Sprint(plain(name))] = true
				}
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(r.NotRun), func(u report.Unmatched) bool {
		return named[u.Name] && (u.Step < 0 || !r.Steps[u.Step].AnswerAssumed())
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
