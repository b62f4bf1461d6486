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

// readManifests reads files, and the YAML and JSON files of folders. In a folder
// with a policies.yaml, and in a txtar archive, the files of a scenario are what they
// are there; everything else is configuration.
func (a *app) readManifests(command string, paths []string) (*manifestSet, error) {
	if len(paths) == 0 {
		return nil, badInput("%s: name a folder or files with policies, or - for the standard input", command)
	}
	set := &manifestSet{sources: text.Sources{}}
	for _, path := range paths {
		names, isScenario := []string{path}, false
		if info, err := os.Stat(path); path != "-" && err != nil {
			return nil, unreadable(err)
		} else if path != "-" && info.IsDir() {
			if names, err = manifests(path); err != nil {
				return nil, err
			}
			_, err := os.Stat(filepath.Join(path, scenario.PoliciesFile))
			isScenario = err == nil
		}
		for _, name := range names {
			data, err := a.read(name)
			switch {
			case err != nil:
				return nil, err
			case isScenario:
				set.addMember(&manifest{path: name, content: string(data)}, 1)
			case !set.addArchive(name, string(data)):
				set.add(&manifest{path: name, content: string(data), text: diag.Policies}, 1)
			}
		}
	}
	if !slices.ContainsFunc(set.files, func(f *manifest) bool { return strings.TrimSpace(f.content) != "" }) {
		var names []string
		for _, path := range paths {
			names = append(names, displayName(path))
		}
		return nil, badInput("%s: there is nothing in %s", command, strings.Join(names, ", "))
	}
	return set, nil
}

// addArchive adds the members of a txtar archive with the files of a scenario. It
// reports false for any other file.
func (m *manifestSet) addArchive(name, content string) bool {
	read := txtar.Parse([]byte(content))
	known := func(f txtar.File) bool { return slices.Contains(scenario.FileNames(), f.Name) }
	if filepath.Ext(name) != ".txtar" && !slices.ContainsFunc(read.Files, known) {
		return false
	}
	whole := &archive{path: name, content: content, files: read.Files, comment: read.Comment}
	line := strings.Count(string(read.Comment), "\n") + 1
	for i, f := range read.Files {
		line++ // the marker
		m.addMember(&manifest{path: f.Name, content: string(f.Data), archive: whole, member: i}, line)
		line += strings.Count(string(f.Data), "\n")
	}
	return true
}

// addMember adds a file of a scenario, which begins in a line of its file; others, such
// as expected.yaml, are left out.
func (m *manifestSet) addMember(f *manifest, line int) {
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
	}
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
