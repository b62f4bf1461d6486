package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/preadmit/preadmit/cluster/internal/collect"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/text"
)

func (a *app) collectCommand() *cobra.Command {
	var q asked
	var names []string
	var folder string
	var permissions, whole bool
	c := &cobra.Command{
		Use: "collect (TYPE/NAME | -f FILE)", Short: "Write a minimal scenario for a request",
		Long: "Reads everything that the answer to one request depends on, and writes it as a scenario:\n" +
			"a txtar archive on standard output, or a folder. Policies that do not match the request\n" +
			"are left out. It only reads from the cluster, and includes Secrets by name alone.",
		Example: "  kubectl preadmit collect pod/web -n shop > web.txtar\n  kubectl preadmit collect -f deploy.yaml --to web/\n  kubectl preadmit collect --permissions | kubectl apply -f -",
		Args:    cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if permissions {
				_, err := io.WriteString(a.stdout, collect.Permissions())
				return err
			}
			found, err := a.collected(cmd, args, names, q, whole)
			if err != nil {
				return err
			}
			for _, assumed := range found.Assumed {
				fmt.Fprintf(a.stderr, "assumed: %s (%s)\n", text.Safe(assumed.What), text.Safe(assumed.Why))
			}
			return a.write(found, folder)
		},
	}
	c.Flags().StringSliceVarP(&names, "filename", "f", nil, "the file with the one object to apply, - for standard input")
	c.Flags().StringVar(&folder, "to", "", "the folder to write, which must not have these files yet")
	c.Flags().BoolVar(&permissions, "permissions", false, "print a ClusterRole with all permissions that this program needs, and contact no cluster")
	c.Flags().BoolVar(&whole, "all-policies", false, "also include policies that do not match the request")
	a.userFlags(c)
	q.flags(c)
	return c
}

// collected returns the scenario for the request that the arguments name.
func (a *app) collected(cmd *cobra.Command, args, names []string, q asked, whole bool) (*collect.Collected, error) {
	if (len(args) == 0) == (len(names) == 0) {
		return nil, errors.New("name an object of the cluster, or a file with -f")
	}
	from, err := a.cluster()
	if err != nil {
		return nil, err
	}
	var r *collect.Request
	remark := ""
	if len(args) > 0 {
		r, err = a.existing(cmd.Context(), from, args, q)
	} else {
		documents, problem := a.documents(names)
		if problem == nil && len(documents) != 1 {
			problem = fmt.Errorf("a scenario has one request, and there are %d objects", len(documents))
		}
		if problem != nil {
			return nil, problem
		}
		r, remark, err = a.applied(cmd.Context(), from, documents[0])
	}
	if err != nil {
		return nil, err
	}
	c, err := collect.Collect(cmd.Context(), from, *r)
	if err == nil && !whole {
		c, err = collect.Reduce(cmd.Context(), from, c, *r)
	}
	if err != nil {
		return nil, err
	}
	if len(args) > 0 {
		q.remarks(c, r)
	} else if remark != "" {
		c.Assume(remark, "Secrets are not read")
	}
	c.Description = described(c.Assumed)
	return c, nil
}

// described adds the assumptions to the scenario's description.
func described(assumed []report.Assumption) string {
	out := "Collected from a cluster by kubectl preadmit collect."
	for _, a := range assumed {
		out += fmt.Sprintf(" Assumed: %s (%s).", a.What, a.Why)
	}
	return out
}

// write writes the scenario without overwriting any file.
func (a *app) write(c *collect.Collected, folder string) error {
	if folder == "" {
		archive, err := c.Txtar()
		if err != nil {
			return err
		}
		_, err = a.stdout.Write(archive)
		return err
	}
	list, err := c.Files()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	for name, content := range list {
		f, err := os.OpenFile(filepath.Join(folder, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			return err
		}
		_, err = f.Write(content)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	for _, part := range []struct{ file, text string }{{"policies.yaml", c.Policies}, {"cluster.yaml", c.Cluster}} {
		if err := a.list(filepath.Join(folder, part.file), part.text); err != nil {
			return err
		}
	}
	return nil
}

// list describes a file's content.
func (a *app) list(name, content string) error {
	docs, _ := scenario.ParseDocuments(diag.Cluster, content) // it was written from objects
	for _, d := range docs {
		if _, err := fmt.Fprintf(a.stdout, "%s: %s %s\n", name, d.Kind, text.Safe(strings.TrimPrefix(d.Namespace+"/"+d.Name, "/"))); err != nil {
			return err
		}
	}
	return nil
}
