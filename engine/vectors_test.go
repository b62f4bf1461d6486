package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/internal/admission/webhook"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// The recorded answers of a real kube-apiserver 1.36.3 in testdata/vectors:
// one file a vector, its policies and cluster as they were posted, the requests
// as the admission chain saw them, and what the server answered.

const vectorsRoot = "testdata/vectors"

type vector struct {
	Policies         string                    `json:"policies"`
	Cluster          string                    `json:"cluster"`
	WebhookResponses map[string]map[string]any `json:"webhookResponses"`
	Install          []struct {
		Kind, Name, Message string
		Warnings            []string
		NotServed           bool
	} `json:"install"`
	Requests []vectorRequest `json:"requests"`
}

type vectorRequest struct {
	Name            string         `json:"name"`
	Request         map[string]any `json:"request"`
	ValidationPhase struct {
		Set     map[string]any `json:"set"`
		Removed []string       `json:"removed"`
	} `json:"validationPhase"`
	WithoutPolicies map[string]any `json:"withoutPolicies"`
	Unproven        string         `json:"unproven"`
	Answer          recordedAnswer `json:"answer"`
}

type recordedAnswer struct {
	Allowed                bool              `json:"allowed"`
	Code                   int               `json:"code"`
	Reason                 string            `json:"reason"`
	Message                string            `json:"message"`
	Causes                 []string          `json:"causes"`
	Warnings               []string          `json:"warnings"`
	AuditAnnotations       map[string]string `json:"auditAnnotations"`
	Object                 map[string]any    `json:"object"`
	DefaultedAfterMutation []string          `json:"defaultedAfterMutation"`
	ChangedByStorage       []string          `json:"changedByStorage"`
	RefusedBy              string            `json:"refusedBy"`
	WebhooksCalled         *[]string         `json:"webhooksCalled"`
	Sent                   []sentReview      `json:"sent"`
	Panic                  bool              `json:"panic"`
	Alternatives           []any             `json:"alternatives"`
}

// comparable says that the answer was given by what the engine simulates.
func (r vectorRequest) comparable() bool {
	return !r.Answer.Panic && r.Unproven == "" && r.Answer.RefusedBy == "" && r.WithoutPolicies == nil
}

// unmatched are the requests that cannot be matched, with the reason. The list
// is also in the documentation (docs/fidelity.md). TestClosedPort says what is missing
// in them, and then they match.
var unmatched = map[string]string{
	"webhook-failures/connection-refused-fail.yaml[%s]":   "nothing in the vector says that the port is closed",
	"webhook-failures/connection-refused-ignore.yaml[%s]": "nothing in the vector says that the port is closed",
}

func TestVectors(t *testing.T) {
	paths := vectorFiles(t)
	for _, path := range paths {
		name := strings.TrimPrefix(filepath.ToSlash(path), vectorsRoot+"/")
		t.Run(name, func(t *testing.T) {
			if goruntime.GOOS == "js" && slices.Contains(slowVectors, filepath.Base(path)) {
				t.Skip("natively only")
			}
			t.Parallel()
			v := readVector(t, path)
			for _, r := range v.Requests {
				if r.Answer.Panic {
					t.Run(r.Name, func(t *testing.T) { checkPanic(t, v, r) })
				}
				if r.comparable() {
					t.Run(r.Name, func(t *testing.T) { checkRequest(t, name, v, r) })
				}
			}
		})
	}
}

// The requests that spend the server's own budgets are decided under the default limits
// of ours, with all explanations.
func TestBudgetsFitLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds of arithmetic")
	}
	for _, path := range vectorFiles(t) {
		if !slices.Contains(slowVectors[:2], filepath.Base(path)) { // the third is as the second
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			v := readVector(t, path)
			r, err := New().Evaluate(context.Background(), scenarioOf(t, v, v.Requests[0]), Everything())
			if err != nil {
				t.Fatal(err)
			}
			if r.Outcome.Allowed != v.Requests[0].Answer.Allowed || r.Outcome.State == report.StateUndecided {
				t.Errorf("%s: %s", r.Outcome.State, r.Outcome.StateReason)
			}
		})
	}
}

// slowVectors spend a whole budget again and again, which takes a quarter of a
// minute under WebAssembly. What they show beyond v12-budget.yaml is arithmetic.
var slowVectors = []string{"m42-map-budget-per-mutation.yaml", "v28-overall-budget.yaml", "v31-overall-budget-ignore.yaml"}

// spendsBudget reports whether the requests of a vector spend the server's budget of cost, which takes
// a second each time. One of them is enough for tests that evaluate each vector several times.
func spendsBudget(path string) bool {
	name := filepath.Base(path)
	return name != "c07-budget.yaml" && (strings.Contains(name, "budget") || name == "map-ignore-each-error.yaml")
}

func vectorFiles(t testing.TB) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir(vectorsRoot, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".yaml") {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil || len(paths) == 0 {
		t.Fatalf("no vectors: %v", err)
	}
	return paths
}

func readVector(t testing.TB, path string) vector {
	t.Helper()
	var v vector
	readYAML(t, path, &v)
	return v
}

func readYAML(t testing.TB, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

// scenarioOf is a vector's request as a person would give it.
func scenarioOf(t testing.TB, v vector, r vectorRequest) scenario.Scenario {
	t.Helper()
	s := scenario.Scenario{Kubernetes: "1.36", Policies: v.Policies, Cluster: v.Cluster, Now: "2026-01-01T00:00:00Z",
		BeforeValidation: scenario.BeforeValidation{Set: r.ValidationPhase.Set, Remove: r.ValidationPhase.Removed}}
	for _, name := range slices.Sorted(maps.Keys(v.WebhookResponses)) { // always the same text
		spec := v.WebhookResponses[name]
		s.Cluster += "\n---\n" + marshalled(t, map[string]any{"apiVersion": webhook.ResponseAPIVersion, "kind": webhook.ResponseKind, "metadata": map[string]any{"name": name}, "spec": spec})
	}
	s.Request = marshalled(t, map[string]any{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": r.Request})
	return s
}

func marshalled(t testing.TB, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestClosedPort: the recorded answers for a port that is closed are those of a scenario
// that says so.
func TestClosedPort(t *testing.T) {
	for name := range unmatched {
		file, _, _ := strings.Cut(name, "[")
		v := readVector(t, filepath.Join(vectorsRoot, filepath.FromSlash(file)))
		for hook := range v.WebhookResponses {
			v.WebhookResponses[hook] = map[string]any{"connectionRefused": true}
		}
		for _, r := range v.Requests {
			got, err := Evaluate(context.Background(), scenarioOf(t, v, r), Options{Safety: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range fewestDifferences(t, got, r) {
				t.Errorf("%s: %s", file, d)
			}
		}
	}
}

// fewestDifferences are those from the recorded answer that is nearest.
func fewestDifferences(t *testing.T, got *report.Report, r vectorRequest) []string {
	t.Helper()
	var fewest []string
	for i, want := range alternatives(t, r.Answer) {
		if d := differences(want, got, r); i == 0 || len(d) < len(fewest) {
			fewest = d
		}
	}
	return fewest
}

func checkRequest(t *testing.T, name string, v vector, r vectorRequest) {
	// TestExplanationsChangeNothing shows that explanations make no difference.
	got, err := Evaluate(context.Background(), scenarioOf(t, v, r), Options{Safety: true})
	if err != nil {
		t.Fatal(err)
	}
	fewest := fewestDifferences(t, got, r)
	reason, listed := unmatched[fmt.Sprintf("%s[%s]", name, r.Name)]
	if !listed {
		reason, listed = unmatched[name+"[%s]"]
	}
	switch {
	case listed && len(fewest) == 0:
		t.Errorf("listed as unmatched (%s), but it matches", reason)
	case listed:
		t.Logf("known difference: %s", reason)
	default:
		for _, d := range fewest {
			t.Error(d)
		}
	}
}

// checkPanic expects the engine to know that the recorded server, 1.36.3, crashes the request,
// which the newest release of 1.36 does not.
func checkPanic(t *testing.T, v vector, r vectorRequest) {
	got, err := Evaluate(context.Background(), scenarioOf(t, v, r), Everything())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range got.Steps {
		for _, m := range s.Mutations {
			if slices.ContainsFunc(m.Notes, func(n report.Note) bool {
				return n.Code == codes.ServerPanic && strings.HasPrefix(n.Text, "Before Kubernetes 1.36.5 ")
			}) {
				return
			}
		}
	}
	t.Errorf("the server closed the connection; got %+v", got.Outcome)
}

// alternatives are all answers that the server gave; where its order is random
// there are several.
func alternatives(t *testing.T, a recordedAnswer) []recordedAnswer {
	out := []recordedAnswer{a}
	for _, other := range a.Alternatives {
		fields := map[string]any{}
		decode(t, marshalled(t, a), &fields)
		if message, ok := other.(string); ok {
			fields["message"] = message
		} else {
			maps.Copy(fields, other.(map[string]any))
		}
		var b recordedAnswer
		decode(t, marshalled(t, fields), &b)
		out = append(out, b)
	}
	return out
}

func decode(t testing.TB, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}

func differences(want recordedAnswer, got *report.Report, r vectorRequest) []string {
	var out []string
	differ := func(what string, want, got any) {
		if !reflect.DeepEqual(want, got) {
			out = append(out, fmt.Sprintf("%s:\nwant %v\n got %v", what, want, got))
		}
	}
	o := got.Outcome
	if want.Allowed != o.Allowed {
		return []string{fmt.Sprintf("allowed: want %v, got %v (%s)", want.Allowed, o.Allowed, o.Message)}
	}
	if !want.Allowed {
		differ("code", want.Code, o.Code)
		differ("reason", want.Reason, o.Reason)
		differ("message", want.Message, o.Message)
		differ("causes", sorted(want.Causes), sorted(o.Causes))
	} else if want.Object != nil {
		ignored := slices.Concat(want.DefaultedAfterMutation, r.ValidationPhase.Removed, want.ChangedByStorage)
		for p := range r.ValidationPhase.Set {
			ignored = append(ignored, p)
		}
		differ("object", text(clean(want.Object, ignored)), text(clean(got.Object, ignored)))
	}
	differ("warnings", sorted(want.Warnings), sorted(o.Warnings))
	differ("audit annotations", own(want.AuditAnnotations), own(o.AuditAnnotations))
	if want.WebhooksCalled != nil {
		called := []string{}
		for _, s := range got.Steps {
			if s.Called {
				called = append(called, s.Webhook)
			}
		}
		differ("webhooks called", sorted(*want.WebhooksCalled), sorted(called))
	}
	return out
}

func sorted(list []string) []string {
	out := slices.Sorted(slices.Values(list))
	if out == nil {
		return []string{}
	}
	return out
}

func own(annotations map[string]string) map[string]string {
	out := map[string]string{}
	for k, v := range annotations {
		if !strings.HasPrefix(k, "pod-security.kubernetes.io/") {
			out[k] = v
		}
	}
	return out
}

// clean removes what is not compared: what the server set or defaulted by
// itself, and empty values.
func clean(object map[string]any, ignored []string) any {
	if object == nil {
		return nil
	}
	object = roundTrip(object)
	slices.SortFunc(ignored, func(a, b string) int { return strings.Count(b, "/") - strings.Count(a, "/") })
	for _, p := range ignored {
		removeField(object, fieldpath.Pointer(p))
	}
	if meta, ok := object["metadata"].(map[string]any); ok {
		for _, k := range []string{"uid", "creationTimestamp", "managedFields", "generation", "resourceVersion", "selfLink"} {
			delete(meta, k)
		}
	}
	return prune(object)
}

// removeField removes a field but no item of a list.
func removeField(object any, path []string) {
	for _, key := range path[:max(len(path)-1, 0)] {
		switch o := object.(type) {
		case map[string]any:
			object = o[key]
		case []any:
			i := 0
			if _, err := fmt.Sscan(key, &i); err != nil || i >= len(o) {
				return
			}
			object = o[i]
		default:
			return
		}
	}
	if o, ok := object.(map[string]any); ok && len(path) > 0 {
		delete(o, path[len(path)-1])
	}
}

func prune(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, e := range v {
			switch e := prune(e).(type) {
			case nil:
			case map[string]any:
				if len(e) > 0 {
					out[k] = e
				}
			case []any:
				if len(e) > 0 {
					out[k] = e
				}
			default:
				out[k] = e
			}
		}
		return out
	case []any:
		out := []any{}
		for _, e := range v {
			out = append(out, prune(e))
		}
		return out
	}
	return v
}

func roundTrip(object map[string]any) map[string]any {
	data, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	var out map[string]any
	if err := json.Unmarshal(data, &out); err != nil {
		panic(err)
	}
	return runtime.DeepCopyJSON(out)
}

func text(v any) string {
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err.Error()
	}
	return string(data)
}
