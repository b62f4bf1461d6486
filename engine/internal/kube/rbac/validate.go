package rbac

import (
	"fmt"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// This file holds what the API server rejects in RBAC objects, with its texts, and valid parts that
// have no effect.

// setBindingDefaults sets the server's defaults.
func setBindingDefaults(ref *rbacv1.RoleRef, subjects []rbacv1.Subject) {
	if ref.APIGroup == "" {
		ref.APIGroup = rbacv1.GroupName
	}
	for i := range subjects {
		s := &subjects[i]
		if s.APIGroup == "" && (s.Kind == rbacv1.UserKind || s.Kind == rbacv1.GroupKind) {
			s.APIGroup = rbacv1.GroupName
		}
	}
}

// validateMeta checks the name and labels. RBAC names have fewer restrictions: any single URL
// segment is valid.
func validateMeta(meta *metav1.ObjectMeta) field.ErrorList {
	at := field.NewPath("metadata")
	var problems field.ErrorList
	if meta.Name == "" {
		problems = append(problems, field.Required(at.Child("name"), "name or generateName is required"))
	}
	for _, message := range content.IsPathSegmentName(meta.Name) {
		problems = append(problems, field.Invalid(at.Child("name"), meta.Name, message))
	}
	return append(problems, metavalidation.ValidateLabels(meta.Labels, at.Child("labels"))...)
}

func validateClusterRole(object *rbacv1.ClusterRole) field.ErrorList {
	problems := validateRules(object.Rules, false)
	if object.AggregationRule == nil {
		return problems
	}
	at := field.NewPath("aggregationRule", "clusterRoleSelectors")
	selectors := object.AggregationRule.ClusterRoleSelectors
	if len(selectors) == 0 {
		problems = append(problems, field.Required(at, "at least one clusterRoleSelector required if aggregationRule is non-nil"))
	}
	for i := range selectors {
		problems = append(problems, metavalidation.ValidateLabelSelector(&selectors[i], metavalidation.LabelSelectorValidationOptions{}, at.Index(i))...)
		if _, err := metav1.LabelSelectorAsSelector(&selectors[i]); err != nil {
			problems = append(problems, field.Invalid(at.Index(i), selectors[i], "invalid label selector."))
		}
	}
	return problems
}

func validateRules(rules []rbacv1.PolicyRule, namespaced bool) field.ErrorList {
	var problems field.ErrorList
	for i := range rules {
		rule, at := &rules[i], field.NewPath("rules").Index(i)
		if len(rule.Verbs) == 0 {
			problems = append(problems, field.Required(at.Child("verbs"), "verbs must contain at least one value"))
		}
		if len(rule.NonResourceURLs) > 0 {
			urls := at.Child("nonResourceURLs")
			if namespaced {
				problems = append(problems, field.Invalid(urls, rule.NonResourceURLs, "namespaced rules cannot apply to non-resource URLs"))
			}
			if len(rule.APIGroups)+len(rule.Resources)+len(rule.ResourceNames) > 0 {
				problems = append(problems, field.Invalid(urls, rule.NonResourceURLs, "rules cannot apply to both regular resources and non-resource URLs"))
			}
			continue
		}
		if len(rule.APIGroups) == 0 {
			problems = append(problems, field.Required(at.Child("apiGroups"), "resource rules must supply at least one api group"))
		}
		if len(rule.Resources) == 0 {
			problems = append(problems, field.Required(at.Child("resources"), "resource rules must supply at least one resource"))
		}
	}
	return problems
}

func validateBinding(ref rbacv1.RoleRef, subjects []rbacv1.Subject, namespaced bool) field.ErrorList {
	at := field.NewPath("roleRef")
	problems := oneOf(at.Child("apiGroup"), ref.APIGroup, rbacv1.GroupName)
	kinds := []string{"ClusterRole"}
	if namespaced {
		kinds = []string{"Role", "ClusterRole"}
	}
	problems = append(problems, oneOf(at.Child("kind"), ref.Kind, kinds...)...)
	if ref.Name == "" {
		problems = append(problems, field.Required(at.Child("name"), ""))
	}
	for _, message := range content.IsPathSegmentName(ref.Name) {
		problems = append(problems, field.Invalid(at.Child("name"), ref.Name, message))
	}
	for i, subject := range subjects {
		problems = append(problems, validateSubject(subject, namespaced, field.NewPath("subjects").Index(i))...)
	}
	return problems
}

func validateSubject(subject rbacv1.Subject, namespaced bool, at *field.Path) field.ErrorList {
	var problems field.ErrorList
	if subject.Name == "" {
		problems = append(problems, field.Required(at.Child("name"), ""))
	}
	switch subject.Kind {
	case rbacv1.ServiceAccountKind:
		if subject.Name != "" {
			for _, message := range apivalidation.ValidateServiceAccountName(subject.Name, false) {
				problems = append(problems, field.Invalid(at.Child("name"), subject.Name, message))
			}
		}
		problems = append(problems, oneOf(at.Child("apiGroup"), subject.APIGroup, "")...)
		if !namespaced && subject.Namespace == "" {
			problems = append(problems, field.Required(at.Child("namespace"), ""))
		}
	case rbacv1.UserKind, rbacv1.GroupKind:
		problems = append(problems, oneOf(at.Child("apiGroup"), subject.APIGroup, rbacv1.GroupName)...)
	default:
		problems = append(problems, oneOf(at.Child("kind"), subject.Kind, rbacv1.ServiceAccountKind, rbacv1.UserKind, rbacv1.GroupKind)...)
	}
	return problems
}

func oneOf(at *field.Path, value string, supported ...string) field.ErrorList {
	for _, s := range supported {
		if value == s {
			return nil
		}
	}
	return field.ErrorList{field.NotSupported(at, value, supported)}
}

// lint reports valid parts of a rule that can never match a request.
func (l *loader) lint(rules []rbacv1.PolicyRule) {
	for i := range rules {
		at := fieldpath.New("rules").Index(i)
		for j, group := range rules[i].APIGroups {
			if group == "v1" || group == "core" || strings.Contains(group, "/") {
				l.noEffect(at.Child("apiGroups").Index(j), fmt.Sprintf("no API group is called %q", group),
					`A rule names groups without version: "apps", and "" for the core group.`)
			}
		}
		for j, resource := range rules[i].Resources {
			name, sub, _ := strings.Cut(resource, "/")
			if sub == "*" {
				l.noEffect(at.Child("resources").Index(j), fmt.Sprintf("%q matches nothing", resource),
					"RBAC knows \"*\", \"pods/log\" and \"*/log\", but no \"pods/*\".")
			} else if strings.ToLower(name) != name {
				l.noEffect(at.Child("resources").Index(j), fmt.Sprintf("no resource is called %q", resource),
					"Resources are plural and in lower case: pods, not Pod.")
			}
		}
		for j, verb := range rules[i].Verbs {
			if strings.ToLower(verb) != verb {
				l.noEffect(at.Child("verbs").Index(j), fmt.Sprintf("no verb is called %q", verb), "Verbs are in lower case.")
			}
		}
		for j, url := range rules[i].NonResourceURLs {
			if star := strings.IndexByte(strings.TrimRight(url, "*"), '*'); star >= 0 {
				l.noEffect(at.Child("nonResourceURLs").Index(j), fmt.Sprintf("the * in the middle of %q is not a wildcard", url),
					"Only a * at the end matches anything.")
			}
		}
	}
}

// lintAggregation reports rules that the aggregation controller replaces.
func (l *loader) lintAggregation(object *rbacv1.ClusterRole) {
	if object.AggregationRule != nil && len(object.Rules) > 0 {
		l.noEffect(fieldpath.New("rules"), "the rules of an aggregated ClusterRole are replaced", "A controller fills them in from the roles that aggregationRule selects.")
	}
}

func (l *loader) noEffect(path fieldpath.Path, summary, detail string) {
	l.report(codes.RBACNoEffect, diag.Warning, path.String(), summary, detail)
}
