package install

import (
	"fmt"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// sideEffects are those of new webhooks, allSideEffects those that the API has.
var (
	sideEffects    = []string{"None", "NoneOnDryRun"}
	allSideEffects = []string{"None", "NoneOnDryRun", "Some", "Unknown"}
)

// reviewVersions are the AdmissionReview versions that the API server sends.
var reviewVersions = []string{"v1", "v1beta1"}

// asMutating returns validating webhooks as mutating ones, which have all of their fields.
func asMutating(list []v1.ValidatingWebhook) []v1.MutatingWebhook {
	out := make([]v1.MutatingWebhook, len(list))
	for i, w := range list {
		out[i] = v1.MutatingWebhook{Name: w.Name, ClientConfig: w.ClientConfig, Rules: w.Rules, FailurePolicy: w.FailurePolicy, MatchPolicy: w.MatchPolicy,
			NamespaceSelector: w.NamespaceSelector, ObjectSelector: w.ObjectSelector, SideEffects: w.SideEffects, TimeoutSeconds: w.TimeoutSeconds,
			AdmissionReviewVersions: w.AdmissionReviewVersions, MatchConditions: w.MatchConditions}
	}
	return out
}

// webhooks checks a configuration of either kind (semantics §11.7).
func (c *checker) webhooks(meta *metav1.ObjectMeta, list []v1.MutatingWebhook) {
	c.metadata(meta)
	seen := map[string]bool{}
	for i := range list {
		w, path := &list[i], field.NewPath("webhooks").Index(i)
		c.webhook(path, w)
		c.reviewVersions(path.Child("admissionReviewVersions"), w.AdmissionReviewVersions)
		if w.Name != "" && seen[w.Name] && !c.kept.names {
			c.duplicate(path.Child("name"), w.Name)
		}
		seen[w.Name] = true
	}
}

func (c *checker) webhook(path *field.Path, w *v1.MutatingWebhook) {
	for _, e := range validation.IsFullyQualifiedName(path.Child("name"), w.Name) {
		code := codes.InvalidName
		if e.Type == field.ErrorTypeRequired {
			code = codes.RequiredValue
		}
		c.add(code, e)
	}
	for i := range w.Rules {
		c.rule(path.Child("rules").Index(i), &w.Rules[i])
	}
	if w.FailurePolicy != nil {
		oneOf(c, path.Child("failurePolicy"), *w.FailurePolicy, failurePolicies)
	}
	if w.MatchPolicy != nil {
		oneOf(c, path.Child("matchPolicy"), *w.MatchPolicy, matchPolicies)
	}
	c.sideEffects(path.Child("sideEffects"), w.SideEffects)
	if t := w.TimeoutSeconds; t != nil && (*t < 1 || *t > maxTimeout) {
		c.invalid(codes.InvalidTimeout, path.Child("timeoutSeconds"), *t, "the timeout value must be between 1 and 30 seconds")
	}
	c.selector(path.Child("namespaceSelector"), w.NamespaceSelector)
	c.selector(path.Child("objectSelector"), w.ObjectSelector)
	if w.ReinvocationPolicy != nil {
		oneOf(c, path.Child("reinvocationPolicy"), *w.ReinvocationPolicy, reinvocationPolicies)
	}
	c.clientConfig(path.Child("clientConfig"), &w.ClientConfig)
	c.matchConditions(path.Child("matchConditions"), model.WebhookCondition, w.MatchConditions, false)
}

func (c *checker) sideEffects(path *field.Path, class *v1.SideEffectClass) {
	allowed := sideEffects
	if c.kept.sideEffects {
		allowed = allSideEffects
	}
	if class == nil {
		p := c.required(path, "must specify one of "+strings.Join(allowed, ", "))
		p.options = allowed
		return
	}
	if p := oneOf(c, path, *class, allowed); p != nil && (*class == v1.SideEffectClassSome || *class == v1.SideEffectClassUnknown) {
		p.hint = "v1 requires webhooks without side effects, at least in dry runs: None never has any, NoneOnDryRun skips them in a dry run."
	}
}

func (c *checker) reviewVersions(path *field.Path, versions []string) {
	known := strings.Join(reviewVersions, ", ")
	if len(versions) == 0 {
		c.required(path, "must specify one of "+known).options = reviewVersions
		return
	}
	seen := map[string]bool{}
	for i, v := range versions {
		if seen[v] {
			c.invalid(codes.ReviewVersions, path.Index(i), v, "duplicate version")
			continue
		}
		seen[v] = true
		for _, msg := range validation.IsDNS1035Label(v) {
			c.invalid(codes.ReviewVersions, path.Index(i), v, msg)
		}
	}
	if !seen["v1"] && !seen["v1beta1"] && !c.kept.reviewVersions {
		c.invalid(codes.ReviewVersions, path, stringList(versions), fmt.Sprintf("must include at least one of %v", known))
	}
}

// maxTimeout is the longest timeout of a webhook, in seconds.
const maxTimeout = 30
