//go:build apiserver

package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
)

// made is one request, as testdata has it.
type made struct {
	Name string `json:"name"`
	// Verb is create, update, merge, json, strategic, apply, delete or connect.
	// Empty means create.
	Verb string `json:"verb"`
	// About is the object that the request is about, where it is not Object itself:
	// "apps/v1 Deployment shop/web".
	About       string   `json:"about"`
	Subresource string   `json:"subresource"`
	User        string   `json:"user"` // empty means an administrator
	Groups      []string `json:"groups"`
	Object      object   `json:"object"`  // for create and apply
	Change      object   `json:"change"`  // for update: a merge patch on the object that is there
	Patch       any      `json:"patch"`   // for merge, json, strategic
	Fields      string   `json:"fields"`  // what to do about unknown ones: Ignore by default, Warn or Strict
	Query       string   `json:"query"`   // for connect: what follows the question mark
	Options     object   `json:"options"` // of a deletion, which are its body
}

// target is what a request is about.
type target struct{ apiVersion, kind, namespace, name string }

func (m *made) target() (target, error) {
	if m.About == "" {
		metadata, _ := m.Object["metadata"].(object)
		t := target{apiVersion: fmt.Sprint(m.Object["apiVersion"]), kind: fmt.Sprint(m.Object["kind"])}
		t.namespace, _ = metadata["namespace"].(string)
		t.name, _ = metadata["name"].(string)
		return t, nil
	}
	words := strings.Fields(m.About)
	if len(words) != 3 {
		return target{}, fmt.Errorf("%q is not a version, a kind and a name", m.About)
	}
	t := target{apiVersion: words[0], kind: words[1], name: words[2]}
	if namespace, name, ok := strings.Cut(words[2], "/"); ok {
		t.namespace, t.name = namespace, name
	}
	return t, nil
}

// asked is a request that was sent, and what the server answered.
type asked struct {
	made
	reply
	request object            // the AdmissionRequest as a user writes it; nil where a client cannot know the object
	review  object            // the AdmissionReview that a mutating webhook got; nil when none was asked
	reviews map[string]object // those of all webhooks
}

var media = map[string]string{
	"merge": "application/merge-patch+json", "json": "application/json-patch+json",
	"strategic": "application/strategic-merge-patch+json", "apply": "application/apply-patch+yaml",
}

// ask sends a request with dryRun=All.
func (w *world) ask(ctx context.Context, m made) (asked, error) {
	out := asked{made: m}
	t, err := m.target()
	if err != nil {
		return out, err
	}
	k, err := w.server.kindOf(ctx, t.apiVersion, t.kind)
	if err != nil {
		return out, err
	}
	r := call{user: m.User, groups: m.Groups}
	operation, name := "UPDATE", t.name
	var sent, old any
	if m.Verb != "create" && m.Verb != "" {
		if old, err = w.live(ctx, t, m.Subresource); err != nil {
			return out, err
		}
	}
	query := "?dryRun=All&fieldManager=test&fieldValidation=" + or(m.Fields, "Ignore")
	switch m.Verb {
	case "", "create":
		r.method, operation, sent = http.MethodPost, "CREATE", m.Object
		if m.About == "" {
			name = ""
		}
	case "update":
		r.method = http.MethodPut
		if sent, err = changed(old, m.Change); err != nil {
			return out, err
		}
	case "delete":
		r.method, operation, query = http.MethodDelete, "DELETE", "?dryRun=All"
		if m.Options != nil {
			query = ""
			m.Options["dryRun"] = []any{"All"}
		}
	case "connect":
		r.method, operation, query = http.MethodPost, "CONNECT", "?"+m.Query
	default:
		r.method, r.media = http.MethodPatch, media[m.Verb]
		if r.media == "" {
			return out, fmt.Errorf("no such verb: %q", m.Verb)
		}
		if m.Verb == "apply" {
			m.Patch, query = m.Object, query+"&force=true"
		}
	}
	body := sent
	if body == nil {
		body = m.Patch
	}
	if m.Options != nil {
		body = m.Options
	}
	if body != nil {
		if r.body, err = json.Marshal(body); err != nil {
			return out, err
		}
	}
	if r.path, err = w.server.path(ctx, t.apiVersion, t.kind, t.namespace, name, m.Subresource); err != nil {
		return out, err
	}
	r.path += query
	w.recorder.taken()
	if out.reply, err = w.server.do(ctx, r); err != nil {
		return out, err
	}
	out.reviews = w.recorder.taken()
	out.review = out.reviews[before]
	if r.method != http.MethodPatch && m.Verb != "connect" {
		out.request = m.asWritten(t, k, operation, sent, old)
	}
	return out, nil
}

// asWritten is the request as a user writes it.
func (m *made) asWritten(t target, k kind, operation string, sent, old any) object {
	group, version, ok := strings.Cut(t.apiVersion, "/")
	if !ok {
		group, version = "", t.apiVersion
	}
	q := object{"operation": operation, "name": t.name, "resource": object{"group": group, "version": version, "resource": k.resource},
		"userInfo": object{"username": "admin", "uid": "1", "groups": []any{"system:masters", "system:authenticated"}}}
	if m.User != "" {
		groups := []any{}
		for _, g := range m.Groups {
			groups = append(groups, g)
		}
		q["userInfo"] = object{"username": m.User, "groups": append(groups, "system:authenticated")}
	}
	if k.namespaced {
		q["namespace"] = or(t.namespace, "default")
	}
	if m.Subresource != "" {
		q["subResource"] = m.Subresource
	}
	if m.Options != nil {
		q["options"] = m.Options
	}
	if sent != nil {
		q["object"] = sent
	}
	if old != nil {
		q["oldObject"] = old
	}
	return q
}

// live is the object that the server has.
func (w *world) live(ctx context.Context, t target, subresource string) (any, error) {
	switch subresource {
	case "status", "scale", "ephemeralcontainers", "resize":
	default:
		subresource = ""
	}
	if subresource == "ephemeralcontainers" || subresource == "resize" {
		subresource = ""
	}
	p, err := w.server.path(ctx, t.apiVersion, t.kind, t.namespace, t.name, subresource)
	if err != nil {
		return nil, err
	}
	answer, err := w.server.do(ctx, call{method: http.MethodGet, path: p})
	if err != nil {
		return nil, err
	}
	if answer.code == http.StatusNotFound {
		return nil, nil
	}
	metadata, _ := answer.object["metadata"].(object)
	delete(metadata, "managedFields") // as kubectl shows it
	return answer.object, nil
}

// changed is an object with a merge patch.
func changed(old any, change object) (object, error) {
	before, err := json.Marshal(old)
	if err != nil {
		return nil, err
	}
	patch, err := json.Marshal(change)
	if err != nil {
		return nil, err
	}
	after, err := jsonpatch.MergePatch(before, patch)
	if err != nil {
		return nil, err
	}
	var out object
	err = json.Unmarshal(after, &out)
	return out, err
}
