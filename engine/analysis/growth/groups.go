package growth

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/cel/check"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// group are the lists that share a budget: validations and their messages do,
// all others have one of their own.
type group struct {
	// key is the same for groups that cannot differ: the same list of the same
	// policy on the same params.
	key    string
	budget *report.Budget // nil when the report has none
	lists  []list

	known // about all lists
}

// list are expressions that ran on the same inputs, with what the report says about them.
type list interface {
	// inputs are what they ran on.
	inputs() eval.Inputs
	// name is a place of the inputs as expressions write it.
	name(p place) string
	// estimate calls found with the highest cost of one run of each expression and variable,
	// and of all its runs together; nil when the version is not known.
	estimate(s *Search, found func(k key, most, together uint64)) *known
	// run runs them on other inputs, all or one alone, and calls cost with what each run
	// cost. It is charged to the search.
	run(s *Search, in eval.Inputs, only *key, cost func(key, int64))
	// evaluation is what the report says about an expression or a variable; nil for nothing.
	evaluation(k key) *report.Evaluation
	// keys are those of which the report says something.
	keys() []key
}

// recordedList is a recorded list of expressions with what the report says about it. It implements list.
type recordedList struct {
	record      *eval.ListRecord
	phase       report.Phase
	evaluations []*report.Evaluation // of the expressions; nil entries have none
	variables   map[string]*report.Evaluation
}

// key identifies an expression or a variable of a group's list.
type key struct {
	list       int
	expression int
	variable   string // empty for expressions
}

// in is the key of the group's list with that index.
func (k key) in(list int) key {
	k.list = list
	return k
}

// groups brings the recorded lists together with the report.
func (s *Search) groups() []*group {
	var out []*group
	steps := s.recorded.Report.Steps
	mutations := map[int]int{} // by step: those that have been met
	for _, recorded := range s.recorded.Lists {
		if recorded.Step < 0 || recorded.Step >= len(steps) || steps[recorded.Step].Pass > 0 || len(recorded.Expressions) == 0 {
			continue
		}
		step := &steps[recorded.Step]
		p := &recordedList{record: recorded.ListRecord, phase: step.Phase, variables: map[string]*report.Evaluation{}}
		place := model.Ran(p.record.Expressions[0]) // all of a list share a budget
		if place == model.MessageExpression && len(out) > 0 {
			p.describe(step, place.List)
			last := out[len(out)-1] // the validations of the same step
			last.lists = append(last.lists, p)
			continue
		}
		budget := ""
		if place.Budget == model.JSONPatch.Budget { // one for each mutation
			m := p.mutation(step, mutations[recorded.Step])
			mutations[recorded.Step] = m + 1
			budget = fmt.Sprintf("mutation %d", m+1)
		} else {
			p.describe(step, place.List)
		}
		out = append(out, &group{
			key:    strings.Join([]string{step.Kind, step.Policy, step.Configuration, step.Webhook, step.Param, string(place.Budget.Scope), budget}, "\n"),
			budget: s.budget(recorded.Step, place.Budget.Scope, budget),
			lists:  []list{p},
		})
	}
	return out
}

// describe finds the evaluations of the list in its step.
func (p *recordedList) describe(step *report.Step, name report.List) {
	var list []*report.Evaluation
	step.Evaluations(func(e *report.Evaluation) {
		if e.List == name {
			list = append(list, e)
		}
	})
	for i := range step.Variables {
		if v := &step.Variables[i]; v.List == name {
			p.variables[v.Name] = v
		}
	}
	for _, c := range p.record.Expressions {
		i := slices.IndexFunc(list, func(e *report.Evaluation) bool {
			return e.Expression == c.Expression && p.variables[e.Name] != e && !slices.Contains(p.evaluations, e)
		})
		if i < 0 {
			p.evaluations = append(p.evaluations, nil)
		} else {
			p.evaluations = append(p.evaluations, list[i])
		}
	}
}

// mutation finds the mutation of the list, from the given one on, and returns
// its index.
func (p *recordedList) mutation(step *report.Step, first int) int {
	for i := first; i < len(step.Mutations); i++ {
		m := &step.Mutations[i]
		if m.Expression != p.record.Expressions[0].Expression {
			continue
		}
		p.evaluations = []*report.Evaluation{&m.Evaluation}
		for j := range m.Variables {
			p.variables[m.Variables[j].Name] = &m.Variables[j]
		}
		return i
	}
	p.evaluations = []*report.Evaluation{nil}
	return first
}

func (s *Search) budget(step int, scope report.Scope, name string) *report.Budget {
	list := s.recorded.Report.Budgets
	for i := range list {
		if list[i].Step == step && list[i].Scope == scope && (name == "" || list[i].Name == name) {
			return &list[i]
		}
	}
	return nil
}

func (p *recordedList) inputs() eval.Inputs  { return p.record.Inputs }
func (p *recordedList) name(at place) string { return at.String() }

func (p *recordedList) evaluation(k key) *report.Evaluation {
	if k.variable != "" {
		return p.variables[k.variable]
	}
	if k.expression >= len(p.evaluations) {
		return nil
	}
	return p.evaluations[k.expression]
}

func (p *recordedList) keys() []key {
	var out []key
	for i, e := range p.evaluations {
		if e != nil {
			out = append(out, key{expression: i})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.variables)) {
		out = append(out, key{variable: name})
	}
	return out
}

// run implements list. For a variable all expressions run: any may read it.
func (p *recordedList) run(s *Search, in eval.Inputs, only *key, cost func(key, int64)) {
	expressions, first := p.record.Expressions, 0
	if only != nil && only.variable == "" {
		first = only.expression
		expressions = expressions[first : first+1]
	}
	results, variables := s.replayer.Run(s.ctx, p.record, expressions, in)
	for i, r := range results {
		s.work -= eval.Work(r.Expression, r.Cost)
		cost(key{expression: first + i}, r.Cost)
	}
	for _, v := range variables {
		s.work -= eval.Work(v.Result.Expression, v.Cost)
		cost(key{variable: v.Name}, v.Cost)
	}
}

// outlook notes a static estimate at what the report says of an expression, and reports
// whether the limit of a call can be broken.
func outlook(e *report.Evaluation, most uint64) bool {
	o := newOutlook(eval.PerCallLimit, most)
	if e != nil {
		e.Outlook = o
	}
	return !o.Cannot
}

// all calls f with every evaluation of the group that the report has.
func (g *group) all(f func(key, *report.Evaluation)) {
	for i, p := range g.lists {
		for _, k := range p.keys() {
			f(k.in(i), p.evaluation(k))
		}
	}
}

// copy takes the outlooks of a group that cannot differ.
func (g *group) copy(from *group) {
	g.all(func(k key, e *report.Evaluation) {
		if k.list < len(from.lists) {
			if other := from.lists[k.list].evaluation(k); other != nil {
				e.Outlook = other.Outlook
			}
		}
	})
	if g.budget != nil && from.budget != nil {
		g.budget.Outlook = from.budget.Outlook
	}
	g.note()
}

// note puts what was found where readers look.
func (g *group) note() {
	g.all(func(_ key, e *report.Evaluation) {
		if e.Outlook != nil && len(e.Outlook.Growth) > 0 {
			e.Notes = append(e.Notes, report.Note{Code: codes.CostLimit, Text: e.Outlook.Sentence()})
		}
	})
}

// estimator knows the types of the objects that a list sees.
func (s *Search) estimator(p *recordedList) (*estimator, error) {
	v, err := version.Parse(s.recorded.Report.Kubernetes)
	if err != nil {
		return nil, err
	}
	in := &p.record.Inputs
	e := newEstimator(s.recorded.Checker, v)
	// Custom resources are validated after the mutating phase.
	e.bounds.checked["object"] = p.phase == report.Validating
	for root, object := range map[string]map[string]any{"object": in.Object, "oldObject": in.OldObject, "params": in.Params} {
		t, builtin := s.typeOf(object)
		if builtin || e.bounds.checked[root] {
			e.bounds.types[root] = t
		}
	}
	e.view = check.View{Style: check.Runtime, Object: e.bounds.types["object"], Params: e.bounds.types["params"]}
	if in.Object == nil {
		e.view.Object = e.bounds.types["oldObject"]
	}
	e.declare(p.record.Variables, s.rest)
	return e, nil
}

// typeOf is the type of an object, nil when it is not known.
func (s *Search) typeOf(object map[string]any) (t *catalog.Type, builtin bool) {
	apiVersion, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	gvk := schema.FromAPIVersionAndKind(apiVersion, kind)
	t, _ = s.recorded.Catalog.TypeOf(gvk)
	resource, ok := s.recorded.Catalog.ResourceForKind(gvk)
	return t, ok && resource.Builtin
}
