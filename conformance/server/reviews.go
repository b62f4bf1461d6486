//go:build apiserver

package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/preadmit/preadmit/engine/report"
)

// webhooks are the configurations of the recorder's webhooks at an address.
func webhooks(url, authority string) []object {
	all := []any{object{"apiGroups": []any{"*"}, "apiVersions": []any{"*"}, "operations": []any{"*"}, "resources": []any{"*/*"}}}
	others := []any{}
	for _, rule := range [][3]string{
		{"autoscaling", "v1", "horizontalpodautoscalers"}, {"autoscaling", "v2", "horizontalpodautoscalers"}, {"", "v1", "events"}, {"events.k8s.io", "v1", "events"},
		{"example.com", "v1", "wheels"}, {"example.com", "v1beta1", "gears"}, {"autoscaling", "v1", "*/scale"},
	} {
		others = append(others, object{"apiGroups": []any{rule[0]}, "apiVersions": []any{rule[1]}, "operations": []any{"*"}, "resources": []any{rule[2]}})
	}
	webhook := func(name, policy string, rules []any) object {
		return object{
			"name": name, "sideEffects": "None", "matchPolicy": policy, "admissionReviewVersions": []any{"v1"},
			"clientConfig": object{"url": url + "/" + name, "caBundle": authority}, "rules": rules,
		}
	}
	configuration := func(kind string, list ...any) object {
		return object{"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": object{"name": "recorder"}, "webhooks": list}
	}
	return []object{
		configuration("MutatingWebhookConfiguration", webhook(before, "Exact", all)),
		configuration("ValidatingWebhookConfiguration", webhook(after, "Exact", all), webhook(equivalent, "Equivalent", others)),
	}
}

// texts are the policies and the cluster of a scenario with the recorder's webhooks.
func texts(cluster string) (policies, withResponses string) {
	for _, configuration := range webhooks("https://127.0.0.1:1", "") {
		policies += indented(configuration) + "\n---\n"
	}
	for _, name := range []string{before, after, equivalent} {
		cluster += "\n---\n" + indented(object{"apiVersion": "preadmit.dev/v1", "kind": "WebhookResponse", "metadata": object{"name": name}, "spec": object{"allowed": true}})
	}
	return policies, cluster
}

// reviewed is a review without what is chance, and without what a user does not write
// where the request is one that was written.
func reviewed(review object, form string) object {
	raw, err := json.Marshal(review["request"])
	var q object
	if err != nil || json.Unmarshal(raw, &q) != nil || q == nil {
		return nil
	}
	delete(q, "uid")
	if who, ok := q["userInfo"].(object); ok {
		delete(who, "extra")
		delete(who, "uid")
	}
	if form == written {
		delete(q, "options")
		delete(q, "dryRun")
		unstructured.RemoveNestedField(q, "object", "deleteOptions", "dryRun") // of an eviction
	}
	if o, ok := q["object"].(object); ok {
		metadata, _ := o["metadata"].(object)
		name, _ := q["name"].(string)
		if prefix, ok := metadata["generateName"].(string); ok && prefix != "" && len(name) == len(prefix)+5 {
			q["name"] = prefix + "*"
		}
	}
	for _, field := range []string{"object", "oldObject"} {
		if o, ok := q[field].(object); ok {
			q[field] = comparable(o)
		}
	}
	maps.DeleteFunc(q, func(_ string, v any) bool { return v == nil || v == "" })
	return q
}

// unsent are the differences between the reviews that the server sent and the engine's.
func (a asked) unsent(r *report.Report, form string) []string {
	got := map[string]object{}
	for i := range r.Steps {
		if s := &r.Steps[i]; s.Sent != nil && s.Pass == 0 {
			var review object
			raw, err := json.Marshal(s.Sent)
			if err == nil {
				err = json.Unmarshal(raw, &review)
			}
			if err != nil {
				return []string{err.Error()}
			}
			got[s.Webhook] = review
		}
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if a.reviews[name] == nil && (!r.Outcome.Allowed || a.code < http.StatusMultipleChoices) { // another answer is compared elsewhere
			out = append(out, "the server does not call "+name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a.reviews)) {
		want, is := reviewed(a.reviews[name], form), reviewed(got[name], form)
		if is == nil {
			out = append(out, "the engine does not call "+name)
			continue
		}
		for _, path := range slices.Sorted(maps.Keys(leaves(want, is))) {
			if x, y := indented(at(want, path)), indented(at(is, path)); x != y {
				out = append(out, fmt.Sprintf("%s%s:\n    server %s\n    engine %s", name, strings.ReplaceAll(path, "|", "."), x, y))
			}
		}
	}
	return out
}
