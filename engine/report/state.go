package report

// StepState is a step's result in a reader's words.
type StepState string

// The states of a step.
const (
	StepNotMatched StepState = "not matched"   // rules or selectors do not match the request
	StepExcluded   StepState = "excluded"      // by a match condition
	StepSkipped    StepState = "skipped"       // not run again in the second pass, or no binding
	StepNotCalled  StepState = "not called"    // a webhook that matched but is not called
	StepDenied     StepState = "denied"        // it denied the request, by a decision or an error
	StepFailed     StepState = "error ignored" // an error that did not deny (failurePolicy Ignore)
	StepMutated    StepState = "mutated"       // it changed the object
	StepWarned     StepState = "warned"        // it adds a warning
	StepAudited    StepState = "audited"       // it only adds to the audit log
	StepUnchanged  StepState = "unchanged"     // it could have changed the object and did not
	StepAdmitted   StepState = "admitted"
)

// State returns the step's result.
func (s *Step) State() StepState {
	if s.Verdict == Deny {
		return StepDenied
	}
	switch s.Status {
	case NotMatched:
		return StepNotMatched
	case Excluded:
		return StepExcluded
	case Skipped:
		return StepSkipped
	case NotCalled:
		return StepNotCalled
	case Errored:
		return StepFailed
	}
	switch s.Verdict {
	case Mutate:
		return StepMutated
	case Warn:
		return StepWarned
	case Audit:
		return StepAudited
	}
	if len(s.Mutations) > 0 || s.Kind == "MutatingWebhookConfiguration" {
		return StepUnchanged
	}
	return StepAdmitted
}

// Undenied says why a policy with a failed validation did not deny the request: its binding only warns
// or audits. It is empty for other steps.
func (s *Step) Undenied() string {
	if s.Binding == "" || s.State() != StepWarned && s.State() != StepAudited {
		return ""
	}
	return "a validation failed, but the binding " + s.Binding + " does not have the action Deny"
}

// Ran reports whether the policy or webhook ran for the request: it matched,
// no condition excluded it, and it was evaluated or called.
func (s *Step) Ran() bool { return s.Status == Evaluated || s.Status == Errored }
