package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/preadmit/preadmit/engine/scenario"
)

// A folder may come from a stranger, as in a pull request that CI tests. So symbolic links are only
// followed within it.

// scenarioFiles are the files of a scenario in a folder, and the names of the manifests beside them.
func scenarioFiles(dir string) (files []scenario.File, unread []string, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	return scenario.ReadFS(root.FS())
}

// within checks that a file is in or below a folder, and is not a symbolic link that leaves it.
func within(dir, file string) (err error) {
	name, err := filepath.Rel(dir, file)
	if err != nil {
		return unreadable(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return unreadable(err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	_, err = root.Stat(name)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil // reading it reports the error
	}
	return outside(file, err)
}

// outside is the error for a file outside of its folder.
func outside(file string, err error) error {
	var problem *fs.PathError
	if errors.As(err, &problem) {
		err = problem.Err
	}
	if info, lstat := os.Lstat(file); lstat == nil && info.Mode()&fs.ModeSymlink != 0 {
		return badInput("%s: the symbolic link leads out of the folder; copy the file, or name it as an argument", file)
	}
	return badInput("%s: %v", file, err)
}
