package typecheck

import (
	"strings"
	"testing"
)

// TestFixed: conditions with the same result for every value, and such as only look
// like them.
func TestFixed(t *testing.T) {
	const never, always = "never true", "always true"
	for _, c := range []struct{ expression, summary, repaired string }{
		{"object.spec.replicas > 5 && object.spec.replicas < 3", never, "object.spec.replicas > 5 || object.spec.replicas < 3"},
		{"object.spec.replicas >= 3 && object.spec.replicas < 3", never, "object.spec.replicas >= 3 || object.spec.replicas < 3"},
		{"3 < object.spec.replicas && 3 >= object.spec.replicas", never, "3 < object.spec.replicas || 3 >= object.spec.replicas"},
		{"object.spec.replicas == 2 && object.spec.replicas != 2", never, "object.spec.replicas == 2 || object.spec.replicas != 2"},
		{"object.spec.replicas == 2 && object.spec.replicas > 2", never, "object.spec.replicas == 2 || object.spec.replicas > 2"},
		{"request.operation == 'CREATE' && request.operation == \"UPDATE\"", never, "request.operation == 'CREATE' || request.operation == \"UPDATE\""},
		{"has(object.spec.paused) && object.metadata.name == 'a' && object.metadata.name == 'b'", never, "has(object.spec.paused) && (object.metadata.name == 'a' || object.metadata.name == 'b')"},
		{"object.metadata.name == 'a' && object.metadata.name == 'b' && object.spec.paused", never, "(object.metadata.name == 'a' || object.metadata.name == 'b') && object.spec.paused"},
		{"object.metadata.name == 'a' && object.spec.paused && object.metadata.name == 'b'", never, ""},
		{"object.metadata.name != 'a' || object.metadata.name != 'b' || object.metadata.name != 'c'", always, "object.metadata.name != 'a' && object.metadata.name != 'b' && object.metadata.name != 'c'"},
		{"!has(object.spec.paused) || object.metadata.name != 'a' || object.metadata.name != 'b'", always, "!has(object.spec.paused) || object.metadata.name != 'a' && object.metadata.name != 'b'"},
		{"object.spec.replicas < 5 || object.spec.replicas >= 5", always, "object.spec.replicas < 5 && object.spec.replicas >= 5"},
		{"object.spec.template.spec.containers.all(c, c.name != 'é' || c.name != 'b')", always, "object.spec.template.spec.containers.all(c, c.name != 'é' && c.name != 'b')"},
		{"object.spec.paused || !object.spec.paused", always, ""},
		{"has(object.spec.paused) && !has(object.spec.paused)", never, ""},
		{"size(object.spec.template.spec.containers) >= 0", always, "size(object.spec.template.spec.containers) > 0"},
		{"object.spec.template.spec.containers.size() < 0", never, ""},

		{"object.spec.replicas > 3 && object.spec.replicas < 5", "", ""},
		{"object.spec.replicas >= 3 && object.spec.replicas <= 3", "", ""},
		{"object.spec.replicas < 3 || object.spec.replicas > 5", "", ""},
		{"object.spec.replicas != 3 && object.spec.replicas != 5", "", ""},
		{"object.metadata.name == 'a' || object.metadata.name == 'b'", "", ""},
		{"object.metadata.name == 'a' && object.metadata.namespace == 'b'", "", ""},
		{"object.metadata.labels['a'] == 'x' && object.metadata.labels['b'] == 'y'", "", ""},
		{"object.spec.template.spec.containers.exists(c, c.name == 'a') && object.spec.template.spec.containers.exists(c, c.name == 'b')", "", ""},
		{"size(object.spec.template.spec.containers) > 0", "", ""},
		{"!has(object.spec.paused) || !object.spec.paused", "", ""},
	} {
		text := condition(c.expression)
		var summary, repaired string
		for _, d := range problemsOf(t, text, "") {
			if d.Code != "fixed-result" {
				continue
			}
			summary, _, _ = strings.Cut(d.Summary, ": ")
			for _, fix := range d.Fixes {
				repaired = strings.TrimPrefix(fix.Title, "Write ")
			}
		}
		if summary != c.summary || repaired != c.repaired {
			t.Errorf("%s\n got %q -> %s\nwant %q -> %s", c.expression, summary, repaired, c.summary, c.repaired)
		}
	}
}
