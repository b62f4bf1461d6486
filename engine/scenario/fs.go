package scenario

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/guard"
)

// ErrNoFiles says that a folder has no file of a scenario.
var ErrNoFiles = errors.New("the folder has none of the files of a scenario: " + strings.Join(FileNames(), ", ") + ", nor another .yaml, .yml or .json file")

// FromFS reads a scenario from a folder: it classifies the files of ReadFS. The error names the
// unreadable file. Problems inside files are diagnostics.
func FromFS(fsys fs.FS) (_ *Classified, err error) {
	defer guard.Error(&err)
	files, unread, err := ReadFS(fsys)
	if err != nil {
		return nil, err
	}
	return Classify(files, Given{Unread: unread}), nil
}

// ReadFS reads a folder's files for Classify: the scenario files by their names or, where there are
// none or a lone policies.yaml or cluster.yaml beside others, all YAML, JSON and CEL files. unread are the
// names of manifests beside a scenario. It ignores subfolders. Without any file it returns ErrNoFiles.
// Other errors come from the file system and name the file.
func ReadFS(fsys fs.FS) (files []File, unread []string, err error) {
	defer guard.Error(&err)
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, nil, err
	}
	var named, others, rest, cases []string
	for _, e := range entries {
		info, err := fs.Stat(fsys, e.Name()) // follows a link
		belongs := fileTexts[e.Name()] != "" || e.Name() == ExpectedFile || slices.Contains([]string{".yaml", ".yml", ".json", ".cel"}, path.Ext(e.Name()))
		switch {
		case err != nil && !belongs: // such as a link to a folder elsewhere
			rest = append(rest, e.Name())
		case err != nil:
			return nil, nil, err
		case info.IsDir():
		case e.Name() == CasesFile:
			cases = append(cases, e.Name())
		case fileTexts[e.Name()] != "" || e.Name() == ExpectedFile:
			named = append(named, e.Name())
		case slices.Contains([]string{".yaml", ".yml", ".json", ".cel"}, path.Ext(e.Name())):
			others = append(others, e.Name())
		default:
			rest = append(rest, e.Name())
		}
	}
	scenario := formScenario(slices.Concat(named, others, cases), false)
	if !scenario {
		if len(others) == 0 {
			return nil, nil, ErrNoFiles
		}
		named, others, rest = append(named, others...), nil, nil
	}
	for _, name := range named {
		text, err := readFile(fsys, name)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, File{name, text})
	}
	for _, name := range rest { // it may be a typo
		files = append(files, File{Name: name})
	}
	return files, others, nil
}

func readFile(fsys fs.FS, name string) (string, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return "", err
	}
	if info.Size() > MaxTextBytes {
		return "", &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("the file is larger than %d MiB", MaxTextBytes>>20)}
	}
	data, err := fs.ReadFile(fsys, name)
	return string(data), err
}
