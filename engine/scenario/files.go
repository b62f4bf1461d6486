package scenario

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// The files of a scenario, in archive order.
const (
	SettingsFile   = "scenario.yaml"
	PoliciesFile   = "policies.yaml"
	RequestFile    = "request.yaml"
	ClusterFile    = "cluster.yaml"
	ExpressionFile = "expression.cel"
	// RulesFile holds the expression text and implies the context rule.
	RulesFile = "rules.yaml"
	// ExpectedFile is next to them. It holds a test's expected report.
	ExpectedFile = "expected.yaml"
	// CasesFile is next to them. It holds more requests with their expected results.
	CasesFile = "cases.yaml"
)

// FileNames lists the possible files of a scenario.
func FileNames() []string {
	return []string{SettingsFile, PoliciesFile, RequestFile, ClusterFile, ExpressionFile, RulesFile}
}

// formScenario reports whether files are those of a scenario, by their names. A lone policies.yaml or
// cluster.yaml beside other manifests may be any file, but not in an archive.
func formScenario(names []string, archived bool) bool {
	var own, others int
	lone := true
	for _, name := range names {
		switch {
		case slices.Contains(FileNames(), name):
			own++
			lone = lone && (name == PoliciesFile || name == ClusterFile)
		case name == ExpectedFile, name == CasesFile:
			lone = false
		case slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(name)) && slip(name) == "":
			others++
		}
	}
	return own > 0 && (archived || own > 1 || !lone || others == 0)
}

// expressionFile is the file for the scenario's expression.
func (s Scenario) expressionFile() string {
	if s.ExpressionContext == RuleContext {
		return RulesFile
	}
	return ExpressionFile
}

// fromNamed builds a scenario from its files, all of them optional. It ignores other files, but
// reports names that look like a typo.
func fromNamed(files map[string][]byte) (Scenario, []diag.Diagnostic) {
	s := Scenario{
		Policies:   string(files[PoliciesFile]),
		Request:    string(files[RequestFile]),
		Cluster:    string(files[ClusterFile]),
		Expression: string(files[ExpressionFile]),
	}
	diags := s.readSettings(string(files[SettingsFile]))
	if rules, ok := files[RulesFile]; ok {
		s.Expression, s.ExpressionContext = string(rules), RuleContext
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if meant := slip(name); meant != "" {
			diags = append(diags, diag.Diagnostic{
				Code: codes.UnreadFile, Severity: diag.Warning, Text: diag.Settings,
				Summary: fmt.Sprintf("the file %s is not read; did you mean %s?", name, meant),
			})
		}
	}
	return s, diags
}

// slips are names, without extensions, that people mistakenly give to scenario files.
var slips = map[string]string{
	"scenario": SettingsFile, "scenarios": SettingsFile, "settings": SettingsFile,
	"policies": PoliciesFile, "policy": PoliciesFile,
	"request": RequestFile, "requests": RequestFile, "object": RequestFile,
	"cluster": ClusterFile, "resources": ClusterFile, "params": ClusterFile,
	"expression": ExpressionFile, "expressions": ExpressionFile, "rules": RulesFile, "rule": RulesFile,
}

// slip returns the scenario file that a name probably means, such as policy.yaml, policies.yml or
// request.json. It returns "" for correct and unrelated names.
func slip(name string) string {
	ext := path.Ext(name)
	if !slices.Contains([]string{".yaml", ".yml", ".json", ".cel", ""}, ext) {
		return ""
	}
	if meant := slips[strings.ToLower(strings.TrimSuffix(name, ext))]; meant != name {
		return meant
	}
	return ""
}

// Files returns the scenario's files. Empty texts and default settings have none. FromFS reads a
// folder with these files as the same scenario.
func (s Scenario) Files() (map[string][]byte, error) {
	files := map[string][]byte{}
	settings, err := s.settingsText()
	if err != nil {
		return nil, err
	}
	for name, content := range map[string][]byte{
		SettingsFile: settings, PoliciesFile: []byte(s.Policies), RequestFile: []byte(s.Request),
		ClusterFile: []byte(s.Cluster), s.expressionFile(): []byte(s.Expression),
	} {
		if len(content) > 0 {
			files[name] = content
		}
	}
	return files, nil
}

// FromTxtar builds a scenario from a txtar archive (golang.org/x/tools/txtar): a text with a line
// "-- policies.yaml --" before each file's content. Text before the first file is the description,
// unless scenario.yaml has one. If no file has a scenario file's name, Classify places them all.
func FromTxtar(data []byte) (Scenario, []diag.Diagnostic) {
	archive := txtar.Parse(data)
	if len(archive.Files) > 0 && !slices.ContainsFunc(archive.Files, func(f txtar.File) bool { return slices.Contains(FileNames(), f.Name) }) {
		c := Classify([]File{{"scenario.txtar", string(data)}}, Given{})
		return c.Scenario, c.Diagnostics
	}
	files := map[string][]byte{}
	var diags []diag.Diagnostic
	for _, f := range archive.Files {
		if _, twice := files[f.Name]; twice {
			diags = append(diags, diag.Diagnostic{
				Code: codes.FileTwice, Severity: diag.Error, Text: diag.Settings,
				Summary: fmt.Sprintf("the archive has the file %s twice; only the first is read", f.Name),
			})
			continue
		}
		files[f.Name] = f.Data
	}
	if len(archive.Files) == 0 && len(strings.TrimSpace(string(data))) > 0 {
		diags = append(diags, diag.Diagnostic{
			Code: codes.NoFiles, Severity: diag.Error, Text: diag.Settings,
			Summary: "the archive has no files",
			Detail:  "A txtar archive has a line such as \"-- policies.yaml --\" before each file.",
		})
	}
	s, more := fromNamed(files)
	if s.Description == "" {
		s.Description = strings.TrimSpace(string(archive.Comment))
	}
	return s, append(diags, more...)
}

// Txtar writes the scenario as a txtar archive. The format ends every file with a line feed and has
// no quoting, so Txtar rejects a text with a line such as "-- name --".
func (s Scenario) Txtar() ([]byte, error) {
	files, err := s.Files()
	if err != nil {
		return nil, err
	}
	var archive txtar.Archive
	for _, name := range FileNames() {
		content, ok := files[name]
		if !ok {
			continue
		}
		if len(txtar.Parse(content).Files) > 0 {
			return nil, fmt.Errorf("%s has a line that txtar would read as the start of a file", name)
		}
		archive.Files = append(archive.Files, txtar.File{Name: name, Data: content})
	}
	return txtar.Format(&archive), nil
}
