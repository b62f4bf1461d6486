package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

const limitPolicies = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: limit}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  validations: [{expression: "object.data.size != 'large'"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: limit}
spec: {policyName: limit, validationActions: [Deny]}
`

const limitRequest = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\ndata: {size: small}\n"

// TestCasesInArchive checks that an archive may have a table, that lines count in the archive, and
// that --update writes into it.
func TestCasesInArchive(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "limit.txtar")
	content := "A limit.\n-- policies.yaml --\n" + limitPolicies + "-- request.yaml --\n" + limitRequest +
		"-- cases.yaml --\n- {name: small, expected: {outcome: {allowed: true}}}\n- {name: large, set: {/data/size: large}, expected: {outcome: {allowed: true}}}\n"
	if err := os.WriteFile(archive, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if code := Run([]string{"test", archive}, nil, &out, &out); code != exitDenied {
		t.Errorf("exit code %d", code)
	}
	if want := "limit.txtar:22: outcome.allowed: want true, got false"; !strings.Contains(out.String(), want) {
		t.Errorf("got %s, want %s", out.String(), want)
	}
	if code := Run([]string{"test", "--update", archive}, nil, &out, &out); code != exitOK {
		t.Errorf("--update: exit code %d: %s", code, out.String())
	}
	fresh, err := os.ReadFile(archive)
	if err != nil || !strings.HasPrefix(string(fresh), "A limit.\n-- policies.yaml --\n") || !strings.Contains(string(fresh), "set: {/data/size: large}, expected: {outcome: {allowed: false}}}") {
		t.Errorf("%v, it is now %s", err, fresh)
	}
}

// lockedBuffer is a buffer for concurrent writing and reading.
type lockedBuffer struct {
	lock sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.Buffer.Write(p)
}

func (b *lockedBuffer) has(text string) bool {
	b.lock.Lock()
	defer b.lock.Unlock()
	return strings.Contains(b.String(), text)
}

// TestWatch changes a file while its tests are watched.
func TestWatch(t *testing.T) {
	folder := t.TempDir()
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("policies.yaml", limitPolicies)
	write("request.yaml", limitRequest)
	write("expected.yaml", "outcome: {allowed: true}\n")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var out lockedBuffer
	a := &app{ctx: ctx, stdout: &out, stderr: &out}
	done := make(chan error, 1)
	go func() {
		_, err := a.command([]string{"test", "--watch", folder})
		done <- err
	}()
	until := func(text string) {
		t.Helper()
		for !out.has(text) {
			select {
			case err := <-done:
				t.Fatalf("it ended with %v before it printed %s", err, text)
			case <-time.After(10 * time.Millisecond):
			}
		}
	}
	until("1 passed, 0 failed\nwatching ")
	write("request.yaml", strings.Replace(limitRequest, "small", "large", 1))
	until("0 passed, 1 failed\nwatching ")
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
