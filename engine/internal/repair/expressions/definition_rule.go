package expressions

import (
	"strconv"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/internal/cel/rules"
	"github.com/preadmit/preadmit/engine/internal/kube/crd"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Rule is a rule of a CustomResourceDefinition, or the messageExpression of one.
type Rule struct {
	// Place is model.CustomRule or model.CustomRuleMessage.
	Place *model.Place
	// Text is the expression.
	Text string

	path     fieldpath.Path
	node     *schema.Structural // that the rule belongs to
	names    []string           // of the properties that lead to the node
	root     bool               // the node is the whole object
	optional bool               // optionalOldSelf
}

// RuleAt finds the expression that a path of a definition leads to; nil where that is no
// rule of a schema that can be read.
func RuleAt(path fieldpath.Path, decoded *crd.Definition) *Rule {
	last := path.Last()
	if decoded == nil || len(path) < 3 || last != "rule" && last != "messageExpression" {
		return nil
	}
	props, names := schemaNode(path, decoded)
	index, err := strconv.Atoi(path.Parent().Last())
	if props == nil || err != nil || index >= len(props.XValidations) {
		return nil
	}
	node, err := schema.NewStructural(props)
	if err != nil {
		return nil
	}
	own := props.XValidations[index]
	out := &Rule{Place: model.CustomRule, Text: own.Rule, path: path, node: node, names: names, optional: own.OptionalOldSelf != nil && *own.OptionalOldSelf,
		root: len(names) == 0 && path.Parent().Parent().Parent().Last() == "openAPIV3Schema"}
	if last == "messageExpression" {
		out.Place, out.Text = model.CustomRuleMessage, own.MessageExpression
	}
	return out
}

// Compile compiles the expression as a release does; nil where the schema describes no
// value that an expression could read.
func (r *Rule) Compile(environments *eval.Environments, v version.Version, mode eval.Mode) *eval.Compiled {
	compile := r.compiler(environments, v, mode)
	if compile == nil {
		return nil
	}
	return compile(r.Text)
}

func (r *Rule) compiler(environments *eval.Environments, v version.Version, mode eval.Mode) func(text string) *eval.Compiled {
	self := rules.SelfType(r.node, r.root, v)
	if self == nil {
		return nil
	}
	scope, err := environments.RuleScope(mode, self, r.optional)
	if err != nil {
		return nil
	}
	result := eval.Condition
	if r.Place == model.CustomRuleMessage {
		result = eval.Message
	}
	return func(text string) *eval.Compiled { return scope.CompileRule(text, result) }
}

// Rule adds a repair to a problem of a rule, or of the message of one, that does not compile.
func (r *Repairer) Rule(d *diag.Diagnostic, doc *scenario.Document, plain string, rule *Rule, v version.Version) {
	compile := rule.compiler(r.Environments, v, eval.Write)
	source := rewrite.In(doc, plain, rule.path.String())
	if compile == nil || source == nil {
		return
	}
	if fixes := FoldedComment(doc, rule.path.String()); fixes != nil {
		d.Fixes, d.Detail = fixes, FoldedDetail
		return
	}
	if f, ok := r.optionalOld(d, doc, rule, v); ok {
		d.Fixes, d.Detail = []diag.Fix{f}, "Without optionalOldSelf, oldSelf is the value itself, and the rule runs only on updates. With optionalOldSelf: true, it is an optional, and the rule runs on creations too."
		return
	}
	r.Environments.Budget().Work(repairWork * len(source.Runes))
	c := &context{expression: model.Expression{Place: rule.Place, Webhook: -1}, self: rule.node, selfPath: rule.names, optionalOld: rule.optional,
		item: rule.path.Parent().Parent().Parent().Last() == "items", compile: compile}
	repaired, said := c.repair(string(source.Runes))
	if repaired == "" {
		if f, ok := rule.movedToPolicy(doc); ok {
			d.Fixes = []diag.Fix{f}
		}
		return
	}
	if rule.Place == model.CustomRuleMessage && !strings.Contains(string(source.Runes), "string(") {
		if text := asFormat(repaired); text != "" { // the estimate of what string() makes has no bound
			repaired = text
		}
	}
	d.Fixes = []diag.Fix{source.Fix(title(string(source.Runes), repaired), source.Differences(repaired)...)}
	if text := strings.Join(said, " "); text != "" && d.Code != codes.LaterVersion {
		d.Detail = text // closer to the mistake than what its message means in general
	}
}

// ofOptionals is what the compiler says about a call of an optional's function on a value.
var ofOptionals = lazy.Regexp{Text: `no matching overload for '(hasValue|value|or|orValue|optMap|optFlatMap)'`}

// optionalOld makes oldSelf the optional that a rule takes it for.
func (r *Repairer) optionalOld(d *diag.Diagnostic, doc *scenario.Document, rule *Rule, v version.Version) (diag.Fix, bool) {
	if rule.optional || !strings.Contains(rule.Text, "oldSelf") || !ofOptionals.MatchString(d.Summary) {
		return diag.Fix{}, false
	}
	with := *rule
	with.optional = true
	edit, ok := doc.Put(rule.path.Parent().String(), "optionalOldSelf", "true")
	if compiled := with.Compile(r.Environments, v, eval.Write); !ok || compiled == nil || !compiled.OK() {
		return diag.Fix{}, false
	}
	return diag.Fix{Title: "Add optionalOldSelf: true", Edits: []diag.Edit{edit}}, true
}
