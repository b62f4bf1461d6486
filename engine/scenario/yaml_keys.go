package scenario

import (
	"encoding/json"
	"strconv"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
)

// keyName returns the key's name in JSON: the parser reads 1 as "1", on as "true", and a tag may
// change either. For unusual keys it calls the parser with a document that has only that key.
func (b *nodeBuilder) keyName(y *yamlv3.Node, key *node) string {
	if y.Kind == yamlv3.AliasNode {
		y = y.Alias
	}
	at := b.offset(y.Line, y.Column)
	tagged := at < key.start
	switch {
	case y.Kind != yamlv3.ScalarNode || !tagged && styleOf(y) != plainStyle:
		return y.Value
	case !tagged && isWord(y.Value): // source text unchanged
		key.end = key.start + len(y.Value)
		return y.Value
	}
	text := b.s.src[at:b.s.end(key)]
	name, known := b.names[text]
	if !known && !tagged {
		name, known = wholeNumber(text)
	}
	if !known {
		b.p.budget.Work(resolveWork)
		name = resolveKey(text, y.Value)
		b.names[text] = name
	}
	return name
}

// resolveWork is the cost of parsing one key.
const resolveWork = 400

// isWord reports whether a plain scalar can only be a string: a letter followed by letters, digits,
// dots and the like, and none of the words that YAML 1.1 reads as a boolean or null. Nearly all
// keys are words, and parsing each of them would cost more than everything else.
func isWord(text string) bool {
	for i, c := range text {
		letter := c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
		digit := c >= '0' && c <= '9' || c == '-' || c == '_' || c == '/' || c == '.'
		if !letter && !digit || digit && i == 0 {
			return false
		}
	}
	switch strings.ToLower(text) {
	case "", "y", "n", "yes", "no", "on", "off", "true", "false", "null":
		return false
	}
	return true
}

// wholeNumber returns the name of a key that is clearly a whole number: unsigned, decimal or
// hexadecimal with 0x, at most 15 digits. Some texts have many such keys, and parsing each would
// take most of the time.
func wholeNumber(text string) (string, bool) {
	digits, base := text, 10
	if rest, isHex := strings.CutPrefix(text, "0x"); isHex {
		digits, base = rest, 16
	}
	if digits == "" || len(digits) > 15 || base == 10 && digits[0] == '0' && digits != "0" {
		return "", false
	}
	n, err := strconv.ParseUint(digits, base, 64)
	return strconv.FormatUint(n, 10), err == nil
}

func resolveKey(text, otherwise string) string {
	raw, err := toJSONFromYAML([]byte("? " + text + "\n: 0\n"))
	if err != nil {
		return otherwise
	}
	var object map[string]int
	if json.Unmarshal(raw, &object) != nil {
		return otherwise
	}
	for name := range object {
		return name
	}
	return otherwise
}
