package ask_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/analysis/ask"
	"github.com/preadmit/preadmit/engine/scenario"
)

func compile(t *testing.T, policies string) *engine.Configuration {
	t.Helper()
	c, problems := engine.Compile(scenario.Scenario{Policies: policies})
	if c == nil || problems.HasErrors() {
		t.Fatal(problems)
	}
	return c
}

// TestGoodPolicies asks about policies that are right: each denies a request and admits one.
func TestGoodPolicies(t *testing.T) {
	text, err := os.ReadFile("../../internal/policy/lint/testdata/good.txtar")
	if err != nil {
		t.Fatal(err)
	}
	denied, admitted, all := 0, 0, 0
	for _, f := range txtar.Parse(text).Files {
		c := compile(t, string(f.Data))
		all++
		answer, err := ask.Denied(context.Background(), c, "", 400)
		if err != nil {
			t.Fatal(err)
		}
		if answer.Found {
			denied++
		} else {
			t.Logf("%s: no denial in %d", f.Name, answer.Tried)
		}
		if answer, err = ask.Admitted(context.Background(), c, "", 400); err != nil {
			t.Fatal(err)
		}
		if answer.Found {
			admitted++
		} else {
			t.Logf("%s: no admission in %d", f.Name, answer.Tried)
		}
		t.Logf("%s:\n%s", f.Name, strings.TrimSpace(answer.Request))
	}
	t.Logf("%d of %d denied, %d admitted", denied, all, admitted)
}
