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

// watchEvery is the polling interval for the files. Polling reads names, sizes and times. It also
// works on network drives and in containers, where system notifications do not arrive.
const watchEvery = 500 * time.Millisecond

// watch runs a function now and whenever a file below the paths changes, until it is stopped.
// Errors in the files are reported and do not stop it. more returns further files that a run used.
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

// stamp returns a text that changes with the files below the paths.
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
			fmt.Fprintf(&b, "%v\n", err) // removed while it was read: once reports it
		}
	}
	return b.String()
}

// fileSet collects file names concurrently.
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
