package expect

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/preadmit/preadmit/engine/report"
)

// Verdict writes a report's verdict and the result of each policy and webhook, without expressions
// and costs: what should not change while a policy is rewritten. [Of] writes everything. Verdict
// also writes what must not pass silently: a rejected document or an error in a text.
func Verdict(r *report.Report) *Expected {
	var o object
	if r.Request != nil {
		o.always("outcome", outcomeEntry(r.Outcome))
	}
	var install, diagnostics, steps []object
	refused := map[string]bool{}
	for _, in := range r.Install {
		if in.Code != 0 {
			refused[in.Kind+"/"+in.Name] = true
			install = append(install, installEntry(in))
		}
	}
	for _, d := range r.Diagnostics {
		if d.Wrong() && !refused[d.Document] {
			diagnostics = append(diagnostics, object{{"code", d.Code}, {"text", string(d.Text)}})
		}
	}
	for i := range r.Steps {
		if r.Steps[i].Ran() || r.Outcome.State == report.StateNoPolicyRan {
			steps = append(steps, verdictEntry(&r.Steps[i]))
		}
	}
	o.add("install", install)
	o.add("diagnostics", diagnostics)
	o.add("steps", steps)
	return &Expected{document: &yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{o.node()}}}
}

// verdictEntry names a step and its effect on the request.
func verdictEntry(s *report.Step) object {
	var o object
	if s.Phase == report.Mutating {
		o.add("pass", s.Pass)
	}
	o.add("policy", s.Policy)
	o.add("binding", s.Binding)
	o.add("param", s.Param)
	o.add("configuration", s.Configuration)
	o.add("webhook", s.Webhook)
	o.always("status", string(s.Status))
	o.add("verdict", string(s.Verdict))
	return o
}

// Shown is a value of a [Difference] on one line of JSON; "nothing" for nil.
func Shown(v any) string {
	if v == nil {
		return "nothing"
	}
	text, err := report.JSON(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return text
}
