package install

import (
	"errors"
	"fmt"
	"strings"

	kjson "sigs.k8s.io/json"

	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// decode reads a document into a typed object as the server does: names are
// case-sensitive, unknown and duplicate fields are only warned about, a wrong
// type is an error.
//
// Documents in v1beta1 and v1alpha1 are decoded into the v1 types: these have
// the same fields with the same types (a test compares them). Only the names of
// types in an error are those of the version; without version.EmbeddedFieldNames
// embedded structs are not named in the path.
func decode(data []byte, apiVersion string, v version.Version, into any) (strict []string, err error) {
	warnings, err := kjson.UnmarshalStrict(data, into)
	for _, w := range warnings {
		strict = append(strict, w.Error())
	}
	if err != nil && apiVersion != "v1" {
		err = errors.New(inVersion(err.Error(), apiVersion))
	}
	if err != nil && !v.Has(version.EmbeddedFieldNames) {
		err = errors.New(embeddedNames.Replace(err.Error()))
	}
	return strict, err
}

// embeddedNames takes the embedded structs of rules out of a path.
var embeddedNames = strings.NewReplacer(".RuleWithOperations.Rule.", ".", ".RuleWithOperations.", ".", ".rules.Rule.", ".rules.")

// typeAtEnd is the type of the field at the end of a decoding error.
var typeAtEnd = lazy.Regexp{Text: `of type (?:\[\])?v1\.(\w+)$`}

// ofEveryVersion are types that v1beta1 and v1alpha1 take over from v1, or from
// meta/v1, which is a v1 too.
var ofEveryVersion = map[string]bool{
	"Rule": true, "ScopeType": true, "RuleWithOperations": true, "OperationType": true, "ReinvocationPolicyType": true,
	"ObjectMeta": true, "OwnerReference": true, "ManagedFieldsEntry": true, "ManagedFieldsOperationType": true, "FieldsV1": true, "Time": true,
	"LabelSelector": true, "LabelSelectorRequirement": true, "LabelSelectorOperator": true,
}

// inVersion names the type in a decoding error as the version of the document
// calls it.
func inVersion(text, version string) string {
	m := typeAtEnd.FindStringSubmatchIndex(text)
	if m == nil || ofEveryVersion[text[m[2]:m[3]]] {
		return text
	}
	return text[:m[2]-len("v1.")] + version + "." + text[m[2]:]
}

// decodeMessage is the server's answer to a document that cannot be decoded.
func decodeMessage(kind, version string, err error) string {
	return fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", kind, version, kind, err)
}
