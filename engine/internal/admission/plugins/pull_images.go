package plugins

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
)

// alwaysPull makes the images of a Pod be pulled at each start, so that nobody runs one that a node has
// pulled for others. It ignores updates that bring no new image.
var alwaysPull = plugin{
	name:       "AlwaysPullImages",
	operations: []string{"CREATE", "UPDATE"},
	resources:  []schema.GroupResource{pods},
	validates:  []schema.GroupResource{pods},
	admit: func(r *request) error {
		if !r.bringsImages() {
			return r.nothing("the Pod gets no new image")
		}
		r.visitImages(func(_ *field.Path, of map[string]any, policy string) { of[policy] = pullAlways })
		r.reason = "images are always pulled"
		return nil
	},
	validate: func(r *request) error {
		if !r.bringsImages() {
			return r.nothing("the Pod gets no new image")
		}
		var errs []error
		r.visitImages(func(path *field.Path, of map[string]any, policy string) {
			if given := text(of, policy); given != pullAlways {
				errs = append(errs, r.Forbidden(field.NotSupported(path.Child(policy), given, []string{pullAlways})))
			}
		})
		r.reason = "images are always pulled"
		if len(errs) == 0 {
			return nil
		}
		return internal(utilerrors.NewAggregate(errs))
	},
}

const pullAlways = "Always"

// imageFields are the lists of containers in the server's order.
var imageFields = []string{"initContainers", "containers", "ephemeralContainers"}

// bringsImages reports whether the Pod runs an image that it did not run before.
func (r *request) bringsImages() bool {
	var known []string
	for _, name := range imageFields {
		for _, c := range untyped.Items(r.oldSpec()[name]) {
			known = append(known, text(c, "image"))
		}
	}
	return r.Attributes.Operation == "CREATE" || slices.ContainsFunc(imageFields, func(name string) bool {
		return slices.ContainsFunc(untyped.Items(r.spec()[name]), func(c map[string]any) bool { return !slices.Contains(known, text(c, "image")) })
	})
}

// visitImages visits whatever has an image, with the field that says when it is pulled.
func (r *request) visitImages(visit func(path *field.Path, of map[string]any, policy string)) {
	spec := field.NewPath("spec")
	for _, name := range imageFields {
		for i, c := range untyped.Items(r.spec()[name]) {
			visit(spec.Child(name).Index(i), c, "imagePullPolicy")
		}
	}
	for i, v := range untyped.Items(r.spec()["volumes"]) {
		if image, ok := v["image"].(map[string]any); ok {
			visit(spec.Child("volumes").Index(i).Child("image"), image, "pullPolicy")
		}
	}
}

// spreadOverNodes lets Pods keep away from others by node only.
var spreadOverNodes = plugin{
	name:       "LimitPodHardAntiAffinityTopology",
	operations: []string{"CREATE", "UPDATE"},
	validates:  []schema.GroupResource{pods},
	validate: func(r *request) error {
		for _, term := range untyped.Items(r.spec(), "affinity", "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution") {
			if key := text(term, "topologyKey"); key != hostname {
				return r.refused(fmt.Errorf("affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey %v but only key %v is allowed", key, hostname))
			}
		}
		return r.nothing("the Pod has no other required anti-affinity than by node")
	},
}

const hostname = "kubernetes.io/hostname"
