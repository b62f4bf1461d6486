package language

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/cmd/preadmit/internal/joined"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

// folder is the files of a folder as one scenario: what the server of the policies in it knows.
type folder struct {
	joined.Set
	dir string
	// revision is that of the open documents when it was read.
	revision uint64
	// settings are the problems of scenario.yaml.
	settings diag.Diagnostics
	// tests are the requests with what is expected of them, testTexts the files that say so.
	tests     []test
	testTexts string
	// chosen is the case or file that the request comes from; empty for request.yaml.
	chosen string
}

// groups are the API groups whose documents this server is for.
var groups = []string{"admissionregistration.k8s.io/", "apiextensions.k8s.io/", "preadmit.dev/"}

// outside are the groups of documents with CEL outside admission, which belong to any text.
var outside = []string{"resource.k8s.io/", "apiserver.config.k8s.io/"}

// concerns reports whether a file has documents that this server is for. Editors send it
// all YAML.
func concerns(content string) bool { return mentions(content, groups) || mentions(content, outside) }

func mentions(content string, groups []string) bool {
	return slices.ContainsFunc(groups, func(group string) bool { return strings.Contains(content, group) })
}

// roles are the texts of a scenario's files.
var roles = map[string]diag.Text{
	scenario.PoliciesFile: diag.Policies, scenario.RequestFile: diag.Request, scenario.ClusterFile: diag.Cluster, scenario.ExpressionFile: diag.Expression, scenario.RulesFile: diag.Expression,
}

func (s *Server) load(dir string) *folder {
	s.mu.Lock()
	f := &folder{dir: dir, revision: s.revision}
	s.mu.Unlock()
	var files, others []*joined.File
	for _, path := range s.paths(dir) {
		content, ok := s.content(path)
		if !ok {
			continue
		}
		file := &joined.File{Path: path, Content: content}
		name := filepath.Base(path)
		switch role, known := roles[name]; {
		case known:
			file.Text = role
			files = append(files, file)
			if name == scenario.RulesFile {
				f.ExpressionContext = scenario.RuleContext
			}
		case name == scenario.SettingsFile:
			f.set(file)
		case name == scenario.CasesFile, name == scenario.ExpectedFile:
		case mentions(content, groups):
			file.Text = diag.Policies
			files = append(files, file)
		case strings.Contains(content, "apiVersion") && strings.Contains(content, "kind"):
			file.Text = diag.Cluster
			others = append(others, file)
		}
	}
	room := scenario.MaxTextBytes // it may be a folder of anything
	for _, file := range others {
		if room -= len(file.Content); room >= 0 {
			files = append(files, file)
		}
	}
	f.Add(files...)
	for _, name := range f.Options.PolicyFiles {
		s.addReferenced(f, filepath.Join(dir, filepath.FromSlash(name)))
	}
	f.Options.PolicyFiles = nil
	s.readTests(f)
	s.choose(f)
	return f
}

// set takes the settings of a scenario.
func (f *folder) set(file *joined.File) {
	c := scenario.Classify([]scenario.File{{Name: scenario.SettingsFile, Text: file.Content}}, scenario.Given{})
	f.Title, f.Kubernetes, f.Now, f.Options, f.BeforeValidation = c.Scenario.Title, c.Scenario.Kubernetes, c.Scenario.Now, c.Scenario.Options, c.Scenario.BeforeValidation
	f.ExpressionContext = cmp.Or(f.ExpressionContext, c.Scenario.ExpressionContext)
	f.settings = c.Diagnostics
	file.Text = diag.Settings
	f.Files = append(f.Files, file)
}

// addReferenced adds a file with policies that the settings name, or those of a folder.
func (s *Server) addReferenced(f *folder, path string) {
	list := []string{path}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		list = s.paths(path)
	}
	for _, path := range list {
		known := slices.ContainsFunc(f.Files, func(other *joined.File) bool { return other.Path == path })
		if content, ok := s.content(path); ok && !known {
			f.Add(&joined.File{Path: path, Content: content, Text: diag.Policies})
		}
	}
}

// extensions are those of the files that may be read.
var extensions = []string{".yaml", ".yml", ".json", ".cel"}

// paths are the files of a folder that may be read, by name, and what the editor has open there.
func (s *Server) paths(dir string) []string {
	var out []string
	if filepath.IsAbs(dir) {
		entries, _ := os.ReadDir(dir) // a folder that is not there yet has what is open
		for _, e := range entries {
			if slices.Contains(extensions, filepath.Ext(e.Name())) {
				out = append(out, filepath.Join(dir, e.Name()))
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for path := range s.given {
		if folderOf(path) == dir && slices.Contains(extensions, filepath.Ext(path)) && !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	for path := range s.open {
		if folderOf(path) == dir && !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}

// find is a file of the folder; nil for one that takes no part.
func (f *folder) find(path string) *joined.File {
	i := slices.IndexFunc(f.Files, func(file *joined.File) bool { return file.Path == path })
	if i < 0 {
		return nil
	}
	return f.Files[i]
}
