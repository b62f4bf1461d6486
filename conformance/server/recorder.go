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
	"strings"
	"sync"

	kjson "sigs.k8s.io/json"
)

// The webhooks of the recorder: for everything, and one that gets requests in other
// versions than they were made in.
const (
	before     = "before.example.com"
	after      = "after.example.com"
	equivalent = "equivalent.example.com"
)

// recorder is three webhooks, which change nothing and keep what they were sent last: the
// request as the policies of a cluster get it, before and after the object is prepared for
// storage. It implements http.Handler.
type recorder struct {
	server *httptest.Server
	lock   sync.Mutex
	last   map[string]object // by webhook
}

func newRecorder() *recorder {
	r := &recorder{last: map[string]object{}}
	r.server = httptest.NewTLSServer(r)
	return r
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	raw, err := io.ReadAll(q.Body)
	var review object
	if err == nil {
		err = kjson.UnmarshalCaseSensitivePreserveInts(raw, &review)
	}
	request, ok := review["request"].(object)
	if err != nil || !ok {
		http.Error(w, "not a review", http.StatusBadRequest)
		return
	}
	who, _ := request["userInfo"].(object)
	r.lock.Lock()
	if who["username"] != "system:apiserver" { // which renews its lease
		r.last[strings.TrimPrefix(q.URL.Path, "/")] = review
	}
	r.lock.Unlock()
	w.Header().Set("Content-Type", "application/json")
	answer := object{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": object{"uid": request["uid"], "allowed": true}}
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// taken are the last reviews, none when there were none since the last call.
func (r *recorder) taken() map[string]object {
	r.lock.Lock()
	defer r.lock.Unlock()
	last := r.last
	r.last = map[string]object{}
	return last
}

// install registers the webhooks.
func (r *recorder) install(ctx context.Context, c *client) error {
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: r.server.Certificate().Raw})
	for _, configuration := range webhooks(r.server.URL, base64.StdEncoding.EncodeToString(authority)) {
		if err := c.create(ctx, configuration); err != nil {
			return err
		}
	}
	return nil
}
