// Package roles repairs a cluster's roles and bindings, and finds their rules that name groups, resources
// or verbs that the API does not have.
package roles

import (
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Cluster is what repairs of roles use.
type Cluster struct {
	documents []*scenario.Document
	resources []catalog.Resource
	plurals   map[string]bool // of the resources
	// left is how many words may still be compared with all names, because a text may have any
	// number.
	left int
}

// mostCompared limits how many words of one cluster are compared with the API's names.
const mostCompared = 100

// New returns a cluster with its RBAC documents and the API's resources.
func New(documents []*scenario.Document, resources []catalog.Resource) *Cluster {
	c := &Cluster{documents: documents, resources: resources, plurals: map[string]bool{}, left: mostCompared}
	for _, r := range resources {
		c.plurals[r.GVR.Resource] = true
	}
	return c
}

// everywhere are ClusterRoles that every cluster has and that people bind.
var everywhere = []string{"cluster-admin", "admin", "edit", "view"}

// mostRepaired limits how many problems of roles and bindings get repairs.
const mostRepaired = 40

// Add adds repairs to the problems of the cluster's roles and bindings.
func (c *Cluster) Add(list []diag.Diagnostic) {
	for i := range list[:min(len(list), mostRepaired)] {
		d := &list[i]
		for _, doc := range c.documents {
			if doc.Text == d.Text && doc.Span.Start <= d.Span.Start && d.Span.Start <= doc.Span.End && len(d.Fixes) == 0 {
				d.Fixes = c.repair(doc, d)
			}
		}
	}
}

func (c *Cluster) repair(doc *scenario.Document, d *diag.Diagnostic) []diag.Fix {
	switch d.Code {
	case codes.RBACNoEffect:
		return c.noEffect(doc, fieldpath.Parse(d.Path))
	case codes.RBACMissingRole:
		return c.missingRole(doc)
	case codes.RBACRefused:
		return c.refused(doc, d)
	case codes.RBACVersion:
		if d.Path == "apiVersion" && slices.Contains(kinds, doc.Kind) {
			return written(doc, "apiVersion", rbacv1.SchemeGroupVersion.String())
		}
		if best, ok := nearest(kinds, doc.Kind); ok && d.Path == "kind" {
			return written(doc, "kind", best)
		}
	}
	return nil
}

// kinds are the group's kinds.
var kinds = []string{"Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"}

// nearest returns the name that equals another in different case, or the most similar one.
func nearest(names []string, got string) (string, bool) {
	for _, name := range names {
		if strings.EqualFold(name, got) {
			return name, name != got
		}
	}
	return suggest.Of(names, got)
}

// written replaces a value.
func written(doc *scenario.Document, path, value string) []diag.Fix {
	edit, ok := doc.Rewrite(path, value)
	return diag.OneEdit("Change to "+value, edit, ok)
}

func text(doc *scenario.Document, path string) string {
	return fieldpath.As[string](fieldpath.Parse(path).Get(doc.Value))
}

// texts returns a list's strings.
func texts(doc *scenario.Document, path fieldpath.Path) []string {
	value, _ := path.Get(doc.Value)
	return untyped.Strings(value)
}

// inList writes a list in brackets.
func inList(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = scenario.Scalar(w)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// rewritten replaces a list item with others, without duplicates.
func rewritten(doc *scenario.Document, list fieldpath.Path, was string, now ...string) []diag.Fix {
	return allRewritten(doc, list, func(word string) []string {
		if word == was {
			return now
		}
		return nil
	})
}

// allRewritten replaces all list items with an intended word: someone who capitalises one verb
// capitalises all.
func allRewritten(doc *scenario.Document, list fieldpath.Path, meant func(word string) []string) []diag.Fix {
	var words []string
	for _, w := range texts(doc, list) {
		with := meant(w)
		if with == nil {
			with = []string{w}
		}
		for _, w := range with {
			if !slices.Contains(words, w) {
				words = append(words, w)
			}
		}
	}
	return written(doc, list.String(), inList(words))
}
