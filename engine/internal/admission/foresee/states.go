package foresee

import "maps"

// maxStates bounds the objects that are tried for one operation on one kind.
const maxStates = 140

// place is a read with the reads around it, outermost first.
type place struct {
	read   *Read
	around []*Read
}

// maxSlots bounds the fields that are varied.
const maxSlots = 120

// slots are the reads below roots, parents before their children.
func slots(roots ...*Read) []place {
	var out []place
	var add func(r *Read, around []*Read)
	add = func(r *Read, around []*Read) {
		for _, c := range r.Children {
			if len(out) == maxSlots {
				return
			}
			out = append(out, place{c, around})
			add(c, append(around[:len(around):len(around)], c))
		}
	}
	for _, r := range roots {
		if r != nil {
			add(r, nil)
		}
	}
	return out
}

// states are the combinations of fields to try, smallest first: no optional field; each one
// alone; all of them with each of their values; all but one; all, with one of another value.
// Those with all fields get past the guards around a part, so one missing field shows there.
func states(roots ...*Read) []State {
	all := slots(roots...)
	out := []State{{}}
	add := func(s State) {
		if len(out) < maxStates {
			out = append(out, s)
		}
	}
	for _, p := range all {
		add(p.alone(0))
	}
	full := func(variant int) State {
		s := State{}
		for _, p := range all {
			s[p.read] = variant
		}
		return s
	}
	for v := range 3 {
		add(full(v))
	}
	for v := range 2 {
		for _, p := range all {
			if len(out) == maxStates {
				return out
			}
			add(p.without(full(v)))
		}
	}
	for _, p := range all {
		for v := range p.read.Values {
			for f := range 2 {
				if len(out) == maxStates {
					return out
				}
				s := full(f)
				s[p.read] = v
				add(s)
			}
		}
	}
	return out
}

func (p place) alone(v int) State {
	s := State{p.read: v}
	for _, r := range p.around {
		s[r] = v
	}
	return s
}

func (p place) without(s State) State {
	delete(s, p.read)
	for _, below := range slots(p.read) {
		delete(s, below.read)
	}
	return s
}

// smaller are the states with one present field less, with all that is in it.
func (s State) smaller(roots ...*Read) []State {
	var out []State
	for _, p := range slots(roots...) {
		if _, present := s[p.read]; present {
			out = append(out, p.without(maps.Clone(s)))
		}
	}
	return out
}
