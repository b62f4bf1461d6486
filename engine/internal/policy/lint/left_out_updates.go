package lint

import (
	"slices"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// changeable are fields that API validation lets an update change, by the resource; labels and annotations are
// changeable everywhere.
var changeable = map[string][]string{
	"services":                 {"spec.type", "spec.ports", "spec.externalIPs", "spec.externalName", "spec.loadBalancerSourceRanges", "spec.externalTrafficPolicy", "spec.selector"},
	"deployments":              {"spec.template."},
	"statefulsets":             {"spec.template."},
	"daemonsets":               {"spec.template."},
	"cronjobs":                 {"spec."},
	"ingresses":                {"spec."},
	"networkpolicies":          {"spec."},
	"horizontalpodautoscalers": {"spec."},
	"poddisruptionbudgets":     {"spec."},
	"configmaps":               {"data"},
	"roles":                    {"rules"},
	"clusterroles":             {"rules"},
	"rolebindings":             {"subjects"},
	"clusterrolebindings":      {"subjects"},
	"namespaces":               {},
}

// saysCreation are words of a policy about the creation of objects alone.
var saysCreation = lazy.Regexp{Text: `(?i)creat|\bnew\b|initial`}

// leftOutUpdates finds validations of fields that an update may change, where no policy matches updates.
func leftOutUpdates(p *policy) {
	if p.webhook || saysCreation.MatchString(p.document.Name) || len(p.bindings) > 0 && !slices.ContainsFunc(p.bindings, binding.denies) {
		return
	}
	targets := p.targets(p.match.ResourceRules)
	for _, t := range targets {
		if t.operation != "CREATE" || t.resource == nil || !t.resource.Builtin || t.sub != "" || changeable[t.resource.GVR.Resource] == nil {
			return
		}
		t.operation = "UPDATE"
		if slices.ContainsFunc(p.all, func(o *policy) bool { return p.matchedBy(t, o.match.ResourceRules) }) {
			return
		}
	}
	for _, v := range p.validations {
		field := p.changed(v, targets)
		if field == "" {
			continue
		}
		at := p.matchField + fieldpath.Item(p.rulesField, 0) + ".operations"
		out := p.report(p.document, codes.UpdateLeftOut, diag.Info, at, "an update may change "+field+" afterwards, and is not checked", "Match UPDATE, too, unless the validation is about new objects only.")
		fix := diag.Fix{Title: "Match UPDATE, too"}
		for i, r := range p.match.ResourceRules {
			e, ok := p.document.Append(p.matchField+fieldpath.Item(p.rulesField, i)+".operations", len(r.Operations), string(v1.Update))
			if !ok {
				return
			}
			fix.Edits = append(fix.Edits, e)
		}
		if out.Code != "" {
			out.Fixes = []diag.Fix{fix}
		}
		return
	}
}

// changed is a field of the spec that a validation reads where an update may change all that it reads of an object;
// empty if not.
func (p *policy) changed(v validation, targets []target) (field string) {
	message := v.message
	if v.messageExpression != nil {
		message += v.messageExpression.text
	}
	if v.read == nil || saysCreation.MatchString(message) || slices.ContainsFunc(p.reads(v.read), func(name string) bool { return name == "request" || name == "oldObject" || name == "authorizer" }) {
		return ""
	}
	for _, path := range p.paths(v.read) {
		path = strings.ReplaceAll(strings.ReplaceAll(path, "has ", ""), ".*", "")
		path, ok := strings.CutPrefix(path, "object.")
		if !ok {
			continue
		}
		all, above := true, true
		for _, t := range targets {
			list := append([]string{"metadata.labels", "metadata.annotations"}, changeable[t.resource.GVR.Resource]...)
			all = all && slices.ContainsFunc(list, func(prefix string) bool { return strings.HasPrefix(path+".", prefix) })
			above = above && slices.ContainsFunc(list, func(prefix string) bool { return strings.HasPrefix(prefix, path) })
		}
		switch {
		case all && strings.HasPrefix(path, "metadata."): // to demand labels of new objects only is usual
		case all:
			field = path
		case !above:
			return ""
		}
	}
	return field
}
