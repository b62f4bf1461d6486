package proposal

import (
	"context"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/scenario"
)

// A JSONPatch that is proposed for one object works for others: those that lack
// the parents, those that have other items in front, those that have been
// changed already.
func TestOtherObjects(t *testing.T) {
	after := change(deployment, "labels: {app: web}}\nspec", "labels: {app: web, team: a}, annotations: {note: x}}\nspec", `image: "busybox:1"`, `image: "busybox:2"`,
		"emptyDir: {}}]", "emptyDir: {}}, {name: cache, emptyDir: {}}]", "      volumes:", "      nodeSelector: {disk: ssd}\n      volumes:")
	got, err := FromObjects(context.Background(), scenario.Scenario{Request: deployment}, object(t, after))
	if err != nil || !got.JSONPatch.Verified {
		t.Fatalf("%v, %+v", err, got)
	}
	const other = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: other, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: first, image: x}, {name: log, image: "busybox:0"}, {name: last, image: z}]
`
	for name, test := range map[string]struct {
		request string
		want    map[string]any // by JSON pointer; nil means absent
	}{
		"nothing there": {other, map[string]any{"/metadata/labels/team": "a", "/metadata/annotations/note": "x", "/spec/template/spec/containers/1/image": "busybox:2",
			"/spec/template/spec/volumes/0/name": "cache", "/spec/template/spec/nodeSelector/disk": "ssd"}},
		"other values there": {change(other, "namespace: shop}", "namespace: shop, labels: {team: b, x: z}}", "containers:", "nodeSelector: {arch: arm}\n      volumes: [{name: cache, emptyDir: {medium: Memory}}]\n      containers:"),
			map[string]any{"/metadata/labels/team": "a", "/metadata/labels/x": "z", "/spec/template/spec/nodeSelector/arch": "arm", "/spec/template/spec/volumes/0/emptyDir/medium": "Memory", "/spec/template/spec/volumes/1": nil}},
		"no such item":    {change(other, "name: log", "name: logs"), map[string]any{"/metadata/labels/team": "a", "/spec/template/spec/containers/1/image": "busybox:0"}},
		"changed already": {after, map[string]any{"/metadata/labels/team": "a", "/spec/template/spec/containers/2": nil, "/spec/template/spec/volumes/2": nil}},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := engine.Evaluate(context.Background(), scenario.Scenario{Request: test.request, Policies: got.JSONPatch.Policy}, engine.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !r.Outcome.Allowed || len(r.Findings) > 0 {
				t.Fatalf("%+v %+v", r.Outcome, r.Findings)
			}
			for pointer, want := range test.want {
				if value := lookup(r.Object, fieldpath.Pointer(pointer)); value != want {
					t.Errorf("%s is %v, want %v", pointer, value, want)
				}
			}
		})
	}
}
