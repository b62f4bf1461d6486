package cli

import (
	"os"
	"path/filepath"
	"strings"

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
}

// manifestSet is what check and fix work on: files, joined into the texts of one
// scenario.
type manifestSet struct {
	scenario.Scenario
	files   []*manifest
	sources text.Sources
}

// homes are the texts of the files of a scenario folder.
var homes = map[string]diag.Text{"policies": diag.Policies, "request": diag.Request, "cluster": diag.Cluster}

// readManifests reads files, and the YAML and JSON files of folders. In a folder
// with a policies.yaml the other files of a scenario are what they are there;
// everything else is configuration.
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
			_, err := os.Stat(filepath.Join(path, "policies.yaml"))
			isScenario = err == nil
		}
		for _, name := range names {
			base := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
			to, known := homes[base]
			if isScenario && !known {
				continue // scenario.yaml, expected.yaml
			}
			if !isScenario {
				to = diag.Policies
			}
			data, err := a.read(name)
			if err != nil {
				return nil, err
			}
			set.add(name, string(data), to)
		}
	}
	return set, nil
}

func (m *manifestSet) add(name, content string, to diag.Text) {
	joined := map[diag.Text]*string{diag.Policies: &m.Policies, diag.Request: &m.Request, diag.Cluster: &m.Cluster}[to]
	if *joined != "" {
		if !strings.HasSuffix(*joined, "\n") {
			*joined += "\n"
		}
		*joined += separator
	}
	if m.sources[to] == nil {
		m.sources[to] = &text.Source{}
	}
	m.files = append(m.files, &manifest{path: name, content: content, text: to, start: len(*joined)})
	m.sources[to].Pieces = append(m.sources[to].Pieces, text.Piece{File: displayName(name), Start: len(*joined), Line: 1})
	*joined += content
	m.sources[to].Text = *joined
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
