package generate

import (
	"fmt"
	"strings"
)

// Broken makes documents that a server should reject or warn about: generated
// policies, bindings and webhook configurations with a few of their fields
// removed, renamed or given another value. There is no request: only their
// installation is compared.
func (src Source) Broken(number int) Scenario {
	// A stream of its own, so that number n is not a variation of scenario n.
	seed := src.Seed
	g := src.gen(^seed, number)
	g.kind, g.operation = g.pickKind(), "CREATE"
	g.params = pick(g, "", "ConfigMap", "Widget")
	var docs []object
	switch g.IntN(5) {
	case 0:
		docs = []object{g.webhooks("Mutating"), g.webhooks("Validating")}
	default:
		docs = append(g.policy("Mutating", "m"), g.policy("Validating", "v")...)
		docs = g.served(docs)
	}
	for i, doc := range docs {
		docs[i] = copyObject(doc)
		for range pick(g, 0, 1, 1, 2, 3) {
			g.breakOne(docs[i])
		}
	}
	s := Scenario{Kind: "installation"}
	s.ID = fmt.Sprintf("broken %d/%d", seed, number)
	s.Policies = text(named(docs)...)
	return s
}

// named gives the documents different names where the name still is one, as a
// second document of the same name is another story.
func named(docs []object) []object {
	for i, doc := range docs {
		if m, ok := doc["metadata"].(object); ok {
			if name, ok := m["name"].(string); ok && name != "" && !strings.HasSuffix(name, ".") {
				m["name"] = fmt.Sprintf("d%d-%s", i, name)
			}
		}
	}
	return docs
}

// webhooks is a configuration with one or two webhooks.
func (g *gen) webhooks(which string) object {
	var list []any
	for i := range 1 + g.IntN(2) {
		hook := object{
			"name": fmt.Sprintf("hook%d.example.com", i), "admissionReviewVersions": []any{"v1"}, "sideEffects": pick(g, "None", "NoneOnDryRun"),
			"clientConfig": pickAny(g, object{"url": "https://example.com/x"}, object{"service": object{"namespace": "default", "name": "svc", "path": "/x"}}),
			"rules":        []any{g.rule()},
		}
		if g.chance(0.5) {
			hook["matchConditions"] = g.conditions()
		}
		if g.chance(0.3) {
			hook["timeoutSeconds"] = 5
		}
		if g.chance(0.3) {
			hook["objectSelector"] = g.selector()
		}
		if which == "Mutating" && g.chance(0.4) {
			hook["reinvocationPolicy"] = "IfNeeded"
		}
		list = append(list, hook)
	}
	return object{"apiVersion": group, "kind": which + "WebhookConfiguration", "metadata": object{"name": "w"}, "webhooks": list}
}

// place is a field or item of a document.
type place struct {
	parent any // object or []any
	key    string
	index  int
}

func (p place) value() any {
	if m, ok := p.parent.(object); ok {
		return m[p.key]
	}
	return p.parent.([]any)[p.index]
}

func (p place) set(v any) {
	if m, ok := p.parent.(object); ok {
		m[p.key] = v
	} else {
		p.parent.([]any)[p.index] = v
	}
}

// places are all places below v, in a fixed order, without the head that says
// what kind of document it is.
func places(v any, top bool) []place {
	var out []place
	switch v := v.(type) {
	case object:
		for _, k := range sortedKeys(v) {
			if top && (k == "apiVersion" || k == "kind") {
				continue
			}
			out = append(out, place{parent: v, key: k})
			out = append(out, places(v[k], false)...)
		}
	case []any:
		for i := range v {
			out = append(out, place{parent: v, index: i})
			out = append(out, places(v[i], false)...)
		}
	}
	return out
}

// breakOne changes one place. Values keep their JSON type most of the time:
// another type is rejected by the decoder, before any validation.
func (g *gen) breakOne(doc object) {
	all := places(doc, true)
	if len(all) == 0 {
		return // everything is gone already
	}
	p := pick(g, all...)
	if m, ok := p.parent.(object); ok && g.chance(0.2) {
		delete(m, p.key)
		return
	}
	switch v := p.value().(type) {
	case string:
		p.set(g.badText())
	case float64:
		p.set(pickAny(g, -1, 0, 31, 70000))
	case bool:
		p.set(!v)
	case []any:
		g.breakList(p, v)
	case object:
		g.breakObject(p, v)
	}
	if g.chance(0.04) {
		p.set(pickAny(g, "text", 1, true, []any{}, object{}, nil))
	}
}

func (g *gen) badText() string {
	return pick(g, "", " ", "*", "a", "Bad_Name", "-x", "x..y", "UPPER", "a/b", "*/x", "x/*", ".", "..", "%", "v1", "Fail", "Ignore", "Deny", "Allow", "Exists", "In", "Equals",
		"CREATE", "DELETE", "CONNECT", "create", "true", "1 +", "object.spec", "'text'", "variables.nosuch == 1", "params.x == 1", "in", "object", "9x", "Invalid", "Unauthorized",
		"line\nbreak", strings.Repeat("n", 64), strings.Repeat("n", 300), "http://example.com", "https://user:pw@example.com/?q=1#f", "https://", "name.static.k8s.io", "none", "Some", "Unknown", "Always", "JSONPatch")
}

func (g *gen) breakList(p place, list []any) {
	switch g.IntN(5) {
	case 0:
		p.set([]any{})
	case 1:
		if len(list) > 0 {
			p.set(append(list, list[0])) // a duplicate
		}
	case 2:
		if len(list) > 0 {
			if _, ok := list[0].(string); ok {
				p.set(append(list, g.badText()))
			}
		}
	case 3:
		if len(list) > 0 {
			many := make([]any, 70)
			for i := range many {
				many[i] = list[0]
			}
			p.set(many)
		}
	default:
		if len(list) > 0 {
			if _, ok := list[0].(string); ok {
				p.set(append([]any{g.badText()}, list...))
			}
		}
	}
}

func (g *gen) breakObject(p place, o object) {
	switch g.IntN(4) {
	case 0:
		p.set(object{})
	case 1:
		o[pick(g, "nosuch", "Name", "selector", "name", "matchLabels", "namespace", "url", "scope", "matchPolicy", "failurePolicy", "reason", "timeoutSeconds")] = g.badText()
	case 2:
		o[pick(g, "matchExpressions", "excludeResourceRules", "resourceNames", "matchConditions", "variables")] = []any{object{"name": g.badText(), "key": g.badText(), "operator": g.badText(), "expression": g.badText()}}
	default:
		if keys := sortedKeys(o); len(keys) > 0 {
			delete(o, pick(g, keys...))
		}
	}
}
