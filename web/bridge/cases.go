package bridge

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/preadmit/preadmit/engine/expect"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// casesSlice limits the time of one call, because the user may press a key meanwhile.
const casesSlice = 40 * time.Millisecond

// maxCases limits a scenario's cases.
const maxCases = 500

// Case is a request and its expected result. It uses the page's policies and cluster unless it has
// its own.
type Case struct {
	// Name is the test folder's name.
	Name    string `json:"name"`
	Request string `json:"request"`
	// Expected is the text of expected.yaml.
	Expected string `json:"expected"`
	// Defaulting overrides the page's setting for this request.
	Defaulting *bool `json:"defaulting,omitempty"`
	// Policies and Cluster replace the page's.
	Policies *string `json:"policies,omitempty"`
	Cluster  *string `json:"cluster,omitempty"`
	// Settings replace the page's, including the stand-alone expression.
	Settings *scenario.Scenario `json:"settings,omitempty"`
}

// on returns the case as a scenario on the page.
func (c Case) on(page scenario.Scenario) scenario.Scenario {
	s := page
	s.Expression, s.ExpressionContext, s.Description, s.Tags = "", "", "", nil
	if c.Settings != nil {
		s = *c.Settings
		s.Policies, s.Cluster = page.Policies, page.Cluster
	}
	s.Title, s.Request = c.Name, c.Request
	if c.Policies != nil {
		s.Policies = *c.Policies
	}
	if c.Cluster != nil {
		s.Cluster = *c.Cluster
	}
	if c.Defaulting != nil {
		s.Options.Defaulting = c.Defaulting
	}
	return s
}

// pin saves the scenario's current result as a case.
func pin(ctx context.Context, s scenario.Scenario) (Case, error) {
	r, err := evaluateOnce(ctx, s, everything())
	if err != nil {
		return Case{}, err
	}
	if !decided(r.Outcome.State) && atLimit(r) {
		return Case{}, fmt.Errorf("no result to expect: %s", r.Outcome.StateReason)
	}
	if r.Request == nil {
		return Case{}, errors.New("no readable request, so no expected result")
	}
	text, err := expect.Verdict(r).YAML()
	if err != nil {
		return Case{}, err
	}
	return Case{Name: caseName(r), Request: s.Request, Expected: string(text), Defaulting: s.Options.Defaulting}, nil
}

// caseName describes the request and its verdict: web-denied.
func caseName(r *report.Report) string {
	name := r.Request.Name
	if name == "" {
		name = strings.ToLower(r.Request.Kind[strings.LastIndexByte(r.Request.Kind, '=')+1:])
	}
	if r.Request.Operation != "CREATE" {
		name += "-" + strings.ToLower(r.Request.Operation)
	}
	switch r.Outcome.State {
	case report.StateNoPolicyRan, report.StateNoPolicies:
		return slug(name + "-no-policy")
	case report.StatePolicyRefused:
		return slug(name + "-refused")
	}
	return slug(name + "-" + string(r.Outcome.State))
}

// slug turns any text into a folder name.
func slug(text string) string {
	name := strings.Trim(strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return unicode.ToLower(r)
		}
		return '-'
	}, text), "-")
	for strings.Contains(name, "--") {
		name = strings.ReplaceAll(name, "--", "-")
	}
	if name == "" {
		return "case"
	}
	return strings.TrimRight(name[:min(len(name), 60)], "-")
}

// CasesRun are the parameters of cases/run.
type CasesRun struct {
	Scenario scenario.Scenario `json:"scenario"`
	Cases    []Case            `json:"cases"`
}

// CasesResults is the reply to cases/run, for as many of the first cases as a short time allows.
type CasesResults struct {
	Results []CaseResult `json:"results"`
}

// CaseStatus is a case's result in a word.
type CaseStatus string

// The results of a case.
const (
	// CasePassed says that a policy ran, or the server's own checks if there are no policies, and
	// that everything is as expected.
	CasePassed CaseStatus = "passed"
	// CaseNoPolicy says that everything is as expected, but no policy ran.
	CaseNoPolicy CaseStatus = "noPolicy"
	CaseFailed   CaseStatus = "failed"
)

// CaseResult is one case's result.
type CaseResult struct {
	Status CaseStatus `json:"status"`
	// State is the current verdict. Message is a rejection's message, or the verdict's assumptions.
	State   report.State `json:"state,omitempty"`
	Message string       `json:"message,omitempty"`
	// NotRun says which policies did not run in a passing case, and why.
	NotRun string `json:"notRun,omitempty"`
	// Differences are the deviations from the expected result.
	Differences []CaseDifference `json:"differences,omitempty"`
	// Error says why the case could not run.
	Error string `json:"error,omitempty"`
}

// CaseDifference is one deviation of a report.
type CaseDifference struct {
	// Line is the line in expected.yaml, from 1; 0 if the file does not mention it.
	Line    int    `json:"line,omitempty"`
	Path    string `json:"path"`
	Problem string `json:"problem,omitempty"`
	// Want and Got are JSON values. Both are empty if Problem is sufficient.
	Want string `json:"want,omitempty"`
	Got  string `json:"got,omitempty"`
}

// runCases compares cases with their current results.
func runCases(ctx context.Context, p CasesRun) (CasesResults, error) {
	out := CasesResults{Results: []CaseResult{}}
	start := time.Now()
	for i, c := range p.Cases {
		if i > 0 && time.Since(start) > casesSlice {
			break
		}
		out.Results = append(out.Results, runCase(ctx, p.Scenario, c))
	}
	return out, nil
}

func runCase(ctx context.Context, page scenario.Scenario, c Case) CaseResult {
	expected, err := expect.Parse([]byte(c.Expected))
	if err != nil {
		return CaseResult{Status: CaseFailed, Error: err.Error()}
	}
	s := c.on(page)
	r, err := evaluateOnce(ctx, s, everything())
	if err != nil {
		return CaseResult{Status: CaseFailed, Error: err.Error()}
	}
	out := CaseResult{Status: CaseFailed, State: r.Outcome.State, Message: r.Outcome.Message}
	if out.Message == "" {
		out.Message = r.Outcome.StateReason
	}
	differences, err := expect.Compare(expected, r)
	switch {
	case err != nil:
		out.Error = err.Error()
		return out
	case len(differences) > 0:
		for _, d := range differences {
			out.Differences = append(out.Differences, shownDifference(d))
		}
	case decided(r.Outcome.State) && (r.PolicyRan() || len(r.NotRun) == 0 && somethingRan(r)):
		out.Status, out.NotRun = CasePassed, report.DidNotRun(expected.Silent(r))
	case strings.TrimSpace(s.Policies) == "" && (r.Expression != nil && r.Expression.Evaluated || r.Rules != nil && r.Rules.State != report.RulesUndecided):
		out.Status = CasePassed // the test is about the expression or the rules
	default:
		out.Status = CaseNoPolicy
		out.Message = whyNone(r)
	}
	return out
}

// somethingRan reports whether any of the server's checks ran: without policies, the test is about
// its plugins and the custom resource rules.
func somethingRan(r *report.Report) bool {
	return slices.ContainsFunc(r.Steps, func(s report.Step) bool { return s.Ran() })
}

// decided reports whether a state is a verdict on the request by valid policies.
func decided(s report.State) bool {
	return s == report.StateAdmitted || s == report.StateMutated || s == report.StateDenied
}

// whyNone says why no policy ran, or why there is no verdict.
func whyNone(r *report.Report) string {
	if len(r.NotRun) > 0 {
		return report.DidNotRun(r.NotRun)
	}
	if r.Outcome.StateReason != "" {
		return r.Outcome.StateReason
	}
	return "No policy or webhook matched the request."
}

// maxShown limits the length of shown values, in bytes.
const maxShown = 400

func shownDifference(d expect.Difference) CaseDifference {
	out := CaseDifference{Line: d.Line, Path: d.Path, Problem: d.Problem}
	if d.Problem == "" || d.Want != nil && d.Got != nil {
		out.Want, out.Got = cut(expect.Shown(d.Want)), cut(expect.Shown(d.Got))
	}
	return out
}

func cut(text string) string {
	if len(text) <= maxShown {
		return text
	}
	return strings.ToValidUTF8(text[:maxShown], "") + "…"
}

// testsFolder has a folder per case in a download.
const testsFolder = "policy-tests"

// caseFiles returns the tests' files by path: a folder per case, and a workflow that runs them.
func caseFiles(_ context.Context, p CasesRun) (map[string]string, error) {
	out := map[string]string{".github/workflows/policy-tests.yaml": workflow}
	used := map[string]bool{}
	for _, c := range p.Cases {
		folder := unused(slug(c.Name), used)
		list, err := c.on(p.Scenario).Files()
		if err != nil {
			return nil, err
		}
		for name, content := range list {
			out[path.Join(testsFolder, folder, name)] = string(content)
		}
		out[path.Join(testsFolder, folder, expect.FileName)] = c.Expected
	}
	return out, nil
}

// unused returns a name that no other case has.
func unused(name string, used map[string]bool) string {
	free := name
	for n := 2; used[free]; n++ {
		free = name + "-" + strconv.Itoa(n)
	}
	used[free] = true
	return free
}

// workflow runs a download's tests in GitHub Actions (docs/ci.md).
const workflow = `name: policy-tests
on: [push, pull_request]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
    - uses: actions/checkout@v4
    - uses: actions/checkout@v4
      with: {repository: preadmit/preadmit, path: .preadmit}
    - uses: actions/setup-go@v5
      with: {go-version-file: .preadmit/go.mod}
    - run: go build -C .preadmit -o "$RUNNER_TEMP/preadmit" ./cmd/preadmit
    - run: '"$RUNNER_TEMP/preadmit" test ` + testsFolder + `'
`

// CasesOpened is the reply to cases/open.
type CasesOpened struct {
	// Scenario is the first case's. The other cases have their differences from it.
	Scenario scenario.Scenario `json:"scenario"`
	Cases    []Case            `json:"cases"`
	// Problems list what was left out, one sentence each.
	Problems []string `json:"problems,omitempty"`
}

// openCases reads folders with expected.yaml, given their files by path.
func openCases(_ context.Context, files map[string]string) (CasesOpened, error) {
	out := CasesOpened{Cases: []Case{}}
	folders := map[string][]scenario.File{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		folder := path.Dir(name)
		if path.Ext(name) == ".txtar" {
			folder = strings.TrimSuffix(name, ".txtar")
		}
		folders[folder] = append(folders[folder], scenario.File{Name: path.Base(name), Text: files[name]})
	}
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		c := scenario.Classify(folders[folder], scenario.Given{})
		if c.Expected == nil {
			continue
		}
		if len(out.Cases) == maxCases {
			out.Problems = append(out.Problems, fmt.Sprintf("Only the first %d cases are opened; preadmit test runs any number.", maxCases))
			break
		}
		if !c.Whole {
			out.Problems = append(out.Problems, fmt.Sprintf("%s has %s but none of %s.", folder, expect.FileName, strings.Join(scenario.FileNames(), ", ")))
			continue
		}
		for _, p := range c.Diagnostics {
			out.Problems = append(out.Problems, folder+": "+p.Summary)
		}
		if len(out.Cases) == 0 {
			out.Scenario = c.Scenario
		}
		out.Cases = append(out.Cases, opened(path.Base(folder), c, out.Scenario))
	}
	if len(out.Cases) == 0 {
		return out, errors.New("no folder here has " + expect.FileName + " and a scenario's files")
	}
	return out, nil
}

// opened returns a folder as a case, with its differences.
func opened(name string, c *scenario.Classified, page scenario.Scenario) Case {
	s := c.Scenario
	out := Case{Name: name, Request: s.Request, Expected: c.Expected.Text}
	if s.Policies != page.Policies {
		out.Policies = &s.Policies
	}
	if s.Cluster != page.Cluster {
		out.Cluster = &s.Cluster
	}
	own, on := settingsOf(s), settingsOf(out.on(page))
	if !reflect.DeepEqual(own, on) {
		out.Settings = &own
	}
	return out
}

// settingsOf returns a scenario's settings and stand-alone expression, without descriptive fields.
func settingsOf(s scenario.Scenario) scenario.Scenario {
	return scenario.Scenario{
		Kubernetes: s.Kubernetes, Now: s.Now, BeforeValidation: s.BeforeValidation, Options: s.Options,
		Expression: s.Expression, ExpressionContext: s.ExpressionContext,
	}
}
