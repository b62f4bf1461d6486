package mutate

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"google.golang.org/protobuf/types/known/structpb"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	celmutation "k8s.io/apiserver/pkg/cel/mutation"
	"k8s.io/apiserver/pkg/cel/mutation/dynamic"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// applyJSONPatch applies the expression's list of operations (semantics §6.6).
func (r *policyRun) applyJSONPatch(i run.Invocation, object map[string]any, value ref.Val, described *report.Mutation) (map[string]any, error) {
	patch, err := r.operations(i.Step, value, described)
	if err != nil {
		return nil, err
	}
	if !r.Evaluator.Brief() {
		described.Patch = describe(patch)
	}
	written := i.Kind
	if r.Catalog.Typed(i.Kind) { // a custom resource is written as it is, whatever it says to be
		written = catalog.KindOf(object, i.Kind)
	}
	before, err := r.Catalog.Encode(written, object)
	if err != nil {
		return nil, fmt.Errorf("failed to create JSON patch: %w", err)
	}
	after, err := r.ApplyPatch(i.Step, patch, before)
	if r.Panic != "" {
		return nil, err
	}
	if errors.Is(err, jsonpatch.ErrTestFailed) {
		described.Applied = false
		described.Notes = append(described.Notes, report.Note{Code: codes.FailedTestOperation,
			Text: "A test operation of the patch failed: the server leaves out the whole patch and reports no error."})
		return object, nil
	}
	if err != nil {
		return nil, fmt.Errorf("JSON Patch: %w", err)
	}
	if !r.Evaluator.Brief() {
		described.Notes = append(described.Notes, notRFC(patch, before)...)
	}
	decoded, err := r.Catalog.DecodeStrict(i.Kind, after)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	return decoded, nil
}

// operations makes a JSON patch of a CEL list of JSONPatch values, one after the
// other: the first one that fails, or crashes the server, ends it.
func (r *policyRun) operations(step *report.Step, value ref.Val, described *report.Mutation) (jsonpatch.Patch, error) {
	list, ok := value.(traits.Lister)
	if !ok {
		return nil, errors.New("type mismatch: JSONPatchType.expression should evaluate to array")
	}
	patch := jsonpatch.Patch{}
	for it := list.Iterator(); it.HasNext() == types.True; {
		item := it.Next()
		native, err := item.ConvertToNative(reflect.TypeFor[*celmutation.JSONPatchVal]())
		if err != nil {
			return nil, fmt.Errorf("type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch: %w", err)
		}
		entry := native.(*celmutation.JSONPatchVal)
		patched := version.ObjectsInPatchLists.PatchedIn(r.Version)
		if has := r.Version.Has(version.ObjectsInPatchLists); (!has || patched != "") && entry.Val != nil && holdsObject(entry.Val, 0) {
			if !has {
				return nil, r.panics(step)
			}
			described.Notes = append(described.Notes, report.Note{Code: codes.ServerPanic,
				Text: "Before Kubernetes " + patched + " the API server crashes this request. The value of a patch is a list or map with Object{} in it."})
		}
		if entry.Val != nil {
			eval.ChargeWhole(r.Evaluator.Budget(), entry.Val)
		}
		op, err := operation(entry)
		if err != nil {
			return nil, err
		}
		patch = append(patch, op)
	}
	return patch, nil
}

func operation(p *celmutation.JSONPatchVal) (jsonpatch.Operation, error) {
	op := jsonpatch.Operation{"op": goQuoted(p.Op), "path": goQuoted(p.Path)}
	if p.From != "" {
		op["from"] = goQuoted(p.From)
	}
	if p.Val == nil {
		return op, nil
	}
	if o, ok := p.Val.(*dynamic.ObjectVal); ok {
		if err := o.CheckTypeNamesMatchFieldPathNames(); err != nil {
			return nil, fmt.Errorf("type mismatch: %w", err)
		}
	}
	const noJSON = "JSONPath valueExpression evaluated to a type that could not marshal to JSON: %w"
	v, err := p.Val.ConvertToNative(reflect.TypeFor[*structpb.Value]())
	if err != nil {
		return nil, fmt.Errorf(noJSON, err)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf(noJSON, err)
	}
	op["value"] = new(json.RawMessage(text))
	return op, nil
}

// goQuoted quotes as Go does, not as JSON does: the server's own slip, which
// shows with control characters (semantics §6.6).
func goQuoted(s string) *json.RawMessage {
	return new(json.RawMessage(strconv.Quote(s)))
}

// describe shows a patch in the report, whatever is in it.
func describe(patch jsonpatch.Patch) []report.PatchOperation {
	out := make([]report.PatchOperation, len(patch))
	for i, op := range patch {
		for key, raw := range op {
			var value any
			if err := json.Unmarshal(*raw, &value); err != nil {
				value = string(*raw)
			}
			text, _ := value.(string)
			switch key {
			case "op":
				out[i].Op = text
			case "path":
				out[i].Path = text
			case "from":
				out[i].From = text
			case "value":
				out[i].Value = value
			}
		}
	}
	return out
}
