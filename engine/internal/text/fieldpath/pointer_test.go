package fieldpath

import "testing"

func TestFromPointer(t *testing.T) {
	for pointer, want := range map[string]string{
		"":                                  "",
		"/spec/containers/0/name":           "spec.containers[0].name",
		"/metadata/labels/example.com~1a~0": `metadata.labels["example.com/a~"]`,
		"/spec/list/-":                      "spec.list[-]",
		"/metadata/labels/x~0y":             "metadata.labels.x~y",
		"/metadata/labels/with space/tab":   `metadata.labels["with space"].tab`,
	} {
		if got := FromPointer(pointer); got != want {
			t.Errorf("%s: got %s, want %s", pointer, got, want)
		}
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
