package codes_test

import (
	"cmp"
	"flag"
	"os"
	"slices"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/storage"
)

// TestMain evaluates the examples as the command line and the page do, with the server's own code.
func TestMain(m *testing.M) {
	engine.Use(storage.New())
	os.Exit(m.Run())
}

var update = flag.Bool("update", false, "write what is reported into the files of the codes")

// withoutExample are the codes that a small text cannot show.
var withoutExample = []string{
	codes.NotUTF8, codes.TextTooLarge, codes.TooManyDocuments, codes.TooManyValues, codes.TooDeep, codes.TooManyProblems, codes.MoreProblems,
	codes.UnknownPlugin, codes.LinkUnknown, codes.LinkNewer, codes.LinkDamaged, codes.LinkTooLarge, codes.LinkContent, codes.Internal, codes.RunLimit,
}

// TestExamples evaluates each code's example: the report has what the entry says, and no error with
// another code.
func TestExamples(t *testing.T) {
	for _, e := range codes.All() {
		t.Run(e.Code, func(t *testing.T) {
			if e.Title == "" || e.Meaning == "" {
				t.Error("the entry has no title or no meaning")
			}
			if e.Example == "" {
				if !slices.Contains(withoutExample, e.Code) {
					t.Error("the entry has no example")
				}
				return
			}
			r := evaluate(t, e.Code, e.Example)
			got := reported(r, e.Code)
			switch {
			case got == "":
				t.Errorf("the report has nothing with this code:\n%s\n%s", r.Diagnostics, e.Example)
			case *update:
				write(t, e.Code, got)
			case got != e.Reported:
				t.Errorf("reported is\n%s\nand the file has\n%s\nIf the new text is right: go test ./engine/report/codes -update && go run ./scripts/docs", got, e.Reported)
			}
			for _, d := range r.Diagnostics.Errors() {
				if d.Code != e.Code {
					t.Errorf("another error: %s", d)
				}
			}
		})
	}
}

// TestGood evaluates the corrected examples: they report nothing of their code, and nothing that
// the bad example does not report.
func TestGood(t *testing.T) {
	for _, e := range codes.All() {
		if e.Good == "" {
			continue
		}
		if got := reported(evaluate(t, e.Code, e.Good), e.Code); got != "" {
			t.Errorf("the good example of %s reports\n%s", e.Code, got)
		}
		for _, d := range evaluate(t, e.Code, e.Good).Diagnostics {
			if d.Severity != diag.Info {
				t.Errorf("the good example of %s reports %s", e.Code, d)
			}
		}
	}
}

// TestHeads compares the entries' severities and repairs with the diagnostics in their own examples
// and in the gallery.
func TestHeads(t *testing.T) {
	entries := map[string]codes.Entry{}
	archives := gallery(t)
	for _, e := range codes.All() {
		entries[e.Code] = e
		if e.Example != "" {
			archives["the code "+e.Code] = e.Example
		}
		if e.Repairable != "" {
			archives["a repair of "+e.Code] = e.Repairable
		}
		if len(e.Severities) == 0 || !slices.Contains([]codes.Repairs{codes.Never, codes.Sometimes, codes.Always}, e.Repairs) {
			t.Errorf("%s has the severities %q, and %q repairs", e.Code, e.Severities, e.Repairs)
		}
	}
	for name, archive := range archives {
		t.Run(name, func(t *testing.T) {
			r := evaluate(t, "", archive)
			each(r, func(code, place, severity, text string) {
				if e := entries[code]; !slices.Contains(e.Severities, severity) {
					t.Errorf("%s is reported as %s; its entry has %q", code, severity, e.Severities)
				}
			})
			for _, d := range r.Diagnostics {
				if repairs := entries[d.Code].Repairs; repairs == codes.Never && len(d.Fixes) > 0 || repairs == codes.Always && len(d.Fixes) == 0 {
					t.Errorf("%d repairs, and the entry says %q: %s", len(d.Fixes), repairs, d)
				}
			}
		})
	}
}

// TestRepairs applies each repair in each code's example: the problem is gone, and no error is new.
func TestRepairs(t *testing.T) {
	for _, e := range codes.All() {
		if e.Repairs == codes.Never {
			continue
		}
		t.Run(e.Code, func(t *testing.T) {
			archive := cmp.Or(e.Repairable, e.Example)
			before := evaluate(t, e.Code, archive)
			made := 0
			for _, d := range before.Diagnostics {
				if d.Code != e.Code {
					continue
				}
				for _, fix := range d.Fixes {
					made++
					checkRepair(t, archive, d, fix, before)
				}
			}
			if made == 0 {
				t.Error("nothing in the example has a repair")
			}
		})
	}
}

func checkRepair(t *testing.T, archive string, d diag.Diagnostic, fix diag.Fix, before *report.Report) {
	t.Helper()
	text := repaired(t, archive, fix)
	after := evaluate(t, d.Code, text)
	if has(after.Diagnostics, d) {
		t.Errorf("%q does not repair it:\n%s\n%s", fix.Title, after.Diagnostics, text)
	}
	for _, other := range after.Diagnostics.Errors() {
		if !has(before.Diagnostics, other) {
			t.Errorf("%q brings a new error: %s\n%s", fix.Title, other, text)
		}
	}
}
