package plugins

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/preadmit/preadmit/engine/internal/kube/podresources"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
)

// The annotations with which a Namespace says where its Pods may run.
const (
	annotationSelector     = "scheduler.alpha.kubernetes.io/node-selector"
	annotationTolerations  = "scheduler.alpha.kubernetes.io/defaultTolerations"
	annotationMayTolerated = "scheduler.alpha.kubernetes.io/tolerationsWhitelist"
)

// nodeSelector gives a new Pod the node selector of its Namespace.
var nodeSelector = plugin{
	name:       "PodNodeSelector",
	operations: []string{"CREATE"},
	resources:  []schema.GroupResource{pods},
	validates:  []schema.GroupResource{pods},
	admit: func(r *request) error {
		selector, err := r.namespaceSelector()
		if err != nil || len(selector) == 0 {
			return err
		}
		r.reason = "the Pod gets the node selector of its Namespace"
		for key, value := range selector {
			untyped.Child(r.spec(), "nodeSelector")[key] = value
		}
		return nil
	},
	validate: func(r *request) error {
		_, err := r.namespaceSelector()
		return err
	},
}

// namespaceSelector is the node selector of the Namespace, with which that of the Pod may not conflict.
func (r *request) namespaceSelector() (labels.Set, error) {
	given, _ := r.ofNamespace(annotationSelector)
	selector, err := labels.ConvertSelectorToLabelsMap(given)
	if err != nil {
		return nil, internal(err)
	}
	for key, value := range untyped.Sub(r.spec(), "nodeSelector") {
		if own, some := selector[key]; some && own != value {
			return nil, r.refused(errors.New("pod node label selector conflicts with its namespace node label selector"))
		}
	}
	if len(selector) == 0 {
		return nil, r.nothing("the Namespace has no node selector")
	}
	return selector, nil
}

// ofNamespace is an annotation of the Namespace of the request.
func (r *request) ofNamespace(name string) (string, bool) {
	namespace, _, _ := r.Cluster.Namespace(r.Attributes.Namespace)
	return annotation(namespace, name)
}

// refused is the rejection that names the Pod as its metadata does, without a generated name.
func (r *request) refused(err error) error {
	return apierrors.NewForbidden(r.Attributes.Resource.GroupResource(), text(r.metadata(), "name"), err)
}

// podTolerations gives a Pod the tolerations of its Namespace, and rejects those that the Namespace does
// not allow.
var podTolerations = plugin{
	name:       "PodTolerationRestriction",
	operations: []string{"CREATE", "UPDATE"},
	resources:  []schema.GroupResource{pods},
	validates:  []schema.GroupResource{pods},
	admit: func(r *request) error {
		var more []map[string]any
		if r.Attributes.Operation == "CREATE" {
			var err error
			if more, err = r.tolerationsOf(annotationTolerations); err != nil {
				return err
			}
		}
		if podresources.QOS(r.spec(), r.Version) != "BestEffort" {
			more = append(more, map[string]any{"key": "node.kubernetes.io/memory-pressure", "operator": "Exists", "effect": "NoSchedule"})
		}
		if len(more) > 0 {
			r.reason = "the Pod gets the tolerations of its Namespace and class of service"
			r.spec()["tolerations"] = mergeTolerations(append(untyped.Items(r.spec()["tolerations"]), more...))
		}
		return r.checkTolerations()
	},
	validate: (*request).checkTolerations,
}

func (r *request) tolerationsOf(name string) (out []map[string]any, err error) {
	if given, _ := r.ofNamespace(name); given != "" {
		err = json.Unmarshal([]byte(given), &out)
	}
	for _, t := range out {
		if seconds, ok := t["tolerationSeconds"].(float64); ok {
			t["tolerationSeconds"] = int64(seconds)
		}
	}
	return out, internal(err)
}

// checkTolerations rejects tolerations that the Namespace does not list.
func (r *request) checkTolerations() error {
	allowed, err := r.tolerationsOf(annotationMayTolerated)
	if err != nil || len(allowed) == 0 {
		return err
	}
	for _, t := range untyped.Items(r.spec()["tolerations"]) {
		if !slices.ContainsFunc(allowed, func(wide map[string]any) bool { return includes(wide, t) }) {
			return internal(errors.New("pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist"))
		}
	}
	return nil
}

// resourceTolerations lets a Pod run on nodes that are kept for the extended resources that it asks for.
var resourceTolerations = plugin{
	name:       "ExtendedResourceToleration",
	operations: []string{"CREATE", "UPDATE"},
	resources:  []schema.GroupResource{pods},
	admit: func(r *request) error {
		asked := map[string]bool{}
		for _, field := range []string{"containers", "initContainers"} {
			for _, c := range untyped.Items(r.spec()[field]) {
				for name := range untyped.Sub(c, "resources", "requests") {
					if !native(name) && !strings.HasPrefix(name, requestsPrefix) && len(validation.IsQualifiedName(requestsPrefix+name)) == 0 {
						asked[name] = true
					}
				}
			}
		}
		if len(asked) == 0 {
			return r.nothing("the Pod asks for no extended resource")
		}
		for _, name := range sorted(asked) {
			r.tolerate(map[string]any{"key": name, "operator": "Exists", "effect": "NoSchedule"})
		}
		r.reason = "the Pod tolerates the taints of its extended resources"
		return nil
	},
}

// tolerate adds a toleration, unless the Pod has it.
func (r *request) tolerate(t map[string]any) {
	has := func(given map[string]any) bool {
		return text(given, "key") == text(t, "key") && text(given, "effect") == text(t, "effect") && text(given, "operator") == text(t, "operator") && text(given, "value") == ""
	}
	given := untyped.Items(r.spec()["tolerations"])
	if i := slices.IndexFunc(given, has); i >= 0 {
		if given[i]["tolerationSeconds"] != nil {
			list(r.spec(), "tolerations")[i] = t
		}
		return
	}
	r.spec()["tolerations"] = append(list(r.spec(), "tolerations"), t)
}
