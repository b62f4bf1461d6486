package cli

import (
	"cmp"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/expect"
	"github.com/preadmit/preadmit/engine/scenario"
)

// manifestEndings are the extensions that kubectl apply -f reads from a folder.
var manifestEndings = []string{".yaml", ".yml", ".json"}

func isManifest(name string) bool { return slices.Contains(manifestEndings, filepath.Ext(name)) }

// tree holds the files below a folder.
type tree struct {
	root string // start of the walk
	// manifests are YAML and JSON files outside of scenarios: policies and their dependencies.
	manifests []string
	// scenarios are the folders with a scenario, and the archives with a test.
	scenarios []string
	// looked counts the visited entries.
	looked int
}

// maxEntries limits a walk. A folder with more files and folders is not a policy folder.
const maxEntries = 200_000

// walk visits a folder and its subfolders in name order. It skips hidden files and folders, which
// include a mounted ConfigMap's versions.
func (t *tree) walk(dir string) error {
	if t.root == "" {
		t.root = dir
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return unreadable(err)
	}
	if t.looked += len(entries); t.looked > maxEntries {
		return badInput("%s: there are more than %d files in this folder and its parents", dir, maxEntries)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	own, isOne := ownFiles(dir, names)
	if isOne {
		t.scenarios = append(t.scenarios, dir)
	}
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), "."), slices.Contains(own, name):
		case e.IsDir():
			before := len(t.manifests)
			if err := t.walk(name); err != nil {
				return err
			}
			below := slices.DeleteFunc(slices.Clone(t.manifests[before:]), func(file string) bool { return slices.Contains(own, file) })
			t.manifests = append(t.manifests[:before], below...)
		case isManifest(name):
			if err := within(t.root, name); err != nil {
				return err
			}
			t.manifests = append(t.manifests, name)
		case filepath.Ext(name) == ".txtar":
			if isTest, err := testArchive(name); err != nil {
				return err
			} else if isTest {
				t.scenarios = append(t.scenarios, name)
			}
		}
	}
	return nil
}

// withoutPoliciesOfScenarios drops each scenario's policies.yaml.
func (t *tree) withoutPoliciesOfScenarios() {
	t.manifests = slices.DeleteFunc(t.manifests, func(file string) bool {
		return filepath.Base(file) == scenario.PoliciesFile && slices.Contains(t.scenarios, filepath.Dir(file))
	})
}

// ownFiles returns a scenario folder's files except its policies, and the requests of its cases. It
// reports whether the folder is a scenario: a lone policies.yaml or cluster.yaml may be any file.
func ownFiles(dir string, names []string) (own []string, isOne bool) {
	has := func(name string) bool { return slices.Contains(names, name) }
	for _, name := range append(scenario.FileNames(), expect.FileName, expect.CasesFile) {
		if name != scenario.PoliciesFile && has(name) {
			own = append(own, filepath.Join(dir, name))
			isOne = isOne || name != scenario.ClusterFile || has(scenario.PoliciesFile)
		}
	}
	if !isOne {
		return nil, false
	}
	raw, err := os.ReadFile(filepath.Join(dir, expect.CasesFile))
	if err != nil {
		return own, true
	}
	cases, err := expect.ParseCases(raw)
	if err != nil {
		return own, true // preadmit test reports the error
	}
	for _, c := range cases.List {
		if c.File != "" {
			own = append(own, filepath.Join(dir, c.File))
		}
	}
	return own, true
}

// policyFiles returns the files for an argument of -p: a file, a folder's manifests, or the files
// that match a pattern. An argument is a pattern only if no file has that name.
func policyFiles(name string) ([]string, error) {
	if name == "-" {
		return []string{name}, nil
	}
	info, err := os.Stat(name)
	switch {
	case err != nil && isPattern(name):
		return matchingPolicies(name)
	case err != nil:
		return nil, unreadable(err)
	case !info.IsDir():
		return []string{name}, nil
	}
	var t tree
	if err := t.walk(name); err != nil {
		return nil, err
	}
	if len(t.manifests) == 0 {
		return nil, badInput("%s: the folder and its subfolders have no .yaml, .yml or .json file with policies", name)
	}
	return t.manifests, nil
}

// matchingPolicies returns the files that match a pattern, except scenarios' own files.
func matchingPolicies(pattern string) ([]string, error) {
	files, err := matching(pattern)
	if err != nil {
		return nil, err
	}
	own := map[string][]string{} // by folder
	policies := slices.DeleteFunc(slices.Clone(files), func(file string) bool {
		for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
			if _, seen := own[dir]; !seen {
				var names []string
				entries, _ := os.ReadDir(dir) // what cannot be read has no scenario
				for _, e := range entries {
					names = append(names, e.Name())
				}
				own[dir], _ = ownFiles(dir, names)
			}
			if slices.Contains(own[dir], file) {
				return true
			}
			if dir == filepath.Dir(dir) {
				return false
			}
		}
	})
	if len(policies) == 0 {
		return nil, badInput("%s: only files of scenarios match", pattern)
	}
	return policies, nil
}

func isPattern(name string) bool { return strings.ContainsAny(name, "*?[") }

// matching returns the files whose paths match a pattern: * and ? match within a name, ** any
// number of folders. Hidden names only match a pattern that names them.
func matching(pattern string) ([]string, error) {
	if _, err := path.Match(pattern, ""); err != nil {
		return nil, badInput("%s is not a pattern: %v", pattern, err)
	}
	parts := strings.Split(filepath.ToSlash(filepath.Clean(pattern)), "/")
	from := slices.IndexFunc(parts, isPattern)
	root := strings.Join(parts[:from], "/")
	if from == 1 && root == "" {
		root = "/"
	}
	if root != "" && !isDir(root) {
		return nil, badInput("%s: there is no folder %s", pattern, root)
	}
	m := matcher{pattern: pattern}
	if err := m.look(root, parts[from:]); err != nil {
		return nil, err
	}
	slices.Sort(m.found)
	if m.found = slices.Compact(m.found); len(m.found) == 0 {
		return nil, badInput("%s: no file matches", pattern)
	}
	return m.found, nil
}

// matcher collects the matches of a pattern.
type matcher struct {
	pattern string
	found   []string
	looked  int // number of visited entries
}

// anyFolders is the pattern part for any number of folders.
const anyFolders = "**"

// look matches a folder's entries with the rest of the pattern.
func (m *matcher) look(dir string, rest []string) error {
	if rest[0] == anyFolders && len(rest) > 1 {
		if err := m.look(dir, rest[1:]); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(cmp.Or(dir, "."))
	if err != nil {
		return unreadable(err)
	}
	if m.looked += len(entries); m.looked > maxEntries {
		return badInput("%s: there are more than %d files to look at", m.pattern, maxEntries)
	}
	for _, e := range entries {
		fits, next := !strings.HasPrefix(e.Name(), "."), rest
		if rest[0] != anyFolders {
			ok, _ := path.Match(rest[0], e.Name()) // the pattern is valid
			fits, next = ok && (fits || strings.HasPrefix(rest[0], ".")), rest[1:]
		}
		if !fits {
			continue
		}
		name := filepath.Join(dir, e.Name())
		isFolder := e.IsDir() || rest[0] != anyFolders && isDir(name) // ** does not follow links, which may be circular
		switch {
		case isFolder && len(next) > 0:
			if err := m.look(name, next); err != nil {
				return err
			}
		case !isFolder && (len(next) == 0 || rest[0] == anyFolders && len(rest) == 1):
			m.found = append(m.found, name)
		}
	}
	return nil
}
