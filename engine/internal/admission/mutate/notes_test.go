package mutate

import (
	"strings"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
)

// TestNotRFC has the cases in which the strict library reads what an earlier operation of the patch wrote:
// the engine for the browser has a JSON reader of its own in it (wasm/slim).
func TestNotRFC(t *testing.T) {
	const object = `{"metadata": {"labels": {"b": "1", "a": "<2>", "a/b": "3"}}, "list": [1, {"x": null}, "\u00e9"], "none": null}`
	for name, c := range map[string]struct{ patch, note string }{
		"what is there":           {`[{"op": "replace", "path": "/metadata/labels/a", "value": "4"}]`, ""},
		"replaced, not there":     {`[{"op": "replace", "path": "/metadata/labels/c", "value": "4"}]`, "replace operation does not apply"},
		"removed twice":           {`[{"op": "remove", "path": "/list/2"}, {"op": "remove", "path": "/list/2"}]`, "invalid index referenced"},
		"copied, then tested":     {`[{"op": "copy", "from": "/metadata", "path": "/spec"}, {"op": "test", "path": "/spec/labels", "value": {"a": "<2>", "b": "1", "a/b": "3"}}]`, ""},
		"changed after its copy":  {`[{"op": "copy", "from": "/list", "path": "/spec"}, {"op": "remove", "path": "/list/0"}, {"op": "test", "path": "/spec", "value": [1, {"x": null}, "é"]}]`, ""},
		"copied after a change":   {`[{"op": "add", "path": "/metadata/labels/z", "value": "&"}, {"op": "copy", "from": "/metadata/labels", "path": "/all"}, {"op": "test", "path": "/all/z", "value": "&"}]`, ""},
		"moved, then not there":   {`[{"op": "move", "from": "/list", "path": "/items"}, {"op": "replace", "path": "/list/0", "value": 2}]`, "replace operation does not apply"},
		"an escaped key":          {`[{"op": "test", "path": "/metadata/labels/a~1b", "value": "3"}]`, ""},
		"a test that fails":       {`[{"op": "copy", "from": "/list/1", "path": "/one"}, {"op": "test", "path": "/one", "value": {"x": 0}}]`, "testing value /one failed"},
		"null, copied and tested": {`[{"op": "copy", "from": "/none", "path": "/other"}, {"op": "test", "path": "/other", "value": null}]`, ""},
		"numbers as they are":     {`[{"op": "copy", "from": "/list/0", "path": "/list/-"}, {"op": "test", "path": "/list/3", "value": 1}, {"op": "test", "path": "/list/3", "value": 1.0}]`, "testing value /list/3 failed"},
	} {
		patch, err := jsonpatch.DecodePatch([]byte(c.patch))
		if err != nil {
			t.Fatal(name, err)
		}
		var got string
		for _, note := range notRFC(patch, []byte(object)) {
			got += note.Text
		}
		if (c.note == "") != (got == "") || !strings.Contains(got, c.note) {
			t.Errorf("%s: %q, want %q", name, got, c.note)
		}
	}
}
