// Package wire is what the differential test and its reference say to each
// other: one Case per line in, one Answer per line out, both as JSON.
//
// They are two processes because they cannot be one binary: the engine is
// built with k8s.io/apiserver 0.37, and the reference with the packages of a
// Kubernetes release whose k8s.io/kubernetes can be had, and a Go build holds
// only one version of a module. This module depends on nothing, so that both
// may import it.
package wire

// Case is one scenario.
type Case struct {
	ID string `json:"id"`
	// Policies, Request and Cluster are the texts of the scenario.
	Policies string `json:"policies"`
	Request  string `json:"request"`
	Cluster  string `json:"cluster"`
	// Set and Remove are what storage changes between the mutating and the
	// validating phase, by JSON pointer.
	Set    map[string]any `json:"set,omitempty"`
	Remove []string       `json:"remove,omitempty"`
	// Defaulting asks for the defaults of the request's objects, as when they come
	// from a client; without it they are taken as they are.
	Defaulting bool `json:"defaulting,omitempty"`
	// Plugins asks the reference to run the API server's own plugins a second
	// time from their constructors, with nothing recorded, and to say where
	// the two runs differ (Answer.PluginDifference).
	Plugins bool `json:"plugins,omitempty"`
	// Webhooks asks for the whole chain: the webhook plugins beside the policy
	// plugins, with a server that answers as the WebhookResponse documents of
	// the cluster text say.
	Webhooks bool `json:"webhooks,omitempty"`
	// Served says that webhooks whose URL is a loopback address are servers of the
	// caller's, which are called there.
	Served bool `json:"served,omitempty"`
	// PodSecurity is the PodSecurityConfiguration that the server is started with, for the
	// built-in plugins.
	PodSecurity string `json:"podSecurity,omitempty"`
	// Quotas is its ResourceQuotaConfiguration.
	Quotas string `json:"quotas,omitempty"`
}

// Answer is what the API server's packages say to a Case.
type Answer struct {
	ID string `json:"id"`
	// Error says why there is no answer: the reference could not set the
	// scenario up.
	Error string `json:"error,omitempty"`

	Install []Install `json:"install,omitempty"`

	Allowed          bool              `json:"allowed"`
	Code             int               `json:"code"`
	Reason           string            `json:"reason,omitempty"`
	Message          string            `json:"message,omitempty"`
	Causes           []string          `json:"causes,omitempty"`
	Details          Details           `json:"details,omitzero"` // of the status, without the causes
	Warnings         []string          `json:"warnings,omitempty"`
	AuditAnnotations map[string]string `json:"auditAnnotations,omitempty"`
	// Object is the object after the mutating phase and what storage adds, in
	// the version of the request.
	Object map[string]any `json:"object,omitempty"`
	// Runs are the lists of expressions in the order of their evaluation.
	Runs []Run `json:"runs,omitempty"`
	// PluginDifference is not empty when the constructors of the plugins gave
	// another answer than the recorded run.
	PluginDifference string `json:"pluginDifference,omitempty"`
	// Calls are the calls of webhooks in the order of their arrival
	// (Case.Webhooks).
	Calls []Call `json:"calls,omitempty"`
}

// Details are what a status says about its object.
type Details struct {
	Name  string `json:"name,omitempty"`
	Group string `json:"group,omitempty"`
	Kind  string `json:"kind,omitempty"`
	UID   string `json:"uid,omitempty"`
}

// Call is what a webhook was sent.
type Call struct {
	Webhook string `json:"webhook"`
	// UID is that of the review. Calls with the same one are repetitions of one call
	// (Retry-After).
	UID string `json:"uid"`
	// Mutating says that a mutating webhook was called.
	Mutating bool `json:"mutating,omitempty"`
	// Review is the whole AdmissionReview but for the uid of its request, which is UID.
	Review map[string]any `json:"review"`
}

// Install is a policy document that was rejected, or warned about.
type Install struct {
	Kind     string   `json:"kind"`
	Name     string   `json:"name"`
	Code     int      `json:"code,omitempty"`
	Reason   string   `json:"reason,omitempty"`
	Message  string   `json:"message,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

// The lists of expressions that share a budget or an activation.
const (
	MatchConditions  = "matchConditions"
	Validations      = "validations"
	Messages         = "messages"
	AuditAnnotations = "auditAnnotations"
	Mutation         = "mutation"
)

// Run is one evaluation of one list of expressions of one policy.
type Run struct {
	Phase  string `json:"phase"` // mutating or validating
	Pass   int    `json:"pass"`
	Policy string `json:"policy"`
	Param  string `json:"param,omitempty"` // namespace/name, or name
	List   string `json:"list"`
	Index  int    `json:"index"` // of the mutation, else 0
	// Budget is what the run was given, in CEL cost units.
	Budget int64 `json:"budget"`
	// Costs has, for each expression, what the expression and the variables
	// that it was the first to use cost together; -1 from the expression on
	// that ended the run.
	Costs []int64 `json:"costs"`
	// Errors has the error of each expression, "" where there is none.
	Errors []string `json:"errors"`
	// Aborted is the error that ended the whole run.
	Aborted string `json:"aborted,omitempty"`
	// BudgetCheck is not empty when the run did not succeed with exactly its
	// cost as budget, or did not fail with one unit less.
	BudgetCheck string `json:"budgetCheck,omitempty"`
}
