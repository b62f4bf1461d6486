package html

import (
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
)

func rulesLook(s report.RulesState) State {
	switch s {
	case report.RulesValid:
		return Admitted
	case report.RulesInvalid:
		return Denied
	case report.RulesRefused:
		return Refused
	}
	return Idle
}

// rulesWord returns the word for it.
func rulesWord(s report.RulesState) string {
	switch s {
	case report.RulesValid:
		return "Valid"
	case report.RulesInvalid:
		return "Invalid"
	case report.RulesRefused:
		return "Schema rejected"
	}
	return "No value"
}

// expressionAlone reports whether there is only an expression, or schema rules, so that no verdict
// on a request is needed.
func (v View) expressionAlone() bool {
	r := v.Report
	return (r.Expression != nil || r.Rules != nil) && OutcomeState(r) == Idle && len(v.Texts) > 0 && v.Texts[diag.Policies] == "" && v.Texts[diag.Request] == ""
}
