package fieldpath

import (
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/scripts/hostile/variants"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// TestString compares with the API server's own writer.
func TestString(t *testing.T) {
	for _, tc := range []struct {
		got    Path
		server *field.Path
	}{
		{New("spec", "validations").Index(0).Child("expression"), field.NewPath("spec", "validations").Index(0).Child("expression")},
		{New("webhooks").Index(10).Child("matchConditions").Index(2), field.NewPath("webhooks").Index(10).Child("matchConditions").Index(2)},
		{New("metadata", "labels").Key("example.com/team"), field.NewPath("metadata", "labels").Key("example.com/team")},
		{New("data").Key("key"), field.NewPath("data").Key("key")},
		{New("x-kubernetes-validations"), field.NewPath("x-kubernetes-validations")},
	} {
		if tc.got.String() != tc.server.String() {
			t.Errorf("got %s, want %s", tc.got, tc.server)
		}
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string][]string{
		"":                              nil,
		"spec.validations[0].reason":    {"spec", "validations", "[0]", "reason"},
		"spec[a.b/c].x[d].y":            {"spec", "[a.b/c]", "x", "[d]", "y"},
		"metadata.labels.app.k8s.io/x":  {"metadata", "labels", "app", "k8s", "io/x"},
		`.spec.containers[name="a.b"]`:  {"spec", "containers", `[name="a.b"]`},
		`labels["quoted"]`:              {"labels", "[quoted]"},
		`labels["a]\".b"].c`:            {"labels", `[a]".b]`, "c"},
		`labels["half`:                  {"labels", `["half]`},
		"labels[a]b].c":                 {"labels", "[a]b]", "c"},
		"[0][1]":                        {"[0]", "[1]"},
		"spec.list[-]":                  {"spec", "list", "[-]"},
		"spec.validations[1":            {"spec", "validations", "[1]"},
		"..a...b":                       {"a", "b"},
		`containers[port=80,proto="x"]`: {"containers", `[port=80,proto="x"]`},
	} {
		var got []string
		for _, s := range Parse(text) {
			if s.Bracket() {
				got = append(got, "["+s.Name()+"]")
			} else {
				got = append(got, s.Name())
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

func TestBuilders(t *testing.T) {
	base := New("a", "b")
	first, second := base.Child("c"), base.Index(1)
	if first.String() != "a.b.c" || second.String() != "a.b[1]" || base.String() != "a.b" {
		t.Errorf("%s, %s, %s: a path is not shared", first, second, base)
	}
	if base.Parent().String() != "a" || len(New().Parent()) != 0 {
		t.Errorf("parent: %s", base.Parent())
	}
	if second.Last() != "1" || New().Last() != "" {
		t.Errorf("last: %s", second.Last())
	}
	if !second[2].IsIndex() || first[2].IsIndex() || New("1")[0].IsIndex() {
		t.Error("an index is a number in brackets")
	}
	for name, want := range map[string]string{"": `[""]`, "x.y": "[x.y]", `"`: `["\""]`, "a]b": `["a]b"]`, "a-b": "a-b"} {
		if got := New(name).String(); got != want {
			t.Errorf("%q: got %s, want %s", name, got, want)
		}
	}
}

func TestPointer(t *testing.T) {
	for pointer, want := range map[string]string{
		"":                                  "",
		"/spec/containers/0/name":           "spec.containers[0].name",
		"/metadata/labels/example.com~1a~0": "metadata.labels[example.com/a~]",
		"/spec/list/-":                      "spec.list[-]",
		"/metadata/labels/x~0y":             "metadata.labels.x~y",
		"/metadata/labels/with space/tab":   "metadata.labels[with space].tab",
		"/":                                 `[""]`,
	} {
		path := FromPointer(pointer)
		if path.String() != want {
			t.Errorf("%s: got %s, want %s", pointer, path, want)
		}
		if path.Pointer() != pointer {
			t.Errorf("%s: back is %s", pointer, path.Pointer())
		}
		if back := Parse(path.String()); !slices.Equal(back, path) {
			t.Errorf("%s: read back as %s", path, back)
		}
	}
}

// FuzzPath: written paths read back, from any text and any keys.
func FuzzPath(f *testing.F) {
	target := variants.Of(f, 2000)
	for _, seed := range []string{"spec.validations[0].expression", `a["b].c"]`, "labels[example.com/a]", "a[b]c].d", `["`, `[""]`, "[x]]", "~1/~0", "\xff"} {
		target.Add(seed)
	}
	target.Fuzz(func(t *testing.T, text string) {
		keys := strings.Split(text, "|")
		built := New(keys...)
		for _, key := range keys {
			built = built.Key(key)
		}
		for _, p := range []Path{Parse(text), built, FromPointer(text)} {
			if back := Parse(p.String()); !slices.Equal(back, p) {
				t.Errorf("%q: %q is written as %s and read back as %q", text, p, p.String(), back)
			}
			if back := FromPointer(p.Pointer()); back.Pointer() != p.Pointer() {
				t.Errorf("%q: pointer %s is read back as %s", text, p.Pointer(), back.Pointer())
			}
		}
	})
}

// Below and Item write the same as a Path's methods.
func TestTexts(t *testing.T) {
	for _, path := range []string{"", "spec", "spec.rules[2]"} {
		for _, name := range []string{"field", "a.b/c", "", "with space"} {
			if got, want := Below(path, name), Parse(path).Child(name).String(); got != want {
				t.Errorf("%q below %q is %q, want %q", name, path, got, want)
			}
		}
		if got, want := Item(path, 3), Parse(path).Index(3).String(); got != want {
			t.Errorf("item of %q is %q, want %q", path, got, want)
		}
	}
}

func TestJoin(t *testing.T) {
	for _, test := range []struct{ path, below, want string }{
		{"", "", ""},
		{"", "spec.replicas", "spec.replicas"},
		{"request.object", "", "request.object"},
		{"request.object", "spec.containers[0].name", "request.object.spec.containers[0].name"},
		{"metadata.labels", "[example.com/team]", "metadata.labels[example.com/team]"},
	} {
		if got := Join(test.path, test.below); got != test.want {
			t.Errorf("%q and %q: %q, want %q", test.path, test.below, got, test.want)
		}
	}
}

func TestAsPointer(t *testing.T) {
	for path, want := range map[string]string{
		"/spec/replicas":                           "/spec/replicas",
		"/metadata/labels/a.b~1c":                  "/metadata/labels/a.b~1c",
		"/spec/containers[0]/image":                "/spec/containers/0/image",
		"/metadata/labels['a.b/c']":                "/metadata/labels/a.b~1c",
		"$.spec.template.spec.tolerations[0]":      "/spec/template/spec/tolerations/0",
		"spec.replicas":                            "/spec/replicas",
		"spec/replicas/":                           "/spec/replicas",
		`.metadata.annotations["example.com/a.b"]`: "/metadata/annotations/example.com~1a.b",
		"metadata.labels[app]":                     "/metadata/labels/app",
		"spec.containers[-]":                       "/spec/containers/-",
		"spec.containers[*].image":                 "spec.containers[*].image",
		"":                                         "",
	} {
		if got := AsPointer(path); got != want {
			t.Errorf("AsPointer(%q) = %q, want %q", path, got, want)
		}
	}
}
