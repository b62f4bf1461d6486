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

// Request is what rules and selectors compare (semantics §0.4).
type Request struct {
	// Kind, Resource and SubResource belong to the endpoint that received the request.
	Kind        schema.GroupVersionKind
	Resource    schema.GroupVersionResource
	SubResource string
	// Name is empty until a generated name is known.
	Name string
	// Namespace is empty for cluster-scoped resources. For a request on a Namespace it is the
	// Namespace's own name.
	Namespace string
	// Operation is CREATE, UPDATE, DELETE or CONNECT.
	Operation string
	// Object and OldObject are nil if the server has none: a DELETE has no object, a CREATE no old
	// object.
	Object, OldObject map[string]any
}

// Catalog knows which resources are versions of each other. engine/catalog
// implements it.
type Catalog interface {
	// Equivalents lists the other resources that serve the same objects, in
	// the server's order.
	Equivalents(resource schema.GroupVersionResource, subResource string) []schema.GroupVersionResource
	// KindFor returns the kind of a resource or subresource.
	KindFor(resource schema.GroupVersionResource, subResource string) (schema.GroupVersionKind, bool)
}

// Namespaces knows the namespaces that exist.
type Namespaces interface {
	// Labels returns the labels of a namespace, and whether it exists.
	Labels(name string) (labels map[string]string, found bool)
	// Assumed reports whether the text lacks the namespace, so that it is assumed to exist without
	// its own labels.
	Assumed(name string) bool
}

// Result is the outcome of one comparison.
type Result struct {
	Matched bool
	// Resource and Kind are the matched ones: the request's, or an equivalent resource's. They are
	// zero unless Matched.
	Resource schema.GroupVersionResource
	Kind     schema.GroupVersionKind
	// Err is the server's error, a *errors.StatusError if the server has one. With an error Matched
	// is false.
	Err error
	// Near says that a rule is about the request's resource although it does not match.
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

// labelsOf returns an object's labels as the server's accessor reads them, and whether the object
// has metadata. Options objects, as in CONNECT requests, have none (semantics §4.5).
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
