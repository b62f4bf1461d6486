package documents

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/configuration"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
	"github.com/preadmit/preadmit/engine/scenario"
)

// meanings are values that look like none of those that are allowed, with the
// one that means the same. The first part of a key is the field.
var meanings = map[string]string{
	"operations/PATCH": "UPDATE", "operations/MODIFY": "UPDATE", "operations/UPDATES": "UPDATE", "operations/POST": "CREATE",
	"operations/PUT": "UPDATE", "operations/ADD": "CREATE", "operations/REMOVE": "DELETE", "operations/ALL": "*", "operations/CREATES": "CREATE",
	"operations/EXEC": "CONNECT", "operations/PROXY": "CONNECT", "operations/INSERT": "CREATE", "operations/NEW": "CREATE", "operations/UPSERT": "CREATE",
	"operations/EDIT": "UPDATE", "operations/CHANGE": "UPDATE", "operations/REPLACE": "UPDATE", "operations/WRITE": "UPDATE", "operations/SET": "UPDATE",
	"operations/DROP": "DELETE", "operations/DESTROY": "DELETE", "operations/RM": "DELETE", "operations/DELETECOLLECTION": "DELETE", "operations/ANY": "*",
	"sideEffects/SOME": "NoneOnDryRun", "sideEffects/UNKNOWN": "None", "sideEffects/NO": "None", "sideEffects/FALSE": "None",
	"validationActions/ENFORCE": "Deny", "validationActions/BLOCK": "Deny", "validationActions/REJECT": "Deny", "validationActions/FAIL": "Deny",
	"validationActions/DENIED": "Deny", "validationActions/DENIES": "Deny", "validationActions/AUDITED": "Audit", "validationActions/WARNED": "Warn", "validationActions/WARNING": "Warn", "validationActions/LOG": "Audit", "validationActions/DRYRUN": "Audit",
	"failurePolicy/DENY": "Fail", "failurePolicy/FAILED": "Fail", "failurePolicy/CLOSED": "Fail", "failurePolicy/FAILCLOSED": "Fail",
	"failurePolicy/ALLOW": "Ignore", "failurePolicy/OPEN": "Ignore", "failurePolicy/FAILOPEN": "Ignore", "failurePolicy/WARN": "Ignore",
	"parameterNotFoundAction/FAIL": "Deny", "parameterNotFoundAction/IGNORE": "Allow", "parameterNotFoundAction/SKIP": "Allow",
	"reinvocationPolicy/ALWAYS": "IfNeeded", "reinvocationPolicy/ONCE": "Never",
	"patchType/APPLY": "ApplyConfiguration", "patchType/SERVERSIDEAPPLY": "ApplyConfiguration", "patchType/MERGE": "ApplyConfiguration",
	"patchType/MERGEPATCH": "ApplyConfiguration", "patchType/STRATEGICMERGEPATCH": "ApplyConfiguration", "patchType/STRATEGICMERGE": "ApplyConfiguration", "patchType/STRATEGIC": "ApplyConfiguration",
	"patchType/SSA": "ApplyConfiguration", "patchType/JSON6902": "JSONPatch", "patchType/JSONPATCHES6902": "JSONPatch", "patchType/RFC6902": "JSONPatch", "patchType/JSONMERGE": "ApplyConfiguration", "patchType/JSON": "JSONPatch",
	"matchPolicy/EQUAL": "Exact", "matchPolicy/STRICT": "Exact",
	"scope/NAMESPACE": "Namespaced", "scope/CLUSTERWIDE": "Cluster", "scope/ALL": "*",
	"reason/DENIED": "Forbidden", "reason/FORBIDDEN": "Forbidden", "reason/BADREQUEST": "Invalid", "reason/UNAUTHORIZED": "Forbidden",
	"operator/EQUALS": "In", "operator/EQUAL": "In", "operator/=": "In", "operator/==": "In", "operator/!=": "NotIn",
	"operator/NOTEQUALS": "NotIn", "operator/NOTEQUAL": "NotIn", "operator/NOT": "NotIn", "operator/EXCLUDES": "NotIn", "operator/NOTEXISTS": "DoesNotExist",
}

// unsupported finds the allowed value that a value probably means.
func (m Document) unsupported(path, got string, options []string) []diag.Fix {
	if strings.Contains(path, "operations") && got == "DELETE" && !slices.Contains(options, "DELETE") {
		return m.withoutItem(path)
	}
	if before, _, comment := strings.Cut(got, " //"); comment && slices.Contains(options, strings.TrimSpace(before)) {
		value, _ := m.Shifted(path, 0)
		return Fix("Write the comment with #", m.ToRewrite(path, strings.Replace(value, "//", "#", 1)))
	}
	if steps := fieldpath.Parse(path); steps.Last() == "reason" && strings.Contains(strings.TrimSpace(got), " ") && !m.Has(steps.Parent().Child("message").String()) {
		return Fix("Change to message", m.ToRename(path, "message")) // a sentence is what the client is to read
	}
	if words := strings.FieldsFunc(got, func(r rune) bool { return strings.ContainsRune(", |/", r) }); len(words) > 1 {
		return m.split(path, words, options)
	}
	if best := m.allowed(path, got, options); best == "NoneOnDryRun" && got == "Some" || best == "None" && got == "Unknown" {
		return append(m.allowedItems(path, "None", options), m.allowedItems(path, "NoneOnDryRun", options)...) // only its author knows
	} else if best != "" {
		if slices.Contains(m.siblings(path), best) {
			return m.withoutItem(path)
		}
		return m.allowedItems(path, best, options)
	}
	if fieldpath.Parse(path).Last() == "reason" && slices.Contains(options, "Invalid") {
		return append(m.allowedItems(path, "Forbidden", options), m.allowedItems(path, "Invalid", options)...) // Invalid is as without any
	}
	return nil
}

// allowedItems changes a value and, if it is an item of a list, the others that
// are not allowed either.
func (m Document) allowedItems(path, best string, options []string) []diag.Fix {
	steps := fieldpath.Parse(path)
	words := []string{best}
	edits := []Edit{m.ToRewrite(path, scenario.Scalar(best))}
	if steps[len(steps)-1].IsIndex() {
		for i, item := range m.siblings(path) {
			at := steps.Parent().Index(i).String()
			other := m.allowed(at, item, options)
			if at != path && !slices.Contains(options, item) && other != "" {
				words, edits = append(words, other), append(edits, m.ToRewrite(at, scenario.Scalar(other)))
			}
		}
	}
	return Fix("Change to "+strings.Join(words, ", "), edits...)
}

// allowed is the option that a value means, empty if it is none.
func (m Document) allowed(path, got string, options []string) string {
	steps := fieldpath.Parse(path)
	name := steps.Last()
	if len(steps) > 1 && steps[len(steps)-1].IsIndex() {
		name = steps.Parent().Last()
	}
	for _, option := range options {
		if strings.EqualFold(option, got) {
			return option
		}
	}
	if best := meanings[name+"/"+strings.ToUpper(strings.ReplaceAll(got, " ", ""))]; slices.Contains(options, best) {
		return best
	}
	best, _ := suggest.Of(options, got)
	return best
}

// split divides an item of a list that holds several words.
func (m Document) split(path string, words, options []string) []diag.Fix {
	steps := fieldpath.Parse(path)
	if len(steps) == 0 || !steps[len(steps)-1].IsIndex() {
		return nil
	}
	list := steps.Parent().String()
	items, _ := m.value(list).([]any)
	if len(items) > 1 {
		return nil
	}
	var out []string
	for _, w := range words {
		best := w
		if !slices.Contains(options, w) {
			best = m.allowed(path, w, options)
		}
		if best == "" {
			return nil
		}
		out = append(out, scenario.Scalar(best))
	}
	value := "[" + strings.Join(out, ", ") + "]"
	return Fix("Change to "+value, m.ToRewrite(list, value))
}

// siblings are the texts of the list that has the item at path.
func (m Document) siblings(path string) []string {
	steps := fieldpath.Parse(path)
	return untyped.Strings(m.value(steps.Parent().String()))
}

// withoutItem takes an item out of a list that has others.
func (m Document) withoutItem(path string) []diag.Fix {
	return Fix("Remove "+firstLine(fmt.Sprint(m.value(path))), m.ToRemove(path))
}

// duplicate repairs a value that is there twice: a word is removed, the name of
// something else gets a number.
func (m Document) duplicate(path string) []diag.Fix {
	steps := fieldpath.Parse(path)
	if steps[len(steps)-1].IsIndex() {
		return m.withoutItem(path)
	}
	name := m.text(path)
	if name == "" {
		return nil
	}
	head, tail, dot := strings.Cut(name, ".")
	if dot {
		tail = "." + tail
	}
	return Fix("Change to "+head+"-2"+tail, m.ToRewrite(path, head+"-2"+tail))
}

// conflictingActions keeps one of Deny and Warn: who denies has warned.
func (m Document) conflictingActions(path string) []diag.Fix {
	items := m.siblings(path + "[0]")
	var fixes []diag.Fix
	for _, name := range []string{"Warn", "Deny"} {
		if i := slices.Index(items, name); i >= 0 {
			fixes = append(fixes, Fix("Remove "+name, m.ToRemove(fmt.Sprintf("%s[%d]", path, i)))...)
		}
	}
	return fixes
}

var notInName = lazy.Regexp{Text: `[^a-z0-9.-]+`}

// wordBoundary is where a word begins in a name such as noRootUser.
var wordBoundary = lazy.Regexp{Text: `([a-z0-9])([A-Z])`}

// invalidName writes a name with the characters that are allowed in one, and
// changes the bindings of a policy with it.
func (m Document) invalidName(path string) []diag.Fix {
	old := m.text(path)
	name := old
	if example := exampleInPlaceholder.FindStringSubmatch(old); example != nil {
		name = example[1]
	}
	if path == "spec.policyName" { // policies have no namespace to be found in
		if i := strings.LastIndexByte(old, '/'); i >= 0 {
			name = old[i+1:]
		}
	}
	name = wordBoundary.ReplaceAllString(name, "$1-$2")
	name = notInName.ReplaceAllString(strings.ToLower(strings.TrimSpace(name)), "-")
	if !strings.Contains(path, "auditAnnotations") {
		name = strings.Trim(besideDots.ReplaceAllString(name, "."), "-.")
	}
	if strings.HasPrefix(path, "webhooks[") {
		name = qualified(name, 0)
	}
	if name == "" || name == old || len(name) > 253 {
		return nil
	}
	fixes := Fix("Change to "+name, m.ToRewrite(path, scenario.Scalar(name)))
	if len(fixes) == 0 || path != "metadata.name" {
		return fixes
	}
	for _, d := range m.in.Documents {
		if d.Kind == m.Kind+"Binding" && (Document{d, m.in}).text("spec.policyName") == old {
			if e, ok := d.Rewrite("spec.policyName", name); ok {
				fixes[0].Edits = append(fixes[0].Edits, e)
			}
		}
	}
	return fixes
}

// exampleInPlaceholder is what a placeholder of a document gives as an example: <webhook name, e.g., a.example.com>.
var exampleInPlaceholder = lazy.Regexp{Text: `^<.*\be\.g\.,?\s*([^\s>]+)>$`}

// besideDots are dots with what no part of a name begins or ends with.
var besideDots = lazy.Regexp{Text: `-*\.[-.]*`}

var notInIdentifier = lazy.Regexp{Text: `[^A-Za-z0-9_]+(.?)`}

// invalidVariable writes the name of a variable as an identifier, in its uses
// too.
func (m Document) invalidVariable(path string) []diag.Fix {
	old := m.text(path)
	name := notInIdentifier.ReplaceAllStringFunc(strings.TrimPrefix(old, "variables."), func(s string) string {
		return strings.ToUpper(s[len(s)-1:])
	})
	name = strings.TrimRight(name, "-. ")
	if name == "" || name == old || name[0] >= '0' && name[0] <= '9' {
		return nil
	}
	fixes := Fix("Change to "+name, m.ToRewrite(path, name))
	if len(fixes) == 0 || old == "variables."+name {
		return fixes
	}
	use := "variables." + old
	for at := m.Span.Start; ; {
		i := strings.Index(m.Source()[at:m.Span.End], use)
		if i < 0 {
			return fixes
		}
		from := at + i
		at = from + len(use)
		fixes[0].Edits = append(fixes[0].Edits, diag.Edit{Text: m.Document.Text, Span: diag.Span{Start: from, End: at}, New: "variables." + name})
	}
}

// invalidRule leaves a wildcard alone.
func (m Document) invalidRule(path string) []diag.Fix {
	items, _ := m.value(path).([]any)
	for _, all := range []string{"*/*", "*"} {
		if slices.Contains(items, any(all)) {
			value := "[" + scenario.Quoted(all) + "]"
			return Fix("Change to "+value, m.ToRewrite(path, value))
		}
	}
	if m.text(path) != "" && strings.HasPrefix(fieldpath.Parse(path).Parent().Last(), "resources") {
		return m.withoutItem(path)
	}
	return nil
}

// invalidParamRef keeps one of name and selector, and divides a name with a namespace.
func (m Document) invalidParamRef(path string) []diag.Fix {
	parent := fieldpath.Parse(path).Parent().String()
	if namespace, name, both := strings.Cut(m.text(parent+".name"), "/"); both && m.Has(parent+".namespace") {
		return Fix("Change to "+name, m.ToRewrite(parent+".name", name))
	} else if both {
		return Fix("Write namespace and name", m.ToRewrite(parent+".name", name), m.ToInsert(parent, "namespace", namespace))
	}
	if m.Has(parent+".name") && m.Has(parent+".selector") {
		return append(Fix("Remove selector", m.ToRemove(parent+".selector")), Fix("Remove name", m.ToRemove(parent+".name"))...)
	}
	return nil
}

// invalidParamKind divides what is written as apiVersion into its parts.
func (m Document) invalidParamKind(path string) []diag.Fix {
	parent := fieldpath.Parse(path).Parent().String()
	parts := strings.FieldsFunc(m.text(path), func(r rune) bool { return r == '/' || r == ' ' })
	if strings.HasSuffix(path, ".kind") {
		kind := strings.Trim(m.text(path), " ")
		if plural := strings.NewReplacer(" ", "", "-", "", "_", "", ".", "").Replace(kind); plural != kind {
			return Fix("Change to "+plural, m.ToRewrite(path, plural))
		}
		return nil
	}
	if kind := m.text(parent + ".kind"); IsVersion(kind[strings.LastIndexByte(kind, '/')+1:]) && len(parts) == 1 && !IsVersion(parts[0]) {
		return Fix("Swap apiVersion and kind", m.ToRewrite(path, kind), m.ToRewrite(parent+".kind", parts[0]))
	}
	switch {
	case len(parts) == 3:
		return Fix(fmt.Sprintf("Change to %s/%s", parts[0], parts[1]), m.ToRewrite(path, parts[0]+"/"+parts[1]), m.set(parent+".kind", parts[2]))
	case len(parts) == 1 && strings.Contains(parts[0], "."):
		return Fix(fmt.Sprintf("Change to %s/v1", parts[0]), m.ToRewrite(path, parts[0]+"/v1"))
	}
	return nil
}

func (m Document) invalidTimeout(path string) []diag.Fix {
	value := "30"
	if n, ok := m.value(path).(int64); ok && n < 1 {
		value = "1"
	}
	return Fix("Change to "+value, m.ToRewrite(path, value))
}

// invalidMessage writes a message on one line, or takes an empty one out.
func (m Document) invalidMessage(path string) []diag.Fix {
	words := strings.Join(strings.Fields(m.text(path)), " ")
	if words == "" {
		return Fix("Remove it", m.ToRemove(path))
	}
	return Fix("Write it on one line", m.ToRewrite(path, scenario.Quoted(words)))
}

// invalidSelector repairs an operator with values that it does not take.
func (m Document) invalidSelector(path string) []diag.Fix {
	steps := fieldpath.Parse(path)
	parent := steps.Parent().String()
	switch steps.Last() {
	case "operator":
		if best := m.allowed(path, m.text(path), []string{"In", "NotIn", "Exists", "DoesNotExist"}); best != "" {
			return Fix("Change to "+best, m.ToRewrite(path, best))
		}
	case "values":
		if other := m.text(parent + ".value"); other != "" && !m.Has(path) {
			return Fix("Change to values", m.ToRename(parent+".value", "values"), m.ToRewrite(parent+".value", "["+scenario.Scalar(other)+"]"))
		}
		// One with values asks for them, and is wider without.
		if with := map[string]string{"Exists": "In", "DoesNotExist": "NotIn"}[m.text(parent+".operator")]; with != "" {
			fixes := append(Fix("Change to "+with, m.ToRewrite(parent+".operator", with)), Fix("Remove values", m.ToRemove(path))...)
			if values := m.siblings(path + "[0]"); len(values) == 1 && slices.Contains([]string{"", "true", "*"}, values[0]) {
				slices.Reverse(fixes) // which says no more than that it is there
			}
			return fixes
		}
	}
	return nil
}

var urlScheme = lazy.Regexp{Text: `^[A-Za-z][A-Za-z0-9+.-]*://`}

// webhookURL writes a URL that the server takes: https, a host and a path.
func (m Document) webhookURL(path string) []diag.Fix {
	old := m.text(path)
	rest := strings.TrimLeft(urlScheme.ReplaceAllString(strings.TrimSpace(old), ""), "/")
	rest, _, _ = strings.Cut(rest, "#")
	rest, _, _ = strings.Cut(rest, "?")
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		rest = rest[i+1:]
	}
	if rest == "" || strings.ContainsAny(rest, " <>{}") || old == "https://"+rest {
		return nil
	}
	return Fix("Change to https://"+rest, m.ToRewrite(path, scenario.Quoted("https://"+rest)))
}

// webhookService repairs the port and the path of a service.
func (m Document) webhookService(path string) []diag.Fix {
	if strings.HasSuffix(path, ".port") {
		return Fix("Change to 443", m.ToRewrite(path, "443"))
	}
	var parts []string
	for _, part := range strings.Split(strings.ToLower(m.text(path)), "/") {
		if part = strings.Trim(notInName.ReplaceAllString(part, "-"), "-."); part != "" {
			parts = append(parts, part)
		}
	}
	value := "/" + strings.Join(parts, "/")
	if value == m.text(path) {
		return nil
	}
	return Fix("Change to "+value, m.ToRewrite(path, value))
}

// mutationBody changes the type of a mutation to the body that it has, or takes
// out the other one.
func (m Document) mutationBody(path string) []diag.Fix {
	parent := fieldpath.Parse(path).Parent().String()
	for kind, body := range configuration.BodyFields {
		if strings.HasSuffix(path, body) && !m.Has(parent+"."+configuration.BodyFields[configuration.OtherPatch(kind)]) {
			return Fix("Change patchType to "+string(kind), m.ToRewrite(parent+".patchType", string(kind)))
		}
	}
	return Fix("Remove "+fieldpath.Parse(path).Last(), m.ToRemove(path))
}

// caBundle repairs what is no base64: PEM is encoded, a placeholder is taken out.
// Preadmit calls no webhook, and a server without a bundle uses its own roots.
func (m Document) caBundle(path string) []diag.Fix {
	if text := m.text(path); strings.HasPrefix(text, "-----BEGIN") {
		return Fix("Write it as base64", m.ToRewrite(path, base64.StdEncoding.EncodeToString([]byte(text))))
	}
	return Fix("Remove the placeholder", m.ToRemove(path))
}
