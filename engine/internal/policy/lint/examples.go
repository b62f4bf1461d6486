package lint

import (
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// Example says which request shows a problem that was found without one.
type Example struct {
	// Results are the results that expressions of the policy have for the request, by the paths of their
	// items: spec.validations[0].
	Results map[string]any
	// MoveTo is the list of containers to which the containers of such a request have to be moved, so that the
	// request passes; empty for a request that shows the problem as it is.
	MoveTo string
	// Operation is that of the request; empty for any.
	Operation string
}

// exampleResults are the results that the expression of a problem has in its example.
var exampleResults = map[string]bool{
	codes.ValidationNeverTrue: false, codes.ValidationImplied: false, codes.ConditionNeverTrue: false, codes.BindingMatchesNothing: false,
	codes.CountsFields: false, codes.NeverEqual: false, codes.UselessMessage: false, codes.ContainersLeftOut: false, codes.EphemeralLeftOut: false, codes.IgnoredFailures: false,
	codes.DoubtfulText: false, codes.ConditionAlwaysTrue: true, codes.ValidationNeverFalse: true,
}

// letsPass is in what is said of a test that other texts pass: a request that it denies shows nothing.
var letsPass = lazy.Regexp{Text: `, too$| pass(?:es)?\b`}

// ExampleOf is the request that shows a problem; false for a problem that no request shows.
func ExampleOf(d *diag.Diagnostic) (Example, bool) {
	result, ok := exampleResults[d.Code]
	if d.Code == codes.FixedResult {
		result, ok = !strings.HasPrefix(d.Summary, "never"), true
	}
	if !ok || d.Code == codes.DoubtfulText && letsPass.MatchString(d.Summary) {
		return Example{}, false
	}
	out := Example{Results: map[string]any{}}
	paths := []string{d.Path}
	if d.Code == codes.ValidationImplied || d.Code == codes.BindingMatchesNothing {
		paths = append(paths, relatedPaths(d)...)
	}
	for _, path := range paths {
		if item, ok := expressionItem(path); ok {
			out.Results[item] = result
		}
	}
	if operation, ok := strings.CutPrefix(d.Summary, neverTrueFor); ok {
		out.Operation, _, _ = strings.Cut(operation, ":")
	}
	switch d.Code {
	case codes.ContainersLeftOut:
		out.MoveTo = "initContainers"
	case codes.EphemeralLeftOut:
		out.MoveTo = "ephemeralContainers"
	}
	return out, len(out.Results) > 0
}

func relatedPaths(d *diag.Diagnostic) []string {
	var out []string
	for _, r := range d.Related {
		out = append(out, r.Path)
	}
	return out
}

// expressionItem is the item of a policy's list that a path is in.
func expressionItem(path string) (string, bool) {
	for _, list := range []string{"spec.validations[", "spec.matchConditions["} {
		if rest, ok := strings.CutPrefix(path, list); ok {
			at, _, closed := strings.Cut(rest, "]")
			return list + at + "]", closed
		}
	}
	return "", false
}
