package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestServerAnswers compares with the answers of a whole API server of Kubernetes 1.36 to
// requests of our own. "scripts/server-test -update" asks the server and writes them: they
// are the engine's own where the server's were the same, whatever chance has chosen.
func TestServerAnswers(t *testing.T) {
	cluster, err := os.ReadFile("testdata/server/cluster.yaml")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile("testdata/server/answers.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var n int
	for line := range bytes.Lines(raw) {
		var want struct {
			Name    string           `json:"name"`
			Options scenario.Options `json:"options"`
			Request string           `json:"request"`
			Answer  json.RawMessage  `json:"answer"`
		}
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatal(err)
		}
		if n++; testing.Short() && n%4 != 0 { // under js/wasm
			continue
		}
		t.Run(want.Name, func(t *testing.T) {
			r, err := engine.Evaluate(context.Background(), scenario.Scenario{Kubernetes: "1.36", Cluster: string(cluster), Request: want.Request,
				Now: "2026-01-01T00:00:00Z", Options: want.Options}, engine.Options{})
			if err != nil {
				t.Fatal(err)
			}
			o := r.Outcome
			got, err := json.Marshal(serverAnswered{o.Allowed, o.Code, o.Reason, o.Message, o.Causes, o.CauseFields, o.Warnings, r.Object})
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want.Answer) {
				t.Errorf("got  %s\nwant %s", got, want.Answer)
			}
		})
	}
	if n < 680 {
		t.Errorf("only %d answers", n)
	}
}

// serverAnswered is an answer as the file has it.
type serverAnswered struct {
	Allowed     bool           `json:"allowed"`
	Code        int            `json:"code"`
	Reason      string         `json:"reason,omitempty"`
	Message     string         `json:"message,omitempty"`
	Causes      []string       `json:"causes,omitempty"`
	CauseFields []*string      `json:"causeFields,omitempty"`
	Warnings    []string       `json:"warnings,omitempty"`
	Object      map[string]any `json:"object,omitempty"`
}
