package foresight

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/foresee"
	"github.com/preadmit/preadmit/engine/internal/answer/findings"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/rules"
	"github.com/preadmit/preadmit/engine/report"
)

// definitions are the subjects of the CustomResourceDefinitions in the cluster text: one for each
// served version whose schema has rules.
func (f *foresight) definitions() []*subject {
	var out []*subject
	for _, d := range f.Customs.Definitions {
		for _, v := range d.Spec.Versions {
			resource := schema.GroupVersionResource{Group: d.Spec.Group, Version: v.Name, Resource: d.Spec.Names.Plural}
			custom, err := f.Customs.Of(resource, f.Environments)
			if !v.Served || err != nil || custom == nil {
				continue // what is wrong with the definition is reported with it
			}
			var list []foresee.Rules
			custom.EachRule(func(node *rules.Validator) {
				var compiled []*eval.Compiled
				for i := range node.Rules {
					compiled = append(compiled, node.Rules[i].Compiled, node.Rules[i].CompiledMessage)
				}
				list = append(list, foresee.Rules{Fields: node.Fields, Compiled: compiled})
			})
			if len(list) == 0 {
				continue
			}
			matched := v1.Rule{APIGroups: []string{resource.Group}, APIVersions: []string{resource.Version}, Resources: []string{resource.Resource}}
			out = append(out, &subject{definition: custom, document: d.Document,
				rules:  []v1.RuleWithOperations{{Operations: []v1.OperationType{v1.Create, v1.Update}, Rule: matched}},
				source: foresee.Source{Catalog: f.Catalog, Cluster: f.Configuration.Cluster, Reads: foresee.ReadsOfRules(list)}})
		}
	}
	slices.SortFunc(out, func(a, b *subject) int {
		return strings.Compare(a.document.Name+" "+a.rules[0].APIVersions[0], b.document.Name+" "+b.rules[0].APIVersions[0])
	})
	return out
}

// written is the part of the cluster text that a diagnostic is about.
func (f *foresight) written(d *diag.Diagnostic) string {
	text := f.Settings.Cluster
	if d.Text != diag.Cluster || d.Span.Start < 0 || d.Span.End > len(text) || d.Span.Start > d.Span.End {
		return ""
	}
	return text[d.Span.Start:d.Span.End]
}

// describeRule gives the finding about a rule its summary: it names the missing field as the object has it.
func (f *finding) describeRule(ev *report.Evaluation, part, failed string) {
	kind := f.endpoint.Kind.Kind
	when := "created or updated"
	if f.endpoint.Operation == "UPDATE" { // creations are tried first: the server does not run the rule for them
		when = "updated"
	}
	f.Summary = fmt.Sprintf("the rule fails when %s is %s: %s", findings.Article(kind), when, failed)
	field, isSelf := strings.CutPrefix(part, "self.")
	if !isSelf || !strings.HasPrefix(failed, "no such key") {
		field, isSelf = strings.CutPrefix(part, "oldSelf.")
	}
	if isSelf && strings.HasPrefix(failed, "no such key") {
		if ev.Name != "the object" {
			field = ev.Name + "." + field
		}
		f.Summary = fmt.Sprintf("the rule fails for %s without %s", findings.Article(kind), field)
		if strings.HasPrefix(part, "oldSelf.") {
			f.Summary = fmt.Sprintf("the rule fails when %s is updated that had no %s", findings.Article(kind), field)
		}
	}
}
