package engine

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"testing"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/scenario"
)

var updateLimits = flag.Bool("update-limits", false, "write the limits into docs/limits.md")

// TestLimitsPage compares the figures in docs/limits.md with those in the code. With
// -update-limits it writes them.
func TestLimitsPage(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("the page is the same everywhere")
	}
	const page = "../docs/limits.md"
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	for name, want := range map[string]string{
		"work of one evaluation, in units of some 10 to 20 ns":                                           commas(DefaultLimits().Work),
		"bytes of what is read, defaulted and made, as far as they are counted":                          mebibytes(DefaultLimits().Bytes),
		"text that one call of `replace`, `join` or `format` makes":                                      mebibytes(eval.MaxMadeBytes),
		"digits that a quantity needs, in arithmetic and in reading it":                                  commas(eval.MaxQuantityDigits),
		"pairs of items that one call of `distinct`, `indexOf` or `sets.contains` compares":              commas(eval.MaxPairs),
		"characters times parts of the pattern that one call of `matches`, `find` or `findAll` looks at": commas(eval.MaxSearchSteps),
		"parts of an expression in which `optMap` or `optFlatMap` copies what it is called on":           commas(eval.MaxParts),
		"a review that `preadmit serve` receives":                                                        mebibytes(scenario.MaxReviewBytes),
		"a text":                                      mebibytes(scenario.MaxTextBytes),
		"documents of a text":                         commas(scenario.MaxDocuments),
		"depth of values":                             commas(scenario.MaxDepth),
		"values of a document, aliases expanded":      commas(scenario.MaxNodes),
		"bytes of a document, aliases expanded":       mebibytes(scenario.MaxExpandedBytes),
		"growth of the heap of the process":           mebibytes(maxHeap(t)) + " in the command line, none in the library",
		"what the `copy` operations of one patch add": mebibytes(copied(t)) + ", as in the API server",
		"time": fmt.Sprintf("none; %d seconds in the page", inCode(t, "../web/bridge/times.go", `evaluationTime = (\d+) \* time\.Second`)),
	} {
		row := regexp.MustCompile(`(?m)^(\| ` + regexp.QuoteMeta(name) + ` \| )([^|]*)( \|)`)
		have := row.FindStringSubmatch(text)
		switch {
		case have == nil:
			t.Errorf("%s has no row for %q", page, name)
		case have[2] != want && !*updateLimits:
			t.Errorf("%s: %s: it says %q, the code %q; go test ./engine -run TestLimitsPage -update-limits writes it", page, name, have[2], want)
		}
		text = row.ReplaceAllString(text, "${1}"+want+"${3}")
	}
	if *updateLimits {
		if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// maxHeap and copied are limits of packages that this one does not import, in bytes.
func maxHeap(t *testing.T) int64 {
	return inCode(t, "../cmd/preadmit/internal/cli/cli.go", `const maxHeap = (\d+) << 20`) << 20
}
func copied(t *testing.T) int64 {
	return inCode(t, "internal/admission/run/apply_patch.go", `const maxCopyBytes = (\d+) << 20`) << 20
}

// inCode reads a number where the code has it.
func inCode(t *testing.T, file, pattern string) int64 {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(pattern).FindSubmatch(raw)
	if m == nil {
		t.Fatalf("%s no longer has %s", file, pattern)
	}
	n, err := strconv.ParseInt(string(m[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func mebibytes(n int64) string { return commas(n>>20) + " MiB" }

// commas writes a number with commas between thousands.
func commas(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
