package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/preadmit/preadmit/engine/scenario"
)

// A folder may be a stranger's, as in the pull request that CI tests: its symbolic links are
// followed only within it.

// scenarioFiles are the files of a scenario in a folder.
func scenarioFiles(dir string) (files []scenario.File, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	return scenario.ReadFS(root.FS())
}

// within checks that a file is in a folder or below it, and no symbolic link that leads out.
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
		return nil // who reads it says what is wrong
	}
	return outside(file, err)
}

// outside is the error about a file that a folder does not let be read.
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
