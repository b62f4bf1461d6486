package scenario

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/text/pasted"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// audited turns a request that is an audit event into an AdmissionReview.
func (c *classifier) audited(it *item) {
	request, note, skip := AuditRequest(it.doc.Value)
	if skip == "" {
		var err error
		if it.instead, err = written(request); err != nil {
			skip = err.Error()
		}
	}
	if skip != "" {
		it.home = ""
		c.diagnose(it.read, diag.Error, codes.AuditEvent, it.at, "this audit event has no request", upperFirst(skip)+".")
		c.answeredEvent(it.doc.Value)
		return
	}
	before := true // the event has the object before the server's defaults
	c.out.Scenario.Options.Defaulting = &before
	if note != "" {
		c.diagnose(it.read, diag.Info, codes.AuditEventPartly, it.at, "the audit event has only part of the request", upperFirst(note)+".")
	}
}

// HoldsRequest reports whether a text holds a request that [Classify] would convert: an audit
// event, or a log with an AdmissionReview or audit event.
func HoldsRequest(src string) bool {
	if pasted.Logged(src) {
		return true
	}
	docs, problems := ParseDocuments(diag.Request, src)
	return len(docs) == 1 && docs[0].IsAuditEvent() && !diag.HasErrors(problems)
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// written returns a value as YAML.
func written(value any) (string, error) {
	out, err := YAML(value)
	if err != nil {
		return "", fmt.Errorf("the document cannot be written as YAML: %w", err)
	}
	return string(out), nil
}

// response builds the WebhookResponse for a webhook's AdmissionReview or HTTP response.
func (c *classifier) response(it *item, policies []*Document) {
	noun, review := "AdmissionReview", map[string]any(nil)
	if it.http == nil {
		review = it.doc.Value
	} else {
		noun, review = "HTTP answer", it.http.reviewed()
	}
	response, _ := review["response"].(map[string]any)
	names := responders(policies, c.given.Scenario.Cluster, response)
	switch {
	case c.given.Webhook != "":
		names = []string{c.given.Webhook}
	case len(names) == 0:
		c.diagnose(it.read, diag.Error, codes.WhichWebhook, it.at, "this "+noun+" is a webhook's response, but there is no webhook",
			"Add the webhook configuration under Policies first.")
		return
	case len(names) > 1 && slices.Contains(names, it.read.named()):
		names = []string{it.read.named()}
	case len(names) > 1:
		c.out.Webhooks = names
		c.diagnose(it.read, diag.Error, codes.WhichWebhook, it.at, "this "+noun+" is a webhook's response, but there are several webhooks",
			fmt.Sprintf("It is the response of one of %s: name the file after it, or write it as the spec of a WebhookResponse with that name.", strings.Join(names, ", ")))
		return
	}
	var spec map[string]any
	if review != nil {
		spec = answered(review, accepted(policies, names[0]))
	} else {
		spec = it.http.spec()
	}
	text, err := responseOf(names[0], spec)
	if err != nil {
		c.diagnose(it.read, diag.Error, codes.WhichWebhook, it.at, err.Error(), "")
		return
	}
	it.home, it.instead = diag.Cluster, text
	it.APIVersion, it.Kind, it.Name = "preadmit.dev/v1", "WebhookResponse", names[0]
}

// responseOf writes a webhook's WebhookResponse.
func responseOf(webhook string, spec map[string]any) (string, error) {
	return written(map[string]any{
		"apiVersion": "preadmit.dev/v1", "kind": "WebhookResponse",
		"metadata": map[string]any{"name": webhook}, "spec": spec,
	})
}

// Responses returns the possible WebhookResponses for an AdmissionReview with a response, by
// webhook name. The webhooks are those of the given policies.
func Responses(review *Document, cluster string, policies []*Document) (names, texts []string) {
	response, _ := review.Value["response"].(map[string]any)
	names = responders(policies, cluster, response)
	for _, name := range names {
		text, _ := responseOf(name, answered(review.Value, accepted(policies, name))) // it was read from YAML
		texts = append(texts, strings.TrimSuffix(text, "\n"))
	}
	return names, texts
}

// responders returns the webhooks that could have sent a response. Only mutating webhooks return
// patches. Among several, only those without a response count.
func responders(policies []*Document, cluster string, response map[string]any) []string {
	names := webhookNames(policies, response["patch"] != nil)
	if len(names) == 0 {
		names = webhookNames(policies, false)
	}
	if len(names) < 2 {
		return names
	}
	answered, _ := ParseDocuments(diag.Cluster, cluster)
	left := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return slices.ContainsFunc(answered, func(d *Document) bool { return d.Kind == "WebhookResponse" && d.Name == name })
	})
	if len(left) == 1 {
		return left
	}
	return names
}

// asked returns the requests, among several, that one of the responses answers. It compares uids.
func asked(requests, responses []*item) []*item {
	return slices.DeleteFunc(slices.Clone(requests), func(r *item) bool {
		return !slices.ContainsFunc(responses, func(a *item) bool {
			uid := uidOf(r.doc, "request")
			return uid != "" && uid == uidOf(a.doc, "response")
		})
	})
}

// uidOf returns the uid in a part of an AdmissionReview.
func uidOf(d *Document, part string) string {
	within, _ := d.Value[part].(map[string]any)
	uid, _ := within["uid"].(string)
	return uid
}

// webhookNames lists the webhooks of configurations, each once. With patching, it omits those that
// cannot patch.
func webhookNames(policies []*Document, patching bool) []string {
	var names []string
	for _, d := range policies {
		if patching && d.Kind == "ValidatingWebhookConfiguration" {
			continue
		}
		list, _ := d.Value["webhooks"].([]any)
		for _, w := range list {
			hook, _ := w.(map[string]any)
			if name, _ := hook["name"].(string); name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// answered returns a WebhookResponse's spec for the AdmissionReview that a webhook sent. It drops
// the uid, which belongs to another request, and writes the patch as a list if it is one. It keeps
// the review's version only if it differs from the request's, because the server rejects that.
func answered(review map[string]any, version string) map[string]any {
	response, _ := review["response"].(map[string]any)
	spec := map[string]any{}
	for name, value := range response {
		if name != "uid" {
			spec[name] = value
		}
	}
	if encoded, ok := spec["patch"].(string); ok {
		var operations []any
		if raw, err := base64.StdEncoding.DecodeString(encoded); err == nil && json.Unmarshal(raw, &operations) == nil {
			spec["patch"] = operations
		}
	}
	if given, _ := review["apiVersion"].(string); version != "" && given != "" && given != "admission.k8s.io/"+version {
		spec["apiVersion"] = given
	}
	return spec
}

// accepted returns the AdmissionReview version that the server sends to a webhook: the first in the
// webhook's list that the server supports (semantics §8.3.1). It is empty if the webhook does not
// exist or accepts none of them.
func accepted(policies []*Document, webhook string) string {
	for _, d := range policies {
		list, _ := d.Value["webhooks"].([]any)
		for _, w := range list {
			hook, _ := w.(map[string]any)
			versions, _ := hook["admissionReviewVersions"].([]any)
			if hook["name"] != webhook {
				continue
			}
			for _, v := range versions {
				if v == "v1" || v == "v1beta1" {
					return v.(string)
				}
			}
		}
	}
	return ""
}
