package storage

import (
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

// made makes random objects of a type. One value of so many is of another type.
type made struct {
	*rand.Rand
	wrong int
}

func (m made) value(t reflect.Type, depth int) any {
	if m.wrong > 0 && m.IntN(m.wrong) == 0 {
		return []any{nil, "", "a", `"<é`, int64(-1), int64(1) << 40, 1.5, true, map[string]any{}, map[string]any{"a": "b"}, []any{}, []any{nil}, map[string]any(nil)}[m.IntN(13)]
	}
	switch t {
	case reflect.TypeFor[metav1.Time]():
		return "2026-01-02T03:04:05Z"
	case reflect.TypeFor[metav1.MicroTime]():
		return "2026-01-02T03:04:05.000006Z"
	case reflect.TypeFor[resource.Quantity]():
		return []any{"100m", "3", "1Gi"}[m.IntN(3)]
	case reflect.TypeFor[intstr.IntOrString]():
		return []any{"10%", int64(7)}[m.IntN(2)]
	case reflect.TypeFor[metav1.FieldsV1](), reflect.TypeFor[runtime.RawExtension]():
		return map[string]any{"a": int64(1)}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return m.value(t.Elem(), depth)
	case reflect.String:
		return []any{"", "a", "é\n", `say "x"`}[m.IntN(4)]
	case reflect.Bool:
		return m.IntN(2) == 0
	case reflect.Int32, reflect.Int64, reflect.Int:
		return int64(m.IntN(1000) - 10)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return []any{"", "YQ=="}[m.IntN(2)]
		}
		out := []any{}
		for range m.IntN(3) {
			out = append(out, m.value(t.Elem(), depth+1))
		}
		return out
	case reflect.Map:
		out := map[string]any{}
		for range m.IntN(3) {
			out[[]string{"", "a", "b.c"}[m.IntN(3)]] = m.value(t.Elem(), depth+1)
		}
		return out
	case reflect.Struct:
		out := map[string]any{}
		named := shapeOf(t).named
		for _, name := range slices.Sorted(maps.Keys(named)) {
			if m.IntN(2+depth) == 0 {
				out[name] = m.value(t.FieldByIndex(named[name]).Type, depth+1)
			}
		}
		if m.IntN(20) == 0 {
			out["unknown"] = "a"
		}
		return out
	}
	return nil
}

// TestRead reads random objects of all kinds: what is read here is what the library reads, and what it
// rejects is left to it. All that fits its type is read here.
func TestRead(t *testing.T) {
	read := map[bool]int{}
	for known := range kinds {
		for _, version := range legacyscheme.Scheme.PrioritizedVersionsForGroup(known.Group) {
			for kind, of := range legacyscheme.Scheme.KnownTypes(version) {
				if !reflect.PointerTo(of).Implements(reflect.TypeFor[metav1.Object]()) && kind != "Scale" {
					continue
				}
				for seed := range uint64(40) {
					m := made{Rand: rand.New(rand.NewPCG(seed, 0)), wrong: []int{0, 0, 300, 30}[seed%4]}
					object, ok := m.value(of, 0).(map[string]any)
					if !ok {
						continue
					}
					fits := sameAsLibrary(t, version.WithKind(kind), object)
					if m.wrong == 0 {
						read[fits]++
					}
				}
			}
		}
	}
	if t.Logf("%d of %d objects are read without the library", read[true], read[true]+read[false]); read[false] > 0 {
		t.Error("that is too few")
	}
}

// sameAsLibrary reports whether an object is read without the library.
func sameAsLibrary(t *testing.T, kind schema.GroupVersionKind, object map[string]any) (here bool) {
	fresh := func() runtime.Object {
		o, err := legacyscheme.Scheme.New(kind)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	got, want := fresh(), fresh()
	if to := reflect.ValueOf(got).Elem(); !shapeOf(to.Type()).read(object, to) {
		return false
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object, want); err != nil {
		t.Fatalf("%v %v: the library has %v", kind, object, err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%v %v:\ngot  %#v\nwant %#v", kind, object, got, want)
	}
	return true
}

// TestEqual compares random objects of which one is the other with one value more or less, as
// reflect.DeepEqual does.
func TestEqual(t *testing.T) {
	results := map[bool]int{}
	for known := range kinds {
		for _, version := range legacyscheme.Scheme.PrioritizedVersionsForGroup(known.Group) {
			for kind, of := range legacyscheme.Scheme.KnownTypes(version) {
				for seed := range uint64(20) {
					var forms [2]reflect.Value
					for i := range forms {
						m := made{Rand: rand.New(rand.NewPCG(seed, 0))}
						object, _ := m.value(of, 0).(map[string]any)
						if i == 1 && seed%2 == 1 {
							alter(rand.New(rand.NewPCG(seed, 1)), object)
						}
						o := reflect.New(of)
						shapeOf(of).read(object, o.Elem()) // as far as it fits
						forms[i] = o.Elem()
					}
					want := reflect.DeepEqual(forms[0].Interface(), forms[1].Interface())
					if results[want]++; shapeOf(of).equal(forms[0], forms[1]) != want {
						t.Fatalf("%v: equal is %t of\n%#v\n%#v", version.WithKind(kind), !want, forms[0].Interface(), forms[1].Interface())
					}
				}
			}
		}
	}
	if t.Log(results); results[true] < 100 || results[false] < 100 {
		t.Error("that is too few")
	}
}

// TestEqualCopies compares a Pod with its copy. Only its time becomes a value of package reflect.
func TestEqualCopies(t *testing.T) {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a", CreationTimestamp: metav1.Unix(1, 0)}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "a", Image: "b"}}}}
	a, b := reflect.ValueOf(pod).Elem(), reflect.ValueOf(pod.DeepCopy()).Elem()
	of := shapeOf(a.Type())
	if !of.equal(a, b) {
		t.Error("a Pod is another one than its copy")
	}
	if n := testing.AllocsPerRun(10, func() { of.equal(a, b) }); n > 4 {
		t.Errorf("%.0f allocations", n)
	}
}

// alter changes one value of an object.
func alter(r *rand.Rand, object map[string]any) {
	for name, v := range object {
		switch v := v.(type) {
		case map[string]any:
			if len(v) > 0 {
				alter(r, v)
				return
			}
			object[name] = nil
		case []any:
			if len(v) > 0 {
				if item, ok := v[r.IntN(len(v))].(map[string]any); ok && len(item) > 0 {
					alter(r, item)
					return
				}
			}
			object[name] = nil
		default:
			delete(object, name)
		}
		return
	}
}
