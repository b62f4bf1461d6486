package noeffect

import (
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// ofViolation are words of an annotation that is about a violation.
var ofViolation = lazy.Regexp{Text: `(?i)violat|denied|forbid|reject|disallow|not[ -]allowed|non-?complian|fail`}

// annotations reports audit annotations that speak of a violation where all validations
// passed: the server publishes each annotation of a policy that matches, whatever the validations say.
func (r *Run) annotations(s *report.Step, doc *scenario.Document) {
	if s.Status != report.Evaluated || len(s.Validations) == 0 {
		return
	}
	var passed []string
	for i := range s.Validations {
		v := &s.Validations[i]
		if v.Result != true {
			return
		}
		passed = append(passed, strings.TrimSpace(v.Expression))
	}
	for i := range s.AuditAnnotations {
		e := &s.AuditAnnotations[i]
		value, ok := e.Result.(string)
		if !ok || value == "" || !ofViolation.MatchString(e.Name) && !ofViolation.MatchString(value) || chosen(e) {
			continue
		}
		source := r.source(doc, e.Path)
		if source == nil {
			continue
		}
		test := "!(" + passed[0] + ")"
		if len(passed) > 1 {
			test = "!((" + strings.Join(passed, ") && (") + "))"
		}
		last := len([]rune(strings.TrimRight(string(source.Runes), " \n")))
		r.add(doc, codes.AnnotationAlways, e.Path, e.Span,
			fmt.Sprintf("the audit annotation %s is published although nothing was violated", e.Name),
			"The server evaluates audit annotations for every request that the policy matches. It leaves out one whose value is empty.",
			source.Fix("Publish it only for violations", rewrite.Replace(0, 0, test+" ? ("), rewrite.Replace(last, last, ") : ''")))
	}
}

// chosen reports whether an expression chooses between values already.
func chosen(e *report.Evaluation) bool { return len(e.Children) > 0 && e.Children[0].Kind == "ternary" }
