// Package scenario turns the texts that a user gives into typed documents with
// positions, and a whole scenario into files, a txtar archive or a link, and
// back. It does no I/O: callers read and write the disk.
package scenario

// Scenario is what a user gives: up to four texts and some settings. The zero
// value is an empty scenario with default settings.
type Scenario struct {
	Title       string
	Description string
	Tags        []string
	// Kubernetes is the minor version to simulate, such as "1.37". Empty means
	// DefaultVersion.
	Kubernetes string

	// Policies holds policies, bindings and webhook configurations.
	Policies string
	// Request is an AdmissionReview, an AdmissionRequest or a bare object.
	Request string
	// Cluster holds the objects of the cluster that take part.
	Cluster string
	// Expression is a free CEL expression.
	Expression string
	// ExpressionContext says where the free expression is taken to stand:
	// webhook, condition, validation, message or mutation. Empty means
	// validation.
	ExpressionContext string

	// Now is what creationTimestamp gets, in RFC 3339. Empty means the present.
	Now string
	// BeforeValidation is what storage itself changes between the mutating and
	// the validating phase.
	BeforeValidation BeforeValidation
	Options          Options
}

// BeforeValidation lists changes by JSON pointer (RFC 6901).
type BeforeValidation struct {
	Set    map[string]any
	Remove []string
}

// Options change what is simulated.
type Options struct {
	// Defaulting applies the server's defaults to the request's objects. Nil
	// means: only when the request is a bare object, because captured requests
	// have them already.
	Defaulting *bool
	// Authorizer answers the authorizer's checks: empty or "rbac" by the RBAC
	// objects of the cluster text, "allow" always yes, "deny" always no.
	Authorizer string
	// Plugins names built-in admission plugins to simulate.
	Plugins []string
}

// The contexts of a free expression.
var expressionContexts = []string{"webhook", "condition", "validation", "message", "mutation"}
