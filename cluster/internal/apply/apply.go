// Package apply computes what kubectl apply does with an existing object: the three-way merge of
// the last applied, the current and the live configuration.
package apply

import (
	"encoding/json"
	"fmt"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/preadmit/preadmit/cluster/internal/collect"
)

// Patch returns what kubectl apply sends for an existing object, and the patch type. Lists in
// built-in kinds are merged by their keys, those in other kinds are replaced.
func Patch(kind schema.GroupVersionKind, live, applied map[string]any) (types.PatchType, []byte, error) {
	wanted, err := withLastApplied(applied)
	if err != nil {
		return "", nil, err
	}
	current, err := json.Marshal(live)
	if err != nil {
		return "", nil, err
	}
	last := []byte((&unstructured.Unstructured{Object: live}).GetAnnotations()[collect.LastApplied])
	keys, err := lookup(kind)
	if err != nil {
		return "", nil, err
	}
	if keys == nil {
		if len(last) == 0 {
			last = []byte("{}")
		}
		patch, err := jsonmergepatch.CreateThreeWayJSONMergePatch(last, wanted, current)
		return types.MergePatchType, patch, err
	}
	patch, err := strategicpatch.CreateThreeWayMergePatch(last, wanted, current, *keys, true)
	return types.StrategicMergePatchType, patch, err
}

// lookup returns how a built-in kind's lists are merged; nil for other kinds.
func lookup(kind schema.GroupVersionKind) (*strategicpatch.PatchMetaFromStruct, error) {
	typed, err := scheme.Scheme.New(kind)
	if runtime.IsNotRegisteredError(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	keys, err := strategicpatch.NewPatchMetaFromStruct(typed)
	return &keys, err
}

// Merged returns the object after kubectl apply.
func Merged(kind schema.GroupVersionKind, live, applied map[string]any) (map[string]any, error) {
	form, patch, err := Patch(kind, live, applied)
	if err != nil {
		return nil, fmt.Errorf("merging it with what the cluster has: %w", err)
	}
	current, err := json.Marshal(live)
	if err != nil {
		return nil, err
	}
	var merged []byte
	if form == types.MergePatchType {
		merged, err = jsonpatch.MergePatch(current, patch)
	} else {
		keys, problem := lookup(kind)
		if problem != nil {
			return nil, problem
		}
		merged, err = strategicpatch.StrategicMergePatchUsingLookupPatchMeta(current, patch, *keys)
	}
	if err != nil {
		return nil, fmt.Errorf("merging it with what the cluster has: %w", err)
	}
	return decoded(merged)
}

// withLastApplied returns the object with kubectl's annotation.
func withLastApplied(applied map[string]any) ([]byte, error) {
	plain := runtime.DeepCopyJSON(applied)
	u := unstructured.Unstructured{Object: plain}
	annotations := u.GetAnnotations()
	delete(annotations, collect.LastApplied)
	if annotations == nil {
		annotations = map[string]string{}
	}
	u.SetAnnotations(annotations)
	raw, err := json.Marshal(plain)
	if err != nil {
		return nil, err
	}
	annotations[collect.LastApplied] = string(raw) + "\n"
	u.SetAnnotations(annotations)
	return json.Marshal(plain)
}

// decoded reads JSON with integers as int64, as clients do.
func decoded(raw []byte) (map[string]any, error) {
	var u unstructured.Unstructured
	if err := u.UnmarshalJSON(raw); err != nil {
		return nil, err
	}
	return u.Object, nil
}
