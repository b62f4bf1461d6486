package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const brokenPolicy = `apiVersion: admissionregistration.k8s.io/v1beta1
kind: ValidatingAdmissionPolicy
metadata: {name: replicas}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], operations: [create], resources: [deployments]}
  validations:
  - expression: object.replicas <= 5 and true
`

const brokenBinding = `kind: ValidatingAdmissionPolicyBinding
metadata: {name: replicas}
spec:
  policyName: replica
  validationActions: Deny
`

// TestFix repairs two files of a folder that belong together: each keeps what is
// its own.
func TestFix(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"a.yaml": brokenPolicy, "b.yaml": brokenBinding} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) (int, string) {
		var out, problems bytes.Buffer
		return Run(args, strings.NewReader(""), &out, &problems), out.String()
	}
	if code, out := run("check", dir); code != exitInput || !strings.Contains(out, filepath.Join(dir, "b.yaml")+":1:1: error: apiVersion is not set [no-kind]") {
		t.Errorf("check: exit code %d\n%s", code, out)
	}
	if code, out := run("fix", dir); code != exitOK || !strings.Contains(out, "-  policyName: replica\n") || !strings.Contains(out, "+  - expression: object.spec.replicas <= 5 && true\n") {
		t.Errorf("fix: exit code %d\n%s", code, out)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "a.yaml")); err != nil || string(data) != brokenPolicy {
		t.Errorf("a file was changed without --write: %v", err)
	}
	if code, out := run("fix", dir, "--write"); code != exitOK || out != "" {
		t.Errorf("fix --write: exit code %d\n%s", code, out)
	}
	data, err := os.ReadFile(filepath.Join(dir, "b.yaml"))
	want := "apiVersion: admissionregistration.k8s.io/v1\n" + strings.NewReplacer("replica\n", "replicas\n", ": Deny", ": [Deny]").Replace(brokenBinding)
	if err != nil || string(data) != want {
		t.Errorf("%v: got\n%s\nwant\n%s", err, data, want)
	}
	if code, out := run("check", dir, "--kubernetes", "all"); code != exitOK || out != "Kubernetes 1.37: 0 errors, 0 warnings\n" {
		t.Errorf("check after it: exit code %d\n%s", code, out)
	}
}

// TestCheckForms: SARIF names the rule, the file and the line.
func TestCheckForms(t *testing.T) {
	var out, problems bytes.Buffer
	if code := Run([]string{"check", "-", "-o", "sarif"}, strings.NewReader(brokenPolicy), &out, &problems); code != exitInput {
		t.Errorf("exit code %d: %s", code, problems.String())
	}
	var log sarifLog
	if err := json.Unmarshal(out.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	result := log.Runs[0].Results[0]
	if at := result.Locations[0].Physical; result.RuleID != "not-served" || result.Level != "error" || at.Artifact.URI != "<stdin>" || at.Region.StartLine != 1 {
		t.Errorf("got %+v", result)
	}
}
