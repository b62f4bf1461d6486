package proposal

import (
	"context"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/preadmit/preadmit/engine/scenario"
)

const randomPod = `
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: shop, labels: {app: web, "example.com/a~b": x}, finalizers: [example.com/a]}
spec:
  nodeSelector: {disk: ssd}
  tolerations: [{key: a, operator: Exists}]
  initContainers: [{name: init, image: i, command: [a, b]}]
  containers:
  - name: app
    image: nginx
    env: [{name: A, value: "1"}, {name: B, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]
    ports: [{containerPort: 80}, {containerPort: 53, protocol: UDP}]
    resources: {limits: {cpu: "1", memory: 1Gi}}
    volumeMounts: [{name: data, mountPath: /data}]
  volumes: [{name: data, emptyDir: {}}, {name: c, configMap: {name: c, items: [{key: a, path: a}]}}]
`

// editor makes random changes that keep the kinds of values.
type editor struct{ *rand.Rand }

// texts are what strings become; some need every kind of escape.
var texts = []string{"x", "a b", `q"uo'te\`, "line\nbreak", "tab\t", "snow ☃", "\u2028", "{{}}", "1", "true", "0", "- ", "# no comment", ""}

func (e editor) edit(v any) any {
	switch v := v.(type) {
	case map[string]any:
		keys := slices.Sorted(maps.Keys(v))
		keys = slices.DeleteFunc(keys, func(k string) bool { return k == "apiVersion" || k == "kind" })
		if len(keys) == 0 {
			return v
		}
		key := keys[e.Intn(len(keys))]
		_, isText := v[key].(string)
		switch n := e.Intn(10); {
		case n == 0 && key != "metadata" && key != "spec" && key != "name" && key != "namespace":
			delete(v, key)
		case n == 1 && isText && !slices.Contains(identities, key) && len(keys) < 4:
			// Only maps take keys of any name; others drop them again.
			v[fmt.Sprintf("new/%d~", e.Intn(3))] = texts[e.Intn(len(texts))]
		default:
			v[key] = e.edit(v[key])
		}
	case []any:
		if len(v) == 0 {
			return v
		}
		i := e.Intn(len(v))
		switch e.Intn(6) {
		case 0:
			return slices.Delete(v, i, i+1)
		case 1:
			return append(v, e.renamed(v[i]))
		case 2:
			return slices.Insert(v, i, e.renamed(v[i]))
		}
		v[i] = e.edit(v[i])
	case string:
		return texts[e.Intn(len(texts))]
	case int64:
		return e.Int63n(1000) + 1
	case bool:
		return !v
	}
	return v
}

// renamed is a copy that is another item of its list.
func (e editor) renamed(v any) any {
	v = runtime.DeepCopyJSONValue(v)
	m, ok := v.(map[string]any)
	if !ok {
		return fmt.Sprintf("%v%d", v, e.Intn(100))
	}
	for _, key := range identities {
		switch old := m[key].(type) {
		case string:
			m[key] = fmt.Sprintf("%s%d", old, e.Intn(100))
			return m
		case int64:
			m[key] = old + 1 + e.Int63n(100)
			return m
		}
	}
	return m
}

// TestRandomEdits proposes policies for random changes. A JSONPatch can express
// every change, and what is proposed has been run; an ApplyConfiguration either
// works or comes with a reason.
func TestRandomEdits(t *testing.T) {
	for kind, source := range map[string]string{"Pod": randomPod, "Deployment": deployment, "ConfigMap": configMap, "Widget": widget} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			// The object is changed as it is written, so no plugin may add to it.
			s := scenario.Scenario{Request: source, Cluster: crd, Options: scenario.Options{Plugins: scenario.Exactly()}}
			merged, idempotent, general, final := 0, 0, 0, 0
			const runs = 40
			for seed := range int64(runs) {
				e := editor{rand.New(rand.NewSource(seed))}
				after := object(t, source)
				for range 1 + e.Intn(3) {
					e.edit(after)
				}
				got, err := FromObjects(context.Background(), s, after)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if len(got.Changes) == 0 {
					continue
				}
				if !got.JSONPatch.Verified {
					t.Errorf("seed %d: no JSONPatch for %+v: %v\n%s", seed, got.Changes, got.JSONPatch.Reasons, got.JSONPatch.Expression)
				}
				if f := got.FinalState; f != nil && f.Verified {
					final++
				} else if f != nil && len(f.Reasons) == 0 {
					t.Errorf("seed %d: the final state of %+v does not work, without a reason\n%s", seed, got.Changes, f.Policy)
				} else if f != nil {
					t.Logf("seed %d: final state: %v %+v\n%s", seed, f.Reasons, got.Changes, f.Policy)
				}
				if a := got.ApplyConfiguration; a.Verified {
					merged++
				} else if len(a.Reasons) == 0 {
					t.Errorf("seed %d: no ApplyConfiguration for %+v and no reason\n%s", seed, got.Changes, a.Expression)
				} else if a.Expression != "" {
					t.Logf("seed %d: %v %+v\n%s", seed, a.Reasons, got.Changes, a.Expression)
				}
				if len(got.JSONPatch.Notes) == 0 {
					idempotent++
				}
				if general++; slices.ContainsFunc(got.JSONPatch.Notes, func(n string) bool { return n == exactlyThis }) {
					general--
				}
			}
			if merged == 0 {
				t.Error("no change could be merged")
			}
			t.Logf("of %d changes, ApplyConfiguration expresses %d; JSONPatch: %d for all objects, %d idempotent; the final state of %d", runs, merged, general, idempotent, final)
		})
	}
}
