// Package lint finds rules that never or always apply in accepted policies, bindings and
// webhooks, and patterns that let objects bypass a policy. It needs no request.
//
// A statement about all requests is proven over every case that the expressions distinguish
// (package outcomes). If there are too many cases, or a part is not understood, a rule reports nothing.
//
// A rule is a file here with a function that is in the list rules, and a code in
// engine/report/codes/data with a bad and a good example.
package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/outcomes"
	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/policy/install"
	"github.com/preadmit/preadmit/engine/internal/worklimit"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Annotation names the annotation of a policy, binding or webhook configuration that lists the codes
// of this package that are not reported for it, separated by commas.
const Annotation = "preadmit.dev/ignore"

// Input is what is looked at.
type Input struct {
	Installed    *install.Result
	Environments *eval.Environments
	Catalog      *catalog.Catalog
	Budget       *worklimit.Budget
	// Plain are the texts of the documents.
	Plain map[diag.Text]string
	// Known are the problems that are reported already: an expression that has one is left
	// alone.
	Known []diag.Diagnostic
}

// rules are what is looked for, one after another for each policy. The first ones name the cause of
// what later ones would find.
var rules = []func(*policy){
	countedFields, differentTypes, contradictorySelectors, idleSelectors, idleBindings, duplicateBindings, userNames, conditionNames, idleConditions, constantValidations, deniedOperations, exclusivePolicies, impliedValidations,
	unusedVariables, unusedParams, unseenMessages, uselessMessages, ignoredFailures, exactMatches, authorsSelectors, authorsConditions, leftOutContainers, leftOutEphemeral, podLevelOnly, leftOutWorkloads, leftOutUpdates, leftOutStatus, leftOutScale, leftOutEvictions,
	contradictedMessages, swappedQuantifiers, defaultedFields, rangesAsAddresses, openTexts, latestImages, colonAnywhere, costlyPatterns, letterCase, milliMemory, absentUnsafe, capabilityNames, overwritten, deniedMutations, removableLabels, replacedLabels, nullObjects,
}

// Check reports what the rules find.
func Check(in Input) []diag.Diagnostic {
	c := &checker{Input: in}
	c.all = c.policies()
	for _, p := range c.all {
		for _, rule := range rules {
			rule(p)
		}
	}
	diag.Sort(c.found)
	return c.found
}

// Subject is a policy or webhook with the requests that it matches and the expressions that decide.
type Subject struct {
	Name        string
	Worlds      []*outcomes.World
	Conditions  []*outcomes.Expression
	Validations []*outcomes.Expression
	Mutations   []*outcomes.Expression
	Document    *scenario.Document
	// Mutates says that it is a mutating policy, Again that the server may run it twice for one object: it is
	// reinvoked, or asked about updates too.
	Mutates, Again bool
	// Reads are the fields that its expressions read, by their names from a variable on, with * for the
	// items of a list. Constants are the literals in its expressions.
	Reads     [][]string
	Constants []any
}

// Subjects are the policies and webhooks that the server accepted.
func Subjects(in Input) []Subject {
	c := &checker{Input: in}
	var out []Subject
	for _, p := range c.policies() {
		s := Subject{Name: p.document.Name, Document: p.document, Worlds: p.worlds(nil), Mutates: len(p.mutations) > 0, Again: p.reinvoked}
		for _, w := range s.Worlds {
			s.Again = s.Again || w.Operation == "UPDATE"
		}
		for i := range p.bindings {
			if b := &p.bindings[i]; b.match != nil {
				s.Worlds = append(p.worlds(b), s.Worlds...)
			}
		}
		for _, e := range p.conditions {
			s.Conditions = append(s.Conditions, e.read)
		}
		for _, v := range p.validations {
			s.Validations = append(s.Validations, v.read)
		}
		for _, e := range p.mutations {
			s.Mutations = append(s.Mutations, e.read)
		}
		s.Reads, s.Constants = p.material()
		out = append(out, s)
	}
	return out
}

type checker struct {
	Input
	all       []*policy
	found     []diag.Diagnostic
	resources []catalog.Resource
	pairs     int // see excludes
}

// report adds a finding at a path of a document, unless the document ignores its code.
func (c *checker) report(d *scenario.Document, code string, severity diag.Severity, path, summary, detail string) *diag.Diagnostic {
	if Ignores(d, code) {
		return &diag.Diagnostic{}
	}
	title := d.Kind
	if d.Name != "" {
		title += "/" + d.Name
	}
	c.found = append(c.found, diag.Diagnostic{Code: code, Severity: severity, Text: d.Text, Span: d.Locate(path), Path: path, Summary: summary, Detail: detail, Document: title})
	return &c.found[len(c.found)-1]
}

// Ignores reports whether the annotation of a document lists a code.
func Ignores(d *scenario.Document, code string) bool {
	metadata, _ := d.Value["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	list, _ := annotations[Annotation].(string)
	return slices.ContainsFunc(strings.Split(list, ","), func(s string) bool { return strings.TrimSpace(s) == code })
}

// said reports whether a problem of a field is known already.
func (c *checker) said(d *scenario.Document, path string) bool {
	about := func(p diag.Diagnostic) bool {
		return p.Path == path && p.Text == d.Text && p.Severity != diag.Info && p.Span.Start >= d.Span.Start && p.Span.End <= d.Span.End
	}
	return slices.ContainsFunc(c.Known, about) || slices.ContainsFunc(c.found, about)
}

// within narrows a finding to a part of the expression at its path.
func (c *checker) within(p *diag.Diagnostic, d *scenario.Document, path string, start, end int) {
	if m, ok := d.Scalar(path); ok {
		p.Span = m.SpanOfRunes(start, end)
	}
}

// rewritten is a fix that writes another text for a part of an expression.
func (c *checker) rewritten(d *scenario.Document, path string, start, end int, text string) []diag.Fix {
	s := rewrite.In(d, c.Plain[d.Text], path)
	if s == nil {
		return nil
	}
	return []diag.Fix{s.Fix("Write "+text, rewrite.Replace(start, end, text))}
}

// removed is a fix that removes fields.
func removed(title string, d *scenario.Document, paths ...string) []diag.Fix {
	fix := diag.Fix{Title: title}
	for _, path := range paths {
		e, ok := d.Remove(path)
		if !ok {
			return nil
		}
		fix.Edits = append(fix.Edits, e)
	}
	return []diag.Fix{fix}
}

// ordinal names the item of a list by its place, from 0.
func ordinal(what string, i int) string { return fmt.Sprintf("%s %d", what, i+1) }
