package install

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/preadmit/preadmit/engine/report/codes"
)

// labels checks label names and values. The server names the whole map as the
// field, and reports labels in random order; here the place is that of the
// label and the order that of the keys.
func (c *checker) labels(path *field.Path, labels map[string]string, code string) {
	for _, key := range sortedKeys(labels) {
		one := map[string]string{key: labels[key]}
		for _, e := range validation.ValidateLabels(one, path) {
			p := c.add(code, e)
			p.at = path.Key(key).String()
			p.key = e.Origin == "format=k8s-label-key"
		}
	}
}

func (c *checker) selector(path *field.Path, s *metav1.LabelSelector) {
	if s == nil {
		return
	}
	c.labels(path.Child("matchLabels"), s.MatchLabels, codes.InvalidSelector)
	for i, requirement := range s.MatchExpressions {
		at := path.Child("matchExpressions").Index(i)
		list := validation.ValidateLabelSelectorRequirement(requirement, validation.LabelSelectorValidationOptions{AllowInvalidLabelValueInSelector: c.kept.selectors}, at)
		for _, e := range list {
			p := c.add(codes.InvalidSelector, e)
			if e.Field == at.Child("operator").String() {
				p.options = []string{"In", "NotIn", "Exists", "DoesNotExist"}
			}
		}
	}
}

// requiredSelector is selector where the API demands one. Defaulting sets an
// empty selector, so only a null that the server cannot default is rejected.
func (c *checker) requiredSelector(path *field.Path, s *metav1.LabelSelector) {
	if s == nil {
		c.required(path, "")
		return
	}
	c.selector(path, s)
}
