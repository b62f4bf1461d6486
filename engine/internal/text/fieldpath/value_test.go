package fieldpath

import (
	"encoding/json"
	"testing"
)

func TestGet(t *testing.T) {
	object := map[string]any{"a": map[string]any{"b/c": "x", "1": "number", "null": nil, "list": []any{"y", map[string]any{"z": "in"}}}}
	for text, want := range map[string]any{
		"a[b/c]": "x", "a[1]": "number", "a.list[0]": "y", "a.list[1].z": "in",
		"a.none": nil, "a.list[2]": nil, "a.list[-1]": nil, "a.list.x": nil, "a[b/c].d": nil,
	} {
		got, found := Parse(text).Get(object)
		if got != want || found != (want != nil) {
			t.Errorf("%s: got %v, %v, want %v", text, got, found, want)
		}
	}
	if got, found := Parse("a.null").Get(object); got != nil || !found {
		t.Errorf("null: got %v, %v", got, found)
	}
	if got, found := Path(nil).Get("root"); got != "root" || !found {
		t.Errorf("root: got %v, %v", got, found)
	}
}

func TestLookup(t *testing.T) {
	object := map[string]any{"a": map[string]any{"b/c": "x", "list": []any{"y"}}}
	for pointer, want := range map[string]any{"/a/b~1c": "x", "/a/none": nil, "/a/list/0": nil} {
		got, found := Lookup(object, pointer)
		if got != want || found != (want != nil) {
			t.Errorf("%s: got %v, %v, want %v", pointer, got, found, want)
		}
	}
	if _, found := Lookup(nil, ""); found {
		t.Error("an absent object has no value")
	}
}

func TestSet(t *testing.T) {
	for _, test := range []struct{ before, pointer, value, want string }{
		{`{}`, "/a", `1`, `{"a":1}`},
		{`{}`, "/a/b", `1`, `{"a":{"b":1}}`},
		{`{"a":{"b":1}}`, "/a/b", `2`, `{"a":{"b":2}}`},
		{`{}`, "/l/0", `"x"`, `{"l":["x"]}`},
		{`{"l":["x"]}`, "/l/1", `"y"`, `{"l":["x","y"]}`},
		{`{"l":["x"]}`, "/l/-", `"y"`, `{"l":["x","y"]}`},
		{`{"l":["x"]}`, "/l/0", `"y"`, `{"l":["y"]}`},
		{`{}`, "/l/0/key", `"x"`, `{"l":[{"key":"x"}]}`},
		{`{"data":{}}`, "/data/0", `"x"`, `{"data":{"0":"x"}}`},
		{`{}`, "/a~1b", `1`, `{"a/b":1}`},
		{`{"l":["x"]}`, "/l/5", `"y"`, ``},
		{`{"a":1}`, "/a/b", `1`, ``},
		{`{}`, "", `1`, ``},
	} {
		var object map[string]any
		var value any
		unmarshal(t, test.before, &object)
		unmarshal(t, test.value, &value)
		ok := FromPointer(test.pointer).Set(object, value)
		got, _ := json.Marshal(object)
		if ok != (test.want != "") || ok && string(got) != test.want {
			t.Errorf("%s at %s: %v %s, want %s", test.before, test.pointer, ok, got, test.want)
		}
	}
}

func TestRemove(t *testing.T) {
	for _, test := range []struct{ before, pointer, want string }{
		{`{"a":1}`, "/a", `{}`},
		{`{"a":{"b":1,"c":2}}`, "/a/b", `{"a":{"c":2}}`},
		{`{"l":[1,2,3]}`, "/l/1", `{"l":[1,3]}`},
		{`{"l":[{"k":1}]}`, "/l/0/k", `{"l":[{}]}`},
		{`{"a":1}`, "/b/c", `{"a":1}`},
		{`{"l":[1]}`, "/l/7", `{"l":[1]}`},
	} {
		var object map[string]any
		unmarshal(t, test.before, &object)
		FromPointer(test.pointer).Remove(object)
		if got, _ := json.Marshal(object); string(got) != test.want {
			t.Errorf("%s without %s: %s, want %s", test.before, test.pointer, got, test.want)
		}
	}
}

// List items must be set in index order.
func TestComparePointers(t *testing.T) {
	if ComparePointers("/l/2", "/l/10") >= 0 || ComparePointers("/a", "/b") >= 0 || ComparePointers("/l/1", "/l/1/k") >= 0 {
		t.Error("wrong order")
	}
}

func unmarshal(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}
