//go:build apiserver

package server

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/storage"
)

// program is the environment variable with the path of conformance/apiserver, built.
const program = "PREADMIT_APISERVER"

// enabled is the plugin that clusters have beside the server's defaults.
const enabled = "NodeRestriction"

// A request is evaluated as a user writes it and as a webhook captures it.
const written, captured = "as written", "as captured"

var (
	// kubernetes is the version that the server is built of.
	kubernetes = flag.String("kubernetes", "1.36", "version of the server")

	only    = flag.String("only", "", "compare the requests whose names contain this")
	update  = flag.Bool("update", false, "write the answers that are equal for the tests of storage")
	data    = flag.String("data", "testdata", "folder of the cluster and the requests")
	verbose = flag.Bool("all", false, "print every request with what was said about it")
)

// TestMain evaluates as the command line and the page do, with the server's own code.
func TestMain(m *testing.M) {
	flag.Parse()
	engine.Use(storage.New())
	os.Exit(m.Run())
}

// world is a running API server, with what testdata/world.yaml has.
type world struct {
	server   *client
	recorder *recorder
	policies string // those that are installed beside it
	text     string // the cluster as the engine gets it
}

func newWorld(t *testing.T) *world {
	path := os.Getenv(program)
	if path == "" {
		t.Fatalf("%s is not set: use scripts/server-test", program)
	}
	server, err := start(t.Context(), path, filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	w := &world{server: server, recorder: newRecorder()}
	t.Cleanup(w.recorder.server.Close)
	for _, file := range []string{*data + "/before.yaml", *data + "/world.yaml"} {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		w.text = string(raw)
		for _, o := range documents(t, w.text) {
			if err := w.server.create(t.Context(), o); err != nil {
				t.Fatal(err)
			}
		}
	}
	if raw, err := os.ReadFile(*data + "/policies.yaml"); err == nil {
		w.policies = string(raw)
		for _, o := range documents(t, w.policies) {
			if err := w.server.create(t.Context(), o); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(4 * time.Second)
	}
	if err := w.recorder.install(t.Context(), w.server); err != nil {
		t.Fatal(err)
	}
	return w
}

func documents(t *testing.T, text string) []object {
	t.Helper()
	docs, problems := scenario.ParseDocuments(diag.Cluster, text)
	if diag.HasErrors(problems) {
		t.Fatal(diag.Diagnostics(problems))
	}
	var out []object
	for _, d := range docs {
		out = append(out, d.Value)
	}
	return out
}

// TestServer compares the requests of testdata.
func TestServer(t *testing.T) {
	w := newWorld(t)
	if err := w.settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(*data + "/requests/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	n := &tally{counts: map[string]int{}}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range documents(t, string(raw)) {
			var m made
			text, err := json.Marshal(o)
			if err == nil {
				err = json.Unmarshal(text, &m)
			}
			if err != nil {
				t.Fatal(err)
			}
			if name := strings.TrimSuffix(filepath.Base(file), ".yaml") + "/" + m.Name; strings.Contains(name, *only) {
				n.compare(t, w, name, m)
			}
		}
	}
	t.Logf("%s", n)
	if *update && *only == "" && !t.Failed() {
		if err := write(*kubernetes, n.recorded, w.text); err != nil {
			t.Fatal(err)
		}
	}
	if equal := n.counts[written+": equal"] + n.counts[captured+": equal"]; *only == "" && (n.counts["requests"] < 890 || equal < 1440) {
		t.Errorf("too few requests say something: %d, %d of them equal", n.counts["requests"], equal)
	}
}

// settle waits until the recorder is asked.
func (w *world) settle(ctx context.Context) error {
	probe := made{Object: object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": object{"name": "probe", "namespace": "default"}}}
	for range 600 {
		a, err := w.ask(ctx, probe)
		if err != nil {
			return err
		}
		if a.review != nil {
			return nil
		}
	}
	return fmt.Errorf("the webhook is not asked")
}

// tally counts what was compared.
type tally struct {
	counts   map[string]int
	recorded []recorded // of the answers that are equal
}

func (n *tally) String() string {
	var lines []string
	for what, times := range n.counts {
		lines = append(lines, fmt.Sprintf("%-60s %d", what, times))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// sent compares what the webhooks of the cluster were sent.
func (n *tally) sent(t *testing.T, w *world, name, form string, s scenario.Scenario, a asked) {
	s.Policies, s.Cluster = texts(w.text)
	r, err := engine.Evaluate(t.Context(), s, engine.Options{})
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	n.counts[form+": reviews"] += len(a.reviews)
	chance := slices.ContainsFunc(r.NotSimulated, unknowable)
	if list := a.unsent(r, form); len(list) > 0 && !chance {
		n.counts[form+": requests with another review"]++
		t.Errorf("%s, %s, sent:\n  %s", name, form, strings.Join(list, "\n  "))
	}
}

// compare sends one request, and evaluates it as it was written and as it was
// captured.
func (n *tally) compare(t *testing.T, w *world, name string, m made) {
	a, err := w.ask(t.Context(), m)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	n.counts["requests"]++
	want := ofServer(a)
	if *verbose {
		t.Logf("%s: %s", name, indented(want))
	}
	if want.Allowed {
		n.counts["admitted"]++
	} else {
		n.counts[fmt.Sprintf("refused: %d %s", want.Code, want.Reason)]++
	}
	if len(want.Warnings) > 0 {
		n.counts["with warnings"]++
	}
	forms := map[string]any{}
	if a.request != nil {
		forms[written] = a.request
	}
	if a.review != nil && (w.policies == "" || a.request == nil) {
		forms[captured] = a.review
	}
	if len(forms) == 0 {
		t.Errorf("%s: nothing to compare: no webhook was asked: %s", name, indented(want))
	}
	for _, form := range slices.Sorted(maps.Keys(forms)) {
		yes := true
		s := scenario.Scenario{Kubernetes: *kubernetes, Policies: w.policies, Cluster: w.text, Request: indented(forms[form]), Now: now,
			Options: scenario.Options{Plugins: &scenario.Plugins{Enable: []string{enabled}}, CompleteCluster: true}}
		if form == written {
			s.Options.Defaulting = &yes
			s.Options.FieldValidation = "Ignore" // as the client asks for
		}
		r, err := engine.Evaluate(t.Context(), s, engine.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if w.policies == "" {
			n.sent(t, w, name, form, s, a)
		}
		if m.Verb == "connect" {
			n.counts[form+": connections, of which the reviews are compared"]++
			continue // what is behind the admission has no node to connect to
		}
		got, want := ofReport(r, a), want
		if form == captured {
			read := want.read(a.reviews[after])
			got, want = got.asSeen(read), want.asSeen(read)
		}
		want, got = want.named(m), got.named(m)
		differences := want.differences(got)
		what := "different"
		switch {
		case len(differences) == 0:
			what = "equal"
			n.recorded = append(n.recorded, record(name+", "+form, s, r))
		case want.worded(got, r):
			what = "other words, which the report says"
			t.Logf("%s, %s: other words: %s", name, form, want.Message)
		case want.unchecked(got, r):
			what = "not checked here, which the report says"
			t.Logf("%s, %s: not checked: %s %q", name, form, want.Message, want.Warnings)
		case rightsAssumed(form, want, r):
			what = "captured, so that rights count as checked"
		case want.unknown(got, r):
			what = "not simulated, which the report says"
			t.Logf("%s, %s: not simulated: %s: %q", name, form, want.Message, r.NotSimulated)
		default:
			t.Errorf("%s, %s:\n  %s", name, form, strings.Join(differences, "\n  "))
		}
		n.counts[form+": "+what]++
	}
}
