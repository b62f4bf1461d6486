package typecheck

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/check"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// failing are the problems that make an expression fail for every object of a kind.
var failing = []string{codes.UnknownObjectField, codes.LiteralUnknownField, codes.LiteralTypeName, codes.LiteralWrongType, codes.LiteralAtomic, codes.LiteralNestedMap}

// ForRequest checks a policy that failed for a request's kind, whose rules name no kind: the
// types of that kind say why. It returns nothing for other policies. The error is internal.
func ForRequest(d *scenario.Document, plain string, kind schema.GroupVersionKind, checker *check.Checker, cat *catalog.Catalog) ([]diag.Diagnostic, error) {
	c := &document{harmless: map[string]int{}, Document: d, plain: plain, catalog: cat, checker: checker, request: kind}
	if len(model.Kinds(cat, model.Rules(d.Value, -1), check.Runtime)) > 0 {
		return nil, nil
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(c.out, func(p diag.Diagnostic) bool { return !slices.Contains(failing, p.Code) }), nil
}
