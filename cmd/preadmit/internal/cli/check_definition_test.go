package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const dearDefinition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {plural: widgets, kind: Widget}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          names:
            type: array
            items: {type: string}
            x-kubernetes-validations:
            - rule: self.all(n, self.exists(o, o == n) and n != '')
`

// capturedDefinition is a webhook's capture of a definition's creation.
func capturedDefinition(definition string) string {
	return "apiVersion: admission.k8s.io/v1\nkind: AdmissionReview\nrequest:\n  uid: a\n  operation: CREATE\n" +
		"  kind: {group: apiextensions.k8s.io, version: v1, kind: CustomResourceDefinition}\n" +
		"  resource: {group: apiextensions.k8s.io, version: v1, resource: customresourcedefinitions}\n" +
		"  name: widgets.example.com\n  userInfo: {username: jane}\n  object:\n    " +
		strings.ReplaceAll(strings.TrimSuffix(definition, "\n"), "\n", "\n    ") + "\n"
}

// TestRequestIsDefinition: a definition that is the scenario's request is checked and repaired like
// one in a configuration file.
func TestRequestIsDefinition(t *testing.T) {
	for name, form := range map[string]func(string) string{
		"object": func(s string) string { return s },
		"review": capturedDefinition,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "request.yaml")
			for path, content := range map[string]string{filepath.Join(dir, "policies.yaml"): "", file: form(dearDefinition)} {
				if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			run := func(args ...string) (int, string, string) {
				var out, problems bytes.Buffer
				return Run(args, strings.NewReader(""), &out, &problems), out.String(), problems.String()
			}
			code, out, _ := run("check", dir, "-o", "json")
			var list []checkOf
			if err := json.Unmarshal([]byte(out), &list); err != nil || code != exitInput {
				t.Fatalf("exit code %d, %v", code, err)
			}
			if c := list[0]; len(c.Install) != 1 || c.Install[0].Code != 422 || c.Install[0].Name != "widgets.example.com" || len(c.Diagnostics.Errors()) != 1 ||
				c.Diagnostics[0].File != file || len(c.Costs) != 1 || c.Costs[0].Kind != "Widget" || !strings.HasPrefix(c.Costs[0].Expression, "self.all(") || c.Costs[0].Line == 0 {
				t.Errorf("the server's refusal is not said whole: %s", out)
			}
			// The cost is known once the rule compiles: two rounds.
			code, out, problems := run("fix", dir)
			if code != exitOK || !strings.Contains(out, "+++ "+file) || !strings.Contains(out, "o == n) && n != ''") || !strings.Contains(out, "maxItems: ") {
				t.Errorf("fix: exit code %d\n%s%s", code, out, problems)
			}
			if code, out, problems := run("fix", dir, "--write"); code != exitOK || out != "" {
				t.Errorf("fix --write: exit code %d\n%s%s", code, out, problems)
			}
			code, out, _ = run("check", dir)
			if code != exitOK || !strings.Contains(out, "CustomResourceDefinition/widgets.example.com\n  versions[0].schema.properties[names].rules[0]") || !strings.HasSuffix(out, "0 errors, 0 warnings\n") {
				t.Errorf("check after it: exit code %d\n%s", code, out)
			}
		})
	}
}

// TestUpdateIsDefinition: when a definition is updated, the new one is checked by the rules for
// updates. The cost of an existing rule is not an error.
func TestUpdateIsDefinition(t *testing.T) {
	const of = "self.all(n, self.exists(o, o == n) and n != '')"
	cheap, dear := strings.Replace(dearDefinition, of, "size(self) < 9", 1), strings.Replace(dearDefinition, of, "self.all(n, self.exists(o, o == n && n != ''))", 1)
	update := func(before, after string) string {
		old := "  oldObject:\n    " + strings.ReplaceAll(strings.TrimSuffix(before, "\n"), "\n", "\n    ") + "\n"
		return strings.Replace(capturedDefinition(after), "operation: CREATE", "operation: UPDATE", 1) + old
	}
	const rule, total = "estimated rule cost exceeds budget", "estimated rule cost total for entire OpenAPIv3 schema exceeds budget"
	for name, test := range map[string]struct {
		request string
		code    int
		want    []string
		not     string
	}{
		"a rule that is too dear":        {update(cheap, dear), exitInput, []string{rule, total, "the server rejects 1"}, ""},
		"one that was there":             {update(dear, dear), exitInput, []string{total, "the server rejects 1"}, rule},
		"one in the place of it":         {update(dear, cheap), exitOK, []string{"0 errors, 0 warnings"}, "exceeds"},
		"another kind of a served":       {update(strings.Replace(cheap, "spec:\n", "status: {conditions: [{type: Established, status: 'True'}]}\nspec:\n", 1), strings.Replace(cheap, "kind: Widget}", "kind: Thing}", 1)), exitInput, []string{"field is immutable"}, ""},
		"a deletion is no configuration": {strings.NewReplacer("operation: CREATE", "operation: DELETE", "  object:", "  oldObject:").Replace(capturedDefinition(dear)), exitOK, nil, "exceeds"},
	} {
		t.Run(name, func(t *testing.T) {
			var out, problems bytes.Buffer
			code := Run([]string{"check", "-"}, strings.NewReader("-- policies.yaml --\n-- request.yaml --\n"+test.request), &out, &problems)
			if code != test.code || test.not != "" && strings.Contains(out.String(), test.not) {
				t.Errorf("exit code %d\n%s%s", code, out.String(), problems.String())
			}
			for _, want := range test.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("%q is not said: %s", want, out.String())
				}
			}
		})
	}
}

// TestDefinitionLeft: a mistake without a repair stays an error and is reported. Requests of other
// kinds do not count, whatever they mention.
func TestDefinitionLeft(t *testing.T) {
	for name, test := range map[string]struct {
		request string
		code    int
	}{
		"no repair":            {strings.Replace(dearDefinition, "self.all(n, self.exists(o, o == n) and n != '')", "self.all(n, frobnicate(n))", 1), exitInput},
		"no definition at all": {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, annotations: {of: CustomResourceDefinition}}\ndata: {a: 1}\n", exitOK},
		"broken text":          {strings.Replace(dearDefinition, "spec:", "spec: [", 1), exitInput},
	} {
		t.Run(name, func(t *testing.T) {
			archive := "-- policies.yaml --\n-- request.yaml --\n" + test.request
			var out, problems bytes.Buffer
			if code := Run([]string{"check", "-"}, strings.NewReader(archive), &out, &problems); code != test.code {
				t.Errorf("check: exit code %d, want %d\n%s%s", code, test.code, out.String(), problems.String())
			}
		})
	}
	var out, problems bytes.Buffer
	archive := "-- policies.yaml --\n-- request.yaml --\n" + strings.Replace(dearDefinition, "self.all(n, self.exists(o, o == n) and n != '')", "self.all(n, frobnicate(n))", 1)
	if code := Run([]string{"fix", "-"}, strings.NewReader(archive), &out, &problems); code != exitInput || !strings.Contains(problems.String(), "remaining errors: 1") {
		t.Errorf("fix: exit code %d\n%s", code, problems.String())
	}
}

// TestCheckFailsOn: --fail-on lets warnings, or advice too, decide the exit code. Errors always do.
func TestCheckFailsOn(t *testing.T) {
	policy := func(resource, expression string) string {
		return "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\nspec:\n" +
			"  matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [" + resource + "]}]}\n" +
			"  validations: [{expression: \"" + expression + "\", message: refused}]\n---\n" +
			"apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: p}\nspec: {policyName: p, validationActions: [Deny]}\n"
	}
	for name, test := range map[string]struct {
		policies                 string
		plain, onWarning, onInfo int
	}{
		"no problem": {policy("configmaps", "!has(object.immutable) || !object.immutable"), exitOK, exitOK, exitOK},
		"a warning":  {policy("configmaps", "object.data['a'] == 'b'"), exitOK, exitDenied, exitDenied},
		"advice":     {policy("persistentvolumeclaims", "!has(object.spec.resources.requests) || !('storage' in object.spec.resources.requests)"), exitOK, exitOK, exitDenied},
		"an error":   {policy("configmaps", "object.data["), exitInput, exitInput, exitInput},
	} {
		for flag, want := range map[string]int{"": test.plain, "warning": test.onWarning, "info": test.onInfo} {
			args := []string{"check", "-"}
			if flag != "" {
				args = append(args, "--fail-on", flag)
			}
			var out, problems bytes.Buffer
			if code := Run(args, strings.NewReader(test.policies), &out, &problems); code != want {
				t.Errorf("%s, --fail-on %q: exit code %d, want %d\n%s%s", name, flag, code, want, out.String(), problems.String())
			}
		}
	}
}
