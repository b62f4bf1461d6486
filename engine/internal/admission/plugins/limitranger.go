package plugins

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"

	"github.com/preadmit/preadmit/engine/internal/kube/podresources"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// limitRanger gives containers the default requests and limits of the
// namespace's LimitRanges, and rejects Pods and claims beyond their bounds. An
// update of a Pod is looked at only when it resizes it.
var limitRanger = plugin{
	name:         "LimitRanger",
	operations:   []string{"CREATE", "UPDATE"},
	resources:    []schema.GroupResource{pods, claims},
	validates:    []schema.GroupResource{pods, claims},
	subresources: []string{"resize"},
	admit: func(r *request) error {
		ranges := r.limitRanges()
		if len(ranges) == 0 || r.Attributes.Kind.Kind != "Pod" {
			return r.nothing("no LimitRange of the namespace has defaults for the object")
		}
		r.reason = "the containers already set everything for which the LimitRanges have defaults"
		if n := len(slices.DeleteFunc(slices.Clone(ranges), func(o map[string]any) bool { return !hasDefaults(o) })); n > 1 {
			r.NotSimulated(fmt.Sprintf("The namespace %s has %d LimitRanges with defaults for containers. A server applies them in random order, and the first default for a resource wins. Preadmit applies them by name.", r.Attributes.Namespace, n))
		}
		for _, o := range ranges {
			if r.defaultResources(o) {
				r.reason = fmt.Sprintf("containers get the defaults of the LimitRange %s", untyped.At[string](o, "metadata", "name"))
			}
		}
		return nil
	},
	validate: func(r *request) error {
		ranges := r.limitRanges()
		if len(ranges) == 0 {
			return r.nothing("the namespace has no LimitRange that applies to the request")
		}
		asked := map[string][]amounts{}
		for _, o := range ranges {
			if err := r.checkLimits(o, asked); err != nil {
				return err
			}
		}
		r.reason = "the object stays within the LimitRanges of the namespace"
		return nil
	},
}

// limitRanges are those of the namespace, if they concern the request.
func (r *request) limitRanges() []map[string]any {
	a := &r.Attributes
	resize := a.SubResource == "resize"
	if resize && (a.Operation != "UPDATE" || a.Kind.Kind != "Pod" || !r.Version.Has(version.ResizesCounted)) || !resize && a.SubResource != "" ||
		!resize && a.Kind.Kind == "Pod" && a.Operation == "UPDATE" || untyped.Sub(a.OldObject, "metadata")["deletionTimestamp"] != nil {
		return nil
	}
	var out []map[string]any
	for _, o := range r.Cluster.List(schema.GroupKind{Kind: "LimitRange"}, a.Namespace, labels.Everything()) {
		out = append(out, o.Value)
	}
	return out
}

func hasDefaults(limitRange map[string]any) bool {
	return slices.ContainsFunc(untyped.Items(untyped.Sub(limitRange, "spec")["limits"]), func(l map[string]any) bool {
		return l["type"] == "Container" && len(untyped.Sub(l, "defaultRequest"))+len(untyped.Sub(l, "default")) > 0
	})
}

// defaultResources gives containers what a LimitRange has defaults for, and
// writes what it did into an annotation. It reports whether it changed anything.
func (r *request) defaultResources(limitRange map[string]any) bool {
	requests, limits := map[string]any{}, map[string]any{}
	for _, l := range untyped.Items(untyped.Sub(limitRange, "spec")["limits"]) {
		if l["type"] == "Container" {
			maps.Copy(requests, untyped.Sub(l, "defaultRequest"))
			maps.Copy(limits, untyped.Sub(l, "default"))
		}
	}
	var done []string
	main, init := podresources.Containers(r.spec())
	r.Evaluator.Budget().Work(limitWork * (len(main) + len(init)))
	for _, c := range main {
		done = append(done, defaultsOf(c, requests, limits, "container")...)
	}
	for _, c := range init {
		done = append(done, defaultsOf(c, requests, limits, "init container")...)
	}
	if len(done) == 0 {
		return false
	}
	untyped.Child(r.metadata(), "annotations")["kubernetes.io/limit-ranger"] = "LimitRanger plugin set: " + strings.Join(done, "; ")
	return true
}

func defaultsOf(container, requests, limits map[string]any, words string) []string {
	var done []string
	for _, part := range []struct {
		field, word string
		defaults    map[string]any
	}{{"requests", "request", requests}, {"limits", "limit", limits}} {
		given := untyped.Sub(container, "resources", part.field)
		var set []string
		for _, name := range sorted(part.defaults) {
			if _, ok := given[name]; !ok {
				untyped.Child(untyped.Child(container, "resources"), part.field)[name] = part.defaults[name]
				set = append(set, name)
			}
		}
		if len(set) > 0 {
			done = append(done, fmt.Sprintf("%s %s for %s %s", strings.Join(set, ", "), part.word, words, text(container, "name")))
		}
	}
	return done
}

// amounts are what an object asks for.
type amounts struct {
	requests, limits podresources.List
	// onlyRequests says that the object has no limits: a claim.
	onlyRequests bool
}

// limitWork is what a LimitRange takes for each container: there may be many of both.
const limitWork = 30

// checkLimits rejects an object beyond the bounds of a LimitRange. The server
// names the resources in random order; here they are sorted. asked is what the parts of the
// object ask for, by type of limits, as far as that is known.
func (r *request) checkLimits(limitRange map[string]any, asked map[string][]amounts) error {
	var problems []error
	for _, l := range untyped.Items(untyped.Sub(limitRange, "spec")["limits"]) {
		kind := text(l, "type")
		parts, known := asked[kind]
		if !known {
			parts = r.limited(kind)
			asked[kind] = parts
		}
		r.Evaluator.Budget().Work(limitWork * len(parts))
		problems = append(problems, outOfBounds(l, parts)...)
	}
	if len(problems) > 0 {
		return utilerrors.NewAggregate(problems)
	}
	return nil
}

// limited are the parts of the object that a type of limits is about.
func (r *request) limited(kind string) []amounts {
	if r.Attributes.Kind.Kind != "Pod" {
		if kind != "PersistentVolumeClaim" {
			return nil
		}
		return []amounts{{podresources.Of(untyped.Sub(r.spec(), "resources")["requests"]), podresources.List{}, true}}
	}
	switch kind {
	case "Container":
		var out []amounts
		main, init := podresources.Containers(r.spec())
		for _, c := range slices.Concat(main, init) {
			out = append(out, amounts{podresources.Container(c, "requests"), podresources.Container(c, "limits"), false})
		}
		return out
	case "Pod":
		return []amounts{{podresources.Sum(r.spec(), "requests", r.Version), podresources.Sum(r.spec(), "limits", r.Version), false}}
	}
	return nil
}

func outOfBounds(limit map[string]any, parts []amounts) []error {
	var problems []error
	kind := text(limit, "type")
	least, most, ratio := podresources.Of(limit["min"]), podresources.Of(limit["max"]), podresources.Of(limit["maxLimitRequestRatio"])
	for _, asked := range parts {
		each := func(bounds podresources.List, check func(kind, name string, bound resource.Quantity, asked amounts) error) {
			for _, name := range bounds.Names() {
				if err := check(kind, name, bounds[name], asked); err != nil {
					problems = append(problems, err)
				}
			}
		}
		each(least, belowMinimum)
		each(most, aboveMaximum)
		if !asked.onlyRequests {
			each(ratio, aboveRatio)
		}
	}
	return problems
}

// comparable are amounts in the finest unit in which none of them overflows.
func comparable(quantities ...resource.Quantity) []int64 {
	out := make([]int64, len(quantities))
	fine := true
	for i, q := range quantities {
		out[i] = q.Value()
		fine = fine && out[i] <= resource.MaxMilliValue
	}
	for i, q := range quantities {
		if fine {
			out[i] = q.MilliValue()
		}
	}
	return out
}

func belowMinimum(kind, name string, bound resource.Quantity, asked amounts) error {
	request, requested := asked.requests[name]
	limit, limited := asked.limits[name]
	v := comparable(request, limit, bound)
	start := fmt.Sprintf("minimum %s usage per %s is %s", name, kind, bound.String())
	switch {
	case !requested:
		return fmt.Errorf("%s.  No request is specified", start)
	case v[0] < v[2]:
		return fmt.Errorf("%s, but request is %s", start, request.String())
	case limited && v[1] < v[2]:
		return fmt.Errorf("%s, but limit is %s", start, limit.String())
	}
	return nil
}

func aboveMaximum(kind, name string, bound resource.Quantity, asked amounts) error {
	request, requested := asked.requests[name]
	limit, limited := asked.limits[name]
	v := comparable(request, limit, bound)
	start := fmt.Sprintf("maximum %s usage per %s is %s", name, kind, bound.String())
	switch {
	case asked.onlyRequests && !requested:
		return fmt.Errorf("%s.  No request is specified", start)
	case !asked.onlyRequests && !limited:
		return fmt.Errorf("%s.  No limit is specified", start)
	case limited && v[1] > v[2]:
		return fmt.Errorf("%s, but limit is %s", start, limit.String())
	case requested && v[0] > v[2]:
		return fmt.Errorf("%s, but request is %s", start, request.String())
	}
	return nil
}

func aboveRatio(kind, name string, bound resource.Quantity, asked amounts) error {
	request, requested := asked.requests[name]
	limit, limited := asked.limits[name]
	v := comparable(request, limit, bound)
	start := fmt.Sprintf("%s max limit to request ratio per %s is %s", name, kind, bound.String())
	switch {
	case !requested || v[0] == 0:
		return fmt.Errorf("%s, but no request is specified or request is 0", start)
	case !limited || v[1] == 0:
		return fmt.Errorf("%s, but no limit is specified or limit is 0", start)
	}
	ratio := float64(v[1]) / float64(v[0])
	shown, highest := ratio, float64(bound.Value())
	if bound.Value() <= resource.MaxMilliValue {
		ratio, highest = ratio*1000, float64(bound.MilliValue())
	}
	if ratio > highest {
		return fmt.Errorf("%s, but provided ratio is %f", start, shown)
	}
	return nil
}
