package outcome

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/preadmit/preadmit/engine/internal/answer/compile"
	"github.com/preadmit/preadmit/engine/internal/answer/evaluate"
	"github.com/preadmit/preadmit/engine/internal/answer/refusals"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/internal/kube/workload"
	"github.com/preadmit/preadmit/engine/options"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// workloadShare is what the requests of controllers may take, in hundredths of what one evaluation
// may.
const workloadShare = 50

// maxLevels of controllers lead from an object to its Pods: from a CronJob to a Job to a Pod.
const maxLevels = 3

// makePods asks about what controllers make of an admitted object, down to its Pods: each as its
// controller sends it, with the same policies and cluster.
func makePods(e *evaluate.Evaluation) {
	a := &e.Initial
	if r := e.Report; !r.Outcome.Allowed || r.Object == nil || a.SubResource != "" || a.Operation != request.Create && a.Operation != request.Update || e.AdmissionOnly() || a.DryRun {
		return
	}
	object := e.Report.Object
	var before []report.Made
	for range maxLevels {
		made := madeOf(e, object)
		if len(made) == 0 {
			return
		}
		for i, m := range made {
			answer := create(e, m)
			if answer == nil {
				return
			}
			if last := i == len(made)-1; !answer.Outcome.Allowed || last && !m.More {
				e.Report.Workload = &report.Workload{Made: *answer, Before: before}
				return
			}
			before, object = append(before, *answer), answer.Object
		}
	}
}

// madeOf is what the controller of an object creates. That of a custom resource creates the Pods that its
// definition names.
func madeOf(e *evaluate.Evaluation, object map[string]any) []workload.Made {
	kind := request.KindOf(object)
	resource, known := e.Catalog.ResourceForKind(kind)
	if !known || resource.Builtin {
		return workload.Of(object, e.Now)
	}
	d := e.Customs.Definitions[resource.GVR.GroupResource()]
	if d == nil {
		return nil
	}
	made, missing := workload.OfCustom(object, d.Annotations)
	if len(made) == 0 && len(missing) > 0 {
		e.Chain.NotSimulated(fmt.Sprintf("The %s has no Pod template at %s, which the annotation %s of its definition names.", kind.Kind, strings.Join(missing, " or "), workload.TemplateAnnotation))
	}
	return made
}

// create is the answer to a controller that creates an object; nil where there is none, as for one
// that cannot be read.
func create(e *evaluate.Evaluation, m workload.Made) *report.Made {
	kind := request.KindOf(m.Object)
	namespace := cmp.Or(m.Namespace, "kube-system")
	account := serviceaccount.MakeUsername(namespace, m.Account)
	raw, err := json.Marshal(map[string]any{
		"operation": "CREATE", "object": m.Object,
		"userInfo": map[string]any{"username": account, "groups": append(serviceaccount.MakeGroupNames(namespace), user.AllAuthenticated)},
	})
	if err != nil {
		return nil // it was decoded from JSON
	}
	on := true
	s := e.Scenario
	s.Request, s.Now, s.BeforeValidation, s.Expression, s.ExpressionContext = string(raw), e.Now, scenario.BeforeValidation{}, "", ""
	c := &compile.Configuration{Compiled: e.Compiled, Store: e.Store, Cluster: e.Cluster, Settings: s}
	run := evaluate.Begin(e.Evaluator.Context(), c, options.Options{Defaulting: &on, Explain: e.Options.Explain}, eval.Options{Trace: e.Options.Explain, Budget: e.Budget})
	run.Scenario = s
	if run.ReadRequest() {
		run.Run()
	}
	finish(run)
	r := run.Report
	if r.Outcome.Code == 0 { // the server would not get as far as an answer
		return nil
	}
	made := &report.Made{Kind: kind.Kind, User: account, Object: r.Object, Outcome: r.Outcome, Steps: r.Steps}
	refusals.AddMade(e, run, made.Name())
	return made
}
