package bridge

import (
	"testing"

	"github.com/preadmit/preadmit/engine/scenario"
)

func TestSecrets(t *testing.T) {
	var got Secrets
	s := scenario.Scenario{Title: "T", Request: "kind: Secret\napiVersion: v1\ndata: {a: c2VjcmV0}\n", Policies: "a: [\n"}
	if msg := callWith(t, "secrets", SecretsParams{s}, &got); msg != "" {
		t.Fatal(msg)
	}
	if len(got.Found) != 1 || got.Found[0].Line != 3 || got.Found[0].Text != "request" || len(got.Unread) != 1 {
		t.Errorf("got %+v", got)
	}
	if want := "kind: Secret\napiVersion: v1\ndata: {a: UkVNT1ZFRA==}\n"; got.Scenario.Request != want || got.Scenario.Title != "T" || got.Scenario.Policies != s.Policies {
		t.Errorf("got %+v", got.Scenario)
	}
	got = Secrets{}
	if msg := callWith(t, "secrets", SecretsParams{}, &got); msg != "" || got.Found == nil || got.Unread == nil || len(got.Found) > 0 {
		t.Errorf("an empty scenario: %s %+v", msg, got)
	}
}
