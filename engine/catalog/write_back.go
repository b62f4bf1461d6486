package catalog

import (
	"fmt"
	"strconv"

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
// An error is that of the conversion, in the server's words.
func (c *Catalog) WriteBack(changed map[string]any, from schema.GroupVersionKind, before map[string]any, to schema.GroupVersionKind) (map[string]any, error) {
	object := runtime.DeepCopyJSON(changed)
	switch {
	case !c.builtinKind(from):
	case from == hpaKind("v1"):
		return c.writeBackHPA(object, before, to)
	case from == hpaKind("v2"):
		return c.Convert(c.Roundtrip(from, object), from, to) // v1 would add a metric on the way
	case from.Group == "apps" && from.Kind == "DaemonSet":
		if err := writeBackGeneration(object, before); err != nil {
			return nil, err
		}
	case from.Group == "apps" && from.Kind == "Deployment":
		text := textAt(object, "metadata", "annotations", deploymentRollback)
		if _, err := strconv.ParseInt(text, 10, 64); err != nil && text != "" {
			return nil, fmt.Errorf("failed to parse annotation[%s]=%s as int64: %v", deploymentRollback, text, err)
		}
	}
	if from != to {
		var err error
		if object, err = c.Convert(object, from, to); err != nil {
			return nil, err
		}
	}
	return c.Roundtrip(to, object), nil
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
