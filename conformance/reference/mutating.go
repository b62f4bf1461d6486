//go:build !until1.31

package main

import (
	"context"
	"sort"

	admissionv1 "k8s.io/api/admission/v1"
	v1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/generic"
	"k8s.io/apiserver/pkg/admission/plugin/policy/matching"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/mutatingadmissionpolicy"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/mutatingadmissionpolicybinding"

	"github.com/preadmit/preadmit/conformance/wire"
)

// All that concerns MutatingAdmissionPolicies, which exist since 1.32: as
// v1alpha1, since 1.34 as v1beta1, since 1.36 as v1 (the files mutating_v1*.go). Before 1.36 a cluster administrator has to switch them
// on, which for the reference is done.

var mutatingStrategies = map[string]rest.RESTCreateStrategy{
	"MutatingAdmissionPolicy":        mutatingadmissionpolicy.NewStrategy(nil, noResolver),
	"MutatingAdmissionPolicyBinding": mutatingadmissionpolicybinding.NewStrategy(nil, nil, noResolver),
}

// addMutating keeps a policy or binding that was created.
func (p *policies) addMutating(obj runtime.Object) {
	switch obj.(type) {
	case *mutating.Policy:
		p.mutating = append(p.mutating, obj)
	case *mutating.PolicyBinding:
		p.mutatingBindings = append(p.mutatingBindings, obj)
	}
}

// storedVersion is the API version in which the plugins read objects of a kind.
func storedVersion(kind string) schema.GroupVersion {
	if mutatingStrategies[kind] != nil {
		return mutatingVersion
	}
	return v1.SchemeGroupVersion
}

// mutatingInformer is the informer of policies or bindings, nil for other kinds.
func (f *informerFactory) mutatingInformer(obj runtime.Object) cache.SharedIndexInformer {
	switch obj.(type) {
	case *mutating.Policy:
		return f.mutating
	case *mutating.PolicyBinding:
		return f.mutatingBindings
	}
	return nil
}

// recordedMutating builds the plugin from its parts, with the recorder's
// evaluators in it.
func recordedMutating(ctx context.Context, f *informerFactory, r *recorder) (admission.MutationInterface, func() bool, error) {
	var synced func() bool
	p := newPolicyPlugin(
		admission.NewHandler(admission.Create, admission.Update, admission.Connect),
		func(f informers.SharedInformerFactory, _ kubernetes.Interface, d dynamic.Interface, mapper meta.RESTMapper) generic.Source[mutating.PolicyHook] {
			policies, bindings := mutatingInformers(f)
			source := sortedSource[mutating.PolicyHook]{order: orderMutating, Source: generic.NewPolicySource(policies, bindings,
				mutating.NewMutatingAdmissionPolicyAccessor, mutating.NewMutatingAdmissionPolicyBindingAccessor,
				r.compileMutating, f, d, mapper)}
			synced = source.HasSynced
			return source
		},
		func(a admissionAuthorizer, m *matching.Matcher) generic.Dispatcher[mutating.PolicyHook] {
			return mutating.NewDispatcher(a, m, f.world.converters)
		},
	)
	err := initialize(ctx, p, f)
	return &mutating.Plugin{Plugin: p}, synced, err
}

// constructedMutating is the plugin as its constructor makes it.
func constructedMutating(ctx context.Context, f *informerFactory) (admission.MutationInterface, error) {
	p, err := newMutatingPlugin()
	if err != nil {
		return nil, err
	}
	return p, initialize(ctx, p.Plugin, f)
}

func orderMutating(hooks []mutating.PolicyHook) {
	sort.Slice(hooks, func(i, j int) bool { return hooks[i].Policy.Name < hooks[j].Policy.Name })
	for _, h := range hooks {
		sortBindings(h.Bindings, func(b *mutating.PolicyBinding) string { return b.Name })
	}
}

// compileMutating is what the plugin's compilePolicy does.
func (r *recorder) compileMutating(p *mutating.Policy) mutating.PolicyEvaluator {
	compiler := newCompiler()
	decls := declarations(p.Spec.ParamKind != nil, true)
	for _, v := range p.Spec.Variables {
		compileVariable(compiler, v.Name, v.Expression, decls)
	}
	var conditions []v1.MatchCondition
	for _, c := range p.Spec.MatchConditions {
		conditions = append(conditions, v1.MatchCondition(c))
	}
	matcher := r.matcher(compiler, p.Name, conditions, (*v1.FailurePolicyType)(p.Spec.FailurePolicy), decls)
	decls.HasPatchTypes = true
	var patchers []patch.Patcher
	for i, m := range p.Spec.Mutations {
		e := &mutationRecorder{recorder: r, policy: p.Name, index: i, compiler: compiler}
		switch {
		case m.PatchType == jsonPatch && m.JSONPatch != nil:
			e.compile(&patch.JSONPatchCondition{Expression: m.JSONPatch.Expression}, decls)
			patchers = append(patchers, patch.NewJSONPatcher(e))
		case m.PatchType == applyConfiguration && m.ApplyConfiguration != nil:
			e.compile(&patch.ApplyConfigurationCondition{Expression: m.ApplyConfiguration.Expression}, decls)
			patchers = append(patchers, patch.NewApplyConfigurationPatcher(e))
		}
	}
	return newMutator(matcher, patchers, compiler)
}

// mutationRecorder evaluates the expression of a mutation and records its cost. It implements cel.MutatingEvaluator.
type mutationRecorder struct {
	*recorder
	policy   string
	index    int
	compiler *cel.CompositedCompiler
	result   cel.CompilationResult
}

func (m *mutationRecorder) compile(accessor cel.ExpressionAccessor, decls cel.OptionalVariableDeclarations) {
	m.result = m.compiler.CompileCELExpression(accessor, decls, environment.StoredExpressions)
}

func (m *mutationRecorder) CompilationErrors() []error {
	return cel.NewMutatingEvaluator(m.result).CompilationErrors()
}

func (m *mutationRecorder) ForInput(ctx context.Context, va *admission.VersionedAttributes, request *admissionv1.AdmissionRequest, inputs cel.OptionalVariableBindings, namespace *corev1.Namespace, budget int64) (cel.EvaluationResult, int64, error) {
	evaluate := func(budget int64) (cel.EvaluationResult, int64, error) {
		return cel.NewMutatingEvaluator(m.result).ForInput(withVariables(ctx, m.compiler), va, request, inputs, namespace, budget)
	}
	// The dispatcher's own context must be used once: it belongs to the run.
	out, remaining, err := cel.NewMutatingEvaluator(m.result).ForInput(ctx, va, request, inputs, namespace, budget)
	run := m.begin(m.policy, wire.Mutation, m.index, inputs.VersionedParams, budget)
	run.Costs, run.Errors = []int64{budget - remaining}, []string{""}
	if err != nil {
		run.Costs[0] = -1
	}
	if out.Error != nil {
		run.Errors[0] = out.Error.Error()
	}
	run.BudgetCheck = checkBudget(budget-remaining, err, func(budget int64) error {
		_, _, err := evaluate(budget)
		return err
	})
	m.end(run, err)
	return out, remaining, err
}
