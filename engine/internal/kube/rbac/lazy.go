package rbac

import (
	"context"
	"sync"

	kauthorizer "k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
)

// Lazy loads the RBAC rules on first use: few scenarios use the authorizer, and loading the
// built-in roles takes longer than most scenarios. It is safe for concurrent use.
type Lazy struct {
	version   version.Version
	documents []Document

	load     sync.Once
	loaded   *Rules
	problems []diag.Diagnostic
	err      error
}

// NewLazy holds a cluster's RBAC objects. It loads them immediately if there are any, for their
// diagnostics. The error is about the version.
func NewLazy(v version.Version, documents []Document) (*Lazy, []diag.Diagnostic, error) {
	l := &Lazy{version: v, documents: documents}
	if len(documents) == 0 {
		return l, nil, nil
	}
	_, err := l.rules()
	return l, l.problems, err
}

// Given reports whether the cluster text has RBAC objects.
func (l *Lazy) Given() bool { return len(l.documents) > 0 }

func (l *Lazy) rules() (*Rules, error) {
	l.load.Do(func() { l.loaded, l.problems, l.err = Load(l.version, l.documents) })
	return l.loaded, l.err
}

// Authorizer returns an authorizer with the rules. record gets every check.
func (l *Lazy) Authorizer(mode Mode, record func(report.Authorization)) kauthorizer.UnconditionalAuthorizer {
	return lazyChecker{l, mode, record}
}

type lazyChecker struct {
	*Lazy
	mode   Mode
	record func(report.Authorization)
}

// Authorize implements the API server's authorizer interface.
func (c lazyChecker) Authorize(ctx context.Context, a kauthorizer.Attributes) (kauthorizer.Decision, string, error) {
	rules, err := c.rules()
	if err != nil {
		return kauthorizer.DecisionNoOpinion, "", err
	}
	return rules.Checker(c.mode, c.record).Authorize(ctx, a)
}
