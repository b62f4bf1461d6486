package cli

import (
	"os"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/serve"
)

// TestManifests: what installs the server is accepted, its policies are too, and
// its webhooks keep neither themselves nor the cluster from starting.
func TestManifests(t *testing.T) {
	read := func(name string) string {
		t.Helper()
		text, err := os.ReadFile("../../../../deploy/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, folder := range []string{"webhook", "cluster"} {
		server := read(folder + "/server.yaml")
		testManifests(t, server, map[string]string{"webhooks-plain.yaml": read("webhook/webhooks-plain.yaml"), "webhooks-cert-manager.yaml": read("webhook/webhooks-cert-manager.yaml")})
	}
}

func testManifests(t *testing.T, server string, webhooks map[string]string) {
	t.Helper()
	for name, text := range webhooks {
		c, list := engine.Compile(scenario.Scenario{Policies: text, Cluster: server})
		for _, d := range list {
			if d.Severity == diag.Error || d.Severity == diag.Warning && d.Code != "unknown-kind" {
				t.Errorf("%s: %s", name, d)
			}
		}
		if g := c.Report().WebhookGraph; g == nil || len(g.Nodes) != 6 {
			t.Errorf("%s: the webhooks do not lead to the Deployment: %+v", name, g)
		}
	}
	docs, problems := scenario.ParseDocuments(diag.Cluster, server)
	if diag.HasErrors(problems) {
		t.Fatal(problems)
	}
	for _, d := range docs {
		if d.Kind != "ConfigMap" {
			continue
		}
		data, _ := d.Value["data"].(map[string]any)
		policies, _ := data["policies.yaml"].(string)
		if problems := serve.New(serve.Defaults).Load(scenario.Scenario{Policies: policies}); policies == "" || len(problems) > 0 {
			t.Errorf("the policies of the ConfigMap: %q, %v", policies, problems)
		}
	}
}
