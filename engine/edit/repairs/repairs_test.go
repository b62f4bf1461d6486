package repairs_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/preadmit/preadmit/engine/edit/repairs"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/scripts/hostile/variants"
)

const broken = `apiVersion: admissionregistration.k8s.io/v1beta1
kind: ValidatingAdmissionPolicy
metadata:
  name: replicas
spec:
  failurepolicy: Fail
  matchConstraints:
    resourceRules:
    - apiGroups: [apps]
      apiVersions: [v1]
      operations: [create]
      resources: deployments
  validations:
  - expression: object.replicas <= 5 and object.metadata.name != 'x'
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: replicas
spec:
  policyName: replicas
  validationActions: Deny
`

func TestAll(t *testing.T) {
	result, err := repairs.All(context.Background(), scenario.Scenario{Policies: broken})
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range result.Report.Install {
		if in.Code != 0 {
			t.Errorf("still refused: %s", in.Message)
		}
	}
	for _, want := range []string{"  failurePolicy: Fail", "[CREATE]", "object.spec.replicas <= 5 && object.metadata.name != 'x'"} {
		if !strings.Contains(result.Scenario.Policies, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if len(result.Applied) < 5 {
		t.Errorf("only %d repairs are listed: %v", len(result.Applied), result.Applied)
	}
	if t.Failed() {
		t.Log(result.Scenario.Policies)
	}
	again, err := repairs.All(context.Background(), result.Scenario)
	if err != nil || len(again.Applied) > 0 {
		t.Errorf("a second time repairs more: %v, %v", again.Applied, err)
	}
}

// TestChoice: what has several answers is left to the reader.
func TestChoice(t *testing.T) {
	policy := strings.Split(strings.NewReplacer("v1beta1", "v1", "failurepolicy", "failurePolicy", "create", "CREATE", "resources: deployments", "resources: [deployments]",
		"object.replicas <= 5 and", "object.spec.replicas <= 5 &&").Replace(broken), "---")[0]
	result, err := repairs.All(context.Background(), scenario.Scenario{Policies: policy})
	if err != nil || len(result.Applied) > 0 || result.Scenario.Policies != policy {
		t.Errorf("repaired %v (%v)", result.Applied, err)
	}
}

// TestAlwaysFailing: a repair after which an expression fails for all requests is the reader's choice.
func TestAlwaysFailing(t *testing.T) {
	policy := strings.NewReplacer("v1beta1", "v1", "failurepolicy", "failurePolicy", "create", "CREATE", "resources: deployments", "resources: [deployments]",
		"Actions: Deny", "Actions: [Deny]", "object.replicas <= 5 and object.metadata.name != 'x'", "object.metadata.labels.app.replace('a', 'b') >= 3").Replace(broken)
	request := "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, namespace: default, labels: {app: web}}, spec: {replicas: 1, " +
		"selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: a, image: a}]}}}}"
	result, err := repairs.All(context.Background(), scenario.Scenario{Policies: policy, Request: request})
	if err != nil || strings.Contains(result.Scenario.Policies, "int(") {
		t.Errorf("repaired %v (%v)", result.Applied, err)
	}
}

// TestMistakes: over the corpus of mistakes no text is harder to read afterwards,
// and nothing that was accepted is rejected. Outside of a full test it is an eighth of the corpus,
// most of which is not in the quarter that the engine's own tests repair.
func TestMistakes(t *testing.T) {
	files, err := filepath.Glob("../../testdata/mistakes/*.txtar")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d files (%v)", len(files), err)
	}
	if !variants.Full() {
		for i := range len(files) / 8 {
			files[i] = files[8*i+1]
		}
		files = files[:len(files)/8]
	}
	accepted := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		archive := txtar.Parse(data)
		kept := archive.Files[:0]
		for _, f := range archive.Files {
			if f.Name != "meant.txt" {
				kept = append(kept, f)
			}
		}
		archive.Files = kept
		s, _ := scenario.FromTxtar(txtar.Format(archive))
		result, err := repairs.All(context.Background(), s)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		refused := 0
		for _, in := range result.Report.Install {
			if in.Code != 0 {
				refused++
				t.Logf("%s: %s: %v", filepath.Base(file), in.Message, result.Applied)
			}
		}
		if refused == 0 {
			accepted++
		}
	}
	t.Logf("of %d mistakes %d are accepted after all repairs with one answer", len(files), accepted)
	if 100*accepted < 85*len(files) {
		t.Errorf("%d of %d are accepted, fewer than 85 %%", accepted, len(files))
	}
}
