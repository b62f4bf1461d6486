//go:build apiserver

package server

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
)

// recorder is a mutating webhook for everything, which changes nothing and keeps
// what it was sent last: the request as the policies of a cluster get it.
type recorder struct {
	server *httptest.Server
	lock   sync.Mutex
	last   object
}

func newRecorder() *recorder {
	r := &recorder{}
	r.server = httptest.NewTLSServer(r)
	return r
}

// ServeHTTP implements http.Handler.
func (r *recorder) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	raw, err := io.ReadAll(q.Body)
	var review object
	if err == nil {
		err = json.Unmarshal(raw, &review)
	}
	request, ok := review["request"].(object)
	if err != nil || !ok {
		http.Error(w, "not a review", http.StatusBadRequest)
		return
	}
	who, _ := request["userInfo"].(object)
	r.lock.Lock()
	if who["username"] != "system:apiserver" { // which renews its lease
		r.last = review
	}
	r.lock.Unlock()
	w.Header().Set("Content-Type", "application/json")
	answer := object{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": object{"uid": request["uid"], "allowed": true}}
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// taken is the last review, nil when there was none since the last call.
func (r *recorder) taken() object {
	r.lock.Lock()
	defer r.lock.Unlock()
	last := r.last
	r.last = nil
	return last
}

// install registers the webhook.
func (r *recorder) install(ctx context.Context, c *client) error {
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: r.server.Certificate().Raw})
	return c.create(ctx, object{
		"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingWebhookConfiguration", "metadata": object{"name": "recorder"},
		"webhooks": []any{object{
			"name": "recorder.example.com", "sideEffects": "None", "matchPolicy": "Exact", "admissionReviewVersions": []any{"v1"},
			"clientConfig": object{"url": r.server.URL, "caBundle": base64.StdEncoding.EncodeToString(authority)},
			"rules":        []any{object{"apiGroups": []any{"*"}, "apiVersions": []any{"*"}, "operations": []any{"*"}, "resources": []any{"*/*"}}},
		}},
	})
}
