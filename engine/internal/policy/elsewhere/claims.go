package elsewhere

import (
	"cmp"
	"encoding/json"

	celtypes "github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/lazy"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/scenario"
)

// The document with the claims of a token: its field claims has them.
const (
	ClaimsAPIVersion = "preadmit.dev/v1"
	ClaimsKind       = "TokenClaims"
)

// Token is the claims of a token, with the name of its document.
type Token struct {
	Name   string
	claims map[string]any
}

// Tokens are the claims in a document, if it is TokenClaims.
func Tokens(d *scenario.Document) []Token {
	if d.APIVersion != ClaimsAPIVersion || d.Kind != ClaimsKind {
		return nil
	}
	given, _ := d.Value["claims"].(map[string]any)
	t := Token{Name: d.Name, claims: map[string]any{}}
	if raw, err := json.Marshal(given); err == nil { // a token is JSON, whose numbers are doubles in CEL
		_ = json.Unmarshal(raw, &t.claims) // it was written just now
	}
	subject, _ := t.claims["sub"].(string)
	t.Name = cmp.Or(t.Name, subject, "the token")
	return []Token{t}
}

// value is the variable claims, as the server has it.
func (t Token) value() ref.Val { return newObject("kubernetes.claims", t.claims) }

// object is a variable as the server has it: CEL may write its fields with escapes, and iterates over
// their values.
type object struct {
	*lazy.MapValue
	fields map[string]any
}

func newObject(typeName string, values map[string]any) object {
	out := object{lazy.NewMapValue(celtypes.NewObjectType(typeName)), values}
	for key, value := range values {
		out.Append(key, func(*lazy.MapValue) ref.Val { return unescaped(celtypes.DefaultTypeAdapter.NativeToValue(value)) })
	}
	return out
}

// plain is a value as JSON has it.
func plain(v ref.Val) any {
	if o, ok := v.(object); ok {
		return o.fields
	}
	value, _ := eval.JSON(v)
	return value
}

// withEscapes is a map whose keys CEL may write with escapes, such as __dot__.
type withEscapes struct{ traits.Mapper }

// Find returns the value of a key.
func (m withEscapes) Find(key ref.Val) (ref.Val, bool) {
	if text, ok := key.(celtypes.String); ok {
		if name, ok := apiservercel.Unescape(string(text)); ok {
			key = celtypes.String(name)
		}
	}
	value, ok := m.Mapper.Find(key)
	return unescaped(value), ok
}

// listWithEscapes is a list of such maps.
type listWithEscapes struct{ traits.Lister }

// Get returns an item.
func (l listWithEscapes) Get(index ref.Val) ref.Val { return unescaped(l.Lister.Get(index)) }

func unescaped(value ref.Val) ref.Val {
	switch v := value.(type) {
	case traits.Mapper:
		return withEscapes{v}
	case traits.Lister:
		return listWithEscapes{v}
	}
	return value
}
