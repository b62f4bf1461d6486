// Package source reads a cluster's objects: only get and list, and never Secrets. It records what
// could not be read, so that reports can state their assumptions.
package source

import (
	"context"
	"fmt"
	"slices"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"

	"github.com/preadmit/preadmit/engine/scenario"
)

// Gap is something that could not be read.
type Gap struct {
	What string // such as "roles.rbac.authorization.k8s.io in the namespace shop"
	Why  string // the server's response
}

// Object is an object in unstructured form. It is immutable once read.
type Object = map[string]any

// Cluster reads from an API server. It is not safe for concurrent use.
type Cluster struct {
	objects   dynamic.Interface
	mapper    meta.RESTMapper
	discovery discovery.DiscoveryInterface
	gaps      []Gap
	lists     map[string][]Object
	// known are objects that override the cluster's: earlier objects in the same files.
	known []Object
}

// New returns a reader for a cluster.
func New(objects dynamic.Interface, mapper meta.RESTMapper, versions discovery.DiscoveryInterface) *Cluster {
	return &Cluster{objects: objects, mapper: mapper, discovery: versions, lists: map[string][]Object{}}
}

// Gaps returns what could not be read so far.
func (c *Cluster) Gaps() []Gap { return slices.Clone(c.gaps) }

// Add adds an object as if the cluster had it.
func (c *Cluster) Add(o Object) { c.known = append(c.known, o) }

// secrets are the kinds whose content is never read.
var secrets = schema.GroupKind{Kind: "Secret"}

// IsSecret reports whether a kind's objects are never read.
func IsSecret(kind schema.GroupKind) bool { return kind == secrets }

// gap records what could not be read, once.
func (c *Cluster) gap(what string, err error) {
	g := Gap{What: what, Why: err.Error()}
	if !slices.Contains(c.gaps, g) {
		c.gaps = append(c.gaps, g)
	}
}

// Mapping returns a kind's resource, in the named or the server's preferred version. For an unknown
// kind, meta.IsNoMatchError is true for the error.
func (c *Cluster) Mapping(kind schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	return c.mapper.RESTMapping(kind, versions...)
}

// Resource returns a resource's kind by any of its names, such as "po" or "deployments.apps".
func (c *Cluster) Resource(name string) (*meta.RESTMapping, error) {
	full, short := schema.ParseResourceArg(strings.ToLower(name))
	var kind schema.GroupVersionKind
	var err error
	if full != nil {
		kind, err = c.mapper.KindFor(*full)
	}
	if full == nil || err != nil {
		if kind, err = c.mapper.KindFor(short.WithVersion("")); err != nil {
			return nil, err
		}
	}
	return c.mapper.RESTMapping(kind.GroupKind(), kind.Version)
}

func (c *Cluster) in(m *meta.RESTMapping, namespace string) dynamic.ResourceInterface {
	if m.Scope.Name() == meta.RESTScopeNameNamespace && namespace != "" {
		return c.objects.Resource(m.Resource).Namespace(namespace)
	}
	return c.objects.Resource(m.Resource)
}

// Read returns one object, or the server's error, also if the object does not exist.
func (c *Cluster) Read(ctx context.Context, m *meta.RESTMapping, namespace, name string) (Object, error) {
	if IsSecret(m.GroupVersionKind.GroupKind()) {
		return nil, fmt.Errorf("secrets are not read: %s", name)
	}
	for _, o := range slices.Backward(c.known) {
		u := unstructured.Unstructured{Object: o}
		if u.GroupVersionKind().GroupKind() == m.GroupVersionKind.GroupKind() && u.GetName() == name && (u.GetNamespace() == namespace || m.Scope.Name() == meta.RESTScopeNameRoot) {
			return o, nil
		}
	}
	o, err := c.in(m, namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	return o.Object, nil
}

// Get returns one object, or nil. A failure to read it is a gap.
func (c *Cluster) Get(ctx context.Context, kind schema.GroupKind, namespace, name string) Object {
	m, err := c.mapper.RESTMapping(kind)
	if err != nil {
		c.unmapped(kind, err)
		return nil
	}
	o, err := c.Read(ctx, m, namespace, name)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		c.gap(fmt.Sprintf("%s %s", m.Resource.GroupResource(), at(namespace, name)), err)
		return nil
	}
	return o
}

func at(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

// unmapped reports an unknown kind. That is not a gap, because the server has no such objects.
func (c *Cluster) unmapped(kind schema.GroupKind, err error) {
	if !meta.IsNoMatchError(err) {
		c.gap(kind.String(), err)
	}
}

// List returns a kind's objects in a namespace, or in all if empty. Each list is read once. A
// failure to read it is a gap.
func (c *Cluster) List(ctx context.Context, kind schema.GroupKind, namespace, selector string) []Object {
	m, err := c.mapper.RESTMapping(kind)
	if err != nil {
		c.unmapped(kind, err)
		return nil
	}
	key := strings.Join([]string{kind.String(), namespace, selector}, "\x00")
	if list, read := c.lists[key]; read {
		return list
	}
	list, err := c.list(ctx, m, namespace, selector)
	if err != nil {
		where := ""
		if namespace != "" {
			where = " in the namespace " + namespace
		}
		c.gap(m.Resource.GroupResource().String()+where, err)
	}
	c.lists[key] = list
	return list
}

// pageSize is the number of objects per request, as in kubectl.
const pageSize = 500

func (c *Cluster) list(ctx context.Context, m *meta.RESTMapping, namespace, selector string) ([]Object, error) {
	if IsSecret(m.GroupVersionKind.GroupKind()) {
		return nil, fmt.Errorf("secrets are not read")
	}
	var out []Object
	options := metav1.ListOptions{LabelSelector: selector, Limit: pageSize}
	for {
		page, err := c.in(m, namespace).List(ctx, options)
		if err != nil {
			return nil, err
		}
		for i := range page.Items {
			out = append(out, page.Items[i].Object)
		}
		if options.Continue = page.GetContinue(); options.Continue == "" {
			return out, nil
		}
	}
}

// Version returns the server's minor version if supported, or else a similar one with a remark.
func (c *Cluster) Version() (version, remark string, err error) {
	info, err := c.discovery.ServerVersion()
	if err != nil {
		return "", "", fmt.Errorf("asking the server for its version: %w", err)
	}
	version = info.Major + "." + strings.TrimRight(info.Minor, "+")
	if known, err := scenario.ParseVersion(version); err == nil {
		return known, "", nil
	}
	list := scenario.Versions()
	taken := list[len(list)-1]
	if info.Major == "1" && len(strings.TrimRight(info.Minor, "+")) <= 2 && version < list[0] {
		taken = list[0]
	}
	return taken, fmt.Sprintf("the server has Kubernetes %s, which is not simulated: using %s instead", version, taken), nil
}

// ServedPolicies returns the server's versions of the policy API group.
func (c *Cluster) ServedPolicies() []string {
	groups, err := c.discovery.ServerGroups()
	if err != nil {
		c.gap("the API groups of the server", err)
		return nil
	}
	var out []string
	for _, g := range groups.Groups {
		for _, v := range g.Versions {
			if g.Name == "admissionregistration.k8s.io" {
				out = append(out, v.GroupVersion)
			}
		}
	}
	return out
}

// reviews is where the server says who the caller is. It is the only POST; it stores nothing.
var reviews = schema.GroupVersionResource{Group: "authentication.k8s.io", Version: "v1", Resource: "selfsubjectreviews"}

// Whoami returns the user as which the server authenticated the caller.
func (c *Cluster) Whoami(ctx context.Context) (authenticationv1.UserInfo, error) {
	ask := &unstructured.Unstructured{Object: Object{"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}}
	answer, err := c.objects.Resource(reviews).Create(ctx, ask, metav1.CreateOptions{})
	if err != nil {
		return authenticationv1.UserInfo{}, fmt.Errorf("asking the server for the user: %w", err)
	}
	var review authenticationv1.SelfSubjectReview
	err = runtime.DefaultUnstructuredConverter.FromUnstructured(answer.Object, &review)
	return review.Status.UserInfo, err
}
