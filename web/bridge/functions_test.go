package bridge

import (
	"context"
	"slices"
	"testing"

	"github.com/preadmit/preadmit/engine/edit/completion"
)

func TestFunctionsOfTheChosenVersion(t *testing.T) {
	has := func(kubernetes, name string) bool {
		list, err := functions(context.Background(), kubernetes)
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(list, func(f completion.Function) bool { return f.Name == name })
	}
	if has("1.30", "ip") || !has("1.31", "ip") || !has("", "ip") || !has("1.30", "quantity") {
		t.Error("the list is not that of the version")
	}
	if _, err := functions(context.Background(), "1.12"); err == nil {
		t.Error("there are functions of 1.12")
	}
}
