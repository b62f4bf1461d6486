package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync/atomic"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/conformance/wire"
)

// notReachable are vectors whose webhooks the test server cannot play.
var notReachable = map[string]string{
	"webhook-failures/connection-refused-fail.yaml":   "nothing in the vector says that the port is closed",
	"webhook-failures/connection-refused-ignore.yaml": "nothing in the vector says that the port is closed",
}

// TestWebhookVectors shows that the whole chain is driven as the real server
// is: every recorded answer that webhooks have a part in comes out of it.
func TestWebhookVectors(t *testing.T) {
	silence()
	dir := kubernetesDir(t)
	kinds, err := loadResources(dir)
	if err != nil {
		t.Fatal(err)
	}
	r := &reference{kinds: kinds, schemas: newSchemaStore(dir)}
	var compared atomic.Int64
	for _, file := range vectorFiles(t) {
		name := strings.TrimPrefix(filepath.ToSlash(file), vectorDir+"/")
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if notReachable[name] != "" || !strings.Contains(string(data), "WebhookConfiguration") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel() // some answers come late
			var v webhookVector
			if err := yaml.Unmarshal(data, &v); err != nil {
				t.Fatal(err)
			}
			for _, q := range v.Requests {
				t.Run(q.Name, func(t *testing.T) {
					if q.compare(t, r, v) {
						compared.Add(1)
					}
				})
			}
		})
	}
	t.Cleanup(func() { t.Logf("%d requests compared", compared.Load()) })
}

// webhookVector reads the rest of a vector.
type webhookVector struct {
	Policies         string
	Cluster          string
	WebhookResponses map[string]any
	Requests         []webhookRequest
}

type webhookRequest struct {
	vectorRequest
	Answer struct {
		vectorAnswer
		WebhooksCalled []string
	}
}

// compare says whether there was something to compare.
func (q webhookRequest) compare(t *testing.T, r *reference, v webhookVector) bool {
	t.Helper()
	if q.WithoutPolicies != nil || q.Unproven != "" || q.Answer.RefusedBy != "" || q.Answer.Panic {
		return false
	}
	request, err := json.Marshal(map[string]any{"kind": "AdmissionReview", "request": q.Request})
	if err != nil {
		t.Fatal(err)
	}
	c := wire.Case{Policies: v.Policies, Request: string(request), Cluster: v.Cluster,
		Set: q.ValidationPhase.Set, Remove: q.ValidationPhase.Removed, Webhooks: true}
	for name, spec := range v.WebhookResponses {
		doc, err := json.Marshal(map[string]any{"apiVersion": "preadmit.dev/v1", "kind": "WebhookResponse", "metadata": map[string]any{"name": name}, "spec": spec})
		if err != nil {
			t.Fatal(err)
		}
		c.Cluster += "\n---\n" + string(doc)
	}
	want := q.vectorRequest
	want.Answer = q.Answer.vectorAnswer
	got, problem := answerTo(r, want, c)
	if problem != "" {
		t.Error(problem)
	}
	var called []string
	for _, call := range got.Calls {
		called = append(called, call.Webhook)
	}
	sort.Strings(called)
	sort.Strings(q.Answer.WebhooksCalled)
	if strings.Join(called, " ") != strings.Join(q.Answer.WebhooksCalled, " ") {
		t.Errorf("called: recorded %v, reference %v", q.Answer.WebhooksCalled, called)
	}
	return true
}
