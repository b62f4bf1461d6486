package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/preadmit/preadmit/engine/edit/nearest"
	"github.com/preadmit/preadmit/engine/scenario"
)

// flags adds flags to one command. Its help shows them in the order in which they are added.
type flags struct {
	*pflag.FlagSet
	command *cobra.Command
}

// newCommand returns a command, described by its help file, and its flag set.
func (a *app) newCommand(use, short string, run func(args []string) (int, error)) (*cobra.Command, flags) {
	c := &cobra.Command{Use: use, Short: short, Args: cobra.ArbitraryArgs, RunE: a.runs(run)}
	long, example := helpText(c.Name())
	c.Long, c.Example = short+".\n\n"+long, example
	c.Flags().SortFlags = false
	return c, flags{c.Flags(), c}
}

// setting is a flag whose values are checked when parsed.
type setting struct {
	kind   string // value name in the help
	text   string
	set    func(string) error
	twice  string // what to do if the flag is repeated
	repeat bool
	given  bool
}

func (s *setting) String() string { return s.text }
func (s *setting) Type() string   { return s.kind }

// Set rejects a second value for a single-valued flag.
func (s *setting) Set(value string) error {
	if s.given && !s.repeat {
		return twiceError(cmp.Or(s.twice, "it has one value"))
	}
	if err := s.set(value); err != nil {
		return err
	}
	s.text, s.given = value, true
	return nil
}

// twiceError reports a repeated flag and says what to do.
type twiceError string

func (e twiceError) Error() string { return string(e) }

// checked adds a flag with one value. As in pflag, the backquoted word names the value in the help.
// If the usage begins with it and a colon, both are dropped.
func (f flags) checked(name, short, usage string, set func(string) error) *pflag.Flag {
	return f.add(&setting{set: set}, name, short, usage)
}

// repeated adds a repeatable flag.
func (f flags) repeated(name, short, usage string, set func(string) error) *pflag.Flag {
	return f.add(&setting{set: set, repeat: true}, name, short, usage)
}

func (f flags) add(s *setting, name, short, usage string) *pflag.Flag {
	if parts := strings.SplitN(usage, "`", 3); len(parts) == 3 {
		s.kind = parts[1]
		if rest, ok := strings.CutPrefix(parts[2], ":"); ok && parts[0] == "" {
			usage = strings.TrimSpace(rest)
		}
	}
	return f.VarPF(s, name, short, usage)
}

// twice sets what to do if a flag is repeated.
func (f flags) twice(name, what string) { f.Lookup(name).Value.(*setting).twice = what }

// list adds a flag that collects its values.
func (f flags) list(to *[]string, name, short, usage string) {
	f.repeated(name, short, usage, func(value string) error {
		*to = append(*to, value)
		return nil
	})
}

// text adds a flag with any string value.
func (f flags) text(to *string, name, short, usage string) {
	f.checked(name, short, usage, func(value string) error {
		*to = value
		return nil
	}).DefValue = *to
}

// count adds a flag with an integer value.
func (f flags) count(to *int, name, short, usage string) {
	f.checked(name, short, usage, func(value string) (err error) {
		if *to, err = strconv.Atoi(value); err != nil {
			return errors.New("it must be a whole number")
		}
		return nil
	}).DefValue = strconv.Itoa(*to)
}

// oneOf adds a flag with fixed values. The first is the default unless to has one. A value that
// ends in =NAME allows any name.
func (f flags) oneOf(to *string, name, short, usage string, values ...string) {
	allowed := func(s string) bool {
		form, named, isNamed := strings.Cut(s, "=")
		return slices.Contains(values, s) && named != "NAME" || isNamed && named != "" && slices.Contains(values, form+"=NAME")
	}
	flag := f.checked(name, short, usage, func(value string) error {
		if !allowed(value) {
			return fmt.Errorf("it must be one of %s%s", strings.Join(values, ", "), didYouMean(values, value))
		}
		*to = value
		return nil
	})
	flag.DefValue = *to
	f.complete(name, values)
}

// complete completes a flag's values in shells.
func (f flags) complete(name string, values []string) {
	words := make([]cobra.Completion, len(values))
	for i, value := range values {
		words[i] = strings.TrimSuffix(value, "NAME")
	}
	if err := f.command.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // the command lacks the flag
	}
}

// output adds -o; the first format is the default.
func (f flags) output(to *string, usage string, forms ...string) {
	*to = forms[0]
	f.oneOf(to, "output", "o", usage, forms...)
}

// Values of --fail-on: policies that matched nothing, and errors that the server accepts.
const (
	failOnUnmatched = "unmatched"
	failOnFindings  = "findings"
)

// failOn adds the flag that turns more results into failures.
func (f flags) failOn(to *string, usage string, allowed ...string) {
	f.oneOf(to, "fail-on", "", usage, allowed...)
}

// context adds the flag for the place where a stand-alone expression is evaluated.
func (f flags) context(to *string) {
	others := slices.DeleteFunc(scenario.ContextNames(), func(name string) bool { return name == scenario.DefaultContext })
	names := append([]string{scenario.DefaultContext}, others...)
	f.oneOf(to, "context", "", "`PLACE`: the expression's place: "+strings.Join(names, ", "), names...)
}

// flagMessage explains an error in a command's flags. For an unknown flag it suggests the nearest.
func flagMessage(c *cobra.Command, err error) string {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	var twice twiceError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		return "unknown flag -" + unknown.GetSpecifiedShortnames()
	case errors.As(err, &unknown):
		name := unknown.GetSpecifiedName()
		if best := nearestFlag(c.Flags(), name); best != "" {
			return fmt.Sprintf("unknown flag --%s; did you mean --%s?", name, best)
		}
		return "unknown flag --" + name
	case errors.As(err, &invalid) && errors.As(err, &twice):
		return flagName(invalid.GetFlag()) + " is there twice: " + twice.Error()
	case errors.As(err, &invalid):
		reason := invalid.Unwrap()
		if invalid.GetFlag().NoOptDefVal != "" {
			reason = errors.New("it must be true or false")
		}
		return fmt.Sprintf("invalid value %q for flag %s: %v", invalid.GetValue(), flagName(invalid.GetFlag()), reason)
	}
	return err.Error()
}

func flagName(f *pflag.Flag) string {
	if f.Shorthand != "" {
		return "-" + f.Shorthand
	}
	return "--" + f.Name
}

// otherNames maps other programs' flag names to ours.
var otherNames = map[string]string{"policy": "policies", "file": "filename", "version": "kubernetes", "user": "as", "user-name": "as", "group": "as-group", "user-group": "as-group", "old-object": "old"}

// nearestFlag returns the long flag that was probably intended; empty if none is similar.
func nearestFlag(f *pflag.FlagSet, got string) string {
	if name := otherNames[got]; f.Lookup(name) != nil {
		return name
	}
	var names []string
	f.VisitAll(func(fl *pflag.Flag) { names = append(names, fl.Name) })
	best, _ := nearest.Of(names, got)
	return best
}
