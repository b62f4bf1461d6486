package growth

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/check"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Bound is the highest cost that an expression, or the expressions that share a
// budget, can have by the static estimate: with every list, map and string as long as
// the schema and the size of a request allow. No request is needed for it.
type Bound struct {
	// Document is the policy or webhook configuration, as Kind/name.
	Document string `json:"document"`
	// Path is the field of the expression as the API server writes it, or the list,
	// such as spec.validations, whose expressions share a budget.
	Path string `json:"path"`
	// Name is that of the variable or condition, where it has one.
	Name string `json:"name,omitempty"`
	// Expression is empty for a budget.
	Expression string `json:"expression,omitempty"`
	// Scope is call for one expression, else the name of the budget.
	Scope report.Scope `json:"scope"`
	// Kind is the matched kind for which the cost is highest; empty where the rules name
	// none that is known.
	Kind string `json:"kind,omitempty"`
	// Max is the highest cost in CEL cost units; -1 when it has no bound.
	Max int64 `json:"max"`
	// Limit is what the server stops at, in CEL cost units.
	Limit int64 `json:"limit"`
	// Cannot says that Max is within the limit: no object can break it.
	Cannot bool `json:"cannot"`
	// Text and Span are the place of the expression, or of the document.
	Text diag.Text `json:"text"`
	Span diag.Span `json:"span"`
}

// Worst returns the bounds of all expressions of the policies and webhooks that the
// server takes, and of the rules of CustomResourceDefinitions, in the order of the
// texts, each document's budgets after its expressions. For rules it is the server's own
// estimate, by which it rejects what is too high.
func Worst(c *engine.Configuration) []Bound {
	in := c.Sources()
	var out []Bound
	for _, d := range in.Documents {
		w := &worst{Sources: in, document: d}
		if d.Kind == "CustomResourceDefinition" {
			out = append(out, w.rules()...)
			continue
		}
		w.find()
		out = append(out, w.bounds...)
		for _, b := range w.budgets {
			if b.parts > 1 {
				out = append(out, b.Bound)
			}
		}
	}
	return out
}

// worst finds the bounds of one document.
type worst struct {
	engine.Sources
	document *scenario.Document
	bounds   []Bound
	budgets  []*shared
}

// shared is a budget and how many expressions and variables use it.
type shared struct {
	Bound
	parts int
}

func (w *worst) find() {
	expressions := model.Expressions(w.document.Value)
	byWebhook := map[int][]int{} // indexes of expressions
	var webhooks []int
	for i, e := range expressions {
		w.bounds = append(w.bounds, w.bound(e.Path, report.CallScope, eval.PerCallLimit))
		w.bounds[i].Name, w.bounds[i].Expression = e.Variable, e.Text
		if byWebhook[e.Webhook] == nil {
			webhooks = append(webhooks, e.Webhook)
		}
		byWebhook[e.Webhook] = append(byWebhook[e.Webhook], i)
	}
	for _, webhook := range webhooks {
		kinds := model.Kinds(w.Catalog, model.Rules(w.document.Value, webhook), check.Runtime)
		if len(kinds) == 0 {
			kinds = []schema.GroupVersionKind{{}} // objects of any type
		}
		for _, kind := range kinds {
			w.forKind(expressions, byWebhook[webhook], kind)
		}
	}
}

func (w *worst) bound(path string, scope report.Scope, limit int64) Bound {
	return Bound{Document: w.document.Kind + "/" + w.document.Name, Path: path, Scope: scope,
		Limit: limit, Cannot: true, Text: w.document.Text, Span: w.document.Locate(path)}
}

// forKind estimates expressions for objects of one kind, and keeps what is higher than
// for the kinds before it.
func (w *worst) forKind(expressions []model.Expression, which []int, kind schema.GroupVersionKind) {
	e := w.estimator(kind, expressions[which[0]].Webhook)
	reads := map[string][]string{} // by variable
	for _, i := range which {      // mutations and validations may read any variable, conditions too when they run
		if x := expressions[i]; x.Variable != "" {
			est := e.define(x.Variable, x.Text, x.Scope)
			reads[x.Variable] = est.reads
			w.bounds[i].raise(est.max, kind)
		}
	}
	totals := map[*shared]uint64{}
	counted := map[*shared]map[string]bool{}
	for _, i := range which {
		x := expressions[i]
		if x.Variable != "" {
			continue
		}
		est := e.estimate(x.Text, x.Scope)
		w.bounds[i].raise(est.max, kind)
		b := w.budget(x)
		if counted[b] == nil {
			counted[b] = map[string]bool{}
		}
		totals[b] = add(totals[b], est.max)
		counted[b]["\n"+x.Path] = true
		for _, name := range transitive(est.reads, reads, nil) {
			if !counted[b][name] { // it is evaluated once
				counted[b][name] = true
				totals[b] = add(totals[b], e.costs[name])
			}
		}
	}
	for b, total := range totals {
		b.raise(total, kind)
		b.parts = len(counted[b])
	}
}

// transitive are variables and those that they read, each once.
func transitive(names []string, reads map[string][]string, out []string) []string {
	for _, name := range names {
		if !slices.Contains(out, name) {
			out = transitive(reads[name], reads, append(out, name))
		}
	}
	return out
}

// raise takes a cost that is higher than what is known.
func (b *Bound) raise(most uint64, kind schema.GroupVersionKind) {
	o := newOutlook(b.Limit, most)
	if b.Max < 0 || o.Max >= 0 && o.Max <= b.Max && b.Kind != "" {
		return
	}
	b.Max, b.Cannot, b.Kind = o.Max, o.Cannot, kind.Kind
}

// budget is that of an expression: of its list, or of its own mutation.
func (w *worst) budget(x model.Expression) *shared {
	path := x.Path[:strings.LastIndex(x.Path, "[")]
	if x.Place.Budget.Scope == report.MutationScope {
		path = x.Path[:strings.LastIndex(x.Path, "]")+1]
	}
	for _, b := range w.budgets {
		if b.Path == path {
			return b
		}
	}
	w.budgets = append(w.budgets, &shared{Bound: w.bound(path, x.Place.Budget.Scope, x.Place.Budget.Limit)})
	return w.budgets[len(w.budgets)-1]
}

// estimator knows the types that the expressions meet.
func (w *worst) estimator(kind schema.GroupVersionKind, webhook int) *estimator {
	e := newEstimator(w.Checker, w.Version)
	mutating := strings.HasPrefix(w.document.Kind, "Mutating")
	// Custom resources are validated after the mutating phase.
	e.bounds.checked["object"] = !mutating
	t, known := w.Catalog.TypeOf(kind)
	resource, _ := w.Catalog.ResourceForKind(kind)
	if known && (resource.Builtin || !mutating) {
		e.bounds.types["object"], e.bounds.types["oldObject"], e.view.Object = t, t, t
	}
	if params, ok := model.ParamKind(w.document.Value); ok && webhook < 0 {
		if t, ok := w.Catalog.TypeOf(params); ok {
			e.bounds.types["params"], e.view.Params = t, t
		}
	}
	e.view.Style = check.Runtime
	return e
}
