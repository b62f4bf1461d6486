package completion

import (
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestOutsideAdmission completes CEL outside admission, in documents of any text and alone.
func TestOutsideAdmission(t *testing.T) {
	const (
		class  = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\nspec:\n  selectors:\n  - cel:\n      expression: "
		tokens = "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\njwt:\n- userValidationRules:\n  - expression: "
		rights = "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\nauthorizers:\n- webhook:\n    matchConditions:\n    - expression: "
	)
	for marked, want := range map[string]string{
		class + "device.‸":                              "attributes capacity driver allowMultipleAllocations",
		class + "dev‸":                                  "device",
		class + "device.driver.‸":                       "startsWith size",
		class + "device.driver == 'a' && device.ca‸":    "capacity",
		tokens + "user.‸":                               "username groups uid extra",
		tokens + "user.groups.‸":                        "exists all",
		rights + "request.‸":                            "user resourceAttributes nonResourceAttributes",
		rights + "has(request.resourceAttributes.‸)":    "namespace verb labelSelector",
		rights + "request.resourceAttributes.verb.ma‸":  "matches",
		rights + "request.nonResourceAttributes.path.‸": "startsWith",
	} {
		src, at := cut(t, marked)
		for _, text := range []diag.Text{diag.Policies, diag.Cluster} {
			s := scenario.Scenario{Policies: src}
			if text == diag.Cluster {
				s = scenario.Scenario{Cluster: src}
			}
			r, err := completer(t, "1.37").Complete(s, text, at)
			if err != nil {
				t.Fatal(err)
			}
			wantOffers(t, r.Items, want)
		}
	}
	for context, marked := range map[string]string{scenario.UserContext: "user.‸", scenario.AuthorizationContext: "request.‸", scenario.DeviceContext: "device.‸"} {
		src, at := cut(t, marked)
		r, err := completer(t, "1.37").Complete(scenario.Scenario{Expression: src, ExpressionContext: context}, diag.Expression, at)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{scenario.UserContext: "username", scenario.AuthorizationContext: "resourceAttributes", scenario.DeviceContext: "driver"}[context]
		wantOffers(t, r.Items, want)
	}
	src, at := cut(t, class+"object.‸")
	r, err := completer(t, "1.37").Complete(scenario.Scenario{Policies: src}, diag.Policies, at)
	if err != nil || find(r.Items, "metadata") != nil {
		t.Errorf("an object has fields in a device selector: %v, %v", labels(r.Items), err)
	}
}
