package refusals

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/answer/compile"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
)

// resize says what keeps a claim from growing: its StorageClass, or that it has none.
func (r *refusal) resize([]string) bool {
	r.at("spec.resources.requests.storage")
	class := text(untyped.Sub(r.Chain.Attributes.Object, "spec"), "storageClassName")
	before := text(untyped.Sub(r.Chain.Attributes.OldObject, "spec"), "storageClassName")
	o, ok := r.inCluster(schema.GroupKind{Group: "storage.k8s.io", Kind: "StorageClass"}, "", class)
	switch {
	case class != before:
		r.diag.Detail = fmt.Sprintf("The claim has StorageClass %q, and the update names %q. A claim keeps its StorageClass.", before, class)
	case class == "":
		r.diag.Detail = "The claim names no StorageClass, so its volume was created by hand. Only a StorageClass with allowVolumeExpansion: true lets a claim grow."
	case !ok:
		r.diag.Detail = fmt.Sprintf("The claim's StorageClass %s decides, by allowVolumeExpansion: true. The scenario's cluster does not have it.", class)
		fix := compile.AddToCluster(r.Scenario.Cluster, "Add a StorageClass "+class+" that lets claims grow", fmt.Sprintf(
			"apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: %s}\nprovisioner: csi.example.com\nallowVolumeExpansion: true\n", class))
		fix.Draft = true
		r.offer(fix)
	default:
		r.diag.Detail = fmt.Sprintf("StorageClass %s does not have allowVolumeExpansion: true. Set it if the driver can grow volumes: kubectl patch storageclass %s -p '{\"allowVolumeExpansion\": true}'.", class, class)
		r.decided(o, "provisioner", "the StorageClass")
		r.offer(o.Fix("Set allowVolumeExpansion: true in the StorageClass", func(object map[string]any) { object["allowVolumeExpansion"] = true })...)
	}
	return true
}
