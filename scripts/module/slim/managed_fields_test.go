package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// managedFields are texts of managed fields, good and bad.
var managedFields = []string{
	`{}`, `null`, `{"f:metadata":{"f:labels":{"f:a":{},"f:b.c/d":{}}}}`, `{"f:a":{".":{},"f:b":{}},"f:c":{".":{}}}`,
	`{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:name":{}},"k:{\"port\":1.5,\"on\":true,\"no\":null}":{}}}`,
	`{"f:set":{"v:\"a<b&c\"":{},"v:1":{},"v:true":{},"v:null":{}},"f:list":{"i:0":{},"i:12":{"f:x":{}}}}`,
	`{"f:\u00e9 \"quoted\"":{},"f:":{}}`, `{"z:future":{"f:a":{}},"f:a":{}}`, `{"f:a":null}`,
	`{"k:{}":{}}`, `{"k:{\"a\":{\"b\":[1]}}":{}}`, `{"x":{}}`, `{"fa":{}}`, `{"i:one":{}}`, `{"v:{":{}}`, `{"k:[]":{}}`, `{"k:{}x":{}}`, `{"f:a":{}`, `[]`, `{} {}`,
}

// TestManagedFields shows that the engine for the browser reads and writes managed fields as the library does. It
// compiles the library with the file of wasm/slim, as a package that is only in the compiler's overlay.
func TestManagedFields(t *testing.T) {
	const library = "sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Dir}}", library).Output()
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	overlay := map[string]string{}
	sources, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range sources {
		if name := filepath.Base(file); !strings.HasSuffix(name, "_test.go") && !strings.HasPrefix(name, "serialize") {
			overlay[filepath.Join(here, "slimmed", name)] = file
		}
	}
	if overlay[filepath.Join(here, "slimmed", "serialize.go")], err = filepath.Abs("../../../wasm/slim/" + library + "/serialize.go.txt"); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "main.go")
	overlay[filepath.Join(here, "slimmed", "run", "main.go")] = program
	raw, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	listed := filepath.Join(filepath.Dir(program), "overlay.json")
	if err := os.WriteFile(listed, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, []byte(readAndWrite), 0o600); err != nil {
		t.Fatal(err)
	}
	texts, err := json.Marshal(managedFields)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "go", "run", "-overlay", listed, "./slimmed/run")
	command.Stdin, command.Stderr = strings.NewReader(string(texts)), os.Stderr
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	var written []any
	if err := json.Unmarshal(out, &written); err != nil || len(written) != len(managedFields) {
		t.Fatalf("%v: %s", err, out)
	}
	for i, text := range managedFields {
		if want := original(t, text); !reflect.DeepEqual(written[i], want) {
			t.Errorf("%s: %v, the library writes %v", text, written[i], want)
		}
	}
}

// original is what the library writes of what it reads; nil for a text that it does not read.
func original(t *testing.T, text string) any {
	var set fieldpath.Set
	if set.FromJSON(strings.NewReader(text)) != nil {
		return nil
	}
	raw, err := set.ToJSON()
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// readAndWrite does with the texts on its standard input what original does.
const readAndWrite = `package main

import (
	"encoding/json"
	"os"
	"strings"

	"github.com/preadmit/preadmit/scripts/module/slim/slimmed"
)

func main() {
	var texts []string
	if err := json.NewDecoder(os.Stdin).Decode(&texts); err != nil {
		panic(err)
	}
	out := make([]json.RawMessage, len(texts))
	for i, text := range texts {
		var set fieldpath.Set
		if set.FromJSON(strings.NewReader(text)) != nil {
			continue
		}
		raw, err := set.ToJSON()
		if err != nil {
			panic(err)
		}
		out[i] = raw
	}
	if err := json.NewEncoder(os.Stdout).Encode(out); err != nil {
		panic(err)
	}
}
`
