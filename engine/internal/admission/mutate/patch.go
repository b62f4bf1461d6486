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
	v1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	celmutation "k8s.io/apiserver/pkg/cel/mutation"
	"k8s.io/apiserver/pkg/cel/mutation/dynamic"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/budget"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/explain"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// mutationWork is what a mutation takes besides its expression and its object.
const mutationWork = 5_000

// patch evaluates one mutation and applies it (semantics §6.4). The error is a
// *apierrors.StatusError where the failure policy does not apply.
func (r *policyRun) patch(i run.Invocation, p *Policy, m mutation, object map[string]any) (map[string]any, report.Mutation, error) {
	described := report.Mutation{PatchType: string(m.patchType), Evaluation: explain.Untouched(m.source, m.compiled.Expression, model.JSONPatch.List)}
	if _, ok := r.Catalog.SMD(i.Kind); !ok {
		return nil, described, apierrors.NewServiceUnavailable(fmt.Sprintf("Resource kind %s not found. There can be a delay between when CustomResourceDefinitions are created and when they are available.", i.Kind))
	}
	size := budget.Measure(object).Bytes
	r.Evaluator.Budget().Work(mutationWork + 10*size)
	r.Evaluator.Budget().Make(2 * size)
	in, err := r.Inputs(object, i.Kind, i.Resource)
	if err != nil {
		return nil, described, apierrors.NewInternalError(err)
	}
	in.Params, in.Namespace, in.Types = mutatingParam(i), r.namespace, r.types(i, false)
	value, used, err := evaluate(r.Evaluator, p, m, in, &described)
	r.AddBudget(i.Step, report.Budget{Scope: model.JSONPatch.Budget.Scope, Limit: model.JSONPatch.Budget.Limit, Used: used, Exceeded: err != nil && err.Error() == eval.OutOfBudget, Policy: p.Name, Name: m.source.Name})
	if err != nil {
		return nil, described, err
	}
	var after map[string]any
	described.Applied = true
	if m.patchType == v1.PatchTypeJSONPatch {
		after, err = r.applyJSONPatch(i, object, value, &described)
	} else {
		after, err = r.applyConfiguration(i, object, value)
	}
	if err != nil {
		return nil, described, err
	}
	if err := r.backToRequest(i.Kind, catalog.KindOf(after, i.Kind)); err != nil {
		return nil, described, err
	}
	if !described.Applied { // it is the object as it was
		after = runtime.DeepCopyJSON(after)
	}
	return r.Catalog.DefaultPatched(i.Kind, after), described, nil
}

// backToRequest is the server's conversion of a typed result to the version of
// the request. Two versions only convert through the internal one, which this
// step does not use, so with matchPolicy Equivalent no mutation of another
// version works (semantics §6.4.5), nor does a patch that changes the version.
// Whether there is a conversion is decided by the object before the patch, of the
// kind from: a custom resource stays unstructured whatever the patch made of it
// (dispatchOne in apiserver/pkg/admission/plugin/policy/mutating/dispatcher.go), and the
// conversion after the last policy is the first to look at its kind.
func (r *policyRun) backToRequest(from, kind schema.GroupVersionKind) error {
	to := r.Attributes.Kind.GroupVersion()
	if kind.GroupVersion() == to || !r.Catalog.Typed(from) {
		return nil
	}
	if kind.Group != to.Group {
		return fmt.Errorf("%s.%s is not suitable for converting to %q in scheme %q", kind.Version, kind.Kind, to, catalog.SchemeName)
	}
	return fmt.Errorf("converting (%s.%s) to (%s.%s): unknown conversion", kind.Version, kind.Kind, to.Version, kind.Kind)
}

// evaluate runs the expression with a full budget and variables of its own. It
// returns the value and what was used of the budget.
func evaluate(evaluator *eval.Evaluator, p *Policy, m mutation, in eval.Inputs, described *report.Mutation) (ref.Val, int64, error) {
	if !m.compiled.OK() {
		return nil, 0, errors.New(m.compiled.Err) // bare, without "compilation error: " (semantics §1.7)
	}
	list := evaluator.NewListRun(in, p.Compiler.Variables, eval.Budget)
	result := list.Run(m.compiled)
	described.Evaluation = explain.Evaluation(m.source, result, model.JSONPatch.List)
	described.Variables = explain.Variables(list.Variables, p.Variable, model.JSONPatch.List)
	used := eval.Budget - list.Remaining
	switch {
	case list.Abort != "":
		return nil, used, errors.New(list.Abort)
	case result.Err != "":
		return nil, used, errors.New(result.Err)
	}
	return result.Value, used, nil
}

// applyConfiguration merges the expression's object (semantics §6.5).
func (r *policyRun) applyConfiguration(i run.Invocation, object map[string]any, value ref.Val) (map[string]any, error) {
	configuration, ok := value.(*dynamic.ObjectVal)
	if !ok {
		return nil, fmt.Errorf("unsupported return type from ApplyConfiguration expression: %v", value.Type())
	}
	if err := configuration.CheckTypeNamesMatchFieldPathNames(); err != nil {
		return nil, fmt.Errorf("type mismatch: %w", err)
	}
	native, ok := configuration.Value().(map[string]any)
	if !ok {
		return nil, fmt.Errorf("invalid return type: %T", value)
	}
	native["apiVersion"], native["kind"] = object["apiVersion"], object["kind"]
	// An earlier patch may have made it another kind.
	actual := catalog.KindOf(object, schema.GroupVersionKind{})
	merged, err := r.Catalog.MergerIn(i.Kind.GroupVersion(), actual).Merge(object, native)
	if err != nil {
		return nil, fmt.Errorf("error applying patch: %w", err)
	}
	return r.Catalog.FromUnstructured(actual, merged)
}

// maxValueDepth bounds the search in nested values.
const maxValueDepth = 100

// holdsObject looks for Object values inside the lists and maps of a patch value.
func holdsObject(value ref.Val, depth int) bool {
	if _, ok := value.(*dynamic.ObjectVal); ok {
		return depth > 0
	}
	if depth > maxValueDepth {
		return false
	}
	switch container := value.(type) {
	case traits.Lister:
		for it := container.Iterator(); it.HasNext() == types.True; {
			if holdsObject(it.Next(), depth+1) {
				return true
			}
		}
	case traits.Mapper:
		for it := container.Iterator(); it.HasNext() == types.True; {
			if holdsObject(container.Get(it.Next()), depth+1) {
				return true
			}
		}
	}
	return false
}

// panics is a crash of the request: the client gets no answer at all.
func (r *policyRun) panics(step *report.Step) error {
	return r.Crash(step, "reflect.Set: value of type *structpb.Struct is not assignable to type *structpb.Value",
		"Up to Kubernetes "+version.ObjectsInPatchLists.Since().Previous().String()+" the API server crashes this request and closes the connection. The patch's value is a list or map with Object{} in it. Write the items as map literals, or add them one by one.")
}

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
	raw := json.RawMessage(text)
	op["value"] = &raw
	return op, nil
}

// goQuoted quotes as Go does, not as JSON does: the server's own slip, which
// shows with control characters (semantics §6.6).
func goQuoted(s string) *json.RawMessage {
	raw := json.RawMessage(strconv.Quote(s))
	return &raw
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
