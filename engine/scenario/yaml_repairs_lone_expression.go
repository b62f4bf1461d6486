package scenario

import (
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// The parts of a policy, as documentation prints them without the rest.
var (
	// aloneMutation begins the expression of a mutation.
	aloneMutation = lazy.Regexp{Text: `^\[?\s*(Object(\.\w+)*|JSONPatch)\s*\{`}
	// aloneTest has a variable of admission and is one line, without the keys of YAML.
	aloneTest = lazy.Regexp{Text: `^[^\n#]*\b(object|oldObject|request|namespaceObject)\??\.[^\n]*$`}
	yamlKey   = lazy.Regexp{Text: `^[\w./-]+:(\s|$)`}
)

// The beginnings of policies, up to an expression.
const (
	mutationBefore = "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicy\nmetadata:\n  name: example\nspec:\n  reinvocationPolicy: Never\n" +
		"  mutations:\n  - patchType: %type\n    %body:\n      expression: |\n"
	validationBefore = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata:\n  name: example\nspec:\n  validations:\n  - expression: |\n"
)

// alone makes a policy of a document that is nothing but an expression of one.
func (p *parser) alone(s *source) []diag.Fix {
	part := s.src[s.from:s.to]
	text := strings.TrimSpace(part)
	if p.text != diag.Policies || len(text) > maxMend || yamlKey.MatchString(text) {
		return nil
	}
	title, before, indent := "Make it a mutation of a policy", mutationBefore, "        "
	switch m := aloneMutation.FindStringSubmatch(text); {
	case m != nil && m[1] == "JSONPatch":
		before = strings.NewReplacer("%type", "JSONPatch", "%body", "jsonPatch").Replace(before)
	case m != nil:
		before = strings.NewReplacer("%type", "ApplyConfiguration", "%body", "applyConfiguration").Replace(before)
	case aloneTest.MatchString(text):
		title, before, indent = "Make it a validation of a policy", validationBefore, "      "
	default:
		return nil
	}
	start := s.from + strings.Index(part, text)
	edits := []diag.Edit{{Text: p.text, Span: diag.Span{Start: start, End: start}, New: before + indent}}
	for i := range text {
		if at := start + i + 1; text[i] == '\n' && text[i+1] != '\n' && text[i+1] != '\r' {
			edits = append(edits, diag.Edit{Text: p.text, Span: diag.Span{Start: at, End: at}, New: indent})
		}
	}
	return []diag.Fix{{Title: title, Edits: edits, Draft: true}} // what it matches is left to write
}
