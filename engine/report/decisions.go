package report

import "github.com/preadmit/preadmit/engine/diag"

// This file holds the two explanations that answer "why": how a request was
// compared with rules and selectors (Match), and what the authorizer was asked
// and answered (Authorization).

// Match says how a request was compared with the rules and selectors of one
// policy, binding or webhook (semantics §4).
type Match struct {
	Matched bool `json:"matched"` // the policy, binding or webhook applies
	// Reason is one plain sentence.
	Reason string `json:"reason"`
	// Path is the field that decided, as the API server writes it:
	// spec.matchConstraints.resourceRules[1]. Empty when no field did.
	Path string `json:"path,omitempty"`
	// Hint names a small change with which it would match.
	Hint string `json:"hint,omitempty"`
	// Also lists the other reasons why it does not apply, each sufficient by itself. The
	// server stops at the first.
	Also []string `json:"also,omitempty"`
	// Tests are all comparisons, in the order in which the server makes them.
	Tests []MatchTest `json:"tests,omitempty"`
}

// MatchTest is one comparison of a request with one rule or selector.
type MatchTest struct {
	// Kind is exempt, namespaceSelector, objectSelector, excludeRule or rule.
	Kind string `json:"kind"`
	Path string `json:"path,omitempty"` // the rule or selector
	// Resource is the equivalent resource that was tried instead of the
	// request's: group/version, Resource=r (matchPolicy Equivalent).
	Resource string `json:"resource,omitempty"`
	Matched  bool   `json:"matched"` // it selects the request
	// Failed is the part that did not match and stopped the comparison: scope,
	// operations, apiGroups, apiVersions, resources, resourceNames, or the
	// path of a selector's requirement.
	Failed string `json:"failed,omitempty"`
	// Wants is the value that the rule or requirement needs, Has the actual value.
	Wants string `json:"wants,omitempty"`
	Has   string `json:"has,omitempty"`
	// Labels are those that a selector was applied to.
	Labels map[string]string `json:"labels,omitempty"`
	// Assumed says that no text has the Namespace, so its labels are assumed.
	Assumed bool `json:"assumed,omitempty"`
	// Error is the server's text, when the comparison could not be made.
	Error string `json:"error,omitempty"`
	// Text and Span are the place of Failed or else of Path; empty if the text
	// does not have that field.
	Text diag.Text `json:"text,omitempty"`
	Span diag.Span `json:"span"`
}

// Authorization is one check that an expression asked the authorizer for, and
// its answer (semantics §1.9).
type Authorization struct {
	User   string   `json:"user"`             // whose permissions were checked
	Groups []string `json:"groups,omitempty"` // of the user
	Verb   string   `json:"verb"`             // such as get or create
	// Path is set for checks of a non-resource URL; the others for resources.
	Path          string `json:"path,omitempty"`
	APIGroup      string `json:"apiGroup,omitempty"`      // empty for the core group
	Resource      string `json:"resource,omitempty"`      // in the plural
	SubResource   string `json:"subResource,omitempty"`   // such as status
	Namespace     string `json:"namespace,omitempty"`     // empty for all
	Name          string `json:"name,omitempty"`          // empty for all
	FieldSelector string `json:"fieldSelector,omitempty"` // as text
	LabelSelector string `json:"labelSelector,omitempty"` // as text

	Allowed bool `json:"allowed"` // the answer
	// Reason is the server's text, which CEL's reason() returns.
	Reason string `json:"reason,omitempty"`
	// Explanation says in one sentence which rule allows it, or what is
	// missing.
	Explanation string `json:"explanation"`
	// Grants are all rules that allow it. The server names whichever of them
	// it meets first, in no particular order within one kind of binding.
	Grants []Grant `json:"grants,omitempty"`
}

// Grant is one RBAC rule that allows something to a user.
type Grant struct {
	Binding string `json:"binding"` // ClusterRoleBinding name, RoleBinding namespace/name
	Role    string `json:"role"`    // ClusterRole name, Role namespace/name
	// RuleRole is the role that holds the rule, when Role got it by
	// aggregation.
	RuleRole string `json:"ruleRole,omitempty"`
	Rule     int    `json:"rule"`    // index in the rules of the role that holds it
	Subject  string `json:"subject"` // User "dana"
	// Builtin is true when the API server itself created the role.
	Builtin bool `json:"builtin,omitempty"`
	// Text and Span are the place of the rule; empty for a built-in one.
	Text diag.Text `json:"text,omitempty"`
	Span diag.Span `json:"span"`
	// RulePath is the field of the rule in its document: rules[0].
	RulePath string `json:"rulePath"`
}
