// Package collect builds a scenario from one request to a cluster: everything that the API server
// would read to decide, and nothing more.
package collect

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/cluster/internal/source"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Operations of a request.
const (
	Create = "CREATE"
	Update = "UPDATE"
	Delete = "DELETE"
)

// Request is the request to evaluate.
type Request struct {
	Operation string
	Mapping   *meta.RESTMapping
	Namespace string // empty for cluster-scoped kinds
	Name      string
	Object    source.Object // nil for Delete
	Old       source.Object // nil for Create
	User      authenticationv1.UserInfo
	// Exists says that the object exists in the cluster: it has the server's defaults, and the
	// right to create it is not checked again.
	Exists bool
}

// Collected is a scenario, with remarks on how it was built.
type Collected struct {
	scenario.Scenario
	// Assumed lists what could not be read and what was assumed.
	Assumed []report.Assumption

	policies, cluster []source.Object
}

const group = "admissionregistration.k8s.io"

// The kinds to read.
var (
	configurations = []string{"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding",
		"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"}
	namespaces     = schema.GroupKind{Kind: "Namespace"}
	definitions    = schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}
	services       = schema.GroupKind{Kind: "Service"}
	accounts       = schema.GroupKind{Kind: "ServiceAccount"}
	limits         = schema.GroupKind{Kind: "LimitRange"}
	quotas         = schema.GroupKind{Kind: "ResourceQuota"}
	priorities     = schema.GroupKind{Group: "scheduling.k8s.io", Kind: "PriorityClass"}
	runtimeClasses = schema.GroupKind{Group: "node.k8s.io", Kind: "RuntimeClass"}
	storageClasses = schema.GroupKind{Group: "storage.k8s.io", Kind: "StorageClass"}
	ingressClasses = schema.GroupKind{Group: "networking.k8s.io", Kind: "IngressClass"}
)

// collector collects one scenario's objects, each once.
type collector struct {
	ctx  context.Context
	from *source.Cluster
	out  *Collected
	seen map[string]bool
}

// Collect reads what a request needs. Assumed lists the cluster's unreadable objects.
func Collect(ctx context.Context, from *source.Cluster, r Request) (*Collected, error) {
	version, remark, err := from.Version()
	if err != nil {
		return nil, err
	}
	c := &collector{ctx: ctx, from: from, out: &Collected{}, seen: map[string]bool{}}
	for _, kind := range configurations {
		for _, o := range from.List(ctx, schema.GroupKind{Group: group, Kind: kind}, "", "") {
			c.out.policies = append(c.out.policies, Tidied(o))
		}
	}
	c.surroundings(r)
	c.params(r)
	c.webhookServices()
	c.rights(r)
	c.plugins(r)
	if err := c.out.write(r, version, from.ServedPolicies()); err != nil {
		return nil, err
	}
	if remark != "" {
		c.out.assume(remark, "the version of the server")
	}
	for _, g := range from.Gaps() {
		c.out.assume("there is nothing among "+g.What, "it could not be read: "+g.Why)
	}
	return c.out, nil
}

// assume adds an assumption.
func (c *Collected) assume(what, why string) {
	c.Assumed = append(c.Assumed, report.Assumption{What: what, Why: why, Steps: []int{}})
}

// Assume adds an assumption.
func (c *Collected) Assume(what, why string) { c.assume(what, why) }

// add stores an object, unless nil.
func (c *collector) add(o source.Object) {
	if o == nil {
		return
	}
	u := unstructured.Unstructured{Object: o}
	key := strings.Join([]string{u.GroupVersionKind().GroupKind().String(), u.GetNamespace(), u.GetName()}, "\x00")
	if !c.seen[key] {
		c.seen[key] = true
		c.out.cluster = append(c.out.cluster, Tidied(o))
	}
}

// surroundings adds the request's namespace and its kind's definition.
func (c *collector) surroundings(r Request) {
	if r.Namespace != "" {
		c.add(c.from.Get(c.ctx, namespaces, "", r.Namespace))
	}
	c.definition(r.Mapping.Resource.GroupResource())
}

// definition adds a resource's CustomResourceDefinition, if any. Kubernetes' own groups have none.
func (c *collector) definition(resource schema.GroupResource) {
	if strings.Contains(resource.Group, ".") && (!strings.HasSuffix(resource.Group, ".k8s.io") || strings.Contains(resource.Group, ".x-k8s.io")) {
		c.add(c.from.Get(c.ctx, definitions, "", resource.String()))
	}
}

// webhookServices adds the Services through which webhooks are called.
func (c *collector) webhookServices() {
	for _, o := range c.out.policies {
		hooks, _, _ := unstructured.NestedSlice(o, "webhooks")
		for _, hook := range hooks {
			h, _ := hook.(map[string]any)
			name, _, _ := unstructured.NestedString(h, "clientConfig", "service", "name")
			namespace, _, _ := unstructured.NestedString(h, "clientConfig", "service", "namespace")
			if name != "" {
				c.add(c.from.Get(c.ctx, services, namespace, name))
			}
		}
	}
}

// plugins adds what the server's built-in plugins read.
func (c *collector) plugins(r Request) {
	if r.Operation == Delete || r.Object == nil {
		return
	}
	if r.Namespace != "" {
		c.all(quotas, r.Namespace)
	}
	text := func(fields ...string) string {
		s, _, _ := unstructured.NestedString(r.Object, fields...)
		return s
	}
	switch r.Mapping.GroupVersionKind.GroupKind() {
	case schema.GroupKind{Kind: "Pod"}:
		account := text("spec", "serviceAccountName")
		if account == "" {
			account = "default"
		}
		c.add(c.from.Get(c.ctx, accounts, r.Namespace, account))
		c.all(limits, r.Namespace)
		c.classes(priorities, text("spec", "priorityClassName"))
		if name := text("spec", "runtimeClassName"); name != "" {
			c.add(c.from.Get(c.ctx, runtimeClasses, "", name))
		}
	case schema.GroupKind{Kind: "PersistentVolumeClaim"}:
		c.all(limits, r.Namespace)
		c.classes(storageClasses, text("spec", "storageClassName"))
	case schema.GroupKind{Group: "networking.k8s.io", Kind: "Ingress"}:
		c.classes(ingressClasses, text("spec", "ingressClassName"))
	}
}

func (c *collector) all(kind schema.GroupKind, namespace string) {
	for _, o := range c.from.List(c.ctx, kind, namespace, "") {
		c.add(o)
	}
}

// classes adds the named class and the default ones.
func (c *collector) classes(kind schema.GroupKind, name string) {
	for _, o := range c.from.List(c.ctx, kind, "", "") {
		u := unstructured.Unstructured{Object: o}
		isDefault := o["globalDefault"] == true
		for key, value := range u.GetAnnotations() {
			isDefault = isDefault || strings.HasSuffix(key, "/is-default-class") && value == "true"
		}
		if u.GetName() == name || isDefault {
			c.add(o)
		}
	}
}

// write writes the scenario's texts.
func (c *Collected) write(r Request, version string, served []string) error {
	request, err := r.review()
	if err != nil {
		return err
	}
	// A client's object has no defaults yet, and the user's permission to send it is checked.
	options := scenario.Options{Defaulting: new(true)}
	if r.Exists {
		options = scenario.Options{Plugins: &scenario.Plugins{}} // the release's defaults
	}
	c.Scenario = scenario.Scenario{
		Title:      fmt.Sprintf("%s %s %s", r.Operation, r.Mapping.Resource.GroupResource(), strings.TrimPrefix(r.Namespace+"/"+r.Name, "/")),
		Kubernetes: version, Request: request,
		Options: options,
	}
	for _, v := range served {
		if slices.Contains(scenario.RuntimeConfigs, v) {
			c.Options.RuntimeConfig = append(c.Options.RuntimeConfig, v)
		}
	}
	return c.texts()
}

// texts writes the policies and the cluster.
func (c *Collected) texts() (err error) {
	if c.Policies, err = Documents(c.policies); err != nil {
		return err
	}
	c.Cluster, err = Documents(c.cluster)
	return err
}

// Documents writes objects as one text.
func Documents(list []source.Object) (string, error) {
	var parts []string
	for _, o := range list {
		raw, err := scenario.YAML(o)
		if err != nil {
			return "", err
		}
		parts = append(parts, string(raw))
	}
	return strings.Join(parts, "---\n"), nil
}

// review returns the request as an AdmissionReview, with its user and the client's object, without
// the server's defaults.
func (r Request) review() (string, error) {
	kind, resource := r.Mapping.GroupVersionKind, r.Mapping.Resource
	request := map[string]any{
		"operation": r.Operation, "name": r.Name,
		"kind":     map[string]any{"group": kind.Group, "version": kind.Version, "kind": kind.Kind},
		"resource": map[string]any{"group": resource.Group, "version": resource.Version, "resource": resource.Resource},
	}
	if r.Namespace != "" {
		request["namespace"] = r.Namespace
	}
	user, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&r.User)
	if err != nil {
		return "", err
	}
	request["userInfo"] = user
	if r.Object != nil {
		request["object"] = r.Object
	}
	if r.Old != nil {
		request["oldObject"] = r.Old
	}
	raw, err := json.Marshal(map[string]any{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request})
	if err != nil {
		return "", err
	}
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return "", err
	}
	text, err := scenario.YAML(value)
	return string(text), err
}
