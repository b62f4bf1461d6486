package cli

import (
	"encoding/xml"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/preadmit/preadmit/engine/expect"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/render/text"
)

func (a *app) printTests(results []testResult, format string) error {
	switch format {
	case "json":
		return writeJSON(a.stdout, results)
	case "junit":
		var cases []junitCase
		for _, r := range results {
			cases = append(cases, r.asJUnit())
		}
		return writeJUnit(a.stdout, cases)
	case "sarif":
		return writeJSON(a.stdout, sarifOfTests(results))
	}
	var b strings.Builder
	write := func(format string, args ...any) { b.WriteString(text.Safe(fmt.Sprintf(format, args...))) }
	passed, failed := 0, 0
	for _, r := range results {
		for _, left := range r.NotTaken {
			write("not taken  %s\n", text.Line(left.String()))
			if format == "github" {
				b.WriteString(annotation("warning", left.File, left.Line, "not used from the tests of "+r.Tool, left.What))
			}
		}
		switch {
		case !r.Pass:
			failed++
			write("FAIL     %s\n%s", text.Line(r.name()), r.details("         "))
			if format == "github" {
				b.WriteString(r.annotations())
			}
		case r.Updated:
			passed++
			write("updated  %s\n", text.Line(r.name()))
		default:
			passed++
			write("ok       %s%s\n", text.Line(r.name()), text.Line(r.silent()))
		}
	}
	write("%d passed, %d failed\n", passed, failed)
	_, err := io.WriteString(a.stdout, b.String()) // with annotations, which are commands
	return err
}

// silent returns what a passing test must mention: policies that did not run.
func (r testResult) silent() string {
	if len(r.NotRun) == 0 {
		return ""
	}
	return "  (" + report.DidNotRun(r.NotRun) + ")"
}

// details says why a test failed, one difference after the other.
func (r testResult) details(indent string) string {
	if r.Error != "" {
		return indent + r.Error + "\n"
	}
	var b strings.Builder
	for _, d := range r.Differences {
		at := r.file
		if d.Line > 0 {
			at = fmt.Sprintf("%s:%d", r.file, d.Line+r.line)
		}
		fmt.Fprintf(&b, "%s%s: %s\n", indent, text.Line(at), describe(d, indent+"  "))
	}
	return b.String()
}

// place returns a difference's place, as far as known.
func (r testResult) place(d expect.Difference) (file string, line int) {
	if d.Line > 0 {
		return r.file, d.Line + r.line
	}
	return r.file, 0
}

// annotations returns the differences as GitHub workflow commands. The runner shows each at its
// line.
func (r testResult) annotations() string {
	if r.Error != "" {
		return annotation("error", r.file, 1, r.name(), r.Error)
	}
	var b strings.Builder
	for _, d := range r.Differences {
		file, line := r.place(d)
		b.WriteString(annotation("error", file, line, r.name(), describe(d, "  ")))
	}
	return b.String()
}

// annotation writes one error or warning as a workflow command, with its special escapes.
func annotation(level, file string, line int, title, message string) string {
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	return fmt.Sprintf("::%s file=%s,line=%d,title=%s::%s\n", level, property.Replace(text.Safe(filepath.ToSlash(file))), max(line, 1), property.Replace(text.Safe(title)), data.Replace(text.Safe(message)))
}

// The SARIF rules: kinds of test results.
var testRules = []sarifRule{
	{"test-not-taken", sarifText{"Another tool's test was used only in part"}, sarifText{"The field has no meaning for an API server, or is not simulated: see the documentation about other tools' tests."}},
	{"test-failed", sarifText{"A result differs from the expected one"}, sarifText{"The API server's result differs from expected.yaml or cases.yaml."}},
	{"test-error", sarifText{"A test could not be run"}, sarifText{"The scenario or its expected result cannot be read."}},
}

// sarifOfTests writes the failures as one run.
func sarifOfTests(results []testResult) sarifLog {
	run := sarifRun{Tool: sarifTool{sarifDriver{Name: "preadmit", Rules: testRules}}, Results: []sarifResult{}}
	add := func(rule, level, message, file string, line int) {
		run.Results = append(run.Results, sarifResult{RuleID: rule, Level: level, Message: sarifText{message}, Locations: []sarifLocation{{sarifPhysical{
			Artifact: sarifArtifact{filepath.ToSlash(file)}, Region: sarifRegion{StartLine: max(line, 1), StartColumn: 1},
		}}}})
	}
	for _, r := range results {
		for _, left := range r.NotTaken {
			add("test-not-taken", "warning", left.What, left.File, left.Line)
		}
		if r.Error != "" {
			add("test-error", "error", r.name()+": "+r.Error, r.file, 1)
		}
		for _, d := range r.Differences {
			file, line := r.place(d)
			add("test-failed", "error", r.name()+": "+describe(d, "  "), file, line)
		}
	}
	return sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}}
}

// describe says how a report differs, on one line if the values are short.
func describe(d expect.Difference, indent string) string {
	head := d.Path
	if d.Problem != "" {
		head += ": " + d.Problem
		if d.Want == nil || d.Got == nil {
			return head
		}
	}
	want, got := expect.Shown(d.Want), expect.Shown(d.Got)
	if len(want)+len(got) <= 60 {
		return fmt.Sprintf("%s: want %s, got %s", head, want, got)
	}
	return fmt.Sprintf("%s\n%swant %s\n%sgot  %s", head, indent, want, indent, got)
}

// The JUnit format, as CI systems read it.
type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name      string        `xml:"name,attr"`
	ClassName string        `xml:"classname,attr"`
	Failure   *junitProblem `xml:"failure"`
	Error     *junitProblem `xml:"error"`
	// Output is what a passing test must mention.
	Output string `xml:"system-out,omitempty"`
}

type junitProblem struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// asJUnit is the result of a test for JUnit.
func (r testResult) asJUnit() junitCase {
	c := junitCase{Name: r.name()}
	switch {
	case r.Error != "":
		c.Error = &junitProblem{Message: r.Error}
	case !r.Pass:
		c.Failure = &junitProblem{Message: fmt.Sprintf("%d differences", len(r.Differences)), Text: r.details("")}
	default:
		c.Output = report.DidNotRun(r.NotRun)
	}
	return c
}

func writeJUnit(w io.Writer, cases []junitCase) error {
	suite := junitSuite{Name: "preadmit", Tests: len(cases), Cases: cases}
	for i := range cases {
		c := &cases[i]
		c.ClassName = "preadmit"
		if c.Error != nil {
			suite.Errors++
		} else if c.Failure != nil {
			suite.Failures++
		}
	}
	raw, err := xml.MarshalIndent(suite, "", "  ")
	if err != nil {
		return fmt.Errorf("writing JUnit: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, raw)
	return err
}
