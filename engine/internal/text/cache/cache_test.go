package cache

import (
	"container/list"
	"fmt"
	"strings"
	"sync"
	"testing"
)

func letters() *List[string, string] {
	return New[string, string](3, 10, func(key string) int { return len(key) })
}

// many is letters with the map of a list of many entries.
func many() *List[string, string] {
	l := letters()
	l.at = map[string]*list.Element{}
	return l
}

// held returns the keys in a list, without marking them as used.
func held(l *List[string, string]) string {
	var keys []string
	for e := l.order.Front(); e != nil; e = e.Next() {
		keys = append(keys, e.Value.(*entry[string, string]).key)
	}
	return strings.Join(keys, " ")
}

func TestList(t *testing.T) {
	for name, test := range map[string]struct {
		use  func(*List[string, string])
		want string
	}{
		"the last one first": {func(l *List[string, string]) { l.Put("a", "1"); l.Put("b", "2") }, "b a"},
		"used again":         {func(l *List[string, string]) { l.Put("a", "1"); l.Put("b", "2"); l.Get("a") }, "a b"},
		"too many":           {func(l *List[string, string]) { l.Put("a", ""); l.Put("b", ""); l.Put("c", ""); l.Put("d", "") }, "d c b"},
		"too large together": {func(l *List[string, string]) { l.Put("aaaaaa", ""); l.Put("b", ""); l.Put("cccc", "") }, "cccc b"},
		"too large alone":    {func(l *List[string, string]) { l.Put("a", ""); l.Put("bbbbbbbbbbb", "") }, ""},
		"put again":          {func(l *List[string, string]) { l.Put("a", "1"); l.Put("b", "2"); l.Put("a", "3") }, "a b"},
		"not used for two ages": {func(l *List[string, string]) {
			l.Put("a", "")
			l.Put("b", "")
			l.Age(2)
			l.Get("a")
			l.Age(2)
			l.Age(2)
		}, "a"},
		"used in each age": {func(l *List[string, string]) {
			l.Put("a", "")
			l.Age(1)
			l.Get("a")
			l.Age(1)
			l.Get("a")
			l.Age(1)
		}, "a"},
		"unknown changes nothing": {func(l *List[string, string]) { l.Put("a", "1"); l.Get("b") }, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, l := range []*List[string, string]{letters(), many()} {
				test.use(l)
				if got := held(l); got != test.want {
					t.Errorf("holds %q, want %q", got, test.want)
				}
			}
		})
	}
	l := letters()
	l.Put("a", "1")
	l.Put("a", "2")
	if v, ok := l.Get("a"); v != "2" || !ok {
		t.Errorf("got %q, %v", v, ok)
	}
	if v, ok := l.Get("b"); v != "" || ok {
		t.Errorf("got %q, %v", v, ok)
	}
}

// TestConcurrentUse is for the race detector. Each value found must be its key's.
func TestConcurrentUse(t *testing.T) {
	l := New[int, string](4, 100, func(int) int { return 1 })
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			for i := range 500 {
				key := (i*7 + worker) % 8
				if v, ok := l.Get(key); ok && v != fmt.Sprint(key) {
					t.Errorf("%d has %q", key, v)
				}
				l.Put(key, fmt.Sprint(key))
			}
		})
	}
	group.Wait()
}
