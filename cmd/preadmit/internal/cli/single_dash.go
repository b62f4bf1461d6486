package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// This file accepts long flags with one dash (-kubernetes 1.37) for one more release. Then
// it goes: delete the file, its test, and the call in command.

// doubled returns arguments with two dashes for long flags, and the first argument that had one.
// Single letters with two dashes become short flags.
func doubled(f *pflag.FlagSet, args []string) (out []string, old string) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return append(out, args[i:]...), old
		}
		name, _, valued := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
		dashes := len(arg) - len(strings.TrimLeft(arg, "-"))
		flag := f.Lookup(name)
		switch {
		case dashes == 1 && len(name) > 1 && flag != nil:
			if old == "" {
				old = name
			}
			arg = "-" + arg
		case dashes == 1 && len(name) > 1 && nearestFlag(f, name) != "":
			arg = "-" + arg // a misspelt long flag, not a short flag with its value
		case len(name) == 1 && (dashes == 1 || dashes == 2):
			flag = f.ShorthandLookup(name)
			arg = arg[dashes-1:]
		case dashes != 2:
			flag = nil
		}
		out = append(out, arg)
		if flag != nil && flag.NoOptDefVal == "" && !valued && i+1 < len(args) {
			i++
			out = append(out, args[i])
		}
	}
	return out, old
}

// withTwoDashes rewrites a command's arguments, and tells people about it.
func (a *app) withTwoDashes(c *cobra.Command, args []string) []string {
	c.InitDefaultHelpFlag()
	args, old := doubled(c.Flags(), args)
	if old == "" {
		return args
	}
	c.PreRun = func(c *cobra.Command, _ []string) {
		if o := c.Flag("output"); o == nil || o.Value.String() == "" || o.Value.String() == "text" {
			fmt.Fprintf(a.stderr, "preadmit: write --%s with two dashes; the next release will reject -%s\n", old, old)
		}
	}
	return args
}
