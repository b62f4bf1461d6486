package documents

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/gotype"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/scenario"
)

// asWanted writes one value as a list, where the renamed field is one.
func (m Document) asWanted(t reflect.Type, to fieldpath.Path, path string) (string, bool) {
	want, ok := gotype.TypeAt(t, to)
	if !ok {
		return "", false
	}
	for want.Kind() == reflect.Pointer {
		want = want.Elem()
	}
	if object, ok := m.value(path).(map[string]any); ok && to.Last() == "matchConstraints" && !m.IsJSON() {
		return m.rulesOfKinds(object)
	}
	if object, ok := m.value(path).(map[string]any); ok && want.Kind() == reflect.String {
		name, text := object["name"].(string)
		return scenario.Scalar(name), text && name != "" && !m.IsJSON()
	}
	if list, ok := m.value(path).([]any); ok && to.Last() == "resources" && !m.IsJSON() {
		return m.resourcesOf(list)
	}
	if list, ok := m.value(path).([]any); ok && to.Last() == "operations" && !m.IsJSON() {
		return m.operationsOf(list)
	}
	if to.Last() == "validationActions" && !m.IsJSON() {
		return m.actionsOf(m.value(path))
	}
	text, scalar := m.value(path).(string)
	if scalar && to.Last() == "resources" && !m.IsJSON() {
		return m.resourcesOf([]any{text})
	}
	if want.Kind() != reflect.Slice || !scalar || want.Elem().Kind() != reflect.String || m.IsJSON() {
		return "", false
	}
	return "[" + scenario.Scalar(text) + "]", true
}

// rulesOfKinds are the rules for what Kyverno and Gatekeeper match by kinds: match.any,
// match.all or the kinds themselves. It is false for a mapping that names no kinds.
func (m Document) rulesOfKinds(match map[string]any) (string, bool) {
	var kinds []string
	var operations []any
	var walk func(value any)
	walk = func(value any) {
		switch v := value.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				list, isList := v[key].([]any)
				switch {
				case key == "kinds" && isList:
					for _, item := range list {
						if kind, ok := item.(string); ok {
							kinds = append(kinds, kind[strings.LastIndexByte(kind, '/')+1:])
						} else {
							walk(item)
						}
					}
				case key == "operations" && isList:
					operations = list
				default:
					walk(v[key])
				}
			}
		case []any:
			for _, item := range v {
				walk(item)
			}
		}
	}
	walk(match)
	words := "[CREATE, UPDATE]"
	if text, ok := m.operationsOf(operations); ok {
		words = text
	}
	var rules []string
	for _, kind := range kinds {
		i := slices.IndexFunc(m.in.Resources, func(r catalog.Resource) bool { return r.GVK.Kind == kind && r.Served })
		if i < 0 {
			return "", false
		}
		r := m.in.Resources[i].GVR
		rules = append(rules, fmt.Sprintf("{apiGroups: [%s], apiVersions: [%s], operations: %s, resources: [%s]}", scenario.Scalar(r.Group), r.Version, words, r.Resource))
	}
	return "{resourceRules: [" + strings.Join(rules, ", ") + "]}", len(rules) > 0
}

// resourcesOf are the resources of some kinds, as a list; false where one is not
// known.
func (m Document) resourcesOf(kinds []any) (string, bool) {
	var out []string
	for _, item := range kinds {
		kind, ok := item.(string)
		i := slices.IndexFunc(m.in.Resources, func(r catalog.Resource) bool { return r.GVK.Kind == kind && r.Served })
		if !ok || i < 0 {
			return "", false
		}
		out = append(out, m.in.Resources[i].GVR.Resource)
	}
	return "[" + strings.Join(out, ", ") + "]", len(out) > 0
}

// operationsOf are the operations that verbs of other places mean, as a list.
func (m Document) operationsOf(verbs []any) (string, bool) {
	options := []string{"CREATE", "UPDATE", "DELETE", "CONNECT", "*"}
	var out []string
	for _, item := range verbs {
		verb, _ := item.(string)
		best := m.allowed("operations[0]", verb, options)
		if best == "" {
			return "", false
		}
		if !slices.Contains(out, scenario.Scalar(best)) {
			out = append(out, scenario.Scalar(best))
		}
	}
	return "[" + strings.Join(out, ", ") + "]", len(out) > 0
}

// actionsOf are the actions that the words of other systems mean, as a list.
func (m Document) actionsOf(value any) (string, bool) {
	words, isList := value.([]any)
	if !isList {
		words = []any{value}
	}
	var out []string
	for _, item := range words {
		word, _ := item.(string)
		best := m.allowed("validationActions[0]", word, []string{"Deny", "Warn", "Audit"})
		if best == "" {
			best = word
		}
		if out = append(out, scenario.Scalar(best)); best == "" {
			return "", false
		}
	}
	return "[" + strings.Join(out, ", ") + "]", len(out) > 0
}
