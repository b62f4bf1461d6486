package engine

import (
	"github.com/preadmit/preadmit/engine/internal/admission/noeffect"
)

// withoutEffect reports what had no effect in the finished run.
func (e *evaluation) withoutEffect() {
	if !e.options.Explain || e.chain == nil || e.ended != nil || e.options.AdmissionOnly {
		return
	}
	final := e.chain.Attributes
	run := &noeffect.Run{Report: e.report, Initial: &e.initial, Final: &final, Plain: e.texts(), Parsed: e.parsed}
	if namespace, assumed, found := e.cluster.Namespace(e.initial.Namespace); found && !assumed {
		run.Namespace = namespace
	}
	if d := e.customs.definitions[e.initial.Resource.GroupResource()]; d != nil {
		run.Definition, run.Document = d.Definition, d.document
	}
	e.diagnose(noeffect.Diagnose(run))
	e.resultsElsewhere()
}
