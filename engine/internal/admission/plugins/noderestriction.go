package plugins

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/kube/cluster"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/version"
)

const (
	nodeUserPrefix = "system:node:"
	nodesGroup     = "system:nodes"
	leaseNamespace = "kube-node-lease"
)

var (
	podKind        = schema.GroupKind{Kind: "Pod"}
	leases         = schema.GroupResource{Group: "coordination.k8s.io", Resource: "leases"}
	csiNodes       = schema.GroupResource{Group: "storage.k8s.io", Resource: "csinodes"}
	resourceSlices = schema.GroupResource{Group: "resource.k8s.io", Resource: "resourceslices"}
)

// nodeRestriction lets a kubelet change its own node and the Pods that run there,
// nothing else. It is off unless it is switched on, as it is in most clusters.
var nodeRestriction = plugin{
	name:         "NodeRestriction",
	operations:   []string{"CREATE", "UPDATE", "DELETE"},
	subresources: []string{"*"},
	refusesOnly:  true,
	admit: func(r *request) error {
		node, isNode := nodeIdentity(r.Attributes.User.GetName(), r.Attributes.User.GetGroups())
		if !isNode {
			return r.nothing("the user is not a node")
		}
		if node == "" {
			return fmt.Errorf("could not determine node from user %q", r.Attributes.User.GetName())
		}
		r.reason = fmt.Sprintf("the node %s may do this", node)
		return r.restrict(node)
	},
}

// unrestricted says what NodeRestriction would answer to a node, where the scenario does not choose the plugins:
// the API server has it off by default, and most installers switch it on.
func (s Set) unrestricted(c *run.Chain) {
	a := &c.Attributes
	if _, isNode := nodeIdentity(a.User.GetName(), a.User.GetGroups()); s.chosen || !isNode || !slices.Contains(nodeRestriction.operations, a.Operation) {
		return
	}
	if err := nodeRestriction.admit(&request{Chain: c, object: copied(a.Object), proven: s.captured}); err != nil {
		c.NotSimulated(fmt.Sprintf("NodeRestriction is off by default, and kubeadm and most providers switch it on. It would reject the request: %v. To run it, set options.plugins.enable in scenario.yaml.", err))
	}
}

// nodeIdentity is the name of the node that a user is; isNode without a name is
// one whose node is not known.
func nodeIdentity(user string, groups []string) (name string, isNode bool) {
	name, isNode = strings.CutPrefix(user, nodeUserPrefix)
	if !isNode || !slices.Contains(groups, nodesGroup) {
		return "", false
	}
	return name, true
}

func (r *request) restrict(node string) error {
	a := &r.Attributes
	switch a.Resource.GroupResource() {
	case pods:
		return r.restrictPod(node)
	case nodes:
		return r.restrictNode(node)
	case claims:
		return r.restrictClaim(node)
	case accounts:
		return r.restrictToken(node)
	case leases:
		return r.restrictLease(node)
	case csiNodes:
		if r.ownName() != node {
			return errors.New("can only access CSINode with the same name as the requesting node")
		}
	case resourceSlices:
		return r.restrictSlice(node)
	case certificates:
		return r.restrictCertificate(node)
	}
	return nil
}

// ownName is the name of the object: of a new one as it says itself.
func (r *request) ownName() string {
	if r.Attributes.Operation == "CREATE" {
		return untyped.At[string](r.object, "metadata", "name")
	}
	return r.Attributes.Name
}

func (r *request) restrictPod(node string) error {
	a := &r.Attributes
	switch a.SubResource {
	case "":
		switch a.Operation {
		case "CREATE":
			return r.restrictNewPod(node)
		case "DELETE":
			return r.onNode(a.Name, node, fmt.Errorf("node %q can only delete pods with spec.nodeName set to itself", node))
		}
		return fmt.Errorf("unexpected operation %q, node %q can only create and delete mirror pods", a.Operation, node)
	case "status":
		return r.restrictPodStatus(node)
	case "eviction":
		if a.Operation != "CREATE" {
			return fmt.Errorf("unexpected operation %s", a.Operation)
		}
		name := a.Name
		if name == "" {
			if name = untyped.At[string](r.object, "metadata", "name"); name == "" {
				return errors.New("could not determine pod from request data")
			}
		}
		return r.onNode(name, node, fmt.Errorf("node %s can only evict pods with spec.nodeName set to itself", node))
	}
	return fmt.Errorf("unexpected pod subresource %q, only 'status' and 'eviction' are allowed", a.SubResource)
}

// onNode rejects with an error when a Pod does not run on a node.
func (r *request) onNode(name, node string, elsewhere error) error {
	pod, err := r.pod(name)
	if err != nil {
		return err
	}
	if text(untyped.Sub(pod, "spec"), "nodeName") != node {
		return elsewhere
	}
	return nil
}

// pod finds a Pod in the cluster text, or in the request that is about it.
func (r *request) pod(name string) (map[string]any, error) {
	if o, ok := r.Cluster.Get(podKind, r.Attributes.Namespace, name); ok {
		return o.Value, nil
	}
	if old := r.Attributes.OldObject; old != nil && r.Attributes.Kind.GroupKind() == podKind && name == r.Attributes.Name {
		return old, nil
	}
	if r.Attributes.SubResource == "eviction" {
		r.NotSimulated(fmt.Sprintf("The scenario's cluster has no Pod %s/%s, which the request evicts; it is assumed to exist, without a node.", r.Attributes.Namespace, name))
		return map[string]any{}, nil
	}
	return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "pod"}, name)
}

func (r *request) node(name string) (cluster.Object, error) {
	if o, ok := r.Cluster.Get(nodeKind, "", name); ok {
		return o, nil
	}
	return cluster.Object{}, apierrors.NewNotFound(schema.GroupResource{Resource: "node"}, name)
}

func (r *request) restrictNewPod(node string) error {
	if _, mirror := annotation(r.object, mirrorAnnotation); !mirror {
		return fmt.Errorf("pod does not have %q annotation, node %q can only create mirror pods", mirrorAnnotation, node)
	}
	if text(r.spec(), "nodeName") != node {
		return fmt.Errorf("node %q can only create pods with spec.nodeName set to itself", node)
	}
	owners := untyped.Items(r.metadata()["ownerReferences"])
	if len(owners) > 1 {
		return fmt.Errorf("node %q can only create pods with a single owner reference set to itself", node)
	}
	if len(owners) == 0 || text(owners[0], "apiVersion") != "v1" || text(owners[0], "kind") != "Node" || text(owners[0], "name") != node {
		return fmt.Errorf("node %q can only create pods with an owner reference set to itself", node)
	}
	owner := owners[0]
	if owner["controller"] != true {
		return fmt.Errorf("node %q can only create pods with a controller owner reference set to itself", node)
	}
	if owner["blockOwnerDeletion"] == true {
		return fmt.Errorf("node %q must not set blockOwnerDeletion on an owner reference", node)
	}
	o, err := r.node(node)
	if err != nil {
		return err
	}
	if uid := untyped.At[string](o.Value, "metadata", "uid"); text(owner, "uid") != uid {
		return fmt.Errorf("node %s UID mismatch: expected %s got %s", node, text(owner, "uid"), uid)
	}
	if what := r.referenced(); what != "" {
		if !r.Version.Has(version.MirrorPodReferences) {
			return r.olderReference(node)
		}
		return fmt.Errorf("node %q can not create pods that reference %s", node, what)
	}
	return nil
}

func (r *request) restrictPodStatus(node string) error {
	a := &r.Attributes
	if a.Operation != "UPDATE" {
		return fmt.Errorf("unexpected operation %q", a.Operation)
	}
	if text(r.oldSpec(), "nodeName") != node {
		return fmt.Errorf("node %q can only update pod status for pods with spec.nodeName set to itself", node)
	}
	if !reflect.DeepEqual(untyped.Labels(a.OldObject), untyped.Labels(r.object)) {
		return fmt.Errorf("node %q cannot update labels through pod status", node)
	}
	status, old := untyped.Sub(r.object, "status"), untyped.Sub(a.OldObject, "status")
	if !reflect.DeepEqual(list(status, "resourceClaimStatuses"), list(old, "resourceClaimStatuses")) {
		return fmt.Errorf("node %q cannot update resource claim statues", node)
	}
	if !reflect.DeepEqual(untyped.Sub(status, "extendedResourceClaimStatus"), untyped.Sub(old, "extendedResourceClaimStatus")) {
		return fmt.Errorf("node %q cannot update extended resource claim status", node)
	}
	return nil
}

func (r *request) restrictNode(node string) error {
	a := &r.Attributes
	if a.Name != node {
		return fmt.Errorf("node %q is not allowed to modify node %q", node, a.Name)
	}
	spec, old := untyped.Sub(r.object, "spec"), r.oldSpec()
	switch a.Operation {
	case "CREATE":
		if spec["configSource"] != nil {
			return fmt.Errorf("node %q is not allowed to create pods with a non-nil configSource", node)
		}
		if forbidden := forbiddenLabels(untyped.Labels(r.object), nil); len(forbidden) > 0 {
			return fmt.Errorf("node %q is not allowed to set the following labels: %s", node, strings.Join(forbidden, ", "))
		}
	case "UPDATE":
		if source := spec["configSource"]; source != nil && !reflect.DeepEqual(source, old["configSource"]) {
			return fmt.Errorf("node %q is not allowed to update configSource to a new non-nil configSource", node)
		}
		if !sameList(spec, old, "taints") {
			return fmt.Errorf("node %q is not allowed to modify taints", node)
		}
		if r.Version.Has(version.NodeOwnerReferences) && !sameList(untyped.Sub(r.object, "metadata"), untyped.Sub(a.OldObject, "metadata"), "ownerReferences") {
			return fmt.Errorf("node %q is not allowed to modify ownerReferences", node)
		}
		if forbidden := forbiddenLabels(untyped.Labels(r.object), untyped.Labels(a.OldObject)); len(forbidden) > 0 {
			return fmt.Errorf("is not allowed to modify labels: %s", strings.Join(forbidden, ", "))
		}
	}
	return nil
}

// sameList compares two lists; an empty one and none are the same.
func sameList(a, b map[string]any, field string) bool {
	x, y := list(a, field), list(b, field)
	return len(x) == 0 && len(y) == 0 || reflect.DeepEqual(x, y)
}

// kubeletLabels are those of kubernetes.io and k8s.io that a kubelet may set on
// its node, besides the prefixes kubelet.kubernetes.io and node.kubernetes.io.
var kubeletLabels = []string{
	"kubernetes.io/hostname", "topology.kubernetes.io/zone", "topology.kubernetes.io/region",
	"failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region",
	"beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type",
	"kubernetes.io/os", "kubernetes.io/arch", "beta.kubernetes.io/os", "beta.kubernetes.io/arch",
}

// forbiddenLabels are the labels that differ and that a kubelet may not set, in
// order: among them all of node-restriction.kubernetes.io.
func forbiddenLabels(labels, old map[string]string) []string {
	changed := map[string]bool{}
	for key, value := range labels {
		if before, ok := old[key]; !ok || before != value {
			changed[key] = true
		}
	}
	for key := range old {
		if _, ok := labels[key]; !ok {
			changed[key] = true
		}
	}
	return slices.DeleteFunc(sorted(changed), func(key string) bool {
		prefix, _, found := strings.Cut(key, "/")
		if !found {
			return true
		}
		kubernetes := within(prefix, "kubernetes.io") || within(prefix, "k8s.io")
		allowed := slices.Contains(kubeletLabels, key) || within(prefix, "kubelet.kubernetes.io") || within(prefix, "node.kubernetes.io")
		return !kubernetes || allowed
	})
}

// within reports whether a domain is another one or a part of it.
func within(domain, other string) bool {
	return domain == other || strings.HasSuffix(domain, "."+other)
}
