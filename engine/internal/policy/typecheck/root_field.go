package typecheck

import "strings"

// alsoAtRoot offers a field of the object itself that is read of spec:
// object.spec.metadata is object.metadata as likely as that of a template.
func (a *analysis) alsoAtRoot(f *finding, place, name string) {
	root, below, _ := strings.Cut(place, ".")
	wrong := place + "." + name
	if root != "object" && root != "oldObject" || below != "spec" || a.view.Object == nil || a.view.Object.Field(name) == nil || !strings.Contains(a.expression.Text, wrong) {
		return
	}
	f.or = f.repaired
	f.repaired = strings.ReplaceAll(a.expression.Text, wrong, root+"."+name)
	f.detail = "It is a field of " + root + ". " + f.detail
}
