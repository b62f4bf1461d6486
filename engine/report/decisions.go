package report

import "github.com/preadmit/preadmit/engine/diag"

// This file holds the two explanations of "why": how a request was compared with rules and
// selectors (Match), and which checks the authorizer decided (Authorization).

// Match describes a request's comparison with the rules and selectors of one policy, binding or
// webhook (semantics §4).
type Match struct {
	Matched bool `json:"matched"` // the policy, binding or webhook applies
	// Reason is one plain sentence.
	Reason string `json:"reason"`
	// Path is the deciding field, as the API server writes it:
	// spec.matchConstraints.resourceRules[1]. It is empty if no field decided.
	Path string `json:"path,omitempty"`
	// Hint names a small change that would make it match.
	Hint string `json:"hint,omitempty"`
	// Also lists the other sufficient reasons why it does not match. The server stops at the first.
	Also []string `json:"also,omitempty"`
	// Tests are all comparisons, in the server's order.
	Tests []MatchTest `json:"tests,omitempty"`
}

// MatchTest is one comparison of a request with one rule or selector.
type MatchTest struct {
	// Kind is exempt, namespaceSelector, objectSelector, excludeRule or rule.
	Kind string `json:"kind"`
	Path string `json:"path,omitempty"` // the rule or selector
	// Resource is the equivalent resource that was compared instead of the request's:
	// group/version, Resource=r (matchPolicy Equivalent).
	Resource string `json:"resource,omitempty"`
	Matched  bool   `json:"matched"` // it matches the request
	// Failed is the part that did not match and ended the comparison: scope, operations, apiGroups,
	// apiVersions, resources, resourceNames, or the path of a selector's requirement.
	Failed string `json:"failed,omitempty"`
	// Wants is the required value, Has the actual value.
	Wants string `json:"wants,omitempty"`
	Has   string `json:"has,omitempty"`
	// Labels are the labels that a selector was applied to.
	Labels map[string]string `json:"labels,omitempty"`
	// Assumed says that no text has the Namespace, so its labels are assumed.
	Assumed bool `json:"assumed,omitempty"`
	// Error is the server's text if the comparison failed.
	Error string `json:"error,omitempty"`
	// Text and Span are the place of Failed or else of Path; empty if the text does not have that
	// field.
	Text diag.Text `json:"text,omitempty"`
	Span diag.Span `json:"span"`
}

// Authorization is an authorizer check by an expression, and its result (semantics §1.9).
type Authorization struct {
	User   string   `json:"user"`             // whose permissions were checked
	Groups []string `json:"groups,omitempty"` // of the user
	Verb   string   `json:"verb"`             // such as get or create
	// Path is set for checks of a non-resource URL.
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
	// Explanation says in one sentence which rule allows it, or what is missing.
	Explanation string `json:"explanation"`
	// Grants are all rules that allow it. The server names the one that it visits first, in no
	// particular order within one kind of binding.
	Grants []Grant `json:"grants,omitempty"`
}

// Grant is an RBAC rule that allows something to a user.
type Grant struct {
	Binding string `json:"binding"` // ClusterRoleBinding name, RoleBinding namespace/name
	Role    string `json:"role"`    // ClusterRole name, Role namespace/name
	// RuleRole is the role that contains the rule, if Role got it by aggregation.
	RuleRole string `json:"ruleRole,omitempty"`
	Rule     int    `json:"rule"`    // index in the rules of the role that contains it
	Subject  string `json:"subject"` // User "dana"
	// Builtin is true when the API server itself created the role.
	Builtin bool `json:"builtin,omitempty"`
	// Text and Span are the place of the rule; empty for a built-in one.
	Text diag.Text `json:"text,omitempty"`
	Span diag.Span `json:"span"`
	// RulePath is the field of the rule in its document: rules[0].
	RulePath string `json:"rulePath"`
}
