package cli

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/preadmit/preadmit/engine/analysis/coverage"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
)

// shownGaps limits the printed gaps.
const shownGaps = 40

// suite has the test results for one policies text.
type suite struct {
	policies string
	// in is one of the inputs, which has the policies' files.
	in       *input
	paths    []string // of the scenarios
	reports  []*report.Report
	coverage *coverage.Coverage
}

// suites groups inputs and reports by their policies: tests with the same policy file share its
// coverage. It is safe for concurrent use.
type suites struct {
	lock sync.Mutex
	list map[string]*suite
}

func (s *suites) add(path string, in *input, r *report.Report) {
	s.lock.Lock()
	defer s.lock.Unlock()
	at, _ := in.sources.Place(diag.Policies, diag.Span{})
	name := cmp.Or(at.File, path)
	if s.list == nil {
		s.list = map[string]*suite{}
	}
	one := s.list[name+"\x00"+in.Policies]
	if one == nil {
		one = &suite{policies: in.Policies, in: in, coverage: coverage.Of(in.Policies)}
		s.list[name+"\x00"+in.Policies] = one
	}
	if !slices.Contains(one.paths, path) {
		one.paths = append(one.paths, path)
	}
	one.reports = append(one.reports, r)
	one.coverage.Add(r)
}

// sorted returns the suites in the order of their files.
func (s *suites) sorted() []*suite {
	var out []*suite
	for _, name := range slices.Sorted(maps.Keys(s.list)) {
		slices.Sort(s.list[name].paths)
		out = append(out, s.list[name])
	}
	return out
}

// covered is an expression with its place, for programs.
type covered struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	*coverage.Expression
	Gaps []gap `json:"gaps"`

	lines []int // lines of the expression and of each part
}

// gap is an outcome that no request has reached.
type gap struct {
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Text   string `json:"text"`
	What   string `json:"what"`
	says   string
}

// coverageOf finds the places of all suites' expressions in their files.
func coverageOf(s *suites) []covered {
	var out []covered
	for _, one := range s.sorted() {
		for _, x := range one.coverage.Expressions() {
			at, _ := one.in.sources.Place(diag.Policies, x.Span)
			c := covered{File: at.File, Line: at.Line, Column: at.Column, Expression: x, Gaps: []gap{}}
			end, ok := one.in.sources.Place(diag.Policies, diag.Span{Start: max(x.Span.Start, x.Span.End-1), End: x.Span.End})
			for line := at.Line; line <= end.Line && ok && end.File == at.File; line++ {
				c.lines = append(c.lines, line)
			}
			for _, g := range x.Gaps() {
				place, text := at, x.Expression
				if g.Part != nil {
					place, _ = one.in.sources.Place(diag.Policies, g.Part.Span)
					text = g.Part.Text
				}
				c.Gaps = append(c.Gaps, gap{place.Line, place.Column, text, g.What, g.String()})
			}
			out = append(out, c)
		}
	}
	return out
}

// coverageText formats the coverage for people: a summary and the gaps.
func coverageText(list []covered) string {
	var b strings.Builder
	var expressions []*coverage.Expression
	for _, c := range list {
		expressions = append(expressions, c.Expression)
	}
	shown, targets := coverage.Total(expressions)
	if targets == 0 {
		return "coverage: there are no expressions\n"
	}
	fmt.Fprintf(&b, "coverage: %d of %d outcomes of %d expressions were seen (%d%%)\n", shown, targets, len(list), shown*100/targets)
	for _, c := range list {
		for _, g := range c.Gaps {
			fmt.Fprintf(&b, "  %s:%d:%d: %s\n", c.File, g.Line, g.Column, g.says)
		}
	}
	return cutLines(b.String(), shownGaps+1)
}

// cutLines keeps a text's first lines and says how many are missing.
func cutLines(s string, most int) string {
	lines := strings.SplitAfter(s, "\n")
	if len(lines) <= most+1 {
		return s
	}
	return strings.Join(lines[:most], "") + fmt.Sprintf("  ... and %d more; -o json has all\n", len(lines)-1-most)
}

// writeLCOV writes the coverage as an lcov tracefile, which most services read. A line belongs to
// an expression, with its number of evaluations as hits. A branch is a possible outcome of the
// expression or one of its parts.
func writeLCOV(name string, list []covered) error {
	f, err := os.Create(name)
	if err != nil {
		return unreadable(err)
	}
	byFile := map[string][]covered{}
	for _, c := range list {
		byFile[c.File] = append(byFile[c.File], c)
	}
	for _, file := range slices.Sorted(maps.Keys(byFile)) {
		if err := lcovFile(f, file, byFile[file]); err != nil {
			f.Close()
			return err
		}
	}
	return f.Close()
}

func lcovFile(w io.Writer, file string, list []covered) error {
	hits := map[int]int{}
	var branches []string
	taken := 0
	for block, c := range list {
		for _, line := range c.lines {
			hits[line] = max(hits[line], c.Runs)
		}
		number := 0
		outcome := func(line int, ran bool, seen int) {
			count := "-" // lcov's sign for a branch never reached
			if ran {
				count = fmt.Sprint(seen)
			}
			if seen > 0 {
				taken++
			}
			branches = append(branches, fmt.Sprintf("BRDA:%d,%d,%d,%s", line, block, number, count))
			number++
		}
		if c.IsBool || c.Runs == 0 {
			outcome(c.Line, c.Runs > 0, c.True)
			outcome(c.Line, c.Runs > 0, c.False)
		}
		for _, p := range c.Parts {
			line := c.Line + strings.Count(string([]rune(c.Expression.Expression)[:p.Start]), "\n")
			outcome(line, p.Ran, count(p.True || p.Ran && !p.IsBool))
			if p.IsBool {
				outcome(line, p.Ran, count(p.False))
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "TN:\nSF:%s\n", filepath.ToSlash(file))
	reached := 0
	for _, line := range slices.Sorted(maps.Keys(hits)) {
		fmt.Fprintf(&b, "DA:%d,%d\n", line, hits[line])
		reached += count(hits[line] > 0)
	}
	for _, branch := range branches {
		b.WriteString(branch + "\n")
	}
	fmt.Fprintf(&b, "BRF:%d\nBRH:%d\nLF:%d\nLH:%d\nend_of_record\n", len(branches), taken, len(hits), reached)
	_, err := io.WriteString(w, b.String())
	return err
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}
