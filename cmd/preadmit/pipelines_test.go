package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// This file runs deploy's CI integrations as the CI systems do: each step's shell, with the
// system's variables. testscript.Main puts this program into PATH.

// action is the used part of a composite action.
type action struct {
	Inputs map[string]struct{ Default string } `json:"inputs"`
	Runs   struct {
		Steps []struct {
			Name, Run, Shell, If string
			Env                  map[string]string
		}
	} `json:"runs"`
}

func load(t *testing.T, name string, into any) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(docsRoot, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(raw, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// repository creates a Git repository whose first commit allows five replicas, and whose files
// allow four.
func repository(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	write := func(name, content string) {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	policy := func(most string) string {
		return `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: size}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  validations: [{expression: "object.data.size() <= ` + most + `"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: size}
spec: {policyName: size, validationActions: [Deny]}
`
	}
	write("tests/size/policies.yaml", policy("2"))
	write("tests/size/request.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}, data: {a: a, b: b}}\n")
	write("tests/size/cases.yaml", "- {name: two, expected: {outcome: {allowed: true}}}\n")
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "-A"},
		{"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "first"},
	} {
		if out, err := exec.Command("git", append([]string{"-C", folder}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	write("tests/size/policies.yaml", policy("1"))
	return folder
}

// TestAction runs the GitHub Action's steps.
func TestAction(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git here")
	}
	var a action
	load(t, "deploy/github-action/action.yml", &a)
	folder, out := repository(t), t.TempDir()
	given := map[string]string{"path": "tests", "arguments": "--coverage", "compare-with": "HEAD", "policies": "tests/size", "requests": ""}
	var printed []string
	for _, step := range a.Runs.Steps {
		if strings.Contains(step.Run, "${{") {
			t.Errorf("%s: an input is pasted into the script", step.Name)
		}
		command := exec.Command(step.Shell, "-e", "-o", "pipefail", "-c", step.Run)
		command.Dir = folder
		command.Env = append(os.Environ(), "GITHUB_PATH="+out+"/path", "GITHUB_OUTPUT="+out+"/output", "GITHUB_STEP_SUMMARY="+out+"/summary")
		for name, value := range step.Env {
			input := strings.TrimSuffix(strings.TrimPrefix(value, "${{ inputs."), " }}")
			if _, ok := a.Inputs[input]; !ok {
				t.Fatalf("%s: %s is no input", step.Name, value)
			}
			text, ok := given[input]
			if !ok {
				text = a.Inputs[input].Default
			}
			command.Env = append(command.Env, name+"="+text)
		}
		text, err := command.CombinedOutput()
		if failed := err != nil; failed != (step.Name == "Test") {
			t.Errorf("%s: %v: %s", step.Name, err, text)
		}
		printed = append(printed, string(text))
	}
	all := strings.Join(printed, "")
	for _, want := range []string{"FAIL     tests/size: two", "::error file=tests/size/cases.yaml,line=1,title=tests/size%3A two::outcome.allowed", "coverage: "} {
		if !strings.Contains(all, want) {
			t.Errorf("the steps print %s, without %s", all, want)
		}
	}
	summary, err := os.ReadFile(filepath.Join(out, "summary"))
	if err != nil || !strings.Contains(string(summary), "| 1 | admitted | denied by size | CREATE ConfigMap default/a |") {
		t.Errorf("%v, the summary is %s", err, summary)
	}
	output, err := os.ReadFile(filepath.Join(out, "output"))
	first, rest, _ := strings.Cut(string(output), "\n")
	end, named := strings.CutPrefix(first, "answers<<")
	if err != nil || !named || len(end) < 16 || !strings.HasPrefix(rest, "**1 of 1 requests") || !strings.HasSuffix(rest, "\n"+end+"\n") {
		t.Errorf("%v, the output is %s", err, output)
	}
}

// TestGitLab runs the template's job.
func TestGitLab(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git here")
	}
	var template struct {
		Variables map[string]string
		Preadmit  struct {
			Before    []string `json:"before_script"`
			Script    []string
			Artifacts struct{ Reports struct{ JUnit string } }
		}
	}
	load(t, "deploy/gitlab/preadmit.gitlab-ci.yml", &template)
	folder := repository(t)
	command := exec.Command("sh", "-e", "-c", strings.Join(append(template.Preadmit.Before, template.Preadmit.Script...), "\n"))
	command.Dir, command.Env = folder, os.Environ()
	for name, value := range template.Variables {
		command.Env = append(command.Env, name+"="+value)
	}
	if out, err := command.CombinedOutput(); err == nil || len(out) > 0 {
		t.Errorf("the job prints %s, %v", out, err)
	}
	report, err := os.ReadFile(filepath.Join(folder, template.Preadmit.Artifacts.Reports.JUnit))
	if err != nil || !strings.Contains(string(report), `<testsuite name="preadmit" tests="1" failures="1"`) {
		t.Errorf("%v, the report is %s", err, report)
	}
}

// TestPreCommit runs the hooks' entries as pre-commit does.
func TestPreCommit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git here")
	}
	var hooks []struct {
		ID, Entry string
		Pass      *bool `json:"pass_filenames"`
	}
	load(t, ".pre-commit-hooks.yaml", &hooks)
	folder := repository(t)
	want := map[string]int{"preadmit-test": 1, "preadmit-check": 0}
	for _, hook := range hooks {
		args := strings.Fields(hook.Entry)
		if hook.Pass == nil || *hook.Pass {
			args = append(args, "tests/size/policies.yaml")
		}
		command := exec.Command(args[0], args[1:]...)
		command.Dir = folder
		out, err := command.CombinedOutput()
		if command.ProcessState == nil || command.ProcessState.ExitCode() != want[hook.ID] {
			t.Errorf("%s: %v: %s", hook.ID, err, out)
		}
		delete(want, hook.ID)
	}
	if len(want) > 0 {
		t.Errorf("there are no hooks %v", want)
	}
}

// TestArgoCD evaluates the example's Job: a namespace with the strictest Pod Security accepts its
// Pods.
func TestArgoCD(t *testing.T) {
	folder := t.TempDir()
	raw, err := os.ReadFile(filepath.Join(docsRoot, "deploy", "argocd", "check-policies.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var job struct {
		Spec struct{ Template map[string]any }
	}
	if err := yaml.Unmarshal(raw, &job); err != nil {
		t.Fatal(err)
	}
	pod := job.Spec.Template
	pod["apiVersion"], pod["kind"], pod["metadata"] = "v1", "Pod", map[string]any{"name": "preadmit", "namespace": "strict"}
	text, err := yaml.Marshal(pod)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"request.yaml": string(text),
		"cluster.yaml": "{apiVersion: v1, kind: Namespace, metadata: {name: strict, labels: {pod-security.kubernetes.io/enforce: restricted}}}\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("preadmit", "eval", folder, "--plugin", "PodSecurity").CombinedOutput(); err != nil || !strings.Contains(string(out), "ADMITTED") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestMounted runs a folder's tests as the Argo CD Job mounts it: a ConfigMap is mounted as links
// to a folder that has the files again.
func TestMounted(t *testing.T) {
	tests := filepath.Join(repository(t), "tests", "size")
	mount := t.TempDir()
	if err := os.Rename(tests, filepath.Join(mount, "..2026_11_23")); err != nil {
		t.Fatal(err)
	}
	links := map[string]string{"..data": "..2026_11_23"}
	for _, name := range []string{"policies.yaml", "request.yaml", "cases.yaml"} {
		links[name] = filepath.Join("..data", name)
	}
	for name, to := range links {
		if err := os.Symlink(to, filepath.Join(mount, name)); err != nil {
			t.Fatal(err)
		}
	}
	if out, _ := exec.Command("preadmit", "test", mount).CombinedOutput(); !strings.HasSuffix(string(out), "\n0 passed, 1 failed\n") {
		t.Errorf("the test of the folder is not run once: %s", out)
	}
	out, err := exec.Command("preadmit", "replay", "-p", filepath.Join(mount, "policies.yaml"), mount).CombinedOutput()
	if !strings.Contains(string(out), "3 of 4 records replayed (1 unreadable)") {
		t.Errorf("the files of the folder are not read once, with the table that is no request: %v: %s", err, out)
	}
}
