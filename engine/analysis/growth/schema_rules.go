package growth

import (
	"fmt"
	"math"

	"k8s.io/apimachinery/pkg/runtime/schema"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/rules"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/report"
)

// ruleList are the schema rules that were asked about one object. Its keys count
// rules and their messageExpressions.
type ruleList struct {
	*engine.RecordedRules
	asked []askedRule
	index map[*rules.Rule]int // of the rule in asked; its message is the next one
}

// askedRule is a rule or its messageExpression.
type askedRule struct {
	validator *rules.Validator
	rule      *rules.Rule
	message   bool
	// evaluation is the most expensive one of the report; nil when there is none.
	evaluation *report.Evaluation
}

// ruleGroups are the rules of each object, which share the object's budget.
func (s *Search) ruleGroups() []*group {
	var out []*group
	r := s.recorded.Report
	for i := range s.recorded.Rules {
		recorded := &s.recorded.Rules[i]
		var shown []report.Validation
		var budget *report.Budget
		switch {
		case recorded.Step >= 0 && recorded.Step < len(r.Steps):
			shown, budget = r.Steps[recorded.Step].Validations, s.budget(recorded.Step, report.RulesScope, "")
		case r.Rules != nil:
			shown, budget = r.Rules.Validations, r.Rules.Budget
		default:
			continue
		}
		out = append(out, &group{key: fmt.Sprintf("rules\n%d", recorded.Step), budget: budget, lists: []list{newRuleList(recorded, shown)}})
	}
	return out
}

func newRuleList(recorded *engine.RecordedRules, shown []report.Validation) *ruleList {
	p := &ruleList{RecordedRules: recorded, index: map[*rules.Rule]int{}}
	most := func(path string, of func(*report.Validation) *report.Evaluation) *report.Evaluation {
		var best *report.Evaluation
		for i := range shown {
			if e := of(&shown[i]); e != nil && e.Path == path && e.Evaluated && (best == nil || e.Cost > best.Cost) {
				best = e
			}
		}
		return best
	}
	p.Validator.All(func(v *rules.Validator) {
		for i := range v.Rules {
			rule := &v.Rules[i]
			p.index[rule] = len(p.asked)
			p.asked = append(p.asked, askedRule{v, rule, false, most(p.RulePath(v, i, "rule"), func(e *report.Validation) *report.Evaluation { return &e.Evaluation })},
				askedRule{v, rule, true, most(p.RulePath(v, i, "messageExpression"), func(e *report.Validation) *report.Evaluation { return e.MessageExpression })})
		}
	})
	return p
}

func (p *ruleList) inputs() eval.Inputs { return eval.Inputs{Object: p.Object, OldObject: p.Old} }

// name implements list: the path in the object, as the server's errors have it, since
// self is another value for each rule. Without a definition it is that of the text.
func (p *ruleList) name(at place) string {
	rest, old := at[1:], at[0] == "oldObject"
	switch {
	case p.Step >= 0 && !old:
		return rest.String()
	case p.Step >= 0:
		return at.String()
	case p.Inside != "" && len(rest) > 0 && rest[0] == p.Inside:
		rest = rest[1:]
	}
	root := eval.SelfVarName
	if old {
		root = eval.OldSelfVarName
	}
	return append(place{root}, rest...).String()
}

func (p *ruleList) evaluation(k key) *report.Evaluation { return p.asked[k.expression].evaluation }

func (p *ruleList) keys() []key {
	var out []key
	for i := range p.asked {
		if p.asked[i].evaluation != nil {
			out = append(out, key{expression: i})
		}
	}
	return out
}

// estimate implements list, with the estimate by which the server accepts the rules.
func (p *ruleList) estimate(s *Search, found func(k key, most, together uint64)) *known {
	out := &known{repeated: true, bounds: bounds{types: map[string]*catalog.Type{}, checked: map[string]bool{"object": true, "oldObject": true}}}
	apiVersion, _ := p.Object["apiVersion"].(string)
	kind, _ := p.Object["kind"].(string)
	if t, ok := p.Catalog.TypeOf(schema.FromAPIVersionAndKind(apiVersion, kind)); ok {
		out.bounds.types["object"], out.bounds.types["oldObject"] = t, t
	}
	for i, a := range p.asked {
		s.rest()
		compiled, most := a.rule.Compiled, a.rule.MaxCost
		if a.message {
			compiled, most = a.rule.CompiledMessage, a.rule.MessageMaxCost
		}
		if compiled == nil || !compiled.OK() {
			continue
		}
		self := append(place{"object"}, a.validator.Fields...)
		times := out.bounds.times(self, a.rule.MaxCardinality)
		out.calls = add(out.calls, times)
		together := uint64(noBound)
		if most == 0 || times <= noBound/most {
			together = most * times
		}
		found(key{expression: i}, most, together)
		native := compiled.AST.NativeRep()
		r := &resolver{checked: native, bounds: out.bounds, values: map[int64]value{}, escaped: true}
		old := append(place{"oldObject"}, a.validator.Fields...)
		r.resolve(native.Expr(), scope{eval.SelfVarName: from(self), eval.OldSelfVarName: from(old)})
		out.sized = append(out.sized, r.sized...)
		for j, segment := range self {
			if segment == anyItem { // the more items, the more often it runs
				out.sized = append(out.sized, self[:j:j])
			}
		}
	}
	return out
}

// times is how many values an object can have at a place with items, at most as many as
// fit into a request.
func (b bounds) times(p place, fit uint64) uint64 {
	out := uint64(1)
	for i, segment := range p {
		if segment != anyItem {
			continue
		}
		if n := b.max(p[:i]); n == 0 || out <= fit/n {
			out *= n
		} else {
			return fit
		}
	}
	return min(out, fit)
}

// callWork is what the run of a rule takes besides its cost, in units of work.
const callWork = 200

// run implements list: the rules run on the whole object, without the limits.
func (p *ruleList) run(s *Search, in eval.Inputs, only *key, cost func(key, int64)) {
	again := rules.Run{Evaluator: s.replayer.Evaluator(s.ctx), Budget: math.MaxInt64}
	if only != nil {
		again.Only = p.asked[only.expression].rule
	}
	again.Observe = func(v rules.Visit) {
		s.tick(callWork)
		i := p.index[&v.Validator.Rules[v.Index]]
		for j, r := range []*eval.Result{&v.Result, v.Message} {
			if r == nil || r.Compiled == nil {
				continue
			}
			s.work -= eval.Work(r.Expression, r.Cost)
			cost(key{expression: i + j}, r.Cost)
		}
		if s.over() {
			again.Budget = -1 // the rest is not asked
		}
	}
	var old any
	if in.OldObject != nil {
		old = in.OldObject
	}
	again.Validate(p.Validator, nil, in.Object, old, nil)
}

// unescaped is the name of a field as the object has it.
func unescaped(name string) string {
	if plain, ok := apiservercel.Unescape(name); ok {
		return plain
	}
	return name
}
