package definition

import (
	"encoding/json"
	"fmt"
	"math"
	"sort"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/preadmit/preadmit/engine/internal/cel/rules"
	"github.com/preadmit/preadmit/engine/internal/kube/crash"
)

// Limits of estimated costs, in CEL cost units: of one rule, with as many
// evaluations as the schema allows, and of all schema rules.
const (
	RuleLimit   = 10_000_000
	SchemaLimit = 100_000_000
)

// ruleNode is what the rules of a node of the schema need to know. It is nil
// where there can be no rules.
type ruleNode struct {
	validator *validator
	props     *apiextensions.JSONSchemaProps
	parent    *ruleNode
	// within says that this node or one above has rules.
	within bool
	// dear says that a single rule may cost any amount: the schema was there before.
	dear bool
	// cardinality is how many values of the node there can be; nil without a
	// limit.
	cardinality *uint64
	total       *totalCost
	// from finds the node and its type in those of the parent; nil when it is
	// not there.
	from func(parent *typed) *typed
	self *typed
}

// typed is a node of the structural schema with the type that expressions see.
type typed struct {
	node *schema.Structural
	self *apiservercel.DeclType
}

func (v *validator) rootNode(props *apiextensions.JSONSchemaProps, total *totalCost) *ruleNode {
	one := uint64(1)
	return &ruleNode{validator: v, props: props, within: len(props.XValidations) > 0, cardinality: &one, total: total}
}

func (n *ruleNode) child(props *apiextensions.JSONSchemaProps, from func(*typed) *typed) *ruleNode {
	if n == nil || props == nil {
		return nil
	}
	out := &ruleNode{validator: n.validator, props: props, parent: n, within: n.within || len(props.XValidations) > 0, total: n.total, from: from, dear: n.dear}
	if most := elements(n.props); n.cardinality != nil && most != nil {
		out.cardinality = new(multiply(*n.cardinality, *most))
	}
	return out
}

func (n *ruleNode) property(props *apiextensions.JSONSchemaProps, name string) *ruleNode {
	return n.child(props, func(parent *typed) *typed {
		node, ok := parent.node.Properties[name]
		escaped, writable := apiservercel.Escape(name)
		if !ok || !writable || parent.self.Fields[escaped] == nil {
			return nil
		}
		return &typed{&node, parent.self.Fields[escaped].Type}
	})
}

func (n *ruleNode) items(props *apiextensions.JSONSchemaProps) *ruleNode {
	return n.child(props, func(parent *typed) *typed {
		if parent.node.Items == nil {
			return nil
		}
		return &typed{parent.node.Items, parent.self.ElemType}
	})
}

func (n *ruleNode) values(props *apiextensions.JSONSchemaProps) *ruleNode {
	return n.child(props, func(parent *typed) *typed {
		if parent.node.AdditionalProperties == nil {
			return nil
		}
		return &typed{parent.node.AdditionalProperties.Structural, parent.self.ElemType}
	})
}

// elements is how many values below a node there can be for each of its own; nil
// without a limit.
func elements(s *apiextensions.JSONSchemaProps) *uint64 {
	limit := func(n *int64) *uint64 {
		if n == nil {
			return nil
		}
		return new(uint64(max(*n, 0)))
	}
	switch {
	case s.Type == "object" && s.AdditionalProperties != nil:
		return limit(s.MaxProperties)
	case s.Type == "array":
		return limit(s.MaxItems)
	}
	return new(uint64(1))
}

// described is the node and its type: that of the parent where that has rules
// around it, else made for this node.
func (n *ruleNode) described() (*typed, error) {
	if n == nil || !n.within || n.self != nil {
		if n == nil {
			return nil, nil
		}
		return n.self, nil
	}
	if n.parent != nil {
		parent, err := n.parent.described()
		if err != nil {
			return nil, err
		}
		if parent != nil {
			if n.self = n.from(parent); n.self != nil {
				return n.self, nil
			}
		}
	}
	node, err := schema.NewStructural(n.props)
	if err != nil {
		return nil, err
	}
	self := rules.SelfType(node, n.parent == nil || n.props.XEmbeddedResource, n.validator.version)
	if self == nil {
		return nil, fmt.Errorf("unable to convert structural schema to CEL declarations")
	}
	n.self = &typed{node, self}
	return n.self, nil
}

// rules compiles the rules of a node and estimates their costs.
func (v *validator) rules(s *apiextensions.JSONSchemaProps, path *field.Path, in place, at *ruleNode, n *nodeErrors) {
	all := path.Child("x-kubernetes-validations")
	fail := func(err *field.Error) { n.rules = append(n.rules, err) }
	types, err := at.described()
	if err != nil {
		fail(field.InternalError(all, fmt.Errorf("internal error: failed to construct type information for x-kubernetes-validations rules: %s", err)))
		return
	}
	compiler := rules.Compiler{Environments: v.environments, Modes: v.modes()}
	compiled, err := compiler.Compile(types.node, types.node.XValidations, types.self)
	if err != nil {
		fail(field.InternalError(all, err))
		return
	}
	for i := range compiled {
		r := &compiled[i]
		rule, message := all.Index(i).Child("rule"), all.Index(i).Child("messageExpression")
		count := r.MaxCardinality
		if at.cardinality != nil {
			count = *at.cardinality
		}
		cost := multiply(r.MaxCost, count)
		if cost > RuleLimit && !at.dear {
			fail(field.Forbidden(rule, costText("estimated rule cost", cost, RuleLimit)))
		}
		at.total.add(rule, cost)
		switch {
		case r.Crash != "":
			fail(crash.Error(rule, r.Crash))
		case r.Err != "":
			fail(field.Invalid(rule, shownRule(s.XValidations[i]), r.Err))
		}
		switch {
		case r.MessageCrash != "":
			fail(crash.Error(message, r.MessageCrash))
		case r.MessageErr != "":
			fail(field.Invalid(message, shownRule(s.XValidations[i]), r.MessageErr))
		case r.CompiledMessage != nil:
			if r.MessageMaxCost > RuleLimit && !at.dear {
				fail(field.Forbidden(message, costText("estimated messageExpression cost", r.MessageMaxCost, RuleLimit)))
			}
			at.total.add(message, r.MessageMaxCost)
		}
		if r.UsesOldSelf && in.uncorrelated != nil {
			fail(field.Invalid(rule, r.Rule, fmt.Sprintf("oldSelf cannot be used on the uncorrelatable portion of the schema within %v", in.uncorrelated)))
		} else if !r.UsesOldSelf && r.OptionalOldSelf != nil {
			fail(field.Invalid(all.Index(i).Child("optionalOldSelf"), *r.OptionalOldSelf, "may not be set if oldSelf is not used in rule"))
		}
	}
}

// shownRule is a rule as errors show it.
func shownRule(r apiextensions.ValidationRule) any {
	if _, err := json.Marshal(r); err != nil {
		return r.Rule
	}
	return r
}

// multiply is a product, or the largest number when it is larger than that.
func multiply(a, b uint64) uint64 {
	if a == 0 {
		return 0
	}
	if math.MaxUint64/a < b {
		return math.MaxUint64
	}
	return a * b
}

func costText(what string, cost, limit uint64) string {
	factor := float64(cost) / float64(limit)
	text := fmt.Sprintf("%.1fx", factor)
	switch {
	case factor > 100:
		text = "more than 100x"
	case factor < 1.5:
		text = fmt.Sprintf("%fx", factor) // not "1.0x"
	}
	return fmt.Sprintf("%s exceeds budget by factor of %s (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)", what, text)
}

// totalCost adds up the estimates of a schema and keeps the most expensive ones.
type totalCost struct {
	sum  uint64
	most []ruleCost
	path *field.Path
	// keep is given each cost as it is added; nil where nobody asks.
	keep func(total *totalCost, path *field.Path, cost uint64)
}

type ruleCost struct {
	path *field.Path
	cost uint64
}

// maxNamed is how many expressions a total that is too high names.
const maxNamed = 4

func (t *totalCost) add(path *field.Path, cost uint64) {
	t.sum += min(cost, math.MaxUint64-t.sum)
	if t.keep != nil {
		t.keep(t, path, cost)
	}
	if cost < SchemaLimit/100 {
		return
	}
	t.most = append(t.most, ruleCost{path, cost})
	sort.SliceStable(t.most, func(i, j int) bool { return t.most[i].cost > t.most[j].cost })
	t.most = t.most[:min(len(t.most), maxNamed)]
}

func (t *totalCost) errors(path *field.Path) (errs field.ErrorList) {
	if t.sum <= SchemaLimit {
		return nil
	}
	for _, r := range t.most {
		errs = append(errs, field.Forbidden(r.path, "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"))
	}
	return append(errs, field.Forbidden(path, costText("x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema", t.sum, SchemaLimit)))
}
