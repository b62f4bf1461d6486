package eval

import (
	"context"
	"reflect"
	"testing"

	"github.com/google/cel-go/common/types"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/preadmit/preadmit/engine/internal/version"
)

// part is a type of a built-in object for the test: a struct whose fields it has,
// or a list of structs.
type part struct {
	form   Form
	name   string
	fields map[string]GoType
	elem   GoType
}

func (p part) Form() Form               { return p.form }
func (p part) Name() string             { return p.name }
func (p part) Field(name string) GoType { return p.fields[name] }
func (p part) Elem() GoType             { return p.elem }
func (p part) Equal(a, b any) bool      { return reflect.DeepEqual(a, b) }

// The cases were put to Kubernetes 1.37.0 and 1.36.3 (conformance/reference).
func TestTypedValues(t *testing.T) {
	container := part{form: Struct, name: "v1.Container"}
	spec := part{form: Struct, name: "v1.PodSpec", fields: map[string]GoType{"containers": part{form: List, elem: container}, "labels": part{form: Map}}}
	pod := part{form: Struct, name: "v1.Pod", fields: map[string]GoType{"spec": spec}}
	object := map[string]any{"spec": map[string]any{
		"containers": []any{map[string]any{"name": "a"}, map[string]any{"name": "b"}}, "labels": map[string]any{"k": "v"}, "hostname": "h"}}
	envs, err := NewSet().ForVersion(version.MustParse("1.37"))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		expression   string
		typed, plain any // a value, or the text of an error
	}{
		{"object.spec.hostname == 'h'", true, true},
		{"object.spec.containers[1].name == 'b' && size(object.spec.containers) == 2", true, true},
		{"has(object.spec.labels) && !has(object.spec.nope) && 'k' in object.spec.labels", true, true},
		{"object.spec == 'x'", "no such overload", false},
		{"object.spec.containers == 'x'", "no such overload", false},
		{"'x' == object.spec", false, false},
		{"object.spec == null", false, false},
		{"object.spec == object.spec && object.spec.labels == {'k': 'v'}", true, true},
		{"object.spec.containers == [{'name': 'a'}, {'name': 'b'}]", true, true},
		{"{'name': 'b'} in object.spec.containers", true, true},
		{"object.spec.containers.map(c, c.name) == ['a', 'b']", true, true},
		{"(object.spec.containers + object.spec.containers).size() == 4", true, true},
		{"string(object.spec) == ''", "no such overload: string(map)", "no such overload: string(map)"},
		{"object.spec.nope == 1", "no such key: nope", "no such key: nope"},
		{"object.?spec.?labels[?'k'].orValue('') == 'v'", true, true},
		{"type(object) == map && type(object.spec.containers) == list", true, true},
	} {
		compiled := envs.NewCompiler(Run, false, false).Compile(test.expression, Condition)
		if !compiled.OK() {
			t.Errorf("%s: %s", test.expression, compiled.Err)
			continue
		}
		for _, form := range []struct {
			types InputTypes
			want  any
		}{{InputTypes{Object: pod}, test.typed}, {InputTypes{}, test.plain}} {
			r := NewEvaluator(context.Background(), Options{}).NewListRun(Inputs{Object: object, Types: form.types}, nil, Budget).Run(compiled)
			var got any = r.CELErr
			if r.Err == "" {
				got = r.Value.Value()
			}
			if got != form.want {
				t.Errorf("%s, typed %t: %v, want %v", test.expression, form.types.Object != nil, got, form.want)
			}
		}
	}
}

// TestTypedHasNoJSON: the value of a JSONPatch operation becomes a
// structpb.Value.
func TestTypedHasNoJSON(t *testing.T) {
	native := map[string]any{"m": map[string]any{}, "l": []any{}}
	v := typedValue(native, part{form: Struct, name: "v1.Container", fields: map[string]GoType{"m": part{form: Map}, "l": part{form: List}}}).(*typedStruct)
	for _, test := range []struct {
		value interface {
			ConvertToNative(reflect.Type) (any, error)
		}
		want string
	}{
		{v, "type conversion error from struct type v1.Container to *structpb.Value"},
		{v.Get(types.String("m")), "type conversion error from 'map(dyn, dyn)' to '*structpb.Value'"},
		{v.Get(types.String("l")), "type conversion error from 'list(dyn)' to '*structpb.Value'"},
	} {
		if _, err := test.value.ConvertToNative(reflect.TypeFor[*structpb.Value]()); err == nil || err.Error() != test.want {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
}
