package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/preadmit/preadmit/cmd/preadmit/internal/joined"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/text"
)

// manifest is a configuration file in one of a scenario's texts.
type manifest struct {
	joined.File
	// archive is the archive that has the file, or nil.
	archive *archive
	member  int
}

// newManifest returns a manifest for a single file.
func newManifest(path string, data []byte, text diag.Text) *manifest {
	return &manifest{File: joined.File{Path: path, Content: string(data), Text: text}}
}

// archive is a scenario in one txtar file.
type archive struct {
	path    string
	content string
	files   []txtar.File
	comment []byte
}

// format returns the archive with its members' current content.
func (a *archive) format() string {
	return string(txtar.Format(&txtar.Archive{Comment: a.comment, Files: a.files}))
}

// manifestSet is a set of files for check and fix, joined into one scenario's texts.
type manifestSet struct {
	joined.Set
	files   []*manifest
	sources text.Sources
	// settings is the scenario's scenario.yaml, or nil.
	settings *manifest
	// folder and archive are where the scenario is, if the set has one.
	folder  string
	archive *archive
	// problems are the problems in a scenario's settings.
	problems diag.Diagnostics
}

// homes are the texts of a scenario folder's files.
var homes = map[string]diag.Text{"policies": diag.Policies, "request": diag.Request, "cluster": diag.Cluster}

// readManifests reads the input of check and fix: files, those that match a pattern, and the files
// below folders. A scenario in a folder or archive is a set of its own, in which its files keep
// their roles. Everything else configures one cluster and is one set. If the only scenario is named
// directly, it belongs to that set.
func (a *app) readManifests(command string, paths []string) ([]*manifestSet, error) {
	if len(paths) == 0 {
		return nil, badInput("%s: name a folder or files with policies, or - for the standard input", command)
	}
	found, err := a.findManifests(paths)
	if err != nil {
		return nil, err
	}
	rest := &manifestSet{sources: text.Sources{}}
	var sets []*manifestSet
	for _, one := range found.scenarios {
		set := rest
		if len(found.scenarios) > 1 || !found.named {
			set = &manifestSet{sources: text.Sources{}}
			sets = append(sets, set)
		}
		if err := a.readScenario(set, one); err != nil {
			return nil, err
		}
	}
	for _, name := range found.files {
		data, err := a.read(name)
		if err != nil {
			return nil, err
		}
		rest.add(newManifest(name, data, diag.Policies), 1)
	}
	sets = slices.DeleteFunc(append([]*manifestSet{rest}, sets...), func(set *manifestSet) bool { return !set.hasText() })
	if len(sets) == 0 {
		return nil, badInput("%s: there is nothing in %s", command, displayNames(paths))
	}
	return sets, nil
}

func displayNames(paths []string) string {
	var names []string
	for _, path := range paths {
		names = append(names, displayName(path))
	}
	return strings.Join(names, ", ")
}

// configures reports whether a set has documents of policies or of the cluster, which check looks at. A scenario need
// not have any.
func (m *manifestSet) configures() bool {
	if m.folder != "" || m.archive != nil {
		return true
	}
	var files []scenario.File
	for _, f := range m.files {
		files = append(files, scenario.File{Name: f.Path, Text: f.Content})
	}
	sorted := scenario.Classify(files, scenario.Given{}).Scenario
	if sorted.Policies != "" || sorted.Cluster != "" {
		return true
	}
	docs, _ := scenario.ParseDocuments(diag.Request, sorted.Request) // a lone definition is the request
	return slices.ContainsFunc(docs, func(d *scenario.Document) bool { return d.Kind == "CustomResourceDefinition" })
}

// hasText reports whether a set's files have any content.
func (m *manifestSet) hasText() bool {
	return slices.ContainsFunc(m.files, func(f *manifest) bool { return strings.TrimSpace(f.Content) != "" })
}

// foundManifests are the files and scenarios that the arguments name.
type foundManifests struct {
	files, scenarios []string
	// named says that an argument is a scenario itself.
	named bool
}

func (a *app) findManifests(paths []string) (*foundManifests, error) {
	found := &foundManifests{}
	for _, name := range paths {
		info, err := os.Stat(name)
		switch {
		case name == "-":
			found.scenarios, found.named = append(found.scenarios, name), true // or a file: its content tells
		case err != nil && isPattern(name):
			files, err := matchingPolicies(name)
			if err != nil {
				return nil, err
			}
			found.files = append(found.files, files...)
		case err != nil:
			return nil, unreadable(err)
		case !info.IsDir():
			isOne, err := a.holdsScenario(name)
			if err != nil {
				return nil, err
			}
			if isOne {
				found.scenarios, found.named = append(found.scenarios, name), true
			} else {
				found.files = append(found.files, name)
			}
		default:
			var t tree
			name = filepath.Clean(name)
			if err := t.walk(name); err != nil {
				return nil, err
			}
			t.withoutPoliciesOfScenarios()
			found.files = append(found.files, t.manifests...)
			found.scenarios = append(found.scenarios, t.scenarios...)
			found.named = found.named || slices.Contains(t.scenarios, name)
			if len(t.manifests)+len(t.scenarios) == 0 {
				return nil, badInput("%s: the folder and its subfolders have no .yaml, .yml or .json file with policies, and no scenario", name)
			}
		}
	}
	return found, nil
}

// holdsScenario reports whether a file is an archive with a scenario.
func (a *app) holdsScenario(name string) (bool, error) {
	data, err := a.read(name)
	if err != nil {
		return false, err
	}
	return isScenarioArchive(name, txtar.Parse(data)), nil
}

func isScenarioArchive(name string, read *txtar.Archive) bool {
	known := func(f txtar.File) bool { return slices.Contains(scenario.FileNames(), f.Name) }
	return filepath.Ext(name) == ".txtar" || slices.ContainsFunc(read.Files, known)
}

// readScenario adds a scenario's files, and the policy files that it names.
func (a *app) readScenario(set *manifestSet, path string) error {
	if path != "-" && isDir(path) {
		set.folder = path
		for _, name := range scenario.FileNames() {
			file := filepath.Join(path, name)
			if !isFile(file) {
				continue
			}
			if err := within(path, file); err != nil {
				return err
			}
			data, err := readFile(file)
			if err != nil {
				return err
			}
			if err := set.addMember(newManifest(file, data, ""), 1); err != nil {
				return err
			}
		}
		return nil
	}
	data, err := a.read(path)
	if err != nil {
		return err
	}
	if isOne, err := set.addArchive(path, string(data)); isOne || err != nil {
		return err
	}
	set.add(newManifest(path, data, diag.Policies), 1)
	return nil
}

// addArchive adds the members of a txtar archive with scenario files. It reports false for any
// other file.
func (m *manifestSet) addArchive(name, content string) (bool, error) {
	read := txtar.Parse([]byte(content))
	if !isScenarioArchive(name, read) {
		return false, nil
	}
	whole := &archive{path: name, content: content, files: read.Files, comment: read.Comment}
	m.archive = whole
	line := strings.Count(string(read.Comment), "\n") + 1
	for i, f := range read.Files {
		line++ // the marker
		if err := m.addMember(&manifest{File: joined.File{Path: f.Name, Content: string(f.Data)}, archive: whole, member: i}, line); err != nil {
			return true, err
		}
		line += strings.Count(string(f.Data), "\n")
	}
	return true, nil
}

// addMember adds a scenario file that begins at a line of its archive. It skips others, such as
// expected.yaml.
func (m *manifestSet) addMember(f *manifest, line int) error {
	name := filepath.Base(f.Path)
	to, known := homes[strings.TrimSuffix(name, filepath.Ext(name))]
	switch {
	case known:
		f.Text = to
		m.add(f, line)
	case name == scenario.SettingsFile:
		m.settings = f
		c := scenario.Classify([]scenario.File{{Name: name, Text: f.Content}}, scenario.Given{})
		m.Kubernetes, m.Options = c.Scenario.Kubernetes, c.Scenario.Options
		for _, d := range c.Diagnostics {
			d.File, d.Line = f.display(), d.Line+line-1
			m.problems = append(m.problems, d)
		}
		return m.addReferenced(f, line)
	}
	return nil
}

// addMissing adds an empty file to the scenario for each of its texts that an edit writes and that has no
// file yet.
func (m *manifestSet) addMissing(edits []diag.Edit) {
	for _, e := range edits {
		name := string(e.Text) + ".yaml"
		if _, known := homes[string(e.Text)]; !known || m.hasFile(e.Text) {
			continue
		}
		switch {
		case m.archive != nil:
			f := &manifest{File: joined.File{Path: name, Text: e.Text}, archive: m.archive, member: len(m.archive.files)}
			m.archive.files = append(m.archive.files, txtar.File{Name: name})
			m.add(f, 1)
		case m.folder != "":
			m.add(newManifest(filepath.Join(m.folder, name), nil, e.Text), 1)
		}
	}
}

// hasFile reports whether a text is in one of the set's files.
func (m *manifestSet) hasFile(t diag.Text) bool {
	return slices.ContainsFunc(m.files, func(f *manifest) bool { return f.Text == t })
}

// addReferenced adds the policy files named in the settings.
func (m *manifestSet) addReferenced(f *manifest, line int) error {
	settings := text.Sources{diag.Settings: &text.Source{}}
	settings[diag.Settings].Add(f.display(), f.Content, line)
	files, err := referencedFiles(m.Options.PolicyFiles, f.Content, settings)
	if err != nil {
		return err
	}
	m.Options.PolicyFiles = nil
	for _, file := range files {
		if slices.ContainsFunc(m.files, func(other *manifest) bool { return filepath.Clean(other.Path) == file }) || m.ownPolicies(f, file) {
			continue
		}
		data, err := readFile(file)
		if err != nil {
			return err
		}
		m.add(newManifest(file, data, diag.Policies), 1)
	}
	return nil
}

// ownPolicies reports whether a file is the policies.yaml next to the settings, which is added as a
// scenario file.
func (m *manifestSet) ownPolicies(settings *manifest, file string) bool {
	return settings.archive == nil && file == filepath.Join(filepath.Dir(settings.Path), scenario.PoliciesFile)
}

// display is the name of the file on disk.
func (f *manifest) display() string {
	if f.archive != nil {
		return displayName(f.archive.path)
	}
	return displayName(f.Path)
}

// add appends a file, which begins at a line of its archive, to its text.
func (m *manifestSet) add(f *manifest, line int) {
	m.Set.Add(&f.File)
	m.files = append(m.files, f)
	if m.sources[f.Text] == nil {
		m.sources[f.Text] = &text.Source{}
	}
	m.sources[f.Text].Pieces = append(m.sources[f.Text].Pieces, text.Piece{File: f.display(), Start: f.Start, Line: line})
	m.sources[f.Text].Text = *m.Of(f.Text)
}

// place sets the problems' files and lines as the reader knows them.
func (m *manifestSet) place(list diag.Diagnostics) { (&input{sources: m.sources}).place(list) }
