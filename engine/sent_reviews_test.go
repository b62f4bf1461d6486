package engine

import (
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/preadmit/preadmit/engine/report"
)

// sentReview is the body that a webhook got.
type sentReview struct {
	Webhook string         `json:"webhook"`
	Review  map[string]any `json:"review"`
}

// TestSentReviews compares the reviews that webhooks get with those that a real
// kube-apiserver 1.36.3 sent to a webhook which kept them: testdata/sent, in the
// format of testdata/vectors. Audit annotations were not recorded.
func TestSentReviews(t *testing.T) {
	paths, err := filepath.Glob("testdata/sent/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no vectors: %v", err)
	}
	for _, path := range paths {
		v := readVector(t, path)
		for _, r := range v.Requests {
			t.Run(filepath.Base(path)+"/"+r.Name, func(t *testing.T) {
				got, err := Evaluate(context.Background(), scenarioOf(t, v, r), Options{})
				if err != nil {
					t.Fatal(err)
				}
				if !got.Outcome.Allowed {
					t.Errorf("denied: %s", got.Outcome.Message)
				}
				if want, got := reviews(t, r.Answer.Sent, r), reviews(t, sentReviews(t, got), r); !reflect.DeepEqual(want, got) {
					t.Errorf("want %s\ngot %s", text(want), text(got))
				}
			})
		}
	}
}

func sentReviews(t *testing.T, r *report.Report) []sentReview {
	var out []sentReview
	for _, s := range r.Steps {
		if s.Sent != nil {
			var review map[string]any
			decode(t, marshalled(t, s.Sent), &review)
			out = append(out, sentReview{s.Webhook, review})
		}
	}
	return out
}

// reviews are the bodies by webhook. What no engine can know is left out of the
// objects; every other field counts, also those that are null.
func reviews(t *testing.T, list []sentReview, r vectorRequest) map[string][]json.RawMessage {
	set := slices.Collect(maps.Keys(r.ValidationPhase.Set))
	out := map[string][]json.RawMessage{}
	for _, s := range list {
		review := maps.Clone(s.Review)
		request := maps.Clone(review["request"].(map[string]any))
		delete(request, "uid")
		for field, ignored := range map[string][]string{"object": set, "oldObject": nil} {
			if object, ok := request[field].(map[string]any); ok {
				request[field] = clean(object, ignored)
			}
		}
		review["request"] = request
		out[s.Webhook] = append(out[s.Webhook], json.RawMessage(marshalled(t, review)))
	}
	return out
}
