package html

import (
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/preadmit/preadmit/render/linediff"
)

// diffLine is a line of a unified diff. Op is ' ', '+' or '-'. Skip is the number of omitted
// unchanged lines.
type diffLine struct {
	Op   byte
	Text string
	Skip int
	// Head and Tail are the bytes at both ends that the line shares with its counterpart. Both are
	// 0 without a similar counterpart.
	Head, Tail int
	// Pair is the number of the pair that such two lines are, from 1; 0 for other lines.
	Pair int
	// Gap says that this is no line, but room beside one of the other side.
	Gap bool
}

// parts splits a line around its changed part. Changed is empty if the whole line changed, or if
// the line only lacks something.
func (l diffLine) parts() (before, changed, after string) {
	if l.Head == 0 && l.Tail == 0 {
		return l.Text, "", ""
	}
	end := len(l.Text) - l.Tail
	return l.Text[:l.Head], l.Text[l.Head:end], l.Text[end:]
}

// diffLines compares two texts by line, with context around each change. It returns nil if they are
// equal.
func diffLines(before, after string) []diffLine {
	var out []diffLine
	skip := func(n int) {
		if n > 0 {
			out = append(out, diffLine{Op: ' ', Skip: n})
		}
	}
	next := 1 // next line of before
	hunks := linediff.Of("", before, "", after).Hunks
	for _, h := range hunks {
		skip(h.FromLine - next)
		next = h.FromLine
		for _, l := range h.Lines {
			op := byte(' ')
			switch l.Kind {
			case udiff.Delete:
				op = '-'
			case udiff.Insert:
				op = '+'
			}
			if op != '+' {
				next++
			}
			out = append(out, diffLine{Op: op, Text: strings.TrimSuffix(l.Content, "\n")})
		}
	}
	if len(hunks) > 0 {
		skip(strings.Count(strings.TrimSuffix(before, "\n")+"\n", "\n") - next + 1)
	}
	return out
}

// diffBlock is a run of diff lines: unchanged ones, or one change with its removals and then
// additions.
type diffBlock struct {
	Changed bool
	Lines   []diffLine
}

// blocks groups a diff's lines, so that both sides of a change can be shown side by side.
func blocks(lines []diffLine) []diffBlock {
	var out []diffBlock
	for _, l := range lines {
		changed := l.Op != ' '
		if len(out) == 0 || out[len(out)-1].Changed != changed {
			out = append(out, diffBlock{Changed: changed})
		}
		last := &out[len(out)-1]
		last.Lines = append(last.Lines, l)
	}
	for _, b := range out {
		if b.Changed {
			slices.SortStableFunc(b.Lines, func(a, b diffLine) int { return int(b.Op) - int(a.Op) }) // '-' is 45, '+' is 43
			compareLines(b.Lines)
		}
	}
	return out
}

// compareLines pairs each removed line with the line that replaces it, and finds their common
// parts. Pairs keep the order, so none cross.
func compareLines(lines []diffLine) {
	added := slices.IndexFunc(lines, func(l diffLine) bool { return l.Op == '+' })
	if added < 0 {
		return
	}
	next, pair := added, 0
	for i := range lines[:added] {
		for j := next; j < len(lines); j++ {
			if head, tail, ok := common(lines[i].Text, lines[j].Text); ok {
				lines[i].Head, lines[i].Tail = head, tail
				lines[j].Head, lines[j].Tail = head, tail
				pair++
				lines[i].Pair, lines[j].Pair = pair, pair
				next = j + 1
				break
			}
		}
	}
}

// aligned adds gaps to the lines of a change, so that both lines of each pair are in the same row where
// those that go and those that come are in two columns.
func aligned(lines []diffLine) []diffLine {
	added := slices.IndexFunc(lines, func(l diffLine) bool { return l.Op == '+' })
	if added <= 0 {
		return lines
	}
	left, right := lines[:added], lines[added:]
	var before, after []diffLine
	for len(left) > 0 || len(right) > 0 {
		i := untilPair(left)
		j := untilPair(right)
		before, after = append(before, left[:i]...), append(after, right[:j]...)
		for len(before) < len(after) {
			before = append(before, diffLine{Op: '-', Gap: true})
		}
		for len(after) < len(before) {
			after = append(after, diffLine{Op: '+', Gap: true})
		}
		left, right = left[i:], right[j:]
		if len(left) > 0 && len(right) > 0 {
			before, after = append(before, left[0]), append(after, right[0])
			left, right = left[1:], right[1:]
		}
	}
	return append(before, after...)
}

// untilPair is the number of lines before the next one of a pair.
func untilPair(lines []diffLine) int {
	if i := slices.IndexFunc(lines, func(l diffLine) bool { return l.Pair > 0 }); i >= 0 {
		return i
	}
	return len(lines)
}

// common is the number of bytes that two lines have in common at their start
// and at their end, in whole words; false when they are not alike: more than
// half of the longer one differs, and they are not values of the same key.
func common(a, b string) (head, tail int, ok bool) {
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	inWord := func(s string, at int) bool {
		return at > 0 && at < len(s) && isWord(s[at-1]) && isWord(s[at])
	}
	for head > 0 && (inWord(a, head) || inWord(b, head)) {
		head--
	}
	for tail > 0 && (inWord(a, len(a)-tail) || inWord(b, len(b)-tail)) {
		tail--
	}
	indent := len(a) - len(strings.TrimLeft(a, " -"))
	if head < indent {
		return 0, 0, false
	}
	sameKey := strings.Contains(a[indent:head], ": ")
	return head, tail, sameKey || 2*(head-indent+tail) > max(len(a), len(b))-indent
}

// isWord reports whether a byte belongs to a word. Bytes beyond ASCII do, so that no character is
// split.
func isWord(c byte) bool {
	return c >= 0x80 || c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
