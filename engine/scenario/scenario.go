// Package scenario turns the texts that a user gives into typed documents with
// positions, and a whole scenario into files, a txtar archive or a link, and
// back. It does no I/O: callers read and write the disk.
package scenario

import utiljson "k8s.io/apimachinery/pkg/util/json"

// Scenario is what a user gives: up to four texts and some settings. The zero
// value is an empty scenario with default settings. Its JSON form is what the
// page and the WebAssembly module exchange.
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
	// Cluster holds the objects of the cluster that take part.
	Cluster string `json:"cluster,omitempty"`
	// Expression is a free CEL expression. In the context rule it is YAML instead: a
	// schema with its rules, the value that they are about, and the one before it.
	Expression string `json:"expression,omitempty"`
	// ExpressionContext says which place the free expression is evaluated for:
	// webhook, condition, validation, message, mutation, rule, device, claims, user or authorization. Empty means
	// validation.
	ExpressionContext string `json:"expressionContext,omitempty"`

	// Now is what creationTimestamp gets, in RFC 3339. Empty means the present.
	Now string `json:"now,omitempty"`
	// BeforeValidation is what storage itself changes between the mutating and
	// the validating phase.
	BeforeValidation BeforeValidation `json:"beforeValidation,omitzero"`
	Options          Options          `json:"options,omitzero"`
}

// BeforeValidation lists changes by JSON pointer (RFC 6901).
type BeforeValidation struct {
	Set    map[string]any `json:"set,omitempty"`
	Remove []string       `json:"remove,omitempty"`
}

// UnmarshalJSON keeps integers integers, as everywhere in an object.
func (b *BeforeValidation) UnmarshalJSON(data []byte) error {
	type plain BeforeValidation // without this method
	var p plain
	if err := utiljson.Unmarshal(data, &p); err != nil {
		return err
	}
	*b = BeforeValidation(p)
	return nil
}

// Options change what is simulated.
type Options struct {
	// Defaulting applies the server's defaults to the request's objects. Nil
	// means: only when the request is a plain object, because captured requests
	// have them already.
	Defaulting *bool `json:"defaulting,omitempty"`
	// Authorizer answers the authorizer's checks: empty or "rbac" by the RBAC
	// objects of the cluster text, "allow" always yes, "deny" always no.
	Authorizer string `json:"authorizer,omitempty"`
	// Plugins chooses the built-in admission plugins that run. Nil means those
	// that the release has on by default; of these, only what validates for a
	// captured request, because it has passed the mutating ones already.
	Plugins *Plugins `json:"plugins,omitempty"`
	// RuntimeConfig lists API versions that the cluster serves although they are
	// off by default, as the server's flag --runtime-config does: see
	// RuntimeConfigs. The feature gates that they need are taken to be on.
	RuntimeConfig []string `json:"runtimeConfig,omitempty"`
	// FieldValidation is what a request that does not say it asks for: Strict, Warn or
	// Ignore. Empty is the server's default, Warn.
	FieldValidation string `json:"fieldValidation,omitempty"`
	// CompleteCluster says that the cluster text has every object of the cluster: a Namespace,
	// account or class that it lacks does not exist. Otherwise such an object is assumed.
	CompleteCluster bool `json:"completeCluster,omitempty"`
	// AdmissionOnly asks admission alone, as for an object that is only a sketch: no
	// authorization, no validation of built-in kinds, nothing that their storage changes.
	AdmissionOnly bool `json:"admissionOnly,omitempty"`
	// Request says how a request that is a plain object is sent. Nil means: created by a user
	// whom Preadmit supplies. An AdmissionReview says all of this itself, so Request does not
	// apply to it.
	Request *RequestSettings `json:"request,omitempty"`
	// PolicyFiles are files and folders with more policies that have not been read, as the
	// field policies of scenario.yaml names them: relative to that file. Who reads them adds
	// their texts to Policies and empties the list; an answer is undecided before.
	PolicyFiles []string `json:"policyFiles,omitempty"`
}

// RequestSettings are what a plain object does not say about its request. Empty fields keep
// their defaults.
type RequestSettings struct {
	// Operation is CREATE, UPDATE, DELETE or CONNECT. The default is CREATE. The old object of
	// an UPDATE is the object itself.
	Operation string `json:"operation,omitempty"`
	// User is the user's name, and Groups are the user's groups. Without a name Preadmit supplies both.
	User   string   `json:"user,omitempty"`
	Groups []string `json:"groups,omitempty"`
	// SubResource is the subresource, such as "status".
	SubResource string `json:"subResource,omitempty"`
	// DryRun marks the request as a dry run.
	DryRun bool `json:"dryRun,omitempty"`
}

// Operations are the values of RequestSettings.Operation.
var Operations = []string{"CREATE", "UPDATE", "DELETE", "CONNECT"}

// RuntimeConfigs are the values of Options.RuntimeConfig; each may end with
// "=true", as in the flag.
var RuntimeConfigs = []string{
	"admissionregistration.k8s.io/v1beta1", "admissionregistration.k8s.io/v1alpha1", "api/beta", "api/alpha", "api/all",
}

// ExpressionContext is a place of the API that a free expression can be read in,
// as if it were there.
type ExpressionContext struct {
	Name  string // as scenario.yaml has it
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
	// RuleContext is the context of custom resource rules that are tried without a
	// definition: the text is not one expression then (see Scenario.Expression).
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

// The fields of the text of rules that are tried without a definition.
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
