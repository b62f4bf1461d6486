package expressions

import (
	"maps"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/scenario"
)

// In a structural schema, the branches of allOf, anyOf and oneOf only restrict a value: its type and
// the extensions stand outside of them.

const preserve, intOrString = "x-kubernetes-preserve-unknown-fields", "x-kubernetes-int-or-string"

var branchLists = []string{"allOf", "anyOf", "oneOf"}

// branches is what the branches of a node say that only the node itself may say.
type branches struct {
	doc     *scenario.Document
	types   []string
	keep    bool // unknown fields
	edits   []diag.Edit
	removed map[string]bool // the names of what is taken out
	gone    int             // lists of branches that say nothing else
	ok      bool
}

// branchedNode is the node of a schema that has the branches around a path, or has some itself.
func branchedNode(doc *scenario.Document, path fieldpath.Path) (fieldpath.Path, map[string]any) {
	at := path.Parent()
	for i := 0; i < len(path); i++ {
		if slices.Contains(branchLists, path[i].Name()) && path[i-1].Name() != "properties" {
			at = path[:i]
			break
		}
	}
	node := fieldpath.As[map[string]any](at.Get(doc.Value))
	return at, node
}

// ofBranches moves the type and the extensions of branches to their node, where all errors of the
// branches end with that. Branches of several types leave the value open.
func ofBranches(doc *scenario.Document, path fieldpath.Path) []diag.Fix {
	at, node := branchedNode(doc, path)
	b := branches{doc: doc, ok: true, removed: map[string]bool{}}
	b.collect(at, node)
	if len(b.edits) == 0 || !b.ok {
		return nil
	}
	own, _ := node["type"].(string)
	slices.Sort(b.types)
	b.types = slices.Compact(b.types)
	said := "Remove the " + strings.Join(slices.Sorted(maps.Keys(b.removed)), " and ") + " from the branches"
	var added []string
	add := func(name, value string) {
		edit, ok := doc.Insert(at.String(), name, value)
		b.edits, b.ok = append(b.edits, edit), b.ok && ok
		added = append(added, name+": "+value)
		said = "Write " + strings.Join(added, " and ") + " in place of what the branches say"
	}
	switch {
	case own != "" && slices.ContainsFunc(b.types, func(t string) bool { return t != own }):
		return nil // a branch that no value fits
	case own == "" && slices.Equal(b.types, []string{"integer", "string"}):
		add(intOrString, "true")
	case own == "" && len(b.types) == 1:
		add("type", b.types[0])
	}
	if (b.keep || own == "" && len(b.types) > 1 && node[intOrString] == nil && !slices.Equal(b.types, []string{"integer", "string"})) && node[preserve] == nil {
		add(preserve, "true")
	}
	if b.gone == len(node) { // nothing is left to write beside
		edit, ok := doc.Rewrite(at.String(), "{"+strings.Join(added, ", ")+"}")
		b.edits, b.ok = []diag.Edit{edit}, ok
	}
	if !b.ok {
		return nil
	}
	return []diag.Fix{{Title: said, Edits: b.edits}}
}

// collect takes the type and the extensions out of the branches of a node, and a list of branches that
// say nothing else as a whole.
func (b *branches) collect(at fieldpath.Path, node map[string]any) {
	for _, name := range branchLists {
		list, _ := node[name].([]any)
		rest, first := 0, len(b.edits)
		for i, item := range list {
			branch, _ := item.(map[string]any)
			for _, key := range slices.Sorted(maps.Keys(branch)) {
				switch text, _ := branch[key].(string); {
				case key == "type":
					b.types = append(b.types, text)
				case key == preserve:
					b.keep = true
				case key == "description" || key == "title": // which the node has, if any
				default:
					rest++
					continue
				}
				b.removed[key] = true
				edit, ok := b.doc.Remove(at.Child(name).Index(i).Child(key).String())
				b.edits, b.ok = append(b.edits, edit), b.ok && ok
			}
			if nested := slices.ContainsFunc(branchLists, func(l string) bool { return branch[l] != nil }); nested {
				b.ok = false
			}
		}
		if rest == 0 && len(list) > 0 {
			edit, ok := b.doc.Remove(at.Child(name).String())
			b.edits, b.ok, b.gone = append(b.edits[:first], edit), b.ok && ok, b.gone+1
		}
	}
}

// structural reports whether an error is about what only the node of branches may say.
func structural(summary string) bool {
	return strings.HasSuffix(summary, "must be empty to be structural") || strings.HasSuffix(summary, "must be false to be structural")
}

const structuralDetail = "allOf, anyOf and oneOf only restrict a value. Its type, and what is done with unknown fields, stands outside of them."
