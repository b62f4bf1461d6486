package catalog

import "k8s.io/apimachinery/pkg/runtime/schema"

// defaultBuiltin fills in what the server's defaulting of built-in kinds does.
func (c *Catalog) defaultBuiltin(_ schema.GroupVersionKind, obj map[string]any) map[string]any {
	return obj
}
