package documents

import (
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/configuration"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// MissingKind names the kind that has the fields of the document.
func (m Document) MissingKind() string {
	has := func(path string) bool { return m.Has(path) }
	mutating := has("spec.mutations") || strings.Contains(m.Source()[m.Span.Start:m.Span.End], "reinvocationPolicy")
	switch {
	case has("spec.mutations"):
		return configuration.MutatingAdmissionPolicy
	case has("spec.validations"), has("spec.auditAnnotations"):
		return configuration.ValidatingAdmissionPolicy
	case has("spec.policyName") && has("spec.validationActions"):
		return configuration.ValidatingAdmissionPolicyBinding
	case has("spec.policyName"):
		for _, d := range m.in.Documents {
			if d.Name == m.text("spec.policyName") && d.Kind == configuration.ValidatingAdmissionPolicy {
				return configuration.ValidatingAdmissionPolicyBinding
			}
		}
		return configuration.MutatingAdmissionPolicyBinding
	case has("webhooks") && mutating:
		return configuration.MutatingWebhookConfiguration
	case has("webhooks"):
		return configuration.ValidatingWebhookConfiguration
	}
	return ""
}

// SpecAlone makes a policy of a document that is nothing but fields of its spec, as documentation
// prints them.
func (m Document) SpecAlone() []diag.Fix {
	kind := ""
	switch {
	case m.Has("mutations"):
		kind = configuration.MutatingAdmissionPolicy
	case m.Has("validations"), m.Has("auditAnnotations"):
		kind = configuration.ValidatingAdmissionPolicy
	}
	plain := m.Source()
	if kind == "" || m.APIVersion != "" || m.Kind != "" || m.IsJSON() || m.FromList || m.Brackets("") || m.Has("spec") || m.Has("metadata") {
		return nil
	}
	before := "apiVersion: " + configuration.Group + "/" + version.NewestAPI(kind, m.in.Version) + "\nkind: " + kind + "\nmetadata:\n  name: example\nspec:\n"
	start := strings.LastIndexByte(plain[:m.Span.Start], '\n') + 1
	edits := []diag.Edit{{Text: m.Document.Text, Span: diag.Span{Start: start, End: start}, New: before + "  "}}
	for i := start; i < m.Span.End-1; i++ {
		if at := i + 1; plain[i] == '\n' && plain[at] != '\n' && plain[at] != '\r' {
			edits = append(edits, diag.Edit{Text: m.Document.Text, Span: diag.Span{Start: at, End: at}, New: "  "})
		}
	}
	return []diag.Fix{{Title: "Make it the spec of a " + kind, Edits: edits}}
}

// wordsOfKinds are the parts of the names of kinds that people leave out.
var wordsOfKinds = strings.NewReplacer("admission", "", "configuration", "", "config", "")

// KindMeant is the kind that a document with an unknown one is: by its name, or by the
// fields that it has. Empty if neither says it.
func (m Document) KindMeant() string {
	if meant := sameWords(m.Kind); meant != "" {
		return meant
	}
	// What a document has says more than letters do, where they do not say the same.
	fields := m.MissingKind()
	best, ok := suggest.Of(configuration.Names, m.Kind)
	if !ok || fields != "" && strings.HasSuffix(fields, "Binding") != strings.HasSuffix(best, "Binding") {
		return fields
	}
	return best
}

// sameWords is the kind whose name has the same words as another one, but for those
// that go without saying: ValidatingPolicy is ValidatingAdmissionPolicy.
func sameWords(kind string) string {
	short := func(name string) string {
		return strings.TrimSuffix(wordsOfKinds.Replace(strings.ToLower(name)), "s")
	}
	for _, name := range configuration.Names {
		if short(name) == short(kind) {
			return name
		}
	}
	return ""
}
