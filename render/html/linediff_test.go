package html

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/report"
)

func TestDiffLines(t *testing.T) {
	tests := []struct {
		name, before, after string
		want                []string
	}{
		{"equal", "a\nb\n", "a\nb\n", nil},
		{"one line changed", "a\nb\nc\n", "a\nx\nc\n", []string{" a", "-b", "+x", " c"}},
		{"added at the end", "a\n", "a\nb\n", []string{" a", "+b"}},
		{"removed from the start", "a\nb\n", "b\n", []string{"-a", " b"}},
		{"far lines are left out", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\n5\n6\n7\n8\nx\n", []string{"5 skipped", " 6", " 7", " 8", "-9", "+x"}},
		{"moved line", "a\nb\nc\n", "b\nc\na\n", []string{"-a", " b", " c", "+a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, l := range diffLines(tt.before, tt.after) {
				if l.Skip > 0 {
					got = append(got, report.Number(int64(l.Skip))+" skipped")
				} else {
					got = append(got, string(l.Op)+l.Text)
				}
			}
			if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestBlocks(t *testing.T) {
	var got []string
	for _, b := range blocks([]diffLine{{Op: ' ', Text: "a"}, {Op: '+', Text: "b"}, {Op: '-', Text: "c"}, {Op: '+', Text: "d"}, {Op: ' ', Skip: 3}}) {
		line := map[bool]string{true: "change", false: "same"}[b.Changed]
		for _, l := range b.Lines {
			line += " " + string(l.Op) + l.Text
		}
		got = append(got, line)
	}
	if want := "same  a|change -c +b +d|same  "; strings.Join(got, "|") != want {
		t.Errorf("got %q, want %q", strings.Join(got, "|"), want)
	}
}

// TestCompareLines: the changed part of a line is in brackets.
func TestCompareLines(t *testing.T) {
	tests := []struct{ name, before, after, want string }{
		{"value", "  replicas: 8", "  replicas: 5", "-  replicas: [8]\n+  replicas: [5]"},
		{"whole words", "image: nginx:1.27", "image: nginx:1.28.1", "-image: nginx:1.[27]\n+image: nginx:1.[28.1]"},
		{"only added to", "app: web", "app: web-blue", "-app: web\n+app: web[-blue]"},
		{"beyond ASCII", "name: grün", "name: grau", "-name: [grün]\n+name: [grau]"},
		{"a list item", "- image: a/web:1", "- image: mirror/a/web:1", "-- image: a/web:1\n+- image: [mirror/]a/web:1"},
		{"nothing alike", "  name: a", "  image: b", "-  name: a\n+  image: b"},
		{"a line more", "a: 1\nb: 2", "a: 3\nc: 4\nb: 5", "-a: [1]\n-b: [2]\n+a: [3]\n+c: 4\n+b: [5]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, b := range blocks(diffLines(tt.before, tt.after)) {
				for _, l := range b.Lines {
					before, changed, after := l.parts()
					if changed != "" {
						changed = "[" + changed + "]"
					}
					got = append(got, string(l.Op)+before+changed+after)
				}
			}
			if strings.Join(got, "\n") != tt.want {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), tt.want)
			}
		})
	}
}

// TestDiffRebuildsBothTexts: the lines without additions are the old text, those without removals
// the new one, except omitted lines.
func TestDiffRebuildsBothTexts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	text := func() []string {
		out := make([]string, 1+random.IntN(30))
		for i := range out {
			out[i] = string(rune('a' + random.IntN(4)))
		}
		return out
	}
	for range 500 {
		a, b := text(), text()
		var before, after []string
		for _, l := range diffLines(strings.Join(a, "\n"), strings.Join(b, "\n")+"\n") {
			if l.Skip > 0 {
				before = append(before, a[len(before):][:l.Skip]...)
				after = append(after, b[len(after):][:l.Skip]...)
				continue
			}
			if l.Op != '+' {
				before = append(before, l.Text)
			}
			if l.Op != '-' {
				after = append(after, l.Text)
			}
		}
		if strings.Join(a, "") == strings.Join(b, "") {
			continue
		}
		if strings.Join(before, "") != strings.Join(a, "") || strings.Join(after, "") != strings.Join(b, "") {
			t.Fatalf("the diff of %q and %q gives %q and %q", a, b, before, after)
		}
	}
}
