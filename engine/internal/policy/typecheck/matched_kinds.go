package typecheck

import (
	"cmp"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/preadmit/preadmit/engine/internal/cel/check"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// matched is a kind that an expression may be evaluated for, and what it reaches.
type matched struct {
	kind catalog.Resource
	view check.View

	facts     map[string]ref.Val
	variables map[string]knownValue
	tests     map[string]map[int64]presence // has() that tell kinds from each other, by expression
	results   map[string]knownValue         // of expressions, by their path
	excluding []string                      // paths of match conditions that are false
	used      map[string]bool               // variables that the kind reaches
}

// factsOf are the values of a request that its kind decides. A subresource may have
// another kind: none is listed then.
func factsOf(r catalog.Resource) map[string]ref.Val {
	kind, gvr := types.String(r.GVK.Kind), r.GVR
	return map[string]ref.Val{
		"object.kind":                      kind,
		"oldObject.kind":                   kind,
		"object.apiVersion":                types.String(r.GVK.GroupVersion().String()),
		"oldObject.apiVersion":             types.String(r.GVK.GroupVersion().String()),
		"request.kind.kind":                kind,
		"request.kind.group":               types.String(r.GVK.Group),
		"request.kind.version":             types.String(r.GVK.Version),
		"request.requestKind.kind":         kind,
		"request.resource.resource":        types.String(gvr.Resource),
		"request.resource.group":           types.String(gvr.Group),
		"request.resource.version":         types.String(gvr.Version),
		"request.requestResource.resource": types.String(gvr.Resource),
	}
}

// parse parses an expression and takes out what the kind does not reach.
func (m *matched) parse(c *check.Checker, text string, view check.View) (*cel.Ast, *pruner, knownValue, error) {
	parsed, issues, err := c.Parse(text, view)
	if err != nil || source.Failed(issues) {
		return nil, nil, knownValue{}, err
	}
	p := &pruner{facts: m.facts, variables: m.variables, tests: m.tests[text]}
	value := p.prune(parsed.NativeRep(), text)
	return parsed, p, value, nil
}

// check checks what is left of an expression: the whole text, whose result is kept, where nothing was taken out.
func (p *pruner) check(c *check.Checker, parsed *cel.Ast, text string, view check.View) (*check.Result, error) {
	if len(p.cut) == 0 {
		return c.Check(text, view)
	}
	return c.CheckParsed(parsed, view)
}

// presence says whether objects of a kind have a field.
type presence int

const (
	unknown  presence = iota
	declared          // the kind has the field, which may be absent
	always            // the server writes it into every object: a struct such as spec.template
	lacks             // the kind does not have the field
	without           // the kind does not have the field, and another kind of the policy does
)

// typed checks what the kind reaches of an expression, and says of each has() in that whether
// it asks for a field that the kind does not have, or that every object has.
func (m *matched) typed(c *check.Checker, text string, view check.View) (*check.Result, map[int64]presence, error) {
	parsed, p, _, err := m.parse(c, text, view)
	if err != nil || parsed == nil {
		return nil, nil, err
	}
	tests := map[int64]presence{}
	ast.PreOrderVisit(parsed.NativeRep().Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() == ast.SelectKind && e.AsSelect().IsTestOnly() {
			tests[p.original(e.ID())] = presenceOf(e.AsSelect(), view.Object)
		}
	}))
	result, err := p.check(c, parsed, text, view)
	if err != nil || result.Issues == nil {
		return result, tests, err
	}
	for _, e := range result.Issues.Errors() {
		id := p.original(e.ExprID)
		if _, test := tests[id]; test && undefinedField.MatchString(e.Message) {
			tests[id] = lacks
		}
	}
	return result, tests, nil
}

// presenceOf says whether the server writes the field that a has() asks for into every object of a type.
func presenceOf(test ast.SelectExpr, object *catalog.Type) presence {
	steps := strings.Split(written(test.Operand()), ".")
	if object == nil || steps[0] != "object" && steps[0] != "oldObject" {
		return unknown
	}
	of := object.At(steps[1:]...)
	switch {
	case of == nil || of.Field(test.FieldName()) == nil:
		return unknown
	case writtenAlways(of.Field(test.FieldName())):
		return always
	}
	return declared
}

// guards finds the has() of an expression that tell kinds from each other: some kinds have the
// field and others do not. A field that no kind has is a mistake.
func (d *document) guards(text string, kinds []matched, views func(*matched) check.View) error {
	if len(kinds) < 2 || !strings.Contains(text, "has(") {
		return nil
	}
	found := make([]map[int64]presence, len(kinds))
	for i := range kinds {
		var err error
		if _, found[i], err = kinds[i].typed(d.checker, text, views(&kinds[i])); err != nil {
			return err
		}
	}
	other := func(id int64, is func(presence) bool) bool {
		return slices.ContainsFunc(found, func(tests map[int64]presence) bool { of, reached := tests[id]; return reached && is(of) })
	}
	for i := range kinds {
		for id, of := range found[i] {
			apart := other(id, func(p presence) bool { return p == lacks }) && other(id, func(p presence) bool { return p != lacks })
			if of == unknown || of == declared || !apart {
				continue
			}
			if of == lacks && other(id, func(p presence) bool { return p == declared || p == always }) {
				of = without
			}
			if kinds[i].tests[text] == nil {
				kinds[i].tests[text] = map[int64]presence{}
			}
			kinds[i].tests[text][id] = of
		}
	}
	return nil
}

// follow works out what each kind reaches of the expressions of a policy, or of a webhook.
func (d *document) follow(webhook int, kinds []matched) error {
	for i := range kinds {
		m := &kinds[i]
		m.tests, m.results, m.used = map[string]map[int64]presence{}, map[string]knownValue{}, map[string]bool{}
		m.variables = map[string]knownValue{}
		if m.kind.GVK.Kind != "" {
			m.facts = factsOf(m.kind)
		}
	}
	if webhook < 0 {
		if err := d.followVariables(kinds); err != nil {
			return err
		}
	}
	for _, e := range model.Expressions(d.Value) {
		if e.Webhook != webhook || e.Variable != "" {
			continue
		}
		if err := d.guards(e.Text, kinds, func(m *matched) check.View { return viewOf(e, m.view) }); err != nil {
			return err
		}
		for i := range kinds {
			_, _, value, err := kinds[i].parse(d.checker, e.Text, viewOf(e, kinds[i].view))
			if err != nil {
				return err
			}
			kinds[i].results[e.Path] = value
			if condition := e.Place == model.MatchCondition || e.Place == model.WebhookCondition; condition && value.guard && value.is(types.False) {
				kinds[i].excluding = append(kinds[i].excluding, e.Path)
			}
		}
	}
	return d.followUses(webhook, kinds)
}

// followVariables works out the type and value of each variable for each kind.
func (d *document) followVariables(kinds []matched) error {
	for _, v := range model.Variables(d.Value) {
		scoped := func(m *matched) check.View {
			view := m.view
			view.Scope.Variables, view.Scope.Patch = true, false
			return view
		}
		if err := d.guards(v.Expression, kinds, scoped); err != nil {
			return err
		}
		for i := range kinds {
			m := &kinds[i]
			t := cel.DynType
			result, _, err := m.typed(d.checker, v.Expression, scoped(m))
			if err != nil {
				return err
			}
			if result != nil && result.AST != nil {
				t = check.Carried(result.AST.OutputType(), check.Runtime)
			}
			_, _, value, err := m.parse(d.checker, v.Expression, scoped(m))
			if err != nil {
				return err
			}
			m.view.Variables = append(slices.Clip(m.view.Variables), check.Variable{Name: v.Name, Type: t, Expression: v.Expression})
			m.variables[v.Name] = value
		}
	}
	return nil
}

// followUses collects the variables that each kind reaches: from expressions, and then from the
// variables that those read.
func (d *document) followUses(webhook int, kinds []matched) error {
	expressions := slices.DeleteFunc(model.Expressions(d.Value), func(e model.Expression) bool { return e.Webhook != webhook })
	slices.SortStableFunc(expressions, func(a, b model.Expression) int { // variables last, those that others can read at the end
		if a.Variable == "" || b.Variable == "" {
			return cmp.Compare(len(a.Variable), len(b.Variable))
		}
		return b.Variables - a.Variables
	})
	for i := range kinds {
		m := &kinds[i]
		for _, e := range expressions {
			if m.excludedBeside(e.Path) || !m.reaches(e) {
				continue
			}
			parsed, _, _, err := m.parse(d.checker, e.Text, viewOf(e, m.view))
			if err != nil {
				return err
			}
			if parsed != nil {
				m.use(parsed.NativeRep().Expr())
			}
		}
	}
	return nil
}

func (m *matched) use(e ast.Expr) {
	ast.PreOrderVisit(e, ast.NewExprVisitor(func(part ast.Expr) {
		if name, ok := strings.CutPrefix(written(part), "variables."); ok && part.Kind() == ast.SelectKind {
			m.used[name] = true
		}
	}))
}

// excludedBeside reports whether a match condition other than the given expression keeps the kind
// away: one that is false decides, even if others fail.
func (m *matched) excludedBeside(path string) bool {
	return slices.ContainsFunc(m.excluding, func(condition string) bool { return condition != path })
}

// reaches reports whether the kind reaches an expression, if the match conditions let it pass.
func (m *matched) reaches(e model.Expression) bool {
	switch {
	case e.Variable != "":
		return m.used[e.Variable]
	case e.Place == model.MessageExpression:
		validation := m.results[fieldpath.Parse(e.Path).Parent().Child("expression").String()]
		return !validation.guard || !validation.is(types.True)
	}
	return true
}

// reaching are the kinds that reach an expression. Match conditions that keep every kind away
// are likely the mistake themselves, and so are variables that nothing reads: what they hold
// back is checked for all kinds.
func (d *document) reaching(e model.Expression, kinds []matched) []matched {
	passing := slices.DeleteFunc(slices.Clone(kinds), func(m matched) bool { return m.excludedBeside(e.Path) })
	if len(passing) == 0 || e.Variable != "" && !d.reads(e.Variable) {
		return kinds
	}
	return slices.DeleteFunc(passing, func(m matched) bool { return !m.reaches(e) })
}

func (d *document) reads(variable string) bool {
	return slices.ContainsFunc(model.Expressions(d.Value), func(e model.Expression) bool {
		return strings.Contains(e.Text, "variables."+variable)
	})
}
