package plugins

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
)

var nodeKind = schema.GroupKind{Kind: "Node"}

// taintNodes keeps Pods away from a new node until it is ready.
var taintNodes = plugin{
	name:       "TaintNodesByCondition",
	operations: []string{"CREATE"},
	resources:  []schema.GroupResource{nodes},
	admit: func(r *request) error {
		spec := r.spec()
		for _, taint := range untyped.Items(spec["taints"]) {
			if text(taint, "key") == taintNotReady && text(taint, "effect") == "NoSchedule" {
				return nil
			}
		}
		spec["taints"] = append(list(spec, "taints"), map[string]any{"key": taintNotReady, "effect": "NoSchedule"})
		r.reason = "a new node is assumed not to be ready"
		return nil
	},
}

// topologyLabels copies zone and region of its node to a Pod that is created
// with one, and to the Binding that gives it one. An unknown node is ignored.
var topologyLabels = plugin{
	name:         "PodTopologyLabels",
	operations:   []string{"CREATE"},
	resources:    []schema.GroupResource{pods},
	subresources: []string{"binding"},
	admit: func(r *request) error {
		name := ""
		if r.Attributes.SubResource == "" {
			name = text(untyped.Sub(r.object, "spec"), "nodeName")
		} else if target := untyped.Sub(r.object, "target"); text(target, "kind") == "Node" {
			name = text(target, "name")
		}
		if name == "" {
			return r.nothing("the Pod gets no node here")
		}
		node, ok := r.Cluster.Get(nodeKind, "", name)
		if !ok {
			r.NotSimulated(fmt.Sprintf("The scenario's cluster has no Node %s: the Pod would get its zone and region labels.", name))
			return r.nothing("the scenario's cluster has no Node " + name)
		}
		labels := untyped.Labels(node.Value)
		for _, key := range []string{"topology.kubernetes.io/region", "topology.kubernetes.io/zone"} {
			if value, ok := labels[key]; ok {
				untyped.Child(r.metadata(), "labels")[key] = value
				r.reason = fmt.Sprintf("the Pod gets the zone and region of Node %s", name)
			}
		}
		if r.reason == "" {
			return r.nothing("the Node has no zone or region labels")
		}
		return nil
	},
}
