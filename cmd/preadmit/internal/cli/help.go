package cli

import (
	"bytes"
	"embed"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"github.com/preadmit/preadmit/engine/report/codes"
)

// helpTexts has a file for each command with its description and examples. licenses.txt has the
// licences of this program and its dependencies.
//
//go:embed help
var helpTexts embed.FS

const licencesTopic = "licenses"

// helpText returns a command's description and examples.
func helpText(name string) (long, examples string) {
	raw, err := helpTexts.ReadFile("help/" + name + ".txt")
	if err != nil {
		panic(err) // a command without its file
	}
	long, examples, _ = strings.Cut(strings.TrimRight(string(raw), "\n"), "\n\nExamples:\n")
	return long, examples
}

func (a *app) helpCommand() *cobra.Command {
	manual := false
	c, f := a.newCommand("help [COMMAND | CODE | licenses]", "Describe a command, or a problem's code", nil)
	c.ValidArgsFunction = func(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return topics(c.Root()), cobra.ShellCompDirectiveNoFileComp
	}
	c.RunE = a.runs(func(args []string) (int, error) { return a.help(c.Root(), args, manual) })
	f.BoolVar(&manual, "man", false, "print a manual page")
	return c
}

// help describes a command, or explains a code.
func (a *app) help(root *cobra.Command, args []string, manual bool) (int, error) {
	name := strings.ToLower(strings.Join(args, " "))
	if name == licencesTopic {
		text, err := helpTexts.ReadFile("help/licenses.txt")
		if err == nil {
			_, err = a.stdout.Write(text)
		}
		return exitOK, err
	}
	c, rest, err := root.Find(strings.Fields(name))
	switch known := err == nil && len(rest) == 0; {
	case known && manual:
		return exitOK, a.manualPage(c)
	case known:
		c.InitDefaultHelpFlag()
		return exitOK, c.Help()
	}
	if entry, ok := codes.Find(name); ok && !manual {
		return exitOK, a.say(aboutCode(entry))
	}
	return 0, badInput("no help on %q%s", strings.Join(args, " "), didYouMean(topics(root), name))
}

// topics are the commands and the codes of diagnostics.
func topics(root *cobra.Command) []string {
	names := append(namesOf(root), licencesTopic)
	for _, e := range codes.All() {
		names = append(names, e.Code)
	}
	return names
}

// aboutCode explains a code of a diagnostic.
func aboutCode(e codes.Entry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s (%s)\n\n%s\n", e.Code, e.Title, strings.Join(e.Severities, ", "), wrapped(e.Meaning))
	if e.Repair != "" {
		fmt.Fprintf(&b, "\n%s\n", wrapped(e.Repair))
	}
	if e.Reported != "" {
		fmt.Fprintf(&b, "\nFor example\n\n%s\n%s", indented(e.Example), indented(e.Reported))
	}
	if e.Good != "" {
		fmt.Fprintf(&b, "\nAs it should be\n\n%s", indented(e.Good))
	}
	return b.String()
}

// helpWidth is the line length of help texts.
const helpWidth = 95

// wrapped breaks a paragraph into lines.
func wrapped(paragraph string) string {
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(paragraph) {
		switch {
		case column == 0:
		case column+1+len(word) > helpWidth:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}

func indented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimRight(text, "\n") + "\n") {
		b.WriteString("    " + line)
	}
	return b.String()
}

// manualPage writes a command's help as a manual page. It has no date, so that it is reproducible.
func (a *app) manualPage(c *cobra.Command) error {
	c.InitDefaultHelpFlag()
	c.Short, c.Long = plain(c.Short), plain(c.Long)
	c.Flags().VisitAll(func(f *pflag.Flag) {
		value, usage := pflag.UnquoteUsage(f)
		f.Usage = plain(usage)
		if f.DefValue == "" {
			f.DefValue = value
		}
	})
	var page bytes.Buffer
	never := time.Time{}
	if err := doc.GenMan(c, &doc.GenManHeader{Source: "preadmit", Date: &never}, &page); err != nil {
		return fmt.Errorf("writing a manual page: %w", err)
	}
	_, err := a.stdout.Write(bytes.Replace(page.Bytes(), []byte(never.Format("Jan 2006")), nil, 1))
	return err
}

// marks are Markdown characters that need escaping. Cobra writes manual pages from Markdown.
var marks = strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "<", `\<`, "[", `\[`, "`", "\\`", "#", `\#`)

// plain escapes Markdown characters, except in indented lines, which are code.
func plain(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		if !strings.HasPrefix(line, "    ") {
			line = marks.Replace(line)
		}
		b.WriteString(line)
	}
	return b.String()
}
