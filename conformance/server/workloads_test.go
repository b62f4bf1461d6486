//go:build apiserver

package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// controllers is the environment variable with the path of conformance/apiserver/controllers, built.
const controllers = "PREADMIT_CONTROLLERS"

// creations is an audit policy for what controllers create.
const creations = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
omitManagedFields: true
rules:
- level: RequestResponse
  verbs: [create]
  userGroups: ["system:serviceaccounts:kube-system"]
  resources: [{group: "", resources: [pods, persistentvolumeclaims]}, {group: apps, resources: [replicasets]}, {group: batch, resources: [jobs]}]
- level: None
`

// worked is what controllers made of an object.
type worked struct {
	Name   string    `json:"name"`
	Object object    `json:"object"` // as it is written
	Stored object    `json:"stored"`
	Made   []created `json:"made"` // in order
}

// created is an object that a controller created.
type created struct {
	User   string   `json:"user"`
	Groups []string `json:"groups"`
	Sent   object   `json:"sent"` // with its defaults, before admission
	Stored object   `json:"stored"`
}

// TestWorkloads records what the controllers of a whole kube-controller-manager make of the objects in
// testdata/workloads.yaml, which tests in storage and engine/internal/kube/workload compare with what the engine makes.
// scripts/workloads builds the programs and runs it.
func TestWorkloads(t *testing.T) {
	manager := os.Getenv(controllers)
	if manager == "" {
		t.Skipf("%s is not set: use scripts/workloads", controllers)
	}
	dir := t.TempDir()
	policy, log, data := filepath.Join(dir, "policy.yaml"), filepath.Join(dir, "creations.log"), filepath.Join(dir, "data")
	if err := os.WriteFile(policy, []byte(creations), 0o600); err != nil {
		t.Fatal(err)
	}
	server, err := start(t.Context(), os.Getenv(program), data, "--audit-policy-file="+policy, "--audit-log-path="+log)
	if err != nil {
		t.Fatal(err)
	}
	manage(t, manager, data)
	raw, err := os.ReadFile("testdata/workloads.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var list []worked
	for _, o := range documents(t, string(raw)) {
		if err := retried(t.Context(), func() error { return server.create(t.Context(), o) }); err != nil {
			t.Fatal(err)
		}
		metadata, _ := o["metadata"].(object)
		if metadata["namespace"] == nil {
			continue // a namespace or a node
		}
		w := worked{Name: fmt.Sprint(metadata["name"]), Object: o}
		path, err := server.path(t.Context(), fmt.Sprint(o["apiVersion"]), fmt.Sprint(o["kind"]), fmt.Sprint(metadata["namespace"]), w.Name, "")
		if err != nil {
			t.Fatal(err)
		}
		answer, err := server.do(t.Context(), call{method: http.MethodGet, path: path})
		if err != nil {
			t.Fatal(err)
		}
		w.Stored = answer.object
		delete(w.Stored["metadata"].(object), "managedFields")
		list = append(list, w)
	}
	for i := range list {
		w := &list[i]
		if err := retried(t.Context(), func() error { return w.made(log) }); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d objects", w.Name, len(w.Made))
	}
	if err := writeLines("../../storage/testdata/workloads.json", list); err != nil {
		t.Fatal(err)
	}
}

// manage starts the controllers beside a server with its data in dir.
func manage(t *testing.T, program, dir string) {
	at := func(name string) string { return filepath.Join(dir, name) }
	command := exec.CommandContext(t.Context(), program, "--kubeconfig="+at("admin.kubeconfig"), "--leader-elect=false", "--use-service-account-credentials",
		"--service-account-private-key-file="+at("accounts.key"), "--cert-dir="+at("managed"), "--secure-port=0",
		"--controllers=deployment-controller,replicaset-controller,statefulset-controller,daemonset-controller,job-controller,cronjob-controller,replicationcontroller-controller,serviceaccount-controller")
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	var log bytes.Buffer
	command.Stderr = &log
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	t.Cleanup(func() {
		<-ended
		if t.Failed() {
			t.Logf("the controllers said:\n%s", log.String())
		}
	})
}

// retried tries for two minutes: the controllers need a while, and a CronJob waits for its minute.
func retried(ctx context.Context, what func() error) (err error) {
	for range 240 {
		if err = what(); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(500 * time.Millisecond):
		}
	}
	return err
}

// made reads what was made of an object, and of that, from the audit log; the last must be a Pod.
func (w *worked) made(log string) error {
	raw, err := os.ReadFile(log)
	if err != nil {
		return err
	}
	w.Made = nil
	owners := []string{w.Name}
	for line := range bytes.Lines(raw) {
		var event struct {
			User struct {
				Username string   `json:"username"`
				Groups   []string `json:"groups"`
			} `json:"user"`
			ResponseStatus struct {
				Code int `json:"code"`
			} `json:"responseStatus"`
			RequestObject, ResponseObject object
		}
		if json.Unmarshal(line, &event) != nil || event.ResponseStatus.Code != http.StatusCreated {
			continue // the end of a line that is being written
		}
		if owner := ownerOf(event.RequestObject); slices.Contains(owners, owner) || claimed(event.RequestObject, w.Name) {
			w.Made = append(w.Made, created{event.User.Username, event.User.Groups, event.RequestObject, event.ResponseObject})
			metadata, _ := event.ResponseObject["metadata"].(object)
			if owners = append(owners, fmt.Sprint(metadata["name"])); event.RequestObject["kind"] == "Pod" {
				return nil
			}
		}
	}
	return fmt.Errorf("there is no Pod of %s", w.Name)
}

// ownerOf is the name of the object whose controller made another.
func ownerOf(o object) string {
	metadata, _ := o["metadata"].(object)
	list, _ := metadata["ownerReferences"].([]any)
	if len(list) == 0 {
		return ""
	}
	owner, _ := list[0].(object)
	return fmt.Sprint(owner["name"])
}

// claimed reports whether an object is a claim of a StatefulSet.
func claimed(o object, set string) bool {
	metadata, _ := o["metadata"].(object)
	name, _ := metadata["name"].(string)
	return o["kind"] == "PersistentVolumeClaim" && strings.HasSuffix(name, "-"+set+"-0")
}

// writeLines writes an array of JSON with an item on each line.
func writeLines(file string, list []worked) error {
	var lines []string
	for _, w := range list {
		raw, err := json.Marshal(w)
		if err != nil {
			return err
		}
		lines = append(lines, string(raw))
	}
	return os.WriteFile(file, []byte("[\n"+strings.Join(lines, ",\n")+"\n]\n"), 0o644)
}
