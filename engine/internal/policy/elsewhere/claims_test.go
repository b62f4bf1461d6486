package elsewhere

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/scenario"
)

const tokens = `apiVersion: preadmit.dev/v1
kind: TokenClaims
metadata: {name: jane}
claims: {iss: "https://one", sub: jane, roles: [dev, ""], age: 5, jti: x, "example.com/team": {"a.b": blue}}
---
apiVersion: preadmit.dev/v1
kind: TokenClaims
claims: {sub: ci, roles: dev, age: 1.5}
---
apiVersion: preadmit.dev/v1
kind: TokenClaims
metadata: {name: stranger}
claims: {iss: "https://two", sub: mallory}
`

// TestTokens: what the server makes of the tokens of an issuer. A token that names another issuer
// is not this one's.
func TestTokens(t *testing.T) {
	const sub, both = `claimMappings: {username: {claim: sub, prefix: "oidc:"}}`, "the expression evaluates to "
	for jwt, want := range map[string]string{
		`claimValidationRules: [{expression: "claims.sub == 'jane'", message: only jane}]`: both + "true for jane, false for ci" +
			" The server rejects the token of ci: validation expression 'claims.sub == 'jane'' failed: only jane.",
		`claimValidationRules: [{expression: "claims.age + 1.0 > 2.0"}]`:                           both + "true for jane, true for ci", // numbers of JSON are doubles
		`claimMappings: {username: {expression: "claims.?missing.orValue('oidc:' + claims.sub)"}}`: both + `"oidc:jane" for jane, "oidc:ci" for ci`,
		`claimMappings: {username: {expression: "claims.age"}}`: both + "5 for jane, 1.5 for ci" +
			" The server rejects the token of jane: username claim expression must return a string. The server rejects the token of ci: username claim expression must return a string.",
		`claimMappings: {groups: {expression: "claims.roles"}}`: both + `["dev",""] for jane, "dev" for ci`,
		`claimMappings: {uid: {expression: "claims.example__dot__com__slash__team.a__dot__b"}}`: both + `"blue" for jane, an error for ci` +
			" The server rejects the token of ci: no such key: example__dot__com__slash__team.",
		sub + "\n  userValidationRules: [{expression: \"user.username == 'oidc:jane' && user.uid == '' && user.groups.size() == 0 && user.extra['authentication.kubernetes.io/credential-id'] == ['JTI=x']\"}]": both +
			"true for jane, false for ci The server rejects the token of ci: validation expression 'user.username == 'oidc:jane' && user.uid == '' && user.groups.size() == 0 && user.extra['authentication.kubernetes.io/credential-id'] == ['JTI=x']' failed: ci is not.",
		`claimMappings: {username: {claim: sub}, groups: {claim: roles, prefix: "oidc:"}, extra: [{key: k, valueExpression: "string(claims.age)"}]}` +
			"\n  userValidationRules: [{expression: \"user.groups[0] == 'oidc:dev' && user.extra.k.size() == 1\"}]": both + "true for jane, true for ci",
		`claimMappings: {username: {claim: email}}` + "\n  userValidationRules: [{expression: \"true\"}]": both + "an error for jane, an error for ci" +
			` The server rejects the token of jane: oidc: parse username claims "email": claim not present. The server rejects the token of ci: oidc: parse username claims "email": claim not present.`,
	} {
		jwt = strings.Replace(jwt, `== ['JTI=x']"}`, `== ['JTI=x']", message: ci is not}`, 1)
		docs, problems := scenario.ParseDocuments(diag.Cluster, tokens+"---\napiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\njwt:\n- issuer: {url: 'https://one'}\n  "+jwt+"\n")
		if len(problems) > 0 {
			t.Fatal(jwt, problems)
		}
		var in Input
		for _, d := range docs {
			in.Tokens = append(in.Tokens, Tokens(d)...)
		}
		found, err := New(version.Newest()).Evaluate(docs[3], in)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v, %v", jwt, found, err)
		}
		last := found[len(found)-1]
		if got := strings.TrimSpace(last.Summary + " " + last.Detail); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", jwt, got, want)
		}
	}
}

// TestContexts: a context that a scenario can name is either of a place in a policy, or has a variable here.
func TestContexts(t *testing.T) {
	for _, c := range scenario.ExpressionContexts {
		if ofPlace := model.Context(c.Name).Context == c.Name; ofPlace != (Variable(c.Name) == "") {
			t.Errorf("%s: a place has it: %v, variable %q", c.Name, ofPlace, Variable(c.Name))
		}
	}
}

// TestFree: an expression of its own, in each context outside admission.
func TestFree(t *testing.T) {
	docs, _ := scenario.ParseDocuments(diag.Cluster, slice+"---\n"+tokens)
	full := Input{Devices: Devices(docs[0]), User: map[string]any{"username": "jane"}, Review: map[string]any{"user": "jane"}}
	for _, d := range docs {
		full.Tokens = append(full.Tokens, Tokens(d)...)
	}
	for _, c := range []struct {
		context, expression string
		in                  Input
		want                string // result, type and problems
	}{
		{scenario.DeviceContext, "device.attributes['gpu.example.com'].model", full, `{"large":"b","small":"a"} map`},
		{scenario.DeviceContext, "device.attributes['other.io'].x > 0", full, `null  large: no such key: x`},
		{scenario.DeviceContext, "true", Input{}, "null  the scenario has no ResourceSlice with devices, so device has no value"},
		{scenario.DeviceContext, "device.nothing", full, "null  undefined field 'nothing'"},
		{scenario.ClaimsContext, "claims.sub", Input{Tokens: full.Tokens[:1]}, `"jane" string`},
		{scenario.ClaimsContext, "claims", Input{Tokens: full.Tokens[1:2]}, `{"age":1.5,"roles":"dev","sub":"ci"} claims`},
		{scenario.ClaimsContext, "claims.sub", full, `{"ci":"ci","jane":"jane","stranger":"mallory"} map`},
		{scenario.ClaimsContext, "object", full, `null  undeclared reference to 'object'`},
		{scenario.UserContext, "user.username + user.uid", full, `"jane" string`},
		{scenario.UserContext, "user.groups", Input{}, "null  there is no request, so user has no value"},
		{scenario.AuthorizationContext, "request.user", full, `"jane" string`},
	} {
		got, problems, err := New(version.Newest()).Free(c.context, c.expression, c.in)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(got.Result)
		if err != nil {
			t.Fatal(err)
		}
		said := string(raw) + " " + got.Type
		for _, p := range problems {
			said += " " + p.Summary
		}
		if got.Evaluated && got.Error != "" {
			said += " " + got.Error
		}
		if said != c.want {
			t.Errorf("%s: %s: %s, want %s", c.context, c.expression, said, c.want)
		}
	}
}
