package install

import (
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/scenario"
)

// addBinding offers a binding for a policy that has none, a new document at the
// end of the policy's own.
func (in *installer) addBinding(p policyRef) []diag.Fix {
	if p.kind == MutatingAdmissionPolicy {
		return in.newDocument("Add a binding", p, "")
	}
	var fixes []diag.Fix
	for _, action := range []struct{ does, name string }{{"denies", "Deny"}, {"warns", "Warn"}, {"audits", "Audit"}} {
		fixes = append(fixes, in.newDocument("Add a binding that "+action.does, p, "  validationActions: ["+action.name+"]\n")...)
	}
	return fixes
}

func (in *installer) newDocument(title string, p policyRef, actions string) []diag.Fix {
	d := p.document
	if d.FromList || d.IsJSON() {
		return nil
	}
	newest := version.NewestAPI(p.kind+"Binding", in.version)
	if _, given, ok := strings.Cut(d.APIVersion, "/"); ok {
		newest = given
	}
	text := fmt.Sprintf("---\napiVersion: %s/%s\nkind: %sBinding\nmetadata:\n  name: %s-binding\nspec:\n  policyName: %s\n%s", Group, newest, p.kind, p.name, p.name, actions)
	if p.paramKind != nil && readsParams(d.Value) {
		text += "  paramRef:\n    selector: {}\n    parameterNotFoundAction: Deny\n"
	}
	src := d.Source()
	at := d.Span.End
	if i := strings.IndexByte(src[at:], '\n'); i >= 0 {
		at += i + 1
	} else {
		at, text = len(src), "\n"+text
	}
	return []diag.Fix{{Title: title, Edits: []diag.Edit{{Text: d.Text, Span: diag.Span{Start: at, End: at}, New: text}}}}
}

// refusedBinding says that a binding names a policy, but was rejected itself.
func (in *installer) refusedBinding(p policyRef) bool {
	for _, d := range in.documents {
		if d.Kind == p.kind+"Binding" && strings.Contains(d.Source()[d.Span.Start:d.Span.End], p.name) && in.refused[d.Kind+"/"+d.Name] == d {
			return true
		}
	}
	return false
}

// repairPolicyName finds the policy that a binding is probably for: one with a
// similar name, or the only one that no binding names.
func (in *installer) repairPolicyName(p *diag.Diagnostic, b bindingRef, all map[string]policyRef, bound map[string]bool) {
	m := mender{b.document, in}
	var names, unbound []string
	for _, key := range sortedKeys(all) {
		policy := all[key]
		switch {
		case policy.kind != b.policyKind && policy.name == b.policyName:
			p.Fixes = m.otherBinding(policy.kind)
			m.in.meant[key] = true
			return
		case policy.kind != b.policyKind:
		case !bound[key]:
			unbound = append(unbound, policy.name)
			names = append(names, policy.name)
		default:
			names = append(names, policy.name)
		}
	}
	best, ok := suggest.Of(names, b.policyName)
	if !ok && len(unbound) == 1 {
		best, ok = unbound[0], true
	}
	if ok {
		m.in.meant[b.policyKind+"/"+best] = true
		p.Detail = strings.TrimSpace(fmt.Sprintf("Did you mean %q? %s", best, p.Detail))
		p.Fixes = fixed("Change to "+best, m.rewrite("spec.policyName", scenario.Scalar(best)))
	}
}

// otherBinding makes a binding one for the other kind of policy.
func (m mender) otherBinding(policyKind string) []diag.Fix {
	edits := []func() (diag.Edit, bool){m.rewrite("kind", policyKind+"Binding")}
	if api := version.NewestAPI(policyKind+"Binding", m.in.version); api != "" && m.APIVersion != Group+"/"+api {
		edits = append(edits, m.rewrite("apiVersion", Group+"/"+api))
	}
	if policyKind == MutatingAdmissionPolicy && m.Has("spec.validationActions") {
		edits = append(edits, m.remove("spec.validationActions"))
	}
	if policyKind == ValidatingAdmissionPolicy && !m.Has("spec.validationActions") {
		edits = append(edits, m.insert("spec", "validationActions", "[Deny]"))
	}
	return fixed("Change to "+policyKind+"Binding", edits...)
}

// ParamRef adds a paramRef with the name of a param to a binding, and its namespace unless that is
// empty. Without a name it is for the reader to fill in.
func ParamRef(binding *scenario.Document, name, namespace string) []diag.Fix {
	fields, title := []string{"name: " + scenario.Scalar(name)}, "Add a paramRef for "+name
	const fill = "params"
	if name == "" {
		fields, title = []string{"name: " + fill}, "Add a paramRef with a name to fill in"
	}
	if namespace != "" {
		fields = append(fields, "namespace: "+scenario.Scalar(namespace))
	}
	fields = append(fields, "parameterNotFoundAction: Deny")
	value := "\n  " + strings.Join(fields, "\n  ")
	if binding.Brackets("spec") {
		value = "{" + strings.Join(fields, ", ") + "}"
	}
	edit, ok := binding.Insert("spec", "paramRef", value)
	if !ok {
		return nil
	}
	fix := diag.Fix{Title: title, Edits: []diag.Edit{edit}}
	if at := strings.Index(edit.New, "name: ") + len("name: "); name == "" {
		fix.Draft, fix.Fill = true, &diag.Span{Start: at, End: at + len(fill)}
	}
	return []diag.Fix{fix}
}

// newVersions is newVersion for a document and for the others of the texts that have
// the same version, which the server does not serve for them either.
func (m mender) newVersions(newest string) []diag.Fix {
	fixes := m.newVersion(Group + "/" + newest)
	if len(fixes) == 0 {
		return nil
	}
	others := 0
	for _, d := range m.in.documents {
		if d == m.Document || d.APIVersion != m.APIVersion || resources[d.Kind] == "" || version.NewestAPI(d.Kind, m.in.version) != newest {
			continue
		}
		if _, name, _ := strings.Cut(d.APIVersion, "/"); available(d.Kind, name, m.in.version, m.in.server.RuntimeConfig) != notServed {
			continue
		}
		if more := (mender{d, m.in}).newVersion(Group + "/" + newest); len(more) > 0 {
			fixes[0].Edits = append(fixes[0].Edits, more[0].Edits...)
			others++
		}
	}
	if others > 0 {
		fixes[0].Title += fmt.Sprintf(", in %d documents", others+1)
	}
	return fixes
}

// newVersion writes the current apiVersion and what the old one had by default.
func (m mender) newVersion(to string) []diag.Fix {
	old := m.APIVersion
	title := "Change to " + to
	edits := []func() (diag.Edit, bool){m.rewrite("apiVersion", to)}
	webhooks, _ := m.value("webhooks").([]any)
	if old != Group+"/v1beta1" && old != Group+"/v1alpha1" || len(webhooks) == 0 {
		return fixed(title, edits...)
	}
	for i := range webhooks {
		parent := fmt.Sprintf("webhooks[%d]", i)
		var missing []string
		for _, f := range []struct{ name, value string }{
			{"failurePolicy", "Ignore"}, {"matchPolicy", "Exact"}, {"timeoutSeconds", "30"}, {"sideEffects", "None"}, {"admissionReviewVersions", "[v1, v1beta1]"},
		} {
			if !m.Has(parent + "." + f.name) {
				missing = append(missing, f.name+": "+f.value)
			}
		}
		if e := m.fields(parent, missing); e != nil {
			edits = append(edits, e)
		}
		if s := m.text(parent + ".sideEffects"); s == "Unknown" || s == "Some" {
			edits = append(edits, m.rewrite(parent+".sideEffects", "None"))
		}
	}
	if len(edits) > 1 {
		title += " and write the former default"
	}
	return fixed(title, edits...)
}

// fields adds several fields to one mapping, nil when there are none.
func (m mender) fields(parent string, list []string) func() (diag.Edit, bool) {
	if len(list) == 0 {
		return nil
	}
	return func() (diag.Edit, bool) {
		separator := "\n"
		if m.Brackets(parent) {
			separator = ", "
			if m.IsJSON() {
				return diag.Edit{}, false
			}
		}
		name, value, _ := strings.Cut(strings.Join(list, separator), ": ")
		return m.Insert(parent, name, value)
	}
}

// missingKind names the kind that has the fields of the document.
func (m mender) missingKind() string {
	has := func(path string) bool { return m.Has(path) }
	mutating := has("spec.mutations") || strings.Contains(m.Source()[m.Span.Start:m.Span.End], "reinvocationPolicy")
	switch {
	case has("spec.mutations"):
		return MutatingAdmissionPolicy
	case has("spec.validations"), has("spec.auditAnnotations"):
		return ValidatingAdmissionPolicy
	case has("spec.policyName") && has("spec.validationActions"):
		return ValidatingAdmissionPolicyBinding
	case has("spec.policyName"):
		for _, d := range m.in.documents {
			if d.Name == m.text("spec.policyName") && d.Kind == ValidatingAdmissionPolicy {
				return ValidatingAdmissionPolicyBinding
			}
		}
		return MutatingAdmissionPolicyBinding
	case has("webhooks") && mutating:
		return MutatingWebhookConfiguration
	case has("webhooks"):
		return ValidatingWebhookConfiguration
	}
	return ""
}

// twice numbers the name of a document that is there already, unless both are the
// same: then one is enough.
func (in *installer) twice(d *scenario.Document, name string) []diag.Fix {
	return fixed("Change to "+name+"-2", mender{d, in}.rewrite("metadata.name", name+"-2"))
}
