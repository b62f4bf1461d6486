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

// sources say where captures are besides the arguments.
type sources struct {
	// list is a file with a name of a capture on each line, - for the standard input.
	list string
	// named says that records bear the names of their files even where there is one file,
	// as parts of a larger capture must.
	named bool
	// fetch is the command that prints the capture whose name takes the place of {}.
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

// captures are the names of the arguments and of the list. Folders are replaced by the
// files below them, unless a command fetches what the names mean.
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

// listed are the lines of a list of names. An empty list is a mistake, as a listing
// that failed gives none.
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

// filesBelow replaces folders by the files below them, in the order of their paths.
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

// records reads the captures one after another. What cannot be read of a file
// is an error among the records; reading goes on with the next file.
func (a *app) records(files []string, from *sources) iter.Seq2[replay.Record, error] {
	return func(yield func(replay.Record, error) bool) {
		for _, name := range files {
			if !a.capture(name, from, from.named || len(files) > 1, yield) {
				return
			}
		}
	}
}

// capture reads one file; named says that its records bear its name. It is false
// when there are enough records.
func (a *app) capture(name string, from *sources, named bool, yield func(replay.Record, error) bool) bool {
	r, end, err := a.opened(name, from)
	if err != nil {
		return yield(replay.Record{}, fmt.Errorf("nothing was read: %w", unreadable(err)))
	}
	unpacked, err := uncompress.Reader(r)
	if err != nil {
		_ = end() // what it says is about the same bytes
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
			_ = end() // a command that is stopped fails
			return false
		}
	}
	if err := end(); err != nil {
		return yield(replay.Record{}, fmt.Errorf("%s: %w", displayName(name), err))
	}
	return true
}

// opened is what a name means: a file, the standard input, or what the command of --fetch
// prints. end ends the reading; its error is that of the command, of which more may have
// been missing than what was read shows.
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
	return f, func() error { _ = f.Close(); return nil }, nil // it was only read
}

// fetched runs the command of --fetch, without a shell.
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
		// All that it prints has been read, or the rest is not wanted.
		_ = out.Close()
		if err := c.Wait(); err != nil {
			return fmt.Errorf("%s: %w", strings.Join(args, " "), err)
		}
		return nil
	}
	return out, end, nil
}
