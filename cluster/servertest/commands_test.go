//go:build apiserver

package servertest

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/preadmit/preadmit/cluster/internal/drift"
	"github.com/preadmit/preadmit/engine/report"
)

// TestWhy: the report on an existing object names what applies and why the rest does not.
func TestWhy(t *testing.T) {
	code, stdout, stderr := shared.run(t, "reader", "", "why", "pod/web", "-n", "shop", "-o", "json", "--user-name", "jane", "--user-group", "developers")
	var r report.Report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || code != 0 {
		t.Fatalf("%d, %v\n%s", code, err, stderr)
	}
	status := map[string]report.Status{}
	for _, s := range r.Steps {
		status[s.Policy] = s.Status
	}
	// The Pod existed before the policies; the second pass finds the label.
	if status["registries"] != report.Evaluated || status["team-label"] != report.Excluded || !r.Outcome.Mutated {
		t.Errorf("%v", status)
	}
	if !slices.ContainsFunc(r.NotRun, func(u report.Unmatched) bool {
		return u.Name == "replica-limit" && strings.Contains(u.Reason, "wants apiGroups apps")
	}) {
		t.Errorf("%+v", r.NotRun)
	}
	if code, stdout, _ := shared.run(t, "reader", "", "why", "configmap/limits", "-n", "prod", "--delete"); code != 1 || !strings.Contains(stdout, "other policies need it") {
		t.Errorf("deletion: %d\n%s", code, stdout)
	}
	if code, stdout, stderr := shared.run(t, "reader", "", "why", "deploy", "web", "-n", "prod", "--as-update", "--user-name", "jane"); code != 0 || !strings.Contains(stdout, "UPDATE apps/v1 deployments prod/web") {
		t.Errorf("update: %d\n%s%s", code, stdout, stderr)
	}
	if code, _, stderr := shared.run(t, "reader", "", "why", "secret/password", "-n", "shop"); code != 2 || !strings.Contains(stderr, "secrets are not read") {
		t.Errorf("a Secret: %d, %s", code, stderr)
	}
}

// TestForbidden: the report lists what could not be read, and still has a verdict.
func TestForbidden(t *testing.T) {
	pod := `{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: shop}, spec: {containers: [{name: a, image: 'other.example.com/a'}]}}`
	code, stdout, stderr := shared.run(t, "jane", pod, "try", "-f", "-", "-o", "json")
	var r report.Report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatalf("%d, %v\n%s", code, err, stderr)
	}
	if r.Request.User != "jane" || !slices.Contains(r.Request.Groups, "developers") {
		t.Errorf("the user is %+v", r.Request.User)
	}
	for _, missing := range []string{"validatingadmissionpolicies", "mutatingwebhookconfigurations", "clusterrolebindings", "namespaces shop", "resourcequotas in the namespace shop"} {
		if !slices.ContainsFunc(r.Assumed, func(a report.Assumption) bool {
			return strings.Contains(a.What, missing) && strings.Contains(a.Why, "forbidden")
		}) {
			t.Errorf("nothing is said about %s: %+v", missing, r.Assumed)
		}
	}
}

// TestCollect: the scenario has exactly what the request needs, and its verdict is the cluster's.
func TestCollect(t *testing.T) {
	code, stdout, stderr := shared.run(t, "reader", "", "collect", "pod/web", "-n", "shop", "--user-name", "jane", "--user-group", "developers")
	if code != 0 {
		t.Fatal(stderr)
	}
	files := map[string]string{}
	for _, f := range txtar.Parse([]byte(stdout)).Files {
		files[f.Name] = string(f.Data)
	}
	names := func(text string) []string {
		var out []string
		for line := range strings.Lines(text) {
			if name, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "  name: "); ok {
				out = append(out, name)
			}
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	if got, want := names(files["policies.yaml"]), []string{"registries", "team-label"}; !slices.Equal(got, want) {
		t.Errorf("policies: %v, want %v", got, want)
	}
	got := names(files["cluster.yaml"])
	for _, want := range []string{"shop", "allowances.example.com", "default", "developer", "developers", "system:basic-user"} {
		if !slices.Contains(got, want) {
			t.Errorf("the cluster has no %s: %v", want, got)
		}
	}
	for _, other := range []string{"spare", "prod", "lab", "limits", "widgets.example.com", "checker", "password", "preadmit-collect", "system-node-critical"} {
		if slices.Contains(got, other) {
			t.Errorf("the cluster has %s, which the request does not need", other)
		}
	}
	if strings.Contains(stdout, "not-for-reports") {
		t.Error("the content of a Secret is in the scenario")
	}
	folder := filepath.Join(t.TempDir(), "web")
	for i, want := range []int{0, 2} { // the second time the files exist
		if code, _, stderr := shared.run(t, "reader", "", "collect", "pod/web", "-n", "shop", "--to", folder); code != want {
			t.Errorf("run %d: %d, %s", i, code, stderr)
		}
	}
}

// TestDrift: changed, missing and added objects in a cluster that has set defaults and metadata.
func TestDrift(t *testing.T) {
	states := func(args ...string) (int, map[string]string) {
		t.Helper()
		code, stdout, stderr := shared.run(t, "reader", "", append([]string{"drift", "-o", "json"}, args...)...)
		var r drift.Result
		if err := json.Unmarshal([]byte(stdout), &r); err != nil {
			t.Fatalf("%v\n%s", err, stderr)
		}
		if len(r.Gaps) > 0 {
			t.Errorf("%+v", r.Gaps)
		}
		out := map[string]string{}
		for _, o := range r.Objects {
			if o.State != drift.Same {
				out[o.Kind+"/"+o.Name] = o.State
			}
		}
		return code, out
	}
	// The files from which the cluster was created.
	if code, found := states("testdata/policies.yaml"); code != 0 || len(found) > 0 {
		t.Errorf("its own files: %d, %v", code, found)
	}
	code, found := states("testdata/docs/policies", "--only-known")
	if code != 1 || len(found) != 2 || found["ValidatingAdmissionPolicy/owner"] != drift.Changed || found["ValidatingAdmissionPolicyBinding/owner-in-prod"] != drift.Missing {
		t.Errorf("other files: %d, %v", code, found)
	}
	if _, found := states("testdata/docs/policies"); found["MutatingAdmissionPolicy/team-label"] != drift.Added || found["ValidatingWebhookConfiguration/lab-services"] != drift.Added {
		t.Errorf("added: %v", found)
	}
	if code, _, _ := shared.run(t, "nobody", "", "drift", "testdata/policies.yaml"); code != 2 {
		t.Errorf("what may not be read cannot be compared, but the code is %d", code)
	}
}
