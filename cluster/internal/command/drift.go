package command

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/preadmit/preadmit/cluster/internal/drift"
	"github.com/preadmit/preadmit/cluster/internal/files"
	"github.com/preadmit/preadmit/engine/report"
)

func (a *app) driftCommand() *cobra.Command {
	var selector string
	var known bool
	c := &cobra.Command{
		Use: "drift PATH...", Short: "The policies in files against those in the cluster",
		Long: "Compares policies, bindings and webhook configurations. Both sides are normalized\n" +
			"first: defaults are filled in, and fields that servers set are left out. The exit\n" +
			"code is 1 when they differ, and 2 when something could not be compared.",
		Example: "  kubectl preadmit drift policies/\n  kubectl preadmit drift policies/ -l team=platform -o json",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.checkOutput(); err != nil {
				return err
			}
			documents, err := files.Documents(args, a.stdin)
			if err != nil {
				return err
			}
			from, err := a.cluster()
			if err != nil {
				return err
			}
			found, err := drift.Compare(cmd.Context(), from, documents, drift.Options{Selector: selector, OnlyKnown: known})
			if err != nil {
				return err
			}
			switch {
			case len(found.Gaps) > 0:
				a.code = report.ExitWrong
			case found.Differs():
				a.code = report.ExitDenied
			}
			if a.output == "json" {
				return a.json(found)
			}
			out, err := found.Text(a.printer())
			if err != nil {
				return err
			}
			_, err = io.WriteString(a.stdout, out)
			return errors.Join(err)
		},
	}
	c.Flags().StringVarP(&selector, "selector", "l", "", "count only cluster objects with these labels as added")
	c.Flags().BoolVar(&known, "only-known", false, "do not count objects that only the cluster has as drift")
	a.outputFlag(c)
	return c
}
