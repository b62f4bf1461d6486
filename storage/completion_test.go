package storage_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestComplete applies the repair of incomplete objects. The server accepts the result.
func TestComplete(t *testing.T) {
	const head = "metadata: {name: web}\n"
	for name, c := range map[string]struct {
		text, want string
		none       bool
	}{
		"Pod":                     {text: "apiVersion: v1\nkind: Pod\n" + head + "spec: {}\n"},
		"Service":                 {text: "apiVersion: v1\nkind: Service\n" + head + "spec: {selector: {app: web}}\n"},
		"PersistentVolumeClaim":   {text: "apiVersion: v1\nkind: PersistentVolumeClaim\n" + head},
		"Deployment":              {text: "apiVersion: apps/v1\nkind: Deployment\n" + head + "spec:\n  replicas: 2\n"},
		"DaemonSet":               {text: "apiVersion: apps/v1\nkind: DaemonSet\n" + head + "spec:\n  selector:\n    matchLabels: {a: b}\n"},
		"CronJob":                 {text: "apiVersion: batch/v1\nkind: CronJob\n" + head},
		"HorizontalPodAutoscaler": {text: "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\n" + head},
		"PersistentVolume":        {text: "apiVersion: v1\nkind: PersistentVolume\n" + head},
		"ReplicationController":   {text: "apiVersion: v1\nkind: ReplicationController\n" + head},
		"EndpointSlice":           {text: "apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\n" + head},
		"IngressClass":            {text: "apiVersion: networking.k8s.io/v1\nkind: IngressClass\n" + head},
		"VolumeAttachment":        {text: "apiVersion: storage.k8s.io/v1\nkind: VolumeAttachment\n" + head + "spec: {attacher: a.example.com}\n"},
		"Ingress": {
			text: "apiVersion: networking.k8s.io/v1\nkind: Ingress\n" + head,
			want: "apiVersion: networking.k8s.io/v1\nkind: Ingress\n" + head + "spec:\n  defaultBackend:\n    service:\n      name: app\n      port:\n        name: app\n",
		},
		"a DaemonSet without a selector": {text: "apiVersion: apps/v1\nkind: DaemonSet\n" + head},
		"RoleBinding":                    {text: "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\n" + head},
		"StorageClass":                   {text: "apiVersion: storage.k8s.io/v1\nkind: StorageClass\n" + head},
		"a JSON": {
			text: `{"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "web"}}`,
			want: `{"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "web"}, "spec": {"template":{"spec":{"containers":[{"image":"registry.example/app:1.0","name":"app"}],"restartPolicy":"OnFailure"}}}}`,
		},
		"three places, of which two are one": {
			text: "apiVersion: apps/v1\nkind: StatefulSet\n" + head + "spec:\n  template:\n    spec:\n      containers:\n      - name: a # mine\n",
			want: "apiVersion: apps/v1\nkind: StatefulSet\n" + head + "spec:\n  template:\n    spec:\n      containers:\n      - name: a # mine\n        image: registry.example/app:1.0\n" +
				"    metadata:\n      labels:\n        app: web\n  selector:\n    matchLabels:\n      app: web\n",
		},
		"what is wrong is not lacking": {
			text: "apiVersion: batch/v1\nkind: CronJob\n" + head + "spec: {schedule: often}\n", none: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := scenario.Scenario{Request: c.text}
			r, err := engine.Evaluate(context.Background(), s, engine.Everything())
			if err != nil || r.Outcome.Code != 422 {
				t.Fatalf("%d %s, %v", r.Outcome.Code, r.Outcome.Message, err)
			}
			fix, found := titled(r.Diagnostics, "Complete this object")
			if !found && !c.none { // one field that is missing is named
				fix, found = titled(r.Diagnostics, "Add ")
			}
			if found == c.none {
				t.Fatalf("offered: %t", found)
			}
			if c.none {
				return
			}
			if s.Request, err = fix.Apply(diag.Request, c.text); err != nil {
				t.Fatal(err)
			}
			if c.want != "" && s.Request != c.want {
				t.Errorf("%s\nwant\n%s", s.Request, c.want)
			}
			if r, err = engine.Evaluate(context.Background(), s, engine.Options{}); err != nil || !r.Outcome.Allowed {
				t.Errorf("%s\n%s, %v", s.Request, r.Outcome.Message, err)
			}
		})
	}
}

func titled(problems []diag.Diagnostic, title string) (diag.Fix, bool) {
	for _, d := range problems {
		if i := slices.IndexFunc(d.Fixes, func(f diag.Fix) bool { return strings.HasPrefix(f.Title, title) }); i >= 0 {
			return d.Fixes[i], true
		}
	}
	return diag.Fix{}, false
}
