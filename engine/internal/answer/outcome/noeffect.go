package outcome

import (
	"github.com/preadmit/preadmit/engine/internal/admission/noeffect"
	"github.com/preadmit/preadmit/engine/internal/answer/evaluate"
)

// withoutEffect reports what had no effect in the finished run.
func withoutEffect(e *evaluate.Evaluation) {
	if !e.Options.Explain || e.Chain == nil || e.Ended != nil || e.Options.AdmissionOnly {
		return
	}
	final := e.Chain.Attributes
	run := &noeffect.Run{Report: e.Report, Initial: &e.Initial, Final: &final, Plain: e.Texts(), Parsed: e.Parsed}
	if namespace, assumed, found := e.Cluster.Namespace(e.Initial.Namespace); found && !assumed {
		run.Namespace = namespace
	}
	if d := e.Customs.Definitions[e.Initial.Resource.GroupResource()]; d != nil {
		run.Definition, run.Document = d.Definition, d.Document
	}
	e.Diagnose(noeffect.Diagnose(run))
	resultsElsewhere(e)
}
