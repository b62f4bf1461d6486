package storage_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/storage"
)

func TestMain(m *testing.M) {
	engine.Use(storage.New())
	os.Exit(m.Run())
}

// recorded is a request and kube-apiserver 1.37.2's response.
type recorded struct {
	Name    string            `json:"name"`
	Request json.RawMessage   `json:"request"`
	Cluster []json.RawMessage `json:"cluster"`
	Server  answer            `json:"server"`
}

type answer struct {
	Allowed  bool           `json:"allowed"`
	Code     int            `json:"code"`
	Reason   string         `json:"reason"`
	Message  string         `json:"message"`
	Causes   []string       `json:"causes"`
	Warnings []string       `json:"warnings"`
	Object   map[string]any `json:"object"`
}

// different are the requests with another response, with the reason.
var different = map[string]string{
	"Pod: priority class missing": "a class that the cluster text lacks is assumed",
	"Service: RequireDualStack":   "which families of addresses a cluster has is not known here",
	"Namespace: delete default":   "the recording has no object to delete",
	"RoleBinding: bind by jane":   "the server had no controller that gives the aggregated role its rules",
}

// TestRecordedAnswers compares with kube-apiserver 1.37.2's responses to valid and invalid objects
// of 33 built-in kinds.
func TestRecordedAnswers(t *testing.T) {
	raw, err := os.ReadFile("testdata/requests.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range bytes.Lines(raw) {
		var c recorded
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		n++
		t.Run(c.Name, func(t *testing.T) {
			got, want := evaluate(t, c), c.Server
			same := reflect.DeepEqual(normal(t, got), normal(t, want))
			switch why, known := different[c.Name]; {
			case !same && !known:
				t.Errorf("got  %+v\nwant %+v", normal(t, got), normal(t, want))
			case same && known:
				t.Errorf("the answer is equal now, although %s", why)
			}
		})
	}
	if n < 220 {
		t.Errorf("only %d answers", n)
	}
}

func evaluate(t *testing.T, c recorded) answer {
	t.Helper()
	review, err := json.Marshal(map[string]any{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": c.Request})
	if err != nil {
		t.Fatal(err)
	}
	var cluster strings.Builder
	for _, document := range c.Cluster {
		cluster.WriteString("---\n" + string(document) + "\n")
	}
	on := true
	r, err := engine.Evaluate(context.Background(), scenario.Scenario{
		Kubernetes: "1.37", Cluster: cluster.String(), Request: string(review), Now: "2026-01-01T00:00:00Z",
		Options: scenario.Options{Defaulting: &on, Plugins: &scenario.Plugins{Enable: []string{"NodeRestriction"}}},
	}, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return answerOf(r)
}

func answerOf(r *report.Report) answer {
	o := r.Outcome
	a := answer{Allowed: o.Allowed, Code: o.Code, Warnings: o.Warnings}
	if !o.Allowed {
		a.Reason, a.Message = o.Reason, o.Message
		a.Causes = causesOf(o.Causes, o.CauseFields)
		return a
	}
	if r.Request.Operation == "CREATE" || r.Request.Operation == "UPDATE" {
		a.Object = r.Object
	}
	return a
}

// causesOf joins causes with their fields.
func causesOf(causes []string, fields []*string) (out []string) {
	for i, cause := range causes {
		field := ""
		if i < len(fields) && fields[i] != nil {
			field = *fields[i]
		}
		out = append(out, field+"|"+cause)
	}
	return out
}

// chance are the parts that differ between any two servers.
var chance = []struct {
	text *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "UID"},
	{regexp.MustCompile(`kube-api-access-[a-z0-9]{5}`), "kube-api-access-"},
	{regexp.MustCompile(`\b10\.0\.0\.\d+`), "ADDR"},
	{regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`), "TIME"},
	{regexp.MustCompile(`"(nodePort|healthCheckNodePort)":3\d{4}`), `"$1":"PORT"`},
}

// normal returns a response without random parts and with sorted errors and warnings.
func normal(t *testing.T, a answer) answer {
	t.Helper()
	if head, list, several := strings.Cut(a.Message, " is invalid: ["); several {
		errors := strings.Split(strings.TrimSuffix(list, "]"), ", ")
		slices.Sort(errors)
		a.Message = head + " is invalid: [" + strings.Join(errors, ", ")
	}
	a.Causes, a.Warnings = slices.Sorted(slices.Values(a.Causes)), slices.Sorted(slices.Values(a.Warnings))
	a.Causes = slices.Compact(a.Causes)
	raw, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range chance {
		raw = c.text.ReplaceAll(raw, []byte(c.with))
	}
	var out answer
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	if metadata, ok := out.Object["metadata"].(map[string]any); ok {
		if prefix, _ := metadata["generateName"].(string); prefix != "" {
			metadata["name"] = prefix
		}
		for _, field := range []string{"uid", "resourceVersion", "creationTimestamp", "managedFields"} {
			delete(metadata, field)
		}
	}
	return out
}

// TestServerAnswers compares with whole API servers' responses: 1.37's, and those of 1.36 that differ
// from them. conformance/server records both.
func TestServerAnswers(t *testing.T) {
	cluster, err := os.ReadFile("testdata/server/cluster.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for kubernetes, file := range map[string]string{"1.37": "answers.jsonl", "1.36": "answers-1.36.jsonl"} {
		raw, err := os.ReadFile("testdata/server/" + file)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(raw, []byte("\n")); n < 100 {
			t.Errorf("%s has only %d answers", file, n)
		}
		for line := range bytes.Lines(raw) {
			var c struct {
				Name    string           `json:"name"`
				Options scenario.Options `json:"options"`
				Request string           `json:"request"`
				Answer  struct {
					answer
					CauseFields []*string `json:"causeFields"`
				} `json:"answer"`
			}
			if err := json.Unmarshal(line, &c); err != nil {
				t.Fatal(err)
			}
			t.Run(kubernetes+"/"+c.Name, func(t *testing.T) {
				r, err := engine.Evaluate(context.Background(), scenario.Scenario{Kubernetes: kubernetes, Cluster: string(cluster), Request: c.Request,
					Now: "2026-01-01T00:00:00Z", Options: c.Options}, engine.Options{})
				if err != nil {
					t.Fatal(err)
				}
				got, want := answerOf(r), c.Answer.answer
				want.Causes = causesOf(want.Causes, c.Answer.CauseFields)
				if !want.Allowed {
					want.Object = nil // which the engine's report has too
				}
				if want.Code == 200 && want.Object != nil && got.Object == nil {
					got.Object = r.Object
				}
				if !reflect.DeepEqual(normal(t, got), normal(t, want)) {
					t.Errorf("got  %+v\nwant %+v", normal(t, got), normal(t, want))
				}
			})
		}
	}
}
