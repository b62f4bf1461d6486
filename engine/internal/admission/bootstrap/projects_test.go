package bootstrap_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

var update = flag.Bool("update", false, "write what is found in the configurations of projects")

// projects are configurations as well-known projects install them, written anew
// from what they document.
func projects(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("testdata/projects/*.yaml")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d projects, %v", len(files), err)
	}
	out := map[string]string{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimSuffix(filepath.Base(f), ".yaml")] = string(text)
	}
	return out
}

// findings are the diagnostics about webhooks that can break a cluster.
func findings(t *testing.T, policies, cluster string) []diag.Diagnostic {
	t.Helper()
	_, list := engine.Compile(scenario.Scenario{Policies: policies, Cluster: cluster})
	var out []diag.Diagnostic
	for _, d := range list {
		if e, ok := codes.Find(d.Code); ok && e.Group == "webhooks" {
			out = append(out, d)
		} else if d.Severity == diag.Error {
			t.Errorf("the configuration is not accepted: %s", d)
		}
	}
	return out
}

// TestProjects: nothing that well-known projects install is an error; what is
// found besides is as recorded. All in one cluster, those that fail closed for
// Pods and leave out nothing but their own namespaces do block each other, and
// that is all.
func TestProjects(t *testing.T) {
	var b strings.Builder
	all := projects(t)
	var together []string
	for _, f := range sorted(all) {
		list := findings(t, all[f], "")
		for _, d := range list {
			if d.Severity == diag.Error {
				t.Errorf("%s: %s", f, d)
			}
			fmt.Fprintf(&b, "%s: %s: %s [%s]\n", f, d.Severity, d.Summary, d.Code)
		}
		if len(list) == 0 {
			fmt.Fprintf(&b, "%s: nothing\n", f)
		}
		together = append(together, all[f])
	}
	for _, d := range findings(t, strings.Join(together, "---\n"), "") {
		if d.Severity == diag.Error {
			fmt.Fprintf(&b, "all in one cluster: %s: %s [%s]\n", d.Severity, d.Summary, d.Code)
			if d.Code != codes.WebhooksBlockEachOther {
				t.Errorf("all in one cluster: %s", d)
			}
		}
	}
	const golden = "testdata/projects/found.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("found is\n%s\nand the file has\n%s\nIf the new text is right: go test ./engine/internal/admission/bootstrap -update", b.String(), want)
	}
}
