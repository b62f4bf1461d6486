package panel

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
		}
	}
	return out
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
