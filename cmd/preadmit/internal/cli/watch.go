package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// watchEvery is how often the files are looked at. Their names, sizes and times are
// read, which also works on network drives and in containers, where notifications of
// the system do not arrive.
const watchEvery = 500 * time.Millisecond

// watch runs something now and whenever a file below the paths changes, until it is
// stopped. What is wrong with the files is said, and does not end it.
// more are files that a run has found out to belong to it.
func (a *app) watch(paths []string, more *fileSet, once func() (int, error)) (int, error) {
	ctx, stop := signal.NotifyContext(a.ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	ticks := time.NewTicker(watchEvery)
	defer ticks.Stop()
	seen, code := "", exitOK
	for {
		if now := stamp(slices.Concat(paths, more.all())); now != seen {
			seen = now
			var err error
			known := len(more.all())
			code, err = once()
			if len(more.all()) > known {
				seen = stamp(slices.Concat(paths, more.all()))
			}
			var wrong *inputError
			if err != nil && (!errors.As(err, &wrong) || a.writeError(err) != nil) {
				return code, err
			}
			if err != nil {
				code = exitInput
				fmt.Fprintf(a.stderr, "preadmit: %v\n", err)
			}
			fmt.Fprintf(a.stderr, "watching %s; stop with Ctrl-C\n", strings.Join(paths, ", "))
		}
		select {
		case <-ctx.Done():
			return code, nil
		case <-ticks.C:
		}
	}
}

// stamp is a text that changes with the files below the paths.
func stamp(paths []string) string {
	var b strings.Builder
	for _, root := range paths {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() {
				return nil
			}
			info, err := d.Info()
			if err == nil {
				fmt.Fprintf(&b, "%s %d %d\n", path, info.Size(), info.ModTime().UnixNano())
			}
			return err
		})
		if err != nil {
			fmt.Fprintf(&b, "%v\n", err) // gone while it was looked at: once says so
		}
	}
	return b.String()
}

// fileSet collects the names of files, by several goroutines.
type fileSet struct {
	guard sync.Mutex
	names []string
}

func (s *fileSet) add(names ...string) {
	s.guard.Lock()
	defer s.guard.Unlock()
	for _, name := range names {
		if !slices.Contains(s.names, name) {
			s.names = append(s.names, name)
		}
	}
}

func (s *fileSet) all() []string {
	s.guard.Lock()
	defer s.guard.Unlock()
	return slices.Clone(s.names)
}
