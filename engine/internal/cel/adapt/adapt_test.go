package adapt

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// TestQuickIsTheSame: for values of all kinds that an evaluation meets it gives what the other gives.
func TestQuickIsTheSame(t *testing.T) {
	yes, text := types.True, types.String("a")
	for _, v := range []any{
		nil, "a", "", true, int(1), int32(2), int64(-3), uint64(4), 1.5, float32(2.5), []byte("b"),
		[]string{"a"}, map[string]string{"a": "b"}, time.Second, time.Unix(0, 0),
		types.Int(1), types.NullValue, types.String("x"), types.OptionalNone, types.NewErr("wrong"), types.IntType,
		&yes, &text, (*types.Bool)(nil),
	} {
		got, want := Default.NativeToValue(v), types.DefaultTypeAdapter.NativeToValue(v)
		if reflect.TypeOf(got) != reflect.TypeOf(want) {
			t.Errorf("%#v: %T, want %T", v, got, want)
			continue
		}
		if _, failed := got.(*types.Err); !failed && !reflect.DeepEqual(got.Value(), want.Value()) {
			t.Errorf("%#v: %v, want %v", v, got, want)
		}
	}
	list := []ref.Val{types.Int(1), text}
	if it := types.NewRefValList(Default, list).Iterator(); it.Next() != list[0] || it.Next() != list[1] {
		t.Error("the items of a list are others")
	}
}
