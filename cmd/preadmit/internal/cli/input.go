package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/expect"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/text"
)

// maxFile is the size of the largest file that is read, in bytes: as much as
// the parser takes of one text.
const maxFile = scenario.MaxTextBytes

// input is a scenario with the files that it came from.
type input struct {
	scenario.Scenario
	sources text.Sources
	// problems are those of the files themselves; the engine does not know them.
	problems []diag.Diagnostic
	// expected is the content of expected.yaml, nil when there is none, and
	// expectedLine the line of the archive before it (0 in a folder).
	expected     []byte
	expectedLine int
}

// textFiles are the texts of a scenario by the names of their files.
var textFiles = map[string]diag.Text{
	scenario.SettingsFile:   diag.Settings,
	scenario.PoliciesFile:   diag.Policies,
	scenario.RequestFile:    diag.Request,
	scenario.ClusterFile:    diag.Cluster,
	scenario.ExpressionFile: diag.Expression,
}

// read returns the content of a file; - is the standard input.
func (a *app) read(name string) ([]byte, error) {
	var r io.Reader = a.stdin
	if name == "-" {
		if a.stdinRead {
			return nil, badInput("the standard input (-) can be read only once")
		}
		a.stdinRead = true
	} else {
		f, err := os.Open(name)
		if err != nil {
			return nil, unreadable(err)
		}
		defer f.Close()
		r = f
	}
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, unreadable(err)
	}
	if len(data) > maxFile {
		return nil, badInput("%s:1:1: the file is larger than %d MiB", displayName(name), maxFile>>20)
	}
	return data, nil
}

func displayName(name string) string {
	if name == "-" {
		return "<stdin>"
	}
	return name
}

// load reads a scenario from a folder, a txtar archive, a YAML file that holds
// everything, or - for one of the latter two on the standard input.
func (a *app) load(path string) (*input, error) {
	if path != "-" {
		info, err := os.Stat(path)
		if err != nil {
			return nil, unreadable(err)
		}
		if info.IsDir() {
			return a.loadFolder(path)
		}
	}
	data, err := a.read(path)
	if err != nil {
		return nil, err
	}
	if isArchive(path, data) {
		return loadArchive(displayName(path), data), nil
	}
	return loadYAML(displayName(path), data)
}

// isArchive goes by the name of the file, and of the standard input by its
// content.
func isArchive(path string, data []byte) bool {
	if path != "-" {
		return filepath.Ext(path) == ".txtar"
	}
	return slices.ContainsFunc(txtar.Parse(data).Files, func(f txtar.File) bool { return textFiles[f.Name] != "" })
}

// loadFolder reads the files of a scenario that exist in a folder.
func (a *app) loadFolder(dir string) (*input, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, unreadable(err)
	}
	files := map[string][]byte{}
	in := &input{sources: text.Sources{}}
	known := false
	for _, e := range entries {
		name := e.Name()
		_, wanted := textFiles[name]
		if !wanted && name != expect.FileName {
			files[name] = nil // only its name is looked at, in case it is a slip
			continue
		}
		data, err := a.read(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		if name == expect.FileName {
			in.expected = data
			continue
		}
		known, files[name] = true, data
		in.add(textFiles[name], filepath.Join(dir, name), string(data), 1)
	}
	in.Scenario, in.problems = scenario.FromFiles(files)
	if !known {
		return nil, badInput("%s: the folder has none of the files of a scenario: %s", dir, strings.Join(scenario.FileNames(), ", "))
	}
	return in, nil
}

func (in *input) add(t diag.Text, file, content string, line int) {
	if in.sources[t] == nil {
		in.sources[t] = &text.Source{}
	}
	in.sources[t].Add(file, content, line)
}

// loadArchive reads a txtar archive. Places are those in the archive itself, so
// that an editor finds them.
func loadArchive(file string, data []byte) *input {
	in := &input{sources: text.Sources{}}
	archive := txtar.Parse(data)
	line := 1 + bytes.Count(archive.Comment, []byte("\n"))
	seen := map[string]bool{}
	for _, f := range archive.Files {
		line++ // the marker
		t, ok := textFiles[f.Name]
		if ok && !seen[f.Name] {
			in.add(t, file, string(f.Data), line)
		}
		if f.Name == expect.FileName && in.expected == nil {
			in.expected, in.expectedLine = f.Data, line-1
		}
		seen[f.Name] = true
		line += bytes.Count(f.Data, []byte("\n"))
	}
	in.Scenario, in.problems = scenario.FromTxtar(data)
	return in
}

// loadYAML reads documents that are not sorted into files: the request is the
// AdmissionReview or AdmissionRequest, or else the one object that is neither
// admission configuration nor an object that configuration refers to. Both
// texts keep the whole file, with the rest blanked, so that places stay right.
func loadYAML(file string, data []byte) (*input, error) {
	docs, problems := scenario.ParseDocuments(diag.Policies, string(data))
	request, err := pickRequest(file, docs)
	if err != nil {
		return nil, err
	}
	in := &input{sources: text.Sources{}}
	if len(docs) == 0 {
		in.problems = problems
	}
	rest := string(data)
	if request != nil {
		in.Request = blank(rest, diag.Span{End: request.Span.Start}, diag.Span{Start: request.Span.End, End: len(rest)})
		rest = blank(rest, request.Span)
		in.add(diag.Request, file, in.Request, 1)
	}
	in.Policies = rest
	in.add(diag.Policies, file, rest, 1)
	return in, nil
}

func pickRequest(file string, docs []*scenario.Document) (*scenario.Document, error) {
	var reviews, objects []*scenario.Document
	for _, d := range docs {
		switch {
		case d.FromList:
		case d.Kind == "AdmissionReview" || d.Kind == "AdmissionRequest":
			reviews = append(reviews, d)
		case !supporting(d):
			objects = append(objects, d)
		}
	}
	if len(reviews) > 0 {
		objects = reviews
	}
	if len(objects) > 1 {
		var names []string
		for _, d := range objects {
			names = append(names, d.Kind+"/"+d.Name)
		}
		return nil, &inputError{fmt.Sprintf("%s: any of %s could be the request", file, strings.Join(names, ", ")), "Give the request with -r, and the other objects with -c."}
	}
	if len(objects) == 0 {
		return nil, nil
	}
	return objects[0], nil
}

// supporting says that an object is configuration rather than a request.
func supporting(d *scenario.Document) bool {
	group, _, _ := strings.Cut(d.APIVersion, "/")
	switch group {
	case "admissionregistration.k8s.io", "apiextensions.k8s.io", "rbac.authorization.k8s.io", "preadmit.dev":
		return true
	}
	return d.APIVersion == "v1" && d.Kind == "Namespace"
}

// blank replaces parts of a text by blanks. Line ends stay.
func blank(s string, spans ...diag.Span) string {
	b := []byte(s)
	for _, span := range spans {
		for i := span.Start; i < span.End; i++ {
			if b[i] != '\n' && b[i] != '\r' {
				b[i] = ' '
			}
		}
	}
	return string(b)
}

// parts are the flags that name single files.
type parts struct {
	policies, cluster *[]string
	request           *string
}

func (f flags) parts() *parts {
	return &parts{policies: f.list("p"), cluster: f.list("c"), request: f.String("r", "", "")}
}

func (p *parts) given() bool {
	return len(*p.policies) > 0 || len(*p.cluster) > 0 || *p.request != ""
}

// input loads the scenario that the arguments of a command name: a path, single
// files, or both. Files of -p and -c are added to those of the path, -r
// replaces its request.
func (a *app) input(args []string, p *parts) (*input, error) {
	if len(args) > 1 {
		return nil, badInput("only one scenario at a time, got %s", strings.Join(args, " "))
	}
	if len(args) == 0 && !p.given() {
		return nil, badInput("nothing to evaluate: name a folder or a .txtar file, or give files with -p, -r and -c")
	}
	in := &input{sources: text.Sources{}}
	if len(args) == 1 {
		var err error
		if in, err = a.load(args[0]); err != nil {
			return nil, err
		}
	}
	if *p.request != "" {
		delete(in.sources, diag.Request)
		if err := a.addFile(in, diag.Request, *p.request); err != nil {
			return nil, err
		}
	}
	for _, file := range *p.policies {
		if err := a.addFile(in, diag.Policies, file); err != nil {
			return nil, err
		}
	}
	for _, file := range *p.cluster {
		if err := a.addFile(in, diag.Cluster, file); err != nil {
			return nil, err
		}
	}
	in.joined(&in.Policies, diag.Policies)
	in.joined(&in.Request, diag.Request)
	in.joined(&in.Cluster, diag.Cluster)
	return in, nil
}

// joined takes over a text that was put together from files.
func (in *input) joined(to *string, t diag.Text) {
	if s := in.sources[t]; s != nil {
		*to = s.Text
	}
}

// addFile adds a file, or the YAML and JSON files of a folder.
func (a *app) addFile(in *input, t diag.Text, name string) error {
	names := []string{name}
	if info, err := os.Stat(name); name != "-" && err == nil && info.IsDir() && t != diag.Request {
		if names, err = manifests(name); err != nil {
			return err
		}
	}
	for _, name := range names {
		data, err := a.read(name)
		if err != nil {
			return err
		}
		in.add(t, displayName(name), string(data), 1)
	}
	return nil
}

// manifests are the YAML and JSON files in a folder, as kubectl apply -f takes
// them.
func manifests(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, unreadable(err)
	}
	var names []string
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); !e.IsDir() && slices.Contains([]string{".yaml", ".yml", ".json"}, ext) {
			names = append(names, filepath.Join(dir, e.Name()))
		}
	}
	if len(names) == 0 {
		return nil, badInput("%s: the folder has no .yaml, .yml or .json file", dir)
	}
	return names, nil
}

// place fills in files, lines and columns as the user knows them.
func (in *input) place(list []diag.Diagnostic) {
	for i := range list {
		d := &list[i]
		if at, ok := in.sources.Place(d.Text, d.Span); ok {
			d.File, d.Line, d.Column = at.File, at.Line, at.Column
		}
		for j := range d.Related {
			r := &d.Related[j]
			if at, ok := in.sources.Place(r.Text, r.Span); ok {
				r.Line, r.Column = at.Line, at.Column
			}
		}
	}
}

// writeFiles writes the files of a scenario into a folder. It never overwrites.
func writeFiles(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return unreadable(err)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err == nil {
			return badInput("%s exists already; nothing is overwritten", path)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return unreadable(err)
		}
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			return unreadable(err)
		}
	}
	return nil
}
