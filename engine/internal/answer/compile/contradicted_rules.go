package compile

import (
	"fmt"
	"maps"
	"slices"

	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/internal/policy/lint"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// contradictedRule reports a rule of an accepted definition, at a path, that admits or denies something else than its
// message says.
func (p *clusterReader) contradictedRule(d *scenario.Document, path fieldpath.Path, rule string) {
	message := fieldpath.As[string](path.Parent().Child("message").Get(d.Value))
	summary, detail, now := lint.ManyFields(rule, message)
	node := fieldpath.As[map[string]any](path.Parent().Parent().Parent().Get(d.Value))
	properties, _ := node["properties"].(map[string]any)
	if name := lint.OneField(rule, message, slices.Sorted(maps.Keys(properties))); name != "" {
		summary, detail = "the rule forbids every change beside "+name+", and the message speaks of "+name+" alone", "self has all fields."
		if field, ok := apiservercel.Escape(name); ok {
			now = fmt.Sprintf("self.%s == oldSelf.%s", field, field)
			if required, _ := node["required"].([]any); !slices.Contains(required, any(name)) {
				now = fmt.Sprintf("has(self.%s) == has(oldSelf.%s) && (!has(self.%s) || %s)", field, field, field, now)
			}
		}
	}
	if summary == "" {
		return
	}
	found := diag.Diagnostic{Code: codes.MessageContradicts, Severity: diag.Warning, Text: d.Text, Span: d.Locate(path.String()), Path: path.String(), Document: d.Kind + "/" + d.Name,
		Summary: summary, Detail: fmt.Sprintf("The message is %q. %s", message, detail)}
	if s := rewrite.In(d, p.plain(d), path.String()); s != nil && now != "" {
		found.Fixes = []diag.Fix{s.Fix("Write "+now, rewrite.Replace(0, len(s.Runes), now))}
	}
	p.diagnose([]diag.Diagnostic{found})
}
