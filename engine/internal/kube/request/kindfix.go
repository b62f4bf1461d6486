package request

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
	"github.com/preadmit/preadmit/engine/scenario"
)

// KindFixes repair apiVersion and kind if the server does not serve the kind or apiVersion is
// missing: they use the only kind with that name, or with a similar name.
func KindFixes(d *scenario.Document, c *catalog.Catalog) []diag.Fix {
	group, _, grouped := strings.Cut(d.APIVersion, "/")
	if !grouped {
		group = ""
	}
	if _, foreign := ForeignKind(schema.GroupVersionKind{Group: group, Kind: d.Kind}); foreign || !ownGroup(group) {
		return nil // another project's kind, even if a Kubernetes kind has a similar name
	}
	served := versionsOf(c, d.Kind)
	kind := d.Kind
	if len(served) == 0 {
		var names []string
		for _, r := range c.Kinds() {
			if !slices.Contains(names, r.GVK.Kind) && strings.ToLower(r.GVK.Kind) != r.GVK.Kind { // a lower-case kind is a mistake in its definition
				names = append(names, r.GVK.Kind)
			}
		}
		best, ok := suggest.Of(names, kind)
		ok = ok && suggest.Letters(best, kind) <= 2 && (d.APIVersion == "" || inGroup(versionsOf(c, best), group))
		for _, name := range names {
			if strings.EqualFold(name, kind) || strings.EqualFold(name+"s", kind) {
				best, ok = name, true
			}
		}
		if !ok {
			return nil
		}
		kind, served = best, versionsOf(c, best)
	}
	version := best(served, d.APIVersion)
	if version == "" {
		return nil
	}
	fix := diag.Fix{}
	switch {
	case d.APIVersion == "":
		fix.Title = "Add apiVersion: " + version
		at := d.LocateKey("kind")
		if d.Brackets("") || !d.Has("kind") {
			e, ok := d.Insert("", "apiVersion", version)
			if !ok {
				return nil
			}
			fix.Edits = append(fix.Edits, e)
			break
		}
		fix.Edits = append(fix.Edits, diag.Edit{Text: d.Text, Span: diag.Span{Start: at.Start, End: at.Start}, New: fmt.Sprintf("apiVersion: %s\n", version)})
	case version != d.APIVersion:
		fix.Title = "Change to " + version
		e, ok := d.Rewrite("apiVersion", version)
		if !ok {
			return nil
		}
		fix.Edits = append(fix.Edits, e)
	}
	if kind != d.Kind {
		e, ok := d.Rewrite("kind", kind)
		if !ok {
			return nil
		}
		fix.Edits = append(fix.Edits, e)
		fix.Title = "Change to " + kind
		if version != d.APIVersion {
			fix.Title += " in " + version
		}
	}
	return []diag.Fix{fix}
}

// inGroup reports whether one of the versions belongs to a group.
func inGroup(versions []schema.GroupVersion, group string) bool {
	return slices.ContainsFunc(versions, func(gv schema.GroupVersion) bool { return gv.Group == group })
}

// versionsOf returns the group versions that serve a kind.
func versionsOf(c *catalog.Catalog, kind string) []schema.GroupVersion {
	var out []schema.GroupVersion
	for _, r := range c.Kinds() {
		if r.GVK.Kind == kind && !slices.Contains(out, r.GVK.GroupVersion()) {
			out = append(out, r.GVK.GroupVersion())
		}
	}
	return out
}

// best returns the intended group version: one from the same group, or else the only group, stable
// versions first. It is empty if there is none.
func best(served []schema.GroupVersion, given string) string {
	group, _, _ := strings.Cut(given, "/")
	var candidates []schema.GroupVersion
	for _, gv := range served {
		if gv.Group == group || gv.String() == given {
			candidates = append(candidates, gv)
		}
	}
	if len(candidates) == 0 {
		candidates = served
	}
	if i := slices.IndexFunc(candidates, func(gv schema.GroupVersion) bool { return gv.String() == given }); i >= 0 {
		return given
	}
	stable := slices.IndexFunc(candidates, func(gv schema.GroupVersion) bool { return !strings.ContainsAny(gv.Version[1:], "ab") })
	switch {
	case len(candidates) == 0:
		return ""
	case stable >= 0:
		// Event is in two groups; most people mean the older one.
		return candidates[stable].String()
	}
	return candidates[0].String()
}
