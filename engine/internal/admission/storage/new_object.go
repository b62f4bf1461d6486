package storage

import (
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
)

// generatedSuffix stands for the five random characters of a generated name.
var generatedSuffix = [2]string{"xxxxx", "zzzzz"}

// maxPrefix is how many bytes of generateName a name begins with (maxGeneratedNameLength of
// apiserver/pkg/storage/names).
const maxPrefix = 58

// beforeCreate sets what every kind gets when it is created, and a Service from its storage. It is
// for kinds and programs without the server's own code.
func (e *Storage) beforeCreate(object map[string]any) {
	kind := e.Attributes.Kind
	if meta := e.identified(object); meta != nil && e.hasGeneration(kind) {
		meta["generation"] = int64(1)
	}
	if e.ownsStatus(kind) {
		e.resetStatus(object, nil)
	}
	if kind.GroupKind() == serviceKind && !e.SharedOnly {
		allocate(e, object)
	}
}

// identified gives a new object its uid, time and name (rest.FillObjectMetaSystemFields), and
// returns its metadata.
func (e *Storage) identified(object map[string]any) map[string]any {
	meta, ok := object["metadata"].(map[string]any)
	if !ok || e.reviewed() {
		return nil
	}
	meta["uid"], meta["creationTimestamp"] = untyped.ZeroUID, e.Now
	if name, prefix := metadataString(object, "name"), metadataString(object, "generateName"); name == "" && prefix != "" {
		meta["name"] = prefix[:min(len(prefix), maxPrefix)] + generatedSuffix[e.Variant]
		e.note("/metadata/name")
		if e.Attributes.Kind == untyped.Namespace {
			untyped.Child(meta, "labels")["kubernetes.io/metadata.name"] = meta["name"]
			e.note("/metadata/labels/kubernetes.io~1metadata.name")
		}
	}
	return meta
}

// reviewed reports whether the server answers the object without storing it.
func (e *Storage) reviewed() bool {
	group := e.Attributes.Resource.Group
	return group == "authorization.k8s.io" || group == "authentication.k8s.io"
}
