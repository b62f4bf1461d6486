package roles

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// verbs are the verbs that the API server checks. Any client may check others.
var verbs = []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "use", "bind", "escalate", "impersonate", "approve", "sign", "attest", "proxy", "*"}

// otherVerbs are words for them from HTTP, kubectl and other systems.
var otherVerbs = map[string][]string{
	"read": {"get", "list", "watch"}, "view": {"get", "list", "watch"}, "readonly": {"get", "list", "watch"}, "describe": {"get"}, "post": {"create"}, "put": {"update"}, "add": {"create"}, "insert": {"create"},
	"write": {"create", "update", "patch", "delete"}, "edit": {"update", "patch"}, "modify": {"update", "patch"}, "change": {"update", "patch"}, "apply": {"get", "create", "patch"}, "remove": {"delete"},
	"all": {"*"}, "any": {"*"}, "gets": {"get"}, "lists": {"list"}, "deletes": {"delete"}, "creates": {"create"}, "updates": {"update"},
}

// verbsMeant returns the verbs that a word means; nil if it is a verb, or none is similar.
func verbsMeant(word string) []string {
	lower := strings.ToLower(word)
	if slices.Contains(verbs, word) {
		return nil
	}
	if slices.Contains(verbs, lower) {
		return []string{lower}
	}
	if meant := otherVerbs[lower]; meant != nil {
		return meant
	}
	if best, ok := nearest(verbs, word); ok && len(word) > 3 {
		return []string{best}
	}
	return nil
}

// noEffect repairs a word in a rule that RBAC does not support.
func (c *Cluster) noEffect(doc *scenario.Document, path fieldpath.Path) []diag.Fix {
	list := path.Parent()
	if len(path) != 4 || !path[3].IsIndex() {
		return nil
	}
	word := fieldpath.As[string](path.Get(doc.Value))
	switch list.Last() {
	case "verbs":
		if meant := verbsMeant(word); meant != nil {
			return allRewritten(doc, list, verbsMeant)
		}
	case "resources":
		if name, sub, _ := strings.Cut(word, "/"); sub == "*" {
			return rewritten(doc, list, word, name)
		}
		if best := c.resource(word); best != "" && best != word {
			return rewritten(doc, list, word, best)
		}
	case "apiGroups":
		group, version, slash := strings.Cut(word, "/")
		if !slash || group == "core" {
			group = ""
		}
		if of := c.groupsOf(texts(doc, list.Parent().Child("resources"))); len(of) == 1 {
			group = of[0]
		}
		if slash && version == "" {
			return nil
		}
		return rewritten(doc, list, word, group)
	}
	return nil
}

// resource returns the resource that a word means by its kind, singular or kubectl short name;
// empty if there is none.
func (c *Cluster) resource(word string) string {
	name, sub, slash := strings.Cut(word, "/")
	if slash {
		sub = "/" + sub
	}
	if c.plurals[name] || c.left == 0 {
		return word
	}
	c.left--
	for _, r := range c.resources {
		if strings.EqualFold(r.GVK.Kind, name) || strings.EqualFold(r.GVR.Resource, name) {
			return r.GVR.Resource + sub
		}
	}
	if plural := catalog.ShortNames[strings.ToLower(name)]; plural != "" {
		return plural + sub
	}
	var names []string
	for _, r := range c.resources {
		names = append(names, r.GVR.Resource)
	}
	if best, ok := nearest(names, name); ok {
		return best + sub
	}
	return ""
}

// groupsOf returns the groups that have all of the resources; nil if one is unknown.
func (c *Cluster) groupsOf(resources []string) []string {
	var out []string
	for i, word := range resources {
		name, _, _ := strings.Cut(word, "/")
		var groups []string
		for _, r := range c.resources {
			if r.GVR.Resource == name && r.Served && !slices.Contains(groups, r.GVR.Group) {
				groups = append(groups, r.GVR.Group)
			}
		}
		if i > 0 {
			groups = slices.DeleteFunc(groups, func(g string) bool { return !slices.Contains(out, g) })
		}
		if out = groups; len(out) == 0 {
			return nil
		}
	}
	return out
}

// Unlikely finds rules with verbs or resources that the API does not have: misspelt, or in another
// group. The server accepts any words.
func (c *Cluster) Unlikely() []diag.Diagnostic {
	var out []diag.Diagnostic
	for _, doc := range c.documents {
		if doc.Kind != "Role" && doc.Kind != "ClusterRole" {
			continue
		}
		list := fieldpath.As[[]any](fieldpath.New("rules").Get(doc.Value))
		for i := range list {
			out = append(out, c.unlikely(doc, fieldpath.New("rules").Index(i))...)
		}
	}
	return out
}

func (c *Cluster) unlikely(doc *scenario.Document, rule fieldpath.Path) []diag.Diagnostic {
	var out []diag.Diagnostic
	report := func(path fieldpath.Path, summary, detail string, fixes []diag.Fix) {
		out = append(out, diag.Diagnostic{Code: codes.RBACNoEffect, Severity: diag.Warning, Text: doc.Text, Span: doc.Locate(path.String()), Path: path.String(),
			Summary: summary, Detail: detail, Document: doc.Kind + "/" + doc.Name, Fixes: fixes})
	}
	groups, resources := texts(doc, rule.Child("apiGroups")), texts(doc, rule.Child("resources"))
	for i, verb := range texts(doc, rule.Child("verbs")) {
		meant := verbsMeant(verb)
		if meant == nil || strings.ToLower(verb) != verb { // capitals are already reported
			continue
		}
		path := rule.Child("verbs").Index(i)
		report(path, fmt.Sprintf("the API has no verb %q", verb), "Probably meant: "+strings.Join(meant, ", ")+".", allRewritten(doc, path.Parent(), verbsMeant))
	}
	if slices.Contains(groups, "*") || c.foreign(groups) {
		return out
	}
	known := true
	for i, word := range resources {
		if best := c.resource(word); strings.ToLower(word) == word && best != word && word != "*" && !strings.HasPrefix(word, "*/") {
			known = false
			if path := rule.Child("resources").Index(i); best != "" {
				report(path, fmt.Sprintf("no resource is called %q", word), "Resources are plural and in lower case: pods, not Pod.", rewritten(doc, path.Parent(), word, best))
			}
		}
	}
	of := c.groupsOf(resources)
	if !known || len(of) != 1 || len(groups) == 0 || slices.ContainsFunc(groups, func(g string) bool { return g == of[0] || !c.isGroup(g) }) {
		return out
	}
	// A rule may have several groups for several resources; here none of its resources is in any of
	// them.
	path := rule.Child("apiGroups")
	with := slices.Clone(of)
	for _, word := range resources {
		name, _, _ := strings.Cut(word, "/")
		if slices.ContainsFunc(c.resources, func(r catalog.Resource) bool { return r.GVR.Resource == name && slices.Contains(groups, r.GVR.Group) }) {
			return out
		}
	}
	report(path, fmt.Sprintf("%s are in the group %q", strings.Join(resources, ", "), of[0]), "The rule names another group, so it grants nothing.", written(doc, path.String(), inList(with)))
	return out
}

// isGroup reports whether the API has a group.
func (c *Cluster) isGroup(group string) bool {
	return slices.ContainsFunc(c.resources, func(r catalog.Resource) bool { return r.GVR.Group == group })
}

// foreign reports whether this API lacks a group, so its resources are unknown.
func (c *Cluster) foreign(groups []string) bool {
	return slices.ContainsFunc(groups, func(g string) bool {
		return !c.isGroup(g) && g != "v1" && g != "core" && !strings.Contains(g, "/")
	})
}
