package run

import (
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// KindValues keeps kinds and resources as expressions see them in request, and as reports
// name them: the requests of a configuration have few. The values are shared and must not
// be changed. Any number of goroutines may use it; nil keeps nothing.
type KindValues struct {
	mu        sync.RWMutex
	kinds     map[schema.GroupVersionKind]*kindValue
	resources map[schema.GroupVersionResource]*kindValue
}

type kindValue struct {
	value map[string]any
	text  string
}

// maxKindValues bounds what is kept of each: requests come from strangers.
const maxKindValues = 500

// KindText is a kind as a report names it.
func (k *KindValues) KindText(of schema.GroupVersionKind) string { return k.kind(of).text }

// ResourceText is a resource as a report names it.
func (k *KindValues) ResourceText(of schema.GroupVersionResource) string { return k.resource(of).text }

func (k *KindValues) kind(of schema.GroupVersionKind) *kindValue {
	if k != nil {
		k.mu.RLock()
		kept := k.kinds[of]
		k.mu.RUnlock()
		if kept != nil {
			return kept
		}
	}
	made := &kindValue{map[string]any{"group": of.Group, "version": of.Version, "kind": of.Kind}, of.String()}
	if k != nil {
		k.mu.Lock()
		defer k.mu.Unlock()
		keep(&k.kinds, of, made)
	}
	return made
}

func (k *KindValues) resource(of schema.GroupVersionResource) *kindValue {
	if k != nil {
		k.mu.RLock()
		kept := k.resources[of]
		k.mu.RUnlock()
		if kept != nil {
			return kept
		}
	}
	made := &kindValue{map[string]any{"group": of.Group, "version": of.Version, "resource": of.Resource}, of.String()}
	if k != nil {
		k.mu.Lock()
		defer k.mu.Unlock()
		keep(&k.resources, of, made)
	}
	return made
}

func keep[K comparable](in *map[K]*kindValue, key K, value *kindValue) {
	if *in == nil {
		*in = map[K]*kindValue{}
	}
	if len(*in) < maxKindValues {
		(*in)[key] = value
	}
}
