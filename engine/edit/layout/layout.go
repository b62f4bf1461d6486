// Package layout lays out YAML and JSON evenly: indentation, spaces and empty lines. Only white space
// changes, so comments, quotes and the order of fields stay.
package layout

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/preadmit/preadmit/engine/internal/guard"
	"github.com/preadmit/preadmit/engine/scenario"
)

// step is how far a level is indented, in spaces.
const step = 2

// Format returns a text of YAML documents, or of JSON, with an even layout. It fails where the text
// cannot be read, is larger than a text of a scenario may be, or has a form whose meaning would change.
func Format(text string) (_ string, err error) {
	defer guard.Error(&err)
	if len(text) > scenario.MaxTextBytes {
		return "", fmt.Errorf("the text has more than %d bytes", scenario.MaxTextBytes)
	}
	if json.Valid([]byte(text)) && strings.ContainsAny(text, "{[") {
		var out bytes.Buffer
		if err := json.Indent(&out, []byte(strings.TrimSpace(text)), "", strings.Repeat(" ", step)); err != nil {
			return "", fmt.Errorf("JSON: %w", err)
		}
		return out.String() + "\n", nil
	}
	lineBreak := "\n"
	if strings.Contains(text, "\r\n") {
		lineBreak, text = "\r\n", strings.ReplaceAll(text, "\r\n", "\n")
	}
	before, err := documents(text)
	if err != nil {
		return "", err
	}
	l := newLayout(text)
	for _, d := range before {
		for _, root := range d.Content {
			l.block(root, 0, parent{-1, -1})
		}
	}
	out := l.text()
	if after, err := documents(out); err != nil || !sameAll(before, after) || visible(text) != visible(out) {
		return "", errors.New("its layout cannot be changed without changing what it says")
	}
	return strings.ReplaceAll(out, "\n", lineBreak), nil
}

// documents parses the documents of a text.
func documents(text string) ([]*yaml.Node, error) {
	var out []*yaml.Node
	for d := yaml.NewDecoder(strings.NewReader(text)); ; {
		n := new(yaml.Node)
		switch err := d.Decode(n); {
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, fmt.Errorf("YAML: %w", err)
		}
		out = append(out, n)
	}
}

// visible is a text without white space.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
}

func sameAll(a, b []*yaml.Node) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !same(a[i], b[i]) {
			return false
		}
	}
	return true
}

// same reports whether two nodes have one meaning. A layout that moved a comment to another node
// would not change it.
func same(a, b *yaml.Node) bool {
	if a.Kind != b.Kind || a.Style != b.Style || a.Tag != b.Tag || a.Value != b.Value || a.Anchor != b.Anchor {
		return false
	}
	if a.Kind == yaml.AliasNode { // its target is compared where it stands, and may hold the alias
		return reflect.DeepEqual(a.Content, b.Content)
	}
	return sameAll(a.Content, b.Content)
}
