package scenario_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestServerReply: every text recognises a server reply and lists the commands that print the
// policy and the object.
func TestServerReply(t *testing.T) {
	const policy = "ValidatingAdmissionPolicy 'owner' with binding 'owner-shop' denied request: set owner"
	const policies = "kubectl get validatingadmissionpolicy owner -o yaml\nkubectl get validatingadmissionpolicybinding owner-shop -o yaml"
	for name, c := range map[string]struct{ text, summary, commands string }{
		"policy": {`The deployments "web" is invalid: : ` + policy, `ValidatingAdmissionPolicy "owner" with binding "owner-shop" denied deployments "web": set owner`, policies},
		"webhook": {`Error from server (Forbidden): error when creating "web.yaml": admission webhook "w.example.com" denied the request: no`, `webhook "w.example.com" denied the request: no`,
			"kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations -o yaml"},
		"invalid": {"The Pod \"web\" is invalid: \n* spec.a: Required value\n* spec.b: Required value\n", `API validation rejected pod "web": spec.a: Required value; spec.b: Required value`, ""},
		"event object": {"apiVersion: v1\nkind: Event\ntype: Warning\nmetadata: {name: a}\ninvolvedObject: {kind: ReplicaSet, name: web, namespace: shop}\nmessage: >-\n  Error creating: pods \"a\" is forbidden: " + policy,
			`ValidatingAdmissionPolicy "owner" with binding "owner-shop" denied pods "a": set owner`, policies + "\nkubectl get namespace shop -o yaml\nkubectl get replicaset web -n shop -o yaml"},
		"status": {`{"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "pods \"a\" is forbidden: ` + policy + `"}`,
			`ValidatingAdmissionPolicy "owner" with binding "owner-shop" denied pods "a": set owner`, policies},
	} {
		t.Run(name, func(t *testing.T) {
			docs, problems := scenario.ParseDocuments(diag.Request, c.text)
			if len(docs) > 0 || len(problems) != 1 || problems[0].Code != codes.ServerReply || problems[0].Line == 0 {
				t.Fatalf("%d documents, %v", len(docs), problems)
			}
			if got := problems[0].Summary; got != "this is a server's answer: "+c.summary {
				t.Errorf("%s\nwant\n%s", got, c.summary)
			}
			for command := range strings.Lines(c.commands) {
				if !strings.Contains(problems[0].Detail, "\n  "+strings.TrimSpace(command)) {
					t.Errorf("no %s in %s", command, problems[0].Detail)
				}
			}
			sorted := scenario.Classify([]scenario.File{{Text: c.text}}, scenario.Given{Into: diag.Policies})
			if got := strings.Join(sorted.Commands, "\n"); got != c.commands || !sorted.Diagnostics.HasErrors() || sorted.Scenario.Policies != "" {
				t.Errorf("%s\nwant\n%s\n%v", got, c.commands, sorted.Diagnostics)
			}
		})
	}
}

// TestServerReplyWithin: a manifest that contains a server reply stays a manifest. So does one that
// cannot be read.
func TestServerReplyWithin(t *testing.T) {
	const said = "admission webhook \"w.example.com\" denied the request: no"
	for _, text := range []string{
		"apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: a}\nstatus:\n  conditions:\n  - message: '" + said + "'\n",
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a\ndata: {a: '" + said + "'}\n",
	} {
		_, problems := scenario.ParseDocuments(diag.Request, text)
		if slices.ContainsFunc(problems, func(d diag.Diagnostic) bool { return d.Code == codes.ServerReply }) {
			t.Errorf("%s\n%v", text, problems)
		}
	}
}

// TestLog: a log with a review is cut to the review. An audit event without an object repeats the
// server's reply.
func TestLog(t *testing.T) {
	const review = `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"1","operation":"CREATE","userInfo":{},"object":{"kind":"Pod","apiVersion":"v1"}}}`
	for _, text := range []string{"I1127 10:24:40.1 1 main.go:81] handling: " + review + "\n", `{"level":"info","review":` + review + "}\n"} {
		if !scenario.HoldsRequest(text) {
			t.Errorf("no request in %s", text)
		}
		sorted := scenario.Classify([]scenario.File{{Text: text}}, scenario.Given{Into: diag.Policies})
		if got := strings.TrimSpace(sorted.Scenario.Request); got != review || sorted.Scenario.Policies != "" {
			t.Errorf("%s: %s, %v", text, got, sorted.Diagnostics)
		}
		_, problems := scenario.ParseDocuments(diag.Request, text)
		i := slices.IndexFunc(problems, func(d diag.Diagnostic) bool { return len(d.Fixes) > 0 })
		if i < 0 {
			t.Errorf("no repair in %v", problems)
		} else if fixed, err := problems[i].Fixes[0].Apply(diag.Request, text); err != nil || strings.TrimSpace(fixed) != review {
			t.Errorf("%s, %v", fixed, err)
		}
	}
	event := `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","stage":"ResponseComplete","verb":"create","objectRef":{"resource":"pods","name":"a"},` +
		`"responseStatus":{"message":"pods \"a\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no"}}`
	for _, text := range []string{event, "Nov 27 10:00:00 node audit: " + event} {
		sorted := scenario.Classify([]scenario.File{{Text: text}}, scenario.Given{})
		i := slices.IndexFunc(sorted.Diagnostics, func(d diag.Diagnostic) bool { return d.Code == codes.AuditEvent })
		if i < 0 || !strings.Contains(sorted.Diagnostics[i].Detail, `ValidatingAdmissionPolicy "p" with binding "b" denied pods "a": no`) || len(sorted.Commands) != 2 {
			t.Errorf("%v", sorted)
		}
	}
}
