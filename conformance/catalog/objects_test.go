package catalog

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	ours "github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog/catalogtest"
	"github.com/preadmit/preadmit/engine/internal/version"
)

var objectCount = flag.Int("objects", 80, "how many objects to default and convert per built-in kind")

// TestDefaultsAndConversions sets random objects' defaults for every kind, converts them and writes
// them back into others, with the catalog and with the scheme of Kubernetes 1.36.3.
func TestDefaultsAndConversions(t *testing.T) {
	c, err := ours.For(version.MustParse("1.36"))
	check(t, err)
	server := startScheme(t)
	objects := catalogtest.New(*seed)
	compared := map[string]int{}
	for _, r := range c.Kinds() {
		if notInScheme[r.GVK.Group] || timeOfDay[r.GVK.Kind] {
			continue
		}
		typ, _ := c.TypeOf(r.GVK)
		var before map[string]any // the previous object, into which the next is written
		for range *objectCount {
			object, err := c.FromUnstructured(r.GVK, objects.Object(r.GVK, typ))
			check(t, err)
			defaulted := server.ask(t, "default", r.GVK, r.GVK, object)
			same(t, "defaulted", defaulted, c.Default(r.GVK, object))
			same(t, "converted to the internal version and back",
				server.ask(t, "roundtrip", r.GVK, r.GVK, defaulted), c.Roundtrip(r.GVK, defaulted))
			if before != nil {
				got, err := c.WriteBack(defaulted, r.GVK, before, r.GVK)
				check(t, err)
				same(t, "written back", server.writeBack(t, r.GVK, defaulted, r.GVK, before), got)
				compared["written back"]++
			}
			before = withInternal(c.Roundtrip(r.GVK, defaulted), r.GVK)
			compared["defaults"]++
			compared["round trips"]++
			for _, other := range c.Equivalents(r.GVR, "") {
				kind, _ := c.KindFor(other, "")
				got, err := c.Convert(defaulted, r.GVK, kind)
				if kind == r.GVK || err != nil { // a conversion that the catalog does not support
					continue
				}
				same(t, "converted to "+kind.String(), server.ask(t, "convert", r.GVK, kind, defaulted), got)
				compared["conversions"]++
				back, err := c.WriteBack(defaulted, r.GVK, got, kind)
				check(t, err)
				same(t, "written back as "+kind.String(), server.writeBack(t, r.GVK, defaulted, kind, got), back)
				before, err = c.Convert(got, kind, r.GVK)
				check(t, err)
				compared["written back as another version"]++
			}
			if t.Failed() {
				t.Fatalf("%v %s", r.GVK, text(object))
			}
		}
	}
	if few := 4 * (*objectCount); compared["conversions"] < few {
		t.Errorf("only %d conversions", compared["conversions"])
	}
	t.Logf("alike: %v", compared)
}

// withInternal adds an annotation that shows an internal-only field, which random objects rarely
// have.
func withInternal(object map[string]any, kind schema.GroupVersionKind) map[string]any {
	annotation := map[string]string{"DaemonSet": "deprecated.daemonset.template.generation", "Deployment": "deprecated.deployment.rollback.to"}[kind.Kind]
	if metadata, ok := object["metadata"].(map[string]any); ok && annotation != "" {
		metadata["annotations"] = map[string]any{annotation: "7"}
	}
	return object
}

// notInScheme are groups missing in the reference's scheme: two belong to other servers in the same
// process, two are off by default.
var notInScheme = map[string]bool{
	"apiextensions.k8s.io": true, "apiregistration.k8s.io": true,
	"internal.apiserver.k8s.io": true, "storagemigration.k8s.io": true,
}

// timeOfDay are kinds whose default is the current time, which the catalog omits.
var timeOfDay = map[string]bool{"DeviceTaintRule": true, "ResourceSlice": true}

// scheme is a process that answers queries about objects.
type scheme struct {
	in  io.Writer
	out *bufio.Reader
}

func startScheme(t *testing.T) *scheme {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "reference")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, ".")
	build.Dir = filepath.Join("..", "reference")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.CommandContext(t.Context(), binary, "-objects")
	in, err := cmd.StdinPipe()
	check(t, err)
	out, err := cmd.StdoutPipe()
	check(t, err)
	check(t, cmd.Start())
	t.Cleanup(func() {
		if err := in.Close(); err != nil {
			t.Error(err)
		}
	})
	return &scheme{in: in, out: bufio.NewReader(out)}
}

func (s *scheme) ask(t *testing.T, do string, kind, to schema.GroupVersionKind, object map[string]any) map[string]any {
	t.Helper()
	return s.question(t, map[string]any{"Kind": kind, "Do": do, "To": to, "Object": object})
}

// writeBack returns before, which has the kind to, after changed is converted into it.
func (s *scheme) writeBack(t *testing.T, kind schema.GroupVersionKind, changed map[string]any, to schema.GroupVersionKind, before map[string]any) map[string]any {
	t.Helper()
	return s.question(t, map[string]any{"Kind": kind, "Do": "write back", "To": to, "Object": changed, "Before": before})
}

func (s *scheme) question(t *testing.T, question map[string]any) map[string]any {
	t.Helper()
	data, err := json.Marshal(question)
	check(t, err)
	_, err = fmt.Fprintf(s.in, "%s\n", data)
	check(t, err)
	line, err := s.out.ReadBytes('\n')
	check(t, err)
	var answer struct {
		Object json.RawMessage
		Error  string
	}
	check(t, json.Unmarshal(line, &answer))
	if answer.Error != "" {
		t.Fatalf("%s\n%s", answer.Error, data)
	}
	out := fromJSON(t, answer.Object)
	if reflect.DeepEqual(out, map[string]any(nil)) {
		t.Fatalf("no object: %s", data)
	}
	return out
}
