package evaluate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/kube/rbac"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/report"
)

// ServerKind is the kind of the steps that are neither a policy's nor a
// plugin's: the server's own checks, which their policy names.
const ServerKind = "APIServer"

// requestForm is how a request was given.
type requestForm struct {
	// Captured says that it has been through a server.
	Captured bool
	// Authorized says that the server's authorizer let it pass, or would: it is a review.
	Authorized bool
	// Applied says that it is a server-side apply.
	Applied bool
	// MadeUpUser says that it names no user.
	MadeUpUser bool
	// MadeUpScaled says that it is a Scale which does not say whose it is.
	MadeUpScaled bool
	// text is the request as it was read; nil where its text is not kept.
	text *request.Request
}

// serverStep adds a step of the server itself, which rejects the request if
// status is not nil.
func (e *Evaluation) serverStep(s report.Step, status *apierrors.StatusError) (*apierrors.StatusError, *report.Step) {
	s.Kind, s.Status, s.Verdict = ServerKind, report.Evaluated, report.Admit
	if status != nil {
		s.Verdict, s.Error = report.Deny, status.ErrStatus.Message
		if s.Reason == "" {
			s.Reason = "the server rejects the request"
		}
	}
	return status, e.Chain.AddStep(s)
}

// Unauthorized says why the right of the user to make the request is not asked;
// empty when it is.
func (e *Evaluation) Unauthorized() string {
	switch mode := rbac.Mode(e.Scenario.Options.Authorizer); {
	case e.AdmissionOnly():
		return "only admission is checked"
	case e.Form.Authorized:
		return "the request has been through a server"
	case e.Form.MadeUpUser:
		return "the request names no user"
	case mode != rbac.RBAC:
		return fmt.Sprintf("options.authorizer is %s", mode)
	case !e.Rules.Given():
		return "the cluster has no roles"
	}
	return ""
}

// Verbs are those that may stand behind an operation: an AdmissionRequest does
// not tell a PUT from a PATCH.
var Verbs = map[string][]string{request.Create: {"create"}, request.Update: {"update", "patch"}, request.Delete: {"delete"}, request.Connect: {"create", "get"}}

// authorize asks whether the user may make the request at all, which the server
// does before admission.
func (e *Evaluation) authorize() (*apierrors.StatusError, *report.Step) {
	verbs := Verbs[e.Chain.Attributes.Operation]
	if e.Form.Applied {
		verbs = []string{"patch"}
	}
	return e.permit(report.Step{Phase: report.Mutating, Reason: "checked before admission"}, verbs)
}

// authorizeCreation asks whether the user of an apply may also create the object, which does not exist. The
// server does that once the object is valid (withAuthorization in endpoints/handlers).
func (e *Evaluation) authorizeCreation(c *run.Chain) (*apierrors.StatusError, *report.Step) {
	if !e.Form.Applied || c.Attributes.Operation != request.Create {
		return nil, nil
	}
	return e.permit(report.Step{Phase: report.Validating, Reason: "the apply creates the object"}, Verbs[request.Create])
}

// permit asks whether the user has one of some verbs for the request.
func (e *Evaluation) permit(step report.Step, verbs []string) (*apierrors.StatusError, *report.Step) {
	if e.Unauthorized() != "" {
		return nil, nil
	}
	a := &e.Chain.Attributes
	step.Policy = "authorization"
	ask := e.Rules.Authorizer(rbac.RBAC, func(check report.Authorization) { step.Authorizations = append(step.Authorizations, check) })
	resource, namespace := a.Resource, a.Namespace
	if r, known := e.Catalog.ResourceFor(resource); known && !r.Namespaced && resource.Resource != "namespaces" {
		namespace = ""
	}
	var refused *apierrors.StatusError
	for _, verb := range verbs {
		check := authorizer.AttributesRecord{User: a.User, Verb: verb, APIGroup: resource.Group, APIVersion: resource.Version, Resource: resource.Resource,
			Subresource: a.SubResource, Namespace: namespace, Name: a.Name, ResourceRequest: true}
		if a.Operation == request.Create && a.SubResource == "" && !e.Form.Applied {
			check.Name = "" // it is not in the URL
			if resource.Resource == "namespaces" {
				check.Namespace = ""
			}
		}
		decision, reason, err := ask.Authorize(context.Background(), check)
		if err == nil && decision == authorizer.DecisionAllow {
			return e.serverStep(step, nil)
		}
		if refused == nil {
			refused = forbidden(check, reason)
		}
	}
	if refused == nil {
		return nil, nil
	}
	return e.serverStep(step, refused)
}

// forbidden is the server's answer to a request that its authorizer does not
// allow (responsewriters.ForbiddenStatusError).
func forbidden(a authorizer.AttributesRecord, reason string) *apierrors.StatusError {
	resource := a.Resource
	if a.Subresource != "" {
		resource += "/" + a.Subresource
	}
	text := fmt.Sprintf("User %q cannot %s resource %q in API group %q at the cluster scope", a.User.GetName(), a.Verb, resource, a.APIGroup)
	if a.Namespace != "" {
		text = fmt.Sprintf("User %q cannot %s resource %q in API group %q in the namespace %q", a.User.GetName(), a.Verb, resource, a.APIGroup, a.Namespace)
	}
	text = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
	if reason != "" {
		text += ": " + reason
	}
	return apierrors.NewForbidden(schema.GroupResource{Group: a.APIGroup, Resource: a.Resource}, a.Name, errors.New(text))
}

// escalation asks whether the user has the rights that the request gives to
// others. The server does that when the mutating phase is over, so also after it has sent a review
// to mutating webhooks: a captured request may still fail here, if the texts have its roles.
func (e *Evaluation) escalation(c *run.Chain) (*apierrors.StatusError, *report.Step) {
	a := &c.Attributes
	given := a.Operation == request.Create || a.Operation == request.Update
	if e.AdmissionOnly() || e.Form.Authorized && !e.Rules.Given() || e.Form.MadeUpUser || !given || a.SubResource != "" || a.Resource.Group != "rbac.authorization.k8s.io" {
		return nil, nil
	}
	grant := rbac.Grant{User: a.User, Resource: a.Resource.GroupResource(), Namespace: a.Namespace, Object: a.Object, Old: a.OldObject}
	if a.Operation == request.Update {
		grant.Name = a.Name
	}
	step := report.Step{Phase: report.Validating, Policy: "escalation", Reason: "the user has the permissions that the object grants"}
	ask := e.Rules.Authorizer(rbac.Mode(e.Scenario.Options.Authorizer), func(check report.Authorization) { step.Authorizations = append(step.Authorizations, check) })
	err := e.Rules.Escalation(grant, ask)
	if err == nil {
		if waived := slices.IndexFunc(step.Authorizations, func(check report.Authorization) bool { return check.Allowed }); waived >= 0 {
			step.Reason = fmt.Sprintf("the user has the verb %s, so what the object grants is not compared", step.Authorizations[waived].Verb)
		}
		return e.serverStep(step, nil)
	}
	step.Reason = "the object grants permissions that the user does not have"
	var status *apierrors.StatusError
	if !errors.As(err, &status) {
		status = apierrors.NewInternalError(err)
	}
	return e.serverStep(step, status)
}
