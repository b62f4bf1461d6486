package elsewhere

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	celtypes "github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/scenario"
)

// issuer is an entry of jwt in an AuthenticationConfiguration. It makes users of the tokens that one
// issuer signs, as the server's package for OpenID Connect does, whose errors it has.
type issuer struct {
	checker *Checker
	jwt     any
}

// issuerOf is the entry that an expression is in; nil for other kinds.
func (c *Checker) issuerOf(d *scenario.Document, f found) *issuer {
	path := fieldpath.Parse(f.path)
	if path[0].Name() != "jwt" {
		return nil
	}
	jwt, _ := path[:2].Get(d.Value)
	return &issuer{c, jwt}
}

// field is the value at a path of names; nil if there is none.
func (i *issuer) field(names ...string) any {
	value, _ := fieldpath.New(names...).Get(i.jwt)
	return value
}

// text is a field's text; empty if it has none.
func (i *issuer) text(names ...string) string {
	text, _ := i.field(names...).(string)
	return text
}

// tokens are those that the issuer may have signed: all that name no other one.
func (i *issuer) tokens(all []Token) []Token {
	return slices.DeleteFunc(slices.Clone(all), func(t Token) bool {
		iss, named := t.claims["iss"]
		return named && iss != i.text("issuer", "url")
	})
}

// evaluated says what an expression evaluates to for tokens, and which of them the server rejects
// for it.
func (i *issuer) evaluated(d *scenario.Document, f found, p *program, tokens []Token) (summary, detail string) {
	var results, details []string
	for _, t := range tokens {
		s, err := subject{t.Name, t.value()}, error(nil)
		if f.scope == user {
			s.value, err = i.user(t)
		}
		result := "an error"
		if err == nil {
			o := p.on([]subject{s})[0]
			if err = o.err; err == nil {
				result, err = shown(o.result), rejection(d, f, o.result)
			}
		}
		results = append(results, result+" for "+t.Name)
		if err != nil {
			details = append(details, fmt.Sprintf("The server rejects the token of %s: %v.", t.Name, err))
		}
	}
	return "the expression evaluates to " + strings.Join(results, ", "), strings.Join(details, " ")
}

// shown is a value as JSON.
func shown(v ref.Val) string {
	raw, err := json.Marshal(plain(v))
	if err != nil {
		return fmt.Sprint(v.Value())
	}
	return string(raw)
}

// rejection is why the server rejects a token for what an expression evaluates to; nil if it does not.
func rejection(d *scenario.Document, f found, result ref.Val) (err error) {
	path := fieldpath.Parse(f.path)
	switch {
	case f.scope != mapping && result != celtypes.True:
		message, _ := path.Parent().Child("message").Get(d.Value)
		return fmt.Errorf("validation expression '%s' failed: %s", f.expression, message)
	case f.scope != mapping:
	case path.Parent().Last() == "username":
		_, err = username(result)
	case path.Parent().Last() == "uid":
		_, err = uid(result)
	default:
		_, err = list(result)
	}
	return err
}

// user is the variable user that the server makes of a token, by the claim mappings.
func (i *issuer) user(t Token) (ref.Val, error) {
	name, err := mapped(i, t, "username", username)
	if err != nil {
		return nil, err
	}
	groups, err := mapped(i, t, "groups", list)
	if err != nil {
		return nil, err
	}
	id, err := mapped(i, t, "uid", uid)
	if err != nil {
		return nil, err
	}
	extra := map[string][]string{}
	if jti, ok := t.claims["jti"].(string); ok && jti != "" {
		extra["authentication.kubernetes.io/credential-id"] = []string{"JTI=" + jti}
	}
	keys, _ := i.field("claimMappings", "extra").([]any)
	for _, entry := range keys {
		fields, _ := entry.(map[string]any)
		expression, _ := fields["valueExpression"].(string)
		values, err := expressed(i, t, expression, list)
		if err != nil {
			return nil, err
		}
		if key, _ := fields["key"].(string); len(values) > 0 {
			extra[key] = values
		}
	}
	return userOf(map[string]any{"username": name, "groups": groups, "uid": id, "extra": extra}), nil
}

// mapped is what a claim mapping makes of a token: of a claim, with a prefix, or of an expression.
func mapped[V string | []string](i *issuer, t Token, name string, read func(ref.Val) (V, error)) (V, error) {
	var none V
	claim := i.text("claimMappings", name, "claim")
	if claim == "" {
		return expressed(i, t, i.text("claimMappings", name, "expression"), read)
	}
	value, ok := t.claims[claim]
	if !ok {
		if name == "groups" {
			return none, nil
		}
		return none, fmt.Errorf("oidc: parse %s claims %q: claim not present", name, claim)
	}
	if verified, given := t.claims["email_verified"]; name == "username" && claim == "email" && given && verified != true {
		return none, errors.New("oidc: email not verified")
	}
	prefix := i.text("claimMappings", name, "prefix")
	switch v := value.(type) {
	case string:
		value = prefix + v
	case []any:
		if name == "groups" {
			all := make([]any, len(v))
			for n, item := range v {
				text, ok := item.(string)
				if !ok {
					return none, fmt.Errorf("oidc: parse groups claim %q: it has an item that is not a string", claim)
				}
				all[n] = prefix + text
			}
			value = all
		}
	}
	return read(celtypes.DefaultTypeAdapter.NativeToValue(value))
}

// expressed is what the expression of a mapping makes of a token; nothing without one.
func expressed[V string | []string](i *issuer, t Token, expression string, read func(ref.Val) (V, error)) (V, error) {
	var none V
	if expression == "" {
		return none, nil
	}
	p, issues, err := i.checker.compiled(mapping, expression)
	if err != nil {
		return none, err
	}
	if issues != nil {
		return none, issues.Err()
	}
	o := p.on([]subject{{t.Name, t.value()}})[0]
	if o.err != nil {
		return none, fmt.Errorf("oidc: expression '%s' resulted in error: %w", expression, o.err)
	}
	return read(o.result)
}

// username is a value as the name of a user.
func username(v ref.Val) (string, error) {
	text, ok := v.Value().(string)
	if !ok {
		return "", errors.New("username claim expression must return a string")
	}
	if text == "" {
		return "", errors.New("oidc: empty username via CEL expression is not allowed")
	}
	return text, nil
}

// uid is a value as the ID of a user.
func uid(v ref.Val) (string, error) {
	text, ok := v.Value().(string)
	if !ok {
		return "", errors.New("uid claim expression must return a string")
	}
	return text, nil
}

// list is a value as groups, or as an extra value: a text, or a list of them. Empty ones do not count.
func list(v ref.Val) ([]string, error) {
	wrong := errors.New("expression must return a string or a list of strings")
	var out []string
	switch v := v.(type) {
	case celtypes.Null:
	case celtypes.String:
		out = append(out, string(v))
	case traits.Lister:
		for it := v.Iterator(); it.HasNext() == celtypes.True; {
			text, ok := it.Next().(celtypes.String)
			if !ok {
				return nil, wrong
			}
			out = append(out, string(text))
		}
	default:
		return nil, wrong
	}
	return slices.DeleteFunc(out, func(text string) bool { return text == "" }), nil
}

// userOf is the variable user: its fields are there even if they are empty.
func userOf(given map[string]any) ref.Val {
	all := map[string]any{"username": "", "uid": "", "groups": []string{}, "extra": map[string][]string{}}
	maps.Copy(all, given)
	return newObject("kubernetes.UserInfo", all)
}
