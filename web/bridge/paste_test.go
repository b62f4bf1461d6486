package bridge

import (
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

func TestPaste(t *testing.T) {
	const policy = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\n"
	const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\n"
	const namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n"
	const other = "apiVersion: v1\nkind: Pod\nmetadata: {name: two}\n"
	const account = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: web}\n"
	at := func(into diag.Text, s scenario.Scenario) scenario.Given {
		return scenario.Given{Into: into, Scenario: s}
	}
	tests := []struct {
		name  string
		paste Paste
		own   bool
		want  scenario.Scenario
		says  string
	}{
		{"where it belongs", Paste{Given: at(diag.Policies, scenario.Scenario{}), Text: policy}, true, scenario.Scenario{Policies: policy}, ""},
		{"within a document", Paste{Given: at(diag.Request, scenario.Scenario{Request: pod}), Before: pod, Text: "spec:\n  x: 1\n"}, true, scenario.Scenario{Request: pod}, ""},
		{"within a line", Paste{Given: at(diag.Request, scenario.Scenario{Request: "kind: \n"}), Before: "kind: ", After: "\n", Text: policy}, true, scenario.Scenario{Request: "kind: \n"}, ""},
		{"before a document", Paste{Given: at(diag.Request, scenario.Scenario{Request: pod}), Text: policy, After: pod}, false,
			scenario.Scenario{Policies: policy, Request: pod}, "ValidatingAdmissionPolicy/p to Policies."},
		{"a Namespace beside the request", Paste{Given: at(diag.Request, scenario.Scenario{Request: pod}), Text: namespace, After: pod}, false,
			scenario.Scenario{Request: pod, Cluster: namespace}, "Namespace/shop to Cluster."},
		{"a second request", Paste{Given: at(diag.Request, scenario.Scenario{Request: pod}), Before: pod, Text: other}, true, scenario.Scenario{Request: pod}, ""},
		{"elsewhere", Paste{Given: at(diag.Policies, scenario.Scenario{Policies: policy, Request: other}), Before: policy, Text: pod}, false,
			scenario.Scenario{Policies: policy, Request: pod}, "Pod/web is the request."},
		{"several", Paste{Given: at(diag.Policies, scenario.Scenario{Cluster: other}), Text: policy + "---\n" + account + "---\n" + pod}, false,
			scenario.Scenario{Policies: policy, Request: pod, Cluster: other + "---\n" + account}, "ValidatingAdmissionPolicy/p to Policies, ServiceAccount/web to Cluster, Pod/web is the request."},
		{"a second policy", Paste{Given: at(diag.Policies, scenario.Scenario{Policies: policy}), Before: policy, Text: policy}, false,
			scenario.Scenario{Policies: policy + "---\n" + policy}, "ValidatingAdmissionPolicy/p to Policies."},
		{"repaired", Paste{Given: at(diag.Request, scenario.Scenario{}), Text: "```\n" + pod + "```\n"}, false, scenario.Scenario{Request: pod}, "Pod/web is the request. Removed a Markdown fence."},
		{"a list", Paste{Given: at(diag.Request, scenario.Scenario{}), Text: pod + "---\n" + other}, false, scenario.Scenario{Request: pod}, "Pod/web is the request, 1 of 2."},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got Pasted
			if msg := callWith(t, "paste", test.paste, &got); msg != "" {
				t.Fatal(msg)
			}
			if got.Own != test.own || got.Refused || !same(got.Scenario, test.want) || got.Summary != test.says {
				t.Errorf("%+v", got)
			}
		})
	}
	var got Pasted
	if msg := callWith(t, "paste", Paste{Given: at(diag.Request, scenario.Scenario{Policies: policy}), Text: "Name:   web\nLabels:   <none>\nEvents:  <none>\n"}, &got); msg != "" {
		t.Fatal(msg)
	}
	if !got.Refused || got.Scenario.Policies != policy || !strings.Contains(got.Summary, "kubectl get KIND web -o yaml") {
		t.Errorf("%+v", got)
	}
}

// TestPasteServerReply: a server's reply does not change the scenario, and the commands print what
// to paste instead.
func TestPasteServerReply(t *testing.T) {
	const text = `The deployments "web" is invalid: : ValidatingAdmissionPolicy 'owner' with binding 'owner-shop' denied request: set owner`
	got, err := paste(t.Context(), Paste{Given: scenario.Given{Into: diag.Request, Scenario: scenario.Scenario{Policies: "# mine\n"}}, Text: text})
	const want = `This is a server's answer: ValidatingAdmissionPolicy "owner" with binding "owner-shop" denied deployments "web": set owner. ` +
		`Paste the policy, its binding and the manifest of deployments "web": Preadmit shows which expression decided.`
	if err != nil || !got.Refused || got.Summary != want || len(got.Commands) != 2 || got.Scenario.Policies != "# mine\n" {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestPasteResponse: a webhook's response leaves the selected request in place. If several webhooks
// are possible, the reader chooses one.
func TestPasteResponse(t *testing.T) {
	const hooks = "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingWebhookConfiguration\nmetadata: {name: hooks}\nwebhooks: [{name: one.example.com}, {name: two.example.com}]\n"
	const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\n"
	p := Paste{Given: scenario.Given{Into: diag.Request, Scenario: scenario.Scenario{Policies: hooks, Request: pod}},
		Text: `{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": {"uid": "a", "allowed": true}}`}
	asked, err := paste(t.Context(), p)
	if err != nil || !asked.Refused || len(asked.Webhooks) != 2 || asked.Scenario.Request != pod || !strings.HasSuffix(asked.Summary, "Which webhook sent it?") {
		t.Errorf("%+v, %v", asked, err)
	}
	p.Given.Webhook = "two.example.com"
	chosen, err := paste(t.Context(), p)
	if err != nil || chosen.Refused || chosen.Scenario.Request != pod || !strings.Contains(chosen.Scenario.Cluster, "name: two.example.com") {
		t.Errorf("%+v, %v", chosen, err)
	}
}

// TestPasteOverExample: documents that do not update an example's own begin a new scenario.
func TestPasteOverExample(t *testing.T) {
	pod := func(name, namespace string) string {
		return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + ", namespace: " + namespace + "}\n"
	}
	example := scenario.Scenario{Title: "An example", Policies: "# none\n", Request: pod("web", "shop"), Cluster: "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n"}
	for _, c := range []struct {
		text, before string
		example      bool
		want         bool
	}{
		{pod("web", "payments"), "", true, true},
		{pod("web", "payments"), "", false, false},
		{pod("other", "shop"), "", true, false},
		{"apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\n", "", true, true},
		{pod("web", "payments"), "# more is here\n", true, false},
		{"nothing but words\n", "", true, false},
	} {
		out, err := paste(t.Context(), Paste{
			Given: scenario.Given{Scenario: example, Into: "request"}, Text: c.text, Before: c.before, Example: c.example,
		})
		if err != nil || out.Emptied != c.want {
			t.Errorf("%q: emptied %v, want %v (%v)", c.text, out.Emptied, c.want, err)
		}
		if c.want && (out.Scenario.Cluster != "" || out.Scenario.Title != "" || out.Scenario.Request != c.text || !strings.Contains(out.Summary, "Replaced the example")) {
			t.Errorf("%q: %+v", c.text, out)
		}
	}
}

// TestPasteLinesOfJSON: a request in one long line, as a log has it, gets lines.
func TestPasteLinesOfJSON(t *testing.T) {
	const review = `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"1","operation":"CREATE","userInfo":{"username":"ci-bot"},"object":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"}}}}`
	for _, into := range []diag.Text{diag.Policies, diag.Request} {
		var got Pasted
		callWith(t, "paste", Paste{Given: scenario.Given{Into: into}, Text: review}, &got)
		if got.Own || !strings.Contains(got.Scenario.Request, "\n      \"username\": \"ci-bot\"\n") {
			t.Errorf("%s: own %v:\n%s", into, got.Own, got.Scenario.Request)
		}
	}
}
