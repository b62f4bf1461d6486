// Package expressions writes CEL expressions that the server rejects as their
// writers meant them: with the names, functions and operators that CEL has at
// their place. A repair is offered only if the server accepts what it leads to.
package expressions

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/check"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/crd"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Repairer repairs the expressions of one Kubernetes version.
type Repairer struct {
	Environments *eval.Environments
	Catalog      *catalog.Catalog
	// WithinLimits reports whether the server's estimate for a rule of a definition, or for all rules
	// of a schema, is within its limit. Only [Repairer.Definition] needs it.
	WithinLimits func(definition *crd.Definition, path string) bool
}

// Add adds a repair to each diagnostic of an expression in the documents that
// the server rejects, where there is one. plain is the text that they are in.
func (r *Repairer) Add(list []diag.Diagnostic, docs []*scenario.Document, plain string) {
	tried := map[place]attempt{}
	for i := range list {
		d := &list[i]
		if d.Code != codes.CELCompile && d.Code != codes.CELReturnType && d.Code != codes.LaterVersion {
			continue
		}
		for _, doc := range docs {
			if doc.Text != d.Text || doc.Span.Start > d.Span.Start || d.Span.Start > doc.Span.End {
				continue
			}
			if name := untyped(list, *d, doc); name != "" {
				d.Detail = VariableRejected + name + ", so it does not know its type. Repair that variable first."
				continue
			}
			r.add(d, doc, plain, tried)
		}
	}
}

// VariableRejected begins the detail of a problem that goes away with the problem of a variable: it has no
// repair of its own.
const VariableRejected = "The server rejects "

// untyped is the rejected variable that an expression reads, without which its result has no type; empty where
// that is not its problem.
func untyped(list []diag.Diagnostic, of diag.Diagnostic, doc *scenario.Document) string {
	if of.Code != codes.CELReturnType || !strings.HasSuffix(of.Summary, "but got dyn") {
		return ""
	}
	expression := fieldpath.As[string](fieldpath.Parse(of.Path).Get(doc.Value))
	tokens := source.NewTokens(expression)
	for i, v := range model.Variables(doc.Value) {
		path := fieldpath.New("spec", "variables").Index(i).Child("expression").String()
		rejected := func(d diag.Diagnostic) bool {
			return d.Path == path && d.Text == of.Text && d.Severity == diag.Error && doc.Span.Start <= d.Span.Start && d.Span.Start <= doc.Span.End
		}
		if !slices.ContainsFunc(list, rejected) {
			continue
		}
		for at := range tokens.List {
			if tokens.Is(at, "variables") && tokens.Is(at+1, ".") && tokens.Is(at+2, v.Name) {
				return "variables." + v.Name
			}
		}
	}
	return ""
}

// place identifies an expression.
type place struct {
	doc  *scenario.Document
	path string
}

// attempt is an expression's repair, for all diagnostics of it.
type attempt struct {
	repaired string // empty if there is none
	said     []string
	compiled *eval.Compiled // the repaired expression
}

// attempt repairs an expression. Its time grows with the number of mistakes, and each is a diagnostic.
func (r *Repairer) attempt(doc *scenario.Document, e model.Expression, text []rune) attempt {
	r.Environments.Budget().Work(repairWork * len(text))
	c := r.context(doc, e)
	repaired, said := c.repair(string(text))
	if repaired == "" {
		return attempt{}
	}
	return attempt{repaired, said, c.compile(repaired)}
}

func (r *Repairer) add(d *diag.Diagnostic, doc *scenario.Document, plain string, tried map[place]attempt) {
	for _, e := range model.Expressions(doc.Value) {
		if e.Path != d.Path {
			continue
		}
		source := rewrite.In(doc, plain, e.Path)
		if source == nil {
			return
		}
		if fixes := cutByComment(doc, e.Path); fixes != nil {
			d.Fixes = fixes
			return
		}
		if fixes := FoldedComment(doc, e.Path); fixes != nil {
			d.Fixes, d.Detail = fixes, FoldedDetail
			return
		}
		if fixes := otherPatchType(doc, e, d.Summary); fixes != nil {
			d.Fixes = fixes
			return
		}
		a, ok := tried[place{doc, e.Path}]
		if !ok {
			a = r.attempt(doc, e, source.Runes)
			tried[place{doc, e.Path}] = a
		}
		if a.repaired == "" || len(d.Fixes) > 0 && !a.compiled.OK() {
			return // a declaration that is missing repairs more than a part of the expression
		}
		if remains(*d, a.compiled) {
			return
		}
		fix := source.Fix(title(string(source.Runes), a.repaired), source.Differences(a.repaired)...)
		if strings.Contains(a.repaired, creationTime) && !strings.Contains(string(source.Runes), creationTime) && !onlyCreated(model.Rules(doc.Value, e.Webhook)) {
			fix.Title, fix.Choice = "Compare with the time of creation, also in updates", true
		}
		d.Fixes = []diag.Fix{fix}
		if d.Detail == "" {
			d.Detail = strings.Join(a.said, " ")
		}
		return
	}
}

// creationTime is the time of the request only when an object is created.
const creationTime = "timestamp(object.metadata.creationTimestamp)"

// onlyCreated reports whether rules are for creations only.
func onlyCreated(rules []any) bool {
	return len(rules) > 0 && !slices.ContainsFunc(rules, func(rule any) bool {
		r, _ := rule.(map[string]any)
		operations, _ := r["operations"].([]any)
		return len(operations) != 1 || operations[0] != "CREATE"
	})
}

// Free adds a repair to a diagnostic of a free expression that does not compile, as if it were
// at a place of a policy. object is the type of the request's object, nil where it is not known.
func (r *Repairer) Free(d *diag.Diagnostic, text string, place *model.Place, scope eval.Scope, compiler *eval.Compiler, object *catalog.Type) {
	source := rewrite.Free(d.Text, text)
	r.Environments.Budget().Work(repairWork * len(source.Runes))
	c := &context{expression: model.Expression{Place: place, Scope: scope, Text: text}, object: object,
		compile: func(text string) *eval.Compiled { return compiler.CompileIn(text, eval.Free, scope) }}
	repaired, said := c.repair(text)
	if repaired == "" || remains(*d, c.compile(repaired)) {
		return
	}
	d.Fixes = []diag.Fix{source.Fix(title(text, repaired), source.Differences(repaired)...)}
	if d.Detail == "" {
		d.Detail = strings.Join(said, " ")
	}
}

// repairWork is what the rules take for a character of an expression, compiling apart.
const repairWork = 50

// longTitle is the length in runes from which a title does not repeat the
// expression.
const longTitle = 160

// title says what a repair writes: the expression, or of a long one the name that changes, or what is
// around the changes.
func title(expression, repaired string) string {
	if from, to := changedName(expression, repaired); from != "" && len([]rune(repaired)) > shortTitle {
		return "Change " + from + " to " + to
	}
	was, is := strings.Fields(expression), strings.Fields(repaired)
	if text := strings.Join(is, " "); len([]rune(text)) <= longTitle {
		return "Write " + text
	}
	first, last := 0, 0 // the words that stay at both ends
	for first < min(len(was), len(is))-1 && was[first] == is[first] {
		first++
	}
	for last < min(len(was), len(is))-1-first && was[len(was)-1-last] == is[len(is)-1-last] {
		last++
	}
	text := []rune(strings.Join(is[first:len(is)-last], " "))
	title := "Write "
	if first > 0 {
		title += "… "
	}
	if title += string(text[:min(len(text), longTitle)]); last > 0 || len(text) > longTitle {
		title += " …"
	}
	return title
}

// shortTitle is the length in runes up to which a title shows the expression although only a name
// changes.
const shortTitle = 60

// changedName returns the only name that differs, before and after; two empty texts if something
// else differs too.
func changedName(expression, repaired string) (from, to string) {
	was, is := []rune(expression), []rune(repaired)
	first, last := 0, 0 // the runes that stay at both ends
	for first < min(len(was), len(is)) && was[first] == is[first] {
		first++
	}
	for last < min(len(was), len(is))-first && was[len(was)-1-last] == is[len(is)-1-last] {
		last++
	}
	for first > 0 && isNameRune(was[first-1]) {
		first--
	}
	for last > 0 && isNameRune(was[len(was)-last]) {
		last--
	}
	from, to = string(was[first:len(was)-last]), string(is[first:len(is)-last])
	if from == "" || to == "" || strings.ContainsFunc(from+to, func(r rune) bool { return !isNameRune(r) }) {
		return "", ""
	}
	return from, to
}

func isNameRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// context is what an expression can see at its place.
type context struct {
	expression model.Expression
	compile    func(text string) *eval.Compiled
	variables  []eval.Declaration
	// object and params are their types, nil where they are not known.
	object, params *catalog.Type
	// kinds are the resources of the API, nil where they are not known.
	kinds []catalog.Resource
	// unseen are the variables of the policy that the expression cannot see at its place.
	unseen []eval.Declaration
	// self is the node that a rule of custom resources belongs to, and selfPath the names
	// of the properties that lead to it; nil for the expressions of admission.
	self     *schema.Structural
	selfPath []string
	// item says that self is an item of a list.
	item bool
	// optionalOld says that oldSelf is an optional value.
	optionalOld bool
}

func (r *Repairer) context(doc *scenario.Document, e model.Expression) *context {
	c := &context{expression: e, variables: model.Variables(doc.Value)[:e.Variables], kinds: r.Catalog.Kinds()}
	compiler := r.Environments.NewCompiler(eval.Write, e.Scope.Params, e.Scope.Variables)
	for _, v := range c.variables {
		compiler.AddVariable(v)
	}
	c.compile = func(text string) *eval.Compiled { return compiler.CompileIn(text, e.Place.Result, e.Scope) }
	if e.Webhook < 0 {
		c.unseen = model.Variables(doc.Value)[e.Variables:]
	}
	if gvk, ok := model.ParamKind(doc.Value); ok && e.Webhook < 0 {
		c.params, _ = r.Catalog.TypeOf(gvk)
	}
	for _, gvk := range model.Kinds(r.Catalog, model.Rules(doc.Value, e.Webhook), check.Runtime) {
		if t, ok := r.Catalog.TypeOf(gvk); ok {
			c.object = t
			break
		}
	}
	return c
}

// maxRounds bounds the work: each round makes at least one change.
const maxRounds = 12

// repair applies rules until the server accepts the expression, and says what
// they did. If they do not lead there, it is as far as they come: an expression
// with fewer errors, all of them its author's, that can be read. The result is empty if there is none.
func (c *context) repair(expression string) (repaired string, said []string) {
	text := expression
	var best string
	var bestSaid []string
	fewest, written := 0, c.compile(expression)
	for range maxRounds {
		compiled := c.compile(text)
		if compiled.OK() {
			if text == expression || !keeps(expression, text) {
				return "", nil
			}
			return text, said
		}
		errors := badness(compiled)
		if text == expression {
			fewest = errors
		}
		if errors < fewest && errors < unreadable && keepsErrors(written, compiled) {
			fewest, best, bestSaid = errors, text, slices.Clone(said)
		}
		next, what := c.round(text, compiled)
		if next == text || next == "" {
			break
		}
		if what != "" && !slices.Contains(said, what) {
			said = append(said, what)
		}
		text = next
	}
	return best, bestSaid
}

// remains reports whether a repaired expression still has a problem: its repair is for another one.
func remains(d diag.Diagnostic, repaired *eval.Compiled) bool {
	return slices.ContainsFunc(repaired.Issues, func(issue eval.Issue) bool { return strings.HasPrefix(issue.Message, d.Summary) })
}

// unreadable is what an error counts that keeps an expression from being read.
const unreadable = 1000

// badness is the number of errors of an expression. One that cannot be read at
// all is worse than one with any number of unknown names.
func badness(compiled *eval.Compiled) int {
	n := len(compiled.Issues)
	for _, issue := range compiled.Issues {
		if strings.Contains(issue.Message, "Syntax error") {
			n += unreadable
		}
	}
	return max(n, 1)
}

// order lists the rules in the order in which they are tried.
var order = [][]rule{letRules, pipeRules, borrowedRules, libraryRules, partRules, habitRules, meantRules, syntaxRules, patchRules, functionRules, overloadRules, nameRules, typeRules, lastRules}

// rule is a way to change what is not CEL. It returns the text as it is if it
// has nothing to change in it. In what it said, {self} is the path of a rule's value;
// a rule without a sentence writes it to the draft.
type rule struct {
	said  string
	apply func(*draft) string
}

func (c *context) round(text string, compiled *eval.Compiled) (next, said string) {
	d := newDraft(c, text, compiled)
	for _, rules := range order {
		for _, r := range rules {
			if next := r.apply(d); next != text && next != "" {
				return next, strings.ReplaceAll(cmp.Or(r.said, d.what), "{self}", strings.Join(d.selfPath, "."))
			}
		}
	}
	return "", ""
}
