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

// audited makes an AdmissionReview of an audit event that is the request.
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

// HoldsRequest reports whether a text has a request in another form, which [Classify]
// makes one of: an audit event, or a log with an AdmissionReview or an audit event in it.
func HoldsRequest(src string) bool {
	if pasted.Logged(src) {
		return true
	}
	docs, problems := ParseDocuments(diag.Request, src)
	return len(docs) == 1 && docs[0].IsAuditEvent() && !diag.HasErrors(problems)
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// written is a value as YAML.
func written(value any) (string, error) {
	out, err := YAML(value)
	if err != nil {
		return "", fmt.Errorf("the document cannot be written as YAML: %w", err)
	}
	return string(out), nil
}

// response makes the WebhookResponse of an AdmissionReview that a webhook answered
// with, or of an HTTP answer.
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

// responseOf writes the WebhookResponse of a webhook.
func responseOf(webhook string, spec map[string]any) (string, error) {
	return written(map[string]any{
		"apiVersion": "preadmit.dev/v1", "kind": "WebhookResponse",
		"metadata": map[string]any{"name": webhook}, "spec": spec,
	})
}

// Responses are the texts of the WebhookResponses that an AdmissionReview with an answer may be, by the
// names of the webhooks of some policies.
func Responses(review *Document, cluster string, policies []*Document) (names, texts []string) {
	response, _ := review.Value["response"].(map[string]any)
	names = responders(policies, cluster, response)
	for _, name := range names {
		text, _ := responseOf(name, answered(review.Value, accepted(policies, name))) // it was read from YAML
		texts = append(texts, strings.TrimSuffix(text, "\n"))
	}
	return names, texts
}

// responders are the webhooks that a response can be of: only mutating ones patch,
// and of several, the one that has no answer yet is it.
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

// asked are those of several requests that one of the responses answers, by its uid.
func asked(requests, responses []*item) []*item {
	return slices.DeleteFunc(slices.Clone(requests), func(r *item) bool {
		return !slices.ContainsFunc(responses, func(a *item) bool {
			uid := uidOf(r.doc, "request")
			return uid != "" && uid == uidOf(a.doc, "response")
		})
	})
}

// uidOf is the uid in a part of an AdmissionReview.
func uidOf(d *Document, part string) string {
	within, _ := d.Value[part].(map[string]any)
	uid, _ := within["uid"].(string)
	return uid
}

// webhookNames lists the webhooks of configurations, each once; patching leaves out
// those that cannot patch.
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

// answered is the spec of the WebhookResponse for the review that a webhook answered
// with. Its uid belongs to another request and is left out; the patch is written as a
// list where it is one. The version of the review is kept where it is not the one that
// the webhook is asked in, which the server rejects.
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

// accepted is the version of the AdmissionReview that the server sends to a webhook, the
// first that it knows (semantics §8.3.1); empty when the webhook is not there, or accepts none.
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
