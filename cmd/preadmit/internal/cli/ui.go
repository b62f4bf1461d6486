package cli

import (
	"context"
	"crypto/rand"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/preadmit/preadmit/cmd/preadmit/internal/ui"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/web/embedded"
)

func hasSite() bool { return embedded.Present() }

type uiFlags struct {
	parts            *parts
	settings         *settings
	address, folder  string
	open, fromGitHub bool
}

func (a *app) uiCommand() *cobra.Command {
	s := &uiFlags{address: "127.0.0.1:0"}
	c, f := a.newCommand("ui [PATH...]", "The site on this machine, with the scenario filled in", func(args []string) (int, error) { return a.ui(args, s) })
	s.parts = f.parts()
	f.text(&s.address, "addr", "", "`HOST:PORT`: where to listen; port 0 is a free one")
	f.BoolVar(&s.open, "open", a.atTerminal(), "open the browser, by default at a terminal")
	f.BoolVar(&s.fromGitHub, "from-github", false, "let the page \"Open a gist or GitHub file\" fetch from GitHub after the reader confirms; without it, no page contacts another host")
	f.text(&s.folder, "site", "", "serve the site in this `FOLDER` instead")
	s.settings = f.settings(false)
	return c
}

// ui serves the site on this machine until it is stopped.
func (a *app) ui(args []string, s *uiFlags) (int, error) {
	site, err := siteOf(s.folder)
	if err != nil {
		return 0, err
	}
	fragment := ""
	if len(args) > 0 || s.parts.given() {
		in, err := a.input(args, s.parts)
		if err != nil {
			return 0, err
		}
		s.settings.apply(&in.Scenario)
		if fragment, err = scenario.EncodeLink(in.Scenario); err != nil {
			return 0, linkProblem(err)
		}
	}
	listener, err := listenHere("ui", s.address)
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
	if s.open {
		if err := browse(ctx, at); err != nil {
			fmt.Fprintf(a.stderr, "preadmit: no browser was opened: %v\n", err)
		}
	}
	return exitOK, answerHere(ctx, "ui", listener, ui.Handler(site, ui.Options{Fragment: fragment, Token: token, FromGitHub: s.fromGitHub}))
}

// atTerminal reports whether a person sees the output.
func (a *app) atTerminal() bool {
	s, ok := a.stdout.(*screen)
	return ok && s.terminal != nil
}

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
		return nil, &inputError{"this program was built without the site", "Release builds include it. In a checkout, scripts/build builds it and preadmit ui --site web/dist serves it."}
	}
	return site, nil
}

// browse opens an address in the system's browser.
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
	go func() { _ = command.Wait() }() // the browser's fate does not matter
	return nil
}
