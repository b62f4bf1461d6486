package storage_test

import (
	"context"
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	kjson "sigs.k8s.io/json"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// worked is what a real control plane's controllers created for an object (TestWorkloads in
// conformance/server).
type worked struct {
	Name   string         `json:"name"`
	Object map[string]any `json:"object"`
	Made   []made         `json:"made"`
}

type made struct {
	User   string         `json:"user"`
	Groups []string       `json:"groups"`
	Stored map[string]any `json:"stored"`
}

// TestWorkloads compares the objects that controllers create according to the engine, as the server
// would store them, with what a real server stored.
func TestWorkloads(t *testing.T) {
	raw, err := os.ReadFile("testdata/workloads.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []worked
	if err := kjson.UnmarshalCaseSensitivePreserveInts(raw, &list); err != nil {
		t.Fatal(err)
	}
	for _, w := range list {
		t.Run(w.Name, func(t *testing.T) {
			request, err := json.Marshal(w.Object)
			if err != nil {
				t.Fatal(err)
			}
			s := scenario.Scenario{Kubernetes: "1.37", Request: string(request), Now: scheduled(w.Made[0].Stored), Policies: recorder,
				Cluster: "apiVersion: v1\nkind: Namespace\nmetadata: {name: work}\n---\napiVersion: preadmit.dev/v1\nkind: WebhookResponse\nmetadata: {name: recorder.example.com}\nspec: {allowed: true}\n"}
			r, err := engine.Evaluate(context.Background(), s, engine.Everything())
			if err != nil {
				t.Fatal(err)
			}
			if r.Workload == nil {
				t.Fatalf("nothing is made: %s", r.Outcome.Message)
			}
			all := append(slices.Clone(r.Workload.Before), r.Workload.Made)
			if len(all) != len(w.Made) {
				t.Fatalf("%d objects are made, and not %d", len(all), len(w.Made))
			}
			for _, m := range all {
				i := slices.IndexFunc(w.Made, func(of made) bool {
					return of.Stored["kind"] == m.Kind && (m.Kind != "PersistentVolumeClaim" || nameOf(of.Stored) == nameOf(m.Object))
				})
				if i < 0 {
					t.Fatalf("no controller made a %s %s", m.Kind, nameOf(m.Object))
				}
				if got, want := withoutChance(t, m.Object), withoutChance(t, w.Made[i].Stored); !reflect.DeepEqual(got, want) {
					t.Errorf("the %s is\n%s\nwant\n%s", m.Kind, written(t, got), written(t, want))
				}
				if user, groups := sender(t, m); user != w.Made[i].User || m.User != user || !slices.Equal(groups, w.Made[i].Groups) {
					t.Errorf("the %s is made by %s of %v", m.Kind, user, groups)
				}
			}
		})
	}
}

// recorder is a webhook's record of who created an object.
const recorder = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: recorder}
webhooks:
- name: recorder.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig: {url: "https://127.0.0.1"}
  rules: [{apiGroups: ["*"], apiVersions: ["*"], operations: [CREATE], resources: ["*"]}]
`

// sender returns the user that created an object, as a webhook saw it.
func sender(t *testing.T, m report.Made) (user string, groups []string) {
	for _, s := range m.Steps {
		if s.Sent == nil {
			continue
		}
		var review struct {
			Request struct {
				UserInfo struct {
					Username string   `json:"username"`
					Groups   []string `json:"groups"`
				} `json:"userInfo"`
			} `json:"request"`
		}
		if err := json.Unmarshal([]byte(written(t, s.Sent)), &review); err != nil {
			t.Fatal(err)
		}
		return review.Request.UserInfo.Username, review.Request.UserInfo.Groups
	}
	return "", nil
}

func nameOf(object map[string]any) string {
	metadata, _ := object["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	return name
}

// scheduled is the scheduled time of the CronJob's Job.
func scheduled(job map[string]any) string {
	metadata, _ := job["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	at, _ := annotations["batch.kubernetes.io/cronjob-scheduled-timestamp"].(string)
	return at
}

var (
	uids     = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	times    = regexp.MustCompile(`("[a-z]+T[a-z]+":)"\d{4}-\d\d-\d\dT[\d:]+Z"`)
	versions = regexp.MustCompile(`"resourceVersion":"\d*",?`)
	tokens   = regexp.MustCompile(`kube-api-access-\w+`)
	suffixes = regexp.MustCompile(`("generateName":"([^"]+)",.*?"name":"[^"]+-)\w{5}"`)
	hashes   = regexp.MustCompile(`"(?:pod-template-hash|controller-revision-hash)":"(?:[a-z-]+-)?([0-9a-z]+)"`)
)

// withoutChance returns an object without random parts and template hashes. A StatefulSet's volumes
// may be in any order.
func withoutChance(t *testing.T, object map[string]any) map[string]any {
	text := written(t, object)
	for _, m := range hashes.FindAllStringSubmatch(text, -1) {
		text = strings.ReplaceAll(text, m[1], "hash")
	}
	text = suffixes.ReplaceAllString(text, `$1*"`)
	text = tokens.ReplaceAllString(times.ReplaceAllString(versions.ReplaceAllString(uids.ReplaceAllString(text, "uid"), ""), `$1"time"`), "token")
	var out map[string]any
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	spec, _ := out["spec"].(map[string]any)
	if volumes, ok := spec["volumes"].([]any); ok && strings.Contains(text, "statefulset.kubernetes.io/pod-name") {
		slices.SortFunc(volumes, func(a, b any) int { return strings.Compare(written(t, a), written(t, b)) })
	}
	return out
}

func written(t *testing.T, value any) string {
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
