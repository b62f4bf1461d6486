package catalog_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

var daemonSet = gvk("apps", "v1", "DaemonSet")

// TestWriteBack changes objects by hand. conformance/catalog uses random ones of every kind.
func TestWriteBack(t *testing.T) {
	const twoMetrics = `
  metrics:
  - {type: Resource, resource: {name: memory, target: {type: AverageValue, averageValue: 1Gi}}}
  - {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 60}}}`
	autoscaler := func(version, metadata, spec string) string {
		return "apiVersion: autoscaling/" + version + "\nkind: HorizontalPodAutoscaler\nmetadata: {name: h" + metadata + "}\nspec:\n  maxReplicas: 3\n  scaleTargetRef: {kind: Deployment, name: d}" + spec +
			map[string]string{"v1": "\nstatus: {currentReplicas: 0, desiredReplicas: 0}", "v2": "\nstatus: {currentMetrics: null, desiredReplicas: 0}"}[version]
	}
	generation := func(text string) string {
		return "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: d, annotations: {" + text + "}}\nspec: {template: {spec: {securityContext: {}}}}"
	}
	for _, tt := range []struct {
		name                  string
		from, to              schema.GroupVersionKind
		before, changed, want string
		wantErr               string
	}{
		{name: "a target that is removed is there again", from: hpaV1, to: hpaV1,
			before: autoscaler("v1", "", "\n  targetCPUUtilizationPercentage: 61"), changed: autoscaler("v1", "", ""), want: autoscaler("v1", "", "\n  targetCPUUtilizationPercentage: 61")},
		{name: "one that is replaced is not", from: hpaV1, to: hpaV1,
			before: autoscaler("v1", "", "\n  targetCPUUtilizationPercentage: 61"), changed: autoscaler("v1", "", "\n  targetCPUUtilizationPercentage: 5"), want: autoscaler("v1", "", "\n  targetCPUUtilizationPercentage: 5")},
		{name: "nor is one that v2 removes", from: hpaV2, to: hpaV1,
			before: autoscaler("v1", "", "\n  targetCPUUtilizationPercentage: 61"), changed: autoscaler("v2", "", "\n  metrics: []"), want: autoscaler("v1", "", "")},
		{name: "behavior outlives its annotation", from: hpaV1, to: hpaV2,
			before: autoscaler("v2", "", "\n  behavior: {scaleDown: {stabilizationWindowSeconds: 60}}"+twoMetrics), changed: autoscaler("v1", "", "\n  targetCPUUtilizationPercentage: 9"),
			want: autoscaler("v2", "", "\n  behavior: {scaleDown: {stabilizationWindowSeconds: 60}}\n  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 9}}}]")},
		{name: "only the first metric stays beside those of the annotation", from: hpaV1, to: hpaV2,
			before: autoscaler("v2", "", twoMetrics), changed: autoscaler("v1", `, annotations: {autoscaling.alpha.kubernetes.io/metrics: "[]"}`, ""),
			want: autoscaler("v2", "", "\n  metrics:\n  - {type: Resource, resource: {name: memory, target: {type: AverageValue, averageValue: 1Gi}}}\n  - {type: ''}")},
		{name: "a generation that is removed", from: daemonSet, to: daemonSet,
			before: generation("deprecated.daemonset.template.generation: '3'"), changed: generation("x: y"), want: generation("x: y, deprecated.daemonset.template.generation: '3'")},
		{name: "a generation is a number", from: daemonSet, to: daemonSet,
			before: generation("deprecated.daemonset.template.generation: '3'"), changed: generation("deprecated.daemonset.template.generation: '+04'"), want: generation("deprecated.daemonset.template.generation: '4'")},
		{name: "a generation that is none", from: daemonSet, to: daemonSet, before: generation(""), changed: generation("deprecated.daemonset.template.generation: ''"),
			wantErr: `strconv.ParseInt: parsing "": invalid syntax`},
		{name: "a revision that is none", from: deployment, to: deployment, before: "{}", changed: "{metadata: {annotations: {deprecated.deployment.rollback.to: x}}}",
			wantErr: `failed to parse annotation[deprecated.deployment.rollback.to]=x as int64: strconv.ParseInt: parsing "x": invalid syntax`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := mustCatalog(t, "1.36")
			got, err := c.WriteBack(object(t, tt.changed), tt.from, object(t, tt.before), tt.to)
			if tt.wantErr != "" {
				if err == nil || err.Error() != tt.wantErr {
					t.Errorf("%v, want %s", err, tt.wantErr)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want, _ := c.Normalise(tt.to, object(t, tt.want))
			got, _ = c.Normalise(tt.to, got)
			for _, diff := range differences("", want, got) {
				t.Error(diff)
			}
		})
	}
}

// TestZeroTarget converts a metric with an average value, whose zero value v1 cannot omit, as each
// version does.
func TestZeroTarget(t *testing.T) {
	const v1 = `
apiVersion: autoscaling/v1
kind: HorizontalPodAutoscaler
metadata:
  name: h
  annotations:
    autoscaling.alpha.kubernetes.io/metrics: '[{"type":"Object","object":{"target":{"kind":"Service","name":"s"},"metricName":"m","targetValue":"0","averageValue":"5"}}]'
spec: {maxReplicas: 3, scaleTargetRef: {kind: Deployment, name: d}}`
	for minor, want := range map[string]any{"1.35": "0", "1.36": nil} {
		got, err := mustCatalog(t, minor).Convert(object(t, v1), hpaV1, hpaV2)
		if err != nil {
			t.Fatal(err)
		}
		if value := lookup(got, []string{"spec", "metrics", "0", "object", "target", "value"}); value != want {
			t.Errorf("%s: the value is %v", minor, value)
		}
	}
}
