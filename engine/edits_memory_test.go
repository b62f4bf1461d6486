package engine

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/internal/answer/compile"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/scripts/hostile/variants"
)

// largeFields is how many fields largeCRD has.
const largeFields = 600

// largeCRD is a CustomResourceDefinition of some 70 kB.
func largeCRD() string {
	var b strings.Builder
	b.WriteString("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.example.com}\nspec:\n  group: example.com\n  scope: Namespaced\n  names: {plural: widgets, kind: Widget}\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n          spec:\n            type: object\n            properties:\n")
	for i := range largeFields {
		fmt.Fprintf(&b, "              field%d: {type: object, properties: {name: {type: string, maxLength: 63}, size: {type: integer}, tags: {type: array, items: {type: string}}}}\n", i)
	}
	return b.String()
}

// What is kept for the next evaluation does not grow with the number of edits,
// neither of the policies nor of the cluster.
func TestMemoryOfEdits(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("the collector takes a second per edit there, and what is kept is the same")
	}
	// Kept, what these edits compile would be twice what is allowed below.
	warm, edits := 250, 350
	if !variants.Full() { // the bounds of what is kept change with none of the rules
		warm, edits = 16, 20
	}
	s := scenario.Scenario{Kubernetes: "1.37", Now: "2026-01-01T00:00:00Z", Cluster: largeCRD(),
		Request: "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w, namespace: shop}\nspec: {field1: {name: x, size: 3}}\n"}
	e := New()
	edit := func(i int) {
		s.Policies = strings.NewReplacer(`resources: [pods]`, "resources: [widgets]", `apiGroups: [""]`, "apiGroups: [example.com]",
			`expression: "false"`, fmt.Sprintf("expression: object.spec.field%d.size > %d", i%largeFields, i)).Replace(namespaced)
		edited := s
		if i%(edits/20) == 0 { // now and then the definition itself, often enough to fill what is kept
			edited.Cluster = strings.Replace(s.Cluster, "maxLength: 63", fmt.Sprintf("maxLength: %d", 64+i), 1)
		}
		if _, err := e.Evaluate(context.Background(), edited, Options{}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range warm { // until the caches are full
		edit(i)
	}
	before := heap()
	for i := range edits {
		edit(warm + i)
		if i%(edits/5) == 0 {
			t.Logf("%d: %d kB", i, (int64(heap())-int64(before))>>10)
		}
	}
	// A compiled expression and its type check are some 45 kB, a schema 240 kB. What
	// is kept of all edits is kept of the first 250, too.
	if grown := int64(heap()) - int64(before); grown > 8<<20 {
		t.Errorf("%d edits: the heap grew by %d MB", edits, grown>>20)
	}
	if n := e.store.Kinds.Len(); n > compile.KeptKinds {
		t.Errorf("%d sets of kinds are kept", n)
	}
	runtime.KeepAlive(e)
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
