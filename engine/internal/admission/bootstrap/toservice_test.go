package bootstrap_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/edit/repairs"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

const (
	deployments = "  rules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments]}]\n"
	allPods     = "  rules: [{apiGroups: [''], apiVersions: [v1], operations: ['*'], resources: ['*']}]\n"
	shop        = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n"
	answers     = "---\napiVersion: preadmit.dev/v1\nkind: WebhookResponse\nmetadata: {name: local.example.com}\nspec: {allowed: true}\n"
	service     = "---\napiVersion: v1\nkind: Service\nmetadata: {name: checks, namespace: shop}\nspec: {selector: {app: checks}, ports: [{port: 443, targetPort: 9443}]}\n"
	request     = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\nspec:\n  selector: {matchLabels: {app: web}}\n  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: 'web:1'}]}}\n"
)

// at is a webhook at a URL.
func at(url, fields string) string {
	return strings.Replace(hook("local", fields), "{service: {namespace: local, name: checks}}", "{url: '"+url+"'}", 1)
}

// TestToService: each repair of an address that not every API server reaches is applied;
// then it is no longer reported, nothing worse is, and the answer is the same.
func TestToService(t *testing.T) {
	block := "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata:\n  name: local\nwebhooks:\n- name: local.example.com\n  rules:\n  - apiGroups: [apps]\n    apiVersions: [v1]\n    operations: [CREATE, UPDATE]\n    resources: [deployments]\n  sideEffects: None\n  admissionReviewVersions: [v1]\n  clientConfig:\n    url: https://localhost:9443/a,b\n"
	for _, c := range []struct{ name, policies, cluster, want string }{
		{"no cluster", at("https://localhost:9443/check", deployments), "", "Write a Service, its name to fill in"},
		{"an address", at("https://127.0.0.1/check", deployments), "", "Write a Service, its name to fill in"},
		{"at the end of a text", block, "", "Write a Service, its name and path to fill in"},
		{"a path that no Service may have", at("https://checks.hooks.svc/Check", deployments), "", "Write the Service hooks/checks, its path to fill in"},
		{"a cluster without it", at("https://localhost:9443/check", deployments), shop + answers, "Write a Service and add it to the cluster, its name to fill in"},
		{"a cluster that has one with the port", at("https://localhost:9443/check", deployments), shop + service + answers, "Write the Service shop/checks"},
		{"all Pods", at("https://localhost:9443/check", allPods), shop + answers, "Write a Service and add it to the cluster, its name to fill in"},
		{"a name of the DNS", at("https://checks.hooks.svc:9443/check", deployments), "", "Write the Service hooks/checks"},
		{"a name of the DNS, in a cluster without it", at("https://checks.hooks.svc:9443/check", allPods), shop + answers, "Write the Service hooks/checks and add it to the cluster"},
		{"a name of the DNS, in one that has it", at("https://checks.shop.svc.cluster.local/check", deployments), shop + service + answers, "Write the Service shop/checks"},
		{"JSON", `{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration","metadata":{"name":"local"},"webhooks":[{"name":"local.example.com","rules":[{"apiGroups":["apps"],"apiVersions":["v1"],"operations":["CREATE","UPDATE"],"resources":["deployments"]}],"sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://localhost:9443/check"}}]}`,
			shop + answers, "Write a Service and add it to the cluster, its name to fill in"},
		{"a port that is none", at("https://localhost:99999/check", deployments), shop + answers, ""},
		{"a name with nothing in it", at("https://checks..svc/check", deployments), "", "Write a Service, its name to fill in"},
		// Another webhook waits for its Pods, and it would for those of the other.
		{"one that would block another", at("https://localhost:9443/check", pods) + hook("hooks", pods+without("hooks")), "", ""},
		// In the cluster it would stop what starts it.
		{"leases", at("https://localhost:9443/check", "  rules: [{apiGroups: [coordination.k8s.io], apiVersions: [v1], operations: ['*'], resources: [leases]}]\n"), "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := scenario.Scenario{Policies: c.policies, Cluster: c.cluster, Request: request}
			before := evaluated(t, s)
			d := local(t, before)
			var titles []string
			for _, f := range d.Fixes {
				titles = append(titles, f.Title)
				if f.Draft == f.Sure || f.Draft != strings.Contains(f.Title, "fill in") {
					t.Errorf("a name to fill in is a draft, and another is sure: %+v", f)
				}
				changed, err := repairs.Apply(s, f)
				if err != nil {
					t.Fatal(err)
				}
				after := evaluated(t, changed)
				if gone := local(t, after); gone != nil {
					t.Errorf("still reported: %s\n%s", gone, changed.Policies)
				}
				if b, a := problems(before), problems(after); a >= b || after.Outcome.Allowed != before.Outcome.Allowed || after.Outcome.Code != before.Outcome.Code {
					t.Errorf("%d problems, then %d; %+v, then %+v: %v\n%s\n%s", b, a, before.Outcome, after.Outcome, after.Diagnostics, changed.Policies, changed.Cluster)
				}
			}
			if got := strings.Join(titles, "; "); got != c.want {
				t.Errorf("the repairs are %q, not %q", got, c.want)
			}
		})
	}
}

// TestManyURLs: what is tried is bounded.
func TestManyURLs(t *testing.T) {
	var policies strings.Builder
	for i := range 20 {
		policies.WriteString(strings.NewReplacer("local.", fmt.Sprintf("local%d.", i), "name: local}", fmt.Sprintf("name: local%d}", i)).Replace(at("https://localhost/check", deployments)))
	}
	fixes := 0
	for _, d := range findings(t, policies.String(), "") {
		fixes += len(d.Fixes)
	}
	if fixes != 8 {
		t.Errorf("%d repairs", fixes)
	}
}

func evaluated(t *testing.T, s scenario.Scenario) *report.Report {
	t.Helper()
	r, err := engine.Evaluate(context.Background(), s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func local(t *testing.T, r *report.Report) *diag.Diagnostic {
	t.Helper()
	for i := range r.Diagnostics {
		if r.Diagnostics[i].Code == codes.WebhookLocalAddress {
			return &r.Diagnostics[i]
		}
	}
	return nil
}

// problems counts errors ten times: one of them is worse than any warning.
func problems(r *report.Report) int {
	n := 0
	for _, d := range r.Diagnostics {
		switch d.Severity {
		case diag.Error:
			n += 10
		case diag.Warning:
			n++
		}
	}
	return n
}
