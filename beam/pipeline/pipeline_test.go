package pipeline

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"github.com/klauspost/compress/zstd"

	"github.com/preadmit/preadmit/engine/analysis/replay"
	"github.com/preadmit/preadmit/engine/scenario"
)

func TestMain(m *testing.M) { ptest.MainWithDefault(m, "prism") }

const policies = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: small}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [configmaps]}]
  validations: [{expression: "object.data.size() < 3", message: too large}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: small}
spec: {policyName: small, validationActions: [Deny]}
`

// shards writes captures in every format into a folder, and returns their names.
func shards(t *testing.T) (folder string, names []string) {
	t.Helper()
	folder = t.TempDir()
	line := 0
	for shard, compress := range map[string]func([]byte) []byte{
		"a.json": func(b []byte) []byte { return b },
		"b.json.gz": func(b []byte) []byte {
			var out strings.Builder
			w := gzip.NewWriter(&out)
			if _, err := w.Write(b); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			return []byte(out.String())
		},
		"c.json.zst": func(b []byte) []byte {
			w, err := zstd.NewWriter(nil)
			if err != nil {
				t.Fatal(err)
			}
			return w.EncodeAll(b, nil)
		},
	} {
		var text strings.Builder
		for range 40 {
			line++
			data := map[string]string{}
			for k := range line % 5 {
				data[fmt.Sprint("k", k)] = "v"
			}
			raw, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": fmt.Sprint("c", line), "namespace": fmt.Sprint("n", line%3)}, "data": data})
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(&text, string(raw))
		}
		names = append(names, filepath.Join(folder, shard))
		if err := os.WriteFile(names[len(names)-1], compress([]byte(text.String())), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return folder, names
}

// TestReplay compares a pipeline's sum on Beam's own runner with a sequential replay of the same
// files.
func TestReplay(t *testing.T) {
	folder, names := shards(t)
	settings := Settings{Base: scenario.Scenario{Policies: policies}, By: []string{"namespace"}, Samples: 2}
	out := filepath.Join(t.TempDir(), "sum.json")
	p, s := beam.NewPipelineWithRoot()
	Write(s, out, Replay(s, filepath.Join(folder, "*.json*"), settings))
	ptest.RunAndValidate(t, p)

	raw, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var sum replay.Summary
	if err := json.Unmarshal(raw, &sum); err != nil {
		t.Fatal(err)
	}
	got, err := replay.Merge(&sum)
	if err != nil {
		t.Fatal(err)
	}
	want, err := replay.Run(context.Background(), settings.Base, files(t, names), replay.Options{By: settings.By, Samples: settings.Samples})
	if err != nil {
		t.Fatal(err)
	}
	if want.Records != 120 || want.Denied == 0 || len(want.Samples) == 0 {
		t.Fatalf("the test tests nothing: %+v", want)
	}
	if a, b := written(t, got), written(t, want); a != b {
		t.Errorf("the pipeline gives\n%s\nwant\n%s", a, b)
	}
}

// TestNothingFound: a pipeline without files fails and writes nothing.
func TestNothingFound(t *testing.T) {
	folder := t.TempDir()
	out := filepath.Join(folder, "sum")
	p, s := beam.NewPipelineWithRoot()
	Write(s, out, Replay(s, filepath.Join(folder, "*.json"), Settings{Base: scenario.Scenario{Policies: policies}}))
	if err := ptest.Run(p); err == nil || !strings.Contains(err.Error(), "no files matching") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a sum of nothing was written")
	}
}

// files reads captures one after the other.
func files(t *testing.T, names []string) iter.Seq2[replay.Record, error] {
	return func(yield func(replay.Record, error) bool) {
		for _, name := range names {
			f, err := os.Open(name)
			if err != nil {
				t.Error(err)
				return
			}
			defer f.Close()
			for record, err := range read(name, f) {
				if !yield(record, err) {
					return
				}
			}
		}
	}
}

func written(t *testing.T, s *replay.Summary) string {
	t.Helper()
	raw, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
