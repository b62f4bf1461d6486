package site

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// Topic is a gallery heading with its examples.
type Topic struct {
	Name     string
	Examples []Example
}

// anchor is the topic's id on the gallery page.
func (t Topic) anchor() string {
	return strings.ReplaceAll(strings.ToLower(t.Name), " ", "-")
}

// topicOrder is the order for learning. Other topics follow.
var topicOrder = []string{
	"First steps", "Pod Security in CEL", "Guard rails", "Validation", "Match conditions", "Variables", "Params", "Mutations",
	"JSON Patch", "Sidecars", "Reinvocation", "Custom resources", "Built-in plugins", "Authorizer",
	"Cost budgets", "Webhooks", "Migration", "Versions", "Common mistakes",
}

// levels are the examples' second tags, easiest first.
var levels = []string{"beginner", "intermediate", "advanced"}

// topic returns an example's first tag.
func (e Example) topic() string {
	if len(e.Scenario.Tags) == 0 {
		return "Other"
	}
	return e.Scenario.Tags[0]
}

// level returns an example's second tag.
func (e Example) level() string {
	if len(e.Scenario.Tags) < 2 {
		return ""
	}
	return e.Scenario.Tags[1]
}

// documentation returns the title of the Kubernetes documentation page that has the example: the
// third tag after "docs: ".
func (e Example) documentation() string {
	for _, tag := range e.Scenario.Tags {
		if page, ok := strings.CutPrefix(tag, "docs: "); ok {
			return page
		}
	}
	return ""
}

// documented lists the documentation pages of the examples.
func documented(topics []Topic) []string {
	var out []string
	for _, t := range topics {
		for _, e := range t.Examples {
			if page := e.documentation(); page != "" && !slices.Contains(out, page) {
				out = append(out, page)
			}
		}
	}
	slices.Sort(out)
	return out
}

// identifier returns a name in lower case with hyphens for blanks, as a filter's value.
func identifier(name string) string {
	return strings.ReplaceAll(strings.ToLower(name), " ", "-")
}

// feature is a gallery filter besides the kind: something that an example's texts use.
type feature struct {
	name string
	in   *regexp.Regexp
}

func (f feature) id() string { return identifier(f.name) }

// Features, ordered by name.
var features = []feature{
	{"ApplyConfiguration", regexp.MustCompile(`patchType: ApplyConfiguration`)},
	{"audit annotations", regexp.MustCompile(`(?m)^ *auditAnnotations:`)},
	{"authorizer", regexp.MustCompile(`\bauthorizer\.`)},
	{"JSON Patch", regexp.MustCompile(`patchType: JSONPatch`)},
	{"namespace labels", regexp.MustCompile(`\bnamespaceObject\b|namespaceSelector:`)},
	{"match conditions", regexp.MustCompile(`(?m)^ *(- )?matchConditions:`)},
	{"message expressions", regexp.MustCompile(`messageExpression:`)},
	{"old object", regexp.MustCompile(`\boldObject\.|\boldSelf\b`)},
	{"optional fields", regexp.MustCompile(`\.\?|\[\?|optional\.`)},
	{"params", regexp.MustCompile(`(?m)^ *paramKind:`)},
	{"Pod Security", regexp.MustCompile(`pod-security\.kubernetes\.io/`)},
	{"quantities", regexp.MustCompile(`\b(isQ|q)uantity\(`)},
	{"custom resource rules", regexp.MustCompile(`x-kubernetes-validations`)},
	{"subresources", regexp.MustCompile(`(?m)resources: \[.*\w/\w|subResource:`)},
	{"variables", regexp.MustCompile(`\bvariables\.`)},
	{"warnings", regexp.MustCompile(`validationActions: \[.*Warn`)},
}

// featuresOf returns an example's features, separated by blanks.
func featuresOf(e Example) string {
	text := e.Scenario.Policies + "\n" + e.Scenario.Cluster + "\n" + e.Scenario.Request
	var out []string
	for _, f := range features {
		if f.in.MatchString(text) {
			out = append(out, f.id())
		}
	}
	return strings.Join(out, " ")
}

// Topics groups examples by topic, easy ones first.
func Topics(examples []Example) []Topic {
	var topics []Topic
	for _, e := range examples {
		i := slices.IndexFunc(topics, func(t Topic) bool { return t.Name == e.topic() })
		if i < 0 {
			topics = append(topics, Topic{Name: e.topic()})
			i = len(topics) - 1
		}
		topics[i].Examples = append(topics[i].Examples, e)
	}
	slices.SortStableFunc(topics, func(a, b Topic) int { return cmp.Compare(rank(topicOrder, a.Name), rank(topicOrder, b.Name)) })
	for _, t := range topics {
		slices.SortStableFunc(t.Examples, func(a, b Example) int { return cmp.Compare(rank(levels, a.level()), rank(levels, b.level())) })
	}
	return topics
}

// rank returns a name's index in a list; missing names come last.
func rank(list []string, name string) int {
	if i := slices.Index(list, name); i >= 0 {
		return i
	}
	return len(list)
}

// related returns the topic's other examples.
func related(examples []Example, e Example) []Example {
	var out []Example
	for _, other := range examples {
		if other.topic() == e.topic() && other.Slug != e.Slug {
			out = append(out, other)
		}
	}
	return out
}

// kindNames are the kinds of the gallery's filter.
var kindNames = []struct{ Kind, Name string }{
	{"ValidatingAdmissionPolicy", "validating policies"},
	{"MutatingAdmissionPolicy", "mutating policies"},
	{"ValidatingWebhookConfiguration", "validating webhooks"},
	{"MutatingWebhookConfiguration", "mutating webhooks"},
	{"CustomResourceDefinition", "custom resources"},
}

// kindsOf returns the filter's kinds that an example has, separated by blanks.
func kindsOf(e Example) string {
	var out []string
	for _, k := range kindNames {
		for _, text := range []string{e.Scenario.Policies, e.Scenario.Cluster, e.Scenario.Request} {
			if strings.Contains("\n"+text, "\nkind: "+k.Kind+"\n") {
				out = append(out, k.Kind)
				break
			}
		}
	}
	return strings.Join(out, " ")
}
