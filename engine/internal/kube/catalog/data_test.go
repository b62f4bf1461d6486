package catalog

import (
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/internal/version"
)

// TestEveryTypeCanBeRead reads every type, field and enum of every version. The readers panic on
// invalid generated data.
func TestEveryTypeCanBeRead(t *testing.T) {
	for _, minor := range version.All() {
		c, err := For(minor)
		if err != nil {
			t.Fatal(err)
		}
		fields := 0
		for id, block := range blocks() {
			typ := c.named(id)
			if typ == nil {
				continue // not in this version
			}
			fields += len(typ.Fields())
			if typ.Kind == Struct && len(typ.Fields()) == 0 && strings.Contains(block.body, "\t") && !strings.Contains(block.body, " @") {
				t.Errorf("%s: %s has lines but no fields", minor, id)
			}
		}
		for _, r := range c.Kinds() {
			typ, ok := c.TypeOf(r.GVK)
			if !ok || typ.Field("metadata") == nil || typ.Field("kind") == nil {
				t.Errorf("%s: %v is no object", minor, r.GVK)
			}
			for name, gvk := range r.Subresources {
				if _, ok := c.TypeOf(gvk); !ok {
					t.Errorf("%s: %v/%s has the unknown kind %v", minor, r.GVR, name, gvk)
				}
			}
		}
		if fields < 2400 || len(c.Kinds()) < 75 {
			t.Errorf("%s: only %d fields, %d kinds", minor, fields, len(c.Kinds()))
		}
	}
}

// TestRulesNameFields checks that the type and fields of every defaulting and conversion rule exist
// in one of its versions.
func TestRulesNameFields(t *testing.T) {
	found := map[string]bool{}
	all := map[string]bool{}
	for _, minor := range version.All() {
		c, err := For(minor)
		if err != nil {
			t.Fatal(err)
		}
		defaults, conversions := c.ruleData()
		for name, set := range map[string]*ruleSet{"defaults": defaults, "conversion": conversions} {
			for id, rules := range set.rules {
				typ := c.named(id)
				for _, r := range rules {
					paths := [][]string{r.path, r.copy}
					for _, condition := range r.when {
						paths = append(paths, condition.path)
					}
					for _, path := range paths {
						key := name + " " + id + " " + strings.Join(path, ".")
						all[key] = true
						if typ != nil && (path == nil || hasPath(typ, path)) {
							found[key] = true
						}
					}
				}
			}
		}
	}
	for key := range all {
		if !found[key] {
			t.Errorf("%s: no version has it", key)
		}
	}
	if len(all) < 150 {
		t.Errorf("only %d rules", len(all))
	}
}

func hasPath(t *Type, path []string) bool {
	for _, name := range path {
		f := t.Field(name)
		if f == nil {
			return false
		}
		t = f.Type
	}
	return true
}

func TestCutRange(t *testing.T) {
	for _, tt := range []struct {
		line    string
		version string
		in      bool
	}{
		{"name string", "1.30", true},
		{"name string @34-", "1.33", false},
		{"name string @34-", "1.34", true},
		{"name string @-33", "1.33", true},
		{"name string @-33", "1.34", false},
		{"name string @31-33", "1.32", true},
		{"name string @31", "1.31", true},
		{"name string @31", "1.32", false},
		{"name string @-30,36-", "1.31", false},
		{"name string @-30,36-", "1.37", true},
	} {
		text, in, err := cutRange(tt.line, version.MustParse(tt.version))
		if err != nil || in != tt.in || text != "name string" {
			t.Errorf("%q in %s: %q, %v, %v", tt.line, tt.version, text, in, err)
		}
	}
	if _, _, err := cutRange("name string @x-", version.Oldest()); err == nil {
		t.Error("a range that is no number is accepted")
	}
}

func TestLatestTag(t *testing.T) {
	digest := "sha256:" + strings.Repeat("ab", 32)
	for image, want := range map[string]bool{
		"nginx":                             true,
		"nginx:latest":                      true,
		"nginx:1.27":                        false,
		"docker.io/library/nginx":           true,
		"registry.example:5000/team/app":    true,
		"registry.example:5000/team/app:v1": false,
		"localhost/app":                     true,
		"nginx@" + digest:                   false,
		"nginx:latest@" + digest:            true,
		"nginx@sha256:" + "abcd":            false,
		"":                                  false,
		"Nginx":                             false,
		"registry.example/Team/app":         false,
		"REGISTRY.example/team/app":         true,
		"a b":                               false,
		strings.Repeat("ab", 32):            false,
		strings.Repeat("a/", 130) + "app":   false,
		"nginx:" + strings.Repeat("x", 129): false,
		"team__app/x":                       true,
		"team___app/x":                      false,
	} {
		if got := latestTag(image); got != want {
			t.Errorf("%q: latest is %v, want %v", image, got, want)
		}
	}
}
