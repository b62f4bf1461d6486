package request

import (
	"strings"
	"testing"
)

// TestPatch: admission sees a patch as an UPDATE, or as a CREATE if an apply creates the object,
// with that operation's options.
func TestPatch(t *testing.T) {
	const object, old = "object: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n", "oldObject: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n"
	for _, c := range []struct{ text, want string }{
		{"operation: PATCH\noptions: {apiVersion: meta.k8s.io/v1, kind: PatchOptions}\n" + object + old, Update},
		{"operation: PATCH\noptions: {apiVersion: meta.k8s.io/v1, kind: PatchOptions}\n" + object, Create},
		{"operation: patch\noptions: {apiVersion: meta.k8s.io/v1, kind: PatchOptions}\n" + object + old, Update},
		{"operation: Apply\noptions: {apiVersion: meta.k8s.io/v1, kind: PatchOptions}\n" + object, Create},
	} {
		r, problems := Parse(nil, c.text, nil, kinds(t))
		kind := map[string]string{Update: "UpdateOptions", Create: "CreateOptions"}[c.want]
		if r == nil || r.Operation != c.want || r.Options["kind"] != kind {
			t.Fatalf("%s: %+v", c.text, r)
		}
		fixed := c.text
		for _, d := range problems {
			for _, fix := range d.Fixes {
				fixed = strings.Replace(fixed, fixed[d.Span.Start:d.Span.End], fix.Edits[0].New, 1)
				break
			}
		}
		if _, left := Parse(nil, fixed, nil, kinds(t)); len(problems) != 2 || len(left) != 0 {
			t.Errorf("%d problems, after their fixes %+v of\n%s", len(problems), left, fixed)
		}
	}
}

// TestValidateOptions has the rejections of apimachinery/pkg/apis/meta/v1/validation.
func TestValidateOptions(t *testing.T) {
	const pod = "{apiVersion: v1, kind: Pod, metadata: {name: a, uid: u, resourceVersion: '5'}}"
	for _, c := range []struct{ operation, options, want string }{
		{"CREATE", "{fieldValidation: Warn}", ""},
		{"CREATE", "{fieldValidation: warn}", `fieldValidation: Unsupported value: "warn"`},
		{"UPDATE", "{dryRun: [Some]}", `dryRun: Unsupported value: ["Some"]`},
		{"DELETE", "{propagationPolicy: Background}", ""},
		{"DELETE", "{propagationPolicy: Later}", `propagationPolicy: Unsupported value: "Later"`},
	} {
		text := "operation: " + c.operation + "\noptions: " + c.options + "\noldObject: " + pod + "\n"
		if c.operation != "DELETE" {
			text += "object: " + pod + "\n"
		}
		r, _ := Parse(nil, text, nil, kinds(t))
		if r == nil {
			t.Fatalf("%s is no request", text)
		}
		got := ""
		if status := r.ValidateOptions(); status != nil {
			got = status.ErrStatus.Message
		}
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s %s: %q, want %q", c.operation, c.options, got, c.want)
		}
	}
}
