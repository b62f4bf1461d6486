package install

import (
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
)

// suggest adds the candidate that looks most like what was written, if one
// does.
func suggest(p *diag.Diagnostic, text diag.Text, span diag.Span, candidates []string, got string) {
	if best, ok := nearest(candidates, got); ok {
		p.Detail = strings.TrimSpace(fmt.Sprintf("Did you mean %q? %s", best, p.Detail))
		replace(p, text, span, best)
	}
}

// replace offers to write another text.
func replace(p *diag.Diagnostic, text diag.Text, span diag.Span, with string) {
	p.Fixes = append(p.Fixes, diag.Fix{
		Title: fmt.Sprintf("Change to %s", with),
		Edits: []diag.Edit{{Text: text, Span: span, New: with}},
	})
}

// nearest finds the candidate with the smallest edit distance, upper and lower
// case not counting, that is close enough to be a slip of the pen.
func nearest(candidates []string, got string) (best string, ok bool) {
	limit := max(len(got)/3, 1)
	for _, candidate := range candidates {
		difference := len(candidate) - len(got)
		if candidate == got || difference > limit || -difference > limit || len(got) > longestName {
			continue
		}
		if n := distance(strings.ToLower(candidate), strings.ToLower(got)); n <= limit {
			best, ok, limit = candidate, true, n-1
		}
	}
	return best, ok
}

// longestName bounds the work for names that nobody typed.
const longestName = 100

// distance is the Levenshtein distance in bytes: insertions, deletions and
// substitutions, and a swap of neighbours counts as one.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
