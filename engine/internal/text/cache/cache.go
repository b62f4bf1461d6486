// Package cache keeps what was made last, to be had again without work: while
// somebody types, most of what an evaluation needs is the same as before.
package cache

import (
	"slices"
	"sync"
)

// List holds the values of the keys that were used last. A key has to be
// everything that its value was made from, and nobody may change a value: then
// nothing but speed depends on what is kept. A List is safe for concurrent use.
type List[K comparable, V any] struct {
	count, size int
	sizeOf      func(K) int

	mu      sync.Mutex
	entries []entry[K, V] // the last one used first
}

type entry[K comparable, V any] struct {
	key   K
	value V
}

// New returns an empty list that keeps at most count values, whose keys have
// together at most the given size.
func New[K comparable, V any](count, size int, sizeOf func(K) int) *List[K, V] {
	return &List[K, V]{count: count, size: size, sizeOf: sizeOf}
}

// Get finds the value of a key.
func (l *List[K, V]) Get(key K) (value V, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.entries, func(e entry[K, V]) bool { return e.key == key })
	if i < 0 {
		return value, false
	}
	found := l.entries[i]
	copy(l.entries[1:i+1], l.entries[:i])
	l.entries[0] = found
	return found.value, true
}

// Put keeps a value, and drops those used longest ago to make room.
func (l *List[K, V]) Put(key K, value V) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = slices.DeleteFunc(l.entries, func(e entry[K, V]) bool { return e.key == key })
	l.entries = slices.Insert(l.entries, 0, entry[K, V]{key, value})
	size := 0
	for i, e := range l.entries {
		if size += l.sizeOf(e.key); size > l.size || i == l.count {
			l.entries = slices.Delete(l.entries, i, len(l.entries))
			return
		}
	}
}

// Clear drops everything.
func (l *List[K, V]) Clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = nil
}
