package objects

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
)

// inMapping writes a string such as disk=ssd,zone=a as a mapping; empty if it does not have that
// form.
func inMapping(text string) string {
	var out []string
	for _, part := range strings.Split(text, ",") {
		key, value, ok := strings.Cut(part, "=")
		if key = strings.TrimSpace(key); !ok || key == "" || strings.ContainsAny(key, " !<>") || strings.HasPrefix(value, "=") {
			return ""
		}
		out = append(out, strconv.Quote(key)+": "+strconv.Quote(strings.TrimSpace(value)))
	}
	return "{" + strings.Join(out, ", ") + "}"
}

// named writes a string such as MODE=fast as an item with name and value; empty if it does not have
// that form or items lack these fields.
func named(item *catalog.Type, text string) string {
	name, value, ok := strings.Cut(text, "=")
	if item.Field("name") == nil || item.Field("value") == nil || !ok || name == "" || strings.Contains(name, " ") {
		return ""
	}
	return "{name: " + strconv.Quote(name) + ", value: " + strconv.Quote(value) + "}"
}

// asItemOf writes one value as an item of the list: a container's port, or an image. It is empty if
// items have no field for it.
func asItemOf(item *catalog.Type, list string, value any, source string) string {
	text, isText := value.(string)
	if isText {
		if pair := named(item, text); pair != "" {
			return pair
		}
		if item.Field("image") != nil {
			return imageItem(text)
		}
		source = strconv.Quote(text)
	}
	name := mainField(item, value)
	if name == "" || item.Field("mountPath") != nil || list == "rules" {
		return ""
	}
	return "{" + name + ": " + source + "}"
}

// imageItem returns a container named after its image.
func imageItem(image string) string {
	name := image[strings.LastIndexByte(image, '/')+1:]
	name, _, _ = strings.Cut(name, "@")
	name, _, _ = strings.Cut(name, ":")
	if name == "" || strings.ContainsAny(image, " ,") {
		return ""
	}
	return fmt.Sprintf("{name: %s, image: %s}", strconv.Quote(strings.ToLower(strings.NewReplacer("_", "-", ".", "-").Replace(name))), strconv.Quote(image))
}

// onlyItem replaces a list by its only mapping.
func (o Object) onlyItem(w wrongType, path string) []diag.Fix {
	inner := o.in(w.path.Index(0))
	at, span := o.Document.Locate(inner), o.Document.Locate(path)
	src := o.Document.Source()
	if o.Document.Brackets(path) {
		text := src[at.Start:at.End]
		if !strings.HasPrefix(text, "{") { // [a: b] is a list of a mapping, too
			text = "{" + text + "}"
		}
		return o.rewritten("Write it without the list", path, text)
	}
	if o.Document.IsJSON() || o.Document.Column(inner) <= o.Document.KeyColumn(path) || strings.TrimLeft(src[span.Start:at.Start], "- ") != "" {
		return nil
	}
	return []diag.Fix{{Title: "Write it without the list", Edits: []diag.Edit{{Text: o.Document.Text, Span: diag.Span{Start: span.Start, End: at.Start}, New: strings.Repeat(" ", at.Start-span.Start)}}}}
}
