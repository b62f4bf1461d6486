package text

import (
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/linediff"
)

// changes writes a patch, one line per operation. before has the old values and may be nil.
func (o *out) changes(indent string, patch []report.PatchOperation, before map[string]any) {
	for _, op := range patch {
		path := report.FieldPath(op.Path)
		var line string
		var st style
		switch op.Op {
		case "add":
			line, st = fmt.Sprintf("+ %s: %s", path, value(op.Value)), green
		case "remove":
			line, st = "- "+path, red
			if old, ok := report.Lookup(before, op.Path); ok {
				line += ": " + value(old)
			}
		case "replace":
			line, st = fmt.Sprintf("~ %s: %s", path, value(op.Value)), yellow
			if old, ok := report.Lookup(before, op.Path); ok {
				line = fmt.Sprintf("~ %s: %s -> %s", path, value(old), value(op.Value))
			}
		default:
			line = fmt.Sprintf("%s %s %s", op.Op, path, report.FieldPath(op.From))
		}
		o.linef("%s%s", indent, o.style(st, cut(line, max(o.Width-len(indent), 20))))
	}
}

// Diff returns a unified diff of two objects as YAML; "" if equal. An absent object is empty.
func (p Printer) Diff(oldName string, before map[string]any, newName string, after map[string]any) (string, error) {
	a, err := objectYAML(before)
	if err != nil {
		return "", err
	}
	b, err := objectYAML(after)
	if err != nil {
		return "", err
	}
	unified := linediff.Of(oldName, string(a), newName, string(b)).String()
	if !p.Color {
		return Safe(unified), nil
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
	return finished(out.String()), nil
}

func objectYAML(object map[string]any) ([]byte, error) {
	if len(object) == 0 {
		return nil, nil
	}
	raw, err := scenario.YAML(object)
	if err != nil {
		return nil, fmt.Errorf("writing the object as YAML: %w", err)
	}
	return raw, nil
}
