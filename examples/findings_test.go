package examples_test

import (
	"context"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

var (
	linkedCode    = regexp.MustCompile(`\(diagnostics\.md#([a-z-]+)\)`)
	linkedExample = regexp.MustCompile(`\(\.\./examples/([a-z-]+)\)`)
)

// TestFindings: each finding about webhooks in the table of docs/webhooks.md has an
// example that shows it, and each code about webhooks is in the table.
func TestFindings(t *testing.T) {
	text, err := os.ReadFile("../docs/webhooks.md")
	if err != nil {
		t.Fatal(err)
	}
	var shown []string
	for line := range strings.Lines(string(text)) {
		wanted, examples := linkedCode.FindAllStringSubmatch(line, -1), linkedExample.FindAllStringSubmatch(line, -1)
		if !strings.HasPrefix(line, "|") || len(wanted) == 0 {
			continue
		}
		if len(examples) != 1 {
			t.Errorf("one example for %s, not %d", line, len(examples))
			continue
		}
		r, err := engine.Evaluate(context.Background(), read(t, examples[0][1]), engine.Everything())
		if err != nil {
			t.Fatal(err)
		}
		for _, code := range wanted {
			shown = append(shown, code[1])
			if !reports(t, r, code[1]) {
				t.Errorf("%s does not report %s", examples[0][1], code[1])
			}
		}
	}
	for _, e := range codes.All() {
		if e.Group == "webhooks" && !slices.Contains(shown, e.Code) {
			t.Errorf("%s is not in the table", e.Code)
		}
	}
	if len(shown) < 15 {
		t.Errorf("only %d findings", len(shown))
	}
}

// reports reports whether the code is anywhere in the report.
func reports(t *testing.T, r *report.Report, code string) bool {
	t.Helper()
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(data), `"code":"`+code+`"`)
}
