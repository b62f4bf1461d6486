package html

import (
	"slices"
	"strings"
)

// diffLine is one line of a unified diff. Op is ' ', '+' or '-'; Skip is the
// number of unchanged lines that are left out at this place.
type diffLine struct {
	Op   byte
	Text string
	Skip int
	// Head and Tail are the bytes at both ends that the line has in common with
	// the one that it took the place of, or that took its place; both are 0 when
	// there is none that is like it.
	Head, Tail int
}

// parts cuts a line before and after what changed in it. Changed is empty when
// the whole line did, or when the line only has less than the other one.
func (l diffLine) parts() (before, changed, after string) {
	if l.Head == 0 && l.Tail == 0 {
		return l.Text, "", ""
	}
	end := len(l.Text) - l.Tail
	return l.Text[:l.Head], l.Text[l.Head:end], l.Text[end:]
}

// contextLines is the number of unchanged lines around a change.
const contextLines = 3

// diffLines compares two texts line by line, with context lines around each
// change. It returns nil when the texts are equal.
func diffLines(before, after string) []diffLine {
	if before == after {
		return nil
	}
	return shorten(edits(splitLines(before), splitLines(after)))
}

// diffBlock is a run of lines of a diff: unchanged ones, or one change, first
// what it removes, then what it adds.
type diffBlock struct {
	Changed bool
	Lines   []diffLine
}

// blocks groups the lines of a diff, so that both sides of a change can stand
// beside each other.
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

// compareLines finds for each line that goes the line that comes in its place,
// and what both have in common. Both keep their order, so no two pairs cross.
func compareLines(lines []diffLine) {
	added := slices.IndexFunc(lines, func(l diffLine) bool { return l.Op == '+' })
	if added < 0 {
		return
	}
	next := added
	for i := range lines[:added] {
		for j := next; j < len(lines); j++ {
			if head, tail, ok := common(lines[i].Text, lines[j].Text); ok {
				lines[i].Head, lines[i].Tail = head, tail
				lines[j].Head, lines[j].Tail = head, tail
				next = j + 1
				break
			}
		}
	}
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

// isWord reports whether a byte belongs to a word: bytes beyond ASCII do, so that
// no character is cut.
func isWord(c byte) bool {
	return c >= 0x80 || c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func splitLines(s string) []string {
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

// maxCells bounds the table of longest. Two objects that differ in thousands
// of lines are shown as removed and added as a whole.
const maxCells = 4 << 20

// edits turns a into b with as few added and removed lines as possible: what
// both share at their ends is set aside, the rest is aligned by a longest
// common subsequence.
func edits(a, b []string) []diffLine {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	out := same(nil, a[:head])
	out = append(out, middle(a[head:len(a)-tail], b[head:len(b)-tail])...)
	return same(out, a[len(a)-tail:])
}

func same(out []diffLine, lines []string) []diffLine {
	for _, l := range lines {
		out = append(out, diffLine{Op: ' ', Text: l})
	}
	return out
}

// middle aligns two texts that differ in their first and last line.
func middle(a, b []string) []diffLine {
	var out []diffLine
	i, j := 0, 0
	if len(a)*len(b) <= maxCells {
		common := longest(a, b)
		for i < len(a) && j < len(b) {
			switch {
			case a[i] == b[j]:
				out = append(out, diffLine{Op: ' ', Text: a[i]})
				i, j = i+1, j+1
			case common[i+1][j] >= common[i][j+1]:
				out = append(out, diffLine{Op: '-', Text: a[i]})
				i++
			default:
				out = append(out, diffLine{Op: '+', Text: b[j]})
				j++
			}
		}
	}
	for ; i < len(a); i++ {
		out = append(out, diffLine{Op: '-', Text: a[i]})
	}
	for ; j < len(b); j++ {
		out = append(out, diffLine{Op: '+', Text: b[j]})
	}
	return out
}

// longest holds at [i][j] the length of the longest common subsequence of
// a[i:] and b[j:].
func longest(a, b []string) [][]int32 {
	table := make([][]int32, len(a)+1)
	for i := range table {
		table[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				table[i][j] = table[i+1][j+1] + 1
			} else {
				table[i][j] = max(table[i+1][j], table[i][j+1])
			}
		}
	}
	return table
}

// shorten replaces long runs of unchanged lines by a count.
func shorten(lines []diffLine) []diffLine {
	keep := make([]bool, len(lines))
	for i, l := range lines {
		if l.Op == ' ' {
			continue
		}
		for j := max(0, i-contextLines); j <= min(len(lines)-1, i+contextLines); j++ {
			keep[j] = true
		}
	}
	var out []diffLine
	for i := 0; i < len(lines); {
		if keep[i] {
			out = append(out, lines[i])
			i++
			continue
		}
		skipped := 0
		for i < len(lines) && !keep[i] {
			skipped, i = skipped+1, i+1
		}
		out = append(out, diffLine{Op: ' ', Skip: skipped})
	}
	return out
}
