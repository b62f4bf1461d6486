package cli

import (
	"fmt"

	"github.com/preadmit/preadmit/cmd/preadmit/internal/foreigntests"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/render/text"
)

// runForeignSuite runs another tool's tests. The first result lists what was not converted. A file
// without any converted test is a failure.
func (a *app) runForeignSuite(path string, run testRun) []testResult {
	suite, err := foreigntests.Read(path)
	if err != nil {
		return []testResult{{Path: path, file: path, Error: err.Error()}}
	}
	var results []testResult
	for _, t := range suite.Tests {
		result := testResult{Path: path, Case: t.Name, Tool: suite.Tool, file: t.File}
		if run.selects(result) {
			results = append(results, a.runForeign(result, t, run))
		}
	}
	if len(suite.Tests) == 0 {
		results = []testResult{{Path: path, Tool: suite.Tool, file: path, Error: "no test of " + suite.Tool + " could be converted"}}
	}
	if len(results) > 0 {
		results[0].NotTaken = suite.Left
	}
	return results
}

// runForeign runs one of them.
func (a *app) runForeign(result testResult, t *foreigntests.Test, run testRun) testResult {
	in := &input{Scenario: t.Scenario, sources: text.Sources{}}
	run.settings.apply(&in.Scenario)
	if run.policies != nil {
		in.Policies = run.policies(in.Policies)
	}
	for part, content := range map[diag.Text]string{diag.Policies: in.Policies, diag.Request: in.Request, diag.Cluster: in.Cluster} {
		in.add(part, fmt.Sprintf("%s (%s, %s)", t.File, t.Name, part), content, 1)
	}
	r, err := a.evaluate(in)
	if err != nil {
		result.Error, result.bug = err.Error(), true
		return result
	}
	if run.kept != nil {
		run.kept(result.Path, in, r)
	}
	for _, refused := range r.Install {
		if refused.Code >= 400 {
			result.Error = fmt.Sprintf("the server rejects %s %s: %s", refused.Kind, refused.Name, refused.Message)
			return result
		}
	}
	result.Differences = t.Check(r)
	result.Pass = len(result.Differences) == 0
	return result
}
