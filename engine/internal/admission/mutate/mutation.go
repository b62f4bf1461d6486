package mutate

import (
	"errors"
	"fmt"

	"github.com/google/cel-go/common/types/ref"
	v1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/explain"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/worklimit"
	"github.com/preadmit/preadmit/engine/report"
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
	size := worklimit.Measure(object).Bytes
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
