package catalog

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/preadmit/preadmit/engine/internal/version"
)

// byteType is the element type of a byte slice that is written as an array.
var byteType = &Type{Name: "uint8", Kind: Integer}

// bytesOf returns the normal form, base64, for bytes written as an array.
func bytesOf(items []any) string {
	raw := make([]byte, len(items))
	for i, item := range items {
		n, _ := item.(int64) // null means zero
		raw[i] = byte(n)
	}
	return base64.StdEncoding.EncodeToString(raw)
}

// literal decodes a string, number, boolean or null.
func (d *decoder) literal(t *Type, pointer bool, old any) (any, error) {
	switch d.data[d.pos] {
	case 'n':
		d.pos += len("null")
		if pointer || t.Kind == Map || t.Kind == List || t.Kind == Bytes {
			return nil, nil
		}
		return old, nil // null keeps other values
	case 't', 'f':
		value := d.data[d.pos] == 't'
		d.skipValue()
		if t.Kind == Boolean {
			return value, nil
		}
		d.mismatchAfter("bool", t)
	case '"':
		return d.stringLiteral(t, old)
	default:
		return d.number(t, old)
	}
	return old, nil
}

func (d *decoder) stringLiteral(t *Type, old any) (any, error) {
	value := d.readString()
	switch t.Kind {
	case String:
		return value, nil
	case Bytes:
		raw, err := base64.StdEncoding.DecodeString(value)
		if err != nil {
			d.save(err)
			return old, nil
		}
		return base64.StdEncoding.EncodeToString(raw), nil
	}
	d.mismatchAfter("string", t)
	return old, nil
}

func (d *decoder) number(t *Type, old any) (any, error) {
	start := d.pos
	d.skipValue()
	text := d.data[start:d.pos]
	switch t.Kind {
	case Integer:
		if n, ok := parseInteger(text, t.Name); ok {
			return n, nil
		}
		d.mismatchAfter("number "+text, t)
	case Number:
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			return f, nil
		}
		d.mismatchAfter("number "+text, t)
	default:
		d.mismatchAfter("number", t)
	}
	return old, nil
}

// parseInteger reads an integer of the given Go type. (No API type uses a named integer type.)
func parseInteger(text, goType string) (int64, bool) {
	bits, unsigned := 64, strings.HasPrefix(goType, "uint")
	if size, err := strconv.Atoi(strings.TrimLeft(goType, "uint")); err == nil {
		bits = size
	}
	if unsigned {
		n, err := strconv.ParseUint(text, 10, bits)
		return int64(n), err == nil
	}
	n, err := strconv.ParseInt(text, 10, bits)
	return n, err == nil
}

// mismatch records that the next value, an object or array, does not fit, and skips it.
func (d *decoder) mismatch(value string, t *Type) {
	d.mismatchAfter(value, t)
	d.skipValue()
}

// mismatchAfter records that the value just read does not fit its type.
func (d *decoder) mismatchAfter(value string, t *Type) {
	d.save(&typeError{value: value, goType: t.Name})
}

// save stores the first error. Decoding continues.
func (d *decoder) save(err error) {
	err = d.inContext(err)
	if d.tolerant {
		d.problem(err.Error(), false)
	} else if d.saved == nil {
		d.saved = err
	}
}

// inContext adds the place to a type error, also to errors from a custom type's decoder.
func (d *decoder) inContext(err error) error {
	if len(d.fieldStack) == 0 {
		return err
	}
	e := &typeError{}
	var foreign *json.UnmarshalTypeError
	switch {
	case errors.As(err, &foreign):
		e = &typeError{value: foreign.Value, goType: foreign.Type.String(), field: foreign.Field}
	case !errors.As(err, &e):
		return err
	}
	stack := d.fieldStack
	if e.field != "" && d.b.version.Has(version.EmbeddedFieldNames) {
		stack = append(stack[:len(stack):len(stack)], e.field)
	}
	e.inStruct, e.field = d.structName, strings.Join(stack, ".")
	return e
}

// strictError records an unknown or duplicate field, each once.
func (d *decoder) strictError(what, key string) {
	path := key
	if len(d.path) > 0 {
		path = strings.Join(d.path, "") + "." + key
	}
	message := what + " " + strconv.Quote(path)
	if d.tolerant {
		d.problems = append(d.problems, Problem{Path: path, Unknown: what == "unknown field", Message: message})
		return
	}
	if !d.strict || len(d.strictErrors) >= maxStrictErrors {
		return
	}
	for _, earlier := range d.strictErrors {
		if earlier == message {
			return
		}
	}
	d.strictErrors = append(d.strictErrors, message)
}

func (d *decoder) problem(message string, unknown bool) {
	d.problems = append(d.problems, Problem{Path: strings.Join(d.path, ""), Unknown: unknown, Message: message})
}

// push enters a key's value.
func (d *decoder) push(key string) {
	if len(d.path) > 0 {
		key = "." + key
	}
	d.path = append(d.path, key)
}

// The document's syntax was checked before; the code below relies on that.

func (d *decoder) skipSpace() {
	for d.pos < len(d.data) {
		switch d.data[d.pos] {
		case ' ', '\t', '\r', '\n':
			d.pos++
		default:
			return
		}
	}
}

// skipValue skips the next value.
func (d *decoder) skipValue() {
	d.skipSpace()
	depth := 0
	for d.pos < len(d.data) {
		switch d.data[d.pos] {
		case '"':
			d.skipString()
			if depth == 0 {
				return
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return // the end of the enclosing value
			}
			if depth--; depth == 0 {
				d.pos++
				return
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return
			}
		}
		d.pos++
	}
}

// skipString skips the string that begins here.
func (d *decoder) skipString() {
	for d.pos++; d.data[d.pos] != '"'; d.pos++ {
		if d.data[d.pos] == '\\' {
			d.pos++
		}
	}
	d.pos++
}

// readString decodes the string that begins here.
func (d *decoder) readString() string {
	start := d.pos
	d.skipString()
	raw := d.data[start+1 : d.pos-1]
	if !strings.Contains(raw, `\`) && utf8.ValidString(raw) {
		return raw
	}
	var s string
	if err := json.Unmarshal([]byte(d.data[start:d.pos]), &s); err != nil {
		panic("catalog: a string that passed the syntax check: " + err.Error())
	}
	return s
}
