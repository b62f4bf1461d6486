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

// A mistake of Preadmit comes with the address where it is reported, and with nothing of the
// reader's texts in it: what they add to the report is theirs to choose.
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
