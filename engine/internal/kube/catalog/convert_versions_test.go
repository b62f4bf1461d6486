package catalog_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	hpaV1     = gvk("autoscaling", "v1", "HorizontalPodAutoscaler")
	hpaV2     = gvk("autoscaling", "v2", "HorizontalPodAutoscaler")
	eventCore = gvk("", "v1", "Event")
	eventNew  = gvk("events.k8s.io", "v1", "Event")
)

const eventsNewForm = `
apiVersion: events.k8s.io/v1
kind: Event
metadata: {name: e}
regarding: {kind: Pod, name: p}
note: hello
reason: Started
type: Normal
eventTime: null
reportingController: example.com/c
deprecatedSource: {component: c}
deprecatedFirstTimestamp: "2026-01-01T00:00:00Z"
deprecatedLastTimestamp: null
deprecatedCount: 2`

// TestConvert converts between equivalent kinds. The first case's HorizontalPodAutoscaler is what a
// real server sent to a webhook.
func TestConvert(t *testing.T) {
	for _, tt := range []struct {
		name     string
		from, to schema.GroupVersionKind
		in, want string
	}{
		{"autoscaler to v1", hpaV2, hpaV1, `
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: h}
spec:
  maxReplicas: 3
  minReplicas: 1
  scaleTargetRef: {kind: Deployment, name: d}
  metrics:
  - {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 60}}}
  - {type: Resource, resource: {name: memory, target: {type: AverageValue, averageValue: 1Gi}}}
  - {type: Pods, pods: {metric: {name: rps, selector: {matchLabels: {a: b}}}, target: {type: AverageValue, averageValue: "10"}}}
  behavior:
    scaleUp: {stabilizationWindowSeconds: 0, selectPolicy: Max, policies: [{type: Pods, value: 4, periodSeconds: 15}]}
status: {currentMetrics: null, desiredReplicas: 0}`, `
apiVersion: autoscaling/v1
kind: HorizontalPodAutoscaler
metadata:
  name: h
  annotations:
    autoscaling.alpha.kubernetes.io/behavior: '{"ScaleUp":{"StabilizationWindowSeconds":0,"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":4,"PeriodSeconds":15}],"Tolerance":null},"ScaleDown":null}'
    autoscaling.alpha.kubernetes.io/metrics: '[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"1Gi"}},{"type":"Pods","pods":{"metricName":"rps","targetAverageValue":"10","selector":{"matchLabels":{"a":"b"}}}}]'
spec:
  maxReplicas: 3
  minReplicas: 1
  scaleTargetRef: {kind: Deployment, name: d}
  targetCPUUtilizationPercentage: 60
status: {currentReplicas: 0, desiredReplicas: 0}`},
		{"autoscaler to v2", hpaV1, hpaV2, `
apiVersion: autoscaling/v1
kind: HorizontalPodAutoscaler
metadata:
  name: h
  annotations:
    keep: me
    autoscaling.alpha.kubernetes.io/behavior: '{"ScaleUp":null,"ScaleDown":{"StabilizationWindowSeconds":60,"SelectPolicy":null,"Policies":null,"Tolerance":null}}'
    autoscaling.alpha.kubernetes.io/metrics: '[{"type":"Object","object":{"target":{"kind":"Service","name":"s"},"metricName":"m","targetValue":"5"}}]'
spec: {maxReplicas: 3, scaleTargetRef: {kind: Deployment, name: d}, targetCPUUtilizationPercentage: 60}
status: {currentReplicas: 0, desiredReplicas: 0}`, `
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: h, annotations: {keep: me}}
spec:
  maxReplicas: 3
  scaleTargetRef: {kind: Deployment, name: d}
  metrics:
  - {type: Object, object: {describedObject: {kind: Service, name: s}, metric: {name: m}, target: {type: Value, value: "5"}}}
  - {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 60}}}
  behavior: {scaleDown: {stabilizationWindowSeconds: 60}}
status: {currentMetrics: null, desiredReplicas: 0}`},
		{"event to the core group", eventNew, eventCore, eventsNewForm, `
apiVersion: v1
kind: Event
metadata: {name: e}
involvedObject: {kind: Pod, name: p}
message: hello
reason: Started
type: Normal
eventTime: null
reportingComponent: example.com/c
reportingInstance: ""
source: {component: c}
firstTimestamp: "2026-01-01T00:00:00Z"
lastTimestamp: null
count: 2`},
	} {
		c := mustCatalog(t, "1.36")
		in := object(t, tt.in)
		got, err := c.Convert(in, tt.from, tt.to)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		for _, diff := range differences("", object(t, tt.want), got) {
			t.Errorf("%s: %s", tt.name, diff)
		}
		if in["apiVersion"] != tt.from.GroupVersion().String() {
			t.Errorf("%s: the object given was changed", tt.name)
		}
		back, err := c.Convert(got, tt.to, tt.from)
		if err != nil {
			t.Errorf("%s: back: %v", tt.name, err)
		}
		normal, _ := c.Normalise(tt.from, in)
		if tt.name != "autoscaler to v1" { // converting back changes its metric order
			for _, diff := range differences("", normal, back) {
				t.Errorf("%s: there and back: %s", tt.name, diff)
			}
		}
	}
}

func TestConvertRefuses(t *testing.T) {
	c := mustCatalog(t, "1.36")
	for _, to := range []schema.GroupVersionKind{deployment, gvk("apps", "v9", "Deployment"), hpaV2} {
		if _, err := c.Convert(map[string]any{}, pod, to); err == nil {
			t.Errorf("a Pod becomes a %v", to)
		}
	}
	claim := gvk("resource.k8s.io", "v1beta1", "ResourceClaim")
	if _, err := c.Convert(map[string]any{}, claim, gvk("resource.k8s.io", "v1", "ResourceClaim")); err == nil {
		t.Error("a conversion that is not simulated is done")
	}
}
