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

// KindFixes repair the apiVersion and kind of an object that the server does not
// serve, or that has no apiVersion: with those of the one kind of that name, or
// of a name that is nearly the same.
func KindFixes(d *scenario.Document, c *catalog.Catalog) []diag.Fix {
	group, _, grouped := strings.Cut(d.APIVersion, "/")
	if !grouped {
		group = ""
	}
	if _, foreign := ForeignKind(schema.GroupVersionKind{Group: group, Kind: d.Kind}); foreign || !ownGroup(group) {
		return nil // the kind of a stranger, whatever kind of Kubernetes has a name like it
	}
	served := versionsOf(c, d.Kind)
	kind := d.Kind
	if len(served) == 0 {
		var names []string
		for _, r := range c.Kinds() {
			if !slices.Contains(names, r.GVK.Kind) && strings.ToLower(r.GVK.Kind) != r.GVK.Kind { // a kind in small letters is a mistake in its definition
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

// inGroup reports whether one of the versions is in a group.
func inGroup(versions []schema.GroupVersion, group string) bool {
	return slices.ContainsFunc(versions, func(gv schema.GroupVersion) bool { return gv.Group == group })
}

// versionsOf are the groups and versions that serve a kind.
func versionsOf(c *catalog.Catalog, kind string) []schema.GroupVersion {
	var out []schema.GroupVersion
	for _, r := range c.Kinds() {
		if r.GVK.Kind == kind && !slices.Contains(out, r.GVK.GroupVersion()) {
			out = append(out, r.GVK.GroupVersion())
		}
	}
	return out
}

// best is the group and version that was meant by another: that of the same
// group, or else the only group; a stable version before others. Empty if there
// is none.
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
		// Event is in two groups; the older one is what most mean.
		return candidates[stable].String()
	}
	return candidates[0].String()
}
