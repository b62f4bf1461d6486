package diff

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"reflect"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
)

func TestObjects(t *testing.T) {
	for _, test := range []struct{ name, before, after, want string }{
		{"nothing", `{"a":1}`, `{"a":1}`, `null`},
		{"add key", `{"a":1}`, `{"a":1,"b/c":2}`, `[{"op":"add","path":"/b~1c","value":2}]`},
		{"remove key", `{"a":1,"b":2}`, `{"a":1}`, `[{"op":"remove","path":"/b"}]`},
		{"replace", `{"a":{"b":1}}`, `{"a":{"b":2}}`, `[{"op":"replace","path":"/a/b","value":2}]`},
		{"append item", `{"l":[{"name":"x"}]}`, `{"l":[{"name":"x"},{"name":"y"}]}`, `[{"op":"add","path":"/l/1","value":{"name":"y"}}]`},
		{"prepend item", `{"l":[{"name":"x"}]}`, `{"l":[{"name":"y"},{"name":"x"}]}`, `[{"op":"add","path":"/l/0","value":{"name":"y"}}]`},
		{"change in item", `{"l":[{"name":"x","v":1},{"name":"y"}]}`, `{"l":[{"name":"x","v":2},{"name":"y"}]}`, `[{"op":"replace","path":"/l/0/v","value":2}]`},
		{"items change places", `{"l":[{"name":"x"},{"name":"y"}]}`, `{"l":[{"name":"y"},{"name":"x"}]}`, `[{"op":"remove","path":"/l/0"},{"op":"add","path":"/l/1","value":{"name":"x"}}]`},
		{"another name is another item", `{"l":[{"name":"x","v":1}]}`, `{"l":[{"name":"y","v":1}]}`, `[{"op":"remove","path":"/l/0"},{"op":"add","path":"/l/0","value":{"name":"y","v":1}}]`},
		{"the first identity counts", `{"l":[{"name":"x","key":"k"}]}`, `{"l":[{"name":"y","key":"k"}]}`, `[{"op":"remove","path":"/l/0"},{"op":"add","path":"/l/0","value":{"key":"k","name":"y"}}]`},
		{"by another field", `{"l":[{"key":"k","v":1}]}`, `{"l":[{"key":"k","v":2}]}`, `[{"op":"replace","path":"/l/0/v","value":2}]`},
		{"no identity", `{"l":[{"v":1}]}`, `{"l":[{"v":2}]}`, `[{"op":"remove","path":"/l/0"},{"op":"add","path":"/l/0","value":{"v":2}}]`},
		{"equal items before alike ones", `{"l":[{"name":"x","v":1},{"name":"x","v":2}]}`, `{"l":[{"name":"x","v":2}]}`, `[{"op":"remove","path":"/l/0"}]`},
		{"in the middle", `{"l":["a","c"]}`, `{"l":["a","b","c"]}`, `[{"op":"add","path":"/l/1","value":"b"}]`},
		{"all of it", `{"l":["a"]}`, `{"l":[]}`, `[{"op":"remove","path":"/l/0"}]`},
		{"another type", `{"l":["a"]}`, `{"l":{"a":1}}`, `[{"op":"replace","path":"/l","value":{"a":1}}]`},
		{"what is the same at the beginning stays", `{"l":["a","b","c"]}`, `{"l":["a","b","d","c"]}`, `[{"op":"add","path":"/l/2","value":"d"}]`},
		{"remove item", `{"l":["a","b","c"]}`, `{"l":["a","c"]}`, `[{"op":"remove","path":"/l/1"}]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := json.Marshal(Objects(object(t, test.before), object(t, test.after)))
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != test.want {
				t.Errorf("got %s\nwant %s", got, test.want)
			}
		})
	}
}

// TestLongLists: lists too long for an alignment table are compared index by index.
func TestLongLists(t *testing.T) {
	const most = 1 << 10 // its square is maxAligned
	list := func(first, n int) map[string]any {
		out := make([]any, 0, n)
		for i := range n {
			out = append(out, int64(first+i))
		}
		return map[string]any{"l": out}
	}
	if ops := Objects(list(0, most), list(1, most)); len(ops) != 2 {
		t.Errorf("%d operations for a list that is aligned", len(ops))
	}
	ops := Objects(list(0, most+1), list(1, most+1))
	if len(ops) != most+1 || ops[0].Op != "replace" || ops[0].Path != "/l/0" {
		t.Errorf("%d operations for a list that is too long", len(ops))
	}
	if ops := Objects(list(0, most+2), list(1, most)); len(ops) != most+2 || ops[most].Op != "remove" {
		t.Errorf("%d operations for one that gets shorter", len(ops))
	}
	if ops := Objects(list(0, 2*most), list(0, 2*most+1)); len(ops) != 1 || ops[0].Op != "add" {
		t.Errorf("%d operations for one item more", len(ops))
	}
}

// An independent library must turn before into after with every patch.
func TestObjectsApply(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for range 2000 {
		before := map[string]any{"r": value(random, 4)}
		after := map[string]any{"r": value(random, 4)}
		ops, _ := json.Marshal(Objects(before, after))
		if string(ops) == "null" {
			continue
		}
		patch, err := jsonpatch.DecodePatch(ops)
		if err != nil {
			t.Fatal(err)
		}
		from, _ := json.Marshal(before)
		want, _ := json.Marshal(after)
		got, err := patch.Apply(from)
		if err != nil || !jsonpatch.Equal(got, want) {
			t.Fatalf("%s\n+ %s\n= %s (%v)\nwant %s", from, ops, got, err, want)
		}
	}
}

func value(r *rand.Rand, depth int) any {
	switch n := r.Intn(6); {
	case n < 2 && depth > 0:
		m := map[string]any{}
		for range r.Intn(4) {
			m[string(rune('a'+r.Intn(4)))] = value(r, depth-1)
		}
		return m
	case n < 4 && depth > 0:
		l := []any{}
		for range r.Intn(5) {
			l = append(l, value(r, depth-1))
		}
		return l
	case n == 4:
		return map[string]any{"name": string(rune('a' + r.Intn(3))), "v": int64(r.Intn(2))}
	}
	return int64(r.Intn(4))
}

func object(t *testing.T, text string) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// Equal is reflect.DeepEqual for object values.
func TestEqual(t *testing.T) {
	random := rand.New(rand.NewSource(2))
	list := []any{nil, "", "a", int64(1), float64(1), true, false, map[string]any(nil), map[string]any{}, []any(nil), []any{}}
	// The same parts nested in another order are different values.
	for _, text := range []string{
		`["a",["b"]]`, `[["a","b"]]`, `[["a"],"b"]`, `[[],"a"]`, `[["a"]]`, `{"a":{},"b":1}`, `{"a":{"b":1}}`, `[{"a":1}]`, `[1,{}]`,
	} {
		list = append(list, object(t, `{"v":`+text+`}`)["v"])
	}
	list = append(list, map[string]any{"a": map[string]any{"b": map[string]any{}}}, map[string]any{"a": map[string]any{}, "b": map[string]any{}})
	for range 300 {
		list = append(list, value(random, 3))
	}
	classes := classes{}
	for _, a := range list {
		for _, b := range list {
			if got, want := Equal(a, b), reflect.DeepEqual(a, b); got != want {
				t.Fatalf("%#v and %#v: %t", a, b, got)
			}
			if got, want := classes.of(a) == classes.of(b), reflect.DeepEqual(a, b); got != want {
				t.Fatalf("%#v and %#v have the same class: %t", a, b, got)
			}
		}
	}
}

// TestAbsent: an absent object has no patch.
func TestAbsent(t *testing.T) {
	object := map[string]any{"a": "b"}
	if Objects(nil, object) != nil || Objects(object, nil) != nil || Objects(nil, nil) != nil {
		t.Error("there is a patch")
	}
}

// A thousand changed items are read once each.
func BenchmarkObjects(b *testing.B) {
	items := func(image string) map[string]any {
		var list []any
		for i := range 1000 {
			list = append(list, map[string]any{"name": fmt.Sprint("c", i), "image": image})
		}
		return map[string]any{"containers": list}
	}
	before, after := items("a"), items("b")
	for b.Loop() {
		if n := len(Objects(before, after)); n != 1000 {
			b.Fatal(n)
		}
	}
}
