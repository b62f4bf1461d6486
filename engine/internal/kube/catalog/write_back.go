package catalog

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Annotations in which apps/v1 shows numbers that only the internal version has fields for.
const (
	daemonSetGeneration = "deprecated.daemonset.template.generation"
	deploymentRollback  = "deprecated.deployment.rollback.to"
)

// WriteBack converts the object that policies or webhooks changed back to the request's kind.
// changed has the kind from. before is the request's object until then. before and the result have
// the kind to.
//
// The server converts into its existing internal object without clearing it first. So a field that
// only the internal version has survives the removal of the annotation that shows it. If someone
// removes targetCPUUtilizationPercentage from an autoscaling/v1 HorizontalPodAutoscaler, it
// reappears. Two kinds have such fields. (Found by converting random objects of all kinds.)
//
// A patch may have changed the kind. That converts only to another version of the same objects.
// Errors are the conversion's, in the server's words.
func (c *Catalog) WriteBack(changed map[string]any, from schema.GroupVersionKind, before map[string]any, to schema.GroupVersionKind) (map[string]any, error) {
	if _, custom := c.crds.versions[from]; custom {
		return c.writeBackCustom(changed, from.Kind, to.GroupVersion())
	}
	actual := KindOf(changed, from)
	if !c.SameObjects(actual, from) {
		return nil, fmt.Errorf("converting (%s.%s) to (%s.%s): unknown conversion", actual.Version, actual.Kind, internalPackage(to.Group), to.Kind)
	}
	object := runtime.DeepCopyJSON(WithKind(changed, actual))
	switch {
	case actual == hpaKind("v1"):
		return c.writeBackHPA(object, before, to)
	case actual == hpaKind("v2"):
		return c.Convert(c.Roundtrip(actual, object), actual, to) // v1 would add a metric on the way
	case actual.Group == "apps" && actual.Kind == "DaemonSet":
		if err := writeBackGeneration(object, before); err != nil {
			return nil, err
		}
	case actual.Group == "apps" && actual.Kind == "Deployment":
		text := untyped.At[string](object, "metadata", "annotations", deploymentRollback)
		if _, err := strconv.ParseInt(text, 10, 64); err != nil && text != "" {
			return nil, fmt.Errorf("failed to parse annotation[%s]=%s as int64: %v", deploymentRollback, text, err)
		}
	}
	if actual != to {
		var err error
		if object, err = c.Convert(object, actual, to); err != nil {
			return nil, err
		}
	}
	return c.roundtripOwn(to, object), nil
}

// writeBackCustom converts without webhooks: it only changes apiVersion and keeps the object's
// kind. A patch may have changed both.
func (c *Catalog) writeBackCustom(changed map[string]any, kind string, to schema.GroupVersion) (map[string]any, error) {
	from := KindOf(changed, schema.GroupVersionKind{})
	if from.Group != to.Group {
		return nil, fmt.Errorf("%v is unstructured and is not suitable for converting to %q", from, to)
	}
	if _, served := c.crds.versions[from.GroupVersion().WithKind(kind)]; !served {
		return nil, fmt.Errorf("request to convert CR from an invalid group/version: %v", from.GroupVersion())
	}
	return WithKind(changed, to.WithKind(from.Kind)), nil
}

// internalPackage returns the Go package of a group's internal types.
func internalPackage(group string) string {
	if group == "" {
		return "core"
	}
	name, _, _ := strings.Cut(group, ".")
	return name
}

// KindOf returns an object's kind. Missing parts come from fallback.
func KindOf(object map[string]any, fallback schema.GroupVersionKind) schema.GroupVersionKind {
	apiVersion, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	return completed(schema.FromAPIVersionAndKind(apiVersion, kind), fallback)
}

// WithKind returns a copy with apiVersion and kind set, as after conversion to the internal
// version.
func WithKind(object map[string]any, kind schema.GroupVersionKind) map[string]any {
	apiVersion, name := kind.ToAPIVersionAndKind()
	if object["apiVersion"] == apiVersion && object["kind"] == name {
		return object
	}
	object = maps.Clone(object)
	object["apiVersion"], object["kind"] = apiVersion, name
	return object
}

// DefaultPatched sets the defaults of an object's kind after a patch. kind is the one before the
// patch. Custom objects whose kind changed get no defaults. A built-in object is changed in place.
func (c *Catalog) DefaultPatched(kind schema.GroupVersionKind, object map[string]any) map[string]any {
	actual := KindOf(object, kind)
	if _, served := c.crds.versions[actual]; !served && !c.builtinKind(kind) {
		return object
	}
	if _, custom := c.crds.versions[actual]; custom {
		return c.Default(actual, object)
	}
	return c.defaultBuiltin(actual, object)
}

func hpaKind(version string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "autoscaling", Version: version, Kind: "HorizontalPodAutoscaler"}
}

// writeBackHPA converts through v2, which has all fields of the internal version.
func (c *Catalog) writeBackHPA(object, before map[string]any, to schema.GroupVersionKind) (map[string]any, error) {
	internal, err := c.Convert(before, to, hpaKind("v2"))
	if err != nil {
		return nil, err
	}
	c.hpaToV2(object, internal)
	object["apiVersion"] = "autoscaling/v2"
	t, _ := c.TypeOf(hpaKind("v2"))
	return c.Convert(normalise(t, false, object).(map[string]any), hpaKind("v2"), to)
}

func writeBackGeneration(object, before map[string]any) error {
	annotations := untyped.Child(untyped.Child(object, "metadata"), "annotations")
	text, exists := annotations[daemonSetGeneration].(string)
	if !exists {
		if number, ok := untyped.Sub(before, "metadata", "annotations")[daemonSetGeneration]; ok {
			annotations[daemonSetGeneration] = number
		}
		return nil
	}
	_, err := strconv.ParseInt(text, 10, 64)
	return err
}

// TemplateGeneration returns the DaemonSet field that only the internal version has. It is 0 if the
// annotation that shows it is missing or not a number.
func TemplateGeneration(daemonSet map[string]any) int64 {
	number, err := strconv.ParseInt(untyped.At[string](daemonSet, "metadata", "annotations", daemonSetGeneration), 10, 64)
	if err != nil {
		return 0
	}
	return number
}
