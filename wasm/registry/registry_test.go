package main_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kjson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/klog/v2"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/registry"
	"github.com/preadmit/preadmit/engine/registry/remote"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/storage"
)

// recorder records the engine's calls.
type recorder struct {
	registry.Registry
	asked []registry.Request
}

// Before implements [registry.Registry].
func (r *recorder) Before(q registry.Request) (registry.Answer, error) {
	r.asked = append(r.asked, q)
	return r.Registry.Before(q)
}

// TestModule compares the pages' module with the same code compiled natively, for all requests with
// a recorded server response, and with random changes to their objects. It runs if
// PREADMIT_REGISTRY names the module (scripts/test web).
func TestModule(t *testing.T) {
	module := os.Getenv("PREADMIT_REGISTRY")
	if module == "" {
		t.Skip("PREADMIT_REGISTRY names no module; scripts/module/build builds web/build/registry.wasm")
	}
	klog.SetLogger(logr.Discard())
	native := storage.New()
	here := &recorder{Registry: native}
	engine.Use(here)
	for _, s := range recorded(t) {
		if _, err := engine.Evaluate(context.Background(), s, engine.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	if len(here.asked) < 150 {
		t.Fatalf("%d requests reach the registry", len(here.asked))
	}
	there := remote.New(node(t, module))
	compared := 0
	compare := func(q registry.Request) {
		compared++
		if metadata, _ := q.Object["metadata"].(map[string]any); metadata == nil || metadata["name"] == nil || metadata["name"] == "" {
			return // a LimitRange gets a random one
		}
		var got, want registry.Answer
		var gotErr, wantErr error
		same := false
		for tries := 0; tries < 3 && !same; tries++ { // a second may begin between the two, and some fields hold the time
			want, wantErr = native.Before(q)
			got, gotErr = there.Before(q)
			want.Bytes = 0 // the module has no protobuf, so the page does not know how large an object is in etcd
			same = (wantErr == nil) == (gotErr == nil) && reflect.DeepEqual(plain(t, got), plain(t, want))
		}
		if !same {
			t.Errorf("%v of %s:\n%v %v\nnatively\n%v %v", q.Kind, q.Kubernetes, plain(t, got), gotErr, plain(t, want), wantErr)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for len(here.asked) > 0 && compared < 4000 {
		for _, q := range here.asked {
			if compared < len(here.asked) {
				compare(q)
				continue
			}
			q.Kubernetes = []string{"1.34", "1.35", "1.36", "1.37"}[r.IntN(4)]
			q.Object, q.Decoded = changed(r, q.Object), nil
			compare(q)
		}
	}
	t.Logf("%d calls compared", compared)
}

// plain returns a response as JSON. The server iterates over some maps in random order (a
// container's resources), so causes are sorted, and a message that joins several is compared by
// length only.
func plain(t *testing.T, a registry.Answer) (out map[string]any) {
	t.Helper()
	if a.Status != nil && a.Status.ErrStatus.Details != nil && len(a.Status.ErrStatus.Details.Causes) > 1 {
		status := a.Status.ErrStatus.DeepCopy()
		slices.SortFunc(status.Details.Causes, func(a, b metav1.StatusCause) int {
			return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Message, b.Message))
		})
		status.Message = strconv.Itoa(len(status.Message))
		a.Status = &apierrors.StatusError{ErrStatus: *status}
	}
	text, err := json.Marshal(a)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// recorded are the scenarios from storage's tests.
func recorded(t *testing.T) (out []scenario.Scenario) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "storage", "testdata", "requests.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(raw) {
		var r struct {
			Request json.RawMessage   `json:"request"`
			Cluster []json.RawMessage `json:"cluster"`
		}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		var cluster []string
		for _, object := range r.Cluster {
			cluster = append(cluster, string(object))
		}
		out = append(out, scenario.Scenario{Kubernetes: "1.37", Request: string(r.Request), Cluster: strings.Join(cluster, "\n---\n")})
	}
	return out
}

// node calls the module in Node.
func node(t *testing.T, module string) func(string) (string, error) {
	t.Helper()
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	loader := filepath.Join(strings.TrimSpace(string(goroot)), "lib", "wasm", "wasm_exec.js")
	c := exec.CommandContext(t.Context(), "node", filepath.Join("..", "..", "web", "tools", "registry.mjs"), module, loader)
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := in.Close(); err != nil {
			t.Error(err)
		}
	})
	replies := bufio.NewReader(out)
	return func(call string) (string, error) {
		if _, err := io.WriteString(in, call+"\n"); err != nil {
			return "", err
		}
		return replies.ReadString('\n')
	}
}

// changed returns a copy of a value with a few random changes: removed, replaced or duplicated
// parts.
func changed(r *rand.Rand, object map[string]any) map[string]any {
	text, err := json.Marshal(object)
	if err != nil {
		return object
	}
	for range 1 + r.IntN(3) {
		var copied map[string]any
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		if decoder.Decode(&copied) != nil {
			return object
		}
		change(r, copied, 0)
		if text, err = json.Marshal(copied); err != nil {
			return object
		}
	}
	var out map[string]any
	if err := kjson.Unmarshal(text, &out); err != nil {
		return object
	}
	return out
}

func change(r *rand.Rand, value any, depth int) {
	switch value := value.(type) {
	case map[string]any:
		keys := make([]string, 0, len(value))
		for key := range value {
			if depth > 0 || key != "apiVersion" && key != "kind" {
				keys = append(keys, key)
			}
		}
		if len(keys) == 0 {
			return
		}
		slices.Sort(keys)
		key := keys[r.IntN(len(keys))]
		switch value[key].(type) {
		case map[string]any, []any:
			if r.IntN(5) > 0 {
				change(r, value[key], depth+1)
				return
			}
			delete(value, key)
		case string:
			value[key] = []any{"", "a b", strings.Repeat("x", 260), "-1", "Always", "default"}[r.IntN(6)]
		case json.Number:
			value[key] = []any{0, -1, 70000, 1}[r.IntN(4)]
		default:
			delete(value, key)
		}
	case []any:
		if len(value) > 0 {
			i := r.IntN(len(value))
			if r.IntN(4) == 0 {
				value[i] = value[r.IntN(len(value))]
				return
			}
			change(r, value[i], depth+1)
		}
	}
}
