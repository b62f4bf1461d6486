package crd_test

import (
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/preadmit/preadmit/engine/internal/kube/crd"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// TestDefaultValidator: until 1.33 the formats for names were unknown formats, which accept every
// string and are named for other values.
func TestDefaultValidator(t *testing.T) {
	node := &schema.Structural{Generic: schema.Generic{Type: "string"}, ValueValidation: &schema.ValueValidation{Format: "k8s-short-name"}}
	for _, test := range []struct {
		minor string
		value any
		want  string
	}{
		{"1.33", "Not_A-name", ""},
		{"1.33", 1.5, `in body must be of type k8s-short-name: "float64"`},
		{"1.34", "Not_A-name", `in body must be of type k8s-short-name: "Not_A-name"`},
		{"1.34", 1.5, `in body must be of type k8s-short-name: "float64"`},
	} {
		got := ""
		for _, err := range crd.DefaultValidator(node, version.MustParse(test.minor)).Validate(test.value).Errors {
			got += err.Error()
		}
		if len(got) > 0 && got[0] == ' ' {
			got = got[1:]
		}
		if got != test.want {
			t.Errorf("%s, %v: got %q, want %q", test.minor, test.value, got, test.want)
		}
	}
	if node.ValueValidation.Format != "k8s-short-name" {
		t.Error("the schema was changed")
	}
}
