package engine

import (
	"context"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestFreeExpressionRepairs: a free expression gets the repairs of a policy's.
func TestFreeExpressionRepairs(t *testing.T) {
	for expression, want := range map[string]string{
		"len(object.spec.x) > 1":    "Write size(object.spec.x) > 1",
		"object.a === 'a'":          "Write object.a == 'a'",
		"true and false":            "Write true && false",
		"object.a.length() > 1":     "Write object.a.size() > 1",
		"math.greatest(1,2,3) > 2":  "Write [1,2,3].max() > 2",
		"cel.bind(x, 1, x + 1) > 1": "Write (1 + 1) > 1",
	} {
		r, err := Evaluate(context.Background(), scenario.Scenario{Expression: expression, ExpressionContext: scenario.ValidationContext}, Everything())
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Diagnostics) == 0 || len(r.Diagnostics[0].Fixes) == 0 || r.Diagnostics[0].Fixes[0].Title != want {
			t.Errorf("%s: %+v, want %q", expression, r.Diagnostics, want)
		}
	}
}

// TestExpressionWithoutRequest: that there is no request is no mistake of the expression.
func TestExpressionWithoutRequest(t *testing.T) {
	for _, at := range []string{scenario.ValidationContext, scenario.ConditionContext, scenario.WebhookContext, scenario.MessageContext, scenario.MutationContext} {
		for _, expression := range []string{"object.spec.x", "oldObject.metadata.name", "request.operation == 'CREATE'"} {
			r, err := Evaluate(context.Background(), scenario.Scenario{Expression: expression, ExpressionContext: at}, Everything())
			if err != nil {
				t.Fatal(err)
			}
			name, _, _ := strings.Cut(expression, ".")
			if len(r.Diagnostics) != 1 || r.Diagnostics[0].Summary != "there is no request, so "+name+" has no value" || len(r.Diagnostics[0].Fixes) > 0 || r.Diagnostics[0].Text != diag.Expression {
				t.Errorf("%s in %s: %+v", expression, at, r.Diagnostics)
			}
		}
	}
}

// TestExpressionOfAnotherType: a value of any type is shown, with the server's words on its place.
func TestExpressionOfAnotherType(t *testing.T) {
	for _, test := range []struct{ at, expression, want string }{
		{scenario.ValidationContext, "[object.metadata.name]", "as a validation, the server would reject it: must evaluate to bool but got list(dyn)"},
		{scenario.ValidationContext, "object.metadata.name == 'a'", ""},
		{scenario.MessageContext, "1", "as a message expression, the server would reject it: must evaluate to string but got int"},
		{"", "1", ""},
	} {
		r, err := Evaluate(context.Background(), scenario.Scenario{Expression: test.expression, ExpressionContext: test.at,
			Request: "{apiVersion: v1, kind: Namespace, metadata: {name: a}}"}, Everything())
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		for _, d := range r.Diagnostics {
			said += d.Summary
		}
		if said != test.want || !r.Expression.Evaluated {
			t.Errorf("%+v: %q", test, said)
		}
	}
}

// TestExpressionOutsideAdmission: a free expression in the contexts that no policy has, as on the page's
// Expression tab.
func TestExpressionOutsideAdmission(t *testing.T) {
	const cluster = `apiVersion: preadmit.dev/v1
kind: TokenClaims
metadata: {name: jane}
claims: {sub: jane}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: gpu.example.com
  nodeName: one
  pool: {name: one, generation: 1, resourceSliceCount: 1}
  devices: [{name: small, attributes: {model: {string: a}}}]
`
	const request = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: shop}\n"
	for _, c := range []struct {
		context, expression, request string
		want                         any
		problem                      string
	}{
		{scenario.ClaimsContext, "claims.sub + '!'", "", "jane!", ""},
		{scenario.ClaimsContext, "object.x", "", nil, "undeclared reference to 'object'"},
		{scenario.DeviceContext, "device.attributes['gpu.example.com'].model == 'a'", request, true, ""},
		{scenario.UserContext, "user.username", request, "jane", ""},
		{scenario.UserContext, "user.username", "", nil, "there is no request, so user has no value"},
		{scenario.AuthorizationContext, "request.resourceAttributes.namespace + request.resourceAttributes.group", request, "shop", ""},
		{scenario.AuthorizationContext, "request.user", "", nil, "there is no request, so request has no value"},
	} {
		r, err := Evaluate(context.Background(), scenario.Scenario{Expression: c.expression, ExpressionContext: c.context, Request: c.request, Cluster: cluster}, Everything())
		if err != nil {
			t.Fatal(err)
		}
		problem := ""
		for _, d := range r.Diagnostics {
			if d.Text == diag.Expression {
				problem += d.Summary
			}
		}
		if r.Expression == nil || r.Expression.Result != c.want || problem != c.problem {
			t.Errorf("%s in %s: %+v, %v", c.expression, c.context, r.Expression, r.Diagnostics)
		}
	}
}
