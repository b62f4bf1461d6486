//go:build apiserver

package server

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/runtime"
)

var (
	random = flag.Int("random", 0, "random objects and updates to compare after the requests")
	seed   = flag.Uint64("seed", 1, "the seed of the random ones")
)

// TestRandom compares objects of all kinds after random changes: those that the requests of
// testdata create, new and as updates of objects that are there. Parts come from other objects of
// the same kind, so many are valid.
func TestRandom(t *testing.T) {
	if *random == 0 {
		t.Skip("-random says how many")
	}
	w := newWorld(t)
	if err := w.settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	g := randomly{r: rand.New(rand.NewPCG(*seed, 0)), kinds: map[string][]object{}, parts: map[string][]any{}}
	files, err := filepath.Glob(*data + "/requests/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, *data+"/world.yaml") {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range documents(t, string(raw)) {
			if o["subresource"] != nil {
				continue
			}
			if created, ok := o["object"].(object); ok {
				o = created
			}
			g.learn(o)
		}
	}
	n := &tally{counts: map[string]int{}}
	for i := range *random {
		m := g.create()
		if there := n.existing(t, w, &g); i%3 == 0 && there != nil {
			m = *there
		}
		before := n.different()
		n.compare(t, w, fmt.Sprintf("random %d", i), m)
		if n.different() > before {
			t.Logf("random %d is %s", i, indented(m))
		}
	}
	t.Logf("%s", n)
}

// different is how many answers are other ones.
func (n *tally) different() int {
	return n.counts[written+": different"] + n.counts[captured+": different"]
}

// randomly makes requests.
type randomly struct {
	r     *rand.Rand
	kinds map[string][]object
	names []string
	// parts are the values that objects of a kind have at a path without the numbers of lists.
	parts map[string][]any
}

// learn keeps an object and its parts.
func (g *randomly) learn(o object) {
	kind, _ := o["kind"].(string)
	version, _ := o["apiVersion"].(string)
	metadata, _ := o["metadata"].(object)
	if name, _ := metadata["name"].(string); kind == "" || version == "" || name == "" || strings.HasSuffix(kind, "WebhookConfiguration") {
		return
	}
	key := version + " " + kind
	if g.kinds[key] == nil {
		g.names = append(g.names, key)
		slices.Sort(g.names)
	}
	g.kinds[key] = append(g.kinds[key], o)
	g.keep(key, o)
}

func (g *randomly) keep(at string, value any) {
	g.parts[at] = append(g.parts[at], value)
	switch value := value.(type) {
	case object:
		for field, part := range value {
			g.keep(at+"."+field, part)
		}
	case []any:
		for _, item := range value {
			g.keep(at+"[]", item)
		}
	}
}

// create is the creation of a changed object of any kind.
func (g *randomly) create() made {
	key := g.names[g.r.IntN(len(g.names))]
	of := g.kinds[key]
	return made{Object: g.changed(key, of[g.r.IntN(len(of))])}
}

// existing is an update of an object of the cluster's text; nil where the chosen one is not there.
func (n *tally) existing(t *testing.T, w *world, g *randomly) *made {
	docs := documents(t, w.text)
	o := docs[g.r.IntN(len(docs))]
	kind, _ := o["kind"].(string)
	version, _ := o["apiVersion"].(string)
	metadata, _ := o["metadata"].(object)
	name, _ := metadata["name"].(string)
	if namespace, _ := metadata["namespace"].(string); namespace != "" {
		name = namespace + "/" + name
	}
	before, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	after, err := json.Marshal(g.changed(version+" "+kind, o))
	if err != nil {
		t.Fatal(err)
	}
	patch, err := jsonpatch.CreateMergePatch(before, after)
	if err != nil {
		t.Fatal(err)
	}
	var change object
	if err := json.Unmarshal(patch, &change); err != nil {
		t.Fatal(err)
	}
	delete(change, "metadata")
	if len(change) == 0 {
		return nil
	}
	return &made{Verb: "update", About: version + " " + kind + " " + name, Change: change}
}

// changed is a copy with one to three changes.
func (g *randomly) changed(key string, o object) object {
	o = runtime.DeepCopyJSON(o)
	for range 1 + g.r.IntN(3) {
		g.change(key, o, 0)
	}
	return o
}

// odd are values that the server has rules about, by the kind of what they replace.
var odd = map[string][]any{
	"text":   {"", "a b", "Web", strings.Repeat("x", 260), "-1", "Always", "default", "10Gi", "1.2.3.4", "a.example.com/b", "http", "50%"},
	"number": {int64(0), int64(-1), int64(1), int64(70000), int64(2147483648)},
}

// change changes one place below a value that is at a path.
func (g *randomly) change(at string, value any, depth int) {
	switch value := value.(type) {
	case object:
		fields := make([]string, 0, len(value))
		for field := range value {
			if depth > 0 || field != "apiVersion" && field != "kind" && field != "metadata" {
				fields = append(fields, field)
			}
		}
		if len(fields) == 0 {
			return
		}
		slices.Sort(fields)
		field := fields[g.r.IntN(len(fields))]
		below := at + "." + field
		switch g.r.IntN(8) {
		case 0:
			delete(value, field)
		case 1, 2: // as another object has it
			if others := g.parts[below]; len(others) > 0 {
				value[field] = runtime.DeepCopyJSONValue(others[g.r.IntN(len(others))])
			}
		case 3: // a field that others of the kind have
			if others := g.parts[at]; len(others) > 0 {
				if other, ok := others[g.r.IntN(len(others))].(object); ok {
					for name, part := range other {
						if value[name] == nil && (depth > 0 || name != "metadata") {
							value[name] = runtime.DeepCopyJSONValue(part)
						}
					}
				}
			}
		default:
			value[field] = g.replaced(below, value[field], depth)
		}
	case []any:
		if len(value) > 0 {
			i := g.r.IntN(len(value))
			if g.r.IntN(4) == 0 {
				value[i] = runtime.DeepCopyJSONValue(value[g.r.IntN(len(value))])
				return
			}
			value[i] = g.replaced(at+"[]", value[i], depth)
		}
	}
}

// replaced is another value in place of a scalar, or one that is changed inside.
func (g *randomly) replaced(at string, value any, depth int) any {
	switch value.(type) {
	case object, []any:
		g.change(at, value, depth+1)
		return value
	case string:
		return odd["text"][g.r.IntN(len(odd["text"]))]
	case bool:
		return value == false
	}
	return odd["number"][g.r.IntN(len(odd["number"]))]
}
