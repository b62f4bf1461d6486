package codes_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/analysis/growth"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// fileOf returns the scenario file of a text.
var fileOf = map[diag.Text]string{
	diag.Settings: scenario.SettingsFile, diag.Policies: scenario.PoliciesFile, diag.Request: scenario.RequestFile,
	diag.Cluster: scenario.ClusterFile, diag.Expression: scenario.ExpressionFile,
}

// evaluate evaluates an example. The report's diagnostics include those of its files.
func evaluate(t *testing.T, code, archive string) *report.Report {
	t.Helper()
	s, problems := scenario.FromTxtar([]byte(archive))
	recorded, err := engine.EvaluateRecorded(context.Background(), s, options(code))
	if err != nil {
		t.Fatal(err)
	}
	r := recorded.Report
	r.Diagnostics = append(problems, r.Diagnostics...)
	if code == codes.CostLimit { // only searched on request
		growth.New(recorded, 10_000_000).Step(func() bool { return false })
	}
	return r
}

// options returns the options under which a code is reported. Requests that nobody sent are only
// searched for the codes about them.
func options(code string) engine.Options {
	o := engine.Everything()
	o.Foresee = strings.HasPrefix(code, "fails-") || code == codes.PolicyBlocksControlPlane || code == codes.MissingParamField || code == codes.DroppedByConversion || code == codes.MutationRejected
	return o
}

// repaired applies a fix's edits to an example's files.
func repaired(t *testing.T, archive string, fix diag.Fix) string {
	t.Helper()
	parsed := txtar.Parse([]byte(archive))
	for name, file := range fileOf {
		for i, f := range parsed.Files {
			if f.Name != file {
				continue
			}
			text, err := fix.Apply(name, string(f.Data))
			if err != nil {
				t.Fatal(err)
			}
			parsed.Files[i].Data = []byte(text)
		}
	}
	if len(fix.RuntimeConfig) > 0 {
		i := slices.IndexFunc(parsed.Files, func(f txtar.File) bool { return f.Name == "scenario.yaml" })
		parsed.Files[i].Data = fmt.Appendf(parsed.Files[i].Data, "options: {runtimeConfig: [%s]}\n", strings.Join(fix.RuntimeConfig, ", "))
	}
	if fix.Request != nil && fix.Request.Force {
		i := slices.IndexFunc(parsed.Files, func(f txtar.File) bool { return f.Name == "scenario.yaml" })
		parsed.Files[i].Data = []byte(strings.Replace(string(parsed.Files[i].Data), "apply: {", "apply: {force: true, ", 1))
	}
	if fix.RemovePolicyFiles {
		parsed.Files = slices.DeleteFunc(parsed.Files, func(f txtar.File) bool { return f.Name == "scenario.yaml" })
	}
	return string(txtar.Format(parsed))
}

// has reports whether a list has a diagnostic, at any place.
func has(list diag.Diagnostics, d diag.Diagnostic) bool {
	return slices.ContainsFunc(list, func(other diag.Diagnostic) bool {
		return other.Code == d.Code && other.Document == d.Document && other.Path == d.Path && other.Summary == d.Summary
	})
}

// each calls f for everything in a report with a code: its place, severity and text.
func each(r *report.Report, f func(code, place, severity, text string)) {
	for _, d := range r.Diagnostics {
		d.File = fileOf[d.Text]
		place, _, _ := strings.Cut(d.String(), ": "+string(d.Severity)+": ")
		f(d.Code, place, string(d.Severity), d.Summary)
	}
	for _, found := range r.Findings {
		f(found.Code, "finding", string(found.Level), found.Summary)
	}
	notes := func(place string, list []report.Note) {
		for _, n := range list {
			f(n.Code, place, codes.Note, n.Text)
		}
	}
	for i := range r.Steps {
		s := &r.Steps[i]
		name := s.Kind + " " + s.Policy + s.Configuration
		notes(name, s.Notes)
		s.Evaluations(func(e *report.Evaluation) { notes(name+", "+e.Path, e.Notes) })
	}
	if r.Expression != nil {
		notes(fileOf[diag.Expression], r.Expression.Notes)
	}
}

// reported returns a report's lines for a code.
func reported(r *report.Report, code string) string {
	var b strings.Builder
	each(r, func(found, place, severity, text string) {
		if found == code {
			b.WriteString(wrapped(place+": "+severity+": "+text+" ["+code+"]", 100) + "\n")
		}
	})
	return b.String()
}

// wrapped wraps a line at words and indents continuation lines.
func wrapped(line string, width int) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(line) {
		switch {
		case i == 0:
		case column+1+len(word) > width:
			b.WriteString("\n   ")
			column = 3
			fallthrough
		default:
			b.WriteString(" ")
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}

// write writes the reported lines into a code's file.
func write(t *testing.T, code, text string) {
	t.Helper()
	name := filepath.Join("data", code+".txtar")
	old, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	archive := txtar.Parse(old)
	archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool { return f.Name == "reported" })
	archive.Files = append(archive.Files, txtar.File{Name: "reported", Data: []byte(text)})
	if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

// gallery returns the examples in the folder examples, as archives.
func gallery(t *testing.T) map[string]string {
	t.Helper()
	folders, err := filepath.Glob("../../../examples/*/" + scenario.SettingsFile)
	if err != nil || len(folders) < 40 {
		t.Fatalf("%d examples, %v", len(folders), err)
	}
	out := map[string]string{}
	for _, settings := range folders {
		var archive txtar.Archive
		for _, name := range scenario.FileNames() {
			text, err := os.ReadFile(filepath.Join(filepath.Dir(settings), name))
			if os.IsNotExist(err) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			archive.Files = append(archive.Files, txtar.File{Name: name, Data: text})
		}
		out[filepath.Base(filepath.Dir(settings))] = string(txtar.Format(&archive))
	}
	return out
}

// TestNoRejectedUpdates: a mutation of new objects only, or of what may change, rejects no update.
func TestNoRejectedUpdates(t *testing.T) {
	const ofDNS, labelled = "Object{spec: Object.spec{dnsPolicy: 'Default'}}", "Object{metadata: Object.metadata{labels: {'a': 'b'}}}"
	for _, c := range []struct {
		operations, condition, expression string
		want                              int
	}{
		{"CREATE, UPDATE", "true", ofDNS, 1},
		{"CREATE", "true", ofDNS, 0},
		{"CREATE, UPDATE", "request.operation == 'CREATE'", ofDNS, 0},
		{"CREATE, UPDATE", "true", labelled, 0},
	} {
		r, err := engine.Evaluate(context.Background(), scenario.Scenario{Policies: fmt.Sprintf(`apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: p}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [%s], resources: [pods]}]}
  reinvocationPolicy: Never
  matchConditions: [{name: c, expression: "%s"}]
  mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: "%s"}}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: p}
spec: {policyName: p}
`, c.operations, c.condition, c.expression)}, engine.Options{Foresee: true})
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for _, d := range r.Diagnostics {
			if d.Code == codes.MutationRejected {
				got++
			}
		}
		if got != c.want {
			t.Errorf("%s, %s, %s: %d findings, want %d: %v", c.operations, c.condition, c.expression, got, c.want, r.Diagnostics)
		}
	}
}
