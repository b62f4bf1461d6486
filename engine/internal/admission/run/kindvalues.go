package run

import (
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// KindValues keeps kinds and resources as expressions see them in request: the requests
// of a configuration have few. The values are shared and must not be changed. Any number
// of goroutines may use it; nil keeps nothing.
type KindValues struct {
	kept  sync.Map // of schema.GroupVersionKind and schema.GroupVersionResource
	count atomic.Int32
}

// maxKindValues bounds what is kept: requests come from strangers.
const maxKindValues = 1000

func (k *KindValues) kind(of schema.GroupVersionKind) map[string]any {
	return k.get(of, func() map[string]any {
		return map[string]any{"group": of.Group, "version": of.Version, "kind": of.Kind}
	})
}

func (k *KindValues) resource(of schema.GroupVersionResource) map[string]any {
	return k.get(of, func() map[string]any {
		return map[string]any{"group": of.Group, "version": of.Version, "resource": of.Resource}
	})
}

func (k *KindValues) get(key any, value func() map[string]any) map[string]any {
	if k == nil {
		return value()
	}
	if kept, ok := k.kept.Load(key); ok {
		return kept.(map[string]any)
	}
	made := value()
	if k.count.Load() < maxKindValues {
		k.count.Add(1)
		k.kept.Store(key, made)
	}
	return made
}
