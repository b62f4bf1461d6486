package storage

import (
	"maps"

	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
)

// Unidentified reports whether an old object has none of the fields that every stored object has:
// somebody wrote it by hand.
func Unidentified(old map[string]any) bool {
	metadata := untyped.Sub(old, "metadata")
	for _, field := range identity {
		if metadata[field] != nil {
			return false
		}
	}
	return metadata != nil && untyped.Sub(old, "status") == nil
}

// Identified gives an old object, and the one that replaces it, the identity that its creation
// gave it. What the new object says itself stays.
func (e *Storage) Identified(old, object map[string]any) (stored, replacing map[string]any) {
	given := map[string]any{"uid": untyped.ZeroUID, "creationTimestamp": e.Now, "resourceVersion": "1"}
	own := untyped.Sub(object, "metadata")
	for field := range given {
		if value, ok := own[field].(string); ok && value != "" {
			given[field] = value
		}
	}
	if e.hasGeneration(e.Attributes.Kind) {
		given["generation"] = int64(1)
	}
	return withMetadata(old, given), withMetadata(object, given)
}

// withMetadata is a copy of an object with more fields in its metadata, where it lacks them.
func withMetadata(object, fields map[string]any) map[string]any {
	if object == nil {
		return nil
	}
	out, metadata := maps.Clone(object), maps.Clone(untyped.Sub(object, "metadata"))
	if metadata == nil {
		metadata = map[string]any{}
	}
	for field, value := range fields {
		if metadata[field] == nil {
			metadata[field] = value
		}
	}
	out["metadata"] = metadata
	return out
}
