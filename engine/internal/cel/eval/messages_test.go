package eval

import (
	"testing"

	"github.com/preadmit/preadmit/engine/internal/worklimit"
)

// Messages of protobuf, of which expressions may write some. The engine for the browser
// makes, compares and converts them by reflection (wasm/slim), so the same is asked of it.
func TestMessages(t *testing.T) {
	for _, expression := range []string{
		"google.protobuf.Int32Value{value: 3} == 3",
		"google.protobuf.StringValue{value: 'a'} + 'b' == 'ab'",
		"google.protobuf.BytesValue{value: b'a'} == b'a'",
		"google.protobuf.BoolValue{} == false",
		"google.protobuf.DoubleValue{value: 1.5} * 2.0 == 3.0",
		"google.protobuf.UInt64Value{value: 7u} == 7u",
		"google.protobuf.Duration{seconds: 90} == duration('90s')",
		"google.protobuf.Timestamp{seconds: 60} == timestamp('1970-01-01T00:01:00Z')",
		"google.protobuf.Value{string_value: 'a'} == 'a'",
		"google.protobuf.Value{null_value: 0} == null",
		"google.protobuf.ListValue{values: [google.protobuf.Value{number_value: 1.0}]} == [1.0]",
		"google.protobuf.Struct{fields: {'a': google.protobuf.Value{number_value: 1.0}}} == {'a': 1.0}",
		"google.protobuf.Struct{fields: {'a': google.protobuf.Value{bool_value: true}}}.a",
		`google.protobuf.Any{type_url: 'type.googleapis.com/google.protobuf.Int32Value', value: b'\x08\x03'} == 3`,
		`google.protobuf.Any{type_url: 'type.googleapis.com/google.protobuf.Struct', value: b'\x0a\x07\x0a\x01a\x12\x02\x20\x01'}.a`,
		"[google.protobuf.Struct{}] == [{}]",
		"type(google.protobuf.Int64Value{value: 1}) == int",
	} {
		r, ended, _ := evaluated(t, "1.36", expression, worklimit.Limits{})
		if ended != nil || r.Value == nil || r.Value.Value() != true {
			t.Errorf("%s: %v, %v", expression, r, ended)
		}
	}
}
