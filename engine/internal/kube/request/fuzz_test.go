package request

import (
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/scripts/hostile/variants"
)

// FuzzParse feeds arbitrary texts: nothing may crash, and there is a request unless a diagnostic
// says why not.
func FuzzParse(f *testing.F) {
	target := variants.Of(f, 300)
	for _, s := range []string{
		captured, "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\n", `{"operation": "DELETE", "oldObject": {"apiVersion": "v1", "kind": "Pod"}}`,
		"kind: {group: apps}\noperation: CONNECT\nobject: {}\n", "kind: AdmissionReview\nrequest: []\n", "kind: List\nitems: []\n", "resource: {resource: pods}\n",
		"apiVersion: v1\nkind: !od\n+data: {name: web}\n", // was admitted
	} {
		target.Add(s)
	}
	c := kinds(f)
	target.Fuzz(func(t *testing.T, text string) {
		r, diags := Parse(nil, text, nil, c)
		switch {
		case r != nil && diag.HasErrors(diags):
			t.Fatalf("a request in spite of %+v", diags)
		case r != nil && (r.Operation == "" || r.Kind.Kind == "" || r.Resource.Resource == "" || r.User == nil):
			t.Fatalf("an incomplete request %+v", r)
		}
	})
}
