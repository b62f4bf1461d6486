package foreigntests

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/expect"
	"github.com/preadmit/preadmit/engine/report"
)

// Verdict is a policy's result for a request, independent of its bindings and failurePolicy.
type Verdict string

// The verdicts.
const (
	Holds   Verdict = "holds"   // no validation fails
	Fails   Verdict = "fails"   // a validation is false
	Errs    Verdict = "errs"    // an expression fails
	Skips   Verdict = "skips"   // the policy does not apply
	Mutates Verdict = "mutates" // the object is changed
)

// Expected is a test's expectation.
type Expected struct {
	// Said is the expectation in the tool's words, such as "result: fail".
	Said string
	// Verdicts are the allowed verdicts; none means any.
	Verdicts []Verdict
	// Allowed says whether the request is admitted; nil means either.
	Allowed *bool
	// Object is the expected object after the mutations, or nil.
	Object map[string]any
	// Message is one of the policy's messages; empty for any.
	Message string
	// Warnings are the request's expected warnings, in order; nil means any.
	Warnings []string
	// Annotations are expected audit annotations; there may be others.
	Annotations map[string]string
}

// Check compares a report with a test's expectation.
func (t *Test) Check(r *report.Report) []expect.Difference {
	var out []expect.Difference
	differ := func(path string, want, got any, problem string) {
		out = append(out, expect.Difference{Line: t.Line, Path: path, Want: want, Got: got, Problem: problem})
	}
	e := t.Expected
	steps := slices.DeleteFunc(slices.Clone(r.Steps), func(s report.Step) bool { return s.Policy != t.Policy })
	if got, why := verdict(steps); len(e.Verdicts) > 0 && !slices.Contains(e.Verdicts, got) {
		differ("policy "+t.Policy, e.Said, string(got), why)
	}
	if e.Allowed != nil && *e.Allowed != r.Outcome.Allowed {
		differ("outcome.allowed", *e.Allowed, r.Outcome.Allowed, r.Outcome.Message)
	}
	messages := []string{}
	for _, s := range steps {
		messages = append(messages, s.Messages...)
		for _, v := range s.Validations {
			messages = append(messages, v.Message)
		}
	}
	if e.Message != "" && !slices.Contains(messages, e.Message) {
		differ("message", e.Message, messages, "it is not one of the policy's messages")
	}
	if e.Warnings != nil && !slices.EqualFunc(e.Warnings, r.Outcome.Warnings, func(want, got string) bool { return got == want || strings.HasSuffix(got, ": "+want) }) {
		differ("outcome.warnings", e.Warnings, r.Outcome.Warnings, "")
	}
	for _, key := range slices.Sorted(maps.Keys(e.Annotations)) {
		if got := annotation(r, key); got != e.Annotations[key] {
			differ("outcome.auditAnnotations["+key+"]", e.Annotations[key], got, "")
		}
	}
	if e.Object != nil {
		before, after := mutated(steps)
		for _, d := range compare("object", e.Object, after, before) {
			differ(d.path, d.want, d.got, "")
		}
	}
	return out
}

// annotation returns an audit annotation's value, with or without the policy's prefix.
func annotation(r *report.Report, key string) string {
	for _, name := range slices.Sorted(maps.Keys(r.Outcome.AuditAnnotations)) {
		if name == key || strings.HasSuffix(name, "/"+key) {
			return r.Outcome.AuditAnnotations[name]
		}
	}
	return ""
}

// verdict returns the policy's verdict with the reason.
func verdict(steps []report.Step) (Verdict, string) {
	best, why := Skips, "it does not exist, or was rejected"
	rank := []Verdict{Skips, Holds, Mutates, Fails, Errs}
	for i := range steps {
		got, reason := ofStep(&steps[i])
		if i == 0 || slices.Index(rank, got) > slices.Index(rank, best) {
			best, why = got, reason
		}
	}
	return best, why
}

func ofStep(s *report.Step) (Verdict, string) {
	failed := s.Error
	s.Deciding(func(e *report.Evaluation) {
		if failed == "" {
			failed = e.Error
		}
	})
	switch {
	case failed != "":
		return Errs, failed
	case s.Status != report.Evaluated:
		return Skips, s.Reason
	case s.Verdict == report.Mutate:
		return Mutates, s.Reason
	}
	for _, v := range s.Validations {
		if v.Result == false {
			return Fails, v.Message
		}
	}
	return Holds, s.Reason
}

// mutated returns the object before the first and after the last mutation.
func mutated(steps []report.Step) (before, after map[string]any) {
	for _, s := range steps {
		if before == nil {
			before = s.Before
		}
		if s.After != nil {
			after = s.After
		} else if s.Before != nil {
			after = s.Before
		}
	}
	return before, after
}

// unequal is a place where two objects differ.
type unequal struct {
	path      string
	want, got any
}

// compare finds where got differs from want. It ignores what the object had before and want does
// not mention: these are the server's defaults, which the tools do not apply.
func compare(path string, want, got, before any) []unequal {
	wanted, ok1 := want.(map[string]any)
	have, ok2 := got.(map[string]any)
	had, _ := before.(map[string]any)
	if ok1 && ok2 {
		keys := maps.Clone(have)
		maps.Copy(keys, wanted)
		var out []unequal
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			if _, said := wanted[key]; !said && reflect.DeepEqual(have[key], had[key]) {
				continue
			}
			out = append(out, compare(path+"."+key, wanted[key], have[key], had[key])...)
		}
		return out
	}
	list, ok1 := want.([]any)
	gotList, ok2 := got.([]any)
	hadList, _ := before.([]any)
	if ok1 && ok2 && len(list) == len(gotList) {
		var out []unequal
		for i := range list {
			var was any
			if i < len(hadList) {
				was = hadList[i]
			}
			out = append(out, compare(fmt.Sprintf("%s[%d]", path, i), list[i], gotList[i], was)...)
		}
		return out
	}
	if reflect.DeepEqual(want, got) {
		return nil
	}
	return []unequal{{path, want, got}}
}
