// Package limits answers from which length of a list on an expression would
// break the cost limit. The API server limits costs as they arise, so a policy
// that works for every object of today fails for a larger one.
package limits

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/expr"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// CodeCostLimit is the code of the findings of this package.
const CodeCostLimit = "cost-limit"

const (
	// maxItems is the length up to which a list is of interest: few lists in
	// Kubernetes objects are longer.
	maxItems = 1000
	// maxEvaluations bounds the evaluations that confirm one number, maxLists
	// the lists that are looked at.
	maxEvaluations = 12
	maxLists       = 8
)

// sampleSizes are the lengths at which costs are measured. They are equally
// spaced, so that differences give the polynomial through them.
var sampleSizes = [...]int{4, 8, 12, 16}

// Find finds the expressions that exceed the cost limit of a call once a list or
// map of the object is longer, up to a thousand items. It evaluates the request
// with lists of several lengths, extrapolates, and confirms the number by
// evaluation: the expression exceeds the limit with that many items and does
// not with one less. That can take seconds; it stops when ctx ends, with what
// it has found. The error is for a Kubernetes version that the engine does not
// know.
func Find(ctx context.Context, s scenario.Scenario) ([]report.Finding, error) {
	s.Expression = ""
	base, err := engine.Evaluate(ctx, s)
	if err != nil {
		return nil, err
	}
	f := finder{ctx: ctx}
	if !f.readRequest(s.Request) {
		return nil, nil
	}
	if f.configuration, err = engine.Prepare(ctx, s); err != nil {
		return nil, err
	}
	for _, path := range f.listsRead(base) {
		if ctx.Err() == nil {
			f.limitsOf(path)
		}
	}
	return f.found, nil
}

type finder struct {
	ctx           context.Context
	configuration *engine.Configuration
	// request is the document of the request, and object the object in it.
	request, object map[string]any
	found           []report.Finding
}

// readRequest finds the object in the request.
func (f *finder) readRequest(text string) bool {
	docs, _ := scenario.ParseDocuments(diag.Request, text) // problems are in every report
	if len(docs) == 0 {
		return false
	}
	f.request = docs[0].Value
	switch inner, _ := f.request["request"].(map[string]any); {
	case docs[0].Kind == "AdmissionReview" && inner != nil:
		f.object, _ = inner["object"].(map[string]any)
	case docs[0].Kind == "AdmissionRequest":
		f.object, _ = f.request["object"].(map[string]any)
	default:
		f.object = f.request
	}
	return f.object != nil
}

// requestWith is the request with another object.
func (f *finder) requestWith(object map[string]any) string {
	request := object
	if inner, ok := f.request["request"].(map[string]any); ok && inner["object"] != nil {
		inner = maps.Clone(inner)
		inner["object"] = object
		request = maps.Clone(f.request)
		request["request"] = inner
	} else if _, ok := f.request["object"]; ok && f.request["kind"] == "AdmissionRequest" {
		request = maps.Clone(f.request)
		request["object"] = object
	}
	text, err := json.Marshal(request)
	if err != nil {
		return "" // what came from JSON can be written as JSON
	}
	return string(text)
}

// listsRead are the paths of lists and maps of the object that expressions
// read.
func (f *finder) listsRead(r *report.Report) [][]string {
	found := map[string][]string{}
	for i := range r.Steps {
		r.Steps[i].Evaluations(func(ev *report.Evaluation) {
			collectPaths(ev.Children, func(path []string) {
				if n := length(lookup(f.object, path)); n > 0 && len(path) > 0 {
					found[strings.Join(path, ".")] = path
				}
			})
		})
	}
	var out [][]string
	for _, key := range slices.Sorted(maps.Keys(found)) {
		// A map that is only passed through, such as spec, is not what grows.
		inner := func(other string) bool { return strings.HasPrefix(other, key+".") }
		if !slices.ContainsFunc(slices.Collect(maps.Keys(found)), inner) && len(out) < maxLists {
			out = append(out, found[key])
		}
	}
	return out
}

// collectPaths calls f with every chain of fields that starts at object.
func collectPaths(nodes []report.Node, f func([]string)) {
	for i := range nodes {
		if path, ok := pathOf(&nodes[i]); ok {
			f(path)
		}
		collectPaths(nodes[i].Children, f)
	}
}

func pathOf(n *report.Node) ([]string, bool) {
	switch {
	case n.Kind == "variable" && n.Name == "object":
		return []string{}, true
	case n.Kind == "select" && len(n.Children) > 0:
		path, ok := pathOf(&n.Children[0])
		return append(path, n.Name), ok
	}
	return nil, false
}

func lookup(value any, path []string) any {
	for _, key := range path {
		object, _ := value.(map[string]any)
		value = object[key]
	}
	return value
}

func length(value any) int {
	switch v := value.(type) {
	case []any:
		return len(v)
	case map[string]any:
		return len(v)
	}
	return 0
}

// resized is the object with a list or map of another length: its items are
// repeated, under names of their own.
func resized(object map[string]any, path []string, n int) map[string]any {
	out := runtime.DeepCopyJSON(object)
	last := len(path) - 1
	parent := lookup(out, path[:last]).(map[string]any)
	switch v := parent[path[last]].(type) {
	case []any:
		list := make([]any, n)
		for i := range list {
			list[i] = renamed(v[i%len(v)], i, len(v))
		}
		parent[path[last]] = list
	case map[string]any:
		keys := slices.Sorted(maps.Keys(v))
		grown := make(map[string]any, n)
		for i := range n {
			key := keys[i%len(keys)]
			if i >= len(keys) {
				key = fmt.Sprintf("%s-%d", key, i)
			}
			grown[key] = v[keys[i%len(keys)]]
		}
		parent[path[last]] = grown
	}
	return out
}

func renamed(item any, i, original int) any {
	object, ok := item.(map[string]any)
	name, named := object["name"].(string)
	if !ok || !named || i < original {
		return runtime.DeepCopyJSONValue(item)
	}
	object = runtime.DeepCopyJSON(object)
	object["name"] = fmt.Sprintf("%s-%d", name, i)
	return object
}

// measured are the costs of expressions, by what identifies them.
type measured map[expressionKey]int64

type expressionKey struct {
	phase                               report.Phase
	kind, policy, binding, param, where string
	pass                                int
}

// costsWith evaluates the request with a list of n items.
func (f *finder) costsWith(path []string, n int) (measured, map[expressionKey]*report.Evaluation) {
	costs, evaluations := measured{}, map[expressionKey]*report.Evaluation{}
	r, err := f.configuration.Evaluate(f.ctx, f.requestWith(resized(f.object, path, n)), nil)
	if err != nil {
		return costs, evaluations // the context has ended
	}
	for i := range r.Steps {
		s := &r.Steps[i]
		s.Evaluations(func(ev *report.Evaluation) {
			if ev.Evaluated {
				key := expressionKey{s.Phase, s.Kind, s.Policy + s.Configuration, s.Binding + s.Webhook, s.Param, ev.Path, s.Pass}
				costs[key], evaluations[key] = ev.Cost, ev
			}
		})
	}
	return costs, evaluations
}

// limitsOf looks at the growth of one list.
func (f *finder) limitsOf(path []string) {
	var samples [len(sampleSizes)]measured
	var evaluations map[expressionKey]*report.Evaluation
	for i, n := range sampleSizes {
		samples[i], evaluations = f.costsWith(path, n)
	}
	told := map[string]bool{} // an expression may run for several bindings
	for _, key := range slices.SortedFunc(maps.Keys(evaluations), func(a, b expressionKey) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }) {
		costs, ok := series(samples, key)
		if id := key.kind + key.policy + key.where; ok && !told[id] {
			if n, below := f.firstOver(path, key, extrapolate(costs)); n > 0 {
				told[id] = true
				f.tell(path, key, evaluations[key], n, below, growth(costs))
			}
		}
	}
}

func series(samples [len(sampleSizes)]measured, key expressionKey) (costs [len(sampleSizes)]int64, ok bool) {
	for i := range samples {
		cost, found := samples[i][key]
		if !found || cost > expr.PerCallLimit {
			return costs, false
		}
		costs[i] = cost
	}
	return costs, costs[len(costs)-1] > costs[0]
}

// extrapolate gives the length at which the polynomial through the samples
// exceeds the limit, 0 if that is beyond maxItems.
func extrapolate(costs [len(sampleSizes)]int64) int {
	d := differences(costs)
	for n := sampleSizes[0]; n <= maxItems; n++ {
		t := float64(n-sampleSizes[0]) / float64(sampleSizes[1]-sampleSizes[0])
		value, term := 0.0, 1.0
		for i := range d {
			value += term * float64(d[i])
			term *= (t - float64(i)) / float64(i+1)
		}
		if value > float64(expr.PerCallLimit) {
			return n
		}
	}
	return 0
}

// differences are the first value and its differences of rising order.
func differences(costs [len(sampleSizes)]int64) [len(sampleSizes)]int64 {
	row := costs[:]
	out := [len(sampleSizes)]int64{}
	for i := range out {
		out[i] = row[0]
		next := make([]int64, len(row)-1)
		for j := range next {
			next[j] = row[j+1] - row[j]
		}
		row = next
	}
	return out
}

// growth says how costs grow with the number of items. A hundredth of the last
// cost counts as nothing: rounding of string lengths.
func growth(costs [len(sampleSizes)]int64) string {
	d := differences(costs)
	small := costs[len(costs)-1] / 100
	switch {
	case max(d[3], -d[3]) > small:
		return "with the third power of"
	case max(d[2], -d[2]) > small:
		return "with the square of"
	}
	return "in proportion to"
}

// firstOver confirms a guess: it finds the smallest number of items with which
// the expression exceeds the limit, and its cost with one less. 0 if that
// number is not found.
func (f *finder) firstOver(path []string, key expressionKey, guess int) (n int, below int64) {
	if guess == 0 {
		return 0, 0
	}
	known := map[int]int64{}
	cost := func(n int) int64 {
		if _, ok := known[n]; !ok {
			costs, _ := f.costsWith(path, n)
			known[n] = costs[key]
		}
		return known[n]
	}
	low, high := sampleSizes[len(sampleSizes)-1], 0 // the last not over, the first over
	for step, try := 1, guess; len(known) < maxEvaluations && f.ctx.Err() == nil; {
		if cost(try) > expr.PerCallLimit {
			high = try
		} else {
			low = try
		}
		switch {
		case high == low+1:
			return high, cost(low)
		case high == 0:
			try, step = low+step, step*2
		case try == high && low < high-step:
			try, step = high-step, step*2
		default:
			try = (low + high) / 2
		}
		if try > 2*maxItems {
			return 0, 0
		}
	}
	return 0, 0
}

func (f *finder) tell(path []string, key expressionKey, ev *report.Evaluation, n int, below int64, how string) {
	list := "object." + strings.Join(path, ".")
	f.found = append(f.found, report.Finding{Code: CodeCostLimit, Level: diag.Warning, Policy: key.policy,
		Summary: fmt.Sprintf("%s exceeds the cost limit from %d items in %s", describe(key, ev), n, list),
		Detail: fmt.Sprintf("With %d items it costs %d of the %d that a call may; this object has %d. Its costs grow %s the number of items.",
			n-1, below, expr.PerCallLimit, length(lookup(f.object, path)), how)})
}

func describe(key expressionKey, ev *report.Evaluation) string {
	if ev.Name == "" {
		return key.where
	}
	return ev.Name
}
