package catalog

import "sync"

// hugeList is the list length from which settledLists remembers a list.
const hugeList = 1000

// settledLists are the last huge lists that were settled. While a text is edited, the next object has the
// same list, and nothing changes lists in place.
type settledLists struct {
	mu   sync.Mutex
	last [4]settledList // which also keeps their memory from being used for other lists
	next int
}

type settledList struct {
	of                    *Type
	items                 []any
	defaults, conversions *ruleSet
}

func (l settledList) is(other settledList) bool {
	return l.of == other.of && len(l.items) == len(other.items) && &l.items[0] == &other.items[0] &&
		l.defaults == other.defaults && l.conversions == other.conversions
}

func (s *settledLists) has(r *valueReader, t *Type, in []any) bool {
	if len(in) < hugeList {
		return r.settled(t, in)
	}
	list := settledList{t, in, r.defaults, r.conversions}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, known := range s.last {
		if known.of != nil && known.is(list) {
			return true
		}
	}
	if !r.settled(t, in) {
		return false
	}
	s.last[s.next] = list
	s.next = (s.next + 1) % len(s.last)
	return true
}
