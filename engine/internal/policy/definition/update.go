package definition

import (
	"context"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apimachinery/pkg/api/equality"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/rules"
	"github.com/preadmit/preadmit/engine/internal/kube/clientaddress"
	"github.com/preadmit/preadmit/engine/internal/kube/crd"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// before is what the definition was before an update. What was wrong with it, as
// an older server may have allowed, may stay wrong.
type before struct {
	*crd.Definition
	// established says that the kind is served: it and the scope cannot change.
	established bool
	served      bool // or has no conditions, as in a manifest
	// schemaMissing says that a version had no schema.
	schemaMissing bool
	// unstructural, unpruned, unknownTypes, compositeSets and looseKeys say that a
	// schema had what later releases reject.
	unstructural, unpruned, unknownTypes, compositeSets, looseKeys bool
	// reviewVersions says that the conversion had versions, none of which is known.
	reviewVersions bool
	// badBundle says that the conversion webhook had certificates that cannot be used.
	badBundle bool
	// rules and messages are the expressions that were there: those of another
	// environment may stay.
	rules, messages map[string]bool
	// unchanged are the versions whose schema is as before: each of their rules may
	// cost what it likes.
	unchanged map[string]bool
}

// update checks the metadata, as the storage of all kinds and then that of definitions do.
func (v *validator) update(old *crd.Definition) {
	v.add(crd.CommonMetadata(&v.ObjectMeta, &old.ObjectMeta, false, v.version)...)
	v.add(crd.Reword(apivalidation.ValidateObjectMetaUpdate(&v.ObjectMeta, &old.ObjectMeta, field.NewPath("metadata")), v.version)...)
}

// ValidateStatus returns the errors of a definition with a new status, which must be prepared for
// it.
func ValidateStatus(d, old *crd.Definition, release version.Version) field.ErrorList {
	v := &validator{Definition: d, version: release}
	v.update(old)
	v.readable(&v.Status.AcceptedNames, field.NewPath("status", "acceptedNames"))
	return v.errs
}

// ValidateUpdate returns the errors of a definition that replaces old, in the
// order of the server, properties by name. It must be prepared for update.
func ValidateUpdate(ctx context.Context, d, old *crd.Definition, environments *eval.Environments) field.ErrorList {
	v := &validator{Definition: d, ctx: ctx, environments: environments, version: environments.Version(), before: newBefore(d, old)}
	v.update(old)
	v.spec(field.NewPath("spec"))
	v.immutable(field.NewPath("spec"))
	v.storedVersions(field.NewPath("status", "storedVersions"))
	v.approval()
	v.unknownFields()
	return v.errs
}

func newBefore(d, old *crd.Definition) *before {
	b := &before{Definition: old, rules: map[string]bool{}, messages: map[string]bool{}, unchanged: map[string]bool{}}
	b.served = len(old.Status.Conditions) == 0 // a manifest of what the server has served for long
	for _, condition := range old.Status.Conditions {
		b.established = b.established || condition.Type == apiextensions.Established && condition.Status == apiextensions.ConditionTrue
	}
	if c := old.Spec.Conversion; c != nil && len(c.ConversionReviewVersions) > 0 {
		b.reviewVersions = !slices.ContainsFunc(c.ConversionReviewVersions, knownReview)
	}
	if c := old.Spec.Conversion; c != nil && c.WebhookClientConfig != nil && len(c.WebhookClientConfig.CABundle) > 0 {
		b.badBundle = len(clientaddress.Bundle(nil, c.WebhookClientConfig.CABundle)) > 0
	}
	for i := range old.Spec.Versions {
		b.schemaMissing = b.schemaMissing || old.Schema(old.Spec.Versions[i].Name) == nil
	}
	for _, props := range allSchemas(old) {
		b.look(props)
	}
	for i := range d.Spec.Versions {
		name := d.Spec.Versions[i].Name
		was, err := apiextensions.GetSchemaForVersion(old.CustomResourceDefinition, name)
		is, newErr := apiextensions.GetSchemaForVersion(d.CustomResourceDefinition, name)
		if err == nil && newErr == nil && equality.Semantic.DeepEqual(is, was) {
			b.unchanged[name] = true
		}
	}
	return b
}

// look notes what a schema had.
func (b *before) look(props *apiextensions.JSONSchemaProps) {
	node, err := schema.NewStructural(props)
	if err != nil || len(schema.ValidateStructural(nil, node)) > 0 {
		b.unstructural = true
	} else {
		b.unpruned = b.unpruned || hasUnprunedDefault(node)
	}
	crd.Walk(props, func(s *apiextensions.JSONSchemaProps) {
		for _, rule := range s.XValidations {
			b.rules[rule.Rule] = true
			if rule.MessageExpression != "" {
				b.messages[rule.MessageExpression] = true
			}
		}
		b.unknownTypes = b.unknownTypes || s.Type != "" && !slices.Contains(types, s.Type)
		if s.XListType == nil || s.Items == nil || s.Items.Schema == nil {
			return
		}
		b.compositeSets = b.compositeSets || *s.XListType == "set" && len(setItems(s.Items.Schema, field.NewPath("items"))) > 0
		b.looseKeys = b.looseKeys || (*s.XListType == "set" || *s.XListType == "map") && len(keys(s, *s.XListType, field.NewPath("items"))) > 0
	})
}

func hasUnprunedDefault(node *schema.Structural) bool {
	found := false
	(&schema.Visitor{Structural: func(s *schema.Structural) bool {
		if s.Default.Object != nil {
			pruned := runtime.DeepCopyJSONValue(s.Default.Object)
			pruning.Prune(pruned, s, s.XEmbeddedResource)
			found = found || !reflect.DeepEqual(pruned, s.Default.Object)
		}
		return false
	}}).Visit(node.DeepCopy())
	return found
}

// immutable checks what names the objects in storage.
func (v *validator) immutable(path *field.Path) {
	old, spec := &v.before.Spec, &v.Spec
	same := func(at *field.Path, is, was any) {
		v.add(apivalidation.ValidateImmutableField(is, was, at)...)
	}
	if v.before.established {
		same(path.Child("scope"), spec.Scope, old.Scope)
		same(path.Child("names", "kind"), spec.Names.Kind, old.Names.Kind)
	}
	same(path.Child("group"), spec.Group, old.Group)
	same(path.Child("names", "plural"), spec.Names.Plural, old.Names.Plural)
}

// modes says how rules are compiled: those that were there before as stored ones.
func (v *validator) modes() rules.Modes {
	return func(expression string, message bool) eval.Mode {
		if b := v.before; b != nil && (!message && b.rules[expression] || message && b.messages[expression]) {
			return eval.Run
		}
		return eval.Write
	}
}

// approval checks the annotation that definitions in groups of Kubernetes need.
func (v *validator) approval() {
	group := v.Spec.Group
	if !slices.ContainsFunc([]string{"k8s.io", "kubernetes.io"}, func(suffix string) bool { return group == suffix || strings.HasSuffix(group, "."+suffix) }) {
		return
	}
	is, reason := approvalOf(v.Annotations)
	if v.before != nil {
		if was, _ := approvalOf(v.before.Annotations); was == is {
			return
		}
	}
	path := field.NewPath("metadata", "annotations").Key(v1.KubeAPIApprovedAnnotation)
	switch is {
	case missing:
		v.add(field.Required(path, reason))
	case unreadable:
		v.invalid(path, v.Annotations[v1.KubeAPIApprovedAnnotation], reason)
	}
}

// approved is what the annotation says.
type approved int

const (
	missing approved = iota
	unreadable
	bypassed
	given
)

func approvalOf(annotations map[string]string) (approved, string) {
	text := annotations[v1.KubeAPIApprovedAnnotation]
	const see = "see https://github.com/kubernetes/enhancements/pull/1111"
	u, err := url.ParseRequestURI(text)
	switch {
	case text == "":
		return missing, fmt.Sprintf("protected groups must have approval annotation %q, %s", v1.KubeAPIApprovedAnnotation, see)
	case strings.HasPrefix(text, "unapproved"):
		return bypassed, ""
	case err == nil && u.Host != "" && u.Scheme != "":
		return given, ""
	}
	return unreadable, fmt.Sprintf("protected groups must have approval annotation %q with either a URL or a reason starting with \"unapproved\", %s", v1.KubeAPIApprovedAnnotation, see)
}

// unknownFields refuses to keep unknown fields everywhere, unless it was so.
func (v *validator) unknownFields() {
	if v.PreservesUnknownFields() && (v.before == nil || !v.before.PreservesUnknownFields()) {
		v.invalid(field.NewPath("spec", "preserveUnknownFields"), v.Spec.PreserveUnknownFields, "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead")
	}
}

// hasDefaults reports whether a schema has a default.
func (v *validator) hasDefaults() bool {
	found := false
	for _, props := range allSchemas(v.Definition) {
		crd.Walk(props, func(s *apiextensions.JSONSchemaProps) { found = found || s.Default != nil })
	}
	return found
}

// structural reports whether schemas must be structural: always, but for a
// definition of old that keeps unknown fields and uses nothing newer.
func (v *validator) structural() bool {
	return v.before == nil || !v.before.unstructural || !v.PreservesUnknownFields() || v.hasDefaults() || v.hasExtensions()
}

// hasExtensions reports whether a schema uses x-kubernetes-...
func (v *validator) hasExtensions() bool {
	found := false
	for _, props := range allSchemas(v.Definition) {
		crd.Walk(props, func(s *apiextensions.JSONSchemaProps) {
			found = found || s.XEmbeddedResource || s.XPreserveUnknownFields != nil || s.XIntOrString || len(s.XListMapKeys) > 0 || s.XListType != nil || len(s.XValidations) > 0
		})
	}
	return found
}

// allSchemas are those of the definition: that of all versions, or one for each.
func allSchemas(d *crd.Definition) []*apiextensions.JSONSchemaProps {
	var out []*apiextensions.JSONSchemaProps
	if d.Spec.Validation != nil && d.Spec.Validation.OpenAPIV3Schema != nil {
		out = append(out, d.Spec.Validation.OpenAPIV3Schema)
	}
	for i := range d.Spec.Versions {
		if s := d.Spec.Versions[i].Schema; s != nil && s.OpenAPIV3Schema != nil {
			out = append(out, s.OpenAPIV3Schema)
		}
	}
	return out
}
