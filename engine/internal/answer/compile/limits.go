package compile

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/worklimit"
	"github.com/preadmit/preadmit/engine/options"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Budget begins a run.
func Budget(ctx context.Context, l options.Limits) *worklimit.Budget {
	standard := options.DefaultLimits()
	return worklimit.New(ctx, worklimit.Limits{
		Work: Limit(l.Work, standard.Work), Bytes: Limit(l.Bytes, standard.Bytes), Heap: max(l.Heap, 0),
	})
}

// Limit is a limit as it was given; the standard one for zero, and 0, which is none, for a negative one.
func Limit(given, standard int64) int64 {
	if given == 0 {
		return standard
	}
	return max(given, 0)
}

// Shares of the budget, in hundredths, of what the answer does not need.
const (
	typeChecksShare = 15
	repairsShare    = 10
	plausibleShare  = 10
	neverShare      = 10
)

// LeftOut says that a part, whose name is a plural, was left out. What was being done
// then may be a step of the part, such as a policy that the safety checks run again.
func LeftOut(part string, ended *worklimit.Ended) diag.Diagnostic {
	at := ""
	if ended.Step != part {
		at = "They ended at " + ended.Step + ". "
	}
	return diag.Diagnostic{Code: codes.RunLimit, Severity: diag.Warning, Text: diag.Settings,
		Summary: part + " are not complete: " + Why(ended),
		Detail:  "The answer is still complete. " + at + remedy(ended)}
}

// Stopped says that there is no answer, at the expression that was being read then, if any.
func Stopped(ended *worklimit.Ended, documents []*scenario.Document) diag.Diagnostic {
	d := diag.Diagnostic{Code: codes.RunLimit, Severity: diag.Error, Text: diag.Settings,
		Summary: "stopped at " + ended.Step + ": " + Why(ended),
		Detail:  "The report has the results so far. " + remedy(ended)}
	if ended.Expression == "" {
		return d
	}
	for _, doc := range documents {
		path, found := textIn(nil, doc.Value, strings.TrimSpace(ended.Expression))
		if !found {
			continue
		}
		d.Text, d.Span, d.Path, d.Document = doc.Text, doc.Locate(path.String()), path.String(), doc.Kind+"/"+doc.Name
		if scalar, mapped := doc.Scalar(path.String()); mapped && ended.End > 0 {
			text := fieldpath.As[string](path.Get(doc.Value))
			before, _, _ := strings.Cut(text, ended.Expression)
			indent := utf8.RuneCountInString(before)
			d.Span = scalar.SpanOfRunes(indent+ended.Start, indent+ended.End)
		}
		break
	}
	return d
}

// textIn is where a value has a text, white space around it apart.
func textIn(at fieldpath.Path, value any, text string) (path fieldpath.Path, found bool) {
	switch value := value.(type) {
	case string:
		return at, strings.TrimSpace(value) == text
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			if path, found := textIn(at.Child(name), value[name], text); found {
				return path, true
			}
		}
	case []any:
		for i, item := range value {
			if path, found := textIn(at.Index(i), item, text); found {
				return path, true
			}
		}
	}
	return nil, false
}

// Why says which limit was reached.
func Why(ended *worklimit.Ended) string {
	switch {
	case ended.Detail != "":
		return ended.Detail
	case ended.Limit == worklimit.Time:
		return report.OutOfTime
	case ended.Limit == worklimit.Memory:
		return fmt.Sprintf("more than %d MiB would be needed", ended.Max>>20)
	}
	return fmt.Sprintf("more than %s units of work would be needed", report.Number(ended.Max))
}

// remedy says what to change.
func remedy(ended *worklimit.Ended) string {
	if ended.Remedy != "" {
		return "The limit is Preadmit's and not the server's. " + ended.Remedy
	}
	switch ended.Limit {
	case worklimit.Time:
		return "The limit is Preadmit's, not the server's. Give it more time, or less to do: fewer policies, bindings and params, or a smaller object."
	case worklimit.Memory:
		return "The limit is Preadmit's and not the server's. Shorten the lists and strings that are copied or repeated there."
	}
	return "The limit is Preadmit's, not the server's. It keeps an unknown scenario from freezing a browser. Use fewer policies, bindings and params, or a smaller object."
}
