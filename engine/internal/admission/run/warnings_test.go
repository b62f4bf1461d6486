package run

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestWarningLimits goes to the edges of the server's numbers, 4096 and 256
// characters (semantics §7.5). They are written out here: a wrong constant must
// fail.
func TestWarningLimits(t *testing.T) {
	text := func(letter rune, length int) string { return strings.Repeat(string(letter), length) }
	for _, c := range []struct {
		name  string
		given []string
		want  []int // the lengths of what the client gets
	}{
		{"as long as all may be", []string{text('ü', 4096)}, []int{4096}},
		{"one character more", []string{text('ü', 4097)}, []int{256}},
		{"two that fill it", []string{text('a', 4095), "b"}, []int{4095, 1}},
		{"two with one more", []string{text('a', 4095), "bb"}, []int{256, 2}},
		{"as long as one may be once they are cut", []string{text('a', 4097), text('b', 256)}, []int{256, 256}},
		{"one character more of that", []string{text('a', 4097), text('b', 257)}, []int{256, 256}},
		{"shorter ones stay whole", []string{text('a', 4097), text('b', 255)}, []int{256, 255}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var chain Chain
			for _, w := range c.given {
				chain.Warn(w)
			}
			checkLengths(t, chain.Warnings(), c.want)
		})
	}
}

// TestWarningsAfterTheCut: 16 warnings of 256 characters fill the limit, and the
// next is dropped; with one character less it is sent.
func TestWarningsAfterTheCut(t *testing.T) {
	for _, first := range []int{4097, 255} {
		var chain Chain
		want := []int{min(first, 256)}
		chain.Warn(strings.Repeat("A", first))
		for i := range 16 {
			chain.Warn(strings.Repeat(string(rune('a'+i)), 300))
			want = append(want, 256)
		}
		if first == 4097 {
			want = want[:16]
		}
		checkLengths(t, chain.Warnings(), want)
	}
}

func checkLengths(t *testing.T, got []string, want []int) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d warnings, want %d", len(got), len(want))
	}
	for i, w := range got {
		if n := utf8.RuneCountInString(w); n != want[i] {
			t.Errorf("warning %d has %d characters, want %d", i, n, want[i])
		}
	}
}
