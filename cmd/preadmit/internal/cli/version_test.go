package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"runtime"
	"testing"
)

func TestVersionJSON(t *testing.T) {
	var out bytes.Buffer
	if code := Run([]string{"version", "-o", "json"}, nil, &out, &out); code != exitOK {
		t.Fatalf("exit code %d: %s", code, out.String())
	}
	var b build
	if err := json.Unmarshal(out.Bytes(), &b); err != nil {
		t.Fatal(err)
	}
	if b.Version == "" || b.Go != runtime.Version() || b.Kubernetes.Oldest != "1.30" || b.Kubernetes.Newest == "" {
		t.Errorf("got %s", out.String())
	}
	defer func(version, commit string) { releaseVersion, releaseCommit = version, commit }(releaseVersion, releaseCommit)
	releaseVersion, releaseCommit = "v1.2.3", "0123abc"
	if b := thisBuild(); b.Version != "v1.2.3" || b.Commit != "0123abc" || b.Modified {
		t.Errorf("a release says %s", fmt.Sprint(b))
	}
}
