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

// maxFile limits the size of files, in bytes, to the parser's limit for one text.
const maxFile = scenario.MaxTextBytes

// input is a scenario with its files.
type input struct {
	scenario.Scenario
	sources text.Sources
	// problems are the files' own problems, which the engine does not know.
	problems []diag.Diagnostic
	// expected is expected.yaml, or nil. expectedLine is the number of archive lines before it (0
	// in a folder).
	expected     []byte
	expectedLine int
	// referenced are the policy files named in the settings.
	referenced []string
	// old is the file of --old where its text became a setting, or nil.
	old *text.Source
}

// read returns a file's content; - is the standard input. A pipe gives its content only once, and is kept.
func (a *app) read(name string) ([]byte, error) {
	if name != "-" {
		if !isPipe(name) {
			return readFile(name)
		}
		if data, known := a.pipes[name]; known {
			return data, nil
		}
		data, err := readFile(name)
		if a.pipes == nil {
			a.pipes = map[string][]byte{}
		}
		a.pipes[name] = data
		return data, err
	}
	if a.stdinRead {
		return nil, badInput("the standard input (-) can be read only once")
	}
	a.stdinRead = true
	return readAll(name, a.stdin)
}

// isPipe reports whether a path is no file, as that of a shell's <(command).
func isPipe(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.IsDir() && !info.Mode().IsRegular()
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

// load reads a scenario from a folder, a txtar archive, a YAML or JSON file with everything, or -
// for an archive or file on the standard input. Without scenario files, scenario.Classify sorts the
// documents, with given as context. more are files that the caller adds itself.
func (a *app) load(path string, given scenario.Given, more ...string) (*input, error) {
	if path != "-" {
		info, err := os.Stat(path)
		if err != nil {
			return nil, unreadable(err)
		}
		if info.IsDir() {
			return loadFolder(path, given, more)
		}
	}
	data, err := a.read(path)
	if err != nil {
		return nil, err
	}
	name := displayName(path)
	// Only a single file's extension matters, not its name.
	file := scenario.File{Name: filepath.Ext(path), Text: string(data)}
	return loaded(scenario.Classify([]scenario.File{file}, given), name, func(string) string { return name })
}

// loadFolder reads a scenario's files in a folder.
func loadFolder(dir string, given scenario.Given, more []string) (*input, error) {
	files, unread, err := scenarioFiles(dir)
	var problem *fs.PathError
	switch {
	case errors.Is(err, scenario.ErrNoFiles):
		return nil, badInput("%s: %v", dir, err)
	case errors.As(err, &problem):
		return nil, outside(filepath.Join(dir, problem.Path), err)
	case err != nil:
		return nil, unreadable(err)
	}
	given.Unread = slices.DeleteFunc(unread, func(name string) bool {
		return slices.ContainsFunc(more, func(file string) bool { return sameFile(filepath.Join(dir, name), file) })
	})
	return loaded(scenario.Classify(files, given), dir, func(name string) string { return filepath.Join(dir, name) })
}

// sameFile reports whether two paths lead to one file.
func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

// loadFiles reads files, and folders' YAML and JSON files, as one: a document's kind decides what
// it is.
func (a *app) loadFiles(paths []string, given scenario.Given, more []string) (*input, error) {
	if len(paths) == 1 {
		return a.load(paths[0], given, more...)
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
			// Only a file's extension matters, not its name.
			file := fmt.Sprintf("%d%s", len(files)+1, filepath.Ext(name))
			names[file] = displayName(name)
			files = append(files, scenario.File{Name: file, Text: string(data)})
		}
	}
	return loaded(scenario.Classify(files, given), strings.Join(paths, ", "), func(name string) string { return names[name] })
}

// loaded builds the input from a classification. path returns a file's path.
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

// parts are the flags that name a scenario's files.
type parts struct {
	policies, cluster, files []string
	request                  string
	// noRequest says that requests come from elsewhere. Everything except policies then belongs to
	// the cluster, including unreadable documents, which must not be dropped.
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

// input loads the scenario from a command's arguments: paths, single files, or both. Files from -p
// and -c are added to the paths' files; -r replaces their request. Several paths are one scenario's
// files, which are classified together, as for -f.
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
		given.Into = diag.Cluster // with a request, other objects belong to the cluster
	}
	more, err := p.added()
	if err != nil {
		return nil, err
	}
	if len(paths) > 0 {
		if in, err = a.loadFiles(paths, given, more); err != nil {
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

// added are the files that flags add to a scenario.
func (p *parts) added() (files []string, err error) {
	if p.request != "" {
		files = append(files, p.request)
	}
	for t, names := range map[diag.Text][]string{diag.Policies: p.policies, diag.Cluster: p.cluster} {
		for _, name := range names {
			found, err := filesOf(t, name)
			if err != nil {
				return nil, err
			}
			files = append(files, found...)
		}
	}
	return files, nil
}

// joined adopts a text combined from files.
func (in *input) joined(to *string, t diag.Text) {
	if s := in.sources[t]; s != nil {
		*to = s.Text
	}
}

// addRequest reads the request's file. An audit event becomes its AdmissionReview; a log is cut to
// its review.
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

// addFile adds a file, a folder's YAML and JSON files, or files that match a pattern. For policies
// it also searches subfolders. A scenario's folder adds its cluster together with its policies.
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

// filesOf returns the files for an argument of -p or -c.
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

// manifests returns a folder's YAML and JSON files, as kubectl apply -f reads them.
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
			continue // it is about a file and not about a combined text
		}
		if path, ok := strings.CutPrefix(d.Path, oldObjectSetting); ok && d.Text == diag.Settings && in.old != nil {
			at := in.inOld(strings.TrimPrefix(path, "."))
			d.File, d.Line, d.Column = at.File, at.Line, at.Column
			continue
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

// inOld is the place of a field of the old object in the file of --old.
func (in *input) inOld(path string) text.Place {
	docs, _ := scenario.ParseDocuments(diag.Request, in.old.Text) // readOld has said what is wrong
	if len(docs) != 1 {
		return in.old.At(0)
	}
	return in.old.At(docs[0].LocateKey(path).Start)
}

// writeFiles writes a scenario's files into a folder. It never overwrites.
func writeFiles(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return unreadable(err)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(dir, name)
		if _, err := os.Lstat(path); err == nil { // a dangling link counts too
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

// writeNew writes a file that does not exist yet.
func writeNew(path string, data []byte) (err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = f.Write(data)
	return err
}
