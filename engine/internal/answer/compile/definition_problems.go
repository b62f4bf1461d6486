package compile

import (
	"context"
	"math"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/hints"
	"github.com/preadmit/preadmit/engine/internal/kube/crash"
	"github.com/preadmit/preadmit/engine/internal/kube/crd"
	"github.com/preadmit/preadmit/engine/internal/policy/definition"
	"github.com/preadmit/preadmit/engine/internal/repair/expressions"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// RefusedDefinition is a definition that the server rejects, with the text that it is in.
type RefusedDefinition struct {
	Document *scenario.Document
	Decoded  *crd.Definition // nil where it cannot be decoded
	Plain    string
	Version  version.Version
	Sets     *eval.Set
}

// Problems are the errors of the answer at their places, with their repairs. Those of
// expressions are explained as in a policy.
func (r *RefusedDefinition) Problems(status *apierrors.StatusError) []diag.Diagnostic {
	details := status.ErrStatus.Details
	if details == nil || len(details.Causes) == 0 {
		return []diag.Diagnostic{r.problem("", "", status.ErrStatus.Message)}
	}
	var out []diag.Diagnostic
	broken := map[string]bool{} // the rules that do not compile
	for _, cause := range details.Causes {
		at := InVersion(cause.Field)
		parent := fieldpath.Parse(at).Parent().String()
		if list := r.expressionProblems(cause.Field, at); len(list) > 0 {
			out, broken[parent] = append(out, list...), true
		} else if !broken[parent] || !strings.HasSuffix(at, ".optionalOldSelf") {
			// Of a rule that does not compile the server does not know whether it reads oldSelf.
			out = append(out, r.problem(cause.Field, at, cause.Message))
		}
	}
	return out
}

func (r *RefusedDefinition) problem(path, at, summary string) diag.Diagnostic {
	d := r.Document
	found := diag.Diagnostic{Code: codes.CRD, Severity: diag.Error, Text: d.Text, Span: d.Span, Path: path, Summary: summary, Document: d.Kind + "/" + d.Name}
	if at != "" {
		found.Span = d.Locate(at)
	}
	if repairer := r.repairer(); repairer != nil {
		repairer.Definition(&found, d, r.Plain, at, r.Decoded, r.Version)
	}
	if strings.HasSuffix(at, ".default") && found.Detail == "" && len(found.Fixes) == 0 {
		found.Detail = "A default must satisfy the schema and the rules of its field."
		if edit, ok := d.Remove(at); ok {
			found.Fixes = []diag.Fix{{Title: "Remove the default", Edits: []diag.Edit{edit}, Choice: true}} // another value may be meant
		}
	}
	if eval.Crash(summary) {
		found.Detail = crash.Detail
	}
	return found
}

// repairer repairs expressions of the definition; nil for a release that cannot be simulated.
func (r *RefusedDefinition) repairer() *expressions.Repairer {
	environments, err := r.Sets.ForVersion(r.Version)
	if err != nil {
		return nil
	}
	return &expressions.Repairer{Environments: environments, WithinLimits: func(decoded *crd.Definition, path string) bool {
		return withinLimits(decoded, environments, path)
	}}
}

// withinLimits reports whether the estimate for the rule or schema at a path is known and within its limit.
func withinLimits(decoded *crd.Definition, environments *eval.Environments, path string) bool {
	known := false
	for _, c := range definition.Costs(context.Background(), decoded, environments) {
		if InVersion(c.Path) != path && (c.Rules == 0 || !strings.HasSuffix(path, "openAPIV3Schema")) {
			continue
		}
		if known = true; c.Max > c.Limit {
			return false
		}
	}
	return known
}

// expressionProblems explains what the compiler says about the rule, or the message of one, at a
// path; nil where it compiles, and where the path leads to no expression.
func (r *RefusedDefinition) expressionProblems(path, at string) []diag.Diagnostic {
	rule, repairer := expressions.RuleAt(fieldpath.Parse(at), r.Decoded), r.repairer()
	if rule == nil || repairer == nil {
		return nil
	}
	compiled := rule.Compile(repairer.Environments, r.Version, eval.Write)
	if compiled == nil || compiled.OK() || compiled.Crashes() {
		return nil
	}
	d := r.Document
	var out []diag.Diagnostic
	add := func(code string, span diag.Span, summary, detail string) {
		found := diag.Diagnostic{Code: code, Severity: diag.Error, Text: d.Text, Span: span, Path: path, Summary: summary, Detail: detail, Document: d.Kind + "/" + d.Name}
		repairer.Rule(&found, d, r.Plain, rule, r.Version)
		out = append(out, found)
	}
	if len(compiled.Issues) == 0 {
		add(codes.CELReturnType, d.Locate(at), compiled.Err, hints.ReturnType(rule.Place, "but got "+compiled.Output.String()))
		return out
	}
	scalar, mapped := d.Scalar(at)
	for _, x := range hints.Issues(rule.Place, r.Version, compiled, r.compiledIn(rule)) {
		span := d.Locate(at)
		if mapped {
			span = scalar.SpanOfRunes(x.Start, x.End)
		}
		add(x.Code, span, x.Summary, x.Detail)
	}
	return out
}

// compiledIn compiles a rule as other releases do.
func (r *RefusedDefinition) compiledIn(rule *expressions.Rule) hints.CompileIn {
	return func(v version.Version, mode eval.Mode) []eval.Issue {
		environments, err := r.Sets.ForVersion(v)
		if err != nil { // only releases that there are
			return nil
		}
		compiled := rule.Compile(environments, v, mode)
		if compiled == nil {
			return nil
		}
		return compiled.Issues
	}
}

// shared are the fields that the server names once where all versions have the same, and their
// names in a version.
var shared = []struct{ spec, version string }{
	{"spec.validation", "schema"}, {"spec.subresources", "subresources"}, {"spec.selectableFields", "selectableFields"},
	{"spec.additionalPrinterColumns", "additionalPrinterColumns"},
}

// InVersion is where a definition has what the server names.
func InVersion(path string) string {
	for _, f := range shared {
		if below, ok := strings.CutPrefix(path, f.spec); ok {
			return "spec.versions[0]." + f.version + below
		}
	}
	return path
}

// RuleCost is an estimate as the report has it, without its place.
func RuleCost(c definition.Cost) report.RuleCost {
	limit := func(n uint64) int64 { return int64(min(n, math.MaxInt64)) }
	return report.RuleCost{Path: c.Path, Max: limit(c.Max), Limit: limit(c.Limit), Exceeded: c.Max > c.Limit, Rules: c.Rules}
}
