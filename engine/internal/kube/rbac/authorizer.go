package rbac

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
)

// Mode says how authorizer checks are decided. The values are those of a scenario's authorizer
// option.
type Mode string

// The modes.
const (
	RBAC     Mode = ""      // by the RBAC objects of the cluster
	AllowAll Mode = "allow" // every check is allowed
	DenyAll  Mode = "deny"  // no check is allowed, not even to system:masters
)

// Checker answers and records authorizer checks. It implements the interface behind the CEL
// library's authorizer variable.
type Checker struct {
	rules  *Rules
	mode   Mode
	record func(report.Authorization)
}

var _ authorizer.Authorizer = (*Checker)(nil)

// Checker returns a checker. It calls record, unless nil, with every check in order.
func (r *Rules) Checker(mode Mode, record func(report.Authorization)) *Checker {
	if record == nil {
		record = func(report.Authorization) {}
	}
	return &Checker{rules: r, mode: mode, record: record}
}

// Authorize answers one check. As on the server the decision is Allow or NoOpinion, never Deny, and
// RBAC never returns an error.
func (c *Checker) Authorize(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
	who := a.GetUser()
	if who == nil {
		return authorizer.DecisionNoOpinion, "Error", errors.New("no user on request.")
	}
	check := describeCheck(a)
	q := questionOf(a)
	switch {
	case c.mode == AllowAll:
		check.Allowed, check.Explanation = true, "the scenario allows every check"
	case c.mode == DenyAll:
		check.Reason = c.rules.noOpinion("alwaysdeny", "Everything is forbidden.")
		check.Explanation = "the scenario allows no check"
	case slices.Contains(who.GetGroups(), user.SystemPrivilegedGroup):
		check.Allowed, check.Explanation = true, "the group system:masters may do everything, whatever RBAC says"
	default:
		c.rules.decide(&check, who, q)
	}
	check.Explanation += remarks(a, who, check.Allowed)
	c.record(check)
	if check.Allowed {
		return authorizer.DecisionAllow, check.Reason, nil
	}
	return authorizer.DecisionNoOpinion, check.Reason, nil
}

// ConditionsAwareAuthorize answers as Authorize does.
func (c *Checker) ConditionsAwareAuthorize(ctx context.Context, a authorizer.Attributes) authorizer.ConditionsAwareDecision {
	return authorizer.ConditionsAwareDecisionFromParts(c.Authorize(ctx, a))
}

// EvaluateConditions fails: RBAC makes no conditional decisions.
func (c *Checker) EvaluateConditions(context.Context, authorizer.ConditionsAwareDecision, authorizer.ConditionsData) (authorizer.Decision, string, error) {
	return authorizer.DecisionDeny, "", authorizer.ErrorConditionEvaluationNotSupported
}

// decide evaluates RBAC. The first grant decides. The others are listed because the server visits
// them in no particular order.
func (r *Rules) decide(check *report.Authorization, who user.Info, q question) {
	var unresolved []error
	allowing := map[*role][]int{} // by role, which many bindings may have
	for _, b := range r.order {
		if b.namespace != "" && b.namespace != q.namespace {
			continue
		}
		subject, ok := b.subjectFor(who)
		if !ok {
			continue
		}
		granted, err := r.roleOf(b)
		if err != nil {
			unresolved = append(unresolved, err)
			continue
		}
		rules, examined := allowing[granted]
		if !examined {
			rules = granted.allowing(q)
			allowing[granted] = rules
		}
		for _, i := range rules {
			if len(check.Grants) == 0 {
				check.Allowed, check.Reason = true, b.reason(subject)
			}
			check.Grants = append(check.Grants, grantOf(b, granted, &granted.rules[i], describe(subject, b.namespace)))
		}
	}
	if check.Allowed {
		check.Explanation = explainGrant(check.Grants)
		return
	}
	if len(unresolved) > 0 {
		check.Reason = r.noOpinion("rbac", fmt.Sprintf("RBAC: %v", utilerrors.NewAggregate(unresolved)))
	}
	check.Explanation = r.explainDenial(who, q)
}

// allowing returns the indices of the rules that allow a check.
func (r *role) allowing(q question) []int {
	var out []int
	for i := range r.rules {
		if len(missing(&r.rules[i].PolicyRule, q)) == 0 {
			out = append(out, i)
		}
	}
	return out
}

// noOpinion is the reason from an authorizer that has no opinion.
func (r *Rules) noOpinion(name, reason string) string {
	if r.version.Has(version.AuthorizerNames) {
		return name + ": " + reason
	}
	return reason
}

func grantOf(b *binding, granted *role, allows *rule, subject string) report.Grant {
	grant := report.Grant{
		Binding: b.kind + " " + b.key.String(),
		Role:    granted.kind + " " + granted.key.String(),
		Rule:    allows.index,
		Subject: subject,
		Builtin: allows.owner.source.builtin(),

		RulePath: fieldpath.New("rules").Index(allows.index).String(),
	}
	if allows.owner != granted {
		grant.RuleRole = allows.owner.kind + " " + allows.owner.key.String()
	}
	if !grant.Builtin {
		grant.Text = allows.owner.source.text
		grant.Span = allows.owner.source.locate(grant.RulePath)
	}
	return grant
}

// describeCheck records the check's attributes.
func describeCheck(a authorizer.Attributes) report.Authorization {
	check := report.Authorization{
		User: a.GetUser().GetName(), Groups: a.GetUser().GetGroups(), Verb: a.GetVerb(),
		Path: a.GetPath(), APIGroup: a.GetAPIGroup(), Resource: a.GetResource(), SubResource: a.GetSubresource(),
		Namespace: a.GetNamespace(), Name: a.GetName(),
	}
	if fields, err := a.GetFieldSelector(); err == nil {
		var parts []string
		for _, field := range fields {
			parts = append(parts, field.Field+string(field.Operator)+field.Value)
		}
		check.FieldSelector = strings.Join(parts, ",")
	}
	if requirements, err := a.GetLabelSelector(); err == nil {
		var parts []string
		for _, requirement := range requirements {
			parts = append(parts, requirement.String())
		}
		check.LabelSelector = strings.Join(parts, ",")
	}
	return check
}
