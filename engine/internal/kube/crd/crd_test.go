package crd_test

import (
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/internal/kube/crd"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// decode reads a definition for widgets.example.com with these versions.
func decode(t *testing.T, versions string) *crd.Definition {
	t.Helper()
	var value map[string]any
	text := "metadata: {name: widgets.example.com}\nspec:\n  group: example.com\n  scope: Namespaced\n  names: {kind: Widget, plural: widgets}\n  versions: " + versions
	if err := yaml.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	d, err := crd.Decode(value)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

const (
	anything = `schema: {openAPIV3Schema: {type: object}}`
	numbers  = `schema: {openAPIV3Schema: {type: object, properties: {count: {type: integer}}}}`
)

func TestNormalForm(t *testing.T) {
	for _, test := range []struct {
		name, versions   string
		document, server string
		stored           []string
	}{
		{"one version", `[{name: v1, served: true, storage: true, ` + numbers + `}]`, "spec.versions[0].schema", "spec.validation", []string{"v1"}},
		{"alike", `[{name: v1, served: true, storage: true, ` + numbers + `}, {name: v2, served: true, storage: false, ` + numbers + `}]`, "spec.versions[0].schema", "spec.validation", []string{"v1"}},
		{"different", `[{name: v1, served: true, storage: false, ` + numbers + `}, {name: v2, served: true, storage: true, ` + anything + `}]`, "spec.versions[0].schema", "spec.versions[0].schema", []string{"v2"}},
		{"none stored", `[{name: v1, served: true, storage: false, ` + numbers + `}]`, "spec.versions[0].schema", "spec.validation", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := decode(t, test.versions)
			d.PrepareForCreate(version.Default())
			if document, server := d.VersionPath(0); document != test.document || server != test.server {
				t.Errorf("paths %s and %s, want %s and %s", document, server, test.document, test.server)
			}
			if !reflect.DeepEqual(d.Status.StoredVersions, test.stored) {
				t.Errorf("stored versions %v, want %v", d.Status.StoredVersions, test.stored)
			}
			if n := d.Spec.Names; n.Singular != "widget" || n.ListKind != "WidgetList" {
				t.Errorf("names without defaults: %+v", n)
			}
			if s := d.Schema("v1"); s == nil || s.Properties["count"].Type != "integer" {
				t.Errorf("schema of v1: %v", s)
			}
		})
	}
}

// TestPrepareForUpdate: the list of stored versions grows, whatever the update says.
func TestPrepareForUpdate(t *testing.T) {
	old := decode(t, `[{name: v1, served: true, storage: true, `+anything+`}]`)
	old.PrepareForCreate(version.Default())
	d := decode(t, `[{name: v1, served: true, storage: false, `+anything+`}, {name: v2, served: true, storage: true, `+anything+`}]`)
	d.PrepareForUpdate(old, version.Default())
	if got, want := d.Status.StoredVersions, []string{"v1", "v2"}; !reflect.DeepEqual(got, want) {
		t.Errorf("stored versions %v, want %v", got, want)
	}
	if got := old.Status.StoredVersions; len(got) != 1 {
		t.Errorf("the old definition changed: %v", got)
	}
}

func TestDecodeRefuses(t *testing.T) {
	_, err := crd.Decode(map[string]any{"spec": map[string]any{"group": int64(5)}})
	const want = `CustomResourceDefinition in version "v1" cannot be handled as a CustomResourceDefinition: json: cannot unmarshal number into Go struct field CustomResourceDefinitionSpec.spec.group of type string`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestWarnings(t *testing.T) {
	properties := func(list string) string {
		return `[{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {` + list + `}}}}]`
	}
	const ip = `unrecognized format "ip"`
	for _, test := range []struct {
		name, properties, old string
		version               string
		want                  []string
	}{
		{"known", `a: {type: string, format: ipv4}`, "", "1.36", nil},
		{"unknown", `a: {type: string, format: ip}`, "", "1.36", []string{ip}},
		{"before 1.34", `a: {type: string, format: ip}`, "", "1.33", nil},
		{"of a number", `a: {type: integer, format: ip}`, "", "1.36", []string{ip}},
		{"of a number before 1.36", `a: {type: integer, format: ip}`, "", "1.35", nil},
		{"new since an update", `a: {type: string, format: ip}`, `a: {type: string}`, "1.36", []string{ip}},
		{"as before an update", `a: {type: string, format: ip}`, `b: {type: string, format: ip}`, "1.36", nil},
		{"a set of objects", `a: {type: array, x-kubernetes-list-type: set, items: {type: object}}`, "", "1.37",
			[]string{`x-kubernetes-list-type: set for items of type "object" is not supported by server-side apply or CEL validation rules`}},
		{"a set of objects before 1.37", `a: {type: array, x-kubernetes-list-type: set, items: {type: object}}`, "", "1.36", nil},
		{"a set of texts", `a: {type: array, x-kubernetes-list-type: set, items: {type: string}}`, "", "1.37", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var old *crd.Definition
			if test.old != "" {
				old = decode(t, properties(test.old))
			}
			if got := decode(t, properties(test.properties)).Warnings(old, version.MustParse(test.version)); !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestDeprecation(t *testing.T) {
	for _, test := range []struct{ name, versions, want string }{
		{"not deprecated", `[{name: v1, served: true, storage: true}]`, ""},
		{"own words", `[{name: v1, served: true, storage: true, deprecated: true, deprecationWarning: gone soon}]`, "gone soon"},
		{"nothing newer", `[{name: v1, served: true, storage: true, deprecated: true}]`, "example.com/v1 Widget is deprecated"},
		{"newest of the newer", `[{name: v2, served: true, storage: false}, {name: v1, served: true, storage: true, deprecated: true}, {name: v3, served: true, storage: false}, {name: v4, served: false, storage: false}]`,
			"example.com/v1 Widget is deprecated; use example.com/v3 Widget"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := decode(t, test.versions).Deprecation("v1"); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestErrorTexts: each version's wording.
func TestErrorTexts(t *testing.T) {
	at := field.NewPath("spec", "a")
	for _, test := range []struct {
		err           *field.Error
		version, want string
	}{
		{field.Invalid(at, "x", "no"), "1.36", `spec.a: Invalid value: "x": no`},
		{field.TooLong(at, "", 1), "1.36", `spec.a: Too long: may not be more than 1 byte`},
		{field.TooLong(at, "", 4), "1.36", `spec.a: Too long: may not be more than 4 bytes`},
		{field.TooLong(at, "", 4), "1.30", `spec.a: Too long: may not be longer than 4`},
		{field.TooLong(field.NewPath("metadata", "annotations"), "", 4), "1.30", `metadata.annotations: Too long: must have at most 4 bytes`},
		{field.Required(field.NewPath("metadata", "ownerReferences").Index(1).Child("uid"), "must not be empty"), "1.36", `metadata.ownerReferences.uid: Invalid value: "": must not be empty`},
		{field.Required(field.NewPath("metadata", "ownerReferences").Index(1).Child("uid"), "must not be empty"), "1.33", `metadata.ownerReferences.uid: Invalid value: "": uid must not be empty`},
		{field.Invalid(at, []any{"a"}, "no"), "1.36", `spec.a: Invalid value: ["a"]: no`},
	} {
		if got := crd.ErrorText(test.err, version.MustParse(test.version)); got != test.want {
			t.Errorf("%s: got %s, want %s", test.version, got, test.want)
		}
	}
}

// TestInvalid: a repeated text is one part of the message and two causes.
func TestInvalid(t *testing.T) {
	at := field.NewPath("spec")
	status := crd.Invalid(crd.GroupKind, "widgets.example.com", field.ErrorList{field.Required(at, "a"), field.Required(at, "a"), field.Required(at, "b")}, version.Default()).Status()
	if want := `CustomResourceDefinition.apiextensions.k8s.io "widgets.example.com" is invalid: [spec: Required value: a, spec: Required value: b]`; status.Message != want {
		t.Errorf("got  %s\nwant %s", status.Message, want)
	}
	if len(status.Details.Causes) != 3 || status.Code != 422 || !strings.Contains(status.Details.Causes[2].Message, ": b") {
		t.Errorf("code %d, causes %v", status.Code, status.Details.Causes)
	}
}
