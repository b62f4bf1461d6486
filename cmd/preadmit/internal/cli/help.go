package cli

import (
	"embed"
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine/report/codes"
)

// helpTexts has one file for each command.
//
//go:embed help
var helpTexts embed.FS

const overview = `preadmit says what the Kubernetes API server will do with a request, before it does it.

  preadmit eval PATH          evaluate a scenario: verdict, steps, costs, the object
  preadmit cel 'EXPRESSION'   evaluate one CEL expression
  preadmit test [PATH...]     run scenarios against their expected.yaml
  preadmit check PATH...      check policies as at creation, without a request
  preadmit fix PATH...        apply fixes that have one likely answer; --write changes the files
  preadmit replay -p FILE REQUESTS
                              run captured requests or audit events through policies
  preadmit diff OLD NEW [REQUESTS]
                              which answers change from one set of policies to another
  preadmit ask QUESTION POLICIES
                              find a request that policies deny, admit or answer differently
  preadmit propose -r BEFORE -a AFTER
                              from a changed object or a webhook's patch to a policy
  preadmit serve PATH         answer as a webhook, for clusters without such policies
  preadmit lsp                the language server for editors
  preadmit mcp                the tools for agents, over the Model Context Protocol
  preadmit link PATH          print the link that opens a scenario in the browser
  preadmit open LINK          write the files of such a link
  preadmit ui [PATH]          the site on this machine, with the scenario filled in
  preadmit completion SHELL   print the completion of a shell: bash, zsh, fish, powershell
  preadmit version            print the version, its commit and the Kubernetes versions
  preadmit help COMMAND       describe a command, with examples
  preadmit help licenses      print the licences of this program and of what is in it

A scenario is a folder with policies.yaml, request.yaml, cluster.yaml and scenario.yaml (all
optional), or the same files in one .txtar archive.

Exit codes: 0 admitted, 1 denied, 2 the input is wrong, 3 a bug in preadmit.
`

// help describes a command.
func (a *app) help(args []string) (int, error) {
	f := newFlags("help")
	manual := f.Bool("man", false, "")
	args, err := f.parse(args)
	if err != nil {
		return 0, err
	}
	text, name := []byte(overview), ""
	if len(args) > 0 {
		name = strings.ToLower(args[0])
		if text, err = helpTexts.ReadFile("help/" + name + ".txt"); err != nil || len(args) > 1 {
			if entry, ok := codes.Find(name); ok && len(args) == 1 && !*manual {
				return exitOK, a.say(aboutCode(entry))
			}
			return 0, badInput("there is no help on %q%s", strings.Join(args, " "), didYouMean(topics(), strings.Join(args, " ")))
		}
	}
	if *manual {
		text = manualPage(name, string(text))
	}
	_, err = a.stdout.Write(text)
	return exitOK, err
}

// topics are the commands and the codes of diagnostics.
func topics() []string {
	names := []string{"licenses"}
	for _, c := range commands() {
		names = append(names, c.name)
	}
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
	return b.String()
}

// helpWidth is the length of the lines of a help text.
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

// manualPage writes a help text as a page of the manual, section 1. Its lines stay as
// they are: they are laid out already. The page has no date, so that it is the same
// whenever it is made.
func manualPage(name, text string) []byte {
	first, rest, _ := strings.Cut(text, "\n")
	page, summary := "preadmit", "what the Kubernetes API server will do with a request"
	if name != "" {
		page = "preadmit-" + name
		_, summary, _ = strings.Cut(first, ": ")
	}
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" preadmit\n.SH NAME\n%s \\- %s\n", strings.ToUpper(page), roff(page), roff(summary))
	for i, line := range strings.Split(strings.TrimSpace(rest), "\n") {
		section, isSection := strings.CutSuffix(line, ":")
		isSection = isSection && section != "" && section[0] != ' ' && !strings.Contains(section, ". ") && len(section) < 60
		if i == 0 && !isSection {
			b.WriteString(".SH DESCRIPTION\n.nf\n")
		}
		if isSection {
			fmt.Fprintf(&b, ".fi\n.SH %s\n.nf\n", roff(strings.ToUpper(section)))
			continue
		}
		fmt.Fprintln(&b, roff(line))
	}
	b.WriteString(".fi\n")
	return []byte(b.String())
}

// roff writes a line so that nothing in it is a request or an escape.
func roff(line string) string {
	line = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace(line)
	if strings.HasPrefix(line, ".") {
		line = `\&` + line
	}
	return line
}
