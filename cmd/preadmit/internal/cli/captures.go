package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/analysis/replay"
	"github.com/preadmit/preadmit/engine/analysis/uncompress"
)

// sources say where captures come from, besides the arguments.
type sources struct {
	// list is a file with one capture name per line; - is the standard input.
	list string
	// named says that records always have their file's name, as parts of a larger capture must.
	named bool
	// fetch is the command that prints a capture; {} is replaced by its name.
	fetch []string
}

func (f flags) sources() *sources {
	s := &sources{}
	f.text(&s.list, "files-from", "", "read the captures that this `FILE` names, one a line; - is the standard input")
	f.checked("fetch", "", "names are objects that this `COMMAND` prints, with {} for the name: --fetch 'aws s3 cp {} -'; no shell reads it", func(value string) error {
		if s.fetch = strings.Fields(value); !strings.Contains(value, "{}") {
			return errors.New("it must be a command with {} in place of the name, such as 'aws s3 cp {} -'")
		}
		return nil
	})
	return s
}

// captures returns the names from the arguments and the list. Folders are replaced by the files
// below them, unless a command fetches the captures.
func (a *app) captures(args []string, from *sources) ([]string, error) {
	names := args
	if from.list != "" {
		if from.list == "-" && slices.Contains(args, "-") {
			return nil, badInput("the standard input (-) can be read only once")
		}
		listed, err := a.listed(from.list)
		if err != nil {
			return nil, err
		}
		names = append(slices.Clone(args), listed...)
	}
	if from.fetch != nil {
		return names, nil
	}
	return filesBelow(names)
}

// listed returns the lines of a list of names. An empty list is an error, because a failed listing
// looks like that.
func (a *app) listed(file string) ([]string, error) {
	r := a.stdin
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, unreadable(err)
		}
		defer f.Close()
		r = f
	}
	var names []string
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		if name := strings.TrimSuffix(lines.Text(), "\r"); strings.TrimSpace(name) != "" {
			names = append(names, name)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, badInput("%s: %v", displayName(file), err)
	}
	if len(names) == 0 {
		return nil, badInput("%s: there is no name in the list", displayName(file))
	}
	return names, nil
}

// filesBelow replaces folders by the files below them, in path order.
func filesBelow(names []string) ([]string, error) {
	var out []string
	for _, name := range names {
		if !isDir(name) {
			out = append(out, name)
			continue
		}
		before := len(out)
		err := filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
			if err == nil && path != name && versionOfMount(d) {
				return fs.SkipDir
			}
			if err == nil && !d.IsDir() && !strings.HasPrefix(d.Name(), ".") {
				out = append(out, path)
			}
			return err
		})
		if err != nil {
			return nil, unreadable(err)
		}
		if len(out) == before {
			return nil, badInput("%s: there is no file in the folder", name)
		}
	}
	return out, nil
}

// records reads one capture after another. An unreadable part is an error record; reading continues
// with the next file.
func (a *app) records(files []string, from *sources) iter.Seq2[replay.Record, error] {
	return func(yield func(replay.Record, error) bool) {
		for _, name := range files {
			if !a.capture(name, from, from.named || len(files) > 1, yield) {
				return
			}
		}
	}
}

// capture reads one file. named says that its records have its name. It returns false after enough
// records.
func (a *app) capture(name string, from *sources, named bool, yield func(replay.Record, error) bool) bool {
	r, end, err := a.opened(name, from)
	if err != nil {
		return yield(replay.Record{}, fmt.Errorf("nothing was read: %w", unreadable(err)))
	}
	unpacked, err := uncompress.Reader(r)
	if err != nil {
		_ = end() // its error is about the same bytes
		return yield(replay.Record{}, fmt.Errorf("nothing was read: %s: %w", displayName(name), err))
	}
	for record, err := range replay.Read(unpacked) {
		if named {
			record.File = displayName(name)
		}
		if err != nil {
			err = fmt.Errorf("%s was read up to line %d: %w", displayName(name), record.Line, err)
		}
		if !yield(record, err) {
			_ = end() // a stopped command fails
			return false
		}
	}
	if err := end(); err != nil {
		return yield(replay.Record{}, fmt.Errorf("%s: %w", displayName(name), err))
	}
	return true
}

// opened opens a file, the standard input, or the output of --fetch's command. end ends the reading
// and returns the command's error, after which the capture may be incomplete.
func (a *app) opened(name string, from *sources) (r io.Reader, end func() error, err error) {
	switch {
	case from.fetch != nil:
		return a.fetched(name, from.fetch)
	case name == "-":
		return a.stdin, func() error { return nil }, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	return f, func() error { _ = f.Close(); return nil }, nil // read only
}

// fetched runs --fetch's command, without a shell.
func (a *app) fetched(name string, command []string) (r io.Reader, end func() error, err error) {
	args := make([]string, len(command))
	for i, arg := range command {
		args[i] = strings.ReplaceAll(arg, "{}", name)
	}
	ctx, stop := context.WithCancel(a.ctx)
	c := exec.CommandContext(ctx, args[0], args[1:]...)
	c.Stderr = a.stderr
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		stop()
		return nil, nil, err
	}
	end = func() error {
		defer stop()
		// All output has been read, or the rest is not needed.
		_ = out.Close()
		if err := c.Wait(); err != nil {
			return fmt.Errorf("%s: %w", strings.Join(args, " "), err)
		}
		return nil
	}
	return out, end, nil
}
