package bridge

import (
	"strings"
	"testing"
)

func TestRequestForm(t *testing.T) {
	s := map[string]any{"request": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n"}
	var got Formed
	if msg := callWith(t, "request/form", map[string]any{"scenario": s, "set": map[string]any{"operation": "UPDATE"}}, &got); msg != "" {
		t.Fatal(msg)
	}
	if !strings.Contains(got.Text, "operation: UPDATE") || !strings.Contains(got.OldObject, "kind: ConfigMap") {
		t.Errorf("got %+v", got)
	}
	s["request"] = got.Text
	var read, broken Formed
	if msg := callWith(t, "request/form", map[string]any{"scenario": s}, &read); msg != "" || read.OldObject != got.OldObject || read.Text != got.Text {
		t.Errorf("%s: got %+v", msg, read)
	}
	if msg := callWith(t, "request/form", map[string]any{"scenario": s, "set": map[string]any{"oldObject": "a: ["}}, &broken); msg != "" || len(broken.Problems) == 0 || broken.Text != got.Text {
		t.Errorf("%s: got %+v", msg, broken)
	}
}
