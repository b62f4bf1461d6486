// Package scenario turns a user's texts into typed documents with positions. It converts a whole
// scenario to and from files, a txtar archive or a link. It does no I/O: callers read and write the
// disk.
package scenario

import utiljson "k8s.io/apimachinery/pkg/util/json"

// Scenario is what a user supplies: up to four texts and some settings. The zero value is an empty
// scenario with default settings. The page and the WebAssembly module exchange its JSON form.
type Scenario struct {
	Title       string   `json:"title,omitempty"`
	Description string   `json:"description,omitempty"`
	Tags        []string `json:"tags,omitempty"`
	// Kubernetes is the minor version to simulate, such as "1.37". Empty means
	// DefaultVersion.
	Kubernetes string `json:"kubernetes,omitempty"`

	// Policies holds policies, bindings and webhook configurations.
	Policies string `json:"policies,omitempty"`
	// Request is an AdmissionReview, an AdmissionRequest or a plain object.
	Request string `json:"request,omitempty"`
	// Cluster holds the cluster's objects that the evaluation uses.
	Cluster string `json:"cluster,omitempty"`
	// Expression is a stand-alone CEL expression. In the context rule it is YAML instead: a schema
	// with rules, the value to check, and the old value.
	Expression string `json:"expression,omitempty"`
	// ExpressionContext says which place the free expression is evaluated for:
	// webhook, condition, validation, message, mutation, rule, device, claims, user or authorization. Empty means
	// validation.
	ExpressionContext string `json:"expressionContext,omitempty"`

	// Now is the value for creationTimestamp, in RFC 3339. Empty means the current time.
	Now string `json:"now,omitempty"`
	// BeforeValidation holds changes by storage between the mutating and the validating phase.
	BeforeValidation BeforeValidation `json:"beforeValidation,omitzero"`
	Options          Options          `json:"options,omitzero"`
}

// BeforeValidation lists changes by JSON pointer (RFC 6901).
type BeforeValidation struct {
	Set    map[string]any `json:"set,omitempty"`
	Remove []string       `json:"remove,omitempty"`
}

// UnmarshalJSON decodes integers as integers, as everywhere in an object.
func (b *BeforeValidation) UnmarshalJSON(data []byte) error {
	type plain BeforeValidation // avoids recursion
	var p plain
	if err := utiljson.Unmarshal(data, &p); err != nil {
		return err
	}
	*b = BeforeValidation(p)
	return nil
}

// Options change what is simulated.
type Options struct {
	// Defaulting applies the server's defaults to the request's objects. Nil means only for plain
	// objects, because captured requests already have defaults.
	Defaulting *bool `json:"defaulting,omitempty"`
	// Authorizer decides authorizer checks. Empty or "rbac" uses the cluster text's RBAC objects,
	// "allow" always allows, "deny" always denies.
	Authorizer string `json:"authorizer,omitempty"`
	// Plugins selects the built-in admission plugins that run. Nil means the release's defaults.
	// For a captured request these are only the validating ones, because it has already passed the
	// mutating ones.
	Plugins *Plugins `json:"plugins,omitempty"`
	// RuntimeConfig lists API versions that are off by default but served by the cluster, like the
	// server's flag --runtime-config. See RuntimeConfigs. Their feature gates are assumed to be on.
	RuntimeConfig []string `json:"runtimeConfig,omitempty"`
	// FieldValidation is the default for requests that do not set it: Strict, Warn or Ignore. Empty
	// is the server's default, Warn.
	FieldValidation string `json:"fieldValidation,omitempty"`
	// CompleteCluster says that the cluster text is complete: a Namespace, account or class that it
	// lacks does not exist. Otherwise Preadmit assumes such objects.
	CompleteCluster bool `json:"completeCluster,omitempty"`
	// AdmissionOnly runs admission alone, for an incomplete object: no authorization, no API
	// validation of built-in kinds, no changes by storage.
	AdmissionOnly bool `json:"admissionOnly,omitempty"`
	// Request says how a plain object is sent. Nil means that a user supplied by Preadmit creates
	// it. It does not apply to an AdmissionReview, which has these settings itself.
	Request *RequestSettings `json:"request,omitempty"`
	// PolicyFiles are unread files and folders with more policies, from the field policies of
	// scenario.yaml and relative to that file. The caller that reads them adds their texts to
	// Policies and empties the list. Until then every verdict is undecided.
	PolicyFiles []string `json:"policyFiles,omitempty"`
}

// RequestSettings complete the request for a plain object. Empty fields keep their defaults.
type RequestSettings struct {
	// Operation is CREATE, UPDATE, DELETE or CONNECT. The default is CREATE.
	Operation string `json:"operation,omitempty"`
	// User is the user's name, and Groups are the user's groups. Without a name Preadmit supplies
	// both.
	User   string   `json:"user,omitempty"`
	Groups []string `json:"groups,omitempty"`
	// Namespace is the request's namespace if the object names none and its kind is namespaced. The
	// default is "default".
	Namespace string `json:"namespace,omitempty"`
	// SubResource is the subresource, such as "status".
	SubResource string `json:"subResource,omitempty"`
	// DryRun marks the request as a dry run.
	DryRun bool `json:"dryRun,omitempty"`
	// OldObject is the text of an UPDATE's old object, YAML or JSON. Without one it is the object
	// itself. Other operations ignore it.
	OldObject string `json:"oldObject,omitempty"`
	// Apply makes the request a server-side apply: its object is the applied configuration, and the
	// old object is the stored one. Without an old object the apply creates the object. Alone among
	// these settings it also applies to an AdmissionReview.
	Apply *ApplySettings `json:"apply,omitempty"`
}

// ApplySettings are the options of a server-side apply.
type ApplySettings struct {
	// FieldManager is the name of the client that owns the applied fields. The server requires it.
	FieldManager string `json:"fieldManager,omitempty"`
	// Force takes fields over from other managers, as kubectl apply --force-conflicts does.
	Force bool `json:"force,omitempty"`
}

// Operations are the possible values of RequestSettings.Operation.
var Operations = []string{"CREATE", "UPDATE", "DELETE", "CONNECT"}

// RuntimeConfigs are the possible values of Options.RuntimeConfig; each may end with "=true", as in
// the flag.
var RuntimeConfigs = []string{
	"admissionregistration.k8s.io/v1beta1", "admissionregistration.k8s.io/v1alpha1", "api/beta", "api/alpha", "api/all",
}

// ExpressionContext is a place in the API where a stand-alone expression can be evaluated.
type ExpressionContext struct {
	Name  string // value in scenario.yaml
	Label string // for people
}

// ExpressionContexts are all of them, those of admission first, in its order. What can be read
// in each is said where the fields that hold CEL are listed, in the engine.
var ExpressionContexts = []ExpressionContext{
	{WebhookContext, "webhook match condition"},
	{ConditionContext, "policy match condition"},
	{ValidationContext, "validation"},
	{MessageContext, "message expression"},
	{MutationContext, "mutation"},
	{RuleContext, "schema rules"},
	{DeviceContext, "device selector"},
	{ClaimsContext, "token claims"},
	{UserContext, "token user"},
	{AuthorizationContext, "authorization webhook condition"},
}

// The names of the contexts.
const (
	WebhookContext    = "webhook"
	ConditionContext  = "condition"
	ValidationContext = "validation"
	MessageContext    = "message"
	MutationContext   = "mutation"
	// RuleContext is the context of custom resource rules without a definition. The text is then
	// more than one expression (see Scenario.Expression).
	RuleContext = "rule"
	// The contexts outside admission: a device selector, the claims of a token and the user that
	// authentication makes of them, and the match conditions of an authorization webhook.
	DeviceContext        = "device"
	ClaimsContext        = "claims"
	UserContext          = "user"
	AuthorizationContext = "authorization"
	// DefaultContext is the context of an expression for which none is named.
	DefaultContext = ValidationContext
)

// The fields of a text with custom resource rules without a definition.
const (
	SchemaField  = "schema"
	SelfField    = "self"
	OldSelfField = "oldSelf"
)

// ContextNames are the names of all contexts.
func ContextNames() []string {
	var names []string
	for _, c := range ExpressionContexts {
		names = append(names, c.Name)
	}
	return names
}
