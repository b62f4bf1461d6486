//go:build apiserver

package servertest

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"github.com/preadmit/preadmit/cluster/internal/apply"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// answer is a client's view of a response.
type answer struct {
	Allowed         bool
	Code            int
	Reason, Message string
	Causes          []string
	Warnings        []string
	Object          map[string]any // nil unless allowed
}

// tally counts the server's responses, so that the requests cover what they should.
type tally struct{ denied, mutated, warned, updates int }

// TestTry: try's result equals the server's response with dryRun=All.
func TestTry(t *testing.T) {
	raw, err := os.ReadFile("testdata/requests.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var n tally
	list := txtar.Parse(raw).Files
	for _, file := range list {
		t.Run(file.Name, func(t *testing.T) { n.compare(t, string(file.Data)) })
	}
	t.Logf("%d requests: %d refused, %d changed by policies, %d with warnings, %d updates", len(list), n.denied, n.mutated, n.warned, n.updates)
	if len(list) < 20 || n.denied < 5 || n.mutated < 3 || n.warned < 3 || n.updates < 5 {
		t.Errorf("the requests do not reach enough: %+v", n)
	}
}

func (n *tally) compare(t *testing.T, text string) {
	_, stdout, stderr := shared.run(t, "reader", text, "try", "-f", "-", "-o", "json", "--user-name", "jane", "--user-group", "developers")
	var r report.Report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatalf("%v\n%s%s", err, stdout, stderr)
	}
	for _, a := range r.Assumed {
		t.Logf("assumed: %s (%s)", a.What, a.Why)
	}
	simulated := ofReport(&r)
	server, updated := shared.ask(t, "jane", text)
	if !server.Allowed {
		n.denied++
	}
	if r.Outcome.Mutated {
		n.mutated++
	}
	if len(server.Warnings) > 0 {
		n.warned++
	}
	if updated {
		n.updates++
	}
	if !reflect.DeepEqual(simulated, server) {
		t.Errorf("%s\nsimulated: %s\nserver:    %s", text, indented(simulated), indented(server))
	}
}

func indented(v any) string {
	raw, _ := json.MarshalIndent(v, "", "  ")
	return string(raw)
}

func ofReport(r *report.Report) answer {
	a := answer{Allowed: r.Outcome.Allowed, Code: r.Outcome.Code, Reason: r.Outcome.Reason, Message: r.Outcome.Message,
		Causes: slices.Clone(r.Outcome.Causes), Warnings: slices.Clone(r.Outcome.Warnings)}
	if a.Allowed {
		a.Object = comparable(r.Object)
	}
	return a.sorted()
}

// sorted removes the difference between no list and an empty one, and of order: the server
// evaluates policies in any order.
func (a answer) sorted() answer {
	for _, list := range []*[]string{&a.Causes, &a.Warnings} {
		slices.Sort(*list)
		if len(*list) == 0 {
			*list = nil
		}
	}
	return a
}

// comparable returns an object without what differs between storages.
func comparable(o map[string]any) map[string]any {
	raw, _ := json.Marshal(o)
	raw = randomName.ReplaceAll(raw, []byte(`"kube-api-access-"`))
	var out map[string]any
	if json.Unmarshal(raw, &out) != nil || out == nil {
		return nil
	}
	for _, field := range []string{"uid", "resourceVersion", "creationTimestamp", "managedFields", "generation"} {
		unstructured.RemoveNestedField(out, "metadata", field)
	}
	return out
}

// randomName matches the volume for a service account's token.
var randomName = regexp.MustCompile(`"kube-api-access-[a-z0-9]{5}"`)

// warnings collects one client's warnings.
type warnings struct {
	lock sync.Mutex
	list []string
}

func (w *warnings) HandleWarningHeader(_ int, _, text string) {
	w.lock.Lock()
	defer w.lock.Unlock()
	w.list = append(w.list, text)
}

// ask sends kubectl apply's request with dryRun=All.
func (w *world) ask(t *testing.T, user, text string) (answer, bool) {
	t.Helper()
	config, err := w.config(user)
	if err != nil {
		t.Fatal(err)
	}
	heard := &warnings{}
	config.WarningHandler = heard
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	u := parsed(t, text)
	as, err := resource(client, w, u)
	if err != nil {
		t.Fatal(err)
	}
	admin, err := w.resource(u)
	if err != nil {
		t.Fatal(err)
	}
	dry := []string{metav1.DryRunAll}
	var got *unstructured.Unstructured
	a := answer{Allowed: true, Code: 201}
	live, missing := admin.Get(t.Context(), u.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(missing) {
		got, err = as.Create(t.Context(), u, metav1.CreateOptions{DryRun: dry})
	} else if missing != nil {
		t.Fatal(missing)
	} else {
		form, patch, problem := apply.Patch(u.GroupVersionKind(), live.Object, u.Object)
		if problem != nil {
			t.Fatal(problem)
		}
		a.Code = 200
		got, err = as.Patch(t.Context(), u.GetName(), form, patch, metav1.PatchOptions{DryRun: dry})
	}
	if status, ok := err.(apierrors.APIStatus); ok {
		s := status.Status()
		a = answer{Code: int(s.Code), Reason: string(s.Reason), Message: s.Message}
		if s.Details != nil {
			for _, c := range s.Details.Causes {
				a.Causes = append(a.Causes, c.Message)
			}
		}
	} else if err != nil {
		t.Fatal(fmt.Errorf("asking the server: %w", err))
	} else {
		a.Object = comparable(got.Object)
	}
	a.Warnings = heard.list
	return a.sorted(), missing == nil
}

// parsed returns a text's only object.
func parsed(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	docs, problems := scenario.ParseDocuments(diag.Cluster, text)
	if diag.HasErrors(problems) || len(docs) != 1 {
		t.Fatalf("%d documents, %v", len(docs), problems)
	}
	return &unstructured.Unstructured{Object: docs[0].Value}
}
