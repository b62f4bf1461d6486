// Package drift compares policies in files with a cluster's.
package drift

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/cluster/internal/collect"
	"github.com/preadmit/preadmit/cluster/internal/source"
	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/text"
)

// Options limit the comparison.
type Options struct {
	Selector  string // label selector; cluster objects without these labels are not Added
	OnlyKnown bool   // nothing is Added
}

// The result for an object.
const (
	Missing = "missing" // from the cluster
	Added   = "added"   // in the cluster
	Changed = "changed"
	Same    = "same"
)

// Object is an object from either side.
type Object struct {
	Kind  string `json:"kind"`
	Name  string `json:"name"`
	State string `json:"state"`
	// Files and Cluster are a changed object's normal forms.
	Files   map[string]any `json:"files,omitempty"`
	Cluster map[string]any `json:"cluster,omitempty"`
}

// Gap is what could not be compared, and why.
type Gap struct {
	What string `json:"what"`
	Why  string `json:"why"`
}

// Result has all objects from both sides, by kind and name.
type Result struct {
	Objects []Object `json:"objects"`
	Gaps    []Gap    `json:"gaps"`
	// Ignored are kinds in the files that are not compared.
	Ignored []string `json:"ignored"`
}

// Differs reports whether any object differs.
func (r *Result) Differs() bool {
	return slices.ContainsFunc(r.Objects, func(o Object) bool { return o.State != Same })
}

const group = "admissionregistration.k8s.io"

var kinds = []string{"MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding",
	"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"}

// comparison is the state of one Compare.
type comparison struct {
	ctx     context.Context
	from    *source.Cluster
	version string
	out     *Result
	seen    map[string]bool
}

// Compare compares the documents of files with the cluster.
func Compare(ctx context.Context, from *source.Cluster, documents []*scenario.Document, o Options) (*Result, error) {
	version, _, err := from.Version()
	if err != nil {
		return nil, err
	}
	c := &comparison{ctx: ctx, from: from, version: version, out: &Result{Objects: []Object{}, Gaps: []Gap{}, Ignored: []string{}}, seen: map[string]bool{}}
	for _, d := range documents {
		kind := schema.FromAPIVersionAndKind(d.APIVersion, d.Kind)
		if kind.Group != group || !slices.Contains(kinds, kind.Kind) {
			if !slices.Contains(c.out.Ignored, d.Kind) {
				c.out.Ignored = append(c.out.Ignored, d.Kind)
			}
			continue
		}
		if key := d.Kind + "/" + d.Name; c.seen[key] {
			return nil, fmt.Errorf("%s %s is in the files twice", d.Kind, d.Name)
		} else {
			c.seen[key] = true
		}
		if err := c.known(kind, d); err != nil {
			return nil, err
		}
	}
	if !o.OnlyKnown {
		c.added(o.Selector)
	}
	for _, g := range from.Gaps() {
		c.out.Gaps = append(c.out.Gaps, Gap{g.What, g.Why})
	}
	slices.SortFunc(c.out.Objects, func(a, b Object) int { return strings.Compare(a.Kind+"/"+a.Name, b.Kind+"/"+b.Name) })
	return c.out, nil
}

// known compares an object from the files, in the file's version: the server converts.
func (c *comparison) known(kind schema.GroupVersionKind, d *scenario.Document) error {
	m, err := c.from.Mapping(kind.GroupKind(), kind.Version)
	if meta.IsNoMatchError(err) {
		c.out.Gaps = append(c.out.Gaps, Gap{fmt.Sprintf("%s %s", d.Kind, d.Name), "the server does not have " + kind.GroupVersion().String() + " " + kind.Kind})
		return nil
	}
	if err != nil {
		return err
	}
	live, err := c.from.Read(c.ctx, m, "", d.Name)
	if apierrors.IsNotFound(err) {
		c.out.Objects = append(c.out.Objects, Object{Kind: d.Kind, Name: d.Name, State: Missing})
		return nil
	}
	if err != nil {
		c.out.Gaps = append(c.out.Gaps, Gap{fmt.Sprintf("%s %s", d.Kind, d.Name), err.Error()})
		return nil
	}
	file, err := c.normal(d.Value)
	if err != nil {
		return err
	}
	cluster, err := c.normal(live)
	if err != nil {
		return err
	}
	withoutInjected(d.Value, cluster)
	o := Object{Kind: d.Kind, Name: d.Name, State: Same}
	if !reflect.DeepEqual(file, cluster) {
		o.State, o.Files, o.Cluster = Changed, file, cluster
	}
	c.out.Objects = append(c.out.Objects, o)
	return nil
}

// added finds objects that only the cluster has.
func (c *comparison) added(selector string) {
	for _, kind := range kinds {
		for _, o := range c.from.List(c.ctx, schema.GroupKind{Group: group, Kind: kind}, "", selector) {
			name := (&unstructured.Unstructured{Object: o}).GetName()
			if !c.seen[kind+"/"+name] {
				c.out.Objects = append(c.out.Objects, Object{Kind: kind, Name: name, State: Added})
			}
		}
	}
}

// normal returns an object with the defaults of the server's version and without server-set fields.
func (c *comparison) normal(o map[string]any) (map[string]any, error) {
	plain := collect.AsCreated(collect.Tidied(o))
	raw, err := json.Marshal(plain)
	if err != nil {
		return nil, err
	}
	s := scenario.Scenario{Kubernetes: c.version, Request: string(raw), Options: scenario.Options{Plugins: scenario.Exactly()}}
	r, err := engine.Evaluate(c.ctx, s, engine.Options{AdmissionOnly: true})
	if err != nil {
		return nil, err
	}
	if r.Input == nil {
		return plain, nil // the engine does not have this kind in this version
	}
	out := runtime.DeepCopyJSON(r.Input)
	unstructured.RemoveNestedField(out, "metadata", "creationTimestamp")
	unstructured.RemoveNestedField(out, "status")
	return out, nil
}

// withoutInjected removes certificates that a controller added to webhooks, if the files have none.
func withoutInjected(file, cluster map[string]any) {
	ours, _, _ := unstructured.NestedSlice(file, "webhooks")
	theirs, _ := cluster["webhooks"].([]any)
	for i, hook := range theirs {
		if i >= len(ours) {
			return
		}
		own, _ := ours[i].(map[string]any)
		if _, given, _ := unstructured.NestedString(own, "clientConfig", "caBundle"); given {
			continue
		}
		if h, ok := hook.(map[string]any); ok {
			unstructured.RemoveNestedField(h, "clientConfig", "caBundle")
		}
	}
}

// Text formats the result for people.
func (r *Result) Text(p text.Printer) (string, error) {
	var b strings.Builder
	counts := map[string]int{}
	for _, o := range r.Objects {
		counts[o.State]++
		if o.State == Same {
			continue
		}
		fmt.Fprintf(&b, "%-8s %s %s\n", o.State, o.Kind, text.Safe(o.Name))
		if o.State == Changed {
			lines, err := p.Diff("files", o.Files, "cluster", o.Cluster)
			if err != nil {
				return "", err
			}
			b.WriteString(lines)
		}
	}
	for _, g := range r.Gaps {
		fmt.Fprintf(&b, "not compared: %s: %s\n", text.Safe(g.What), text.Safe(g.Why))
	}
	if len(r.Ignored) > 0 {
		fmt.Fprintf(&b, "not policies, and not compared: %s\n", text.Safe(strings.Join(r.Ignored, ", ")))
	}
	fmt.Fprintf(&b, "%d the same, %d changed, %d missing from the cluster, %d only in the cluster\n", counts[Same], counts[Changed], counts[Missing], counts[Added])
	return b.String(), nil
}
