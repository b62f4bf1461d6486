package catalog

import (
	"encoding/json"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// HorizontalPodAutoscaler v1 only has a field for the CPU target. Annotations hold everything else
// from v2 as JSON: metrics and conditions in v1 form, behavior in the form of the server's internal
// type, whose field names are capitalised.

const (
	hpaMetrics        = "autoscaling.alpha.kubernetes.io/metrics"
	hpaCurrentMetrics = "autoscaling.alpha.kubernetes.io/current-metrics"
	hpaConditions     = "autoscaling.alpha.kubernetes.io/conditions"
	hpaBehavior       = "autoscaling.alpha.kubernetes.io/behavior"
)

// hpaAnnotations are dropped in every conversion.
var hpaAnnotations = []string{
	hpaMetrics, hpaCurrentMetrics, hpaConditions, hpaBehavior,
	"autoscaling.alpha.kubernetes.io/scale-down-tolerance", "autoscaling.alpha.kubernetes.io/scale-up-tolerance",
}

// defaultCPUUtilization is the target of an autoscaler without metrics.
const defaultCPUUtilization = int64(80)

// hpaField is a field with different paths in v1 and v2.
type hpaField struct{ v1, v2 string }

// hpaMetricFields lists a metric's fields by kind; hpaStatusFields lists those of its current
// value.
var (
	hpaMetricFields = map[string][]hpaField{
		"resource":          {{"name", "name"}, {"targetAverageUtilization", "target.averageUtilization"}, {"targetAverageValue", "target.averageValue"}},
		"containerResource": {{"name", "name"}, {"container", "container"}, {"targetAverageUtilization", "target.averageUtilization"}, {"targetAverageValue", "target.averageValue"}},
		"pods":              {{"metricName", "metric.name"}, {"selector", "metric.selector"}, {"targetAverageValue", "target.averageValue"}},
		"object": {
			{"metricName", "metric.name"}, {"selector", "metric.selector"}, {"targetValue", "target.value"}, {"averageValue", "target.averageValue"},
			{"target.kind", "describedObject.kind"}, {"target.name", "describedObject.name"}, {"target.apiVersion", "describedObject.apiVersion"},
		},
		"external": {{"metricName", "metric.name"}, {"metricSelector", "metric.selector"}, {"targetValue", "target.value"}, {"targetAverageValue", "target.averageValue"}},
	}
	hpaStatusFields = map[string][]hpaField{
		"resource":          {{"name", "name"}, {"currentAverageUtilization", "current.averageUtilization"}, {"currentAverageValue", "current.averageValue"}},
		"containerResource": {{"name", "name"}, {"container", "container"}, {"currentAverageUtilization", "current.averageUtilization"}, {"currentAverageValue", "current.averageValue"}},
		"pods":              {{"metricName", "metric.name"}, {"selector", "metric.selector"}, {"currentAverageValue", "current.averageValue"}},
		"object": {
			{"metricName", "metric.name"}, {"selector", "metric.selector"}, {"currentValue", "current.value"}, {"averageValue", "current.averageValue"},
			{"target.kind", "describedObject.kind"}, {"target.name", "describedObject.name"}, {"target.apiVersion", "describedObject.apiVersion"},
		},
		"external": {{"metricName", "metric.name"}, {"metricSelector", "metric.selector"}, {"currentValue", "current.value"}, {"currentAverageValue", "current.averageValue"}},
	}
)

// convertHPA converts an autoscaler from one version to the other.
func (c *Catalog) convertHPA(hpa map[string]any, from, to string) error {
	switch {
	case from == "v1" && to == "v2":
		c.hpaToV2(hpa, nil)
	case from == "v2" && to == "v1":
		return c.hpaToV1(hpa)
	}
	return nil
}

// isCPUUtilization reports whether v1 has a field for a v2 metric.
func isCPUUtilization(metric map[string]any) bool {
	return untyped.At[string](metric, "type") == "Resource" && untyped.At[string](metric, "resource", "name") == "cpu" &&
		untyped.At[any](metric, "resource", "target", "averageUtilization") != nil
}

func (c *Catalog) hpaToV1(hpa map[string]any) error {
	dropHPAAnnotations(hpa)
	spec, status := untyped.Child(hpa, "spec"), untyped.Child(hpa, "status")
	other := []any{}
	for _, metric := range untyped.Items(spec, "metrics") {
		if !isCPUUtilization(metric) {
			other = append(other, moveFields(metric, hpaMetricFields, false))
		} else if spec["targetCPUUtilizationPercentage"] == nil {
			spec["targetCPUUtilizationPercentage"] = untyped.At[any](metric, "resource", "target", "averageUtilization")
		}
	}
	current := []any{}
	for _, metric := range untyped.Items(status, "currentMetrics") {
		if value := untyped.At[any](metric, "resource", "current", "averageUtilization"); untyped.At[string](metric, "type") == "Resource" && untyped.At[string](metric, "resource", "name") == "cpu" && value != nil {
			status["currentCPUUtilizationPercentage"] = value
		}
		current = append(current, moveFields(metric, hpaStatusFields, false))
	}
	conditions, _ := status["conditions"].([]any)
	for _, list := range []struct {
		annotation, typeID string
		items              []any
	}{
		{hpaMetrics, "autoscaling/v1.MetricSpec", other},
		{hpaCurrentMetrics, "autoscaling/v1.MetricStatus", current},
		{hpaConditions, "autoscaling/v1.HorizontalPodAutoscalerCondition", conditions},
	} {
		if len(list.items) == 0 {
			continue
		}
		t := &Type{Kind: List, Elem: c.named(list.typeID)}
		text, err := encodeOrdered(t, normalise(t, false, list.items))
		if err != nil {
			return err
		}
		annotate(hpa, list.annotation, text)
	}
	if behavior := untyped.Sub(spec, "behavior"); behavior != nil {
		text, err := c.internalBehavior(behavior)
		if err != nil {
			return err
		}
		annotate(hpa, hpaBehavior, text)
	}
	return nil
}

func annotate(object map[string]any, name, value string) {
	untyped.Child(untyped.Child(object, "metadata"), "annotations")[name] = value
}

// hpaToV2 converts an autoscaler to v2. Fields that v1 lacks keep their value from before, a v2
// autoscaler, if given (see WriteBack).
func (c *Catalog) hpaToV2(hpa, before map[string]any) {
	annotations := untyped.Sub(hpa, "metadata", "annotations")
	spec, status := untyped.Child(hpa, "spec"), untyped.Child(hpa, "status")
	spec["metrics"] = c.hpaMetricsOf(spec, annotations, untyped.Items(before, "spec", "metrics"))
	delete(spec, "targetCPUUtilizationPercentage")
	if behavior := c.publicBehavior(untyped.At[string](annotations, hpaBehavior)); behavior != nil {
		spec["behavior"] = behavior
	} else {
		spec["behavior"] = untyped.At[any](before, "spec", "behavior")
	}
	status["currentMetrics"] = untyped.At[any](before, "status", "currentMetrics")
	if value := status["currentCPUUtilizationPercentage"]; value != nil {
		status["currentMetrics"] = []any{cpuMetric("current", "", value)}
		delete(status, "currentCPUUtilizationPercentage")
	}
	if list := c.annotatedList(annotations, hpaCurrentMetrics, "autoscaling/v1.MetricStatus"); list != nil {
		var current []any
		for _, metric := range list {
			current = append(current, moveFields(metric, hpaStatusFields, true))
		}
		status["currentMetrics"] = current
	}
	status["conditions"] = untyped.At[any](before, "status", "conditions")
	if list := c.annotatedList(annotations, hpaConditions, "autoscaling/v1.HorizontalPodAutoscalerCondition"); list != nil {
		var conditions []any
		for _, condition := range list {
			conditions = append(conditions, condition)
		}
		status["conditions"] = conditions
	}
	dropHPAAnnotations(hpa)
}

// hpaMetricsOf returns the v2 metrics of a v1 autoscaler. The server uses at most one existing
// metric. If the annotation has other metrics, the server leaves empty ones for the rest.
func (c *Catalog) hpaMetricsOf(spec, annotations map[string]any, before []map[string]any) []any {
	if target := spec["targetCPUUtilizationPercentage"]; target != nil {
		before = []map[string]any{cpuMetric("target", "Utilization", target)}
	}
	var metrics []any
	others := c.annotatedList(annotations, hpaMetrics, "autoscaling/v1.MetricSpec")
	for _, metric := range others {
		metrics = append(metrics, c.withTargetType(moveFields(metric, hpaMetricFields, true)))
	}
	for i, metric := range before {
		if others != nil && i > 0 {
			metric = map[string]any{"type": ""}
		}
		metrics = append(metrics, metric)
	}
	if len(metrics) == 0 {
		return []any{cpuMetric("target", "Utilization", defaultCPUUtilization)}
	}
	return metrics
}

// cpuMetric returns the v2 form of v1's CPU target.
func cpuMetric(part, targetType string, utilization any) map[string]any {
	value := map[string]any{"averageUtilization": utilization}
	if targetType != "" {
		value["type"] = targetType
	}
	return map[string]any{"type": "Resource", "resource": map[string]any{"name": "cpu", part: value}}
}

// annotatedList reads a list from an annotation. It returns nil if the list is missing or
// unreadable, which the server ignores too.
func (c *Catalog) annotatedList(annotations map[string]any, name, typeID string) []map[string]any {
	text := untyped.At[string](annotations, name)
	t := &Type{Kind: List, Elem: c.named(typeID)}
	if !json.Valid([]byte(text)) {
		return nil
	}
	d := decoder{b: c.builtin, data: text}
	v, err := d.run(t)
	if err != nil {
		return nil
	}
	list, _ := normalise(t, false, v).([]any)
	out := []map[string]any{}
	for _, item := range list {
		out = append(out, item.(map[string]any))
	}
	return out
}

// moveFields returns a metric in the other version's form.
func moveFields(metric map[string]any, table map[string][]hpaField, toV2 bool) map[string]any {
	out := map[string]any{"type": metric["type"]}
	for source, fields := range table {
		in := untyped.Sub(metric, source)
		if in == nil {
			continue
		}
		moved := untyped.Child(out, source)
		for _, f := range fields {
			from, to := f.v2, f.v1
			if toV2 {
				from, to = f.v1, f.v2
			}
			if value := untyped.At[any](in, strings.Split(from, ".")...); value != nil {
				setAt(moved, strings.Split(to, "."), value)
			}
		}
	}
	return out
}

func setAt(v map[string]any, path []string, value any) {
	for _, name := range path[:len(path)-1] {
		v = untyped.Child(v, name)
	}
	v[path[len(path)-1]] = value
}

// withTargetType adds the target type that v1 derives from the other fields.
func (c *Catalog) withTargetType(metric map[string]any) map[string]any {
	for source := range hpaMetricFields {
		in := untyped.Sub(metric, source)
		if in == nil {
			continue
		}
		target := untyped.Child(in, "target")
		switch {
		case source == "pods":
			target["type"] = "AverageValue"
		case source == "object" && target["averageValue"] == nil, source == "external" && target["value"] != nil:
			target["type"] = "Value"
		case source == "object":
			target["type"] = "AverageValue"
			// v1 cannot omit the value.
			if target["value"] == "0" && c.version.Has(version.ZeroTargetLeftOut) {
				delete(target, "value")
			}
		case target["averageUtilization"] != nil:
			target["type"] = "Utilization"
		default:
			target["type"] = "AverageValue"
		}
	}
	return metric
}

// internalBehavior writes a behavior as the server's internal type encodes it: capitalised names in
// v2's order, without omitting anything.
func (c *Catalog) internalBehavior(behavior map[string]any) (string, error) {
	var b strings.Builder
	err := c.capitalised(&b, c.named("autoscaling/v2.HorizontalPodAutoscalerBehavior"), behavior)
	return b.String(), err
}

func (c *Catalog) capitalised(b *strings.Builder, t *Type, v any) error {
	switch value := v.(type) {
	case map[string]any:
		for i, f := range t.Fields() {
			b.WriteString(separator(i, "{") + `"` + capital(f.Name) + `":`)
			item := value[f.Name]
			if item == nil && !f.Pointer {
				item = normalise(f.Type, false, nil)
			}
			if err := c.capitalised(b, f.Type, item); err != nil {
				return err
			}
		}
		b.WriteString("}")
		return nil
	case []any:
		b.WriteString("[")
		for i, item := range value {
			b.WriteString(separator(i, ""))
			if err := c.capitalised(b, t.Elem, item); err != nil {
				return err
			}
		}
		b.WriteString("]")
		return nil
	}
	data, err := json.Marshal(v)
	b.Write(data)
	return err
}

func separator(i int, first string) string {
	if i == 0 {
		return first
	}
	return ","
}

func capital(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// publicBehavior reads a behavior in the internal form; nil when there is none.
func (c *Catalog) publicBehavior(text string) map[string]any {
	var raw any
	if json.Unmarshal([]byte(text), &raw) != nil {
		return nil
	}
	data, err := json.Marshal(lowerNames(raw))
	if err != nil {
		return nil
	}
	d := decoder{b: c.builtin, data: string(data)}
	v, err := d.run(c.named("autoscaling/v2.HorizontalPodAutoscalerBehavior"))
	behavior, _ := v.(map[string]any)
	if err != nil || behavior["scaleUp"] == nil && behavior["scaleDown"] == nil {
		return nil
	}
	return behavior
}

func lowerNames(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, value := range v {
			if name != "" {
				name = strings.ToLower(name[:1]) + name[1:]
			}
			out[name] = lowerNames(value)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = lowerNames(v[i])
		}
		return out
	}
	return v
}
