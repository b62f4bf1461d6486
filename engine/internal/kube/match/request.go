// Package match decides whether a policy, a binding or a webhook matches
// a request, and says why (semantics §4).
//
// The decision follows the API server's order, because the order is
// visible: an unreadable selector is an error only when the rules
// match. The explanation is ours. It lists all comparisons and describes
// the deciding one in a sentence.
package match

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
)

// Request is what rules and selectors look at (semantics §0.4).
type Request struct {
	// Kind, Resource and SubResource are those of the endpoint that the
	// request was sent to.
	Kind        schema.GroupVersionKind
	Resource    schema.GroupVersionResource
	SubResource string
	// Name is empty while a generated name is not known yet.
	Name string
	// Namespace is empty for cluster-scoped resources. For a request on a
	// Namespace it is the name of that Namespace.
	Namespace string
	// Operation is CREATE, UPDATE, DELETE or CONNECT.
	Operation string
	// Object and OldObject are nil where the server has none: there is no
	// object in a DELETE and no old object in a CREATE.
	Object, OldObject map[string]any
}

// Catalog knows which resources are versions of each other. engine/catalog
// implements it.
type Catalog interface {
	// Equivalents lists the other resources that serve the same objects, in
	// the server's order.
	Equivalents(resource schema.GroupVersionResource, subResource string) []schema.GroupVersionResource
	// KindFor returns the kind that a resource or subresource takes.
	KindFor(resource schema.GroupVersionResource, subResource string) (schema.GroupVersionKind, bool)
}

// Namespaces knows the namespaces that exist.
type Namespaces interface {
	// Labels returns the labels of a namespace, and whether it exists.
	Labels(name string) (labels map[string]string, found bool)
	// Assumed reports whether no text gives the namespace: it is taken to exist,
	// without labels of its own.
	Assumed(name string) bool
}

// Result is the outcome of one comparison.
type Result struct {
	Matched bool
	// Resource and Kind are those that matched: the request's, or an
	// equivalent resource's. They are zero unless Matched.
	Resource schema.GroupVersionResource
	Kind     schema.GroupVersionKind
	// Err is the server's error. It is a *errors.StatusError where the server
	// has one. With an error Matched is false.
	Err error
	// Near says of what does not match that a rule is about the request's resource.
	Near bool
	// Why explains the result.
	Why report.Match
}

// Matcher compares requests as one Kubernetes version does.
type Matcher struct {
	version    version.Version
	catalog    Catalog
	namespaces Namespaces
}

// New returns a matcher for a Kubernetes version.
func New(v version.Version, catalog Catalog, namespaces Namespaces) *Matcher {
	return &Matcher{version: v, catalog: catalog, namespaces: namespaces}
}

// labelsOf returns the labels of an object as the server's accessor reads them,
// and whether the object has metadata at all. Options objects, which CONNECT
// requests carry, have none (semantics §4.5).
func labelsOf(object map[string]any, operation string) (labels map[string]string, ok bool) {
	if object == nil {
		return nil, false
	}
	if _, hasMetadata := object["metadata"].(map[string]any); !hasMetadata && operation == "CONNECT" {
		return nil, false
	}
	// A value that is not a string makes the server ignore all labels.
	labels, _, _ = unstructured.NestedNullCoercingStringMap(object, "metadata", "labels")
	return labels, true
}
