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

	ours "github.com/preadmit/preadmit/engine/catalog"
	"github.com/preadmit/preadmit/engine/catalog/catalogtest"
)

var objectCount = flag.Int("objects", 80, "how many objects to default and convert per built-in kind")

// TestDefaultsAndConversions defaults random objects of every kind and converts
// them, by the catalog and by the scheme of Kubernetes 1.36.3.
func TestDefaultsAndConversions(t *testing.T) {
	c, err := ours.For("1.36")
	check(t, err)
	server := startScheme(t)
	objects := catalogtest.New(*seed)
	compared := map[string]int{}
	for _, r := range c.Kinds() {
		if notInScheme[r.GVK.Group] || timeOfDay[r.GVK.Kind] {
			continue
		}
		typ, _ := c.TypeOf(r.GVK)
		for range *objectCount {
			object, err := c.FromUnstructured(r.GVK, objects.Object(r.GVK, typ))
			check(t, err)
			defaulted := server.ask(t, "default", r.GVK, r.GVK, object)
			same(t, "defaulted", defaulted, c.Default(r.GVK, object))
			same(t, "converted to the internal version and back",
				server.ask(t, "roundtrip", r.GVK, r.GVK, defaulted), c.Roundtrip(r.GVK, defaulted))
			compared["defaults"]++
			compared["round trips"]++
			for _, other := range c.Equivalents(r.GVR, "") {
				kind, _ := c.KindFor(other, "")
				got, err := c.Convert(defaulted, r.GVK, kind)
				if kind == r.GVK || err != nil { // a conversion that the catalog says it does not know
					continue
				}
				same(t, "converted to "+kind.String(), server.ask(t, "convert", r.GVK, kind, defaulted), got)
				compared["conversions"]++
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

// notInScheme are groups that the reference's scheme does not have: two of other
// servers in the same process, two that are off by default.
var notInScheme = map[string]bool{
	"apiextensions.k8s.io": true, "apiregistration.k8s.io": true,
	"internal.apiserver.k8s.io": true, "storagemigration.k8s.io": true,
}

// timeOfDay are kinds with a default that is the time of day, which the catalog
// leaves out.
var timeOfDay = map[string]bool{"DeviceTaintRule": true, "ResourceSlice": true}

// scheme is a process that answers questions about objects.
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
	data, err := json.Marshal(map[string]any{"Kind": kind, "Do": do, "To": to, "Object": object})
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
		t.Fatalf("%s %v: %s\n%s", do, kind, answer.Error, text(object))
	}
	out := fromJSON(t, answer.Object)
	if reflect.DeepEqual(out, map[string]any(nil)) {
		t.Fatalf("%s %v: no object", do, kind)
	}
	return out
}
