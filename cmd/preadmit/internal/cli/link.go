package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/edit/secrets"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Chat programs and mail clients cut longer links (characters).
const (
	longLink    = 2000
	tooLongLink = 4000
)

type linkFlags struct {
	parts    *parts
	settings *settings
	base     string
	hide     bool
}

func (a *app) linkCommand() *cobra.Command {
	l := &linkFlags{}
	c, f := a.newCommand("link PATH...", "Print the link that opens a scenario in the browser", func(args []string) (int, error) { return a.link(args, l) })
	l.parts = f.parts()
	f.text(&l.base, "base", "", "the page's `URL`, printed before the number sign; by default only #1/... is printed")
	f.BoolVar(&l.hide, "remove-secrets", false, "replace secret values with placeholders, as preadmit fix --secrets does; without it, standard error lists them")
	l.settings = f.settings(false)
	return c
}

// link prints the permalink of a scenario.
func (a *app) link(args []string, l *linkFlags) (int, error) {
	in, err := a.input(args, l.parts)
	if err != nil {
		return 0, err
	}
	if diag.HasErrors(in.problems) { // problems would be lost, and the link's reader would not see them
		in.place(in.problems)
		p := a.printer(a.stderr)
		p.Sources = in.sources
		return exitInput, p.Diagnostics(a.stderr, in.problems)
	}
	l.settings.apply(&in.Scenario)
	found := secrets.Find(in.Scenario)
	if l.hide {
		if in.Scenario, err = found.Removed(in.Scenario); err != nil {
			return 0, fmt.Errorf("replacing secret values: %w", err)
		}
	}
	fragment, err := scenario.EncodeLink(in.Scenario)
	if err == nil {
		_, err = scenario.DecodeLink(fragment) // a setting that the page does not support
	}
	if err != nil {
		return 0, linkProblem(err)
	}
	link := strings.TrimSuffix(l.base, "#") + fragment
	fmt.Fprintln(a.stdout, link)
	switch n := len(link); {
	case n > tooLongLink:
		fmt.Fprintf(a.stderr, "The link has %d characters; many programs cut it. Send the folder or a .txtar file instead.\n", n)
	case n > longLink:
		fmt.Fprintf(a.stderr, "The link has %d characters; some chat programs cut it.\n", n)
	}
	a.saySecrets(found, in.sources)
	switch n := len(found.Found); {
	case n > 0 && l.hide:
		fmt.Fprintln(a.stderr, "The link has placeholders instead.")
	case n > 0:
		fmt.Fprintln(a.stderr, "The link has these values, which look secret; --remove-secrets replaces them with placeholders.")
	}
	return exitOK, nil
}

// linkProblem is the error of a link for the user.
func linkProblem(err error) error {
	if bad, ok := errors.AsType[*scenario.LinkError](err); ok {
		return badInput("%s", bad.Message)
	}
	return err
}

func (a *app) openCommand() *cobra.Command {
	folder, asTxtar := "scenario", false
	c, f := a.newCommand("open LINK", "Write the files of a link", func(args []string) (int, error) { return a.open(args, folder, asTxtar) })
	f.text(&folder, "directory", "d", "`FOLDER`: where to write")
	f.BoolVar(&asTxtar, "txtar", false, "print a .txtar archive instead")
	return c
}

// open writes a link's scenario into a folder, or as an archive.
func (a *app) open(args []string, dir string, asTxtar bool) (int, error) {
	if len(args) != 1 {
		return 0, badInput("open needs one link, in quotes")
	}
	link := args[0]
	if link == "-" {
		data, err := a.read("-")
		if err != nil {
			return 0, err
		}
		link = strings.TrimSpace(string(data))
	}
	s, err := scenario.DecodeLink(link)
	if err != nil {
		return 0, linkProblem(err)
	}
	if asTxtar {
		archive, err := s.Txtar()
		if err != nil {
			return 0, badInput("%v", err)
		}
		_, err = a.stdout.Write(archive)
		return exitOK, err
	}
	files, err := s.Files()
	if err != nil {
		return 0, err
	}
	if err := writeFiles(dir, files); err != nil {
		return 0, err
	}
	for _, name := range scenario.FileNames() {
		if _, ok := files[name]; ok {
			fmt.Fprintf(a.stdout, "%s\n", filepath.Join(dir, name))
		}
	}
	return exitOK, nil
}

// isDir follows symbolic links.
func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
