package compile

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/policy/lint"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// saysImmutable are words of a message that promises that a value stays.
var saysImmutable = lazy.Regexp{Text: `(?i)\bimmutable\b|\b(?:cannot|can't|can not|must not|may not|never)\b.*\bchange`}

// removableFields reports rules that keep the value of a field that may be removed and set again, at a node of an
// accepted definition's schema. above are the rules of the nodes around it: one that names the field may forbid it.
func (p *clusterReader) removableFields(d *scenario.Document, at fieldpath.Path, node map[string]any, above []string) {
	above = append(slices.Clip(above), rulesOf(node)...)
	required, _ := node["required"].([]any)
	properties, _ := node["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		child, ok := properties[name].(map[string]any)
		if !ok {
			continue
		}
		below := at.Child("properties").Key(name)
		p.removableFields(d, below, child, above)
		named := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`)
		i := slices.IndexFunc(rulesOf(child), lint.KeepsValue.MatchString)
		if i < 0 || slices.Contains(required, any(name)) || child["default"] != nil || slices.ContainsFunc(above, named.MatchString) {
			continue
		}
		rule := below.Child("x-kubernetes-validations").Index(i)
		path, severity := rule.Child("rule").String(), diag.Info
		if message, _ := rule.Child("message").Get(d.Value); saysImmutable.MatchString(fmt.Sprint(message)) {
			severity = diag.Warning
		}
		found := diag.Diagnostic{Code: codes.RuleWithoutValue, Severity: severity, Text: d.Text, Span: d.Locate(path), Path: path, Document: d.Kind + "/" + d.Name,
			Summary: name + " may be removed and then set to another value: the rule is evaluated only where it has a value before and after",
			Detail:  "A rule of the parent sees the field go. Or make it required."}
		field, nameable := apiservercel.Escape(name)
		item := "{rule: " + scenario.Quoted("!has(oldSelf."+field+") || has(self."+field+")") + ", message: " + scenario.Scalar(name+" cannot be removed") + "}"
		list := at.Child("x-kubernetes-validations").String()
		edit, ok := d.Insert(at.String(), "x-kubernetes-validations", "["+item+"]")
		if n := len(rulesOf(node)); n > 0 {
			edit, ok = d.Append(list, n, item)
		}
		if ok && nameable {
			found.Fixes = []diag.Fix{{Title: "Forbid removing it: add a rule to its parent", Edits: []diag.Edit{edit}}}
		}
		p.diagnose([]diag.Diagnostic{found})
	}
}

// rulesOf are the texts of a node's rules.
func rulesOf(node map[string]any) (out []string) {
	rules, _ := node["x-kubernetes-validations"].([]any)
	for _, value := range rules {
		rule, _ := value.(map[string]any)
		text, _ := rule["rule"].(string)
		out = append(out, text)
	}
	return out
}

// removable reports such rules of all versions that a definition serves.
func (p *clusterReader) removable(d *scenario.Document) {
	list := fieldpath.As[[]any](fieldpath.New("spec", "versions").Get(d.Value))
	for i, version := range list {
		at := fieldpath.New("spec", "versions").Index(i).Child("schema").Child("openAPIV3Schema")
		schema, _ := fieldpath.New("schema", "openAPIV3Schema").Get(version)
		served, _ := fieldpath.New("served").Get(version)
		if node, ok := schema.(map[string]any); ok && served == true {
			p.removableFields(d, at, node, nil)
		}
	}
}
