package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/scripts/hostile/variants"
)

// The documents of these tests.
const (
	aNamespace    = "apiVersion: v1\nkind: Namespace\nmetadata: {name: team}\n"
	aPolicy       = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\nspec:\n  paramKind: {apiVersion: example.com/v1, kind: Limit}\n"
	aBinding      = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: b}\n"
	aPod          = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\n"
	anAccount     = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: web}\n"
	aConfigMap    = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n"
	aLimit        = "apiVersion: example.com/v1\nkind: Limit\nmetadata: {name: l}\n"
	aWebhook      = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: hooks}\nwebhooks:\n- name: check.example.com\n"
	twoHooks      = aWebhook + "- name: other.example.com\n"
	behindService = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: behind}\nwebhooks:\n- name: check.example.com\n  clientConfig: {service: {namespace: hooks, name: check}}\n"
	aService      = "apiVersion: v1\nkind: Service\nmetadata: {name: check, namespace: hooks}\nspec: {selector: {app: check}}\n"
	aBackend      = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: check, namespace: hooks}\nspec: {template: {metadata: {labels: {app: check, tier: x}}}}\n"
	aReview       = `{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "1", "operation": "CREATE"}}` + "\n"
	aResponse     = `{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": {"uid": "1", "allowed": true, "patchType": "JSONPatch", "patch": "W3sib3AiOiJyZW1vdmUiLCJwYXRoIjoiL2EifV0="}}` + "\n"
	aMutating     = "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingWebhookConfiguration\nmetadata: {name: patches}\nwebhooks:\n- name: patch.example.com\n"
	aDenial       = `{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": {"uid": "1", "allowed": false}}` + "\n"
	anEvent       = `{"apiVersion": "audit.k8s.io/v1", "kind": "Event", "level": "Request", "auditID": "7", "stage": "ResponseComplete", "verb": "create", "objectRef": {"resource": "pods", "namespace": "team", "apiVersion": "v1"}, "requestObject": {"apiVersion": "v1", "kind": "Pod"}}` + "\n"
	serverFiles   = "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins: []\n---\napiVersion: pod-security.admission.config.k8s.io/v1\nkind: PodSecurityConfiguration\n"
	separator     = "---\n"
)

func join(docs ...string) string { return strings.Join(docs, separator) }

// TestClassify has a case for every rule of the table of Classify.
func TestClassify(t *testing.T) {
	aList := "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata: {name: a}\n  spec:\n    x: |\n      text\n- {apiVersion: v1, kind: Pod, metadata: {name: b}}\n"
	tests := []struct {
		name  string
		files []File
		given Given
		want  Scenario
		// compares candidates, codes and summary too
		candidates, codes, summary string
	}{
		{name: "everything in one file", files: []File{{"all.yaml", join(aNamespace, aPolicy, aBinding, aPod)}},
			want:    Scenario{Policies: join(aPolicy, aBinding), Cluster: aNamespace, Request: aPod},
			summary: "2 documents to Policies, Namespace/team to Cluster, Pod/web is the request."},
		{name: "what a workload uses", files: []File{{"all.yaml", join(anAccount, aPod, aConfigMap)}},
			want:    Scenario{Cluster: join(anAccount, aConfigMap), Request: aPod},
			summary: "2 documents to Cluster, Pod/web is the request."},
		{name: "the server's own files", files: []File{{"all.yaml", join(serverFiles, aPod)}},
			want:    Scenario{Policies: serverFiles, Request: aPod},
			summary: "2 documents to Policies, Pod/web is the request."},
		{name: "single files", files: []File{{"a.yaml", aPolicy}, {"b.yml", aBinding}, {"ns.yaml", aNamespace}, {"pod.json", aPod}},
			want:    Scenario{Policies: join(aPolicy, aBinding), Cluster: aNamespace, Request: aPod},
			summary: "2 documents to Policies, Namespace/team to Cluster, Pod/web is the request."},
		{name: "comments stay with their document", files: []File{{"all.yaml", "# the policy\n" + aPolicy + "---\n# only this\n---\n# Source: pod.yaml\n" + aPod}},
			want:    Scenario{Policies: "# the policy\n" + aPolicy, Request: "# only this\n---\n# Source: pod.yaml\n" + aPod},
			summary: "ValidatingAdmissionPolicy/p to Policies, Pod/web is the request."},
		{name: "one text stays as it is", files: []File{{"p.yaml", "---\n" + join(aPolicy, aBinding) + "---\n# end\n"}},
			want: Scenario{Policies: "---\n" + join(aPolicy, aBinding) + "---\n# end\n"}, summary: "2 documents to Policies."},
		{name: "a Namespace alone", files: []File{{"ns.yaml", aNamespace}}, want: Scenario{Request: aNamespace}, summary: "Namespace/team is the request."},
		{name: "a Namespace beside a request that is there", files: []File{{"ns.yaml", aNamespace}}, given: Given{Scenario: Scenario{Request: aPod}},
			want: Scenario{Cluster: aNamespace}, summary: "Namespace/team to Cluster."},
		{name: "a Namespace and an account", files: []File{{"a.yaml", join(aNamespace, anAccount)}},
			want: Scenario{Cluster: join(aNamespace, anAccount)}, summary: "2 documents to Cluster."},
		{name: "pasted under Request", files: []File{{"", aNamespace}}, given: Given{Into: diag.Request, Scenario: Scenario{Request: aPod}},
			want: Scenario{Request: aNamespace}, summary: "Namespace/team is the request."},
		{name: "pasted under Cluster", files: []File{{"", join(aPod, aPolicy)}}, given: Given{Into: diag.Cluster},
			want: Scenario{Cluster: aPod, Policies: aPolicy}, summary: "ValidatingAdmissionPolicy/p to Policies, Pod/web to Cluster."},
		{name: "params", files: []File{{"", join(aLimit, aPod)}}, given: Given{Scenario: Scenario{Policies: aPolicy}},
			want: Scenario{Cluster: aLimit, Request: aPod}, summary: "Limit/l to Cluster, Pod/web is the request."},
		{name: "a review takes precedence", files: []File{{"", join(aPod, aReview)}},
			want: Scenario{Cluster: aPod, Request: aReview}, summary: "Pod/web to Cluster, AdmissionReview is the request."},
		{name: "an AdmissionRequest", files: []File{{"", "operation: CREATE\nobject: {}\n"}},
			want: Scenario{Request: "operation: CREATE\nobject: {}\n"}, summary: "A document without a kind is the request."},
		{name: "several", files: []File{{"two.yaml", join(aPod, aLimit)}},
			candidates: "Pod/web:1 Limit/l:5", codes: "which-request",
			summary: "2 objects could be the request: Pod/web, Limit/l."},
		{name: "one of several", files: []File{{"two.yaml", join(aPod, aLimit, aNamespace)}}, given: Given{Request: 2},
			want: Scenario{Request: aLimit, Cluster: aNamespace}, candidates: "Pod/web:1 Limit/l:5",
			summary: "Namespace/team to Cluster, Limit/l is the request, 2 of 2."},
		{name: "audit events have no names", files: []File{{"", createdEvent("web") + createdEvent("api")}},
			candidates: "Event (create pods/web):1 Event (create pods/api):2", codes: "which-request",
			summary: "2 objects could be the request: Event (create pods/web), Event (create pods/api)."},
		{name: "an item of a List", files: []File{{"", aList}}, given: Given{Request: 1},
			want:       Scenario{Request: "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  x: |\n    text\n"},
			candidates: "Pod/a:4 Pod/b:10", summary: "Pod/a is the request, 1 of 2."},
		{name: "an item of a typed list", files: []File{{"", `{"apiVersion": "v1", "kind": "PodList", "items": [{"metadata": {"name": "a"}}]}`}},
			want: Scenario{Request: "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n"}, summary: "Pod/a is the request."},
		{name: "a response", files: []File{{"", aResponse}}, given: Given{Scenario: Scenario{Policies: aWebhook}},
			want:    Scenario{Cluster: "apiVersion: preadmit.dev/v1\nkind: WebhookResponse\nmetadata:\n  name: check.example.com\nspec:\n  allowed: true\n  patch:\n  - op: remove\n    path: /a\n  patchType: JSONPatch\n"},
			summary: "WebhookResponse/check.example.com to Cluster."},
		{name: "an HTTP answer", files: []File{{"", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nRetry-After: 2\r\nContent-Length: 5\r\n\r\nlater\n"}}, given: Given{Scenario: Scenario{Policies: aWebhook}},
			want:    Scenario{Cluster: "apiVersion: preadmit.dev/v1\nkind: WebhookResponse\nmetadata:\n  name: check.example.com\nspec:\n  body: later\n  headers:\n    Content-Type: text/plain\n    Retry-After: \"2\"\n  httpStatus: 503\n"},
			summary: "WebhookResponse/check.example.com to Cluster."},
		{name: "an HTTP answer with a review", files: []File{{"", "```\nHTTP/2 200\ncontent-type: application/json\n\n" + aDenial + "```\n"}}, given: Given{Scenario: Scenario{Policies: aWebhook}},
			want:    Scenario{Cluster: "apiVersion: preadmit.dev/v1\nkind: WebhookResponse\nmetadata:\n  name: check.example.com\nspec:\n  allowed: false\n"},
			summary: "WebhookResponse/check.example.com to Cluster."},
		{name: "an HTTP answer without webhook", files: []File{{"", "HTTP/1.1 204 No Content\n\n"}}, codes: "which-webhook",
			summary: "This HTTP answer is a webhook's response, but there is no webhook. Add the webhook configuration under Policies first."},
		{name: "a response in another version", files: []File{{"", strings.Replace(aDenial, "io/v1", "io/v1beta1", 1)}}, given: Given{Scenario: Scenario{Policies: aWebhook + "  admissionReviewVersions: [v2, v1]\n"}},
			want:    Scenario{Cluster: "apiVersion: preadmit.dev/v1\nkind: WebhookResponse\nmetadata:\n  name: check.example.com\nspec:\n  allowed: false\n  apiVersion: admission.k8s.io/v1beta1\n"},
			summary: "WebhookResponse/check.example.com to Cluster."},
		{name: "a response of one of several", files: []File{{"", join(twoHooks, aResponse)}}, want: Scenario{Policies: twoHooks}, codes: "which-webhook",
			summary: "ValidatingWebhookConfiguration/hooks to Policies. This AdmissionReview is a webhook's response, but there are several webhooks. It is the response of one of check.example.com, other.example.com: name the file after it, or write it as the spec of a WebhookResponse with that name."},
		{name: "a response in a file with the webhook's name", files: []File{{"hooks.yaml", twoHooks}, {"answers/other.example.com.json", aDenial}},
			want:    Scenario{Policies: twoHooks, Cluster: "apiVersion: preadmit.dev/v1\nkind: WebhookResponse\nmetadata:\n  name: other.example.com\nspec:\n  allowed: false\n"},
			summary: "ValidatingWebhookConfiguration/hooks to Policies, WebhookResponse/other.example.com to Cluster."},
		{name: "what a webhook is behind", files: []File{{"", join(behindService, aService, aBackend, aPod)}},
			want:    Scenario{Policies: behindService, Cluster: join(aService, aBackend), Request: aPod},
			summary: "ValidatingWebhookConfiguration/behind to Policies, 2 documents to Cluster, Pod/web is the request."},
		{name: "a Service beside a webhook that is elsewhere", files: []File{{"", join(aWebhook, aService)}},
			want:    Scenario{Policies: aWebhook, Request: aService},
			summary: "ValidatingWebhookConfiguration/hooks to Policies, Service/check is the request."},
		{name: "a patch is of the webhook that can patch", files: []File{{"", aResponse}}, given: Given{Scenario: Scenario{Policies: join(aWebhook, aMutating)}},
			want:    Scenario{Cluster: "apiVersion: preadmit.dev/v1\nkind: WebhookResponse\nmetadata:\n  name: patch.example.com\nspec:\n  allowed: true\n  patch:\n  - op: remove\n    path: /a\n  patchType: JSONPatch\n"},
			summary: "WebhookResponse/patch.example.com to Cluster."},
		{name: "a response of the webhook without an answer", files: []File{{"", aDenial}}, given: Given{Scenario: Scenario{Policies: twoHooks, Cluster: "apiVersion: preadmit.dev/v1\nkind: WebhookResponse\nmetadata: {name: check.example.com}\n"}},
			want:    Scenario{Cluster: "apiVersion: preadmit.dev/v1\nkind: WebhookResponse\nmetadata:\n  name: other.example.com\nspec:\n  allowed: false\n"},
			summary: "WebhookResponse/other.example.com to Cluster."},
		{name: "the request that a response answers", files: []File{{"", join(aWebhook, strings.Replace(aReview, `"1"`, `"2"`, 1), aReview, aDenial)}},
			want:    Scenario{Policies: aWebhook, Request: aReview, Cluster: "apiVersion: preadmit.dev/v1\nkind: WebhookResponse\nmetadata:\n  name: check.example.com\nspec:\n  allowed: false\n"},
			summary: "ValidatingWebhookConfiguration/hooks to Policies, WebhookResponse/check.example.com to Cluster, AdmissionReview is the request."},
		{name: "a response without webhook", files: []File{{"", aResponse}}, codes: "which-webhook",
			summary: "This AdmissionReview is a webhook's response, but there is no webhook. Add the webhook configuration under Policies first."},
		{name: "settings", files: []File{{"", join("kubernetes: \"1.33\"\n", aPod)}}, want: Scenario{Kubernetes: "1.33", Request: aPod},
			summary: "A document without a kind to Settings, Pod/web is the request."},
		{name: "an expression", files: []File{{"a.cel", "object.x"}, {"pod.yaml", aPod}}, want: Scenario{Expression: "object.x", Request: aPod},
			summary: "The expression to Expression, Pod/web is the request."},
		{name: "what cannot be read", files: []File{{"", join(aPolicy, "apiVersion: v1\nkind: Pod\nmetadata: [\n", "kind: [\n")}}, given: Given{Into: diag.Policies},
			want: Scenario{Policies: aPolicy + "---\nkind: [\n", Request: "apiVersion: v1\nkind: Pod\nmetadata: [\n"}, summary: "2 documents to Policies, Pod is the request."},
		{name: "repaired", files: []File{{"", "```yaml\nkind:\u00a0Pod\napiVersion: v1\n```\n"}}, want: Scenario{Request: "kind: Pod\napiVersion: v1\n"}, codes: "repaired-text repaired-text",
			summary: "Pod is the request. Removed a Markdown fence; replaced a non-breaking space."},
		{name: "template of Helm", files: []File{{"", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}-limits\ndata:\n{{ toYaml .Values.data | indent 2 }}\n"}},
			codes: "foreign-output", summary: "This is a Helm template, not a manifest: {{ }} in lines 4, 6. Paste the output of helm template NAME CHART."},
		{name: "template of Helm that can be parsed", files: []File{{"", "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web-{{ default \"a\" .Values.suffix }}\n"}},
			codes: "foreign-output", summary: "This is a Helm template, not a manifest: {{ }} in line 4. Paste the output of helm template NAME CHART."},
		{name: "object with a template in its data", files: []File{{"", aPod + "# {{ .Values.a }}\n"}}, want: Scenario{Request: aPod + "# {{ .Values.a }}\n"},
			summary: "Pod/web is the request."},
		{name: "described", files: []File{{"", "Name:             web\nNamespace:        shop\nNode:             n/10.0.0.1\nLabels:           <none>\nContainers:\n  app:\n    Image: x\nEvents:           <none>\n"}},
			codes: "foreign-output", summary: "This is the output of kubectl describe, which omits parts of the object. Paste the output of kubectl get pod web -n shop -o yaml."},
		{name: "a table", files: []File{{"", "NAME    READY   STATUS    RESTARTS   AGE\nweb     1/1     Running   0          1d\n"}},
			codes: "foreign-output", summary: "This is a table from kubectl get, without the objects themselves. Paste the output of kubectl get KIND NAME -o yaml."},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := Classify(test.files, test.given)
			if !reflect.DeepEqual(got.Scenario, test.want) {
				t.Errorf("scenario\n%+v\nwant\n%+v", got.Scenario, test.want)
			}
			var candidates []string
			for _, c := range got.Candidates {
				candidates = append(candidates, fmt.Sprintf("%s:%d", c, c.Line))
			}
			if s := strings.Join(candidates, " "); s != test.candidates {
				t.Errorf("candidates %q, want %q", s, test.candidates)
			}
			if s := codesOf(got.Diagnostics); s != test.codes {
				t.Errorf("codes %q, want %q", s, test.codes)
			}
			if got.Summary != test.summary {
				t.Errorf("summary\n%s\nwant\n%s", got.Summary, test.summary)
			}
		})
	}
}

func TestClassifyAuditEvent(t *testing.T) {
	got := Classify([]File{{"", anEvent}}, Given{})
	docs, _ := ParseDocuments(diag.Request, got.Scenario.Request)
	if len(docs) != 1 || docs[0].Kind != "AdmissionReview" || docs[0].Value["request"].(map[string]any)["uid"] != "7" {
		t.Errorf("the request is\n%s", got.Scenario.Request)
	}
	if d := got.Scenario.Options.Defaulting; d == nil || !*d {
		t.Error("the object of an audit event lacks the server's defaults, and they are not applied")
	}
	got = Classify([]File{{"", strings.ReplaceAll(anEvent, `"level": "Request"`, `"level": "Metadata"`)}}, Given{})
	if codesOf(got.Diagnostics) != "audit-event" || got.Scenario.Request != "" || len(got.Placed) != 1 || got.Placed[0].Text != "" {
		t.Errorf("of an event without object: %+v", got)
	}
}

// TestPieces maps every line back to its place.
func TestPieces(t *testing.T) {
	first := "Here it is:\n```yaml\n" + join(aPod, aPolicy) + "```\nand\n```yaml\n" + aBinding + "```\n"
	list := "apiVersion: v1\nkind: List\nitems:\n  - apiVersion: v1\n    kind: Namespace\n    metadata:\n      name: zebra\n  - " + strings.ReplaceAll(strings.TrimSpace(aBinding), "\n", "\n    ") + "\n"
	files := map[string]string{"first.md": first, "list.yaml": list}
	got := Classify([]File{{"first.md", first}, {"list.yaml", list}}, Given{})
	for _, test := range []struct{ text, part, file string }{
		{got.Scenario.Request, "{name: web}", "first.md"}, {got.Scenario.Policies, "{name: p}", "first.md"},
		{got.Scenario.Policies, "{name: b}", "first.md"}, {got.Scenario.Cluster, "zebra", "list.yaml"},
	} {
		at := strings.Index(test.text, test.part)
		var piece Piece
		for _, p := range got.Pieces {
			if *got.Scenario.Text(p.Text) == test.text && p.Start <= at {
				piece = p
			}
		}
		line, column := diag.LineColumn(test.text[piece.Start:], at-piece.Start)
		line, column = line+piece.Line-1, column+piece.Column
		wantLine, wantColumn := diag.LineColumn(files[test.file], strings.Index(files[test.file], test.part))
		if piece.File != test.file || line != wantLine || column != wantColumn {
			t.Errorf("%s is at %s:%d:%d, want %s:%d:%d", test.part, piece.File, line, column, test.file, wantLine, wantColumn)
		}
	}
}

func TestFromFS(t *testing.T) {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	got, err := FromFS(fstest.MapFS{"policies.yaml": file(aPolicy), "expected.yaml": file("outcome: {}\n"), "policy.yml": file("a"), "sub/x.yaml": file(aPod), "README.md": file("")})
	if err != nil || !got.Whole || got.Scenario.Policies != aPolicy || got.Expected == nil || codesOf(got.Diagnostics) != "unread-file" {
		t.Errorf("%+v, %v", got, err)
	}
	got, err = FromFS(fstest.MapFS{"a.yaml": file(aPolicy), "b.json": file(aPod), "expected.yaml": file("outcome: {}\n")})
	if err != nil || got.Whole || got.Scenario.Policies != aPolicy || got.Scenario.Request != aPod || got.Expected == nil {
		t.Errorf("%+v, %v", got, err)
	}
	aDeployment := "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n"
	for _, lone := range []fstest.MapFS{
		{"policies.yaml": file(aPolicy), "pod.yaml": file(aPod)},
		{"cluster.yaml": file(aDeployment), "policy-a.yaml": file(aPolicy), "pod.yaml": file(aPod)},
	} {
		got, err = FromFS(lone)
		if err != nil || got.Whole || got.Scenario.Policies != aPolicy || got.Scenario.Request != aPod || len(got.Diagnostics) > 0 || lone["cluster.yaml"] != nil && got.Scenario.Cluster != aDeployment {
			t.Errorf("%+v, %v", got, err)
		}
		lone["cases.yaml"] = file("a: []\n")
		if got, err = FromFS(lone); err != nil || !got.Whole || got.Scenario.Request != "" {
			t.Errorf("with cases: %+v, %v", got, err)
		}
	}
	for settings, want := range map[string]string{
		"description: a\n":                 "deny.yaml, pod.json are not read: ",
		"policies: [deny.yaml]\n":          "pod.json is not read: ",
		"policies: ['./**/*.yaml', a/b]\n": "pod.json is not read: ",
		"policies: .\n":                    "",
	} {
		got, err = FromFS(fstest.MapFS{"request.yaml": file(aPod), "scenario.yaml": file(settings), "deny.yaml": file(aPolicy), "pod.json": file(aPod), "README.md": file("a")})
		said := ""
		for _, d := range got.Diagnostics {
			if said = d.Summary; d.Severity != diag.Info {
				t.Errorf("%q: %+v", settings, d)
			}
		}
		if err != nil || !strings.HasPrefix(said, want) || said != "" && want == "" {
			t.Errorf("%q: %q, %v", settings, said, err)
		}
	}
	if _, err := FromFS(fstest.MapFS{"README.md": file("")}); err != ErrNoFiles {
		t.Errorf("an empty folder gives %v", err)
	}
	if _, err := FromFS(fstest.MapFS{"big.yaml": file(strings.Repeat("a", MaxTextBytes+1))}); err == nil || !strings.Contains(err.Error(), "big.yaml") {
		t.Errorf("a file that is too large gives %v", err)
	}
}

// TestFilesNotRead checks that every file outside the scenario is reported.
func TestFilesNotRead(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files []File
		want  string // of the first diagnostic
	}{
		{"another manifest", []File{{"policies.yaml", aPolicy}, {"request.yaml", aPod}, {"pod.yaml", aPod}}, "pod.yaml is not read: "},
		{"of one name, the outermost", []File{{"a/b/policies.yaml", "# inner"}, {"a/policies.yaml", aPolicy}, {"cases.yaml", "a"}, {"expected.yaml", "a"}}, "a/b/policies.yaml is not read: "},
		{"many", []File{{"policies.yaml", aPolicy}, {"a", "a"}, {"b", "b"}, {"c", "c"}, {"d", "d"}, {"e", "e"}}, "a, b, c and 2 more are not read: "},
		{"all are read", []File{{"x/policies.yaml", aPolicy}, {"y/request.yaml", aPod}, {"y/cases.yaml", "a"}, {"empty.yaml", ""}}, ""},
	} {
		c := Classify(tt.files, Given{})
		got := ""
		if len(c.Diagnostics) > 0 {
			got = c.Diagnostics[0].Summary
		}
		if c.Scenario.Policies != aPolicy || tt.want == "" && got != "" || !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: %q, policies %q", tt.name, got, c.Scenario.Policies)
		}
	}
}

// TestArchiveAndFolder expects the same result for an archive and a folder.
func TestArchiveAndFolder(t *testing.T) {
	for _, text := range []string{
		"About.\n-- policies.yaml --\n" + aPolicy + "-- request.yaml --\n" + aPod + "-- expected.yaml --\noutcome: {}\n",
		"-- a.yaml --\n" + aPolicy + "-- b.yaml --\n" + aPod,
	} {
		archive := txtar.Parse([]byte(text))
		fsys, err := txtar.FS(archive)
		if err != nil {
			t.Fatal(err)
		}
		folder, err := FromFS(fsys)
		if err != nil {
			t.Fatal(err)
		}
		got := Classify([]File{{"s.txtar", text}}, Given{})
		folder.Scenario.Description = got.Scenario.Description // the comment of the archive
		if !reflect.DeepEqual(got.Scenario, folder.Scenario) || (got.Expected == nil) != (folder.Expected == nil) {
			t.Errorf("archive %+v\nfolder %+v", got.Scenario, folder.Scenario)
		}
		if e := got.Expected; e != nil && strings.Count(text[:strings.Index(text, e.Text)], "\n") != e.Before {
			t.Errorf("expected.yaml is said to begin after line %d", e.Before)
		}
	}
}

// Classifying all of an example's files as one text puts every document back into its file.
func TestExamplesAsOneText(t *testing.T) {
	folders, err := filepath.Glob("../../examples/*/policies.yaml")
	if err != nil || len(folders) < 20 {
		t.Fatalf("%d examples, %v", len(folders), err)
	}
	for _, policies := range folders {
		folder := filepath.Dir(policies)
		if filepath.Base(folder) == "webhook-without-backend" {
			continue // its Deployment has no Service, and only the request has one
		}
		want, err := FromFS(os.DirFS(folder))
		if err != nil {
			t.Fatal(err)
		}
		s := want.Scenario
		if s.Request == "" || s.Policies == "" || strings.Contains(s.Request, "apiVersion: admissionregistration.k8s.io/") && !strings.Contains(s.Request, "AdmissionReview") {
			continue // a policy that is the request goes to the policies
		}
		got := Classify([]File{{"all.yaml", s.Cluster + "\n---\n" + s.Request + "\n---\n" + s.Policies}}, Given{})
		if len(got.Candidates) > 0 {
			continue // the cluster has objects of the request's kind
		}
		for text, pair := range map[string][2]string{"policies": {got.Scenario.Policies, s.Policies}, "request": {got.Scenario.Request, s.Request}, "cluster": {got.Scenario.Cluster, s.Cluster}} {
			a, _ := ParseDocuments(diag.Policies, pair[0])
			b, _ := ParseDocuments(diag.Policies, pair[1])
			if !reflect.DeepEqual(values(a), values(b)) {
				t.Errorf("%s: %s is\n%s\nwant\n%s", folder, text, pair[0], pair[1])
			}
		}
	}
}

func values(docs []*Document) (out []map[string]any) {
	for _, d := range docs {
		out = append(out, d.Value)
	}
	return out
}

// FuzzClassify feeds arbitrary texts. Nothing may panic, and no pasted document may disappear
// without a message.
func FuzzClassify(f *testing.F) {
	target := variants.Of(f, 300)
	target.Add(join(aPod, aPolicy), "cluster", 0)
	target.Add(aResponse, "", 1)
	target.Add("kind: List\nitems:\n- &a {kind: Pod}\n- *a\n", "request", 2)
	target.Fuzz(func(t *testing.T, text, into string, request int) {
		got := Classify([]File{{"", text}}, Given{Into: diag.Text(into), Request: request})
		for _, p := range got.Pieces {
			if to := got.Scenario.Text(p.Text); to == nil || p.Start > len(*to) || p.Line < 1 {
				t.Errorf("a piece without a place: %+v", p)
			}
		}
	})
}

// createdEvent is an audit event of a creation, on one line as the server logs it.
func createdEvent(name string) string {
	return `{"apiVersion":"audit.k8s.io/v1","kind":"Event","stage":"ResponseComplete","verb":"create","objectRef":{"resource":"pods","apiVersion":"v1"},"requestObject":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"` + name + `"}}}` + "\n"
}
