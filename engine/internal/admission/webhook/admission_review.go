package webhook

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/report"
)

// This file is the AdmissionReview that goes to a webhook (semantics §8.4).

// review is what the webhook gets. Kind, resource and both objects are those of
// the rule that matched; the client's are beside them.
func (s *selected) review(c *run.Chain, version string) (*report.Review, error) {
	a := &c.Attributes
	old, err := c.Versioned(a.OldObject, s.kind)
	if err != nil {
		return nil, err
	}
	return &report.Review{Kind: "AdmissionReview", APIVersion: "admission.k8s.io/" + version, Request: report.ReviewRequest{
		UID:  requestUID,
		Kind: reviewKind(s.kind), Resource: reviewResource(s.resource), SubResource: a.SubResource,
		RequestKind: reviewKind(a.Kind), RequestResource: reviewResource(a.Resource), RequestSubResource: a.SubResource,
		Name: a.Name, Namespace: a.Namespace, Operation: a.Operation,
		UserInfo: report.UserInfo{Username: a.User.Name, UID: a.User.UID, Groups: a.User.Groups, Extra: a.User.Extra},
		Object:   s.object, OldObject: old, DryRun: a.DryRun, Options: a.Options,
	}}, nil
}

func reviewKind(k schema.GroupVersionKind) report.ReviewKind {
	return report.ReviewKind{Group: k.Group, Version: k.Version, Kind: k.Kind}
}

func reviewResource(r schema.GroupVersionResource) report.ReviewResource {
	return report.ReviewResource{Group: r.Group, Version: r.Version, Resource: r.Resource}
}
