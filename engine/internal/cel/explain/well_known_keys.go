package explain

import (
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
)

// wellKnownKeys are labels and annotations of Kubernetes. An expression that reads one of them is
// not misspelt: where an object has one that is nearly the same, the object is.
var wellKnownKeys = map[string]bool{
	"app.kubernetes.io/name": true, "app.kubernetes.io/instance": true, "app.kubernetes.io/version": true,
	"app.kubernetes.io/component": true, "app.kubernetes.io/part-of": true, "app.kubernetes.io/managed-by": true,
	"kubernetes.io/metadata.name": true, "kubernetes.io/hostname": true, "kubernetes.io/arch": true, "kubernetes.io/os": true,
	"topology.kubernetes.io/zone": true, "topology.kubernetes.io/region": true, "node.kubernetes.io/instance-type": true,
	"pod-security.kubernetes.io/enforce": true, "pod-security.kubernetes.io/enforce-version": true,
	"pod-security.kubernetes.io/audit": true, "pod-security.kubernetes.io/audit-version": true,
	"pod-security.kubernetes.io/warn": true, "pod-security.kubernetes.io/warn-version": true,
	"kubernetes.io/service-name": true, "kubernetes.io/ingress.class": true, "kubernetes.io/description": true,
	"kubernetes.io/change-cause": true, "kubectl.kubernetes.io/default-container": true,
}

// misspeltKey renames the key of a text that is nearly the well-known one which an expression reads.
func (x *explainer) misspeltKey(n *node) (diag.Fix, bool) {
	if n.Kind != "index" || !wellKnownKeys[n.Missing] {
		return diag.Fix{}, false
	}
	nearest, ok := suggest.Of(n.Has, n.Missing)
	if !ok || wellKnownKeys[nearest] {
		return diag.Fix{}, false
	}
	d, path, ok := x.field(n.children[0])
	if !ok {
		return diag.Fix{}, false
	}
	edit, ok := d.Rename(fieldpath.Path(path).Key(nearest).String(), n.Missing)
	return diag.Fix{Title: "Change " + nearest + " to " + n.Missing, Edits: []diag.Edit{edit}}, ok
}
