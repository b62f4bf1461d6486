// Package rules compiles and runs the custom resource rules
// (x-kubernetes-validations) as the API server does: typed by their schema, with
// estimated and exact costs, and compared with the value before an update.
package rules

import (
	"errors"
	"strings"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
)

// Rule is one compiled rule.
type Rule struct {
	v1.ValidationRule
	// Compiled is nil for a rule without text.
	Compiled *eval.Compiled
	// Err is the server's text about a rule that does not compile.
	Err string
	// CompiledMessage is the compiled messageExpression; nil when there is none, or
	// when the rule itself does not compile. MessageErr is the text about one
	// that does not.
	CompiledMessage *eval.Compiled
	MessageErr      string
	// Crash and MessageCrash say at which of the two the server crashes; empty where it
	// does not.
	Crash, MessageCrash string
	// MaxCost and MessageMaxCost are the highest costs of one evaluation by the
	// sizes that the schema allows, in CEL cost units.
	MaxCost, MessageMaxCost uint64
	// MaxCardinality is how often values of this node fit into the largest
	// request.
	MaxCardinality uint64
	// At is the field that a failure is about, below the value; empty for the
	// value itself.
	At string
	// UsesOldSelf reports a transition rule.
	UsesOldSelf bool
}

// Modes says how an expression is compiled: as one that is new, or as one that
// the cluster has stored already.
type Modes func(expression string, message bool) eval.Mode

// Stored compiles everything as stored.
func Stored(string, bool) eval.Mode { return eval.Run }

// Compiler compiles rules for one version of the server.
type Compiler struct {
	Environments *eval.Environments
	Modes        Modes
}

// Compile compiles the rules of one node. self describes its values; without a
// description that is an error.
func (c *Compiler) Compile(node *schema.Structural, list v1.ValidationRules, self *apiservercel.DeclType) ([]Rule, error) {
	if len(list) == 0 {
		return nil, nil
	}
	if self == nil {
		return nil, errors.New("failed to convert to declType for CEL validation rules")
	}
	out := make([]Rule, len(list))
	scopes := scopes{environments: c.Environments, self: self, known: map[scopeKey]*eval.RuleScope{}}
	for i, rule := range list {
		out[i] = Rule{ValidationRule: rule, MaxCardinality: uint64(celconfig.MaxRequestSizeBytes / (self.MinSerializedSize + 1))}
		if strings.TrimSpace(rule.Rule) == "" {
			continue
		}
		if err := c.rule(&out[i], node, scopes); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (c *Compiler) rule(r *Rule, node *schema.Structural, in scopes) error {
	optional := r.OptionalOldSelf != nil && *r.OptionalOldSelf
	scope, err := in.scope(c.Modes(r.Rule, false), optional)
	if err != nil {
		return err
	}
	r.Compiled = scope.CompileRule(r.Rule, eval.Condition)
	r.Crash = crash(r.Compiled)
	if r.Err = r.Compiled.Err; r.Err != "" {
		return nil
	}
	r.UsesOldSelf = r.Compiled.UsesOldSelf()
	if r.MaxCost, err = scope.Estimate(r.Compiled); err != nil {
		r.Err = "cost estimation failed: " + err.Error()
		return nil
	}
	if r.MessageExpression != "" {
		if scope, err = in.scope(c.Modes(r.MessageExpression, true), optional); err != nil {
			return err
		}
		r.CompiledMessage = scope.CompileRule(r.MessageExpression, eval.Message)
		r.MessageCrash = crash(r.CompiledMessage)
		if r.MessageErr = messageError(r.CompiledMessage.Err); r.MessageErr != "" {
			r.CompiledMessage = nil
			return nil // and At stays empty, as in the server
		}
		if r.MessageMaxCost, err = scope.Estimate(r.CompiledMessage); err != nil {
			r.CompiledMessage, r.MessageErr = nil, "cost estimation failed for messageExpression: "+err.Error()
			return nil
		}
	}
	if r.FieldPath != "" {
		if path, _, err := cel.ValidFieldPath(r.FieldPath, node); err == nil {
			r.At = path.String()
		}
	}
	return nil
}

// crash is what the compiler says about an expression that crashes it.
func crash(c *eval.Compiled) string {
	if !c.Crashes() {
		return ""
	}
	return c.Issues[0].Message
}

// messageError is the text about a messageExpression.
func messageError(err string) string {
	if strings.HasPrefix(err, "compilation failed: ") {
		return "messageExpression " + err
	}
	if cause, ok := strings.CutPrefix(err, "program "); ok {
		return "messageExpression " + cause // instantiation failed
	}
	return err
}

type scopeKey struct {
	mode     eval.Mode
	optional bool
}

// scopes are the environments of one node, made when they are needed.
type scopes struct {
	environments *eval.Environments
	self         *apiservercel.DeclType
	known        map[scopeKey]*eval.RuleScope
}

func (s scopes) scope(mode eval.Mode, optional bool) (*eval.RuleScope, error) {
	key := scopeKey{mode, optional}
	if known := s.known[key]; known != nil {
		return known, nil
	}
	scope, err := s.environments.RuleScope(mode, s.self, optional)
	if err == nil {
		s.known[key] = scope
	}
	return scope, err
}
