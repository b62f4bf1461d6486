package guard

import (
	"errors"
	"strings"
	"testing"
)

func TestError(t *testing.T) {
	fail := func(reason any) (err error) {
		defer Error(&err)
		if reason != nil {
			panic(reason)
		}
		return nil
	}
	if err := fail(nil); err != nil {
		t.Errorf("got %v", err)
	}
	var internal *InternalError
	if err := fail("a reason"); !errors.As(err, &internal) || internal.Reason != "a reason" || !strings.Contains(internal.Stack, "TestError") {
		t.Errorf("got %v", err)
	}
}
