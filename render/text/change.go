package text

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"sigs.k8s.io/yaml"

	objects "github.com/preadmit/preadmit/engine/diff"
	"github.com/preadmit/preadmit/engine/report"
)

// changes writes a patch with one line per operation. before gives the old
// values; it may be nil.
func (o *out) changes(indent string, patch []report.PatchOperation, before map[string]any) {
	for _, op := range patch {
		path := FieldPath(op.Path)
		var line string
		var st style
		switch op.Op {
		case "add":
			line, st = fmt.Sprintf("+ %s: %s", path, value(op.Value)), green
		case "remove":
			line, st = "- "+path, red
			if old, ok := lookup(before, op.Path); ok {
				line += ": " + value(old)
			}
		case "replace":
			line, st = fmt.Sprintf("~ %s: %s", path, value(op.Value)), yellow
			if old, ok := lookup(before, op.Path); ok {
				line = fmt.Sprintf("~ %s: %s -> %s", path, value(old), value(op.Value))
			}
		default:
			line = fmt.Sprintf("%s %s %s", op.Op, path, FieldPath(op.From))
		}
		o.linef("%s%s", indent, o.style(st, cut(line, max(o.Width-len(indent), 20))))
	}
}

// lookup finds the value at a JSON pointer. Earlier operations of a patch may
// have moved list items, so that only paths without an index are certain; the
// others are left out.
func lookup(object map[string]any, pointer string) (any, bool) {
	var at any = object
	for _, key := range objects.Pointer(pointer) {
		m, ok := at.(map[string]any)
		if !ok {
			return nil, false
		}
		if at, ok = m[key]; !ok {
			return nil, false
		}
	}
	return at, object != nil
}

// FieldPath writes a JSON pointer as people write fields:
// spec.containers[0].name, metadata.labels["example.com/team"].
func FieldPath(pointer string) string {
	var b strings.Builder
	for _, key := range objects.Pointer(pointer) {
		switch {
		case isIndex(key):
			b.WriteString("[" + key + "]")
		case strings.ContainsAny(key, "./[] \"") || key == "":
			b.WriteString("[" + strconv.Quote(key) + "]")
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(key)
		}
	}
	return b.String()
}

func isIndex(s string) bool {
	_, err := strconv.ParseUint(s, 10, 32)
	return err == nil || s == "-"
}

// Diff is a unified diff of two objects as YAML; "" when they are equal. An
// absent object counts as empty.
func (p Printer) Diff(oldName string, before map[string]any, newName string, after map[string]any) (string, error) {
	a, err := objectYAML(before)
	if err != nil {
		return "", err
	}
	b, err := objectYAML(after)
	if err != nil {
		return "", err
	}
	unified := string(diff.Diff(oldName, a, newName, b))
	_, unified, _ = strings.Cut(unified, "\n") // the line with the command
	if !p.Color {
		return unified, nil
	}
	var out strings.Builder
	for line := range strings.Lines(unified) {
		text := strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
			text = p.style(bold, text)
		case strings.HasPrefix(line, "+"):
			text = p.style(green, text)
		case strings.HasPrefix(line, "-"):
			text = p.style(red, text)
		case strings.HasPrefix(line, "@@"):
			text = p.style(cyan, text)
		}
		out.WriteString(text + "\n")
	}
	return out.String(), nil
}

func objectYAML(object map[string]any) ([]byte, error) {
	if len(object) == 0 {
		return nil, nil
	}
	raw, err := yaml.Marshal(object)
	if err != nil {
		return nil, fmt.Errorf("writing the object as YAML: %w", err)
	}
	return raw, nil
}
