// Package hints explains, in words of ours, what the API server says about a CEL
// expression that it rejects, wherever the expression stands.
package hints

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/kube/crash"
	"github.com/preadmit/preadmit/engine/internal/lazy"
)

var undeclaredText = lazy.Regexp{Text: `^undeclared reference to '([^']+)'`}

// Undeclared is the name that a compiler message calls undeclared.
func Undeclared(message string) string {
	if m := undeclaredText.FindStringSubmatch(message); m != nil {
		return m[1]
	}
	return ""
}

// Compile explains the compiler's commonest messages by the rules of
// admission: what exists where (semantics §1.2). Empty when there is nothing to
// add.
func Compile(place *model.Place, message string) string {
	if name := Undeclared(message); name != "" {
		return undeclaredHint(place, name)
	}
	switch {
	case eval.Crash(message):
		return crash.Detail + " An optional item of a list, such as [?a], needs an optional value. For a field that may be missing, write [?object.?a]."
	case strings.HasPrefix(message, "undefined field"):
		return undefinedHint(place, message)
	case strings.HasPrefix(message, "expected type '"):
		return "All items of a list or map literal must have one type. Wrap each in dyn(...) to mix types."
	case strings.HasPrefix(message, "found no matching overload for '_") && strings.Contains(message, "optional_type("):
		return "An optional has no operators with values of other types. Read it with .orValue(default)."
	case strings.HasPrefix(message, "found no matching overload for '_+_'"), strings.HasPrefix(message, "found no matching overload for '_==_'"):
		return typesHint(message)
	case strings.HasPrefix(message, "Syntax error") && strings.Contains(message, "input '?'"):
		return "CEL has no ?? and no ?. operator. condition ? a : b chooses between two values, and object.?field.orValue(x) reads a field with a default."
	case strings.HasPrefix(message, "Syntax error") && (strings.Contains(message, "input 'and'") || strings.Contains(message, "input 'or'")):
		return "CEL has no words for these operators. Write && for and, || for or."
	case strings.HasPrefix(message, "invalid argument to has()"):
		return "has() needs a field selection, such as has(object.spec.replicas). For map keys use `'key' in object.data`."
	}
	return ""
}

var operandTypes = lazy.Regexp{Text: `applied to '\((.*)\)'$`}

// typesHint says why an operator does not take two types: most cannot be converted with string(...).
func typesHint(message string) string {
	m := operandTypes.FindStringSubmatch(message)
	var types []string
	if m != nil {
		types = strings.Split(m[1], ", ")
	}
	has := func(prefix string) bool {
		return slices.ContainsFunc(types, func(t string) bool { return strings.HasPrefix(t, prefix) })
	}
	switch {
	case has("optional_type("):
		return "A field read with .? is an optional value: .orValue(...) gives it, or a default."
	case has("kubernetes.GroupVersionResource"):
		return "The value has the fields group, version and resource. Compare one of them."
	case has("kubernetes.GroupVersionKind"):
		return "The value has the fields group, version and kind. Compare one of them."
	case has("list(") && strings.Contains(message, "'_==_'"):
		return "A list equals only a list. value in list tests whether it has a value, and list.exists(x, ...) whether an item meets a test."
	case has("list("):
		return "Only a list is added to a list: [value] is a list of one item."
	case has("map(") && strings.Contains(message, "'_==_'"):
		return "A map equals only a map. Read one key: map['key']."
	case len(types) == 2 && !slices.ContainsFunc(types, func(t string) bool { return !slices.Contains(converted, t) }):
		return "Both sides must have the same type; convert one with string(...), int(...) or double(...)."
	}
	return ""
}

// converted are the types that functions convert into each other.
var converted = []string{"string", "int", "uint", "double", "bool"}

// otherLibraries explain functions of other programs' CEL libraries by their first name.
var otherLibraries = map[string]string{
	"base64":        "CEL in admission cannot encode or decode base64. Compare with the encoded value.",
	"image":         "image() is Kyverno's function. Here an image is a string: test it with startsWith('registry/') or endsWith(':tag').",
	"json":          "CEL in admission cannot read JSON or YAML inside a string. Read fields of the object.",
	"yaml":          "CEL in admission cannot read JSON or YAML inside a string. Read fields of the object.",
	"hash":          noHash,
	"sha256":        noHash,
	"md5":           noHash,
	"resource":      noLookup,
	"http":          noLookup,
	"globalContext": noLookup,
	"random":        noRandom,
	"uuid":          noRandom,
}

const (
	noHash   = "CEL in admission has no hash functions."
	noLookup = "An expression cannot read other objects or call a server. A policy reads one kind of object through spec.paramKind and params."
	noRandom = "CEL in admission has no random values, so that the same request always gets the same answer."
)

func undeclaredHint(place *model.Place, name string) string {
	root, _, _ := strings.Cut(name, ".")
	if ofRule(place) {
		return ruleNameHint(root)
	}
	switch {
	case root == "params" && !place.Params:
		return "Webhooks have no params."
	case root == "params":
		return "The policy has no spec.paramKind, so there are no params."
	case root == "variables" && !place.Variables:
		return "Match conditions are compiled without variables; write the expression out here."
	case root == "variables":
		return "The policy has no spec.variables."
	case root == "authorizer" && !place.Scope(true).Authorizer:
		return "Message expressions have no authorizer."
	case (root == "Object" || root == "JSONPatch" || root == "jsonpatch") && !place.Scope(true).Patch:
		return "Object, JSONPatch and jsonpatch exist only in spec.mutations of a MutatingAdmissionPolicy."
	case root == "now" || root == "today" || root == "time" || root == "clock":
		return "CEL in admission has no current time, so that the same request always gets the same answer. An existing object has oldObject.metadata.creationTimestamp, and a param can hold a date to compare with."
	case root == "self" || root == "oldSelf":
		return "self and oldSelf belong to the validation rules of CustomResourceDefinitions. Write object and oldObject here."
	case root == "cel" || root == "math" || root == "regex":
		return "This CEL extension library is not part of Kubernetes admission."
	}
	return otherLibraries[root]
}

const laterVariable = "An expression sees only the variables that are declared before it."

var undefinedName = lazy.Regexp{Text: `^undefined field '([^']+)'`}

func undefinedHint(place *model.Place, message string) string {
	m := undefinedName.FindStringSubmatch(message)
	if m == nil {
		return ""
	}
	if ofRule(place) {
		return ruleFieldHint(m[1])
	}
	switch m[1] {
	case "object", "oldObject":
		return "object and oldObject are variables of their own, not fields of request."
	case "uid":
		return "CEL does not see the request's uid. The namespace's uid is declared as UID, and never set."
	}
	return laterVariable
}

var gotType = lazy.Regexp{Text: `but got (.+)$`}

// ReturnType says how to get from the type that an expression must the
// one that its place demands (semantics §1.6).
func ReturnType(place *model.Place, message string) string {
	m := gotType.FindStringSubmatch(message)
	if m == nil {
		return ""
	}
	got := m[1]
	switch place.Result {
	case eval.Condition, eval.Validation:
		if got == "dyn" {
			return "The type of a field is unknown when the policy is created. Compare it with a value, or write bool(...)."
		}
		return "The expression must be a comparison or another test."
	case eval.Message, eval.AuditAnnotation:
		return "Write string(...) around it."
	case eval.ApplyConfiguration, eval.JSONPatch:
		if strings.Contains(message, "list(JSONPatch)") {
			if got == "list(dyn)" {
				return "An empty list alone has no type. Write condition ? [JSONPatch{...}] : []."
			}
			return "The expression must be a list of JSONPatch{op: ..., path: ..., value: ...}."
		}
		return "The expression must be an Object{...} literal, or a choice between such literals."
	}
	return ""
}

// Terse shortens a message of the compiler to its point. The whole text is in
// the server's answer.
func Terse(message string) string {
	message = strings.TrimSuffix(message, " (in container '')")
	message, _, _ = strings.Cut(message, " expecting {")
	return strings.Replace(message, "mismatched input '<EOF>'", "the expression ends too early", 1)
}

// syntaxError reports whether a message is the parser's. The first is the mistake; the others
// say what the parser made of the rest.
func syntaxError(message string) bool { return strings.HasPrefix(message, "Syntax error: ") }

// Names are the names that an expression at a place may start with.
func Names(place *model.Place) []string {
	if ofRule(place) {
		return []string{eval.SelfVarName, eval.OldSelfVarName}
	}
	scope := place.Scope(true)
	names := []string{"object", "oldObject", "request", "namespaceObject"}
	if scope.Params {
		names = append(names, "params")
	}
	if scope.Authorizer {
		names = append(names, "authorizer")
	}
	if scope.Variables {
		names = append(names, "variables")
	}
	if scope.Patch {
		names = append(names, "Object", "JSONPatch")
	}
	return names
}
