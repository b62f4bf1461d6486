package documents

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/configuration"
	"github.com/preadmit/preadmit/engine/internal/repair/expressions"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/scenario"
)

// usual are the values that fields without a default usually have. Of several,
// the first is the likeliest.
var usual = map[string][]string{
	"sideEffects":             {"None", "NoneOnDryRun"},
	"admissionReviewVersions": {"[v1]"},
	"parameterNotFoundAction": {"Deny", "Allow"},
	"reinvocationPolicy":      {"Never", "IfNeeded"},
	"validationActions":       {"[Deny]", "[Warn]", "[Audit]"},
	"operations":              {"[CREATE, UPDATE]", "['*']"},
	"failurePolicy":           {"Fail"},
	"matchPolicy":             {"Equivalent"},
	"clientConfig":            {"{service: {name: webhook, namespace: default}}"},
	"namespaceSelector":       {"{}"},
	"objectSelector":          {"{}"},
}

// required finds what a missing field probably should have.
func (m Document) required(path string, options []string) []diag.Fix {
	if fixes := m.tagged(path); fixes != nil {
		return fixes
	}
	if fixes := m.asBinding(); fixes != nil || m.setBefore(path) {
		return fixes
	}
	steps := fieldpath.Parse(path)
	name := steps.Last()
	if fixes := m.splitItem(steps); fixes != nil {
		return fixes
	}
	if steps[len(steps)-1].IsIndex() {
		return m.swappedVersion(steps)
	}
	if strings.HasSuffix(path, ".values") && strings.Contains(path, "matchExpressions") {
		return nil // what values are meant, only the writer knows
	}
	values := usual[name]
	switch name {
	case "patchType":
		values = m.patchTypes(steps.Parent().String())
	case "policyName":
		values = m.policyNames()
	case "name":
		values = m.names(steps)
	case "apiGroups", "apiVersions", "resources":
		values = m.ruleValues(steps)
	case "resourceRules":
		values = m.rules(m.Brackets(steps.Parent().String()))
	case "matchConstraints":
		return m.matchConstraints(path)
	case "clientConfig", "service", "namespace":
		return m.webhookTarget(steps)
	case "applyConfiguration", "jsonPatch":
		return m.bodyOf(steps)
	case "validationActions":
		if policy := m.text("spec.policyName"); m.Kind == configuration.ValidatingAdmissionPolicyBinding && m.in.named(configuration.MutatingAdmissionPolicy, policy) && !m.in.named(configuration.ValidatingAdmissionPolicy, policy) {
			return m.otherBinding(configuration.MutatingAdmissionPolicy)
		}
	case "validations", "mutations":
		return m.firstRule(path)
	case "expression":
		return m.bodyAsExpression(steps.Parent().String())
	case "paramRef":
		return m.add(path, []string{"selector: {}"}, true)
	}
	if len(values) == 0 && name != "expression" {
		values = options
	}
	fixes := m.add(path, values, false)
	if path == "metadata.name" && slices.Equal(values, exampleName) {
		for i := range fixes {
			fixes[i].Draft = true // nothing says what it is called
		}
	}
	return fixes
}

// exampleName is the name of an object that no other object refers to.
var exampleName = []string{"example"}

// add offers to write a field with each of some values; within says that the
// values are fields of the field, which is there.
func (m Document) add(path string, values []string, within bool) []diag.Fix {
	var fixes []diag.Fix
	for _, v := range values {
		if within {
			name, value, _ := strings.Cut(v, ": ")
			fixes = append(fixes, Fix("Add "+v, m.ToInsert(path, name, value))...)
			continue
		}
		title := fmt.Sprintf("Add %s: %s", fieldpath.Parse(path).Last(), firstLine(v))
		fixes = append(fixes, Fix(title, m.set(path, v))...)
	}
	return fixes
}

func firstLine(text string) string {
	line, rest, _ := strings.Cut(strings.TrimLeft(text, "\n"), "\n")
	if rest != "" {
		return strings.TrimSpace(line) + " ..."
	}
	return line
}

// tagged repairs an expression that begins with ! and has no quotes: YAML reads
// its first word as a tag.
func (m Document) tagged(path string) []diag.Fix {
	if !m.Has(path) {
		return nil
	}
	key := m.LocateKey(path)
	line, _, _ := strings.Cut(m.Source()[key.End:], "\n")
	rest, ok := strings.CutPrefix(line, ":")
	start := len(rest) - len(strings.TrimLeft(rest, " "))
	value := strings.TrimRight(rest[start:], " \r")
	if !ok || !strings.HasPrefix(value, "!") || m.Brackets(path) {
		return nil
	}
	from := key.End + 1 + start
	return []diag.Fix{{Title: "Put the expression in quotes", Edits: []diag.Edit{{
		Text: m.Document.Text, Span: diag.Span{Start: from, End: from + len(value)}, New: scenario.Quoted(value),
	}}}}
}

// patchTypes is the type that belongs to the body that a mutation has.
func (m Document) patchTypes(mutation string) []string {
	for kind, body := range configuration.BodyFields {
		if m.Has(mutation + "." + body) {
			return []string{string(kind)}
		}
	}
	return nil
}

// bodyOf changes the type of a mutation to the body that it has.
func (m Document) bodyOf(path fieldpath.Path) []diag.Fix {
	mutation := path.Parent()
	for kind, body := range configuration.BodyFields {
		if body != path.Last() && m.Has(mutation.Child(body).String()) {
			// What the expression makes tells which of the two is wrong.
			if makes := m.text(mutation.Child(body, "expression").String()); strings.Contains(makes, "JSONPatch{") == (path.Last() == configuration.BodyFields[v1.PatchTypeJSONPatch]) && makes != "" {
				return Fix("Change to "+path.Last(), m.ToRename(mutation.Child(body).String(), path.Last()))
			}
			return Fix("Change patchType to "+string(kind), m.ToRewrite(mutation.Child("patchType").String(), string(kind)))
		}
	}
	return nil
}

// policyNames are the policies of the text that the binding may be for.
func (m Document) policyNames() []string {
	kind := strings.TrimSuffix(m.Kind, "Binding")
	var names []string
	for _, d := range m.in.Documents {
		if d.Kind == kind && d.Name != "" {
			names = append(names, d.Name)
		}
	}
	if len(names) != 1 {
		return nil
	}
	return names
}

// names proposes the name of an object, a condition, a variable or a webhook.
func (m Document) names(path fieldpath.Path) []string {
	parent := path.Parent()
	if parent.String() == "metadata" {
		return m.objectNames()
	}
	if len(parent) < 2 {
		return nil
	}
	list, number := parent.Parent().Last(), parent.Last()
	var n int
	if _, err := fmt.Sscan(number, &n); err != nil {
		return nil
	}
	switch list {
	case "matchConditions":
		return []string{fmt.Sprintf("condition-%d", n+1)}
	case "webhooks":
		name := m.Name
		if name == "" {
			name = "webhook"
		}
		return []string{qualified(name, n)}
	}
	return nil
}

// objectNames is what a binding or a policy of the text calls the object.
func (m Document) objectNames() []string {
	for _, d := range m.in.Documents {
		other := Document{d, m.in}
		switch {
		case d.Kind == m.Kind+"Binding" && other.text("spec.policyName") != "":
			return []string{other.text("spec.policyName")}
		case d.Kind+"Binding" == m.Kind && d.Name != "":
			return []string{d.Name + "-binding"}
		}
	}
	return exampleName
}

// qualified makes a name with at least three parts, as webhooks need it.
func qualified(name string, n int) string {
	parts := strings.Split(strings.Trim(name, "."), ".")
	if n > 0 {
		parts[0] = fmt.Sprintf("%s-%d", parts[0], n+1)
	}
	switch len(parts) {
	case 1:
		return parts[0] + ".example.com"
	case 2:
		return parts[0] + "." + parts[1] + ".example.com"
	}
	return strings.Join(parts, ".")
}

// webhookTarget says where a webhook is; Preadmit calls none.
func (m Document) webhookTarget(path fieldpath.Path) []diag.Fix {
	switch path.Last() {
	case "namespace":
		return m.add(path.String(), []string{"default"}, false)
	case "clientConfig":
		if !m.Has(path.String()) {
			return m.add(path.String(), usual["clientConfig"], false)
		}
		if m.Has(path.Child("url").String()) && m.Has(path.Child("service").String()) {
			return Fix("Remove service", m.ToRemove(path.Child("service").String()))
		}
		var fields []string // of the service, without it around them
		object, _ := m.value(path.String()).(map[string]any)
		for _, name := range []string{"name", "namespace", "path", "port"} {
			if _, there := object[name]; there {
				fields = append(fields, path.Child(name).String())
			}
		}
		if len(fields) > 0 && !m.IsJSON() && !m.Brackets(path.String()) {
			slices.SortFunc(fields, func(a, b string) int { return m.LocateKey(a).Start - m.LocateKey(b).Start })
			return m.wrapped(path, "service", false, fields, fields[1:])
		}
		return m.add(path.String(), []string{"service: {name: webhook, namespace: default}"}, true)
	}
	return nil
}

// firstRule adds a rule to fill in to a policy that has none. It changes nothing: what
// is to be asked, nobody can guess.
func (m Document) firstRule(path string) []diag.Fix {
	if m.Has(fieldpath.Parse(path).Last()) && !m.Brackets("spec") {
		return nil // it is written beside spec, and moved from there
	}
	value, brackets := "\n- expression: 'true'\n  message: what is wrong", "[{expression: 'true', message: what is wrong}]"
	title := "Add a validation to fill in"
	if strings.HasSuffix(path, "mutations") {
		body := "Object{metadata: Object.metadata{labels: {\"example\": \"value\"}}}"
		value = "\n- patchType: ApplyConfiguration\n  applyConfiguration:\n    expression: '" + body + "'"
		brackets = "[{patchType: ApplyConfiguration, applyConfiguration: {expression: '" + body + "'}}]"
		title = "Add a mutation to fill in"
	}
	if m.Brackets(fieldpath.Parse(path).Parent().String()) || m.Has(path) {
		value = brackets
	}
	fixes := Fix(title, m.set(path, value))
	for i := range fixes {
		fixes[i].Draft = true
	}
	return fixes
}

// bodyAsExpression writes what a mutation has as YAML as the expression of its body.
func (m Document) bodyAsExpression(body string) []diag.Fix {
	object, _ := m.value(body).(map[string]any)
	if len(object) == 0 || object["expression"] != nil {
		return nil
	}
	text := ""
	switch fieldpath.Parse(body).Last() {
	case "jsonPatch":
		text = expressions.Operations([]any{object})
	case "applyConfiguration":
		text = expressions.Literal(object)
	}
	if text == "" || m.IsJSON() {
		return nil
	}
	if m.Brackets(body) {
		return Fix("Write it as an expression", m.ToRewrite(body, "{expression: "+scenario.Quoted(text)+"}"))
	}
	return Fix("Write it as an expression", m.ToRewrite(body, "expression: "+scenario.Quoted(text)))
}

// named reports whether the texts have a document of a kind and name, whether the server
// accepts it or not.
func (in *Set) named(kind, name string) bool {
	return slices.ContainsFunc(in.Documents, func(d *scenario.Document) bool { return d.Kind == kind && d.Name == name && name != "" })
}
