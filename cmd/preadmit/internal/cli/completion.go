package cli

import (
	"embed"
	"errors"
	"flag"
	"slices"
	"strings"
	"text/template"
)

// completionTexts has one template for each shell.
//
//go:embed completion
var completionTexts embed.FS

// shells are those that completion knows.
var shells = []string{"bash", "zsh", "fish", "powershell"}

// describedCommand is a command as completion and manual show it.
type describedCommand struct {
	Name, Summary string
	Flags         []describedFlag
	// Words are what the first argument may be, where it is no file.
	Words []string
}

// describedFlag is a flag of a command. Choices are its values where there are few.
type describedFlag struct {
	Name    string
	Bool    bool
	Choices []string
}

// Short says that the name is one letter, which fish writes in another way.
func (f describedFlag) Short() bool { return len(f.Name) == 1 }

// completion prints the script that makes a shell complete commands, flags and
// their values.
func (a *app) completion(args []string) (int, error) {
	f := newFlags("completion")
	args, err := f.parse(args)
	if err != nil {
		return 0, err
	}
	if len(args) != 1 || !slices.Contains(shells, args[0]) {
		return 0, badInput("completion needs the name of a shell: %s", strings.Join(shells, ", "))
	}
	list, err := describedCommands()
	if err != nil {
		return 0, err
	}
	functions := template.FuncMap{"join": strings.Join, "quote": quoted}
	t, err := template.New(args[0]).Funcs(functions).ParseFS(completionTexts, "completion/"+args[0]+".tmpl")
	if err != nil {
		return 0, err
	}
	return exitOK, t.ExecuteTemplate(a.stdout, args[0]+".tmpl", list)
}

// quoted writes a text between single quotes so that bash, zsh, fish and PowerShell
// read the same: an apostrophe becomes a typographic one.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "’") + "'" }

// describedCommands asks every command for its flags, and its help for a summary.
func describedCommands() ([]describedCommand, error) {
	var list []describedCommand
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	for _, c := range commands() {
		d, err := described(c)
		if err != nil {
			return nil, err
		}
		switch c.name {
		case "help":
			d.Words = append(slices.Clone(names), "licenses")
		case "completion":
			d.Words = shells
		}
		list = append(list, d)
	}
	return list, nil
}

// noSuchFlag is a flag that no command has: each answers it with those it has.
const noSuchFlag = "-no-such-flag"

func described(c command) (describedCommand, error) {
	d := describedCommand{Name: c.name}
	text, err := helpTexts.ReadFile("help/" + c.name + ".txt")
	if err != nil {
		return d, err
	}
	first, _, _ := strings.Cut(string(text), "\n")
	_, d.Summary, _ = strings.Cut(first, ": ")
	var wrong *flagError
	if _, err := c.run(&app{}, []string{noSuchFlag}); !errors.As(err, &wrong) {
		return d, errors.New(c.name + " does not read its flags before anything else")
	}
	wrong.flags.VisitAll(func(f *flag.Flag) {
		b, ok := f.Value.(interface{ IsBoolFlag() bool })
		var choices []string
		for _, value := range wrong.flags.choices[f.Name] {
			choices = append(choices, strings.TrimSuffix(value, "NAME"))
		}
		d.Flags = append(d.Flags, describedFlag{Name: f.Name, Bool: ok && b.IsBoolFlag(), Choices: choices})
	})
	return d, nil
}
