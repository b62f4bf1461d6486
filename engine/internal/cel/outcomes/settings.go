package outcomes

import (
	"math"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
)

// Setting is what a field must be so that a request is in a case.
type Setting struct {
	// Path are the names from a variable to the field.
	Path []string
	// Missing says that the field is absent, Value what it is; without one it is only there.
	Missing bool
	Value   any
	// Size is the number of characters, items or keys that the field has at least; -1 is any.
	Size int
	// Items are those of a list, by their own settings, whose paths begin at the item.
	Items [][]Setting
}

// Settings are those of this case, the outer fields first. They are a proposal: what functions that are not
// understood must give is not in it.
func (r *Run) Settings() []Setting { return r.settingsOf(0, 0) }

// settingsOf are those of the fields of a level, without the first steps of their paths.
func (r *Run) settingsOf(at, cut int) []Setting {
	l := r.levels[at]
	var out []Setting
	for key, path := range l.paths {
		if len(path) < cut {
			continue
		}
		s := Setting{Path: path[cut:], Size: -1}
		if there, ok := l.chosen[key]; ok && strings.HasPrefix(key, "has ") {
			s.Missing = there == 0
			out = append(out, s)
			continue
		}
		f := l.facts[key]
		if f == nil {
			continue
		}
		v, ok := f.example()
		switch {
		case !ok:
			continue
		case strings.HasPrefix(key, sizeMark):
			n, _ := v.(int64)
			s.Size = int(min(n, mostItems))
		case strings.HasPrefix(key, numberMark):
			s.Value = quantityText(v)
		default:
			s.Value = v
		}
		out = append(out, s)
	}
	if at == 0 {
		for _, list := range l.quantifiers {
			if of := list[0].over; of.path != nil && of.shape != mapShape {
				out = append(out, Setting{Path: of.path, Size: -1, Items: r.itemsOf(of, list)})
			}
		}
	}
	slices.SortFunc(out, func(a, b Setting) int {
		if n := len(a.Path) - len(b.Path); n != 0 {
			return n
		}
		return slices.Compare(a.Path, b.Path)
	})
	return out
}

// mostItems bounds what is made for a size.
const mostItems = 2000

// itemsOf are items with which every loop over a list has its outcome.
func (r *Run) itemsOf(of value, loops []quantified) [][]Setting {
	var out [][]Setting
	met := make([]bool, len(loops))
	for i, q := range loops {
		met[i] = q.all && q.outcome == True || !q.all && q.outcome == False
	}
	var usual []Setting
	r.each(func() bool {
		item := r.item(of, nil)
		news := false
		for i, q := range loops {
			o := r.condition(r.eval(q.of, q.body, q.in.with(q.variable, item)))
			if !q.allows(o) {
				return true
			}
			if o == q.outcome && !met[i] {
				news = true
			}
		}
		made := r.settingsOf(len(r.levels)-1, len(of.path)+1)
		if usual == nil {
			usual = made
		}
		if !news {
			return true
		}
		for i, q := range loops {
			met[i] = met[i] || r.condition(r.eval(q.of, q.body, q.in.with(q.variable, item))) == q.outcome
		}
		out = append(out, made)
		return slices.Contains(met, false)
	})
	if out == nil && usual != nil {
		out = [][]Setting{usual} // a list with an item shows more than an empty one
	}
	return out
}

func quantityText(v any) string {
	switch n := v.(type) {
	case int64:
		return strconv.FormatInt(n, 10)
	case float64:
		return strconv.FormatInt(int64(math.Round(n*1000)), 10) + "m"
	}
	return "1"
}

// example is a value that the facts allow.
func (f *facts) example() (any, bool) {
	if f.equal != nil {
		return f.equal.plain(), true
	}
	var candidates []value
	switch f.shape {
	case boolShape:
		candidates = []value{boolOf(true), boolOf(false)}
	case numberShape:
		candidates = f.numbers()
	case textShape, anyShape:
		candidates = f.candidates()
	}
	for _, c := range candidates {
		if f.allows(c) {
			return c.plain(), true
		}
	}
	return nil, false
}

func (v value) plain() any {
	switch v.kind {
	case boolean:
		return v.b
	case number:
		if v.n == math.Trunc(v.n) {
			return int64(v.n)
		}
		return v.n
	}
	return v.s
}

// numbers are those at the bounds, and next to what the value is not.
func (f *facts) numbers() []value {
	var out []value
	add := func(n float64) { out = append(out, value{kind: number, n: n}) }
	if f.low <= 1 && f.high >= 1 {
		add(1)
	}
	for _, bound := range []float64{f.low, f.high} {
		if math.IsInf(bound, 0) {
			continue
		}
		for _, step := range []float64{0, 1, -1, 0.5, -0.5, 2, 3} {
			add(bound + step)
		}
	}
	for _, u := range f.unequal {
		add(u.n + 1)
		add(u.n - 1)
	}
	for n := range 5 {
		add(float64(n))
	}
	return out
}

// candidates are texts that the tests and comparisons ask for.
func (f *facts) candidates() []value {
	var texts []string
	begin, middle, end := "", "", ""
	for _, t := range f.tests {
		if !t.holds {
			continue
		}
		switch t.function {
		case "startsWith":
			if len(t.argument) > len(begin) {
				begin = t.argument
			}
		case "endsWith":
			if len(t.argument) > len(end) {
				end = t.argument
			}
		case "contains":
			middle += t.argument
		case "matches":
			if re, err := syntax.Parse(t.argument, syntax.Perl); err == nil {
				texts = append(texts, sample(re.Simplify()))
			}
		}
	}
	texts = append(texts, f.in...)
	for _, filler := range []string{"x", "other", "1", "x-1", "example", "example.com/x", "x:1", "a", "zz9"} {
		texts = append(texts, begin+filler+middle+end, begin+middle+filler+end, filler+begin+middle+end)
	}
	texts = append(texts, begin+middle+end)
	var out []value
	for _, s := range texts {
		if s != "" {
			out = append(out, value{kind: text, s: s})
		}
	}
	return append(out, value{kind: text})
}

// sample is a text that a regular expression matches, mostly the shortest.
func sample(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune)
	case syntax.OpCharClass:
		for _, wanted := range []rune{'a', '1', 'A', '-'} {
			for i := 0; i+1 < len(re.Rune); i += 2 {
				if re.Rune[i] <= wanted && wanted <= re.Rune[i+1] {
					return string(wanted)
				}
			}
		}
		if len(re.Rune) > 0 {
			return string(re.Rune[0])
		}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return "x"
	case syntax.OpCapture, syntax.OpPlus:
		return sample(re.Sub[0])
	case syntax.OpRepeat:
		return strings.Repeat(sample(re.Sub[0]), min(re.Min, mostItems))
	case syntax.OpConcat:
		out := ""
		for _, sub := range re.Sub {
			out += sample(sub)
		}
		return out
	case syntax.OpAlternate:
		return sample(re.Sub[0])
	}
	return ""
}
