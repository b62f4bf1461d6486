package documents

import (
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/configuration"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/scenario"
)

// AddBinding offers a binding for a policy that has none, a new document at the
// end of the policy's own. params says that the policy has a paramKind.
func (m Document) AddBinding(params bool) []diag.Fix {
	if m.Kind == configuration.MutatingAdmissionPolicy {
		return m.newBinding("Add a binding", params, "")
	}
	var fixes []diag.Fix
	for _, action := range []struct{ does, name string }{{"denies", "Deny"}, {"warns", "Warn"}, {"audits", "Audit"}} {
		fixes = append(fixes, m.newBinding("Add a binding that "+action.does, params, "  validationActions: ["+action.name+"]\n")...)
	}
	return fixes
}

func (m Document) newBinding(title string, params bool, actions string) []diag.Fix {
	d := m.Document
	if d.FromList || d.IsJSON() {
		return nil
	}
	newest := version.NewestAPI(d.Kind+"Binding", m.in.Version)
	if _, given, ok := strings.Cut(d.APIVersion, "/"); ok {
		newest = given
	}
	text := fmt.Sprintf("---\napiVersion: %s/%s\nkind: %sBinding\nmetadata:\n  name: %s-binding\nspec:\n  policyName: %s\n%s", configuration.Group, newest, d.Kind, d.Name, d.Name, actions)
	if params && ReadsParams(d.Value) {
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

// A Policy is what repairs of a binding need of a policy: Bound says that a binding names it.
type Policy struct {
	Kind, Name string
	Bound      bool
}

// PolicyName returns the policy that a binding to an unknown one is probably for, and the fix: the
// policy with this name and of the other kind, one with a similar name, or the only one that no binding
// names. The kind and name are those that the binding gives.
func (m Document) PolicyName(kind, name string, all []Policy) (meant Policy, fixes []diag.Fix) {
	var names, unbound []string
	for _, policy := range all {
		switch {
		case policy.Kind != kind && policy.Name == name:
			return policy, m.otherBinding(policy.Kind)
		case policy.Kind != kind:
			continue
		case !policy.Bound:
			unbound = append(unbound, policy.Name)
		}
		names = append(names, policy.Name)
	}
	best, ok := suggest.Of(names, name)
	if !ok && len(unbound) == 1 {
		best, ok = unbound[0], true
	}
	if !ok {
		return Policy{}, nil
	}
	return Policy{Kind: kind, Name: best}, Fix("Change to "+best, m.ToRewrite("spec.policyName", scenario.Scalar(best)))
}

// otherBinding makes a binding one for the other kind of policy.
func (m Document) otherBinding(policyKind string) []diag.Fix {
	edits := []Edit{m.ToRewrite("kind", policyKind+"Binding")}
	if api := version.NewestAPI(policyKind+"Binding", m.in.Version); api != "" && m.APIVersion != configuration.Group+"/"+api {
		edits = append(edits, m.ToRewrite("apiVersion", configuration.Group+"/"+api))
	}
	if policyKind == configuration.MutatingAdmissionPolicy && m.Has("spec.validationActions") {
		edits = append(edits, m.ToRemove("spec.validationActions"))
	}
	if policyKind == configuration.ValidatingAdmissionPolicy && !m.Has("spec.validationActions") {
		edits = append(edits, m.ToInsert("spec", "validationActions", "[Deny]"))
	}
	return Fix("Change to "+policyKind+"Binding", edits...)
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

// NewVersions is newVersion for a document and for the others of the texts that have
// the same version, which the server does not serve for them either.
func (m Document) NewVersions(newest string) []diag.Fix {
	fixes := m.newVersion(configuration.Group + "/" + newest)
	if len(fixes) == 0 {
		return nil
	}
	others := 0
	for _, d := range m.in.Documents {
		if d == m.Document || d.APIVersion != m.APIVersion || configuration.Resources[d.Kind] == "" || version.NewestAPI(d.Kind, m.in.Version) != newest {
			continue
		}
		if _, name, _ := strings.Cut(d.APIVersion, "/"); configuration.Available(d.Kind, name, m.in.Version, m.in.RuntimeConfig) != configuration.NotServed {
			continue
		}
		if more := (Document{d, m.in}).newVersion(configuration.Group + "/" + newest); len(more) > 0 {
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
func (m Document) newVersion(to string) []diag.Fix {
	old := m.APIVersion
	title := "Change to " + to
	edits := []Edit{m.ToRewrite("apiVersion", to)}
	webhooks, _ := m.value("webhooks").([]any)
	if old != configuration.Group+"/v1beta1" && old != configuration.Group+"/v1alpha1" || len(webhooks) == 0 {
		return Fix(title, edits...)
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
			edits = append(edits, m.ToRewrite(parent+".sideEffects", "None"))
		}
	}
	if len(edits) > 1 {
		title += " and write the former default"
	}
	return Fix(title, edits...)
}

// fields adds several fields to one mapping, nil when there are none.
func (m Document) fields(parent string, list []string) Edit {
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
