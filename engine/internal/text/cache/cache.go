// Package cache keeps recent results for reuse: while a text
// is edited, most of an evaluation's inputs stay the same.
package cache

import (
	"container/list"
	"sync"
)

// List holds the values of the keys that were used last. A key must be
// everything that its value was made from, and a value must not be changed: then
// nothing but speed depends on what is kept. A List is safe for concurrent use.
type List[K comparable, V any] struct {
	count, size int
	sizeOf      func(K) int

	mu    sync.Mutex
	order *list.List // of *entry[K, V], the one used last first
	at    map[K]*list.Element
	used  int // the sizes of all entries together
	age   int // how often Age was called
}

type entry[K comparable, V any] struct {
	key   K
	value V
	age   int // the age of the list when the entry was last used
}

// New returns an empty list that keeps at most count values, whose sizes come to
// at most the given one together. A value that is larger alone is not kept.
func New[K comparable, V any](count, size int, sizeOf func(K) int) *List[K, V] {
	return &List[K, V]{count: count, size: size, sizeOf: sizeOf, order: list.New(), at: map[K]*list.Element{}}
}

// Get finds the value of a key.
func (l *List[K, V]) Get(key K) (value V, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	found := l.at[key]
	if found == nil {
		return value, false
	}
	l.order.MoveToFront(found)
	e := found.Value.(*entry[K, V])
	e.age = l.age
	return e.value, true
}

// Put keeps a value, and drops those used longest ago to make room.
func (l *List[K, V]) Put(key K, value V) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if known := l.at[key]; known != nil {
		l.remove(known)
	}
	l.at[key] = l.order.PushFront(&entry[K, V]{key, value, l.age})
	l.used += l.sizeOf(key)
	for l.used > l.size || l.order.Len() > l.count {
		l.remove(l.order.Back())
	}
}

// Age is for when something new begins, such as the next edit of a text,
// and drops the values that were not used since Age was called keep times before.
// What is left of former texts then takes no more room after a thousand edits than
// after keep of them, while a large text of today may fill the whole list.
func (l *List[K, V]) Age(keep int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.age++
	for last := l.order.Back(); last != nil && last.Value.(*entry[K, V]).age < l.age-keep; last = l.order.Back() {
		l.remove(last)
	}
}

func (l *List[K, V]) remove(e *list.Element) {
	key := e.Value.(*entry[K, V]).key
	l.order.Remove(e)
	delete(l.at, key)
	l.used -= l.sizeOf(key)
}

// Len is how many values are kept.
func (l *List[K, V]) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.order.Len()
}
