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
