package compile

import (
	"slices"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/policy/elsewhere"
	"github.com/preadmit/preadmit/engine/scenario"
)

// checkElsewhere checks the CEL of documents that are not about admission, in the policies
// and the cluster text.
func (p *compiler) checkElsewhere() error {
	checker := elsewhere.New(p.Version)
	var failed error
	p.optional("The checks of CEL outside admission", plausibleShare, func() {
		plain := map[diag.Text]string{diag.Policies: p.scenario.Policies, diag.Cluster: p.scenario.Cluster}
		for _, text := range []diag.Text{diag.Policies, diag.Cluster} {
			for _, d := range p.Documents[text] {
				p.budget.Work(10 * len(d.JSON()))
				found, err := checker.Check(d, plain[text])
				if err != nil {
					failed = err
					return
				}
				p.diagnose(found.Diagnostics)
			}
		}
	})
	if failed == nil && p.scenario.Request == "" {
		failed = EvaluateElsewhere(checker, p.Documents, elsewhere.Input{}, p.diagnose)
	}
	return failed
}

// InputElsewhere adds what documents have for CEL that is not about admission.
func InputElsewhere(in elsewhere.Input, documents []*scenario.Document) elsewhere.Input {
	for _, d := range documents {
		in.Devices = append(in.Devices, elsewhere.Devices(d)...)
		in.Tokens = append(in.Tokens, elsewhere.Tokens(d)...)
	}
	return in
}

// EvaluateElsewhere evaluates the CEL of documents that are not about admission.
func EvaluateElsewhere(checker *elsewhere.Checker, documents map[diag.Text][]*scenario.Document, in elsewhere.Input, diagnose func([]diag.Diagnostic)) error {
	all := slices.Concat(documents[diag.Policies], documents[diag.Cluster], documents[diag.Request])
	if !elsewhere.Kinds(all) {
		return nil
	}
	in = InputElsewhere(in, all)
	for _, d := range all {
		results, err := checker.Evaluate(d, in)
		if err != nil {
			return err
		}
		diagnose(results)
	}
	return nil
}
