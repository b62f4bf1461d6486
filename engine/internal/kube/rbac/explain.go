package rbac

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/preadmit/preadmit/engine/report"
)

// This file explains decisions. The server only explains what it allows. Explaining what is missing
// otherwise is our addition.

func explainGrant(grants []report.Grant) string {
	first := grants[0]
	text := fmt.Sprintf("rules[%d] of %s", first.Rule, first.Role)
	if first.RuleRole != "" {
		text = fmt.Sprintf("rules[%d] of %s, aggregated into %s,", first.Rule, first.RuleRole, first.Role)
	}
	text += fmt.Sprintf(" allows it; %s grants it to %s", first.Binding, first.Subject)
	if more := len(grants) - 1; more == 1 {
		text += "; one more rule allows it too"
	} else if more > 1 {
		text += fmt.Sprintf("; %d more rules allow it too", more)
	}
	return text
}

// explainDenial says what was checked and what comes closest to allowing it: a rule for the user
// that lacks one part, or a rule in another namespace.
func (r *Rules) explainDenial(who user.Info, q question) string {
	text := fmt.Sprintf("no rule allows user %q to %s", who.GetName(), q)
	bound := false
	for _, b := range r.order {
		if _, ok := b.subjectFor(who); !ok {
			continue
		}
		if b.namespace != "" && b.namespace != q.namespace {
			continue
		}
		// Built-in bindings apply to everybody and say nothing about a user.
		bound = bound || !b.source.builtin()
	}
	if near := r.nearest(who, q); near != "" {
		return text + "; " + near
	}
	if !bound {
		text += "; no binding here names this user, its groups or its service account"
	}
	return text
}

// String returns the check as a phrase: get pods/log in namespace apps.
func (q question) String() string {
	if !q.isResource {
		return q.verb + " the path " + q.path
	}
	text := q.verb + " " + q.what()
	if q.group != "" {
		text += " in API group " + q.group
	}
	if q.name != "" {
		text += " named " + q.name
	}
	if q.namespace != "" {
		return text + " in namespace " + q.namespace
	}
	return text + " in all namespaces or cluster-wide"
}

func (q question) what() string {
	if q.subResource != "" {
		return q.resource + "/" + q.subResource
	}
	return q.resource
}

// nearest finds the rule that lacks only one part: the later in the order of parts, the closer. A
// full match in another namespace is closest. Built-in bindings, which everybody has, do not count.
func (r *Rules) nearest(who user.Info, q question) string {
	order := []string{partURLs, partResources, partGroups, partVerbs, partNames}
	text, best := "", -1
	type bound struct {
		*role
		elsewhere bool
	}
	examined := map[bound]bool{}
	for _, b := range r.order {
		_, ok := b.subjectFor(who)
		granted := r.roles[b.role]
		if !ok || granted == nil || b.source.builtin() {
			continue
		}
		elsewhere := b.namespace != "" && b.namespace != q.namespace
		if examined[bound{granted, elsewhere}] {
			continue // no rule is closer than it was for an earlier binding
		}
		examined[bound{granted, elsewhere}] = true
		for i := range granted.rules {
			parts := missing(&granted.rules[i].PolicyRule, q)
			switch {
			case elsewhere && len(parts) == 0 && best < len(order):
				text, best = fmt.Sprintf("%s %s allows it, but only in namespace %s", b.kind, b.key, b.namespace), len(order)
			case !elsewhere && len(parts) == 1 && slices.Index(order, parts[0]) > best:
				text, best = nearMiss(granted, &granted.rules[i], parts[0], q), slices.Index(order, parts[0])
			}
		}
	}
	return text
}

// nearMiss says what a rule has instead of the missing part.
func nearMiss(granted *role, allows *rule, part string, q question) string {
	name := granted.kind + " " + granted.key.String()
	switch part {
	case partGroups:
		return fmt.Sprintf("%s allows it in API group %s, not in %q", name, list(allows.APIGroups), q.group)
	case partURLs:
		return fmt.Sprintf("%s allows it for %s, not for %s", name, list(allows.NonResourceURLs), q.path)
	case partResources:
		return fmt.Sprintf("%s allows it for %s, not for %s", name, list(allows.Resources), q.what())
	case partVerbs:
		return fmt.Sprintf("%s allows %s, not %s", name, list(allows.Verbs), q.verb)
	}
	text := fmt.Sprintf("%s allows it only for the name %s", name, list(allows.ResourceNames))
	if q.name == "" {
		text += ", and the check has no name"
	}
	return text
}

// maxListed limits how many items of a rule a sentence names.
const maxListed = 5

func list(items []string) string {
	shown := make([]string, 0, maxListed)
	for _, item := range items[:min(len(items), maxListed)] {
		if item == "" {
			item = `""`
		}
		shown = append(shown, item)
	}
	text := strings.Join(shown, ", ")
	if more := len(items) - maxListed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// remarks adds unexpected facts about a check.
func remarks(a authorizer.Attributes, who user.Info, allowed bool) string {
	var text string
	fields, fieldErr := a.GetFieldSelector()
	requirements, labelErr := a.GetLabelSelector()
	if fieldErr != nil {
		text += "; the field selector is ignored: " + fieldErr.Error()
	}
	if labelErr != nil {
		text += "; the label selector is ignored: " + labelErr.Error()
	}
	if len(fields)+len(requirements) > 0 {
		text += "; RBAC ignores selectors"
	}
	if !allowed && slices.Contains(who.GetGroups(), user.NodesGroup) {
		text += "; the Node authorizer, which a real server uses for kubelets, is not simulated"
	}
	return text
}
