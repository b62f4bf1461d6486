package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/cel/common"

	"github.com/preadmit/preadmit/engine/internal/cel/adapt"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// Visit is one evaluation of one rule.
type Visit struct {
	Validator *Validator
	// Index is the rule's place among those of the node.
	Index int
	// At is the value that the rule was asked about; nil for the whole object.
	At *field.Path
	// Skipped says that a transition rule was not asked, because there is no
	// value from before to compare with.
	Skipped bool
	// Result is the evaluation; Message that of the messageExpression, when it
	// was needed.
	Result  eval.Result
	Message *eval.Result
	// Error is what the server makes of it; nil when the rule holds. Ratcheted
	// says that it is only a warning, because the value is as it was before.
	Error     *field.Error
	Ratcheted bool
}

// Run is one validation of one object.
type Run struct {
	Evaluator *eval.Evaluator
	// Budget is what all evaluations together may cost, in CEL cost units. It is
	// negative once it is broken: nothing runs after that.
	Budget int64
	// Errors are those of the server, in the order of the schema.
	Errors field.ErrorList
	// Warnings are errors about values that were the same before an update.
	Warnings []string
	// Observe is called for every evaluation; nil when nothing watches.
	Observe func(Visit)
	// Only is the one rule that is asked; nil asks all.
	Only *Rule
}

// OutOfBudget is the server's text when the object's budget is used up.
const OutOfBudget = eval.OutOfBudget

// Validate runs the rules on an object. old is the object before an update, and
// correlated finds in it what belongs to a value; both are nil for a new object.
func (r *Run) Validate(v *Validator, path *field.Path, object, old any, correlated *common.CorrelatedObject) {
	r.value(v, path, object, old, ratcheting{current: correlated})
}

// ratcheting says with what a value is compared: with its own value from before
// or, where that cannot be found, with that of what is around it.
type ratcheting struct{ current, parent *common.CorrelatedObject }

// same reports whether the value is as it was before.
func (r ratcheting) same() bool {
	if r.current != nil {
		return r.current.CachedDeepEqual()
	}
	return r.parent.CachedDeepEqual()
}

func (r ratcheting) key(name string) ratcheting {
	switch {
	case r.current == nil:
		return r
	case r.parent == nil && (name == "apiVersion" || name == "kind"):
		return ratcheting{} // both objects are of the same version here
	}
	return ratcheting{current: r.current.Key(name), parent: r.current}
}

func (r ratcheting) index(i int) ratcheting {
	if r.current == nil {
		return r
	}
	return ratcheting{current: r.current.Index(i), parent: r.current}
}

func (r *Run) value(v *Validator, path *field.Path, object, old any, with ratcheting) {
	if v == nil || object == nil {
		return
	}
	r.rules(v, path, object, old, with)
	switch object := object.(type) {
	case []any:
		before, _ := old.([]any)
		r.list(v, path, object, before, with)
	case map[string]any:
		before, _ := old.(map[string]any)
		r.object(v, path, object, before, with)
	}
}

func (r *Run) list(v *Validator, path *field.Path, list, old []any, with ratcheting) {
	if v.items == nil {
		return
	}
	// Only the items of lists that are maps have a value from before.
	before := common.MakeMapList(v.schema, old)
	for i, item := range list {
		if r.Budget < 0 {
			return
		}
		r.value(v.items, path.Index(i), item, before.Get(item), with.index(i))
	}
}

func (r *Run) object(v *Validator, path *field.Path, object, old map[string]any, with ratcheting) {
	correlatable := v.Node.XMapType == nil || *v.Node.XMapType == "granular" || *v.Node.XMapType == "atomic"
	before := func(name string) any {
		if !correlatable {
			return nil
		}
		return old[name]
	}
	if v.additional != nil {
		for _, name := range slices.Sorted(maps.Keys(object)) {
			if r.Budget < 0 {
				return
			}
			r.value(v.additional, path.Key(name), object[name], before(name), with.key(name))
		}
	}
	for _, name := range v.order {
		if r.Budget < 0 {
			return
		}
		if value, ok := object[name]; ok {
			r.value(v.properties[name], path.Child(name), value, before(name), with.key(name))
		}
	}
}

// rules asks the rules of one node about one value.
func (r *Run) rules(v *Validator, path *field.Path, object, old any, with ratcheting) {
	if r.Budget < 0 {
		return
	}
	if v.err != nil {
		r.fail(field.Invalid(path, v.Node.Type, fmt.Sprintf("rule compiler initialization error: %v", v.err)))
		return
	}
	if len(v.Rules) == 0 {
		return
	}
	if r.Budget == 0 {
		r.abort(field.Invalid(path, v.Node.Type, OutOfBudget))
		return
	}
	plain, optional := v.activations(object, present(old))
	for i := range v.Rules {
		rule := &v.Rules[i]
		if r.Only != nil && r.Only != rule {
			continue
		}
		visit := Visit{Validator: v, Index: i, At: path}
		if rule.Err != "" {
			visit.Error = field.Invalid(path, v.Node.Type, "rule compile error: "+rule.Err)
			r.fail(visit.Error)
			r.observe(visit)
			continue
		}
		if rule.Compiled == nil {
			continue
		}
		vars := plain
		if rule.OptionalOldSelf != nil && *rule.OptionalOldSelf {
			vars = optional
		} else if rule.UsesOldSelf && present(old) == nil {
			visit.Skipped = true
			r.observe(visit)
			continue
		}
		r.rule(rule, &visit, vars, plain, object, with)
		r.observe(visit)
		if r.Budget < 0 {
			return
		}
	}
}

func (r *Run) observe(v Visit) {
	if r.Observe != nil {
		r.Observe(v)
	}
}

func (r *Run) fail(err *field.Error) { r.Errors = append(r.Errors, err) }

// abort ends the run: nothing is evaluated any more.
func (r *Run) abort(err *field.Error) {
	r.fail(err)
	r.Budget = -1
}

// present guards against an empty map or list behind an interface.
func present(old any) any {
	switch old := old.(type) {
	case map[string]any:
		if old == nil {
			return nil
		}
	case []any:
		if old == nil {
			return nil
		}
	}
	return old
}

// rule evaluates one rule over vars and makes an error of the result. The
// messageExpression sees plain, also where oldSelf is optional for the rule: the
// server does so.
func (r *Run) rule(rule *Rule, visit *Visit, vars, plain interpreter.Activation, object any, with ratcheting) {
	node := visit.Validator.Node
	visit.Result = r.Evaluator.Evaluate(rule.Compiled, vars)
	if visit.Result.Cost > r.Budget {
		visit.Error = field.Invalid(visit.At, node.Type, OutOfBudget)
		r.abort(visit.Error)
		return
	}
	r.Budget -= visit.Result.Cost
	if err := visit.Result.CELErr; err != "" {
		r.failed(rule, visit, err)
		return
	}
	if visit.Result.Value == types.True {
		return
	}
	at := visit.At
	if rule.At != "" {
		at = at.Child(rule.At)
	}
	text, fatal := "", false
	if rule.CompiledMessage != nil {
		if text, fatal = r.message(rule, visit, plain); fatal {
			visit.Error = field.Invalid(at, node.Type, text)
			r.refuse(rule, visit, with)
			r.Budget = -1
			return
		}
	}
	if text == "" {
		text = fallbackMessage(rule)
	}
	visit.Error = byReason(at, visit.Validator.shown(object), text, rule.Reason)
	r.refuse(rule, visit, with)
}

// refuse adds the error of a rule, as a warning where the value is as it was
// before. A transition rule is about the change, so it is never a warning.
func (r *Run) refuse(rule *Rule, visit *Visit, with ratcheting) {
	if !rule.UsesOldSelf && with.same() {
		visit.Ratcheted = true
		r.Warnings = append(r.Warnings, visit.Error.Error())
		return
	}
	r.fail(visit.Error)
}

// failed is for a rule that ended with an error.
func (r *Run) failed(rule *Rule, visit *Visit, err string) {
	kind, text := visit.Validator.Node.Type, shownRule(rule)
	switch {
	case strings.HasPrefix(err, "no such overload"):
		visit.Error = field.Invalid(visit.At, kind, fmt.Sprintf("'%s': call arguments did not match a supported operator, function or macro signature for rule: %s", err, text))
	case strings.HasPrefix(err, "operation cancelled: actual cost limit exceeded"):
		visit.Error = field.Invalid(visit.At, kind, fmt.Sprintf("'%s': no further validation rules will be run due to call cost exceeds limit for rule: %s", err, text))
		r.abort(visit.Error)
		return
	default:
		visit.Error = field.Invalid(visit.At, kind, fmt.Sprintf("%s evaluating rule: %s", err, text))
	}
	r.fail(visit.Error)
}

// shown is the value that the error of a failed rule shows.
func (v *Validator) shown(object any) any {
	if !v.version.Has(version.RuleErrorsShowValue) {
		return v.Node.Type
	}
	if v.Node.Type == "object" || v.Node.Type == "array" {
		return field.OmitValueType{}
	}
	return object
}

func byReason(path *field.Path, value any, text string, reason *v1.FieldValueErrorReason) *field.Error {
	if reason != nil {
		switch *reason {
		case v1.FieldValueForbidden:
			return field.Forbidden(path, text)
		case v1.FieldValueRequired:
			return field.Required(path, text)
		case v1.FieldValueDuplicate:
			return field.Duplicate(path, value)
		}
	}
	return field.Invalid(path, value, text)
}

// message evaluates a messageExpression. fatal says that the text is about a
// broken limit, after which nothing runs. A result that cannot be used gives
// nothing.
func (r *Run) message(rule *Rule, visit *Visit, vars interpreter.Activation) (text string, fatal bool) {
	result := r.Evaluator.Evaluate(rule.CompiledMessage, vars)
	visit.Message = &result
	if result.Cost > r.Budget {
		return "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run", true
	}
	if strings.HasPrefix(result.CELErr, "operation cancelled: actual cost limit exceeded") {
		return fmt.Sprintf("no further validation rules will be run due to call cost exceeds limit for messageExpression: %q", rule.MessageExpression), true
	}
	r.Budget -= result.Cost
	text, _ = eval.MessageText(result)
	return text, false
}

func fallbackMessage(rule *Rule) string {
	if rule.ValidationRule.Message == "" {
		return "failed rule: " + strings.TrimSpace(rule.Rule)
	}
	return strings.TrimSpace(rule.ValidationRule.Message)
}

// shownRule is how errors name a rule.
func shownRule(rule *Rule) string {
	if rule.ValidationRule.Message != "" {
		return strings.TrimSpace(rule.ValidationRule.Message)
	}
	return strings.TrimSpace(rule.Rule)
}

// variables resolves self and oldSelf. It implements interpreter.Activation.
type variables struct {
	self, oldSelf ref.Val
	hasOldSelf    bool
}

// activations are the variables, and those of rules whose oldSelf is optional.
func (v *Validator) activations(object, old any) (plain, optional *variables) {
	plain = &variables{self: valueOf(object, v.schema, v.version)}
	optional = &variables{self: plain.self, oldSelf: types.OptionalNone, hasOldSelf: true}
	if old != nil {
		plain.oldSelf, plain.hasOldSelf = valueOf(old, v.schema, v.version), true
		held := plain.oldSelf
		if !v.version.Has(version.TypedOptionals) {
			held = adapt.Default.NativeToValue(held.Value())
		}
		optional.oldSelf = types.OptionalOf(held)
	}
	return plain, optional
}

func (a *variables) ResolveName(name string) (any, bool) {
	switch name {
	case eval.SelfVarName:
		return a.self, true
	case eval.OldSelfVarName:
		return a.oldSelf, a.hasOldSelf
	}
	return nil, false
}

func (a *variables) Parent() interpreter.Activation { return nil }
