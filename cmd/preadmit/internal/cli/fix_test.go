package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/scenario"
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

// TestFix repairs two related files in a folder: each keeps its own documents.
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
	if code, out := run("check", dir, "--kubernetes", "all"); code != exitOK || !strings.HasSuffix(out, "Kubernetes 1.37: 0 errors, 0 warnings\n") || strings.Contains(out, "error:") || !strings.Contains(out, "Estimated worst case on Kubernetes 1.3") {
		t.Errorf("check after it: exit code %d\n%s", code, out)
	}
}

// TestCheckForms: SARIF and annotations name the rule, the file and the line.
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
	out.Reset()
	if code := Run([]string{"check", "-", "-o", "github"}, strings.NewReader(brokenPolicy), &out, &problems); code != exitInput || !strings.HasPrefix(out.String(), "::error file=<stdin>,line=1,title=not-served::") {
		t.Errorf("exit code %d: %s", code, out.String())
	}
}

// TestCheckReleases: a problem of several releases is printed once, under all of them.
func TestCheckReleases(t *testing.T) {
	const semver = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\nspec:\n" +
		"  matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]}\n" +
		"  validations: [{expression: \"isSemver('1.0.0') && object.metadata.name == 'a'\"}]\n"
	var out, problems bytes.Buffer
	Run([]string{"check", "-", "--kubernetes", "all"}, strings.NewReader(semver), &out, &problems)
	for part, want := range map[string]int{"[later-version]": 1, "[policy-without-binding]": 1, "\nKubernetes 1.34 to 1.37:\n": 1, "Kubernetes 1.30 to 1.33:\n": 1} {
		if got := strings.Count(out.String(), part); got != want {
			t.Errorf("%q is there %d times\n%s", part, got, out.String())
		}
	}
}

// TestRemoveSecrets: fix shows and writes the files without the values. link warns about them or
// leaves them out.
func TestRemoveSecrets(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "request.yaml")
	const content = "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\ndata:\n  a: c2VjcmV0 # of the shop\n"
	want := strings.ReplaceAll(content, "c2VjcmV0", "UkVNT1ZFRA==")
	if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (out, problems string) {
		var o, p bytes.Buffer
		if code := Run(args, strings.NewReader(""), &o, &p); code != exitOK {
			t.Errorf("%v: exit code %d: %s", args, code, p.String())
		}
		return o.String(), p.String()
	}
	opened := func(link string) string {
		s, err := scenario.DecodeLink(strings.TrimSpace(link))
		if err != nil {
			t.Fatal(err)
		}
		return s.Request
	}
	found := file + ":5: a value of Secret db\n"
	if link, problems := run("link", dir); opened(link) != content || !strings.Contains(problems, found) || !strings.Contains(problems, "--remove-secrets") {
		t.Errorf("link: %s", problems)
	}
	if link, problems := run("link", dir, "--remove-secrets"); opened(link) != want || !strings.Contains(problems, found) {
		t.Errorf("link --remove-secrets: %s", problems)
	}
	if out, problems := run("fix", "--secrets", file); !strings.Contains(out, "+  a: UkVNT1ZFRA== # of the shop\n") || problems != found {
		t.Errorf("fix --secrets: %s%s", out, problems)
	}
	run("fix", "--secrets", file, "--write")
	if after, err := os.ReadFile(file); err != nil || string(after) != want {
		t.Errorf("--write: %v\n%s", err, after)
	}
	if out, problems := run("fix", "--secrets", dir); out != "" || problems != "nothing looks like a secret value\n" {
		t.Errorf("the second time: %s%s", out, problems)
	}
	if _, problems := run("link", dir); problems != "" {
		t.Errorf("link of placeholders: %s", problems)
	}
}

// TestRemoveSecretsOfOldObject: fix replaces the values of an update's old object in scenario.yaml, and nothing around
// them.
func TestRemoveSecretsOfOldObject(t *testing.T) {
	dir := t.TempDir()
	const settings = "options:\n  request:\n    operation: UPDATE # of the shop\n    oldObject: |\n      kind: Secret\n      apiVersion: v1\n      metadata: {name: db, labels: {a: \"\u00fc\"}}\n      data: {a: c2VjcmV0}\n"
	files := map[string]string{"scenario.yaml": settings, "request.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\n"}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var out, problems bytes.Buffer
	if code := Run([]string{"fix", "--secrets", "--write", dir}, strings.NewReader(""), &out, &problems); code != exitOK {
		t.Fatalf("exit code %d: %s", code, problems.String())
	}
	want := strings.ReplaceAll(settings, "c2VjcmV0", "UkVNT1ZFRA==")
	if after, err := os.ReadFile(filepath.Join(dir, "scenario.yaml")); err != nil || string(after) != want {
		t.Errorf("%v\n%s", err, after)
	}
}

// TestManifestsInArchive: check and fix read a txtar archive as a scenario with its settings'
// version, and change its policies in place.
func TestManifestsInArchive(t *testing.T) {
	file := filepath.Join(t.TempDir(), "scenario.txtar")
	head := "About this.\n-- scenario.yaml --\nkubernetes: '1.33'\n-- policies.yaml --\n"
	tail := "-- request.yaml --\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n-- expected.yaml --\noutcome: {allowed: true}\n"
	if err := os.WriteFile(file, []byte(head+brokenBinding+tail), 0o666); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (int, string) {
		var out, problems bytes.Buffer
		return Run(args, strings.NewReader(head+brokenBinding+tail), &out, &problems), out.String()
	}
	if code, out := run("check", file); code != exitInput || !strings.Contains(out, file+":5:1: error: apiVersion is not set [no-kind]") || !strings.Contains(out, "Kubernetes 1.33: ") {
		t.Errorf("check: exit code %d\n%s", code, out)
	}
	want := head + "apiVersion: admissionregistration.k8s.io/v1\n" + strings.Replace(brokenBinding, ": Deny", ": [Deny]", 1) + tail
	if _, out := run("fix", "-", "--write"); out != want {
		t.Errorf("fix -: got\n%s\nwant\n%s", out, want)
	}
	run("fix", file, "--write")
	if data, err := os.ReadFile(file); err != nil || string(data) != want {
		t.Errorf("%v: got\n%s\nwant\n%s", err, data, want)
	}
}

// TestCheckFails: an error fails the check also where the server accepts the configuration, a warning does not.
// A folder's name may end with a slash.
func TestCheckFails(t *testing.T) {
	for name, want := range map[string]struct {
		code    int
		summary string
	}{
		"engine/report/codes/data/webhook-blocks-itself.txtar": {exitDenied, ": 1 error, 0 warnings"},
		"engine/report/codes/data/failing-constant.txtar":      {exitOK, ": 0 errors, 1 warning"},
		"examples/first-look/":                                 {exitOK, ": 0 errors, 0 warnings"},
	} {
		var out, problems bytes.Buffer
		code := Run([]string{"check", "../../../../" + name}, strings.NewReader(""), &out, &problems)
		if code != want.code || !strings.Contains(out.String(), want.summary) {
			t.Errorf("%s: exit code %d\n%s%s", name, code, out.String(), problems.String())
		}
	}
}
