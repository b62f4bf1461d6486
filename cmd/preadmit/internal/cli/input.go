package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
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
	// referenced are the files with policies that the settings name.
	referenced []string
}

// read returns the content of a file; - is the standard input.
func (a *app) read(name string) ([]byte, error) {
	if name != "-" {
		return readFile(name)
	}
	if a.stdinRead {
		return nil, badInput("the standard input (-) can be read only once")
	}
	a.stdinRead = true
	return readAll(name, a.stdin)
}

func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, unreadable(err)
	}
	defer f.Close()
	return readAll(name, f)
}

func readAll(name string, r io.Reader) ([]byte, error) {
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

// load reads a scenario from a folder, a txtar archive, a file with YAML or JSON
// that holds everything, or - for one of the latter two on the standard input.
// Where there are no files of a scenario, scenario.Classify sorts what is there;
// given says what is known beside it.
func (a *app) load(path string, given scenario.Given) (*input, error) {
	if path != "-" {
		info, err := os.Stat(path)
		if err != nil {
			return nil, unreadable(err)
		}
		if info.IsDir() {
			return loadFolder(path, given)
		}
	}
	data, err := a.read(path)
	if err != nil {
		return nil, err
	}
	name := displayName(path)
	// The name of a single file says nothing about what is in it, only its ending.
	file := scenario.File{Name: filepath.Ext(path), Text: string(data)}
	return loaded(scenario.Classify([]scenario.File{file}, given), name, func(string) string { return name })
}

// loadFolder reads the files of a scenario in a folder.
func loadFolder(dir string, given scenario.Given) (*input, error) {
	files, err := scenarioFiles(dir)
	var problem *fs.PathError
	switch {
	case errors.Is(err, scenario.ErrNoFiles):
		return nil, badInput("%s: %v", dir, err)
	case errors.As(err, &problem):
		return nil, outside(filepath.Join(dir, problem.Path), err)
	case err != nil:
		return nil, unreadable(err)
	}
	return loaded(scenario.Classify(files, given), dir, func(name string) string { return filepath.Join(dir, name) })
}

// loadFiles reads files, and the YAML and JSON files of folders, as one: what each
// document is, its kind says.
func (a *app) loadFiles(paths []string, given scenario.Given) (*input, error) {
	if len(paths) == 1 {
		return a.load(paths[0], given)
	}
	var files []scenario.File
	names := map[string]string{}
	for _, path := range paths {
		list := []string{path}
		if info, err := os.Stat(path); path != "-" && err == nil && info.IsDir() {
			if list, err = manifests(path); err != nil {
				return nil, err
			}
		}
		for _, name := range list {
			data, err := a.read(name)
			if err != nil {
				return nil, err
			}
			// The name of a file says nothing about what is in it, only its ending.
			file := fmt.Sprintf("%d%s", len(files)+1, filepath.Ext(name))
			names[file] = displayName(name)
			files = append(files, scenario.File{Name: file, Text: string(data)})
		}
	}
	return loaded(scenario.Classify(files, given), strings.Join(paths, ", "), func(name string) string { return names[name] })
}

// loaded takes over what was classified. path gives the path of a file.
func loaded(c *scenario.Classified, name string, path func(string) string) (*input, error) {
	if c.Chosen == 0 && len(c.Candidates) > 0 {
		return nil, &inputError{fmt.Sprintf("%s: any of %s could be the request", name, scenario.Names(c.Candidates)), "Give the request with -r, and the other objects with -c."}
	}
	in := &input{Scenario: c.Scenario, problems: c.Diagnostics, sources: text.Sources{}}
	for i := range in.problems {
		if d := &in.problems[i]; d.File != "" || d.Text != diag.Settings {
			d.File = path(d.File)
		}
	}
	contents := map[diag.Text]string{
		diag.Policies: c.Scenario.Policies, diag.Request: c.Scenario.Request, diag.Cluster: c.Scenario.Cluster,
		diag.Expression: c.Scenario.Expression, diag.Settings: c.Settings,
	}
	for _, p := range c.Pieces {
		source := in.sources[p.Text]
		if source == nil {
			source = &text.Source{Text: contents[p.Text]}
			in.sources[p.Text] = source
		}
		source.Pieces = append(source.Pieces, text.Piece{File: path(p.File), Start: p.Start, Line: p.Line, Column: p.Column})
	}
	if c.Expected != nil {
		in.expected, in.expectedLine = []byte(c.Expected.Text), c.Expected.Before
	}
	return in, in.readReferenced(c.Settings)
}

func (in *input) add(t diag.Text, file, content string, line int) {
	if in.sources[t] == nil {
		in.sources[t] = &text.Source{}
	}
	in.sources[t].Add(file, content, line)
}

// parts are the flags that name the files of a scenario.
type parts struct {
	policies, cluster, files []string
	request                  string
	// noRequest says that requests come from elsewhere: what is no policy is part of
	// the cluster, and so is what cannot be read, which must not be left out.
	noRequest bool
}

func (f flags) parts() *parts {
	p := &parts{}
	f.list(&p.files, "filename", "f", "`FILE`: a file or folder with any documents, which are sorted by kind; - is standard input; repeatable")
	f.policies(&p.policies)
	f.text(&p.request, "request", "r", "`FILE`: the request: an AdmissionReview, an AdmissionRequest, or an object, which means CREATE")
	f.twice("request", "give one request; for several, use preadmit replay, or the cases.yaml of a test")
	f.cluster(&p.cluster)
	return p
}

func (f flags) policies(to *[]string) {
	f.list(to, "policies", "p", "`FILE`: a file, folder or pattern in quotes ('policies/**/*.yaml') with policies, bindings and webhook configurations; repeatable")
}

func (f flags) cluster(to *[]string) {
	f.list(to, "cluster", "c", "`FILE`: a file or folder with objects of the cluster: Namespaces, params, CRDs, RBAC, WebhookResponses; repeatable")
}

func (p *parts) given() bool {
	return len(p.files) > 0 || len(p.policies) > 0 || len(p.cluster) > 0 || p.request != ""
}

// input loads the scenario that the arguments of a command name: paths, single files, or
// both. Files of -p and -c are added to those of the paths, -r replaces their request.
// Several paths are files of one scenario, which are sorted together, as those of -f.
func (a *app) input(args []string, p *parts) (*input, error) {
	if len(args) == 0 && !p.given() {
		return nil, badInput("nothing to evaluate: name a folder or an archive, or use -f, -p, -r and -c")
	}
	paths := append(slices.Clone(args), p.files...)
	if i := slices.IndexFunc(args, isScenario); i >= 0 && len(paths) > 1 {
		return nil, &inputError{fmt.Sprintf("only one scenario at a time: name %s alone", args[i]),
			"To add files to a scenario, use -p, -c and -r. preadmit test runs many scenarios, and preadmit replay many requests."}
	}
	in := &input{sources: text.Sources{}}
	given := scenario.Given{}
	if p.request != "" || p.noRequest {
		given.Into = diag.Cluster // other objects than a request are there beside it
	}
	var err error
	if len(paths) > 0 {
		if in, err = a.loadFiles(paths, given); err != nil {
			return nil, err
		}
	}
	if p.request != "" {
		delete(in.sources, diag.Request)
		if err := a.addRequest(in, p.request); err != nil {
			return nil, err
		}
	}
	for _, file := range p.policies {
		if err := a.addFile(in, diag.Policies, file); err != nil {
			return nil, err
		}
	}
	for _, file := range p.cluster {
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

// addRequest reads the file of the request. An audit event, which holds a request in
// another form, becomes the AdmissionReview that it stands for; a log is cut to the
// review in it.
func (a *app) addRequest(in *input, name string) error {
	data, err := a.read(name)
	if err != nil {
		return err
	}
	content := string(data)
	if scenario.HoldsRequest(content) {
		c, err := loaded(scenario.Classify([]scenario.File{{Text: content}}, scenario.Given{Into: diag.Request}), displayName(name), func(string) string { return displayName(name) })
		if err != nil {
			return err
		}
		in.problems = append(in.problems, c.problems...)
		in.Options.Defaulting = c.Options.Defaulting
		content = c.Request
	}
	in.add(diag.Request, displayName(name), content, 1)
	return nil
}

// addFile adds a file, the YAML and JSON files of a folder, or those that match a pattern.
// Policies are looked for in the folders below as well. The cluster of a scenario whose folder
// is named goes with its policies.
func (a *app) addFile(in *input, t diag.Text, name string) error {
	names, err := filesOf(t, name)
	if err != nil {
		return err
	}
	if own := filepath.Join(name, scenario.ClusterFile); t == diag.Policies && name != "-" && isDir(name) && isFile(own) && !slices.Contains(names, own) {
		data, err := a.read(own)
		if err != nil {
			return err
		}
		in.add(diag.Cluster, own, string(data), 1)
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

// filesOf are the files that a name of -p or -c means.
func filesOf(t diag.Text, name string) ([]string, error) {
	switch {
	case t == diag.Policies:
		return policyFiles(name)
	case name != "-" && isDir(name):
		return manifests(name)
	case name != "-" && !isFile(name) && isPattern(name):
		return matching(name)
	}
	return []string{name}, nil
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
		if !e.IsDir() && isManifest(e.Name()) {
			if err := within(dir, filepath.Join(dir, e.Name())); err != nil {
				return nil, err
			}
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
		if d.File != "" {
			continue // it is about a file, not about a text that was made of it
		}
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
		if _, err := os.Lstat(path); err == nil { // a link that leads nowhere is there, too
			return badInput("%s exists already; nothing is overwritten", path)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return unreadable(err)
		}
	}
	for name, data := range files {
		if err := writeNew(filepath.Join(dir, name), data); err != nil {
			return err
		}
	}
	return nil
}

// writeNew writes a file that is missing yet.
func writeNew(path string, data []byte) (err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = f.Write(data)
	return err
}
