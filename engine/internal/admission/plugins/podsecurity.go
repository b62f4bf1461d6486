package plugins

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"

	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/policy/serverconfig"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// podTemplates are the fields that lead to the Pod template of each resource
// that Pod Security looks at; of a Pod it is the object itself.
var podTemplates = map[schema.GroupResource][]string{
	pods:                                      nil,
	{Resource: "podtemplates"}:                {"template"},
	{Resource: "replicationcontrollers"}:      {"spec", "template"},
	{Group: "apps", Resource: "replicasets"}:  {"spec", "template"},
	{Group: "apps", Resource: "deployments"}:  {"spec", "template"},
	{Group: "apps", Resource: "statefulsets"}: {"spec", "template"},
	{Group: "apps", Resource: "daemonsets"}:   {"spec", "template"},
	{Group: "batch", Resource: "jobs"}:        {"spec", "template"},
	{Group: "batch", Resource: "cronjobs"}:    {"spec", "jobTemplate", "spec", "template"},
}

// podSecurity checks Pods against the levels that the labels of their Namespace
// ask for. Templates of Pods are only warned about and audited; labels of
// Namespaces must be readable. The checks are the API server's own package,
// as the selected version has them. What holds without labels, and what is exempt, is
// in the server's configuration.
var podSecurity = plugin{
	name:         "PodSecurity",
	operations:   []string{"CREATE", "UPDATE"},
	validates:    podSecurityResources(),
	subresources: []string{"ephemeralcontainers", "resize"},
	validate: func(r *request) error {
		switch r.Attributes.Resource.GroupResource() {
		case namespaces:
			return r.secureNamespace()
		case pods:
			return r.securePod()
		}
		if r.Attributes.SubResource != "" {
			return r.nothing("subresources are not checked")
		}
		return r.secureTemplate()
	},
}

func podSecurityResources() []schema.GroupResource {
	out := []schema.GroupResource{namespaces}
	for resource := range podTemplates {
		out = append(out, resource)
	}
	slices.SortFunc(out, func(a, b schema.GroupResource) int { return cmp.Compare(a.String(), b.String()) })
	return out
}

// privileged is what holds on a server without configuration where a Namespace has no labels.
var privileged = serverconfig.DefaultPodSecurity()

// evaluators are the checks of each version.
var evaluators sync.Map

func evaluator(v version.Version) (policy.Evaluator, error) {
	if known, ok := evaluators.Load(v); ok {
		return known.(policy.Evaluator), nil
	}
	emulated, err := api.ParseVersion("v" + v.String())
	if err != nil {
		return nil, err
	}
	made, err := policy.NewEvaluator(policy.DefaultChecks(), &emulated)
	if err == nil {
		evaluators.Store(v, made)
	}
	return made, err
}

// namespacePolicy is the policy of the request's Namespace. found is false when
// there is no such Namespace.
func (r *request) namespacePolicy() (p api.Policy, problems field.ErrorList, found bool) {
	namespace, _, found := r.Cluster.Namespace(r.Attributes.Namespace)
	p, problems = api.PolicyToEvaluate(untyped.Labels(namespace), r.podSecurity.Defaults)
	return p, problems, found
}

// exempt reports whether the configuration leaves out the request for its namespace or user.
func (r *request) exempt() bool {
	switch a := &r.Attributes; {
	case serverconfig.Exempts(r.podSecurity.Namespaces, a.Namespace):
		return r.leaveOut("namespace", fmt.Sprintf("the server's configuration exempts the namespace %s", a.Namespace))
	case serverconfig.Exempts(r.podSecurity.Usernames, a.User.GetName()):
		return r.leaveOut("user", fmt.Sprintf("the server's configuration exempts the user %s", a.User.GetName()))
	}
	return false
}

func (r *request) leaveOut(what, reason string) bool {
	r.audit(api.ExemptionReasonAnnotationKey, what)
	r.reason = reason
	return true
}

func (r *request) securePod() error {
	if r.exempt() {
		return nil
	}
	enforced, problems, found := r.namespacePolicy()
	if !found {
		if r.proven {
			return r.nothing("the scenario's cluster does not have the Namespace of the captured request")
		}
		err := apierrors.NewInternalError(fmt.Errorf("failed to lookup namespace %q", r.Attributes.Namespace))
		r.audit("error", fmt.Sprintf("%v: %v", err, apierrors.NewNotFound(namespaces, r.Attributes.Namespace)))
		return err
	}
	if len(problems) == 0 && enforced.FullyPrivileged() {
		// Always the latest version, whatever a label says without a level.
		r.audit(api.EnforcedPolicyAnnotationKey, privileged.Defaults.Enforce.String())
		return r.nothing("no label of the Namespace restricts Pods")
	}
	pod, err := typed[corev1.Pod](r.object)
	if err != nil {
		return err
	}
	if r.Attributes.Operation == "UPDATE" {
		old, err := typed[corev1.Pod](r.Attributes.OldObject)
		if err != nil {
			return err
		}
		if !imagesChanged(pod, old) {
			return r.nothing("no image changes, so the Pod is not checked again")
		}
	}
	return r.secure(enforced, problems, &pod.ObjectMeta, &pod.Spec, true)
}

func (r *request) secureTemplate() error {
	if r.exempt() {
		return nil
	}
	asked, problems, found := r.namespacePolicy()
	if !found && !r.proven {
		r.audit("error", fmt.Sprintf("failed to lookup namespace %q: %v", r.Attributes.Namespace, apierrors.NewNotFound(namespaces, r.Attributes.Namespace)))
	}
	if !found || len(problems) == 0 && asked.Warn.Level == api.LevelPrivileged && asked.Audit.Level == api.LevelPrivileged {
		return r.nothing("the Namespace has no label for warnings or audit")
	}
	object := untyped.Sub(r.object, podTemplates[r.Attributes.Resource.GroupResource()]...)
	if object == nil {
		return r.nothing("the object has no Pod template")
	}
	template, err := typed[corev1.PodTemplateSpec](object)
	if err != nil {
		return err
	}
	return r.secure(asked, problems, &template.ObjectMeta, &template.Spec, false)
}

// secure checks a Pod or a template. Only Pods are rejected.
func (r *request) secure(asked api.Policy, problems field.ErrorList, meta *metav1.ObjectMeta, spec *corev1.PodSpec, enforce bool) error {
	if class := spec.RuntimeClassName; class != nil && serverconfig.Exempts(r.podSecurity.RuntimeClasses, *class) {
		r.leaveOut("runtimeClass", fmt.Sprintf("the server's configuration exempts the RuntimeClass %s", *class))
		return nil
	}
	if len(problems) > 0 {
		r.audit("error", fmt.Sprintf("Failed to parse policy: %v", problems.ToAggregate()))
	}
	results, err := r.results(meta, spec, asked)
	if err != nil {
		return err
	}
	if violated := results[asked.Audit]; !violated.Allowed {
		r.audit(api.AuditViolationsAnnotationKey, fmt.Sprintf("would violate PodSecurity %q: %s", asked.Audit.String(), violated.ForbiddenDetail()))
	}
	if enforce {
		r.audit(api.EnforcedPolicyAnnotationKey, asked.Enforce.String())
		if violated := results[asked.Enforce]; !violated.Allowed {
			a := &r.Attributes
			return apierrors.NewForbidden(a.Resource.GroupResource(), a.Name, fmt.Errorf("violates PodSecurity %q: %s", asked.Enforce.String(), violated.ForbiddenDetail()))
		}
		r.reason = fmt.Sprintf("the Pod satisfies %s, which the Namespace enforces", asked.Enforce.String())
	} else {
		r.reason = "Pod templates are never rejected; their Pods are checked"
	}
	if violated := results[asked.Warn]; !violated.Allowed {
		r.warn(fmt.Sprintf("would violate PodSecurity %q: %s", asked.Warn.String(), violated.ForbiddenDetail()))
		r.reason += fmt.Sprintf("; it would violate %s, about which the Namespace warns", asked.Warn.String())
	}
	if !results[asked.Audit].Allowed {
		r.reason += fmt.Sprintf("; the audit log notes that it would violate %s", asked.Audit.String())
	}
	return nil
}

// results are those of each level and version that a policy names.
func (r *request) results(meta *metav1.ObjectMeta, spec *corev1.PodSpec, asked api.Policy) (map[api.LevelVersion]policy.AggregateCheckResult, error) {
	checks, err := evaluator(r.Version)
	if err != nil {
		return nil, err
	}
	out := map[api.LevelVersion]policy.AggregateCheckResult{}
	for _, level := range []api.LevelVersion{asked.Enforce, asked.Audit, asked.Warn} {
		if _, known := out[level]; !known {
			out[level] = policy.AggregateCheckResults(checks.EvaluatePod(level, meta, spec))
		}
	}
	return out, nil
}

func (r *request) audit(key, value string) { r.Annotate(api.AuditAnnotationPrefix+key, value) }

// imagesChanged reports whether an update is one that is checked.
func imagesChanged(pod, old *corev1.Pod) bool {
	if len(pod.Spec.Containers) != len(old.Spec.Containers) || len(pod.Spec.InitContainers) != len(old.Spec.InitContainers) {
		return true
	}
	for i := range pod.Spec.Containers {
		if pod.Spec.Containers[i].Image != old.Spec.Containers[i].Image {
			return true
		}
	}
	for i := range pod.Spec.InitContainers {
		if pod.Spec.InitContainers[i].Image != old.Spec.InitContainers[i].Image {
			return true
		}
	}
	return slices.ContainsFunc(pod.Spec.EphemeralContainers, func(c corev1.EphemeralContainer) bool {
		at := slices.IndexFunc(old.Spec.EphemeralContainers, func(o corev1.EphemeralContainer) bool { return o.Name == c.Name })
		return at < 0 || old.Spec.EphemeralContainers[at].Image != c.Image
	})
}

// secureNamespace rejects labels that cannot be read, and warns about the Pods
// that a stricter level would not admit.
func (r *request) secureNamespace() error {
	a := &r.Attributes
	asked, problems := api.PolicyToEvaluate(untyped.Labels(r.object), r.podSecurity.Defaults)
	invalid := apierrors.NewInvalid(a.Kind.GroupKind(), a.Name, problems)
	if a.Operation == "CREATE" {
		if len(problems) > 0 {
			return invalid
		}
		if serverconfig.Exempts(r.podSecurity.Namespaces, a.Namespace) {
			return r.warnOfExemption(asked)
		}
		return r.nothing("the Pod Security labels are valid")
	}
	before, oldProblems := api.PolicyToEvaluate(untyped.Labels(a.OldObject), r.podSecurity.Defaults)
	switch {
	case len(problems) > 0 && (len(oldProblems) == 0 || !reflect.DeepEqual(problems, oldProblems)):
		return invalid
	case asked.Enforce == before.Enforce, asked.Enforce.Level == api.LevelPrivileged,
		asked.Enforce.Version == before.Enforce.Version && api.CompareLevels(asked.Enforce.Level, before.Enforce.Level) < 1:
		return r.nothing("the enforced level does not become stricter")
	case serverconfig.Exempts(r.podSecurity.Namespaces, a.Namespace):
		return r.warnOfExemption(asked)
	}
	r.reason = fmt.Sprintf("the Pods of the Namespace satisfy %s", asked.Enforce.String())
	return r.warnAboutPods(a.Name, asked.Enforce)
}

// warnOfExemption warns about labels that have no effect, as the configuration exempts the
// Namespace.
func (r *request) warnOfExemption(asked api.Policy) error {
	if asked.FullyPrivileged() || asked.Equivalent(&r.podSecurity.Defaults) {
		return r.nothing("the server's configuration exempts the Namespace")
	}
	labels := untyped.Labels(r.object)
	var ignored []string
	for _, mode := range []struct {
		word, level, version string
		asked                api.LevelVersion
	}{
		{"enforce", api.EnforceLevelLabel, api.EnforceVersionLabel, asked.Enforce},
		{"audit", api.AuditLevelLabel, api.AuditVersionLabel, asked.Audit},
		{"warn", api.WarnLevelLabel, api.WarnVersionLabel, asked.Warn},
	} {
		_, level := labels[mode.level]
		_, version := labels[mode.version]
		if mode.asked.Level != api.LevelPrivileged && (level || version) {
			ignored = append(ignored, mode.word+"="+mode.asked.String())
		}
	}
	r.reason = "the server's configuration exempts the Namespace, so its labels have no effect"
	r.warn(fmt.Sprintf("namespace %q is exempt from Pod Security, and the policy (%s) will be ignored", r.Attributes.Name, strings.Join(ignored, ", ")))
	return nil
}

// mostPods is how many Pods of a Namespace the server checks.
const mostPods = 3000

// warnAboutPods warns about the Pods of the cluster text that violate a level.
func (r *request) warnAboutPods(namespace string, level api.LevelVersion) error {
	checks, err := evaluator(r.Version)
	if err != nil {
		return err
	}
	all := r.prioritisedPods(namespace)
	first := map[string]string{}
	count := map[string]int{}
	for _, pod := range all[:min(len(all), mostPods)] {
		result := policy.AggregateCheckResults(checks.EvaluatePod(level, &pod.ObjectMeta, &pod.Spec))
		if result.Allowed {
			continue
		}
		why := result.ForbiddenReason()
		count[why]++
		first[why] = min(cmp.Or(first[why], pod.Name), pod.Name)
	}
	if len(all) > mostPods {
		r.warn(fmt.Sprintf("new PodSecurity enforce level only checked against the first %d of %d existing pods", mostPods, len(all)))
	}
	if len(count) == 0 {
		return nil
	}
	r.reason = "the server warns about the Pods of the Namespace that violate its new level"
	r.warn(fmt.Sprintf("existing pods in namespace %q violate the new PodSecurity enforce level %q", namespace, level.String()))
	var warnings []string
	for why, n := range count {
		switch n {
		case 1:
			warnings = append(warnings, fmt.Sprintf("%s: %s", first[why], why))
		case 2:
			warnings = append(warnings, fmt.Sprintf("%s (and 1 other pod): %s", first[why], why))
		default:
			warnings = append(warnings, fmt.Sprintf("%s (and %d other pods): %s", first[why], n-1, why))
		}
	}
	slices.Sort(warnings)
	for _, w := range warnings {
		r.warn(w)
	}
	return nil
}

// prioritisedPods are the Pods of a namespace: of each controller one first.
func (r *request) prioritisedPods(namespace string) []*corev1.Pod {
	var first, more []*corev1.Pod
	seen := map[string]bool{}
	for _, o := range r.Cluster.List(schema.GroupKind{Kind: "Pod"}, namespace, labels.Everything()) {
		pod, err := typed[corev1.Pod](o.Value)
		if err != nil {
			continue // it does not exist: the server would not have stored it
		}
		if class := pod.Spec.RuntimeClassName; class != nil && serverconfig.Exempts(r.podSecurity.RuntimeClasses, *class) {
			continue
		}
		owner := metav1.GetControllerOfNoCopy(pod)
		if owner != nil && seen[string(owner.UID)] {
			more = append(more, pod)
			continue
		}
		if owner != nil {
			seen[string(owner.UID)] = true
		}
		first = append(first, pod)
	}
	return append(first, more...)
}

// typed is an object as its Go type.
func typed[T any](object map[string]any) (*T, error) {
	out := new(T)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object, out); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return out, nil
}
