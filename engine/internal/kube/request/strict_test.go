package request

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/version"
)

const teams = `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "teams.shop.example.com"},
 "spec": {"group": "shop.example.com", "scope": "Namespaced", "names": {"kind": "Team", "plural": "teams"}, "versions": [{"name": "v1", "served": true, "storage": true,
 "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer"}}}}}}}]}}`

func definition(t *testing.T) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal([]byte(teams), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestStrict has kube-apiserver 1.36.3's responses to these objects as JSON.
func TestStrict(t *testing.T) {
	const team = `{"apiVersion":"shop.example.com/v1","kind":"Team","metadata":{"name":"a","namespace":"default","lables":{}},"spec":{"size":1,"size":2,"x":1,"b":1},"extra":1}`
	const pod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"default","lables":{}},"spec":{"zz":1,"containers":[{"name":"a","image":"x","image":"y","imagee":"z"}],"aa":1},"extra":1}`
	for _, test := range []struct {
		validation, object, status string
		warnings                   []string
	}{
		{"Strict", team, `Team in version "v1" cannot be handled as a Team: strict decoding error: duplicate field "spec.size", unknown field "metadata.lables", unknown field "extra", unknown field "spec.b", unknown field "spec.x"`, nil},
		{"Warn", team, "", []string{`duplicate field "spec.size"`, `unknown field "metadata.lables"`, `unknown field "extra"`, `unknown field "spec.b"`, `unknown field "spec.x"`}},
		{"Ignore", team, "", nil},
		{"", team, "", nil},
		{"Strict", pod, `Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "metadata.lables", unknown field "spec.zz", duplicate field "spec.containers[0].image", unknown field "spec.containers[0].imagee", unknown field "spec.aa", unknown field "extra"`, nil},
		{"Strict", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"default"}}`, "", nil},
	} {
		builtin, err := catalog.For(version.MustParse("1.36"))
		if err != nil {
			t.Fatal(err)
		}
		c, _ := builtin.WithCRDs([]catalog.CRD{{Value: definition(t)}})
		r, problems := Parse(nil, `{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"operation": "CREATE", "options": {"fieldValidation": "`+test.validation+`"}, "object": `+test.object+`}}`, nil, c)
		if r == nil {
			t.Fatalf("%+v", problems)
		}
		said := r.ValidateFields(c, "")
		status, warnings, found := said.Status, said.Warnings, said.Problems
		message := ""
		if status != nil {
			message = status.ErrStatus.Message
		}
		if message != test.status || !slices.Equal(warnings, test.warnings) {
			t.Errorf("%s: got %s %q", test.validation, message, warnings)
		}
		for _, d := range found {
			if d.Severity != diag.Error || d.Span.End <= d.Span.Start {
				t.Errorf("%s is nowhere: %+v", d.Summary, d)
			}
		}
	}
}

// TestResolvedKeys: the effect of keys that merging sets twice depends on the client.
func TestResolvedKeys(t *testing.T) {
	for text, want := range map[string]string{
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {<<: {a: b}, a: c}\n": `sent as YAML, the server warns: line 4: key "a" already set in map`,
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {<<: {a: b}, c: d}\n": "",
	} {
		c, err := catalog.For(version.MustParse("1.36"))
		if err != nil {
			t.Fatal(err)
		}
		r, problems := Parse(nil, text, nil, c)
		if r == nil {
			t.Fatalf("%+v", problems)
		}
		got := ""
		for _, d := range r.resolvedKeys() {
			got += d.Summary
		}
		if got != want {
			t.Errorf("%s\ngot %q", text, got)
		}
	}
}
