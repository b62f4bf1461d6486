// Command archive packs a folder reproducibly: sorted names, one time for every file, no owners,
// and only the modes of programs and other files.
//
//	go run ./scripts/archive [-time SECONDS] [-without .br] OUT.tar.gz|OUT.zip FOLDER
//
// It packs a release's archives and the site in its programs.
package main

import (
	"archive/tar"
	"archive/zip"
	"compress/flate"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	seconds := flag.Int64("time", 0, "the time of every file, in seconds since 1970")
	without := flag.String("without", "", "leave out the files whose names end so")
	flag.Parse()
	if flag.NArg() != 2 {
		fmt.Fprintln(os.Stderr, "usage: archive [-time SECONDS] [-without ENDING] OUT.tar.gz|OUT.zip FOLDER")
		os.Exit(2)
	}
	if err := pack(flag.Arg(0), flag.Arg(1), *without, time.Unix(*seconds, 0).UTC()); err != nil {
		fmt.Fprintln(os.Stderr, "archive:", err)
		os.Exit(1)
	}
}

// entry is a file in the archive.
type entry struct {
	name       string
	executable bool
	content    []byte
}

// pack writes the archive in the format of out's extension.
func pack(out, folder, without string, at time.Time) (err error) {
	entries, err := filesOf(folder, without)
	if err != nil {
		return err
	}
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	switch {
	case strings.HasSuffix(out, ".zip"):
		return writeZip(f, entries, at)
	case strings.HasSuffix(out, ".tar.gz"):
		return writeTar(f, entries, at)
	}
	return fmt.Errorf("%s ends neither in .zip nor in .tar.gz", out)
}

// filesOf reads a folder's files, sorted by name.
func filesOf(folder, without string) ([]entry, error) {
	var entries []entry
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || without != "" && strings.HasSuffix(path, without) {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		content, err := os.ReadFile(path)
		entries = append(entries, entry{filepath.ToSlash(name), info.Mode()&0o100 != 0, content})
		return err
	})
	if err == nil && len(entries) == 0 {
		err = fmt.Errorf("%s has no files", folder)
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return entries, err
}

func (e entry) mode() fs.FileMode {
	if e.executable {
		return 0o755
	}
	return 0o644
}

func writeZip(w io.Writer, entries []entry, at time.Time) error {
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	// Times before 1980 cannot be written.
	at = latest(at, time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC))
	for _, e := range entries {
		header := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: at}
		header.SetMode(e.mode())
		f, err := z.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := f.Write(e.content); err != nil {
			return err
		}
	}
	return z.Close()
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func writeTar(w io.Writer, entries []entry, at time.Time) error {
	g, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(g)
	for _, e := range entries {
		header := &tar.Header{Name: e.name, Mode: int64(e.mode()), Size: int64(len(e.content)), ModTime: at, Format: tar.FormatUSTAR}
		if err := t.WriteHeader(header); err != nil {
			return err
		}
		if _, err := t.Write(e.content); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), g.Close())
}
