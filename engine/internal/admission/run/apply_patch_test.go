package run

import (
	"fmt"
	"strings"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"

	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
)

// Copies add up to three MiB and not one byte more (k8s.io/apiserver
// pkg/server/config.go, JSONPatchMaxCopyBytes).
func TestCopyLimit(t *testing.T) {
	for _, c := range []struct {
		size int // of the text that is copied three times, without its quotes
		want string
	}{
		{1<<20 - 2, ""},
		{1<<20 - 1, "Unable to complete the copy, the accumulated size increase of copy is 3145731, exceeding the limit 3145728"},
	} {
		patch, err := jsonpatch.DecodePatch([]byte(`[{"op":"copy","from":"/a","path":"/b"},{"op":"copy","from":"/a","path":"/c"},{"op":"copy","from":"/a","path":"/d"}]`))
		if err != nil {
			t.Fatal(err)
		}
		chain := &Chain{Version: version.Default()}
		_, err = chain.ApplyPatch(&report.Step{}, patch, fmt.Appendf(nil, `{"a":%q}`, strings.Repeat("x", c.size)))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%d bytes: got %q, want %q", c.size, got, c.want)
		}
	}
}

// TestReplacesByScalar: whole documents that become a text, number or boolean.
func TestReplacesByScalar(t *testing.T) {
	for operation, want := range map[string]bool{
		`{"op": "replace", "path": "", "value": 1}`:       true,
		`{"op": "replace", "path": "", "value": " a"}`:    true,
		`{"op": "replace", "path": "", "value": false}`:   true,
		`{"op": "replace", "path": "", "value": null}`:    false,
		`{"op": "replace", "path": "", "value": {"a":1}}`: false,
		`{"op": "replace", "path": "", "value": [1]}`:     false,
		`{"op": "replace", "path": ""}`:                   false,
		`{"op": "replace", "path": "/a", "value": 1}`:     false,
		`{"op": "replace", "value": 1}`:                   false,
		`{"op": "add", "path": "", "value": 1}`:           false,
	} {
		patch, err := jsonpatch.DecodePatch([]byte("[" + operation + "]"))
		if err != nil {
			t.Fatal(err)
		}
		if got := replacesByScalar(patch[0]); got != want {
			t.Errorf("%s: %t", operation, got)
		}
	}
}
