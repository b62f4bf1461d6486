package apply

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Kept is a list item that an apply keeps because another manager owns it.
type Kept struct {
	Item    string // spec.ports[port=80,protocol="TCP"]
	Manager string // in quotes, with its subresource
}

// KeptItems are the items of a list of the merged object that the applied configuration does not have.
func KeptItems(merged, config map[string]any, list string) (out []Kept) {
	for _, entry := range (&unstructured.Unstructured{Object: merged}).GetManagedFields() {
		var set fieldpath.Set
		if entry.FieldsV1 == nil || set.FromJSON(entry.FieldsV1.GetRawReader()) != nil {
			continue // the server takes such an entry for none
		}
		set.Iterate(func(p fieldpath.Path) {
			item := strings.TrimPrefix(p.String(), ".")
			if len(p) == 0 || p[len(p)-1].FieldName != nil || !strings.HasPrefix(item, list+"[") || p[:len(p)-1].String() != "."+list {
				return
			}
			if _, applied := Resolve(config, p.String()); !applied {
				out = append(out, Kept{item, named(entry)})
			}
		})
	}
	return out
}

func named(e metav1.ManagedFieldsEntry) string {
	if e.Subresource != "" {
		return fmt.Sprintf("%q with subresource %q", e.Manager, e.Subresource)
	}
	return fmt.Sprintf("%q", e.Manager)
}
