package engine

import (
	"context"
	"sync"

	kauthorizer "k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/rbac"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// lazyRules loads the RBAC rules when they are first asked for: few scenarios
// ask the authorizer, and the built-in roles take longer to load than most
// scenarios to run.
type lazyRules struct {
	version   version.Version
	documents []rbac.Document

	load     sync.Once
	loaded   *rbac.Rules
	problems []diag.Diagnostic
	err      error
}

func (l *lazyRules) rules() (*rbac.Rules, error) {
	l.load.Do(func() { l.loaded, l.problems, l.err = rbac.Load(l.version, l.documents) })
	return l.loaded, l.err
}

// readRBAC notes the RBAC objects of the cluster. If there are any they are
// loaded at once, for their diagnostics.
func (p *prepared) readRBAC(docs []*scenario.Document) error {
	p.rules = &lazyRules{version: p.version}
	for _, d := range docs {
		if group(d) == "rbac.authorization.k8s.io" {
			p.rules.documents = append(p.rules.documents, rbac.Document{Text: d.Text, Value: d.Value, Locate: d.Locate})
		}
	}
	if len(p.rules.documents) == 0 {
		return nil
	}
	_, err := p.rules.rules()
	p.diagnose(p.rules.problems)
	return err
}

// lazyChecker answers checks with rules that are loaded for the first one.
type lazyChecker struct {
	rules  *lazyRules
	mode   rbac.Mode
	record func(report.Authorization)
}

// checker gives the authorizer of one run; record gets every check.
func (p *prepared) checker(record func(report.Authorization)) kauthorizer.UnconditionalAuthorizer {
	return lazyChecker{p.rules, rbac.Mode(p.scenario.Options.Authorizer), record}
}

// Authorize implements the API server's authorizer interface.
func (c lazyChecker) Authorize(ctx context.Context, a kauthorizer.Attributes) (kauthorizer.Decision, string, error) {
	rules, err := c.rules.rules()
	if err != nil {
		return kauthorizer.DecisionNoOpinion, "", err
	}
	return rules.Checker(c.mode, c.record).Authorize(ctx, a)
}
