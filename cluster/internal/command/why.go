package command

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/preadmit/preadmit/cluster/internal/collect"
	"github.com/preadmit/preadmit/cluster/internal/source"
)

// asked are the flags that select one object and an operation.
type asked struct{ update, remove bool }

func (q *asked) flags(c *cobra.Command) {
	c.Flags().BoolVar(&q.update, "as-update", false, "as if the object were updated without a change")
	c.Flags().BoolVar(&q.remove, "delete", false, "as if the object were deleted")
	c.MarkFlagsMutuallyExclusive("as-update", "delete")
}

func (a *app) whyCommand() *cobra.Command {
	var q asked
	c := &cobra.Command{
		Use: "why TYPE/NAME", Short: "Which policies apply to an object of the cluster, and why not the others",
		Long: "Evaluates the creation of an object that the cluster has, with the current policies,\n" +
			"params, namespaces and roles. The object already contains the changes that policies\n" +
			"made when it was created.",
		Example: "  kubectl preadmit why pod/web -n shop\n  kubectl preadmit why deployment web -n shop --as-update\n  kubectl preadmit why namespace/shop --delete -o json",
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.checkOutput(); err != nil {
				return err
			}
			from, err := a.cluster()
			if err != nil {
				return err
			}
			found, err := a.existing(cmd.Context(), from, args, q)
			if err != nil {
				return err
			}
			c, err := collect.Collect(cmd.Context(), from, *found)
			if err != nil {
				return err
			}
			q.remarks(c, found)
			r, err := evaluate(cmd.Context(), c)
			if err != nil {
				return err
			}
			return a.print(r)
		},
	}
	a.outputFlag(c)
	a.userFlags(c)
	q.flags(c)
	return c
}

// existing returns the request for an object in the cluster.
func (a *app) existing(ctx context.Context, from *source.Cluster, args []string, q asked) (*collect.Request, error) {
	kind, name, ok := strings.Cut(args[0], "/")
	if len(args) == 2 {
		kind, name, ok = args[0], args[1], !ok
	}
	if !ok || kind == "" || name == "" {
		return nil, errors.New("name an object as TYPE/NAME or TYPE NAME, such as pod/web")
	}
	m, err := from.Resource(kind)
	if err != nil {
		return nil, err
	}
	r := &collect.Request{Operation: collect.Create, Mapping: m, Name: name, Exists: true}
	if m.Scope.Name() == meta.RESTScopeNameNamespace {
		if r.Namespace, _, err = a.namespace(); err != nil {
			return nil, err
		}
	}
	o, err := from.Read(ctx, m, r.Namespace, name)
	if err != nil {
		return nil, err
	}
	switch {
	case q.remove:
		r.Operation, r.Old = collect.Delete, collect.Tidied(o)
	case q.update:
		r.Operation, r.Old, r.Object = collect.Update, o, o
	default:
		r.Object = collect.AsCreated(o)
	}
	if m.Resource.Group == "" && m.Resource.Resource == "namespaces" {
		r.Namespace = name // as on the server
	}
	r.User, err = a.user(ctx, from)
	return r, err
}

// remarks lists the differences from the request that created the object.
func (q asked) remarks(c *collect.Collected, r *collect.Request) {
	c.Assume(r.User.Username+" has the right to make the request", "this command checks policies only; kubectl preadmit try checks permissions, too")
	if !q.update && !q.remove {
		c.Assume(fmt.Sprintf("the request is as %s would make it now", r.User.Username), "the cluster does not keep who created an object, nor what it was before policies and webhooks changed it")
	}
}
