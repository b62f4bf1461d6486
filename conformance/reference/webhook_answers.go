package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A hookAnswer is the spec of a WebhookResponse document, read here without the
// engine's code: what a webhook answers, or how the call fails.
type hookAnswer struct {
	Allowed          bool              `json:"allowed"`
	UID              *string           `json:"uid"`
	Patch            json.RawMessage   `json:"patch"`
	PatchType        *string           `json:"patchType"`
	Status           *metav1.Status    `json:"status"`
	Warnings         []string          `json:"warnings"`
	AuditAnnotations map[string]string `json:"auditAnnotations"`

	Timeout           bool              `json:"timeout"`
	DelaySeconds      float64           `json:"delaySeconds"`
	HTTPStatus        int               `json:"httpStatus"`
	Headers           map[string]string `json:"headers"`
	Body              json.RawMessage   `json:"body"`
	Text              *string           `json:"text"`
	NoResponse        bool              `json:"noResponse"`
	APIVersion        *string           `json:"apiVersion"`
	Kind              *string           `json:"kind"`
	ConnectionRefused bool              `json:"connectionRefused"`
	ConnectionError   string            `json:"connectionError"`

	Sequence []hookAnswer `json:"sequence"`
}

// hookAnswers are the answers of all webhooks of a scenario, by their names.
type hookAnswers struct {
	lock  sync.Mutex
	given map[string]int
	all   map[string]hookAnswer
}

// readHookAnswers reads the WebhookResponse documents of the cluster text.
func readHookAnswers(cluster string) (*hookAnswers, error) {
	docs, err := documents(cluster)
	if err != nil {
		return nil, err
	}
	out := &hookAnswers{given: map[string]int{}, all: map[string]hookAnswer{}}
	for _, d := range docs {
		if d.GVK.Group != "preadmit.dev" {
			continue
		}
		var document struct{ Spec hookAnswer }
		if err := json.Unmarshal(d.JSON, &document); err != nil {
			return nil, fmt.Errorf("WebhookResponse %s: %w", d.Name, err)
		}
		if _, there := out.all[d.Name]; !there {
			out.all[d.Name] = document.Spec
		}
	}
	return out, nil
}

// known reports whether a document answers for a webhook.
func (h *hookAnswers) known(webhook string) bool {
	_, ok := h.all[webhook]
	return ok
}

// current is the answer that is due. A webhook without a document allows.
func (h *hookAnswers) current(webhook string) hookAnswer {
	h.lock.Lock()
	defer h.lock.Unlock()
	a, ok := h.all[webhook]
	if !ok {
		return hookAnswer{Allowed: true}
	}
	if n := len(a.Sequence); n > 0 {
		return a.Sequence[min(h.given[webhook], n-1)]
	}
	return a
}

// advance goes on to the next answer.
func (h *hookAnswers) advance(webhook string) {
	h.lock.Lock()
	defer h.lock.Unlock()
	h.given[webhook]++
}

// bytes is the answer as it goes over the wire, and its type. A status other
// than 200 comes with the AdmissionReview too, unless there is another body.
func (a hookAnswer) bytes(version, uid string) (data []byte, contentType string, err error) {
	const isJSON = "application/json"
	switch {
	case a.Text != nil:
		return []byte(strings.ReplaceAll(*a.Text, zeroUID, uid)), "text/plain; charset=utf-8", nil
	case len(a.Body) > 0 && a.Body[0] == '"': // a text is sent as it is
		var raw string
		err := json.Unmarshal(a.Body, &raw)
		return []byte(strings.ReplaceAll(raw, zeroUID, uid)), isJSON, err
	case a.Body != nil:
		return []byte(strings.ReplaceAll(string(a.Body), zeroUID, uid)), isJSON, nil
	}
	review := map[string]any{"apiVersion": "admission.k8s.io/" + version, "kind": "AdmissionReview"}
	if a.APIVersion != nil {
		review["apiVersion"] = *a.APIVersion
	}
	if a.Kind != nil {
		review["kind"] = *a.Kind
	}
	if !a.NoResponse {
		if review["response"], err = a.response(uid); err != nil {
			return nil, "", err
		}
	}
	data, err = json.Marshal(review)
	return data, isJSON, err
}

// zeroUID stands for the uid of a request in scenarios; the real one is random.
const zeroUID = "00000000-0000-0000-0000-000000000000"

func (a hookAnswer) response(uid string) (map[string]any, error) {
	out := map[string]any{"uid": uid, "allowed": a.Allowed}
	if a.UID != nil {
		out["uid"] = *a.UID
	}
	if a.PatchType != nil {
		out["patchType"] = *a.PatchType
	}
	if a.Status != nil {
		out["status"] = a.Status
	}
	if a.Warnings != nil {
		out["warnings"] = a.Warnings
	}
	if a.AuditAnnotations != nil {
		out["auditAnnotations"] = a.AuditAnnotations
	}
	if len(a.Patch) == 0 || string(a.Patch) == "null" {
		return out, nil
	}
	if a.Patch[0] == '"' {
		var encoded string
		err := json.Unmarshal(a.Patch, &encoded)
		out["patch"] = encoded
		return out, err
	}
	out["patch"] = base64.StdEncoding.EncodeToString(a.Patch)
	return out, nil
}
