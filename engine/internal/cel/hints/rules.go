package hints

import (
	"fmt"
	"strings"

	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/preadmit/preadmit/engine/internal/cel/model"
)

// ofRule reports whether expressions at a place see self and oldSelf: rules of
// CustomResourceDefinitions and their messages.
func ofRule(place *model.Place) bool {
	return place == model.CustomRule || place == model.CustomRuleMessage
}

// ruleNameHint explains a name that a rule does not know, by its first part.
func ruleNameHint(root string) string {
	switch root {
	case "object", "oldObject":
		return "A rule reads self, the value that it belongs to, and oldSelf, that value before the update."
	case "request", "authorizer", "namespaceObject", "params", "variables":
		return fmt.Sprintf("A rule reads only self and oldSelf. %s exists in a ValidatingAdmissionPolicy.", root)
	case "Object", "JSONPatch", "jsonpatch":
		return "A rule only accepts or rejects. A MutatingAdmissionPolicy changes objects."
	case "now", "today", "time", "clock":
		return "A rule has no current time, so that a valid object stays valid. Compare with another field of the object. " +
			"A ValidatingAdmissionPolicy can compare with object.metadata.creationTimestamp, which is the current time on CREATE."
	case "cel", "math", "base64", "regex":
		return "This CEL extension library is not part of Kubernetes."
	}
	return ""
}

// OnlyNames says what a rule sees of an object's metadata.
const OnlyNames = "In metadata, a rule sees only name and generateName. A ValidatingAdmissionPolicy sees the whole object."

// ruleFieldHint explains a field that the type of self does not have.
func ruleFieldHint(name string) string {
	if escaped, ok := apiservercel.Escape(name); ok && escaped != name && !strings.Contains(name, "_") {
		return fmt.Sprintf("If %q is a property in the schema: it is a reserved word of CEL, so a rule reads it as %s.", name, escaped)
	}
	switch name {
	case "labels", "annotations", "uid", "creationTimestamp", "deletionTimestamp", "finalizers", "ownerReferences":
		return OnlyNames
	}
	return "A rule reads the properties that the schema declares at its place. It cannot read fields that only x-kubernetes-preserve-unknown-fields keeps."
}
