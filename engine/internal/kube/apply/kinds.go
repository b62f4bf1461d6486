package apply

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
)

// kinds gives the field manager the catalog's types, defaults and conversions. All objects are
// unstructured. Where the server has Go types, they are in the normal form of those.
// It implements managedfields.TypeConverter, runtime.ObjectDefaulter and runtime.ObjectCreater.
type kinds struct {
	catalog *catalog.Catalog
	types   map[schema.GroupVersionKind]typed.ParseableType
}

func (k *kinds) ObjectToTyped(obj runtime.Object, options ...typed.ValidationOptions) (*typed.TypedValue, error) {
	u, ok := obj.(*unstructured.Unstructured)
	if !ok {
		return nil, fmt.Errorf("%T is not unstructured", obj)
	}
	t, err := k.typeOf(u.GroupVersionKind())
	if err != nil {
		return nil, err
	}
	return t.FromUnstructured(u.Object, options...)
}

func (k *kinds) typeOf(gvk schema.GroupVersionKind) (typed.ParseableType, error) {
	if t, ok := k.types[gvk]; ok {
		return t, nil
	}
	t, ok := k.catalog.Managed(gvk)
	if _, served := k.catalog.ResourceForKind(gvk); !ok && served {
		return t, fmt.Errorf("no corresponding type for %v", gvk)
	} else if !ok {
		t = typed.DeducedParseableType
	}
	if k.types == nil {
		k.types = map[schema.GroupVersionKind]typed.ParseableType{}
	}
	k.types[gvk] = t
	return t, nil
}

func (k *kinds) TypedToObject(v *typed.TypedValue) (runtime.Object, error) {
	object, ok := v.AsValue().Unstructured().(map[string]any)
	if !ok {
		return nil, fmt.Errorf("failed to convert value to unstructured for type %T", v.AsValue().Unstructured())
	}
	return &unstructured.Unstructured{Object: object}, nil
}

// Convert implements runtime.ObjectConvertor; the field manager does not call it.
func (k *kinds) Convert(_, _, _ any) error {
	return fmt.Errorf("objects are converted with ConvertToVersion")
}

// ConvertFieldLabel implements runtime.ObjectConvertor; the field manager does not call it.
func (k *kinds) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}

// ConvertToVersion implements runtime.ObjectConvertor. An object of another version than the target is
// written as that version; one of the same version goes through its Go type, as on the server.
func (k *kinds) ConvertToVersion(in runtime.Object, gv runtime.GroupVersioner) (runtime.Object, error) {
	u, ok := in.(*unstructured.Unstructured)
	if !ok {
		return nil, fmt.Errorf("%T is not unstructured", in)
	}
	from := u.GroupVersionKind()
	to, ok := gv.KindForGroupVersionKinds([]schema.GroupVersionKind{from})
	if !ok {
		return nil, runtime.NewNotRegisteredErrForTarget("catalog", nil, gv)
	}
	if from == to {
		if !k.catalog.Typed(to) {
			return u, nil
		}
		object, err := k.catalog.FromUnstructured(to, u.Object)
		if err != nil {
			return nil, err
		}
		return &unstructured.Unstructured{Object: object}, nil
	}
	if _, known := k.catalog.ResourceForKind(to); !known {
		return nil, runtime.NewNotRegisteredErrForKind("catalog", to)
	}
	object, err := k.catalog.Convert(u.Object, from, to)
	if err != nil {
		return nil, err
	}
	return &unstructured.Unstructured{Object: object}, nil
}

func (k *kinds) Default(in runtime.Object) {
	if u, ok := in.(*unstructured.Unstructured); ok {
		u.Object = k.catalog.Default(u.GroupVersionKind(), u.Object)
	}
}

func (k *kinds) New(gvk schema.GroupVersionKind) (runtime.Object, error) {
	return &unstructured.Unstructured{Object: k.empty(gvk)}, nil
}

// empty is an object without anything but what its Go type always has.
func (k *kinds) empty(gvk schema.GroupVersionKind) map[string]any {
	apiVersion, kind := gvk.ToAPIVersionAndKind()
	object := map[string]any{"apiVersion": apiVersion, "kind": kind}
	if k.catalog.Typed(gvk) {
		object, _ = k.catalog.Normalise(gvk, object)
	}
	return object
}
