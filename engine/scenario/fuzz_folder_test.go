package scenario

import (
	"encoding/json"
	"github.com/preadmit/preadmit/scripts/hostile/variants"
	"reflect"
	"testing"
	"testing/fstest"
)

// FuzzFolder reads scenario folders as test, eval and links do. Writing and rereading a scenario
// must not change it.
func FuzzFolder(f *testing.F) {
	target := variants.Of(f, 150)
	target.Add("policies.yaml", "apiVersion: v1\nkind: Pod\n", "scenario.yaml", "kubernetes: '1.35'\noptions: {plugins: [PodSecurity]}\n")
	target.Add("request.json", "{\"kind\": \"Pod\"}", "a/b.yaml", "--- x")
	target.Add("scenario.yaml", "options: 5\nexpression: [a]\nnow: x\n", "expected.yaml", "allowed: true")
	target.Fuzz(func(t *testing.T, name1, text1, name2, text2 string) {
		read, err := FromFS(fstest.MapFS{name1: {Data: []byte(text1)}, name2: {Data: []byte(text2)}})
		if err != nil {
			return // an invalid folder name, or two names for one folder
		}
		want := read.Scenario
		if want.Kubernetes == "" {
			want.Kubernetes = DefaultVersion // a link states its version
		}
		link, err := EncodeLink(want)
		if err != nil {
			return // too large, or no UTF-8
		}
		again, err := DecodeLink(link)
		if err != nil || !reflect.DeepEqual(again, want) {
			t.Fatalf("the link gives %+v, %v; want %+v", again, err, want)
		}
	})
}

// FuzzAuditRequest builds requests from audit events.
func FuzzAuditRequest(f *testing.F) {
	target := variants.Of(f, 1000)
	target.Add([]byte(`{"kind":"Event","apiVersion":"audit.k8s.io/v1","stage":"ResponseComplete","verb":"create","objectRef":{"resource":"pods","apiVersion":"v1"},"requestObject":{"kind":"Pod","apiVersion":"v1"},"user":{"username":"a"}}`))
	target.Add([]byte(`{"kind":"Event","verb":"patch","objectRef":5,"user":[],"requestObject":"x"}`))
	target.Fuzz(func(t *testing.T, raw []byte) {
		var event map[string]any
		if json.Unmarshal(raw, &event) != nil || event == nil {
			return
		}
		before, err := json.Marshal(event)
		if err != nil {
			t.Fatal(err)
		}
		request, _, skip := AuditRequest(event)
		if (request == nil) == (skip == "") {
			t.Errorf("request %v, skipped for %q", request, skip)
		}
		after, err := json.Marshal(event)
		if err != nil || string(before) != string(after) {
			t.Errorf("the event was changed to %s, %v", after, err)
		}
	})
}
