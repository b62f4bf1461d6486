package scenario_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

const copiedObject = `apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  labels:
    app: "web"
`

// TestCopied: one repair undoes the damage from copying and restores the intended object.
func TestCopied(t *testing.T) {
	for name, c := range map[string]struct{ text, title string }{
		"fence":             {"Use this:\n\n```yaml\n" + copiedObject + "```\n", "Remove the Markdown around it"},
		"heredoc":           {"kubectl apply -f - <<'EOF'\n" + copiedObject + "EOF\n", "Remove the shell command around it"},
		"cat":               {"cat <<EOF | kubectl apply -f -\n" + copiedObject + "EOF\n", "Remove the shell command around it"},
		"command":           {"$ kubectl get configmap settings -o yaml\n" + copiedObject, "Remove the command line"},
		"no-break spaces":   {strings.ReplaceAll(copiedObject, "  ", "\u00a0\u00a0"), "Replace the non-breaking spaces"},
		"quotes":            {strings.Replace(copiedObject, `"web"`, "“web”", 1), "Replace the typographic quotes"},
		"ellipsis":          {strings.Replace(copiedObject, "  labels", "  ...\n  labels", 1), "Write it as a comment"},
		"comment in JSON":   {"{\"apiVersion\": \"v1\", // the version\n\"kind\": \"ConfigMap\", \"metadata\": {\"name\": \"settings\", \"labels\": {\"app\": \"web\"}}}", "Remove the comments, commas and ellipses from the JSON"},
		"ellipsis in JSON":  {"{\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\", \"metadata\": {\"name\": \"settings\", \"labels\": {\"app\": \"web\"}, ...}}", "Remove the comments, commas and ellipses from the JSON"},
		"tabs":              {strings.ReplaceAll(copiedObject, "  ", "\t"), "Indent with spaces"},
		"helm release":      {"NAME: web\nSTATUS: deployed\nHOOKS:\nMANIFEST:\n---\n" + copiedObject + "\nNOTES:\n1. Get the URL:\n", "Extract the manifests from helm's output"},
		"pulled chart":      {"Pulled: registry.example.com/web:1.2.3\nDigest: sha256:0123\n" + copiedObject, "Remove the command's messages before its output"},
		"warning":           {"WARNING: Kubernetes configuration file is group-readable. Location: /a\n---\n" + copiedObject, "Remove the command's messages before its output"},
		"one warning":       {"WARNING: This chart is deprecated\n---\n" + copiedObject, "Remove the command's messages before its output"},
		"log":               {"install.go:214: [debug] Original chart version: \"\"\n\n---\n" + copiedObject, "Remove the command's messages before its output"},
		"upgraded release":  {"Release \"web\" has been upgraded. Happy Helming!\nNAME: web\nMANIFEST:\n---\n" + copiedObject, "Remove the command's messages before its output, extract the manifests from helm's output"},
		"Windows and fence": {strings.ReplaceAll("```\n"+copiedObject+"```\n", "\n", "\r\n"), "Remove the Markdown around it"},
	} {
		t.Run(name, func(t *testing.T) {
			_, problems := scenario.ParseDocuments(diag.Policies, c.text)
			i := slices.IndexFunc(problems, func(d diag.Diagnostic) bool { return len(d.Fixes) > 0 && d.Fixes[0].Title == c.title })
			if i < 0 {
				t.Fatalf("no %q in %v", c.title, problems)
			}
			text, err := problems[i].Fixes[0].Apply(diag.Policies, c.text)
			if err != nil {
				t.Fatal(err)
			}
			docs, problems := scenario.ParseDocuments(diag.Policies, text)
			if len(docs) != 1 || len(problems) > 0 {
				t.Fatalf("%v\n%s", problems, text)
			}
			metadata := docs[0].Value["metadata"].(map[string]any)
			if labels, _ := metadata["labels"].(map[string]any); docs[0].Name != "settings" || labels["app"] != "web" {
				t.Errorf("%v", docs[0].Value)
			}
		})
	}
}

// TestNotCopied: intended texts stay unchanged.
func TestNotCopied(t *testing.T) {
	for name, text := range map[string]string{
		"plain":              copiedObject,
		"comment":            "# “quoted”\u00a0…\n" + copiedObject,
		"in a text":          copiedObject + "data:\n  text: \"a “quoted” word, …\"\n",
		"end of a document":  "---\n" + copiedObject + "...\n",
		"Windows line ends":  strings.ReplaceAll(copiedObject, "\n", "\r\n"),
		"helm template":      "---\n# Source: chart/templates/a.yaml\n" + copiedObject + "---\n# Source: chart/templates/empty.yaml\n---\n",
		"a byte order mark":  "\ufeff" + copiedObject,
		"a block of Chinese": copiedObject + "data:\n  text: |\n    “引号”\u3000…\n",
	} {
		docs, problems := scenario.ParseDocuments(diag.Cluster, text)
		if len(docs) != 1 || len(problems) > 0 {
			t.Errorf("%s: %d documents, %v", name, len(docs), problems)
		}
	}
}

// TestForeign: output for people is rejected in every text, with the command to use.
func TestForeign(t *testing.T) {
	for text, command := range map[string]string{
		"Name:         web\nNamespace:    payments\nNode:         n1\nLabels:       app=web\nContainers:\n  a:\nEvents:  <none>\n":               "kubectl get pod web -n payments -o yaml",
		"Name:                   web\nNamespace:              default\nLabels:                 app=web\nStrategyType:           RollingUpdate\n": "kubectl get deployment web -n default -o yaml",
		"Name:         owner\nLabels:       <none>\nKind:         ValidatingAdmissionPolicy\nEvents: <none>\n":                                   "kubectl get validatingadmissionpolicy owner -o yaml",
		"NAME   READY   STATUS    RESTARTS   AGE\nweb    1/1     Running   0          3d\n":                                                      "kubectl get KIND NAME -o yaml",
	} {
		docs, problems := scenario.ParseDocuments(diag.Request, text)
		if len(docs) > 0 || len(problems) != 1 || problems[0].Code != codes.ForeignOutput || !strings.Contains(problems[0].Detail, command) {
			t.Errorf("want %q, got %d documents, %v", command, len(docs), problems)
		}
	}
}
