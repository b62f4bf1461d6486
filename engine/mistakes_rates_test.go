package engine_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
)

// TestRepairRates counts, by code, the problems of the corpus that have a repair,
// and writes them into the documentation with -update.
func TestRepairRates(t *testing.T) {
	if testing.Short() { // the figures are of all mistakes, which take minutes under js/wasm
		t.Skip("counts all recorded mistakes: run without -short")
	}
	t.Parallel()
	files, err := filepath.Glob("testdata/mistakes/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files (%v)", len(files), err)
	}
	type count struct{ all, repaired int }
	counts := map[string]*count{}
	var total count
	for _, file := range files {
		for _, d := range readMistake(t, file).before(t).Diagnostics {
			if d.Severity == diag.Info {
				continue
			}
			if counts[d.Code] == nil {
				counts[d.Code] = &count{}
			}
			for _, c := range []*count{counts[d.Code], &total} {
				c.all++
				if len(d.Fixes) > 0 {
					c.repaired++
				}
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d recorded mistakes cause %d errors and warnings. %d of them have a fix.\n\n", len(files), total.all, total.repaired)
	b.WriteString("| code | problems | with a fix |\n|---|---:|---:|\n")
	for _, code := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&b, "| [`%s`](diagnostics.md#%s) | %d | %d |\n", code, code, counts[code].all, counts[code].repaired)
	}
	const (
		page  = "../docs/repairs.md"
		begin = "<!-- begin: recorded mistakes, written by TestRepairRates -->\n\n"
		end   = "\n<!-- end: recorded mistakes -->\n"
	)
	have, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(have), begin)
	_, tail, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no place for the table", page)
	}
	text := head + begin + b.String() + end + tail
	switch {
	case text == string(have):
	case *updateRates:
		if err := os.WriteFile(page, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is not current: go test ./engine -run TestRepairRates -update-rates", page)
	}
	if 100*total.repaired < 75*total.all {
		t.Errorf("%d of %d have a repair, fewer than 75 %%", total.repaired, total.all)
	}
}

var updateRates = flag.Bool("update-rates", false, "write the table of docs/repairs.md")
