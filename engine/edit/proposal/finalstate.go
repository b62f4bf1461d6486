package proposal

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

const validatingKind = "ValidatingAdmissionPolicy"

// FinalState is a ValidatingAdmissionPolicy that admits only objects in which the
// change has been made: other policies and webhooks may undo a mutation, and one
// whose failurePolicy is Ignore may not run. KEP-3962 recommends one beside each
// mutation.
type FinalState struct {
	// Verified says that the engine ran it: the object without the change is
	// rejected by it, the object that the proposed mutation makes is admitted.
	Verified bool `json:"verified"`
	// Policy is the policy with its binding, as YAML.
	Policy string `json:"policy"`
	// Reasons say what went wrong when it was tried.
	Reasons []string `json:"reasons,omitempty"`
	// Notes say what to know before using it.
	Notes []string `json:"notes,omitempty"`
}

// finalState writes the policy that goes with a mutation, which is a policy with
// its binding; nil when nothing of the change can be asked for.
func (p *proposer) finalState(mutation string) *FinalState {
	list, left := claims(p.kindType, p.before, p.target)
	if len(list) == 0 {
		return nil
	}
	var notes []string
	if len(left) > 0 {
		notes = append(notes, "It does not check "+strings.Join(left, ", ")+", which cannot be found in other objects.")
	}
	out := p.tryFinalState(p.validating(list, p.frame.validating), mutation)
	if !out.Verified && p.frame.unconditional != p.frame.validating {
		if other := p.tryFinalState(p.validating(list, p.frame.unconditional), mutation); other.Verified {
			out = other
			notes = append(notes, "The match conditions are left out: they concern the object before the change, and are false afterwards.")
		}
	}
	out.Notes = append(notes, out.Notes...)
	return out
}

// tryFinalState runs a policy alone, and beside the mutation.
func (p *proposer) tryFinalState(policy, mutation string) *FinalState {
	out := &FinalState{Policy: policy}
	alone, err := p.judged(policy)
	if err != nil {
		out.Reasons = append(out.Reasons, err.Error())
		return out
	}
	if len(alone.denied) == 0 {
		out.Reasons = append(out.Reasons, "the object without the change is not denied: "+alone.reason)
		return out
	}
	after, err := p.judged(mutation + "---\n" + policy)
	switch {
	case err != nil:
		out.Reasons = append(out.Reasons, err.Error())
	case len(after.denied) > 0:
		out.Reasons = append(out.Reasons, "the object with the change is denied: "+strings.Join(after.denied, "; "))
	case !after.ran:
		out.Reasons = append(out.Reasons, "the policy does not run on the object with the change: "+after.reason)
	default:
		out.Verified = true
	}
	return out
}

// judgement is what a validating policy said about the request.
type judgement struct {
	ran    bool
	denied []string // messages
	reason string   // of the step
}

// judged runs policies on the request and finds what the validating one says.
func (p *proposer) judged(policies string) (judgement, error) {
	var out judgement
	s := p.scenario
	s.Policies = policies
	r, err := engine.Evaluate(p.ctx, s, engine.Options{})
	if err != nil {
		return out, err
	}
	if message, refused := refusal(r); refused {
		return out, errors.New(message)
	}
	out.reason = "it is not called"
	if !r.Outcome.Allowed {
		out.reason = "something else denies it: " + r.Outcome.Message
	}
	for _, step := range r.Steps {
		if step.Kind != validatingKind {
			continue
		}
		out.reason, out.ran = step.Reason, step.Status == report.Evaluated
		if step.Error != "" {
			return out, errors.New(step.Error)
		}
		for _, v := range step.Validations {
			if v.Error != "" {
				return out, errors.New(v.Error)
			}
			if v.Decision == report.Deny {
				out.denied = append(out.denied, v.Message)
			}
		}
	}
	return out, nil
}

// refusal is the server's message for the first document that it rejects.
func refusal(r *report.Report) (message string, refused bool) {
	i := slices.IndexFunc(r.Install, func(in report.Install) bool { return in.Code != 0 })
	if i < 0 {
		return "", false
	}
	return r.Install[i].Message, true
}

// validating writes the policy and its binding.
func (p *proposer) validating(list []claim, frame string) string {
	api := "admissionregistration.k8s.io/" + version.NewestAPI(validatingKind, p.version)
	var b strings.Builder
	fmt.Fprintf(&b, "apiVersion: %s\nkind: %s\nmetadata:\n  name: %s\nspec:\n%s  validations:\n", api, validatingKind, p.frame.name, indented(frame, "  "))
	for _, c := range list {
		fmt.Fprintf(&b, "  - expression: |-\n%s\n    message: %s\n", indented(broken(c), "      "), quotedYAML(c.message()))
	}
	fmt.Fprintf(&b, "---\napiVersion: %s\nkind: %sBinding\nmetadata:\n  name: %[3]s\nspec:\n  policyName: %[3]s\n  validationActions: [Deny]\n", api, validatingKind, p.frame.name)
	return b.String()
}

// lineWidth is how long an expression may be on one line.
const lineWidth = 100

// broken is a claim, one condition a line where it is long.
func broken(c claim) string {
	text := c.expression()
	if len(text) <= lineWidth || c.removed {
		return text
	}
	return strings.Join(c.conditions, " &&\n")
}

// quotedYAML is a text as YAML reads it back, on one line: in single quotes, which
// need no escapes, unless it has what does not print.
func quotedYAML(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err) // a text is always JSON
	}
	return string(raw)
}

// forValidation is a frame's mapping for a validating policy: without what only
// mutating policies have, and without operations that have no object to ask.
func forValidation(spec map[string]any) map[string]any {
	out := runtime.DeepCopyJSON(spec)
	delete(out, "reinvocationPolicy")
	out["failurePolicy"] = "Fail"
	constraints, _ := out["matchConstraints"].(map[string]any)
	rules, _ := constraints["resourceRules"].([]any)
	for _, r := range rules {
		rule, _ := r.(map[string]any)
		operations, _ := rule["operations"].([]any)
		if slices.Contains(operations, any("*")) {
			rule["operations"] = []any{"CREATE", "UPDATE"}
			continue
		}
		rule["operations"] = slices.DeleteFunc(operations, func(o any) bool { return o == "DELETE" || o == "CONNECT" })
	}
	constraints["resourceRules"] = slices.DeleteFunc(rules, func(r any) bool {
		rule, _ := r.(map[string]any)
		operations, _ := rule["operations"].([]any)
		return len(operations) == 0
	})
	return out
}

// yamlOf writes fields in the order of the API's documentation.
func yamlOf(spec map[string]any) (string, error) {
	var b strings.Builder
	for _, name := range []string{"matchConstraints", "matchConditions", "failurePolicy", "reinvocationPolicy"} {
		if spec[name] == nil {
			continue
		}
		raw, err := scenario.YAML(map[string]any{name: spec[name]})
		if err != nil {
			return "", fmt.Errorf("writing %s: %w", name, err)
		}
		b.Write(raw)
	}
	return b.String(), nil
}
