package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/analysis/ask"
	"github.com/preadmit/preadmit/engine/analysis/capture"
	"github.com/preadmit/preadmit/engine/analysis/changes"
	"github.com/preadmit/preadmit/engine/analysis/coverage"
	"github.com/preadmit/preadmit/engine/analysis/growth"
	"github.com/preadmit/preadmit/engine/analysis/mutants"
	"github.com/preadmit/preadmit/engine/analysis/replay"
	"github.com/preadmit/preadmit/engine/analysis/table"
	"github.com/preadmit/preadmit/engine/analysis/uncompress"
	"github.com/preadmit/preadmit/engine/analysis/versions"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/edit/completion"
	"github.com/preadmit/preadmit/engine/edit/fielddocs"
	"github.com/preadmit/preadmit/engine/edit/layout"
	"github.com/preadmit/preadmit/engine/edit/names"
	"github.com/preadmit/preadmit/engine/edit/nearest"
	"github.com/preadmit/preadmit/engine/edit/proposal"
	"github.com/preadmit/preadmit/engine/edit/repairs"
	"github.com/preadmit/preadmit/engine/edit/requesttext"
	"github.com/preadmit/preadmit/engine/edit/secrets"
	"github.com/preadmit/preadmit/engine/expect"
	"github.com/preadmit/preadmit/engine/registry"
	"github.com/preadmit/preadmit/engine/registry/remote"
	"github.com/preadmit/preadmit/engine/registry/wording"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/graph"
	"github.com/preadmit/preadmit/render/html"
	"github.com/preadmit/preadmit/render/linediff"
	"github.com/preadmit/preadmit/render/text"
	"github.com/preadmit/preadmit/serve"
	"github.com/preadmit/preadmit/storage"
)

// hostileTexts are what every function gets that takes a text.
var hostileTexts = []string{
	"", "\x00", "\xff\xfe", "\ufeff", "null", "[]", "{", "}", "- ", "---\n---\n", "a: &a [*a]\n", "&a {b: *a}", "<<: *a", "a: !!binary x\n", "%YAML 9\n--- x\n", "? [a]\n: b\n",
	"- {name: &a [*a]}\n", "outcome: &a {steps: [*a]}\n", strings.Repeat("[", 5000), strings.Repeat("- ", 5000), strings.Repeat("(", 300) + "1" + strings.Repeat(")", 300), strings.Repeat("1 + ", 400) + "1",
	"'" + strings.Repeat("x", 100_001) + "'", "object.metadata.?a[?0].orValue(1 / 0) == size(", "1.0e999", "a\r\nb\r", "\u2028'\U0001F600\ud7ff", "/a~2/-/~", "spec.containers[99999999999999999999]", "[\"", "--- a\n-- policies.yaml --\n",
	"apiVersion: v1\nkind: List\nitems: {}\n", "apiVersion: v1\nkind: Pod\nmetadata: 5\nspec: [a]\n", `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"object":5,"operation":[],"uid":{}}}`,
	`{"kind":"Event","apiVersion":"audit.k8s.io/v1","verb":"patch","objectRef":[],"requestObject":"x"}`, "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: [a]}\nspec: {validations: {a: 1}, matchConditions: 5, variables: [null]}\n",
	"apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a}\nspec: {versions: [{schema: {openAPIV3Schema: {properties: [], items: &i {items: *i}}}}]}\n",
	"#1/AAAA", "#1/", "\x1f\x8b\x08", "\x28\xb5\x2f\xfd", "-1", "1.99", "x-----BEGIN RSA PRIVATE KEY-----\nMII\n",
}

// given is what a function is called with: one of the texts, and values made of it.
type given struct {
	text     string
	scenario scenario.Scenario
	object   map[string]any
	report   *report.Report
	compiled *engine.Configuration
}

func of(t *testing.T, one string) given {
	g := given{text: one, scenario: scenario.Scenario{Title: one, Policies: one, Request: one, Cluster: one, Expression: one}}
	if json.Unmarshal([]byte(one), &g.object) != nil || g.object == nil {
		g.object = map[string]any{"kind": one, "metadata": one, one: []any{one, nil}}
	}
	o := engine.Everything()
	o.Limits = engine.Limits{Work: 1_000_000, Bytes: 8 << 20}
	var err error
	if g.report, err = engine.Evaluate(context.Background(), g.scenario, o); err != nil {
		t.Fatalf("Evaluate(%.60q): %v", one, err)
	}
	g.compiled, _ = engine.Compile(g.scenario)
	return g
}

// copied is the report, whose diagnostics may change.
func (g given) copied() *report.Report {
	r := *g.report
	r.Diagnostics = slices.Clone(r.Diagnostics)
	return &r
}

var (
	ctx     = context.Background()
	own     = engine.New()
	webhook = serve.New(serve.Defaults)
	empty   = sync.OnceValue(func() *engine.Configuration {
		c, _ := engine.Compile(scenario.Scenario{})
		return c
	})
)

// calls has each exported function and method of the library that takes a text.
var calls = map[string]func(t *testing.T, g given) error{
	"engine.Kubernetes": func(_ *testing.T, g given) error {
		engine.Compile(g.scenario, engine.Kubernetes(g.text))
		return nil
	},
	"engine.Compile": func(_ *testing.T, g given) error { engine.Compile(g.scenario); return nil },
	"engine.*Engine.Compile": func(_ *testing.T, g given) error {
		_, problems := engine.New().Compile(g.scenario)
		return problems.Err()
	},
	"engine.Evaluate": func(*testing.T, given) error { return nil }, // of does
	"engine.*Engine.Evaluate": func(_ *testing.T, g given) error {
		return second(own.Evaluate(ctx, scenario.Scenario{Expression: g.text}, engine.Options{}))
	},
	"engine/scenario.Quoted": func(t *testing.T, g given) error {
		if scenario.Quoted(g.text) == "" {
			t.Errorf("nothing is written for %q", g.text)
		}
		return nil
	},
	"engine/scenario.Scalar": func(t *testing.T, g given) error {
		if scenario.Scalar(g.text) == "" {
			t.Errorf("nothing is written for %q", g.text)
		}
		return nil
	},
	"engine.TryRepairs": func(_ *testing.T, g given) error {
		return engine.TryRepairs(ctx, g.scenario, g.copied(), engine.Options{})
	},
	"engine.*Engine.TryRepairs": func(_ *testing.T, g given) error { // with a report of other texts
		return own.TryRepairs(ctx, scenario.Scenario{Policies: "a: b\n"}, g.copied(), engine.Options{})
	},
	"engine.AnswerFirst": func(_ *testing.T, g given) error {
		_, rest, err := engine.AnswerFirst(ctx, g.scenario, engine.Options{Safety: true})
		if rest != nil {
			_, err = rest.Complete(ctx)
		}
		return err
	},
	"engine.*Engine.AnswerFirst": func(_ *testing.T, g given) error {
		_, _, err := own.AnswerFirst(ctx, scenario.Scenario{Expression: g.text}, engine.Options{Safety: true})
		return err
	},
	"engine.EvaluateRecorded": func(_ *testing.T, g given) error {
		recorded, err := engine.EvaluateRecorded(ctx, g.scenario, engine.Options{})
		if err == nil {
			search := growth.New(recorded, 1000)
			search.Step(func() bool { return false })
			search.Stop()
		}
		return err
	},
	"engine.Text": func(_ *testing.T, g given) error {
		return second(g.compiled.Evaluate(ctx, engine.Text(g.text), engine.Options{}))
	},
	"engine.Object": func(_ *testing.T, g given) error {
		return second(g.compiled.Evaluate(ctx, engine.Object(g.object), engine.Options{}))
	},
	"engine/analysis/ask.Denied": func(_ *testing.T, g given) error {
		return second(ask.Denied(ctx, g.compiled, "", 5, g.text))
	},
	"engine/analysis/ask.Admitted": func(_ *testing.T, g given) error {
		return second(ask.Admitted(ctx, g.compiled, "", 5))
	},
	"engine/analysis/ask.Differs": func(_ *testing.T, g given) error {
		return second(ask.Differs(ctx, g.compiled, g.compiled, ask.Difference(g.text), 5))
	},
	"engine/analysis/ask.Mutations": func(_ *testing.T, g given) error {
		return second(ask.Mutations(ctx, g.compiled, 5))
	},
	"engine/analysis/capture.Place": func(_ *testing.T, g given) error { capture.Place(g.text, -1); return nil },
	"engine/analysis/capture.Read":  func(_ *testing.T, g given) error { return all(capture.Read(strings.NewReader(g.text))) },
	"engine/analysis/replay.Read":   func(_ *testing.T, g given) error { return all(replay.Read(strings.NewReader(g.text))) },
	"engine/analysis/replay.Run": func(_ *testing.T, g given) error {
		summary, err := replay.Run(ctx, g.scenario, replay.Read(strings.NewReader(g.text)), replay.Options{By: replay.Ways()})
		if err != nil {
			return err
		}
		_, err = changes.Run(ctx, g.compiled, g.compiled, capture.Read(strings.NewReader(g.text)), 3)
		_ = summary.Prometheus(io.Discard)
		return err
	},
	"engine/analysis/replay.Prometheus": func(_ *testing.T, g given) error { return replay.Prometheus(io.Discard, g.scenario, g.report) },
	"engine/analysis/replay.Sample.Scenario": func(_ *testing.T, g given) error {
		replay.Sample{Request: g.text}.Scenario(g.scenario)
		return nil
	},
	"engine/analysis/coverage.Of": func(_ *testing.T, g given) error { coverage.Of(g.text).Add(g.report); return nil },
	"engine/analysis/coverage.Resume": func(_ *testing.T, g given) error {
		coverage.Resume(g.text, coverage.Of(g.text).Expressions()).Add(g.report)
		return nil
	},
	"engine/analysis/mutants.Rewritten": func(_ *testing.T, g given) error { return second(mutants.Rewritten(g.text)) },
	"engine/analysis/mutants.Mutant.Policies": func(_ *testing.T, g given) error {
		for _, m := range mutants.Of(g.report) {
			_, _, _ = m.Policies(g.text)
		}
		_, _, err := mutants.Mutant{}.Policies(g.text)
		return err
	},
	"engine/analysis/uncompress.Reader": func(_ *testing.T, g given) error {
		r, err := uncompress.Reader(strings.NewReader(g.text))
		if err == nil {
			_, err = io.Copy(io.Discard, r)
		}
		return err
	},
	"engine/analysis/versions.Served": func(_ *testing.T, g given) error { return second(versions.Served(g.text, g.text)) },
	"engine/analysis/versions.Run": func(_ *testing.T, g given) error {
		reports, err := versions.Run(ctx, scenario.Scenario{Policies: g.text})
		if err == nil {
			versions.Differences(reports)
		}
		return err
	},
	"engine/diag.LineColumn": func(_ *testing.T, g given) error { diag.LineColumn(g.text, len(g.text)+9); return nil },
	"engine/diag.NewLines": func(_ *testing.T, g given) error {
		lines := diag.NewLines(g.text)
		for _, at := range []int{len(g.text) + 9, 0, -1, len(g.text) / 2} {
			lines.At(at)
		}
		return nil
	},
	"engine/diag.Locate": func(_ *testing.T, g given) error {
		diag.Locate(slices.Clone(g.report.Diagnostics), map[diag.Text]string{diag.Policies: g.text})
		return nil
	},
	"engine/diag.Fix.Apply": func(_ *testing.T, g given) error {
		return second(diag.Fix{Edits: []diag.Edit{{Text: diag.Policies, Span: diag.Span{Start: 5, End: 2}, New: g.text}, {Text: diag.Policies, Span: diag.Span{Start: -1, End: 1 << 40}}}}.Apply(diag.Policies, g.text))
	},
	"engine/diag.OneEdit": func(_ *testing.T, g given) error {
		diag.OneEdit(g.text, diag.Edit{Text: diag.Policies, New: g.text}, true)
		return nil
	},
	"engine/diag.Moved": func(_ *testing.T, g given) error {
		diag.Moved(g.text, diag.Edit{Span: diag.Span{Start: -1, End: 1 << 40}}, diag.Edit{Span: diag.Span{Start: 5, End: 2}, New: g.text})
		return nil
	},
	"engine/registry/wording.Declares": func(_ *testing.T, g given) error { wording.Declares(g.text); return nil },
	"engine/registry/wording.Answer": func(_ *testing.T, g given) error {
		wording.Answer(g.text, field.ErrorList{field.Invalid(field.NewPath(g.text), g.text, g.text)})
		return nil
	},
	"engine/edit/completion.New":                 func(_ *testing.T, g given) error { return second(completion.New(g.text, nil)) },
	"engine/edit/completion.*Completer.Complete": func(_ *testing.T, g given) error { return complete(g) },
	"engine/edit/completion.*Completer.Call":     func(_ *testing.T, g given) error { return complete(g) },
	"engine/edit/completion.*Completer.Tests":    func(_ *testing.T, g given) error { return complete(g) },
	"engine/edit/completion.*Completer.Hover":    func(_ *testing.T, g given) error { return complete(g) },
	"engine/edit/fielddocs.Parse": func(_ *testing.T, g given) error {
		docs := fielddocs.Parse(g.text)
		docs.Type(g.text)
		docs.Field(g.text, g.text)
		return nil
	},
	"engine/edit/fielddocs.Docs.Type":  func(*testing.T, given) error { return nil }, // Parse does
	"engine/edit/fielddocs.Docs.Field": func(*testing.T, given) error { return nil },
	"engine/edit/fielddocs.Docs.Sentence": func(_ *testing.T, g given) error {
		fielddocs.Parse(g.text).Sentence(g.text, g.text)
		return nil
	},
	"engine/registry.Has": func(_ *testing.T, g given) error {
		registry.Has(schema.GroupResource{Group: g.text, Resource: g.text}, g.text)
		return nil
	},
	"engine/registry.ResetFields": func(_ *testing.T, g given) error {
		registry.ResetFields(schema.GroupResource{Group: g.text, Resource: g.text}, g.text, g.text == "")
		return nil
	},
	"engine/registry/remote.New": func(_ *testing.T, g given) error {
		r := remote.New(func(string) (string, error) { return g.text, nil })
		r.Knows(schema.GroupVersionKind{Kind: g.text}, schema.GroupResource{Resource: g.text}, g.text)
		return second(r.Before(registry.Request{Name: g.text, Object: g.object}))
	},
	"engine/registry/remote.*Server.Call": func(_ *testing.T, g given) error {
		remote.Serve(storage.New()).Call(g.text)
		return nil
	},
	"engine/edit/nearest.Of":           func(_ *testing.T, g given) error { nearest.Of([]string{g.text, "", "a"}, g.text); return nil },
	"engine/edit/proposal.ReadPatch":   func(_ *testing.T, g given) error { return second(proposal.ReadPatch(g.text)) },
	"engine/edit/proposal.FromObjects": func(_ *testing.T, g given) error { return second(proposal.FromObjects(ctx, g.scenario, g.object)) },
	"engine/edit/proposal.FromResult":  func(_ *testing.T, g given) error { return second(proposal.FromResult(ctx, g.scenario, g.object)) },
	"engine/edit/proposal.FromPatch":   func(_ *testing.T, g given) error { return second(proposal.FromPatch(ctx, g.scenario, []byte(g.text))) },
	"engine/edit/proposal.ToSkip":      func(_ *testing.T, g given) error { return second(proposal.ToSkip(ctx, g.scenario, g.text, g.text)) },
	"engine/edit/proposal.FromWebhook": func(_ *testing.T, g given) error {
		return second(proposal.FromWebhook(ctx, g.scenario, g.text, g.text))
	},
	"engine/edit/repairs.All": func(_ *testing.T, g given) error { return second(repairs.All(ctx, g.scenario)) },
	"engine/edit/repairs.Apply": func(_ *testing.T, g given) error {
		return second(repairs.Apply(g.scenario, diag.Fix{Edits: []diag.Edit{{Text: diag.Text(g.text), New: g.text}, {Text: diag.Request, Span: diag.Span{Start: 7, End: 1}}}}))
	},
	"engine/edit/layout.Format":     func(_ *testing.T, g given) error { return second(layout.Format(g.text)) },
	"engine/edit/names.In":          func(_ *testing.T, g given) error { return second(names.In(g.scenario)) },
	"engine/edit/names.At":          func(_ *testing.T, g given) error { _, _, err := names.At(g.scenario, diag.Policies, 10); return err },
	"engine/edit/names.Expressions": func(_ *testing.T, g given) error { return second(names.Expressions(g.text)) },
	"engine/edit/names.CanBe":       func(_ *testing.T, g given) error { names.CanBe(g.text); return nil },
	"engine/edit/requesttext.GroupsOf": func(_ *testing.T, g given) error {
		requesttext.GroupsOf(g.text, []string{g.text})
		return nil
	},
	"engine/report/codes.Standing": func(_ *testing.T, g given) error {
		codes.Standing(g.text)
		return nil
	},
	"engine/report/codes.WithoutEffect": func(_ *testing.T, g given) error {
		codes.WithoutEffect(g.text)
		return nil
	},
	"engine/edit/requesttext.Change": func(_ *testing.T, g given) error {
		return second(requesttext.Change(g.text, requesttext.Changes{Operation: &g.text, User: &g.text, Namespace: &g.text, OldObject: &g.text, Groups: &[]string{g.text}}))
	},
	"engine/edit/requesttext.FromCluster": func(_ *testing.T, g given) error { requesttext.FromCluster(g.text); return nil },
	"engine/edit/requesttext.IsObject":    func(_ *testing.T, g given) error { requesttext.IsObject(g.text); return nil },
	"engine/edit/requesttext.Stripped":    func(_ *testing.T, g given) error { return second(requesttext.Stripped(g.text)) },
	"engine/edit/requesttext.OldObject":   func(_ *testing.T, g given) error { requesttext.OldObject(g.text); return nil },
	"engine/edit/requesttext.Problems":    func(_ *testing.T, g given) error { requesttext.Problems(g.text); return nil },
	"engine/edit/secrets.Result.Removed": func(_ *testing.T, g given) error {
		_, err := secrets.Find(g.scenario).Removed(g.scenario)
		return err
	},
	"engine/edit/secrets.Find": func(_ *testing.T, g given) error { secrets.Find(g.scenario).Fix(); return nil },
	"engine/expect.Parse": func(_ *testing.T, g given) error {
		e, err := expect.Parse([]byte(g.text))
		if err == nil {
			_, err = expect.Compare(e, g.report)
			e.Silent(g.report)
		}
		return err
	},
	"engine/expect.ParseCases": func(_ *testing.T, g given) error {
		cases, err := expect.ParseCases([]byte(g.text))
		if err != nil {
			return err
		}
		for _, one := range cases.List {
			_, _ = one.Request(g.text)
			_, _ = one.Update(g.report)
		}
		return second(cases.YAML())
	},
	"engine/expect.Fields": func(_ *testing.T, g given) error { expect.Fields(g.text); return nil },
	"engine/expect.Values": func(_ *testing.T, g given) error { return second(expect.Values(g.report, g.text)) },
	"engine/expect.*Case.Request": func(_ *testing.T, g given) error {
		cases, err := expect.ParseCases([]byte("- {name: a, set: {/a: 1, '': 2, /b/-: 3}, remove: [/x, '']}\n"))
		if err == nil {
			_, err = cases.List[0].Request(g.text)
		}
		return err
	},
	"engine/expect.Update": func(_ *testing.T, g given) error { return second(expect.Update([]byte(g.text), g.report)) },
	"engine/report.FieldPath": func(_ *testing.T, g given) error {
		report.FieldPath(g.text)
		report.Lookup(g.object, g.text)
		return nil
	},
	"engine/report.Plural":       func(_ *testing.T, g given) error { report.Plural(2, g.text, g.text); return nil },
	"engine/report.WithoutValue": func(_ *testing.T, g given) error { report.WithoutValue("Invalid value: {"+g.text, 1); return nil },
	"engine/report.*Outcome.Brief": func(_ *testing.T, g given) error {
		(&report.Outcome{Causes: []string{g.text, "Invalid value: {" + g.text + "}: "}}).Brief(g.text)
		return nil
	},
	"engine/report.Lookup":         func(*testing.T, given) error { return nil }, // FieldPath does
	"engine/report/codes.Find":     func(_ *testing.T, g given) error { codes.Find(g.text); return nil },
	"engine/scenario.AuditRequest": func(_ *testing.T, g given) error { scenario.AuditRequest(g.object); return nil },
	"engine/scenario.HoldsRequest": func(_ *testing.T, g given) error { scenario.HoldsRequest(g.text); return nil },
	"engine/scenario.Classify": func(t *testing.T, g given) error {
		for _, name := range []string{"a.yaml", "x.txtar", "request.json", "scenario.yaml", g.text} {
			c := scenario.Classify([]scenario.File{{Name: name, Text: g.text}}, scenario.Given{Scenario: g.scenario, Into: diag.Text(g.text)})
			for _, d := range c.Diagnostics {
				if d.Code == codes.Internal {
					t.Errorf("%s", d.Detail)
				}
			}
		}
		return nil
	},
	"engine/scenario.AtEnd":          func(_ *testing.T, g given) error { _ = scenario.AtEnd(diag.Cluster, g.text, g.text); return nil },
	"engine/scenario.TooDeep":        func(_ *testing.T, g given) error { scenario.TooDeep(g.text); return nil },
	"engine/scenario.ParseDocuments": func(_ *testing.T, g given) error { documents(g); return nil },
	"engine/scenario.Responses": func(_ *testing.T, g given) error {
		policies, _ := scenario.ParseDocuments(diag.Policies, g.text)
		for _, d := range append(policies, &scenario.Document{Value: g.object}) {
			scenario.Responses(d, g.text, policies)
		}
		return nil
	},
	"engine/scenario.*Reader.Documents": func(_ *testing.T, g given) error {
		scenario.NewReader().Documents(diag.Cluster, g.text)
		return nil
	},
	"engine/scenario.*Reader.Review": func(_ *testing.T, g given) error {
		if _, plain := scenario.NewReader().Once(nil).Review(g.text, []string{"CREATE"}); plain {
			if docs, problems := scenario.ParseDocuments(diag.Request, g.text); len(docs) != 1 || len(problems) > 0 {
				return fmt.Errorf("a review in which all is well has %d documents, %v", len(docs), problems)
			}
		}
		return nil
	},
	"engine/scenario.FromTxtar":   func(_ *testing.T, g given) error { scenario.FromTxtar([]byte(g.text)); return nil },
	"engine/scenario.FromFS":      func(_ *testing.T, g given) error { return second(scenario.FromFS(folder(g))) },
	"engine/scenario.ReadFS":      func(_ *testing.T, g given) error { _, _, err := scenario.ReadFS(folder(g)); return err },
	"engine/scenario.PlainReview": func(_ *testing.T, g given) error { scenario.PlainReview(g.text); return nil },
	"engine/scenario.EncodeLink":  func(_ *testing.T, g given) error { return second(scenario.EncodeLink(g.scenario)) },
	"engine/scenario.DecodeLink": func(_ *testing.T, g given) error {
		_, _ = scenario.DecodeLink("#1/" + g.text)
		return second(scenario.DecodeLink(g.text))
	},
	"engine/scenario.Exactly": func(_ *testing.T, g given) error {
		engine.Compile(scenario.Scenario{Options: scenario.Options{Plugins: scenario.Exactly(g.text)}})
		return nil
	},
	"engine/scenario.*Plugins.UnmarshalJSON":          func(_ *testing.T, g given) error { return new(scenario.Plugins).UnmarshalJSON([]byte(g.text)) },
	"engine/scenario.*BeforeValidation.UnmarshalJSON": func(_ *testing.T, g given) error { return new(scenario.BeforeValidation).UnmarshalJSON([]byte(g.text)) },
	"engine/scenario.Release":                         func(_ *testing.T, g given) error { scenario.Release(g.text); return nil },
	"engine/scenario.ParseVersion":                    func(_ *testing.T, g given) error { return second(scenario.ParseVersion(g.text)) },
	"engine/report.*Rules.Cost": func(_ *testing.T, g given) error {
		(&report.Rules{Costs: []report.RuleCost{{Path: g.text}}}).Cost(g.text)
		return nil
	},
	"render/graph.DOT": func(_ *testing.T, g given) error { graph.DOT(g.text, &report.Graph{}); return nil },
	"render/html.View.Picture": func(_ *testing.T, g given) error {
		return second(html.View{Report: g.report, Texts: map[diag.Text]string{diag.Policies: g.text}}.Picture(ctx, g.text, g.text))
	},
	"render/html.NewView": func(_ *testing.T, g given) error {
		view := html.NewView(g.report, map[diag.Text]string{diag.Policies: g.text})
		return second(view.Render(ctx, html.StepsPart, html.ObjectPart, html.DiffPart, html.AnswerPart))
	},
	"render/html.View.Unfold": func(_ *testing.T, g given) error {
		return second(html.View{Report: g.report, Texts: map[diag.Text]string{diag.Policies: g.text}, Lazy: true, Open: []string{g.text}}.Unfold(ctx, g.text))
	},
	"render/linediff.Of": func(_ *testing.T, g given) error { _ = linediff.Of(g.text, g.text, g.text, "").String(); return nil },
	"render/text.Explain": func(_ *testing.T, g given) error {
		text.Explain(g.text, []report.Node{{Start: 3, End: 1}, {Start: 0, End: 1 << 30}}, 10)
		return nil
	},
	"render/text.Printer.Diff": func(_ *testing.T, g given) error { return second(text.Printer{}.Diff(g.text, g.object, g.text, nil)) },
	"render/text.Line":         func(_ *testing.T, g given) error { text.Line(g.text); return nil },
	"render/text.Safe":         func(_ *testing.T, g given) error { text.Safe(g.text); return nil },
	"render/text.*Source.Add": func(_ *testing.T, g given) error {
		var s text.Source
		s.Add(g.text, g.text, -1)
		s.At(1 << 30)
		s.At(-1)
		return nil
	},
	"serve.*Server.Load": func(_ *testing.T, g given) error {
		s := webhook
		problems := s.Load(g.scenario)
		request := httptest.NewRequest(http.MethodPost, "/validate", bytes.NewReader([]byte(g.text)))
		s.Handler().ServeHTTP(httptest.NewRecorder(), request)
		return problems.Err()
	},
	"serve.ReadCertificate": func(_ *testing.T, g given) error {
		return second(serve.ReadCertificate("/dev/null/"+strings.ReplaceAll(g.text, "\x00", ""), "x"))
	},
}

func second[T any](_ T, err error) error { return err }

func all(records func(func(capture.Record, error) bool)) (failed error) {
	for record, err := range records {
		_, _ = table.Evaluate(ctx, empty(), record)
		failed = err
	}
	return failed
}

func complete(g given) error {
	c, err := completion.New("1.35", nil)
	if err != nil {
		return err
	}
	for _, at := range []int{-1, 0, len(g.text) / 2, len(g.text), len(g.text) + 1} {
		for _, name := range []diag.Text{diag.Policies, diag.Expression} {
			_, _ = c.Complete(g.scenario, name, at)
			_, _ = c.Hover(g.scenario, name, at)
			_, _ = c.Call(g.scenario, name, at)
		}
		for _, name := range []string{scenario.CasesFile, scenario.ExpectedFile} {
			_, _ = c.Tests(g.scenario, name, g.text, at, func(int) (*report.Report, error) { return nil, nil })
		}
	}
	return nil
}

func folder(g given) fs.FS {
	return fstest.MapFS{"policies.yaml": {Data: []byte(g.text)}, "scenario.yaml": {Data: []byte(g.text)}, "expected.yaml": {Data: []byte(g.text)}}
}

// documents calls the methods of a document with paths that it may not have.
func documents(g given) {
	list, _ := scenario.ParseDocuments(diag.Policies, g.text)
	for _, d := range list {
		for _, path := range []string{g.text, "", "a", "a.b[0]", "[-1]", "kind"} {
			d.Locate(path)
			d.LocateKey(path)
			d.Place(path)
			d.Kept(path)
			d.KeptScalar(path)
			d.Has(path)
			d.Field(path)
			d.Shifted(path, -3)
			d.Column(path)
			d.KeyColumn(path)
			d.Brackets(path)
			d.Block(path)
			d.Rename(path, g.text)
			d.Rewrite(path, g.text)
			d.Insert(path, g.text, g.text)
			d.Append(path, 1, g.text)
			d.Remove(path)
			d.MoveItem(path, 9, -1)
			d.Scalar(path)
		}
		var problems []diag.Diagnostic
		f := scenario.NewFields(d, &problems)
		f.Sub(g.text).Path(g.text)
		f.String("kind")
		f.OneOf("metadata", "a")
		f.Strings("spec")
		f.Map("kind")
		f.Report(diag.Error, "a", g.text, g.text, g.text)
		f.ReportAt(diag.Error, "a", g.text, g.text, g.text)
		f.Done()
	}
}

// takesText says which parameters are texts, or hold them.
var takesText = regexp.MustCompile(`\b(string|\[\]byte|scenario\.Scenario|Scenario|io\.Reader|fs\.FS|\[\]File|map\[string\]any|map\[Text\]string)\b`)

// TestNothingPanics walks the exported functions and methods of the library that take
// texts, and calls each with every hostile one: none panics, whether it has a guard or
// not, and none has had a mistake behind its guard. A new function is missed here until
// it is among the calls.
func TestNothingPanics(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	for _, name := range exported(t) {
		if strings.HasPrefix(name, "engine/scenario.*Document.") || strings.HasPrefix(name, "engine/scenario.*Fields.") {
			continue // ParseDocuments calls them
		}
		if calls[name] == nil {
			t.Errorf("%s takes a text, and is not among the calls", name)
		}
	}
	for _, one := range hostileTexts {
		g := of(t, one)
		for name, call := range calls {
			guarded(t, name, one, func() error { return call(t, g) })
		}
	}
}

func guarded(t *testing.T, name, one string, call func() error) {
	t.Helper()
	defer func() {
		if reason := recover(); reason != nil {
			t.Errorf("%s panics with %.60q: %v", name, one, reason)
		}
	}()
	if err := call(); err != nil && strings.Contains(err.Error(), "internal error: ") {
		t.Errorf("%s fails with %.60q: %.3000v", name, one, err)
	}
}

// exported are the functions and methods of the library that take texts, by package,
// receiver and name.
func exported(t *testing.T) (names []string) {
	const root = "../.."
	for _, part := range []string{"engine", "render", "serve"} {
		err := filepath.WalkDir(filepath.Join(root, part), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "internal" || d.Name() == "testdata"):
				return filepath.SkipDir
			case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "_templ.go"):
				return nil
			}
			folder, err := filepath.Rel(root, filepath.Dir(path))
			if err != nil {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, decl := range file.Decls {
				if f, ok := decl.(*ast.FuncDecl); ok && f.Name.IsExported() {
					names = append(names, textFunction(filepath.ToSlash(folder), f)...)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(names) < 60 {
		t.Fatalf("only %d functions were found", len(names))
	}
	return names
}

// textFunction is the name of a function that takes a text; none for others.
func textFunction(folder string, f *ast.FuncDecl) []string {
	receiver := ""
	if f.Recv != nil {
		receiver = types.ExprString(f.Recv.List[0].Type) + "."
		if !ast.IsExported(strings.Trim(receiver, "*.")) {
			return nil
		}
	}
	for _, p := range f.Type.Params.List {
		if takesText.MatchString(types.ExprString(p.Type)) {
			return []string{folder + "." + receiver + f.Name.Name}
		}
	}
	return nil
}
