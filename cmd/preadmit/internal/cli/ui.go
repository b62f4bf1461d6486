package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/preadmit/preadmit/cmd/preadmit/internal/ui"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/web/embedded"
)

func hasSite() bool { return embedded.Present() }

// ui serves the site on this machine until it is stopped.
func (a *app) ui(args []string) (int, error) {
	f := newFlags("ui")
	parts, settings := f.parts(), f.settings(false)
	address := f.String("addr", "127.0.0.1:0", "")
	folder := f.String("site", "", "")
	open := f.Bool("open", a.atTerminal(), "")
	fromGitHub := f.Bool("from-github", false, "")
	args, err := f.parse(args)
	if err != nil {
		return 0, err
	}
	site, err := siteOf(*folder)
	if err != nil {
		return 0, err
	}
	fragment := ""
	if len(args) > 0 || parts.given() {
		in, err := a.input(args, parts)
		if err != nil {
			return 0, err
		}
		settings.apply(&in.Scenario)
		var bad *scenario.LinkError
		if fragment, err = scenario.EncodeLink(in.Scenario); errors.As(err, &bad) {
			return 0, badInput("%s", bad.Message)
		} else if err != nil {
			return 0, err
		}
	}
	listener, err := listenHere("ui", *address)
	if err != nil {
		return 0, err
	}
	ctx, stop := signal.NotifyContext(a.ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	at := "http://" + listener.Addr().String() + "/"
	token := ""
	if fragment != "" {
		token = rand.Text()
		at = "http://" + listener.Addr().String() + ui.OpenPath + token
	}
	if err := a.say(fmt.Sprintf("Preadmit is at %s until you stop it with Ctrl-C.\n", at)); err != nil {
		return 0, err
	}
	if *open {
		if err := browse(ctx, at); err != nil {
			fmt.Fprintf(a.stderr, "preadmit: no browser was opened: %v\n", err)
		}
	}
	return exitOK, answerHere(ctx, "ui", listener, ui.Handler(site, ui.Options{Fragment: fragment, Token: token, FromGitHub: *fromGitHub}))
}

// atTerminal reports whether the output goes to a person.
func (a *app) atTerminal() bool {
	s, ok := a.stdout.(*screen)
	return ok && s.terminal != nil
}

// siteOf is the site in a folder, or the one in the program.
func siteOf(folder string) (fs.FS, error) {
	if folder != "" {
		site := os.DirFS(folder)
		if _, err := fs.Stat(site, "index.html"); err != nil {
			return nil, badInput("%s is not a built site: %v", folder, err)
		}
		return site, nil
	}
	site, err := embedded.Site()
	if err != nil {
		return nil, fmt.Errorf("the site in this program: %w", err)
	}
	if site == nil {
		return nil, &inputError{"this program was built without the site", "Release builds include it. In a checkout, scripts/build builds it and preadmit ui -site web/dist serves it."}
	}
	return site, nil
}

// browse opens an address in the browser of the system.
func browse(ctx context.Context, address string) error {
	command := exec.CommandContext(ctx, "xdg-open", address)
	switch runtime.GOOS {
	case "darwin":
		command = exec.CommandContext(ctx, "open", address)
	case "windows":
		command = exec.CommandContext(ctx, "rundll32", "url.dll,FileProtocolHandler", address)
	}
	if err := command.Start(); err != nil {
		return err
	}
	go func() { _ = command.Wait() }() // what became of the browser is not ours
	return nil
}
