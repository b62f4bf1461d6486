package report

import (
	"fmt"

	"github.com/preadmit/preadmit/engine/diag"
)

// Rules is the result of schema rules that are tried without a definition.
type Rules struct {
	// State is valid, invalid or refused; undecided without a value.
	State RulesState `json:"state"`
	// Reason says the same in one sentence.
	Reason string `json:"reason"`
	// Operation is CREATE, or UPDATE where there is an old value; empty without a value.
	Operation string `json:"operation,omitempty"`
	// Messages are the server's errors, about the schema where it is rejected, else about
	// the value. Fields of a value begin with self.
	Messages []string `json:"messages,omitempty"`
	// Warnings are the server's, as about rules that an unchanged value breaks.
	Warnings []string `json:"warnings,omitempty"`
	// Validations has each evaluation of a rule, and the rules that were not evaluated.
	Validations []Validation `json:"validations,omitempty"`
	// Costs are the estimates by which the server takes or rejects the rules, in the
	// order of the schema.
	Costs []RuleCost `json:"costs,omitempty"`
	// Budget is the part of an object's budget that the evaluations used; absent if none
	// ran.
	Budget *Budget `json:"budget,omitempty"`
	Notes  []Note  `json:"notes,omitempty"` // rules that explain the result
}

// RulesState is the verdict on a schema and its value.
type RulesState string

// The states.
const (
	RulesValid     RulesState = "valid"     // the server accepts the value
	RulesInvalid   RulesState = "invalid"   // it rejects the value
	RulesRefused   RulesState = "refused"   // it rejects the schema
	RulesUndecided RulesState = "undecided" // it accepts the schema, and there is no value
)

// RuleCost is the highest cost of a rule, of its messageExpression, or of a whole schema.
// It uses the schema's sizes and the largest number of evaluations.
type RuleCost struct {
	// Path is that of the expression; schema for all together.
	Path string `json:"path"`
	// Text and Span are its place.
	Text diag.Text `json:"text"`
	Span diag.Span `json:"span"`
	// Max is in CEL cost units; the largest integer when it is higher than that.
	Max int64 `json:"max"`
	// Limit is that above which the server rejects the schema.
	Limit int64 `json:"limit"`
	// Exceeded says that Max is higher.
	Exceeded bool `json:"exceeded,omitempty"`
	// Rules is how many expressions a total has; 0 for one of them.
	Rules int `json:"rules,omitempty"`
}

// Words compares the estimate with its limit.
func (c RuleCost) Words() string {
	switch factor := float64(c.Max) / float64(c.Limit); {
	case factor > 100:
		return fmt.Sprintf("more than 100x of %s, too much", Number(c.Limit))
	case c.Exceeded:
		return fmt.Sprintf("%s of %s, too much", Number(c.Max), Number(c.Limit))
	}
	return Number(c.Max) + " of " + Number(c.Limit)
}

// Evaluations calls f with each evaluation, messages included.
func (r *Rules) Evaluations(f func(*Evaluation)) {
	for i := range r.Validations {
		f(&r.Validations[i].Evaluation)
		if m := r.Validations[i].MessageExpression; m != nil {
			f(m)
		}
	}
}

// Cost is the estimate for the expression at a path; nil where there is none.
func (r *Rules) Cost(path string) *RuleCost {
	for i := range r.Costs {
		if r.Costs[i].Path == path {
			return &r.Costs[i]
		}
	}
	return nil
}
