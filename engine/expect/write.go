package expect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/guard"
	"github.com/preadmit/preadmit/engine/report"
)

var reportType = reflect.TypeFor[report.Report]()

// Marker is the first line of a file from Of. Update rewrites such a file. Without that line it
// only corrects values.
const Marker = marked + "--update. Without this line, --update keeps your choice of fields."

// marked is how the line begins in every version.
const marked = "# Written by preadmit test "

// object is a mapping whose keys keep their order.
type object []field

type field struct {
	name  string
	value any // scalars, []any, map[string]any, object, []object
}

// add appends a field unless it is empty.
func (o *object) add(name string, v any) {
	if r := reflect.ValueOf(v); r.IsZero() || r.Kind() == reflect.Slice && r.Len() == 0 {
		return
	}
	*o = append(*o, field{name, v})
}

func (o *object) always(name string, v any) { *o = append(*o, field{name, v}) }

func (o object) node() *yaml.Node {
	out := &yaml.Node{Kind: yaml.MappingNode}
	for _, f := range o {
		var key yaml.Node
		key.SetString(f.name)
		out.Content = append(out.Content, &key, encode(f.value))
	}
	return out
}

func encode(v any) *yaml.Node {
	switch v := v.(type) {
	case object:
		return v.node()
	case []object:
		out := &yaml.Node{Kind: yaml.SequenceNode}
		for _, item := range v {
			out.Content = append(out.Content, item.node())
		}
		return out
	}
	out := &yaml.Node{}
	if err := out.Encode(v); err != nil {
		out.SetString(fmt.Sprint(v)) // JSON values can always be encoded
	}
	return out
}

// Of writes everything in a report that does not depend on Preadmit's wording: verdicts, server
// texts, results, costs, changes.
func Of(r *report.Report) *Expected {
	var o object
	if r.Request != nil {
		o.always("outcome", outcomeEntry(r.Outcome))
	}
	if r.Expression != nil {
		o.always("expression", evaluationEntry(*r.Expression))
	}
	if r.Rules != nil {
		o.always("rules", rulesEntry(r.Rules))
	}
	var install, diagnostics, steps []object
	for _, in := range r.Install {
		install = append(install, installEntry(in))
	}
	for _, d := range r.Diagnostics {
		diagnostics = append(diagnostics, diagnosticEntry(d))
	}
	for _, s := range r.Steps {
		steps = append(steps, stepEntry(s))
	}
	o.add("install", install)
	o.add("diagnostics", diagnostics)
	o.add("steps", steps)
	return &Expected{document: &yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{o.node()}, HeadComment: Marker}}
}

// YAML returns the file's text.
func (e *Expected) YAML() (_ []byte, err error) {
	defer guard.Error(&err)
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	nameNulls(e.document, false)
	if err := encoder.Encode(e.document); err != nil {
		return nil, fmt.Errorf("writing %s: %w", FileName, err)
	}
	if err := encoder.Close(); err != nil {
		return nil, fmt.Errorf("writing %s: %w", FileName, err)
	}
	return b.Bytes(), nil
}

// nameNulls writes null for a key without a value in a one-line mapping or list. The encoder would
// write an empty string.
func nameNulls(n *yaml.Node, inFlow bool) {
	if n == nil {
		return
	}
	if inFlow && n.Kind == yaml.ScalarNode && n.Tag == "!!null" && n.Value == "" {
		n.Value = "null"
	}
	for _, child := range n.Content {
		nameNulls(child, inFlow || n.Style&yaml.FlowStyle != 0)
	}
}

// Update makes an expectation match a report. It rewrites an empty text, or one from Of. Otherwise
// it replaces the values that differ, and keeps the author's selection, order and comments.
func Update(text []byte, r *report.Report) (_ []byte, err error) {
	defer guard.Error(&err)
	if trimmed := strings.TrimSpace(string(text)); trimmed == "" || strings.HasPrefix(trimmed, marked) {
		return Of(r).YAML()
	}
	e, err := Parse(text)
	if err != nil {
		return nil, err
	}
	differences, err := Compare(e, r)
	if err != nil {
		return nil, err
	}
	if len(differences) == 0 {
		return text, nil
	}
	for _, d := range differences {
		d.edit()
	}
	return e.YAML()
}

func rulesEntry(r *report.Rules) object {
	var o object
	o.always("state", string(r.State))
	o.add("operation", r.Operation)
	o.add("messages", r.Messages)
	o.add("warnings", r.Warnings)
	var validations, costs []object
	for _, v := range r.Validations {
		validations = append(validations, validationEntry(v))
	}
	for _, c := range r.Costs {
		costs = append(costs, object{{"path", c.Path}, {"max", c.Max}})
	}
	o.add("validations", validations)
	o.add("costs", costs)
	return o
}

func outcomeEntry(a report.Outcome) object {
	var o object
	switch a.State {
	case report.StateDenied, report.StateMutated, report.StateAdmitted: // the other fields say it
	default:
		o.add("state", string(a.State))
	}
	o.always("allowed", a.Allowed)
	o.always("code", a.Code)
	o.add("reason", a.Reason)
	o.add("message", a.Message)
	o.add("warnings", a.Warnings)
	if len(a.AuditAnnotations) > 0 {
		o.add("auditAnnotations", a.AuditAnnotations)
	}
	o.always("mutated", a.Mutated)
	o.add("patch", patchEntry(a.Patch))
	return o
}

func patchEntry(patch []report.PatchOperation) []object {
	var out []object
	for _, op := range patch {
		o := object{{"op", op.Op}, {"path", op.Path}}
		o.add("from", op.From)
		if op.Op == "add" || op.Op == "replace" || op.Op == "test" {
			o.always("value", op.Value)
		}
		out = append(out, o)
	}
	return out
}

func installEntry(in report.Install) object {
	o := object{{"kind", in.Kind}, {"name", in.Name}}
	o.add("code", in.Code)
	o.add("message", in.Message)
	o.add("warnings", in.Warnings)
	return o
}

func diagnosticEntry(d diag.Diagnostic) object {
	o := object{{"code", d.Code}, {"severity", string(d.Severity)}, {"text", string(d.Text)}}
	o.add("line", d.Line)
	o.add("path", d.Path)
	return o
}

func stepEntry(s report.Step) object {
	o := verdictEntry(&s)
	o.add("called", s.Called)
	o.add("error", s.Error)
	o.add("conditions", named(s.Conditions))
	o.add("variables", variables(s.Variables))
	var mutations, validations []object
	for _, m := range s.Mutations {
		e := object{{"patchType", m.PatchType}}
		e = append(e, evaluationEntry(m.Evaluation)...)
		e.add("applied", m.Applied)
		e.add("variables", named(m.Variables))
		mutations = append(mutations, e)
	}
	for _, v := range s.Validations {
		validations = append(validations, validationEntry(v))
	}
	o.add("mutations", mutations)
	o.add("validations", validations)
	o.add("auditAnnotations", named(s.AuditAnnotations))
	return o
}

func validationEntry(v report.Validation) object {
	e := evaluationEntry(v.Evaluation)
	e.add("decision", string(v.Decision))
	e.add("message", v.Message)
	return e
}

func named(list []report.Evaluation) []object {
	var out []object
	for _, e := range list {
		out = append(out, append(object{{"name", e.Name}}, evaluationEntry(e)...))
	}
	return out
}

// variables are written with the pass that computed them, because each pass has its own.
func variables(list []report.Evaluation) []object {
	var out []object
	for _, e := range list {
		out = append(out, append(object{{"name", e.Name}, {"list", string(e.List)}}, evaluationEntry(e)...))
	}
	return out
}

// maxResult limits the written results, in bytes of JSON.
const maxResult = 200

// evaluationEntry writes one evaluation: its cost and, unless large, its result.
func evaluationEntry(e report.Evaluation) object {
	var o object
	if raw, err := json.Marshal(e.Result); err == nil && e.Result != nil && len(raw) <= maxResult {
		o.always("result", e.Result)
	}
	o.add("error", e.Error)
	o.always("cost", e.Cost)
	return o
}
