package command

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/cluster/internal/apply"
	"github.com/preadmit/preadmit/cluster/internal/collect"
	"github.com/preadmit/preadmit/cluster/internal/files"
	"github.com/preadmit/preadmit/cluster/internal/source"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/text"
)

func (a *app) tryCommand() *cobra.Command {
	var names []string
	c := &cobra.Command{
		Use: "try -f FILE", Short: "What the server would answer if you applied these objects",
		Long: "Evaluates the requests that kubectl apply would send: a creation for each object that\n" +
			"the cluster does not have, an update for each that it has. Later objects see the earlier\n" +
			"ones that would be admitted; policies among them are not in force yet.",
		Example: "  kubectl preadmit try -f deploy.yaml\n  kustomize build . | kubectl preadmit try -f - -n shop",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.checkOutput(); err != nil {
				return err
			}
			documents, err := a.documents(names)
			if err != nil {
				return err
			}
			from, err := a.cluster()
			if err != nil {
				return err
			}
			for i, d := range documents {
				if i > 0 && a.output == "text" {
					if _, err := io.WriteString(a.stdout, text.Separator); err != nil {
						return err
					}
				}
				if err := a.try(cmd.Context(), from, d); err != nil {
					return fmt.Errorf("%s %s: %w", d.Kind, d.Name, err)
				}
			}
			return nil
		},
	}
	c.Flags().StringSliceVarP(&names, "filename", "f", nil, "files and folders with the objects, - for the standard input")
	a.outputFlag(c)
	a.userFlags(c)
	return c
}

func (a *app) documents(names []string) ([]*scenario.Document, error) {
	if len(names) == 0 {
		return nil, errors.New("name the files with -f")
	}
	return files.Documents(names, a.stdin)
}

// try evaluates applying one object, and prints the result.
func (a *app) try(ctx context.Context, from *source.Cluster, d *scenario.Document) error {
	r, remark, err := a.applied(ctx, from, d)
	if err != nil {
		return err
	}
	c, err := collect.Collect(ctx, from, *r)
	if err != nil {
		return err
	}
	if remark != "" {
		c.Assume(remark, "Secrets are not read")
	}
	out, err := evaluate(ctx, c)
	if err != nil {
		return err
	}
	if out.Outcome.Allowed && out.Object != nil {
		from.Add(out.Object)
	}
	return a.print(out)
}

// applied returns kubectl apply's request.
func (a *app) applied(ctx context.Context, from *source.Cluster, d *scenario.Document) (r *collect.Request, remark string, err error) {
	kind := schema.FromAPIVersionAndKind(d.APIVersion, d.Kind)
	m, err := from.Mapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return nil, "", err
	}
	object := runtime.DeepCopyJSON(d.Value)
	u := unstructured.Unstructured{Object: object}
	r = &collect.Request{Operation: collect.Create, Mapping: m, Name: u.GetName(), Object: object}
	if m.Scope.Name() == meta.RESTScopeNameNamespace {
		named, explicit, err := a.namespace()
		if err != nil {
			return nil, "", err
		}
		if own := u.GetNamespace(); own != "" && explicit && own != named {
			return nil, "", fmt.Errorf("its namespace is %s, and -n says %s", own, named)
		} else if own != "" {
			named = own
		}
		r.Namespace = named
		u.SetNamespace(named)
	}
	if r.User, err = a.user(ctx, from); err != nil {
		return nil, "", err
	}
	if m.Resource.Group == "" && m.Resource.Resource == "namespaces" {
		r.Namespace = r.Name // as on the server
	}
	if source.IsSecret(kind.GroupKind()) {
		return r, "the Secret " + r.Namespace + "/" + r.Name + " does not exist yet", nil
	}
	if r.Name == "" {
		return r, "", nil // generateName: always a create
	}
	old, err := from.Read(ctx, m, r.Namespace, r.Name)
	if apierrors.IsNotFound(err) {
		return r, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	r.Operation, r.Old = collect.Update, old
	r.Object, err = apply.Merged(kind, old, object)
	return r, "", err
}
