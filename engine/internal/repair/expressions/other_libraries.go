package expressions

import (
	"encoding/base64"
	"slices"
	"strings"
)

// libraryRules are for functions of other programs' CEL libraries that admission has no like of,
// where a comparison with a literal says what is wanted.
var libraryRules = []rule{
	{"CEL in admission cannot encode or decode base64: compare with the encoded value.", base64Calls},
	{"image() is Kyverno's function. Here an image is a string: compare its beginning or its end.", imageParts},
	{"CEL has no power operator: multiply.", powers},
}

// literalText is the value of a string or bytes literal without escapes; ok is false for others.
func (d *draft) literalText(i int) (text string, ok bool) {
	if !d.isString(i) || d.List[i].Open {
		return "", false
	}
	text = d.List[i].Literal()
	return text, !strings.ContainsAny(text, "\\'\"")
}

// base64Names are the names of functions for base64 in other languages, and whether they encode.
var base64Names = map[string]bool{
	"encode": true, "base64_encode": true, "b64enc": true, "base64Encode": true, "btoa": true,
	"decode": false, "base64_decode": false, "b64dec": false, "base64Decode": false, "atob": false, "base64": false,
}

// base64Call is a call of such a function, from a token to another, and its argument.
func (d *draft) base64Call(i int) (encodes bool, from, to int, argument [2]int, ok bool) {
	open, method, isCall := d.call(i)
	encodes, known := base64Names[d.List[i].Text]
	if !isCall || !known || d.List[i].Text == "encode" && !method || d.List[i].Text == "decode" && !method {
		return false, 0, 0, argument, false
	}
	from, to = i, d.Partner[open]
	args := d.arguments(open)
	switch {
	case method && d.Is(i-2, "base64"):
		from = i - 2
	case method:
		return false, 0, 0, argument, false
	}
	if len(args) != 1 {
		return false, 0, 0, argument, false
	}
	return encodes, from, to, args[0], true
}

// base64Calls computes what is known of a call: its value for a literal, and in a comparison with
// a literal what the other side has to be.
func base64Calls(d *draft) string {
	for i := range d.List {
		encodes, from, to, argument, ok := d.base64Call(i)
		if !ok {
			continue
		}
		if text, plain := d.literalText(argument[0]); plain && argument[0] == argument[1] {
			if encodes {
				return d.with(edit{d.start(from), d.end(to), "'" + base64.StdEncoding.EncodeToString([]byte(text)) + "'"})
			}
			if decoded, err := base64.StdEncoding.DecodeString(text); err == nil && !strings.ContainsAny(string(decoded), "\\'\n\r") {
				return d.with(edit{d.start(from), d.end(to), "b'" + string(decoded) + "'"})
			}
			continue
		}
		if d.Is(from-1, "(") && d.Is(from-2, "string") && d.Is(to+1, ")") { // string(base64.decode(x))
			from, to = from-2, to+1
		}
		other := to + 2
		if !d.Is(to+1, "==") && !d.Is(to+1, "!=") {
			continue
		}
		text, plain := d.literalText(other)
		if !plain || d.Is(other+1, ".") {
			continue
		}
		if encodes {
			decoded, err := base64.StdEncoding.DecodeString(text)
			if err != nil || strings.ContainsAny(string(decoded), "\\'\n\r") {
				continue
			}
			text = string(decoded)
		} else {
			text = base64.StdEncoding.EncodeToString([]byte(text))
		}
		return d.with(edit{d.start(from), d.end(to), d.operand(argument)}, edit{d.start(other), d.end(other), "'" + text + "'"})
	}
	return d.text
}

// implied are the parts of a container's image that a text may leave out.
var implied = []string{"docker.io", "index.docker.io", "latest"}

// imageParts writes comparisons of the parts that Kyverno's image() reads as comparisons of the text.
// A part that images may leave out has no such comparison.
func imageParts(d *draft) string {
	for i := range d.List {
		open, method, ok := d.call(i)
		if !ok || method || !d.Is(i, "image") {
			continue
		}
		args, end := d.arguments(open), d.Partner[open]
		part, isCall := end+2, false
		if d.Is(end+1, ".") && part < len(d.List) {
			_, _, isCall = d.call(part)
		}
		if len(args) != 1 || !isCall || d.Partner[part+1] != part+2 {
			continue
		}
		image, to := d.operand(args[0]), part+2
		if d.Is(part, "containsDigest") {
			return d.with(edit{d.start(i), d.end(to), image + ".contains('@')"})
		}
		value, plain := d.literalText(to + 2)
		unequal := d.Is(to+1, "!=")
		if !plain || !unequal && !d.Is(to+1, "==") || slices.Contains(implied, value) {
			continue
		}
		test := map[string]string{"registry": ".startsWith('" + value + "/')", "tag": ".endsWith(':" + value + "')", "digest": ".endsWith('@" + value + "')"}[d.List[part].Text]
		if test == "" {
			continue
		}
		if unequal {
			image = "!" + image
		}
		return d.with(edit{d.start(i), d.end(to + 2), image + test})
	}
	return d.text
}

// powers writes x ** 2, and x ** 3, as products.
func powers(d *draft) string {
	if !d.syntaxError() {
		return d.text
	}
	for i := range d.List {
		if !d.Is(i, "*") || !d.Is(i+1, "*") || !d.touches(i) || !d.ends(i-1) || !d.isNumber(i+2) || !slices.Contains([]string{"2", "3"}, d.List[i+2].Text) {
			continue
		}
		from := d.chainStart(i - 1)
		base := d.slice(from, i-1)
		return d.with(edit{d.end(i - 1), d.end(i + 2), strings.Repeat(" * "+base, int(d.List[i+2].Text[0]-'0')-1)})
	}
	return d.text
}
