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

// webhook has the fields that both kinds of webhook share.
type webhook struct {
	name               string
	clientConfig       *v1.WebhookClientConfig
	rules              []v1.RuleWithOperations
	failurePolicy      *v1.FailurePolicyType
	matchPolicy        *v1.MatchPolicyType
	sideEffects        *v1.SideEffectClass
	timeoutSeconds     *int32
	namespaceSelector  *metav1.LabelSelector
	objectSelector     *metav1.LabelSelector
	reinvocationPolicy *v1.ReinvocationPolicyType // mutating webhooks only
	versions           []string
	conditions         []v1.MatchCondition
}

func validatingWebhooks(c *v1.ValidatingWebhookConfiguration) []webhook {
	var list []webhook
	for i := range c.Webhooks {
		w := &c.Webhooks[i]
		list = append(list, webhook{w.Name, &w.ClientConfig, w.Rules, w.FailurePolicy, w.MatchPolicy, w.SideEffects,
			w.TimeoutSeconds, w.NamespaceSelector, w.ObjectSelector, nil, w.AdmissionReviewVersions, w.MatchConditions})
	}
	return list
}

func mutatingWebhooks(c *v1.MutatingWebhookConfiguration) []webhook {
	var list []webhook
	for i := range c.Webhooks {
		w := &c.Webhooks[i]
		list = append(list, webhook{w.Name, &w.ClientConfig, w.Rules, w.FailurePolicy, w.MatchPolicy, w.SideEffects,
			w.TimeoutSeconds, w.NamespaceSelector, w.ObjectSelector, w.ReinvocationPolicy, w.AdmissionReviewVersions, w.MatchConditions})
	}
	return list
}

// webhooks checks a configuration of either kind (semantics §11.7).
func (c *checker) webhooks(meta *metav1.ObjectMeta, list []webhook) {
	c.metadata(meta)
	seen := map[string]bool{}
	for i := range list {
		w, path := &list[i], field.NewPath("webhooks").Index(i)
		c.webhook(path, w)
		c.reviewVersions(path.Child("admissionReviewVersions"), w.versions)
		if w.name != "" && seen[w.name] && !c.kept.names {
			c.duplicate(path.Child("name"), w.name)
		}
		seen[w.name] = true
	}
}

func (c *checker) webhook(path *field.Path, w *webhook) {
	for _, e := range validation.IsFullyQualifiedName(path.Child("name"), w.name) {
		code := codes.InvalidName
		if e.Type == field.ErrorTypeRequired {
			code = codes.RequiredValue
		}
		c.add(code, e)
	}
	for i := range w.rules {
		c.rule(path.Child("rules").Index(i), &w.rules[i])
	}
	if w.failurePolicy != nil {
		oneOf(c, path.Child("failurePolicy"), *w.failurePolicy, failurePolicies)
	}
	if w.matchPolicy != nil {
		oneOf(c, path.Child("matchPolicy"), *w.matchPolicy, matchPolicies)
	}
	c.sideEffects(path.Child("sideEffects"), w.sideEffects)
	if t := w.timeoutSeconds; t != nil && (*t < 1 || *t > maxTimeout) {
		c.invalid(codes.InvalidTimeout, path.Child("timeoutSeconds"), *t, "the timeout value must be between 1 and 30 seconds")
	}
	c.selector(path.Child("namespaceSelector"), w.namespaceSelector)
	c.selector(path.Child("objectSelector"), w.objectSelector)
	if w.reinvocationPolicy != nil {
		oneOf(c, path.Child("reinvocationPolicy"), *w.reinvocationPolicy, reinvocationPolicies)
	}
	c.clientConfig(path.Child("clientConfig"), w.clientConfig)
	c.matchConditions(path.Child("matchConditions"), model.WebhookCondition, w.conditions, false)
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
