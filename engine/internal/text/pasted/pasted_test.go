package pasted

import (
	"github.com/preadmit/preadmit/scripts/hostile/variants"
	"reflect"
	"strings"
	"testing"
)

const pod = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n"

// TestRepairs covers every repair, by name.
func TestRepairs(t *testing.T) {
	tests := map[string][]struct{ text, want, said string }{
		"byte-order-mark": {{"\ufeff" + pod, pod, "removed a byte order mark"}},
		"line-ends":       {{strings.ReplaceAll(pod, "\n", "\r\n"), pod, "replaced 4 Windows line ends"}},
		"fence": {
			{"```yaml\n" + pod + "```\n", pod, "removed a Markdown fence"},
			{"```yaml\n" + pod, pod, "removed a Markdown fence"},
			{pod + "```", pod, "removed a Markdown fence"},
			{"~~~\n" + pod + "~~~\n", pod, "removed a Markdown fence"},
			{"Text before:\n\n  ```yaml title=\"a\"\n  apiVersion: v1\n  kind: Pod\n  ```\n\nText between.\n\n```json\n{}\n```\n```go\nfunc main() {}\n```\n",
				"apiVersion: v1\nkind: Pod\n---\n{}\n", "took 2 code blocks out of Markdown"},
		},
		"heredoc": {
			{"cat <<EOF | kubectl apply -f -\n" + pod + "EOF\n", pod, "removed the shell command around it"},
			{"$ kubectl apply -f - <<'EOF'\nname: $(VAR) \\$X\nEOF\n", "name: $(VAR) \\$X\n", "removed the shell command around it"},
			{"kubectl apply -f - <<EOF\nname: \\$(VAR)\nEOF\n", "name: $(VAR)\n", "removed the shell command around it"},
			{"cat > a.yaml <<-END\n\ta: 1\n\tEND\ncat > b.yaml <<END\nb: 1\nEND\nls\n", "a: 1\n---\nb: 1\n", "removed the shell commands around 2 texts"},
		},
		"log": {
			{"I1127 10:24:40.1 1 main.go:81] request: " + review + "\n", review + "\n", "took the request out of a log"},
			{"got " + review + "\nthen " + review, review + "\n---\n" + review + "\n", "took 2 requests and responses out of a log"},
		},
		"banner": {
			{"Pulled: registry.example.com/shop:1.2.3\nDigest: sha256:0123\n" + pod, pod, "removed 2 lines that a command prints before its output"},
			{"coalesce.go:286: warning: cannot overwrite table\n---\n" + pod, "---\n" + pod, "removed a line that a command prints before its output"},
		},
		"release": {
			{"NAME: shop\nLAST DEPLOYED: Fri Oct  2 09:11:12 2026\nSTATUS: pending-install\nHOOKS:\nMANIFEST:\n---\n# Source: shop/pod.yaml\n" + pod + "\nNOTES:\n1. Get the URL:\n  echo \"http://\"\n",
				"---\n# Source: shop/pod.yaml\n" + pod, "extracted the manifest from helm's output"},
			{"NAME: shop\nUSER-SUPPLIED VALUES:\nkind: Pod\n\nHOOKS:\n---\n" + pod + "MANIFEST:\n---\n" + pod,
				"---\n" + pod + "---\n" + pod, "extracted 2 parts with manifests from helm's output"},
		},
		"command": {
			{"$ kubectl get pod web -o yaml\n" + pod + "$ \n", pod, "removed a command line"},
			{"user@host:~$ kubectl get pod web -o yaml\n" + pod, pod, "removed a command line"},
			{"helm template . --set a=b\n---\n" + pod, "---\n" + pod, "removed a command line"},
		},
		"line-numbers": {
			{" 9  apiVersion: v1\n10  kind: Pod\n11  metadata:\n12    name: web\n", pod, "removed 4 line numbers"},
			{"1: apiVersion: v1\n2: kind: Pod\n3: metadata:\n4:   name: web\n", pod, "removed 4 line numbers"},
		},
		"quoted": {
			{"> apiVersion: v1\n> kind: Pod\n>\n> metadata:\n>   name: web\n", "apiVersion: v1\nkind: Pod\n\nmetadata:\n  name: web\n", "removed the quote signs of 5 lines"},
		},
		"diff": {
			{"+apiVersion: v1\n+kind: Pod\n+metadata:\n+  name: web\n", pod, "extracted the new text from a diff of 4 lines"},
			{" apiVersion: v1\n kind: Pod\n metadata:\n-  name: old\n+  name: web\n", pod, "extracted the new text from a diff of 2 lines"},
			{"diff --git a/pod.yaml b/pod.yaml\n--- a/pod.yaml\n+++ b/pod.yaml\n@@ -1,4 +1,4 @@\n+apiVersion: v1\n kind: Pod\n metadata:\n-  name: old\n+  name: web\n", pod, "extracted the new text from a diff of 7 lines"},
		},
		"separator": {{pod + "--\n" + pod + "-----\n" + pod, pod + "---\n" + pod + "---\n" + pod, "wrote 2 document separators with three dashes"}},
		"template": {
			{"{{- if .Values.enabled }}\n" + pod + "{{- end }}\n", pod, "removed 2 template lines"},
			{"{{/* the pod */}}\n" + pod, pod, "removed a template line"},
			{pod + "  labels:\n    {{- range $k, $v := .Values.labels }}\n    a: b\n    {{- end }}\n", pod + "  labels:\n    a: b\n", "removed 2 template lines"},
		},
		"invisible": {{"kind:\u200b Pod\nname: we\u00adb", "kind: Pod\nname: web", "removed 2 invisible characters"}},
		"spaces": {
			{"metadata:\n\u00a0\u00a0name:\u00a0web", "metadata:\n  name: web", "replaced 3 non-breaking spaces"},
			{"expression: \"a\u00a0== 'b\u00a0c'\"", "expression: \"a == 'b\u00a0c'\"", "replaced a non-breaking space"},
		},
		"quotes": {
			{"name: “web”\nargs: [‘a’, “b”]", "name: \"web\"\nargs: ['a', \"b\"]", "replaced 3 pairs of typographic quotes"},
			{"expression: object.metadata.name == ‘web’ && a in [“b”]", "expression: object.metadata.name == 'web' && a in [\"b\"]", "replaced 2 pairs of typographic quotes"},
			{"expression: 'a == ‘web’'", "expression: 'a == \"web\"'", "replaced a pair of typographic quotes"},
		},
		"tabs": {{"metadata:\n\tname: web\n\tlabels:\n\t\ta: b", "metadata:\n  name: web\n  labels:\n    a: b", "replaced tabs that indent 3 lines"}},
		"json": {
			{"{\n  // the object\n  \"a\": \"http://b\", # why\n  \"c\": [1, ...],\n  ...\n}", "{\n  \"a\": \"http://b\",\n  \"c\": [1     ]\n}", "removed 6 comments, commas and ellipses from JSON"},
			{`{"object": ..., "b": {"c": 1, …}}`, `{"object": null, "b": {"c": 1     }}`, "removed 3 comments, commas and ellipses from JSON"},
			{"{ /* one\n two */ \"a\": 1}", "{\n        \"a\": 1}", "removed a comment, comma or ellipsis from JSON"},
		},
		"ellipsis": {
			{"spec:\n  containers:\n  - ...\n  ...\n", "spec:\n  containers:\n  # ...\n  # ...\n", "turned 2 ellipses into comments"},
			{"a: 1\n...\nb: 2\n", "a: 1\n# ...\nb: 2\n", "turned an ellipsis into a comment"},
		},
	}
	for _, r := range repairs {
		if len(tests[r.name]) == 0 {
			t.Errorf("the repair %s has no test", r.name)
		}
		for _, test := range tests[r.name] {
			got := Clean(test.text)
			if got.Text != test.want {
				t.Errorf("%s: of\n%q\nbecame\n%q, want\n%q", r.name, test.text, got.Text, test.want)
			}
			if len(got.Repairs) != 1 || got.Repairs[0].Name != r.name || got.Repairs[0].Done != test.said {
				t.Errorf("%s: of\n%q\nrepairs %+v, want %q", r.name, test.text, got.Repairs, test.said)
			}
			if again := Clean(got.Text); len(again.Repairs) > 0 {
				t.Errorf("%s: a second time it does %+v", r.name, again.Repairs)
			}
		}
	}
}

// TestContent holds texts that kubectl reads as intended: nothing changes.
func TestContent(t *testing.T) {
	for _, text := range []string{
		"", "\n", pod, "---\n" + pod + "---\n" + pod,
		"# Source: chart/templates/pod.yaml\n" + pod,
		"apiVersion: v1\nkind: ConfigMap\ndata:\n  README.md: |\n    ```yaml\n    a: b\n    ```\n  run.sh: |\n    cat <<EOF\n    x\n    EOF\n    \tindented by a tab\n",
		"apiVersion: v1\nkind: ConfigMap\ndata:\n  text: |\n    kubectl get pods -o yaml\n    ...\n",
		"message: don’t use “latest” here\n", "message: 'Use: “latest”'\n", "message: \"10\u00a0kg\"\n", "# “a”\nkind: Pod\n",
		pod + "...\n", pod + "...\n---\n" + pod,
		`{"a": "...", "b": "// no comment", "c": "# none", "d": [1, 2], "e": {}}`, `{"a": 1}` + "\n" + `{"b": "x, }"}`,
		"{\n\t\"a\": 1\n}", "{a: 1, b: '#'}\n", "object.metadata.name == 'a'",
	} {
		if got := Clean(text); got.Text != text || len(got.Repairs) > 0 {
			t.Errorf("%q became %q: %+v", text, got.Text, got.Repairs)
		}
	}
}

// TestLines checks each line's origin and each repair's line.
func TestLines(t *testing.T) {
	got := Clean("Look:\n\n```yaml\na: 1\n```\nand\n```yaml\n\nb:\u00a02\n```\n")
	if want := "a: 1\n---\nb: 2\n"; got.Text != want {
		t.Fatalf("%q, want %q", got.Text, want)
	}
	if want := []int{4, 8, 9, 10}; !reflect.DeepEqual(got.Lines, want) {
		t.Errorf("lines %v, want %v", got.Lines, want)
	}
	if len(got.Repairs) != 2 || got.Repairs[0].Line != 3 || got.Repairs[1].Line != 9 {
		t.Errorf("repairs %+v", got.Repairs)
	}
}

// FuzzClean feeds arbitrary texts: nothing may panic, every line has a number, and a second pass
// finds nothing that the first should have removed.
func FuzzClean(f *testing.F) {
	target := variants.Of(f, 1000)
	target.Add("```\n{\"a\": ..., // b\n}\n```")
	target.Add("cat <<EOF\n“a”\n\u00a0\nEOF")
	target.Fuzz(func(t *testing.T, text string) {
		got := Clean(text)
		if n := strings.Count(got.Text, "\n") + 1; n != len(got.Lines) {
			t.Errorf("%d lines with %d numbers", n, len(got.Lines))
		}
		if len(got.Repairs) == 0 && got.Text != text {
			t.Error("the text changed without a repair")
		}
	})
}
