package customresource

import (
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/explain"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/cel/rules"
	"github.com/preadmit/preadmit/engine/internal/kube/crd"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// maxShown is how many evaluations of rules a step shows that hold; those that
// fail are all shown.
const maxShown = 100

// Validate checks the object of a request and adds the step that says how. It
// returns the server's rejection, or nil, and the step.
func Validate(c *run.Chain, r *Resource) (*apierrors.StatusError, *report.Step) {
	a := &c.Attributes
	step := c.AddStep(report.Step{Phase: report.Validating, Kind: crd.Kind, Policy: r.Definition.Name, Status: report.Evaluated})
	c.Enter(step)
	if r.Document != nil {
		step.Text, step.Span = r.Document.Text, r.Document.Span
	}
	s := &stage{Chain: c, resource: r, step: step, reported: map[string]bool{}}
	var result Result
	name := ""
	switch {
	case a.SubResource == "scale":
		result, name = s.scale()
	case a.Operation == "CREATE" || a.OldObject == nil:
		result, name = r.Create(c.Evaluator, a.Object, s.visit), untyped.At[string](a.Object, "metadata", "name")
	case a.SubResource == "status":
		object := runtime.DeepCopyJSON(a.Object)
		result, name = r.UpdateStatus(c.Evaluator, object, a.OldObject, s.visit), untyped.At[string](object, "metadata", "name")
	default:
		object := runtime.DeepCopyJSON(a.Object)
		result, name = r.Update(c.Evaluator, object, a.OldObject, s.visit), untyped.At[string](object, "metadata", "name")
	}
	return s.finish(result, name), step
}

// stage is the check of one request.
type stage struct {
	*run.Chain
	resource *Resource
	step     *report.Step
	// ran and failed count the evaluations of rules, hidden those that hold and
	// are not shown.
	ran, failed, hidden int
	reported            map[string]bool // transition rules that were not run
}

// visit describes one evaluation of a rule.
func (s *stage) visit(v rules.Visit) {
	rule := &v.Validator.Rules[v.Index]
	at := "the object"
	if v.At != nil {
		at = v.At.String()
	}
	source := explain.Source{Document: s.resource.Document, Path: s.resource.RulePath(v.Validator, v.Index, "rule"), Name: at}
	if v.Skipped {
		if !s.reported[source.Path] {
			s.reported[source.Path] = true
			e := explain.Untouched(source, rule.Rule, model.CustomRule.List)
			e.Notes = append(e.Notes, report.Note{Code: codes.TransitionRuleNotRun,
				Text: "A rule that reads oldSelf runs only where an old value exists: not on creation, and not for new values."})
			s.step.Validations = append(s.step.Validations, report.Validation{Evaluation: e})
		}
		return
	}
	s.ran++
	if v.Error == nil && s.ran > maxShown {
		s.hidden++
		return
	}
	shown := report.Validation{Decision: report.Admit}
	if v.Result.Compiled != nil {
		shown.Evaluation = explain.Evaluation(source, v.Result, model.CustomRule.List)
	} else {
		shown.Evaluation = explain.Untouched(source, rule.Rule, model.CustomRule.List)
		shown.Error = rule.Err
	}
	if v.Error != nil {
		shown.Decision, shown.Message, shown.Reason = report.Deny, crd.ErrorText(v.Error, s.Version), string(v.Error.Type)
		if v.Ratcheted {
			shown.Decision = report.Warn
		} else {
			s.failed++
		}
	}
	if v.Message != nil {
		m := explain.Evaluation(explain.Source{Document: s.resource.Document, Path: s.resource.RulePath(v.Validator, v.Index, "messageExpression"), Name: at}, *v.Message, model.CustomRuleMessage.List)
		if _, why := eval.MessageText(*v.Message); why != "" {
			m.Notes = append(m.Notes, report.Note{Code: codes.MessageNotUsed,
				Text: "The server does not use this text: " + why + ". It uses the rule's message instead, or else the rule's text."})
		}
		shown.MessageExpression = &m
	}
	s.step.Validations = append(s.step.Validations, shown)
}

// finish writes the outcome of the step.
func (s *stage) finish(result Result, name string) *apierrors.StatusError {
	step := s.step
	for _, warning := range slices.Concat(result.Warnings, result.FinalizerWarnings) {
		step.Warnings = append(step.Warnings, warning)
		s.Warn(warning)
	}
	if s.hidden > 0 {
		s.Note(codes.MoreRuleEvaluations, fmt.Sprintf("%d more evaluations of rules that hold are not shown.", s.hidden))
	}
	if result.Blocked {
		s.Note(codes.RulesNotRun, "The server did not run the rules, because of a missing field, a wrong type, an unknown enum value, or a value that is too long.")
	}
	if s.RecordRules != nil && result.Asked != nil {
		s.RecordRules(*result.Asked)
	}
	if s.resource.rules != nil && !result.Blocked {
		s.AddBudget(s.step, report.Budget{Scope: model.CustomRule.Budget.Scope, Limit: model.CustomRule.Budget.Limit, Used: result.Used, Exceeded: result.Exceeded, Policy: s.resource.Definition.Name})
	}
	step.Verdict, step.Reason = report.Admit, s.reason(result)
	if len(result.Errors) == 0 {
		s.keeps()
		return nil
	}
	step.Verdict = report.Deny
	for _, err := range result.Errors {
		step.Messages = append(step.Messages, crd.ErrorText(err, s.Version))
	}
	kind := s.resource.Kind
	if given := s.Attributes.Object; s.Attributes.SubResource != "scale" && given != nil {
		u := unstructured.Unstructured{Object: given}
		kind = u.GroupVersionKind() // which is what may be wrong
	}
	return crd.Invalid(kind.GroupKind(), name, result.Errors, s.Version)
}

// reason says in one sentence what was found.
func (s *stage) reason(result Result) string {
	inMetadata, repeated := ofMetadata(result.Errors)
	errors := len(result.Errors) - s.failed - inMetadata - repeated
	var parts []string
	if inMetadata > 0 {
		parts = append(parts, report.Plural(inMetadata, "error")+" of the metadata")
	}
	switch {
	case result.Blocked:
		parts = append(parts, report.Plural(errors-1, "error")+" of the schema; the rules were not run")
	case errors > 0:
		parts = append(parts, report.Plural(errors, "error")+" of the schema")
	case inMetadata > 0:
	case len(result.Kept) > 0:
		parts = append(parts, "the schema rejects only values that stay as they were ("+kept(result.Kept)+")")
	default:
		parts = append(parts, "the object fits the schema")
	}
	if s.failed > 0 {
		parts = append(parts, report.Plural(s.failed, "rule fails", "rules fail"))
	} else if n := len(result.Warnings); n > 0 {
		parts = append(parts, report.Plural(n, "rule fails", "rules fail")+" on unchanged parts")
	} else if s.ran > 0 {
		parts = append(parts, "its rules hold")
	}
	text := strings.Join(parts, ", ")
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// kept names the fields of some errors.
func kept(errs field.ErrorList) string {
	const most = 3
	var fields []string
	for _, err := range errs {
		if !slices.Contains(fields, err.Field) {
			fields = append(fields, err.Field)
		}
	}
	text := strings.Join(fields[:min(len(fields), most)], ", ")
	if more := len(fields) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// ofMetadata counts the errors of the object's metadata, which no schema describes, and how often
// one of them is there again.
func ofMetadata(errors field.ErrorList) (different, repeated int) {
	seen := map[string]bool{}
	for _, err := range errors {
		if err.Field != "metadata" && !strings.HasPrefix(err.Field, "metadata.") {
			continue
		}
		if seen[err.Error()] {
			repeated++
			continue
		}
		seen[err.Error()] = true
		different++
	}
	return different, repeated
}
