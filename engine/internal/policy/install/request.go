package install

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/configuration"
	"github.com/preadmit/preadmit/engine/internal/kube/crash"
	"github.com/preadmit/preadmit/engine/internal/repair/documents"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Requested is a policy, binding or webhook configuration that is the object of a request.
type Requested struct {
	Kind schema.GroupVersionKind
	// Now is the object as the server validates it; Old is the one that an update replaces,
	// nil for a creation.
	Now, Old map[string]any
	// Document is where the object is in the text of the request, nil where it is nowhere.
	Document *scenario.Document
}

// Verdict is what API validation finds in the object of a request.
type Verdict struct {
	Errors field.ErrorList
	// Texts are those of the errors, in the words of the release, without their fields.
	Texts []string
	// Crashes says that the server crashes at one of the errors and says nothing of the others.
	Crashes     bool
	Warnings    []string
	Diagnostics []diag.Diagnostic
}

// IsConfiguration reports whether a kind is one of the six that this package validates.
func IsConfiguration(kind schema.GroupVersionKind) bool {
	return kind.Group == configuration.Group && configuration.Resources[kind.Kind] != ""
}

// Validate validates the object of a request as the registry strategy of its kind does
// (semantics §11; ValidateUpdate in pkg/registry/admissionregistration of k8s.io/kubernetes).
// Expressions that the old object has are compiled as new ones: a function that only the
// newest release knows is reported although an update may keep it. The error is for a release
// that cannot be simulated.
func Validate(r Requested, sets *eval.Set, v version.Version) (Verdict, error) {
	environments, err := sets.ForVersion(v)
	if err != nil {
		return Verdict{}, err
	}
	kinds, err := catalog.For(v)
	if err != nil {
		return Verdict{}, err
	}
	c := &checker{version: v, environments: environments, document: r.Document}
	var warnings []string
	switch r.Kind.Kind {
	case configuration.ValidatingAdmissionPolicy:
		warnings, err = requested(c, r, validatingPolicyKind)
	case configuration.ValidatingAdmissionPolicyBinding:
		warnings, err = requested(c, r, validatingBindingKind)
	case configuration.MutatingAdmissionPolicy:
		warnings, err = requested(c, r, mutatingPolicyKind)
	case configuration.MutatingAdmissionPolicyBinding:
		warnings, err = requested(c, r, mutatingBindingKind)
	case configuration.ValidatingWebhookConfiguration:
		warnings, err = requested(c, r, validatingWebhookKind)
	case configuration.MutatingWebhookConfiguration:
		warnings, err = requested(c, r, mutatingWebhookKind)
	}
	out := Verdict{Crashes: c.crashes(), Warnings: warnings}
	for _, p := range c.problems {
		out.Errors = append(out.Errors, p.Error)
		out.Texts = append(out.Texts, strings.TrimPrefix(p.text(v), p.Field+": "))
	}
	if r.Document != nil && len(c.problems) > 0 {
		texts := &documents.Set{Documents: []*scenario.Document{r.Document}, Version: v, Resources: kinds.Kinds()}
		in := &installer{version: v, sets: sets, environments: environments, texts: texts, kinds: kinds}
		in.explain(c)
		in.limit(r.Document, 0)
		out.Diagnostics = in.Diagnostics
	}
	for i, e := range out.Errors {
		if crash.Is(e) {
			out.Errors, out.Texts = out.Errors[i:i+1], out.Texts[i:i+1]
			break
		}
	}
	return out, err
}

// requested checks an object of one kind, and returns the server's warnings about it.
func requested[T any](c *checker, r Requested, kind kindOf[T]) ([]string, error) {
	object, err := asType[T](r.Now)
	if err != nil {
		return nil, err
	}
	kind.prepare(object, r.Kind.Version) // a review written by hand may lack the defaults
	if r.Old != nil {
		old, err := asType[T](r.Old)
		if err != nil {
			return nil, err
		}
		kind.prepare(old, r.Kind.Version)
		c.kept = keptBy(any(object), any(old))
	}
	kind.check(c, object)
	warnings := c.reservedWarnings(kind.meta(object).Name)
	if r.Old == nil {
		warnings = c.reservedName(kind.meta(object).Name)
	}
	if r.Kind.Kind == configuration.ValidatingAdmissionPolicyBinding {
		c.declarative()
	}
	return warnings, nil
}

// asType is an object as its type. An object that has been decoded before fits it.
func asType[T any](object map[string]any) (*T, error) {
	raw, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	out := new(T)
	return out, json.Unmarshal(raw, out)
}

// kept says which rules an update need not follow, because the old object does not either
// (validationOptions in pkg/apis/admissionregistration/validation of k8s.io/kubernetes).
type kept struct {
	// conditions are the same as before.
	conditions bool
	// The old object has side effects, no review version that the server knows, a name
	// twice, or a value in a selector that no label can have.
	sideEffects, reviewVersions, names, selectors bool
}

// keptBy compares two objects of one kind.
func keptBy(now, was any) kept {
	switch was := was.(type) {
	case *v1.ValidatingAdmissionPolicy:
		now := now.(*v1.ValidatingAdmissionPolicy)
		return kept{conditions: sameConditions(now.Spec.ParamKind, was.Spec.ParamKind, now.Spec.MatchConditions, was.Spec.MatchConditions)}
	case *v1.MutatingAdmissionPolicy:
		now := now.(*v1.MutatingAdmissionPolicy)
		return kept{conditions: sameConditions(now.Spec.ParamKind, was.Spec.ParamKind, now.Spec.MatchConditions, was.Spec.MatchConditions)}
	case *v1.ValidatingWebhookConfiguration:
		return keptByWebhooks(asMutating(now.(*v1.ValidatingWebhookConfiguration).Webhooks), asMutating(was.Webhooks))
	case *v1.MutatingWebhookConfiguration:
		return keptByWebhooks(now.(*v1.MutatingWebhookConfiguration).Webhooks, was.Webhooks)
	}
	return kept{}
}

func sameConditions(kind, oldKind *v1.ParamKind, now, was []v1.MatchCondition) bool {
	return equality.Semantic.DeepEqual(kind, oldKind) && equality.Semantic.DeepEqual(now, was)
}

func keptByWebhooks(now, was []v1.MutatingWebhook) kept {
	k := kept{conditions: len(now) == len(was)}
	seen := map[string]bool{}
	for i, w := range was {
		k.conditions = k.conditions && reflect.DeepEqual(now[i].MatchConditions, w.MatchConditions)
		k.sideEffects = k.sideEffects || w.SideEffects == nil || !slices.Contains(sideEffects, string(*w.SideEffects))
		k.reviewVersions = k.reviewVersions || len(w.AdmissionReviewVersions) > 0 && !slices.ContainsFunc(w.AdmissionReviewVersions, func(v string) bool { return slices.Contains(reviewVersions, v) })
		k.names = k.names || seen[w.Name]
		seen[w.Name] = true
		for _, s := range []*metav1.LabelSelector{w.NamespaceSelector, w.ObjectSelector} {
			k.selectors = k.selectors || s != nil && len(validation.ValidateLabelSelector(s, validation.LabelSelectorValidationOptions{}, nil)) > 0
		}
	}
	return k
}
