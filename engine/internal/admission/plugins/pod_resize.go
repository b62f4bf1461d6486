package plugins

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/kube/podresources"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
)

// podResize rejects a resize of a running Pod that its node has no room for.
var podResize = plugin{
	name:         "PodResizeValidator",
	operations:   []string{"UPDATE"},
	validates:    []schema.GroupResource{pods},
	subresources: []string{"resize"},
	validate: func(r *request) error {
		name := text(r.spec(), "nodeName")
		if r.Attributes.SubResource != "resize" || name == "" || untyped.Sub(r.object, "metadata")["generation"] == untyped.Sub(r.Attributes.OldObject, "metadata")["generation"] {
			return r.nothing("no running Pod is resized")
		}
		node, ok := r.Cluster.Get(nodeKind, "", name)
		switch {
		case !ok && r.proven:
			return r.nothing("the scenario's cluster does not have the Node of the captured request")
		case !ok:
			return fmt.Errorf("node %q not found", name)
		}
		r.reason = fmt.Sprintf("the Node %s has room for the Pod", name)
		if os, ok := untyped.Labels(node.Value)["kubernetes.io/os"]; ok && os != "linux" {
			return r.resizeRefused(fmt.Errorf("pod resize is only supported on linux nodes, node %q is %q", name, os), "UnsupportedPlatform")
		}
		return r.resizeFits(node.Value)
	},
}

func (r *request) resizeFits(node map[string]any) error {
	room := podresources.Of(untyped.Sub(node, "status")["allocatable"])
	asked := podresources.Sum(r.spec(), "requests", r.Version)
	asked.Add(podresources.Of(r.spec()["overhead"]))
	var missing string
	for _, name := range []string{"cpu", "memory"} {
		want, have := asked[name], room[name]
		if want.Cmp(have) <= 0 {
			continue
		}
		if missing != "" {
			missing += "; "
		}
		if name == "cpu" {
			missing += fmt.Sprintf("cpu, requested: %d, allocatable: %d", want.MilliValue(), have.MilliValue())
		} else {
			missing += fmt.Sprintf("memory, requested: %d, allocatable: %d", want.Value(), have.Value())
		}
	}
	if missing == "" {
		return nil
	}
	return r.resizeRefused(fmt.Errorf("node didn't have enough allocatable resources: %s", missing), "NodeCapacity")
}

func (r *request) resizeRefused(err error, cause metav1.CauseType) *apierrors.StatusError {
	status := r.Forbidden(err)
	status.ErrStatus.Details.Causes = append(status.ErrStatus.Details.Causes, metav1.StatusCause{Type: cause})
	return status
}
