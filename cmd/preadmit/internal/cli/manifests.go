package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/text"
)

// manifest is a file of configuration, and where its content is in one of the
// texts of a scenario.
type manifest struct {
	path    string
	content string
	text    diag.Text
	start   int // in the text, bytes
	// archive is what the file is a member of, nil for a file of its own.
	archive *archive
	member  int
}

// archive is a scenario in one txtar file.
type archive struct {
	path    string
	content string
	files   []txtar.File
	comment []byte
}

// format is the archive with the members as they are now.
func (a *archive) format() string {
	return string(txtar.Format(&txtar.Archive{Comment: a.comment, Files: a.files}))
}

// manifestSet is what check and fix work on: files, joined into the texts of one
// scenario.
type manifestSet struct {
	scenario.Scenario
	files   []*manifest
	sources text.Sources
	// problems are those of the settings of a scenario.
	problems diag.Diagnostics
}

// homes are the texts of the files of a scenario folder.
var homes = map[string]diag.Text{"policies": diag.Policies, "request": diag.Request, "cluster": diag.Cluster}

// readManifests reads what check and fix work on: files, those that match a pattern, and what
// lies below folders. A folder or an archive with a scenario is a set of its own, in which its
// files are what they are there; everything else is configuration of one cluster, and one set.
// A scenario that is the only one, and named itself, is a part of that set.
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
		rest.add(&manifest{path: name, content: string(data), text: diag.Policies}, 1)
	}
	sets = slices.DeleteFunc(append([]*manifestSet{rest}, sets...), func(set *manifestSet) bool { return !set.hasText() })
	if len(sets) == 0 {
		var names []string
		for _, path := range paths {
			names = append(names, displayName(path))
		}
		return nil, badInput("%s: there is nothing in %s", command, strings.Join(names, ", "))
	}
	return sets, nil
}

// hasText reports whether anything is in the files of a set.
func (m *manifestSet) hasText() bool {
	return slices.ContainsFunc(m.files, func(f *manifest) bool { return strings.TrimSpace(f.content) != "" })
}

// foundManifests are the files and scenarios that arguments name.
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
			found.scenarios, found.named = append(found.scenarios, name), true // or a file: its text says so
		case err != nil && isPattern(name):
			files, err := matching(name)
			if err != nil {
				return nil, err
			}
			found.files = append(found.files, files...)
		case err != nil:
			return nil, unreadable(err)
		case !info.IsDir():
			isOne, err := holdsScenario(name)
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
			if err := t.walk(name); err != nil {
				return nil, err
			}
			t.withoutPoliciesOfScenarios()
			found.files = append(found.files, t.manifests...)
			found.scenarios = append(found.scenarios, t.scenarios...)
			found.named = found.named || slices.Contains(t.scenarios, name)
			if len(t.manifests)+len(t.scenarios) == 0 {
				return nil, badInput("%s: the folder and those in it have no .yaml, .yml or .json file with policies, and no scenario", name)
			}
		}
	}
	return found, nil
}

// holdsScenario reports whether a file is an archive with a scenario.
func holdsScenario(name string) (bool, error) {
	data, err := readFile(name)
	if err != nil {
		return false, err
	}
	return isScenarioArchive(name, txtar.Parse(data)), nil
}

func isScenarioArchive(name string, read *txtar.Archive) bool {
	known := func(f txtar.File) bool { return slices.Contains(scenario.FileNames(), f.Name) }
	return filepath.Ext(name) == ".txtar" || slices.ContainsFunc(read.Files, known)
}

// readScenario adds the files of a scenario, and those with policies that it names.
func (a *app) readScenario(set *manifestSet, path string) error {
	if path != "-" && isDir(path) {
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
			if err := set.addMember(&manifest{path: file, content: string(data)}, 1); err != nil {
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
	set.add(&manifest{path: path, content: string(data), text: diag.Policies}, 1)
	return nil
}

// addArchive adds the members of a txtar archive with the files of a scenario. It
// reports false for any other file.
func (m *manifestSet) addArchive(name, content string) (bool, error) {
	read := txtar.Parse([]byte(content))
	if !isScenarioArchive(name, read) {
		return false, nil
	}
	whole := &archive{path: name, content: content, files: read.Files, comment: read.Comment}
	line := strings.Count(string(read.Comment), "\n") + 1
	for i, f := range read.Files {
		line++ // the marker
		if err := m.addMember(&manifest{path: f.Name, content: string(f.Data), archive: whole, member: i}, line); err != nil {
			return true, err
		}
		line += strings.Count(string(f.Data), "\n")
	}
	return true, nil
}

// addMember adds a file of a scenario, which begins in a line of its file; others, such
// as expected.yaml, are left out.
func (m *manifestSet) addMember(f *manifest, line int) error {
	name := filepath.Base(f.path)
	to, known := homes[strings.TrimSuffix(name, filepath.Ext(name))]
	switch {
	case known:
		f.text = to
		m.add(f, line)
	case name == scenario.SettingsFile:
		c := scenario.Classify([]scenario.File{{Name: name, Text: f.content}}, scenario.Given{})
		m.Kubernetes, m.Options = c.Scenario.Kubernetes, c.Scenario.Options
		for _, d := range c.Diagnostics {
			d.File, d.Line = f.display(), d.Line+line-1
			m.problems = append(m.problems, d)
		}
		return m.addReferenced(f, line)
	}
	return nil
}

// addReferenced adds the files with policies that the settings name.
func (m *manifestSet) addReferenced(f *manifest, line int) error {
	settings := text.Sources{diag.Settings: &text.Source{}}
	settings[diag.Settings].Add(f.display(), f.content, line)
	files, err := referencedFiles(m.Options.PolicyFiles, f.content, settings)
	if err != nil {
		return err
	}
	m.Options.PolicyFiles = nil
	for _, file := range files {
		if slices.ContainsFunc(m.files, func(other *manifest) bool { return filepath.Clean(other.path) == file }) || m.ownPolicies(f, file) {
			continue
		}
		data, err := readFile(file)
		if err != nil {
			return err
		}
		m.add(&manifest{path: file, content: string(data), text: diag.Policies}, 1)
	}
	return nil
}

// ownPolicies reports whether a file is the policies.yaml beside the settings, which is added
// as a file of the scenario.
func (m *manifestSet) ownPolicies(settings *manifest, file string) bool {
	return settings.archive == nil && file == filepath.Join(filepath.Dir(settings.path), scenario.PoliciesFile)
}

// display is the name of the file on disk.
func (f *manifest) display() string {
	if f.archive != nil {
		return displayName(f.archive.path)
	}
	return displayName(f.path)
}

// add puts a file, which begins in a line of its file, behind the others of its text.
func (m *manifestSet) add(f *manifest, line int) {
	joined := map[diag.Text]*string{diag.Policies: &m.Policies, diag.Request: &m.Request, diag.Cluster: &m.Cluster}[f.text]
	if *joined != "" {
		if !strings.HasSuffix(*joined, "\n") {
			*joined += "\n"
		}
		*joined += separator
	}
	if m.sources[f.text] == nil {
		m.sources[f.text] = &text.Source{}
	}
	f.start = len(*joined)
	m.files = append(m.files, f)
	m.sources[f.text].Pieces = append(m.sources[f.text].Pieces, text.Piece{File: f.display(), Start: f.start, Line: line})
	*joined += f.content
	m.sources[f.text].Text = *joined
}

const separator = "---\n"

// edited gives each file its part of the edits, which count in the joined texts.
func (m *manifestSet) edited(round diag.Fix) error {
	for _, f := range m.files {
		own := diag.Fix{Title: round.Title}
		shift := 0
		for _, e := range round.Edits {
			if e.Text != f.text {
				continue
			}
			begin, end := f.start, f.start+len(f.content)
			switch {
			case e.Span.Start >= begin && e.Span.End <= end && !(e.Span.Start == end && m.beginsAt(f, end)):
				own.Edits = append(own.Edits, diag.Edit{Text: e.Text, Span: diag.Span{Start: e.Span.Start - begin, End: e.Span.End - begin}, New: e.New})
			case e.Span.End <= begin:
				shift += len(e.New) - (e.Span.End - e.Span.Start)
			}
		}
		changed, err := own.Apply(f.text, f.content)
		if err != nil {
			return err
		}
		f.content = changed
		f.start += shift
	}
	return nil
}

// beginsAt reports whether another file of the same text begins at an offset.
func (m *manifestSet) beginsAt(f *manifest, at int) bool {
	for _, other := range m.files {
		if other != f && other.text == f.text && other.start == at {
			return true
		}
	}
	return false
}

// place gives problems the files and lines that the reader knows.
func (m *manifestSet) place(list diag.Diagnostics) { (&input{sources: m.sources}).place(list) }
