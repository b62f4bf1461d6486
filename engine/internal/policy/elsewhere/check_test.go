package elsewhere

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	utilversion "k8s.io/apimachinery/pkg/util/version"
	authenticationcel "k8s.io/apiserver/pkg/authentication/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestCheck: each kind has its CEL compiled at its place.
func TestCheck(t *testing.T) {
	const selector = "selectors: [{cel: {expression: 'device.driver'}}]"
	const typed = "must evaluate to bool or the unknown type, not string"
	for name, c := range map[string]struct{ text, path, code, says string }{
		"class":               {"apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nspec: {" + selector + "}", "spec.selectors[0].cel.expression", codes.CELReturnType, typed},
		"claim":               {"apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nspec: {devices: {requests: [{exactly: {" + selector + "}}]}}", "spec.devices.requests[0].exactly.selectors[0].cel.expression", codes.CELReturnType, typed},
		"claim of v1beta1":    {"apiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaim\nspec: {devices: {requests: [{" + selector + "}]}}", "spec.devices.requests[0].selectors[0].cel.expression", codes.CELReturnType, typed},
		"alternative":         {"apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nspec: {spec: {devices: {requests: [{firstAvailable: [{" + selector + "}]}]}}}", "spec.spec.devices.requests[0].firstAvailable[0].selectors[0].cel.expression", codes.CELReturnType, typed},
		"field of a slice":    {"apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nspec: {devices: [{later: {expression: 'a'}}]}", "spec.devices[0].later.expression", codes.CELNotChecked, "CEL in this field is not checked."},
		"claim rule":          {"apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\njwt: [{claimValidationRules: [{expression: 'claims.a + 1'}]}]", "jwt[0].claimValidationRules[0].expression", codes.CELReturnType, "must evaluate to bool"},
		"mapping":             {"apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\njwt: [{claimMappings: {groups: {expression: 'user.groups'}}}]", "jwt[0].claimMappings.groups.expression", codes.CELCompile, "undeclared reference to 'user'"},
		"extra":               {"apiVersion: apiserver.config.k8s.io/v1beta1\nkind: AuthenticationConfiguration\njwt: [{claimMappings: {extra: [{valueExpression: 'claims.'}]}}]", "jwt[0].claimMappings.extra[0].valueExpression", codes.CELCompile, "Syntax error"},
		"user rule":           {"apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\njwt: [{userValidationRules: [{expression: 'user.name == \"a\"'}]}]", "jwt[0].userValidationRules[0].expression", codes.CELCompile, "undefined field 'name'"},
		"authorization":       {"apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\nauthorizers: [{webhook: {matchConditions: [{expression: request.user}]}}]", "authorizers[0].webhook.matchConditions[0].expression", codes.CELReturnType, "must evaluate to bool but got string"},
		"cost":                {"apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nspec: {selectors: [{cel: {expression: 'device.attributes.all(a, device.attributes.all(b, device.attributes[a].all(c, device.attributes[b].all(d, c.contains(d)))))'}}]}", "spec.selectors[0].cel.expression", codes.SelectorCost, "the expression may cost"},
		"length":              {"apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nspec: {selectors: [{cel: {expression: '" + strings.Repeat("(", 11<<10) + "'}}]}", "spec.selectors[0].cel.expression", codes.CELCompile, "longer than 10 KiB"},
		"another group":       {"apiVersion: example.com/v1\nkind: DeviceClass\nspec: {" + selector + "}", "", "", ""},
		"authorization, good": {"apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\nauthorizers: [{webhook: {matchConditions: [{expression: 'has(request.resourceAttributes.fieldSelector.requirements)'}]}}]", "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			docs, problems := scenario.ParseDocuments(diag.Cluster, c.text)
			if len(docs) != 1 || len(problems) > 0 {
				t.Fatal(problems)
			}
			got, err := New(version.MustParse("1.37")).Check(docs[0], c.text)
			if err != nil {
				t.Fatal(err)
			}
			if c.code == "" {
				if len(got.Diagnostics) > 0 {
					t.Errorf("%v", got.Diagnostics)
				}
				return
			}
			if len(got.Diagnostics) != 1 {
				t.Fatalf("%v", got.Diagnostics)
			}
			if d := got.Diagnostics[0]; d.Code != c.code || d.Path != c.path || !strings.Contains(d.Summary, c.says) || d.Span.End <= d.Span.Start {
				t.Errorf("%+v", d)
			}
			if (len(got.Errors) == 1) != (c.code != codes.CELNotChecked) || len(got.Errors) == 1 && got.Errors[0].Field != c.path {
				t.Errorf("%v", got.Errors)
			}
		})
	}
}

// TestDevices: which release knows which field of a device, and the costs that
// k8s.io/dynamic-resource-allocation/cel v0.37.2 estimates.
func TestDevices(t *testing.T) {
	for _, c := range []struct {
		release, expression string
		cost                uint64 // 0 where it does not compile
	}{
		{"1.37", `device.driver == "gpu.example.com"`, 4},
		{"1.37", `device.attributes["gpu.example.com"].model == "a"`, 5},
		{"1.37", `device.capacity["gpu.example.com"].memory.isGreaterThan(quantity("1Gi"))`, 6},
		{"1.37", `!device.allowMultipleAllocations`, 3},
		{"1.37", `cel.bind(g, device.attributes["gpu.example.com"], g.a == "x" && g.v.isGreaterThan(semver("1.0.0")))`, 20},
		{"1.37", `device.attributes["a"].b.startsWith("abc")`, 5},
		{"1.37", `device.attributes.all(d, device.attributes[d].exists(n, n.contains("x")))`, 9475},
		{"1.37", `device.attributes.all(d, device.attributes[d].all(n, device.attributes[d][n] == "abc"))`, 10499},
		{"1.37", `device.attributes.all(a, device.attributes.all(b, device.attributes[a].all(c, device.attributes[b].all(d, c.contains(d)))))`, 22290627},
		{"1.37", `device.capacity.all(d, device.capacity[d].all(n, device.capacity[d][n].compareTo(quantity("1")) > 0))`, 12547},
		{"1.37", `device.driver.matches("[a-z]+")`, 16},
		{"1.37", `device.attributes["a"].b.lowerAscii() == device.driver`, 20},
		{"1.37", `device.driver in ["a", "b"]`, 14},
		{"1.37", `device.attributes["a"].b`, 4},
		{"1.37", `device.attributes["a"].b.includes("x")`, 0},
		{"1.37", `has(device.attributes["a"].b) && device.attributes["a"].b`, 7},
		{"1.37", `device.foo`, 0},
		{"1.37", `size(device.attributes) > 3`, 4},
		{"1.35", `!device.allowMultipleAllocations`, 0}, // off by default before 1.36
	} {
		checker := New(version.MustParse(c.release))
		p, issues, err := checker.compiled(device, c.expression)
		if err != nil {
			t.Fatal(err)
		}
		if issues != nil {
			if c.cost > 0 {
				t.Errorf("%s: %s: %v", c.release, c.expression, issues.Err())
			}
			continue
		}
		cost, err := checker.estimate(p)
		if err != nil || cost != c.cost {
			t.Errorf("%s: %s: %d, want %d, %v", c.release, c.expression, cost, c.cost, err)
		}
	}
}

// expressionOf is an expression as the server's compiler takes it.
type expressionOf struct {
	text  string
	types []*cel.Type
}

func (e expressionOf) GetExpression() string    { return e.text }
func (e expressionOf) ReturnTypes() []*cel.Type { return e.types }

// TestAuthentication compares with the server's compiler, on the newest release.
func TestAuthentication(t *testing.T) {
	docs, _ := scenario.ParseDocuments(diag.Policies, "kind: A\na: text\n")
	v := version.Newest()
	server := authenticationcel.NewCompiler(environment.MustBaseEnvSet(utilversion.MustParse(v.String())))
	for _, text := range []string{
		"claims.a", "claims.a == 'b'", "claims['a'] in claims.b", "claims.?a.orValue('b')", "claim.a", "claims.a.b.c", "claims", "has(claims.a)",
		"user.username", "user.uid == ''", "user.groups.all(g, !g.startsWith('system:'))", "user.extra['a'].exists(v, v == 'b')", "user.name", "user",
		"user.groups + 1", "user.username.foo()", "1 +", "", "true", "ip('::1').family() == 6", "authorizer",
	} {
		for _, s := range []scope{claims, mapping, user} {
			accessor := expressionOf{text, []*cel.Type{cel.BoolType}}
			if s == mapping {
				accessor.types = []*cel.Type{cel.AnyType}
			}
			compile := server.CompileClaimsExpression
			if s == user {
				compile = server.CompileUserExpression
			}
			want := ""
			var refused *apiservercel.Error
			if _, err := compile(accessor); errors.As(err, &refused) {
				want = refused.Detail
			}
			got, err := New(v).expression(docs[0], "", found{"a", text, s})
			if err != nil {
				t.Fatal(err)
			}
			detail := ""
			if got != nil {
				detail = got.server.Detail
			}
			if detail != want {
				t.Errorf("%v %s:\n%s\nwant\n%s", s, text, detail, want)
			}
		}
	}
}

// TestRepairs: what the server rejects is repaired as in a policy, if it then compiles.
func TestRepairs(t *testing.T) {
	for _, c := range []struct{ context, expression, want string }{
		{scenario.UserContext, "user.usernam == 'x'", "user.username == 'x'"},
		{scenario.ClaimsContext, "claim.sub === 'a'", "claims.sub == 'a'"},
		{scenario.AuthorizationContext, "request.resourceAttributes.namspace == 'a' and request.user != ''", "request.resourceAttributes.namespace == 'a' && request.user != ''"},
		{scenario.DeviceContext, "len(device.driver) > 3", "size(device.driver) > 3"},
		{scenario.UserContext, "now() > timestamp('2026-01-01T00:00:00Z')", ""},
		{scenario.UserContext, "object.spec", ""},
	} {
		_, problems, err := New(version.Newest()).Free(c.context, c.expression, Input{})
		if err != nil || len(problems) == 0 {
			t.Fatal(problems, err)
		}
		got := ""
		if fixes := problems[0].Fixes; len(fixes) > 0 {
			got = c.expression
			for _, e := range slices.Backward(fixes[0].Edits) {
				got = got[:e.Span.Start] + e.New + got[e.Span.End:]
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.expression, got, c.want)
		}
	}
}
