package html

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// The message for a bug in Preadmit has the address for reports and nothing of the reader's texts.
// What to add is the reader's choice.
func TestMistakeIsReported(t *testing.T) {
	links := func(code string) []string {
		r := &report.Report{Diagnostics: []diag.Diagnostic{{Code: code, Severity: diag.Error, Text: diag.Policies,
			Summary: "Preadmit failed on these texts: secret-of-the-reader", Detail: "Where it happened"}}}
		b := &strings.Builder{}
		if err := NewView(r, map[diag.Text]string{diag.Policies: "secret-of-the-reader"}).Problems().Render(context.Background(), b); err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, m := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(b.String(), -1) {
			out = append(out, m[1])
		}
		return out
	}
	if got := links(codes.Internal); len(got) != 2 || got[0] != "/docs/diagnostics/#internal" || got[1] != codes.ReportAddress {
		t.Errorf("the links of a mistake of Preadmit are %q", got)
	}
	if got := links(codes.RunLimit); len(got) != 1 {
		t.Errorf("the links of another diagnostic are %q", got)
	}
}
