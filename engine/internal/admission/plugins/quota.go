package plugins

import (
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/kube/podresources"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/policy/serverconfig"
)

// notCounted are resources that no quota counts, because they are not stored.
var notCounted = []schema.GroupResource{
	{Resource: "bindings"}, {Resource: "componentstatuses"}, {Resource: "events"}, {Group: "events.k8s.io", Resource: "events"},
	{Group: "authorization.k8s.io", Resource: "localsubjectaccessreviews"},
}

// resourceQuota rejects what would exceed a quota of the namespace. Its status
// counts: no controller adds up here what exists.
var resourceQuota = plugin{
	name:         "ResourceQuota",
	operations:   []string{"CREATE", "UPDATE"},
	subresources: []string{"*"},
	last:         true,
	validate: func(r *request) error {
		a := &r.Attributes
		if a.Namespace == "" || a.Kind.GroupKind() == untyped.Namespace.GroupKind() || slices.Contains(notCounted, a.Resource.GroupResource()) {
			return r.nothing("quotas do not count the object")
		}
		counts := r.counter()
		if !counts.handles() {
			return r.nothing("quotas do not count the request")
		}
		return r.checkQuotas(counts)
	},
}

type quota struct {
	name       string
	hard, used podresources.List
	scopes     []serverconfig.Scope
	// unknown says that it has no status, so that nobody knows what is left of it. A controller writes one within a second.
	unknown bool
}

// quotas are those of the request's namespace, by name. The server takes them in
// random order.
func (r *request) quotas() []quota {
	var out []quota
	for _, o := range r.Cluster.List(schema.GroupKind{Kind: "ResourceQuota"}, r.Attributes.Namespace, labels.Everything()) {
		var read struct {
			Spec struct {
				Hard          podresources.List `json:"hard"`
				Scopes        []string          `json:"scopes"`
				ScopeSelector struct {
					MatchExpressions []serverconfig.Scope `json:"matchExpressions"`
				} `json:"scopeSelector"`
			} `json:"spec"`
			Status struct {
				Hard podresources.List `json:"hard"`
				Used podresources.List `json:"used"`
			} `json:"status"`
		}
		if runtime.DefaultUnstructuredConverter.FromUnstructured(o.Value, &read) != nil {
			continue
		}
		q := quota{name: o.Name, hard: read.Status.Hard, used: read.Status.Used}
		if q.hard == nil && read.Spec.Hard != nil {
			r.NotSimulated(fmt.Sprintf("The ResourceQuota %s/%s has no status in the scenario's cluster. The server counts from the status, so the amounts are not checked, only that the request states them.", r.Attributes.Namespace, o.Name))
			q.hard, q.unknown = read.Spec.Hard, true
		}
		for _, name := range read.Spec.Scopes {
			q.scopes = append(q.scopes, serverconfig.Scope{ScopeName: name, Operator: "Exists"})
		}
		q.scopes = append(q.scopes, read.Spec.ScopeSelector.MatchExpressions...)
		out = append(out, q)
	}
	return out
}

// checkQuotas follows the server's own order: constraints of every quota that
// matches, then what the request adds, then what needs a quota, then each quota.
func (r *request) checkQuotas(counts counter) error {
	const nothing = "no quota of the namespace counts the object"
	all := r.quotas()
	if len(all)+len(r.needQuota) == 0 {
		return r.nothing(nothing)
	}
	var matching []quota
	covered := map[string]bool{} // names and scopes
	for _, q := range all {
		for _, s := range q.scopes {
			if counts.inScope(s, counts.object) {
				covered[s.ScopeName] = true
			}
		}
		restricted := counts.restricted(q.hard.Names())
		if len(restricted) == 0 || !counts.inScopes(q.scopes, counts.object) {
			continue
		}
		for _, name := range restricted {
			covered[name] = true
		}
		if err := counts.constraints(restricted); err != nil {
			return fmt.Errorf("failed quota: %s: %w", q.name, err)
		}
		if q.unknown {
			continue
		}
		if slices.ContainsFunc(restricted, func(name string) bool { _, ok := q.used[name]; return !ok }) {
			return fmt.Errorf("status unknown for quota: %s, resources: %s", q.name, strings.Join(restricted, ","))
		}
		matching = append(matching, q)
	}
	usage := counts.usage(counts.object)
	if negative := usage.negative(); len(negative) > 0 {
		return fmt.Errorf("quota usage is negative for resource(s): %s", strings.Join(negative, ","))
	}
	none := len(matching) == 0
	if none {
		matching = []quota{{}}
	}
	r.reason = "the object fits the namespace's quotas"
	for _, q := range matching {
		added := counts.added(usage, q.scopes)
		if len(added) == 0 {
			continue
		}
		if err := counts.uncovered(usage, covered); err != nil {
			return err
		}
		if err := q.exceeded(added, r.Attributes.SubResource); err != nil {
			if len(matching) > 1 {
				r.reason = "several quotas count the object; the server checks them in random order"
			}
			return err
		}
	}
	if none {
		return r.nothing(nothing)
	}
	return nil
}

// added is what the request adds to a quota with scopes: an object that it counted
// already adds only what it takes more.
func (c counter) added(usage used, scopes []serverconfig.Scope) used {
	if c.Attributes.Operation == "UPDATE" && untyped.At[string](c.old, "metadata", "resourceVersion") != "" && c.inScopes(scopes, c.old) {
		usage = usage.minus(c.usage(c.old))
	}
	return usage.nonZero()
}

// uncovered rejects what the server's configuration lets nobody have without a quota,
// if none covers it.
func (c counter) uncovered(usage used, covered map[string]bool) error {
	names := map[string]bool{}
	var scopes []serverconfig.Scope
	for _, l := range c.needQuota {
		for name, amount := range usage {
			for _, part := range l.MatchContains {
				if l.Resource == c.resource.Resource && l.APIGroup == c.resource.Group && strings.Contains(name, part) && amount.Sign() > 0 && !covered[name] {
					names[name] = true
				}
			}
		}
		for _, s := range l.MatchScopes {
			if c.inScope(s, c.object) && !covered[s.ScopeName] {
				scopes = append(scopes, s)
			}
		}
	}
	if len(names) > 0 {
		return fmt.Errorf("insufficient quota to consume: %s", strings.Join(sorted(names), ","))
	}
	if len(scopes) > 0 { // which the server gives no status
		return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: 500, Message: fmt.Sprintf("insufficient quota to match these scopes: %v", scopes)}}
	}
	return nil
}

// exceeded is the rejection of what does not fit into a quota.
func (q quota) exceeded(added used, subResource string) error {
	if subResource == "status" {
		return nil
	}
	var names []string
	for _, name := range podresources.List(added).Names() {
		hard, limited := q.hard[name]
		if !limited {
			continue
		}
		sum := q.used[name].DeepCopy()
		sum.Add(added[name])
		if sum.Cmp(hard) > 0 {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return fmt.Errorf("exceeded quota: %s, requested: %s, used: %s, limited: %s",
		q.name, pretty(podresources.List(added), names), pretty(q.used, names), pretty(q.hard, names))
}

func pretty(l podresources.List, names []string) string {
	var parts []string
	for _, name := range names {
		amount := l[name]
		parts = append(parts, name+"="+amount.String())
	}
	return strings.Join(parts, ",")
}

// used is what objects take of a quota.
type used podresources.List

// minus is what is left of a usage, never less than nothing.
func (u used) minus(before used) used {
	out := used{}
	for name, amount := range u {
		rest := amount.DeepCopy()
		if b, ok := before[name]; ok {
			rest.Sub(b)
			if rest.Sign() < 0 {
				rest = *resource.NewQuantity(0, rest.Format)
			}
		}
		out[name] = rest
	}
	return out
}

func (u used) nonZero() used {
	out := used{}
	for name, amount := range u {
		if !amount.IsZero() {
			out[name] = amount
		}
	}
	return out
}

func (u used) negative() []string {
	var out []string
	for _, name := range podresources.List(u).Names() {
		if amount := u[name]; amount.Sign() < 0 {
			out = append(out, name)
		}
	}
	return out
}
