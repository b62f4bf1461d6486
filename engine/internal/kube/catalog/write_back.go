package catalog

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Annotations in which apps/v1 shows numbers that only the internal version has
// fields for.
const (
	daemonSetGeneration = "deprecated.daemonset.template.generation"
	deploymentRollback  = "deprecated.deployment.rollback.to"
)

// WriteBack makes what policies or webhooks changed the object of the request
// again. changed is of the kind from, before is the object of the request up to
// then, and of the kind to, as the result is.
//
// The server converts into the internal object that it has, and does not empty
// it first. So what only the internal version has a field for outlives the
// annotation that shows it: who removes targetCPUUtilizationPercentage from an
// autoscaling/v1 HorizontalPodAutoscaler finds it there again. Two kinds have
// such fields. (Found by converting random objects of all kinds into others.)
//
// A patch may have made changed another kind than from, from which there is a
// way only if it is another version of the same objects. An error is that of
// the conversion, in the server's words.
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
		text := textAt(object, "metadata", "annotations", deploymentRollback)
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

// writeBackCustom does without webhooks: it only writes another apiVersion, and
// keeps the kind that the object has. A patch may have changed both.
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

// internalPackage is the Go package of the internal types of a group.
func internalPackage(group string) string {
	if group == "" {
		return "core"
	}
	name, _, _ := strings.Cut(group, ".")
	return name
}

// KindOf is the kind that an object says to be of; what it leaves out is taken
// from fallback.
func KindOf(object map[string]any, fallback schema.GroupVersionKind) schema.GroupVersionKind {
	apiVersion, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	return completed(schema.FromAPIVersionAndKind(apiVersion, kind), fallback)
}

// WithKind is an object that says of which kind it is, as one does that has been
// through the internal version. The object given is not changed.
func WithKind(object map[string]any, kind schema.GroupVersionKind) map[string]any {
	apiVersion, name := kind.ToAPIVersionAndKind()
	if object["apiVersion"] == apiVersion && object["kind"] == name {
		return object
	}
	object = maps.Clone(object)
	object["apiVersion"], object["kind"] = apiVersion, name
	return object
}

// DefaultPatched gives an object the defaults of the kind that it says to be of,
// after a patch of one that was of a kind. Custom objects that are of another
// kind then have none. An object of a built-in kind is changed.
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

// writeBackHPA goes by way of v2, which has all fields of the internal version.
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
	annotations := makeMap(makeMap(object, "metadata"), "annotations")
	text, exists := annotations[daemonSetGeneration].(string)
	if !exists {
		if number, ok := mapAt(before, "metadata", "annotations")[daemonSetGeneration]; ok {
			annotations[daemonSetGeneration] = number
		}
		return nil
	}
	_, err := strconv.ParseInt(text, 10, 64)
	return err
}

// TemplateGeneration is what only the internal version of a DaemonSet has a field
// for, 0 when the annotation that shows it is missing or no number.
func TemplateGeneration(daemonSet map[string]any) int64 {
	number, err := strconv.ParseInt(textAt(daemonSet, "metadata", "annotations", daemonSetGeneration), 10, 64)
	if err != nil {
		return 0
	}
	return number
}
