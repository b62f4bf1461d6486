package scenario

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// jsonDecoder reads ordinary valid JSON in one pass with few allocations: strings are slices of the
// source, and maps and lists get their final size. It gives up on anything else, which the parsers
// with error messages then read. Numbers follow [k8s.io/apimachinery/pkg/util/json].
type jsonDecoder struct {
	src    string
	at     int
	values int // so far
	failed bool
	// keys and items hold the keys and items of all open objects and lists, innermost last.
	keys  []string
	items []any
	// skim scans the text without building values. text is then the last string value, and kind the
	// value of the top-level field kind.
	skim       bool
	text, kind string
	// room is the initial capacity of both.
	room struct {
		keys  [32]string
		items [32]any
	}
}

// decoders are idle jsonDecoders. Each has room for a thousand bytes, a small request.
var decoders = sync.Pool{New: func() any { return new(jsonDecoder) }}

func newJSONDecoder(src string, skim bool) *jsonDecoder {
	d := decoders.Get().(*jsonDecoder)
	d.src, d.skim = src, skim
	d.keys, d.items = d.room.keys[:0], d.room.items[:0]
	return d
}

// end returns the decoder to the pool, with no references to what it read.
func (d *jsonDecoder) end() {
	*d = jsonDecoder{}
	decoders.Put(d)
}

// decodeJSON reads a text that is one JSON object, within the document limits. It reports false for
// any other or invalid text and for duplicate keys.
func decodeJSON(src string) (map[string]any, bool) {
	d := newJSONDecoder(src, false)
	defer d.end()
	if d.space(); d.peek() != '{' {
		return nil, false
	}
	value := d.value(0)
	if d.space(); d.failed || d.at != len(src) {
		return nil, false
	}
	return value.(map[string]any), true
}

// PlainReview reports whether a text is one AdmissionReview in JSON that the document readers would
// not complain about. It keeps nothing of the text.
func PlainReview(src string) bool {
	d := newJSONDecoder(src, true)
	defer d.end()
	if d.space(); d.peek() != '{' {
		return false
	}
	d.value(0)
	d.space()
	return !d.failed && d.at == len(src) && d.kind == "AdmissionReview"
}

func (d *jsonDecoder) fail() any {
	d.failed = true
	return nil
}

// peek returns the next character, or 0 at the end.
func (d *jsonDecoder) peek() byte {
	if d.at < len(d.src) {
		return d.src[d.at]
	}
	return 0
}

func (d *jsonDecoder) space() {
	for d.at < len(d.src) {
		switch d.src[d.at] {
		case ' ', '\n', '\r', '\t':
			d.at++
		default:
			return
		}
	}
}

// value reads the next value; the root has depth 0.
func (d *jsonDecoder) value(depth int) any {
	if d.values++; depth > MaxDepth || d.values > MaxNodes {
		return d.fail()
	}
	switch c := d.peek(); c {
	case '{':
		return d.object(depth)
	case '[':
		return d.list(depth)
	case '"':
		if s, ok := d.quoted(); ok {
			if d.skim {
				d.text = s
				return nil
			}
			return s
		}
	case 't':
		if d.word("true") {
			return true
		}
	case 'f':
		if d.word("false") {
			return false
		}
	case 'n':
		if d.word("null") {
			return nil
		}
	default:
		if c == '-' || isDigit(c) {
			return d.number()
		}
	}
	return d.fail()
}

func (d *jsonDecoder) word(w string) bool {
	ok := strings.HasPrefix(d.src[d.at:], w)
	d.at += len(w)
	return ok
}

// next skips the comma after an item, or the end. more says that another item follows.
func (d *jsonDecoder) next(end byte) (more bool) {
	d.space()
	c := d.peek()
	d.at++
	if c != ',' && c != end {
		d.fail()
	}
	return c == ',' && !d.failed
}

// empty skips an empty object or list.
func (d *jsonDecoder) empty(end byte) bool {
	d.at++
	if d.space(); d.peek() != end {
		return false
	}
	d.at++
	return true
}

func (d *jsonDecoder) list(depth int) any {
	if d.empty(']') {
		return []any{}
	}
	first := len(d.items)
	for more := true; more; more = d.next(']') {
		d.space()
		d.items = append(d.items, d.value(depth+1))
	}
	if d.failed {
		return nil
	}
	if d.skim {
		d.items = d.items[:first]
		return nil
	}
	out := make([]any, len(d.items)-first)
	copy(out, d.items[first:])
	d.items = d.items[:first]
	return out
}

func (d *jsonDecoder) object(depth int) any {
	if d.empty('}') {
		return map[string]any{}
	}
	first, firstKey := len(d.items), len(d.keys)
	for more := true; more; more = d.next('}') {
		d.space()
		key, ok := d.quoted()
		if d.space(); !ok || d.peek() != ':' {
			return d.fail()
		}
		d.at++
		d.space()
		d.keys = append(d.keys, key)
		text := d.peek() == '"'
		d.items = append(d.items, d.value(depth+1))
		if depth == 0 && key == "kind" && text {
			d.kind = d.text
		}
	}
	if d.skim && !distinct(d.keys[firstKey:]) {
		d.fail()
	}
	if d.failed {
		return nil
	}
	if d.skim {
		d.items, d.keys = d.items[:first], d.keys[:firstKey]
		return nil
	}
	out := make(map[string]any, len(d.keys)-firstKey)
	for i, key := range d.keys[firstKey:] {
		out[key] = d.items[first+i]
	}
	if len(out) != len(d.keys)-firstKey {
		return d.fail() // a duplicate key
	}
	d.items, d.keys = d.items[:first], d.keys[:firstKey]
	return out
}

// distinct reports whether all keys differ. It only checks a few keys.
func distinct(keys []string) bool {
	if len(keys) > 64 {
		return false
	}
	for i, key := range keys {
		if slices.Contains(keys[:i], key) {
			return false
		}
	}
	return true
}

// quoted reads a quoted string.
func (d *jsonDecoder) quoted() (string, bool) {
	if d.peek() != '"' {
		return "", false
	}
	start, plain, ascii := d.at, true, true
	for d.at++; d.at < len(d.src); d.at++ {
		switch c := d.src[d.at]; {
		case c == '"':
			d.at++
			return unquoted(d.src[start:d.at], plain, ascii)
		case c == '\\':
			plain = false
			d.at++ // any escaped character; it does not end the string
		case c < ' ':
			return "", false
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return "", false
}

// unquoted returns a string without its quotes. It is plain without escapes.
func unquoted(quoted string, plain, ascii bool) (string, bool) {
	inner := quoted[1 : len(quoted)-1]
	if !ascii && !utf8.ValidString(inner) {
		return "", false
	}
	if plain {
		return inner, true
	}
	var out string
	err := json.Unmarshal([]byte(quoted), &out)
	return out, err == nil
}

func (d *jsonDecoder) number() any {
	start, whole := d.at, true
	if d.peek() == '-' {
		d.at++
	}
	if d.peek() == '0' {
		d.at++
	} else if !d.digits() {
		return d.fail()
	}
	if d.peek() == '.' {
		d.at++
		whole = false
		if !d.digits() {
			return d.fail()
		}
	}
	if c := d.peek(); c == 'e' || c == 'E' {
		d.at++
		whole = false
		if c := d.peek(); c == '+' || c == '-' {
			d.at++
		}
		if !d.digits() {
			return d.fail()
		}
	}
	text := d.src[start:d.at]
	if whole {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n
		}
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return d.fail()
	}
	return n
}

// digits skips one or more digits.
func (d *jsonDecoder) digits() bool {
	start := d.at
	for isDigit(d.peek()) {
		d.at++
	}
	return d.at > start
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
