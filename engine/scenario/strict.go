package scenario

import (
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// DuplicateKeys returns the API server's warnings for duplicate keys in a YAML document, in its
// words: line 5: key "name" already set in map. Lines count from the start of the document. JSON
// documents have none, because the API type's decoder finds their duplicates.
func (d *Document) DuplicateKeys() []string {
	return d.duplicateKeys(func(text string) string { return text })
}

// DuplicateKeysInFile is DuplicateKeys for a document in one of the API server's manifest files,
// where it trims white space before it counts lines.
func (d *Document) DuplicateKeysInFile() []string { return d.duplicateKeys(strings.TrimSpace) }

func (d *Document) duplicateKeys(cut func(string) string) []string {
	if d.quick || d.FromList || d.IsJSON() || !d.root().setsTwice(map[*node]bool{}) {
		return nil
	}
	_, err := yaml.YAMLToJSONStrict([]byte(cut(d.source.src[d.source.from:d.source.to])))
	if err == nil {
		return nil
	}
	var warnings []string
	for _, line := range strings.Split(err.Error(), "\n") {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "line ") {
			warnings = append(warnings, line)
		}
	}
	return warnings
}

// setsTwice reports whether a mapping in n may have a duplicate key: directly, or by merging
// mappings with <<, whose keys count as its own. seen avoids walking shared aliases more than once.
func (n *node) setsTwice(seen map[*node]bool) bool {
	if n == nil || len(n.merged)+len(n.entries)+len(n.items) == 0 || seen[n] {
		return false
	}
	seen[n] = true
	if len(n.merged) > 0 || n.hasTwice() {
		return true
	}
	for _, e := range n.entries {
		if e.value.setsTwice(seen) {
			return true
		}
	}
	return slices.ContainsFunc(n.items, func(item *node) bool { return item.setsTwice(seen) })
}

// hasTwice reports whether two entries of a mapping have the same name.
func (n *node) hasTwice() bool {
	if n.names != nil {
		return len(n.names) < len(n.entries)
	}
	for i, e := range n.entries {
		if slices.ContainsFunc(n.entries[:i], func(earlier entry) bool { return earlier.name == e.name }) {
			return true
		}
	}
	return false
}

// DuplicateFields returns the paths of duplicate keys below a field, in source order. It does not
// count keys from merged mappings.
func (d *Document) DuplicateFields(below string) []string {
	at, _, found := walk(d.root(), fieldpath.Parse(below))
	if !found || at == nil {
		return nil
	}
	var out []string
	at.duplicates(nil, map[*node]bool{}, &out)
	return out
}

// duplicates adds the paths of duplicate keys. seen holds the ancestors.
func (n *node) duplicates(path fieldpath.Path, seen map[*node]bool, out *[]string) {
	if n == nil || seen[n] {
		return
	}
	seen[n] = true
	names := map[string]bool{}
	for _, e := range n.entries {
		at := path.Child(e.name)
		if names[e.name] {
			*out = append(*out, at.String())
		}
		names[e.name] = true
		e.value.duplicates(at, seen, out)
	}
	for i, item := range n.items {
		item.duplicates(path.Index(i), seen, out)
	}
}
