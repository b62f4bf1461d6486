package replay

import (
	"cmp"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/admission/mutate"
	"github.com/preadmit/preadmit/engine/internal/admission/plugins"
	"github.com/preadmit/preadmit/engine/internal/admission/validate"
	"github.com/preadmit/preadmit/engine/internal/admission/webhook"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// A summary is bounded, and still the same however a capture is cut into parts and in
// whatever order these are merged. What is bounded is of two sorts. A list of single
// things keeps the least ones of an order that all parts share. A table of counts keeps
// the keys with the least hashes: a key that one part leaves out for being too many is
// then none that the whole would keep, so the counts of those that are kept are exact.

// How much a summary keeps. A table is larger than what a reader sees of it, which is
// the commonest entries.
const (
	maxBad       = 100
	maxGroups    = 10_000
	maxTally     = 1_000 // messages, and reasons of a policy
	shownDenials = 100
	shownReasons = 20
)

// hash orders keys in a way that has nothing to do with what they say.
func hash(key string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(key)) // never fails
	return h.Sum64()
}

// bound removes what a table has beyond most keys, and returns it.
func bound[T any](table map[string]T, most int) []T {
	if len(table) <= most {
		return nil
	}
	keys := slices.SortedFunc(maps.Keys(table), func(a, b string) int { return cmp.Or(cmp.Compare(hash(a), hash(b)), strings.Compare(a, b)) })
	var out []T
	for _, key := range keys[most:] {
		out = append(out, table[key])
		delete(table, key)
	}
	return out
}

// leastOf adds to a sorted list, and keeps the least of all.
func leastOf[T any](list []T, most int, compare func(a, b T) int, more ...T) []T {
	for _, one := range more {
		i, _ := slices.BinarySearchFunc(list, one, func(have, one T) int { return cmp.Or(compare(have, one), -1) })
		if i < most {
			list = slices.Insert(list, i, one)
		}
	}
	return list[:min(len(list), most)]
}

func compareBad(a, b BadRecord) int {
	return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line, strings.Compare(a.Problem, b.Problem))
}

// addDenial counts a message.
func (s *Summary) addDenial(one Denial) {
	if s.denials == nil {
		s.denials = map[string]*Denial{}
	}
	d := s.denials[one.Message]
	if d == nil {
		s.denials[one.Message] = &one
		if len(s.denials) > 2*maxTally {
			bound(s.denials, maxTally)
		}
		return
	}
	d.Count += one.Count
	if cmp.Or(strings.Compare(one.File, d.File), one.Line-d.Line) < 0 {
		d.File, d.Line = one.File, one.Line
	}
}

// finishDenials writes the messages down, the commonest first.
func (s *Summary) finishDenials() {
	bound(s.denials, maxTally)
	s.Denials = nil
	for _, d := range s.denials {
		s.Denials = append(s.Denials, *d)
	}
	slices.SortFunc(s.Denials, func(a, b Denial) int {
		return cmp.Or(b.Count-a.Count, strings.Compare(a.File, b.File), a.Line-b.Line, strings.Compare(a.Message, b.Message))
	})
	if !s.Partial {
		s.Denials = s.Denials[:min(len(s.Denials), shownDenials)]
	}
}

// reason counts why a policy did not run.
func (p *Policy) reason(text string, n int) {
	countBy(&p.reasons, text, n)
	if len(p.reasons) > 2*maxTally {
		bound(p.reasons, maxTally)
	}
}

// finishReasons writes the reasons down, the commonest first.
func (p *Policy) finishReasons(partial bool) {
	bound(p.reasons, maxTally)
	p.Reasons = nil
	for text, n := range p.reasons {
		p.Reasons = append(p.Reasons, Reason{text, n})
	}
	p.reasons = nil // merge adds what is in either
	slices.SortFunc(p.Reasons, func(a, b Reason) int { return cmp.Or(b.Count-a.Count, strings.Compare(a.Reason, b.Reason)) })
	if !partial {
		p.Reasons = p.Reasons[:min(len(p.Reasons), shownReasons)]
	}
}

// kinds are those of steps in the order of the server.
var kinds = []string{plugins.Kind, mutate.Kind, webhook.MutatingKind, validate.Kind, webhook.ValidatingKind}

// inOrderOfServer orders policies and expressions as a request meets them, those of one
// stage by name, and not as the first requests happened to.
func (s *Summary) inOrderOfServer() {
	names := plugins.Names()
	slices.SortFunc(s.Policies, func(a, b *Policy) int {
		return cmp.Or(slices.Index(kinds, a.Kind)-slices.Index(kinds, b.Kind), slices.Index(names, a.Policy)-slices.Index(names, b.Policy),
			strings.Compare(a.Policy, b.Policy), strings.Compare(a.Binding, b.Binding), strings.Compare(a.Configuration, b.Configuration), strings.Compare(a.Webhook, b.Webhook))
	})
	for _, p := range s.Policies {
		slices.SortFunc(p.Expressions, func(a, b *Expression) int {
			return cmp.Or(rank(a.Kind)-rank(b.Kind), fieldpath.ComparePointers(pointer(a), pointer(b)), strings.Compare(a.Name, b.Name))
		})
	}
}

// rank orders the lists of a policy as they run. A message is where its validation is.
func rank(kind string) int {
	switch kind {
	case model.MatchCondition.Word:
		return 0
	case model.Variable.Word:
		return 1
	case model.AuditAnnotation.Word:
		return 3
	}
	return 2
}

func pointer(x *Expression) string { return fieldpath.Parse(x.Path).Pointer() }
