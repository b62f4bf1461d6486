package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"sort"
	"strings"
	"sync/atomic"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/conformance/wire"
)

// vectorDir has the recorded answers of a real kube-apiserver 1.36.3.
const vectorDir = "../../engine/testdata/vectors"

// A vector is one file of recorded answers (its README has the format).
type vector struct {
	Policies         string
	Cluster          string
	WebhookResponses map[string]any
	Install          []wire.Install
	Requests         []vectorRequest
}

type vectorRequest struct {
	Name            string
	Request         map[string]any
	ValidationPhase struct {
		Set     map[string]any
		Removed []string
	}
	WithoutPolicies map[string]any
	Unproven        string
	Answer          vectorAnswer
}

type vectorAnswer struct {
	Allowed                bool
	Code                   int
	Reason, Message        string
	Causes                 []string
	Warnings               []string
	AuditAnnotations       map[string]string
	Object                 map[string]any
	DefaultedAfterMutation []string
	ChangedByStorage       []string
	RefusedBy              string
	Panic                  bool
	Alternatives           []map[string]any
}

// vectorFiles returns the files of recorded answers. They are in another module, so go test, which keeps
// the result while nothing changes, sees their changes by the variable of scripts/conformance.
func vectorFiles(t *testing.T) []string {
	t.Helper()
	_ = os.Getenv("PREADMIT_VECTORS")
	files, err := filepath.Glob(filepath.Join(vectorDir, "*", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no vectors in %s: %v", vectorDir, err)
	}
	return files
}

func kubernetesDir(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// TestVectors shows that the reference is driven as the real server is: every
// recorded answer that only policies decide comes out of it. With -short every
// third file: the recorded answers change as seldom as the reference.
func TestVectors(t *testing.T) {
	silence()
	dir := kubernetesDir(t)
	kinds, err := loadResources(dir)
	if err != nil {
		t.Fatal(err)
	}
	r := &reference{kinds: kinds, schemas: newSchemaStore(dir)}
	var requests, installs atomic.Int64
	for i, file := range vectorFiles(t) {
		if testing.Short() && i%3 != 0 {
			continue
		}
		name := strings.TrimSuffix(strings.TrimPrefix(file, vectorDir+"/"), ".yaml")
		t.Run(name, func(t *testing.T) {
			t.Parallel() // the plugins wait for each other most of the time
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var v vector
			if err := yaml.Unmarshal(data, &v); err != nil {
				t.Fatal(err)
			}
			requests.Add(int64(checkRequests(t, r, v)))
			installs.Add(int64(checkInstall(t, v)))
		})
	}
	t.Cleanup(func() {
		t.Logf("%d requests and %d installations compared", requests.Load(), installs.Load())
	})
}

// checkRequests compares the answers that only policies decide.
func checkRequests(t *testing.T, r *reference, v vector) int {
	t.Helper()
	if strings.Contains(v.Policies, "WebhookConfiguration") {
		return 0
	}
	n := 0
	for _, q := range v.Requests {
		if q.Unproven != "" || q.WithoutPolicies != nil || q.Answer.RefusedBy != "" || q.Answer.Panic {
			continue
		}
		request, err := json.Marshal(map[string]any{"kind": "AdmissionReview", "request": q.Request})
		if err != nil {
			t.Fatal(err)
		}
		c := wire.Case{
			Policies: v.Policies, Cluster: v.Cluster, Request: string(request),
			Set: q.ValidationPhase.Set, Remove: q.ValidationPhase.Removed,
			// Which of two policies denies first is random in the plugins.
			Plugins: len(q.Answer.Alternatives) == 0 && strings.Count(v.Policies, "AdmissionPolicyBinding") < 2,
		}
		n++
		got, problem := answerTo(r, q, c)
		if problem != "" {
			t.Errorf("%s: %s", q.Name, problem)
		}
		for _, run := range got.Runs {
			if run.BudgetCheck != "" {
				t.Errorf("%s: %s %s: %s", q.Name, run.Policy, run.List, run.BudgetCheck)
			}
		}
	}
	return n
}

// answerTo gives the answer of the reference, and how it is not the recorded
// one. Some answers depend on the order of a Go map, such as that of labels in
// a message: one of several tries has to give what was recorded.
func answerTo(r *reference, q vectorRequest, c wire.Case) (got wire.Answer, problem string) {
	for range 10 {
		got = r.answer(c)
		switch {
		case got.Error != "":
			problem = got.Error
		case got.PluginDifference != "":
			problem = got.PluginDifference
		default:
			problem = vectorDifference(q, got)
		}
		if problem == "" {
			break
		}
	}
	return got, problem
}

// vectorDifference is "" when one of the recorded answers is the given one.
func vectorDifference(q vectorRequest, got wire.Answer) string {
	best := differenceTo(q, q.Answer, got)
	for _, alternative := range q.Answer.Alternatives {
		a := q.Answer
		data, err := json.Marshal(alternative)
		if err != nil {
			return err.Error()
		}
		if err := json.Unmarshal(data, &a); err != nil {
			return err.Error()
		}
		if d := differenceTo(q, a, got); len(d) < len(best) {
			best = d
		}
	}
	return best
}

func differenceTo(q vectorRequest, want vectorAnswer, got wire.Answer) string {
	var out []string
	add := func(what string, want, got any) {
		if !reflect.DeepEqual(want, got) {
			a, _ := json.Marshal(want)
			b, _ := json.Marshal(got)
			out = append(out, fmt.Sprintf("%s: recorded %s, reference %s", what, a, b))
		}
	}
	add("allowed", want.Allowed, got.Allowed)
	if !want.Allowed {
		add("code", want.Code, got.Code)
		add("reason", want.Reason, got.Reason)
		add("message", want.Message, got.Message)
		add("causes", sortedStrings(want.Causes), sortedStrings(got.Causes))
	} else if want.Object != nil {
		ignored := append(append(append([]string{}, want.DefaultedAfterMutation...), want.ChangedByStorage...), q.ValidationPhase.Removed...)
		for pointer := range q.ValidationPhase.Set {
			ignored = append(ignored, pointer)
		}
		add("object", compared(want.Object, ignored), compared(got.Object, ignored))
	}
	add("warnings", sortedStrings(want.Warnings), sortedStrings(got.Warnings))
	annotations := map[string]string{}
	for k, v := range want.AuditAnnotations {
		if !strings.HasPrefix(k, "pod-security.kubernetes.io/") {
			annotations[k] = v
		}
	}
	got2 := got.AuditAnnotations
	if got2 == nil {
		got2 = map[string]string{}
	}
	add("auditAnnotations", annotations, got2)
	return strings.Join(out, "\n")
}

// compared is the object without the fields that no policy decides, and
// without empty ones.
func compared(object map[string]any, ignored []string) any {
	data, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	var out map[string]any
	if err := json.Unmarshal(data, &out); err != nil {
		panic(err)
	}
	for _, pointer := range ignored {
		removePointer(out, pointer)
	}
	for _, key := range []string{"uid", "creationTimestamp", "managedFields", "generation", "resourceVersion"} {
		removePointer(out, "/metadata/"+key)
	}
	return prune(out)
}

func prune(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, x := range v {
			if p := prune(x); p != nil {
				out[k] = p
			}
		}
		if len(out) == 0 {
			return nil
		}
		return out
	case []any:
		if len(v) == 0 {
			return nil
		}
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = prune(x)
		}
		return out
	}
	return v
}

func sortedStrings(in []string) []string {
	out := append([]string{}, in...)
	sort.Strings(out)
	return out
}

// checkInstall compares what was rejected at installation, webhook
// configurations included.
func checkInstall(t *testing.T, v vector) int {
	t.Helper()
	p, err := installPolicies(v.Policies)
	if err != nil {
		if strings.Contains(err.Error(), "is not a policy") {
			return 0
		}
		t.Errorf("install: %v", err)
		return 0
	}
	got := map[string]wire.Install{}
	for _, a := range p.answers {
		got[a.Kind+"/"+a.Name] = a
	}
	n := 0
	for _, want := range v.Install {
		a := got[want.Kind+"/"+want.Name]
		delete(got, want.Kind+"/"+want.Name)
		n++
		if want.Message != "" && a.Message != want.Message {
			t.Errorf("%s/%s: recorded %q, reference %q", want.Kind, want.Name, want.Message, a.Message)
		}
	}
	for name, a := range got {
		if a.Message != "" {
			t.Errorf("%s: recorded as accepted, reference %q", name, a.Message)
		}
	}
	return n
}
