package webhook

import (
	"testing"

	v1 "k8s.io/api/admissionregistration/v1"
	"sigs.k8s.io/yaml"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/preadmit/preadmit/engine/internal/kube/cluster"
)

// TestWithoutEndpoints: what shows that nothing is behind a Service, and what does not.
func TestWithoutEndpoints(t *testing.T) {
	const (
		service = `{apiVersion: v1, kind: Service, metadata: {name: svc, namespace: ns}, spec: {selector: {app: hook}, ports: [{port: 443}]}}`
		none    = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: hook, namespace: ns}, spec: {replicas: 0, template: {metadata: {labels: {app: hook}}}}}`
		two     = `{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: hook, namespace: ns}, spec: {replicas: 2, template: {metadata: {labels: {app: hook}}}}}`
		slice   = `{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: svc-1, namespace: ns, labels: {kubernetes.io/service-name: svc}}, endpoints: `
	)
	for _, test := range []struct {
		name, want string
		objects    []string
	}{
		{"no Service", "", []string{none}},
		{"nothing but the Service", "", []string{service}},
		{"scaled to zero", "Deployment hook has replicas: 0", []string{service, none}},
		{"another workload runs", "", []string{service, none, two}},
		{"a Pod", "", []string{service, none, `{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: ns, labels: {app: hook}}}`}},
		{"a Pod that waits", "Pod a is Pending", []string{service, `{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: ns, labels: {app: hook}}, status: {phase: Pending}}`}},
		{"a Pod that runs, too", "", []string{service, `{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: ns, labels: {app: hook}}, status: {phase: Pending}}`,
			`{apiVersion: v1, kind: Pod, metadata: {name: b, namespace: ns, labels: {app: hook}}, status: {phase: Running}}`}},
		{"another namespace", "", []string{service, `{apiVersion: apps/v1, kind: Deployment, metadata: {name: hook, namespace: other}, spec: {replicas: 0, template: {metadata: {labels: {app: hook}}}}}`}},
		{"an empty slice", "EndpointSlice svc-1 has no ready endpoint", []string{service, two, slice + `[]}`}},
		{"none ready", "EndpointSlice svc-1 has no ready endpoint", []string{service, slice + `[{addresses: [10.0.0.1], conditions: {ready: false}}]}`}},
		{"one ready", "", []string{service, none, slice + `[{addresses: [10.0.0.1]}]}`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var objects []cluster.Object
			for _, text := range test.objects {
				raw, err := yaml.YAMLToJSON([]byte(text))
				if err != nil {
					t.Fatal(err)
				}
				var u unstructured.Unstructured
				if err := u.UnmarshalJSON(raw); err != nil {
					t.Fatal(err)
				}
				objects = append(objects, cluster.Object{GVK: u.GroupVersionKind(), Namespace: u.GetNamespace(), Name: u.GetName(), Value: u.Object})
			}
			h := hook(false)
			h.client = v1.WebhookClientConfig{Service: &v1.ServiceReference{Namespace: "ns", Name: "svc"}}
			if got := h.withoutEndpoints(cluster.New(objects, "2026-01-01T00:00:00Z", false)); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
