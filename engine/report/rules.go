package report

import (
	"fmt"

	"github.com/preadmit/preadmit/engine/diag"
)

// Rules is the result of schema rules without a definition.
type Rules struct {
	// State is valid, invalid or refused; undecided without a value.
	State RulesState `json:"state"`
	// Reason says the same in one sentence.
	Reason string `json:"reason"`
	// Operation is CREATE, or UPDATE with an old value; empty without a value.
	Operation string `json:"operation,omitempty"`
	// Messages are the server's errors about the schema, if it is rejected, or else about the
	// value. The value's fields begin with self.
	Messages []string `json:"messages,omitempty"`
	// Warnings are the server's warnings, such as those about rules that an unchanged value
	// violates.
	Warnings []string `json:"warnings,omitempty"`
	// Validations has each evaluation of a rule, and the rules that were not evaluated.
	Validations []Validation `json:"validations,omitempty"`
	// Costs are the estimates by which the server accepts or rejects the rules, in schema order.
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
	// Path is the expression's path; schema for the total.
	Path string `json:"path"`
	// Text and Span are its place.
	Text diag.Text `json:"text"`
	Span diag.Span `json:"span"`
	// Max is in CEL cost units; the largest integer if it overflows.
	Max int64 `json:"max"`
	// Limit is the highest cost that the server accepts.
	Limit int64 `json:"limit"`
	// Exceeded says that Max is above Limit.
	Exceeded bool `json:"exceeded,omitempty"`
	// Rules is the number of expressions in a total; 0 for a single one.
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

// Evaluations calls f for each evaluation, including messages.
func (r *Rules) Evaluations(f func(*Evaluation)) {
	for i := range r.Validations {
		f(&r.Validations[i].Evaluation)
		if m := r.Validations[i].MessageExpression; m != nil {
			f(m)
		}
	}
}

// Cost returns the estimate for the expression at a path, or nil.
func (r *Rules) Cost(path string) *RuleCost {
	for i := range r.Costs {
		if r.Costs[i].Path == path {
			return &r.Costs[i]
		}
	}
	return nil
}
