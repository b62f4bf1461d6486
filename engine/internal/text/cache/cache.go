// Package cache keeps recent results for reuse: while a text
// is edited, most of an evaluation's inputs stay the same.
package cache

import (
	"container/list"
	"sync"
)

// List holds the values of the most recently used keys. A key must determine its value, and values
// are immutable, so that caching only affects speed. A List is safe for concurrent use.
type List[K comparable, V any] struct {
	count, size int
	sizeOf      func(K) int

	mu    sync.Mutex
	order *list.List          // of *entry[K, V], most recently used first
	at    map[K]*list.Element // nil for few entries
	used  int                 // total size of all entries
	age   int                 // number of calls of Age
}

type entry[K comparable, V any] struct {
	key   K
	value V
	age   int // the list's age at the entry's last use
}

// few is the number of entries up to which they are searched one by one. Comparing long texts takes
// less time than hashing them.
const few = 16

// New returns an empty list for at most count values with at most the given total size. A larger
// single value is not kept.
func New[K comparable, V any](count, size int, sizeOf func(K) int) *List[K, V] {
	l := &List[K, V]{count: count, size: size, sizeOf: sizeOf, order: list.New()}
	if count > few {
		l.at = map[K]*list.Element{}
	}
	return l
}

// find returns a key's element, or nil.
func (l *List[K, V]) find(key K) *list.Element {
	if l.at != nil {
		return l.at[key]
	}
	for e := l.order.Front(); e != nil; e = e.Next() {
		if e.Value.(*entry[K, V]).key == key {
			return e
		}
	}
	return nil
}

// Get returns a key's value.
func (l *List[K, V]) Get(key K) (value V, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	found := l.find(key)
	if found == nil {
		return value, false
	}
	l.order.MoveToFront(found)
	e := found.Value.(*entry[K, V])
	e.age = l.age
	return e.value, true
}

// Put stores a value, and evicts the least recently used ones to make room.
func (l *List[K, V]) Put(key K, value V) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if known := l.find(key); known != nil {
		l.remove(known)
	}
	added := l.order.PushFront(&entry[K, V]{key, value, l.age})
	if l.at != nil {
		l.at[key] = added
	}
	l.used += l.sizeOf(key)
	for l.used > l.size || l.order.Len() > l.count {
		l.remove(l.order.Back())
	}
}

// Age starts a new period, such as the next edit of a text, and drops values unused during the last
// keep periods. So old texts take no more room after a thousand edits than after keep edits, while
// a large current text may fill the whole list.
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

// Len returns the number of values.
func (l *List[K, V]) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.order.Len()
}
