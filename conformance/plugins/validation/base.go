package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install" // these install the kinds into the scheme
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/certificates/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/discovery/install"
	_ "k8s.io/kubernetes/pkg/apis/flowcontrol/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	"sigs.k8s.io/yaml"
)

// base is a valid object, with its defaults.
type base struct {
	kind     schema.GroupVersionKind
	name     string
	strategy strategy
	object   map[string]any
}

// id names the kind as the catalog does.
func (b *base) id() string { return b.kind.GroupVersion().String() + " " + b.kind.Kind }

// readBases reads the objects in folder objects, each with its defaults.
func readBases() ([]*base, error) {
	var out []*base
	err := fs.WalkDir(objects, "objects", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := objects.ReadFile(path)
		if err != nil {
			return err
		}
		for _, document := range bytes.Split(data, []byte("\n---\n")) {
			var o map[string]any
			if err := yaml.Unmarshal(document, &o); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			if o == nil {
				continue
			}
			kind := schema.FromAPIVersionAndKind(fmt.Sprint(o["apiVersion"]), fmt.Sprint(o["kind"]))
			if !legacyscheme.Scheme.Recognizes(kind) {
				fmt.Fprintf(os.Stderr, "%s is not known in this release and left out\n", kind)
				continue
			}
			b := &base{kind: kind, name: fmt.Sprint(o["metadata"].(map[string]any)["name"]), strategy: strategies[kind.GroupKind()]}
			if b.strategy == nil {
				return fmt.Errorf("%s: no strategy for %s", path, kind)
			}
			typed, err := b.decoded(o)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", path, b.name, err)
			}
			if b.object, err = b.encoded(typed); err != nil {
				return err
			}
			out = append(out, b)
		}
		return nil
	})
	return out, err
}

// decoded is an object as the server has it in memory, with defaults.
func (b *base) decoded(o map[string]any) (runtime.Object, error) {
	raw, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	object, _, err := legacyscheme.Codecs.UniversalDecoder().Decode(raw, &b.kind, nil)
	return object, err
}

func (b *base) encoded(o runtime.Object) (map[string]any, error) {
	external, err := legacyscheme.Scheme.ConvertToVersion(o, b.kind.GroupVersion())
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(external)
	if err != nil {
		return nil, err
	}
	raw, err = utilyaml.ToJSON(raw)
	if err != nil {
		return nil, err
	}
	var out map[string]any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	return out, decoder.Decode(&out)
}

func (b *base) context() context.Context {
	ctx := genericapirequest.NewContext()
	if b.strategy.NamespaceScoped() {
		ctx = genericapirequest.WithNamespace(ctx, "default")
	} else {
		ctx = genericapirequest.WithNamespace(ctx, "")
	}
	plural, _ := meta.UnsafeGuessKindToResource(b.kind)
	return genericapirequest.WithRequestInfo(ctx, &genericapirequest.RequestInfo{
		IsResourceRequest: true, APIGroup: b.kind.Group, APIVersion: b.kind.Version, Resource: plural.Resource,
	})
}

// created are the causes for which the object is refused when it is created. An
// object that cannot be read has one cause without a field.
func (b *base) created(o map[string]any) []metav1.StatusCause {
	object, err := b.decoded(o)
	if err != nil {
		return unreadable(err)
	}
	accessor, err := meta.Accessor(object)
	if err != nil {
		return unreadable(err)
	}
	rest.FillObjectMetaSystemFields(accessor)
	return causes(rest.BeforeCreate(b.strategy, b.context(), object))
}

// updated are the causes for which an update is refused.
func (b *base) updated(o, old map[string]any) []metav1.StatusCause {
	object, err := b.decoded(o)
	if err != nil {
		return unreadable(err)
	}
	before, err := b.decoded(old)
	if err != nil {
		return unreadable(err)
	}
	uid, now := types.UID(uuid.NewUUID()), metav1.Now()
	for _, o := range []runtime.Object{object, before} {
		accessor, err := meta.Accessor(o)
		if err != nil {
			return unreadable(err)
		}
		accessor.SetUID(uid)
		accessor.SetCreationTimestamp(now)
		accessor.SetResourceVersion("1")
		if b.strategy.NamespaceScoped() {
			accessor.SetNamespace("default")
		}
	}
	return causes(rest.BeforeUpdate(b.strategy, b.context(), object, before))
}

func unreadable(err error) []metav1.StatusCause {
	return []metav1.StatusCause{{Message: err.Error()}}
}

func causes(err error) []metav1.StatusCause {
	if err == nil {
		return nil
	}
	status := &apierrors.StatusError{}
	if !errors.As(err, &status) || status.ErrStatus.Details == nil || len(status.ErrStatus.Details.Causes) == 0 {
		return unreadable(err)
	}
	return status.ErrStatus.Details.Causes
}
