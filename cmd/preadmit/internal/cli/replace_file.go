package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// replaceFile replaces a user's file atomically: it writes the new content to another file first,
// so that a full disk destroys neither. It keeps symbolic links and the file mode. If the folder
// allows no new file, it overwrites the old one.
func replaceFile(path string, content []byte) error {
	target, mode := path, fs.FileMode(0o666)
	if real, err := filepath.EvalSymlinks(path); err == nil {
		target = real
	}
	info, err := os.Stat(target)
	if errors.Is(err, fs.ErrNotExist) {
		return wrote(path, os.WriteFile(target, content, mode))
	} else if err != nil {
		return err
	}
	err = writeBeside(target, content, info.Mode().Perm())
	if errors.Is(err, fs.ErrPermission) {
		err = os.WriteFile(target, content, mode)
	}
	return wrote(path, err)
}

// writeBeside writes a temporary file and renames it at the end.
func writeBeside(path string, content []byte, mode fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // renamed by then, unless something failed
	_, err = f.Write(content)
	if err == nil {
		err = f.Chmod(mode)
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	return err
}

// wrote adds the user's file name to a write error.
func wrote(path string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return &fs.PathError{Op: "write", Path: path, Err: at.Err}
	}
	return err
}
