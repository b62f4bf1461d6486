package bridge

import (
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/scenario"
)

func TestFixAll(t *testing.T) {
	var got FixedAll
	if msg := callWith(t, "fixAll", FixAllParams{scenario.Scenario{Policies: "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\nspec:\n  validations:\n  - expression: object.metadata.name == 'a' and true\n"}}, &got); msg != "" {
		t.Fatal(msg)
	}
	if !strings.Contains(got.Scenario.Policies, "object.metadata.name == 'a' && true") || len(got.Applied) == 0 {
		t.Errorf("got %+v", got)
	}
	got = FixedAll{}
	if msg := callWith(t, "fixAll", FixAllParams{scenario.Scenario{}}, &got); msg != "" {
		t.Fatal(msg)
	}
	if got.Applied == nil || len(got.Applied) != 0 {
		t.Errorf("an empty scenario: %+v", got)
	}
}
