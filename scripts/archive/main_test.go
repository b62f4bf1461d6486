package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestPack packs the same content twice, with other times and in another order, and reads both
// archives back.
func TestPack(t *testing.T) {
	at := time.Date(2026, 11, 22, 1, 2, 4, 0, time.UTC)
	for _, ending := range []string{".zip", ".tar.gz"} {
		var packed [2][]byte
		for i, names := range [][]string{{"preadmit", "man/a.1"}, {"man/a.1", "preadmit"}} {
			folder := t.TempDir()
			if err := os.Mkdir(filepath.Join(folder, "man"), 0o700+os.FileMode(i)*0o55); err != nil {
				t.Fatal(err)
			}
			for _, name := range append(names, "x.br") {
				mode := os.FileMode(0o640)
				if name == "preadmit" {
					mode = 0o700
				}
				path := filepath.Join(folder, name)
				if err := os.WriteFile(path, []byte("content of "+name), mode); err != nil {
					t.Fatal(err)
				}
				if err := os.Chtimes(path, at, at.Add(time.Duration(i)*time.Hour)); err != nil {
					t.Fatal(err)
				}
			}
			out := filepath.Join(t.TempDir(), "out"+ending)
			if err := pack(out, folder, ".br", at); err != nil {
				t.Fatal(err)
			}
			var err error
			if packed[i], err = os.ReadFile(out); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(packed[0], packed[1]) {
			t.Errorf("%s: the same content gives other bytes", ending)
		}
		names := read(t, ending, packed[0])
		if len(names) != 2 || names["preadmit"] != 0o755 || names["man/a.1"] != 0o644 {
			t.Errorf("%s holds %v", ending, names)
		}
	}
}

func TestPackNothing(t *testing.T) {
	if err := pack(filepath.Join(t.TempDir(), "out.zip"), t.TempDir(), "", time.Time{}); err == nil {
		t.Error("an empty folder is packed")
	}
}

// read lists an archive's files with their modes, and checks their content.
func read(t *testing.T, ending string, raw []byte) map[string]os.FileMode {
	t.Helper()
	names := map[string]os.FileMode{}
	check := func(name string, mode os.FileMode, r io.Reader) {
		content, err := io.ReadAll(r)
		if err != nil || string(content) != "content of "+name {
			t.Errorf("%s: %s holds %q, %v", ending, name, content, err)
		}
		names[name] = mode.Perm()
	}
	if ending == ".zip" {
		z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			check(f.Name, f.Mode(), r)
		}
		return names
	}
	g, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	for archive := tar.NewReader(g); ; {
		header, err := archive.Next()
		if err == io.EOF {
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		check(header.Name, os.FileMode(header.Mode), archive)
	}
}
