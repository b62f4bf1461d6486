package report

// List is a list of expressions evaluated together: they share variables' values and a budget.
type List string

// The lists of policies, webhooks and CustomResourceDefinitions.
const (
	ConditionsList       List = "conditions"
	ValidationsList      List = "validations"
	MessagesList         List = "messages"
	AuditAnnotationsList List = "auditAnnotations"
	MutationList         List = "mutation" // one mutation with its variables
	RulesList            List = "rules"    // a custom resource's rules, all together
)

// Scope says what a cost limit applies to.
type Scope string

// The scopes of budgets (semantics §2).
const (
	CallScope             Scope = "call" // every single expression
	MatchConditionsScope  Scope = "matchConditions"
	ValidationsScope      Scope = "validations" // with their messages
	AuditAnnotationsScope Scope = "auditAnnotations"
	MutationScope         Scope = "mutation" // each mutation has its own
	RulesScope            Scope = "rules"
)
