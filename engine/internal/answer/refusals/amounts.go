package refusals

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/answer/compile"
	"github.com/preadmit/preadmit/engine/internal/kube/podresources"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/repair/objecttext"
)

// limitText is what LimitRanger says of one bound.
var limitText = &lazy.Regexp{Text: `(?:(minimum|maximum) (\S+) usage per (\w+) is|(\S+) max limit to request ratio per (\w+) is) ([^\s,]+?)(?:\.  |, )(?:No|but)`}

// bound is one that the object breaks: of a LimitRange, at a place in it.
type bound struct {
	limitRange        objecttext.Object
	path              string
	kind, field, name string // Container, min, cpu
	value             resource.Quantity
}

// bounds are those that the text names, with the LimitRanges that have them.
func (r *refusal) bounds() (out []bound) {
	for _, m := range limitText.FindAllStringSubmatch(r.step.Error, -1) {
		b := bound{kind: m[3] + m[5], name: m[2] + m[4], field: map[string]string{"minimum": "min", "maximum": "max", "": "maxLimitRequestRatio"}[m[1]]}
		value, err := resource.ParseQuantity(m[6])
		if err != nil {
			continue
		}
		b.value = value
		for _, o := range r.Cluster.List(schema.GroupKind{Kind: "LimitRange"}, r.Initial.Namespace, labels.Everything()) {
			for i, l := range untyped.Items(untyped.Sub(o.Value, "spec")["limits"]) {
				own, has := podresources.Of(l[b.field])[b.name]
				if !has || l["type"] != b.kind || own.Cmp(value) != 0 {
					continue
				}
				if in, ok := r.inCluster(schema.GroupKind{Kind: "LimitRange"}, r.Initial.Namespace, o.Name); ok && b.path == "" {
					b.limitRange, b.path = in, fmt.Sprintf("spec.limits[%d].%s.%s", i, b.field, b.name)
				}
			}
		}
		if !slices.ContainsFunc(out, func(o bound) bool { return o.path == b.path && o.name == b.name && o.field == b.field }) {
			out = append(out, b)
		}
	}
	return out
}

// limits offers amounts within the bounds of a LimitRange.
func (r *refusal) limits([]string) bool {
	all := r.bounds()
	_, at := specOf(r.sent.Value)
	r.at(at)
	var names []string
	ofContainers := len(all) > 0
	for _, b := range all {
		ofContainers = ofContainers && b.kind == "Container"
		if b.path == "" {
			continue
		}
		name := "LimitRange " + b.limitRange.Document.Name
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		r.decided(b.limitRange, b.path, "the bound of "+name)
	}
	if len(names) == 0 {
		return false
	}
	r.diag.Detail = "The bounds are those of " + strings.Join(names, " and ") + " in the namespace. Change what the containers ask for, or the bounds."
	for _, c := range containersOf(r.finalSpec()) {
		r.diag.Detail += ofContainer(r, c, all)
	}
	if ofContainers {
		r.offer(r.sent.Fix("Ask for what the bounds allow", func(object map[string]any) {
			spec, _ := specOf(object)
			for _, c := range slices.Concat(untyped.Items(spec["containers"]), untyped.Items(spec["initContainers"])) {
				for _, b := range all {
					b.apply(c, named(r.finalSpec(), text(c, "name")))
				}
			}
		})...)
	}
	return true
}

// ofContainer says what a container asks for where there are bounds.
func ofContainer(r *refusal, c map[string]any, all []bound) string {
	asked := map[string]bool{}
	for _, b := range all {
		for _, field := range []string{"requests", "limits"} {
			if q, ok := podresources.Container(c, field)[b.name]; ok && b.kind != "PersistentVolumeClaim" {
				asked[fmt.Sprintf("%s.%s=%s", field, b.name, q.String())] = true
			}
		}
	}
	if len(asked) == 0 {
		return ""
	}
	return fmt.Sprintf(" Container %s%s has %s.", text(c, "name"), r.added(text(c, "name")), strings.Join(slices.Sorted(maps.Keys(asked)), ", "))
}

// apply gives a container amounts that a bound allows. final is the container as the server judged it.
func (b bound) apply(c, final map[string]any) {
	set := func(field string, q resource.Quantity) {
		untyped.Child(untyped.Child(c, "resources"), field)[b.name] = q.String()
	}
	request, requested := podresources.Container(final, "requests")[b.name]
	limit, limited := podresources.Container(final, "limits")[b.name]
	switch b.field {
	case "min":
		if !requested || request.Cmp(b.value) < 0 {
			set("requests", b.value)
		}
		if limited && limit.Cmp(b.value) < 0 {
			set("limits", b.value)
		}
	case "max":
		if !limited || limit.Cmp(b.value) > 0 {
			set("limits", b.value)
		}
		if requested && request.Cmp(b.value) > 0 {
			set("requests", b.value)
		}
	default:
		ratio := b.value.AsApproximateFloat64()
		least := math.Ceil(limit.AsApproximateFloat64() * 1000 / max(ratio, 1))
		if limited && least > 0 && (!requested || request.AsApproximateFloat64()*1000 < least) {
			if b.name != "cpu" {
				set("requests", *resource.NewQuantity(int64(math.Ceil(least/1000)), limit.Format))
			} else {
				set("requests", *resource.NewMilliQuantity(int64(least), limit.Format))
			}
		}
	}
}

// quota is a ResourceQuota of the namespace.
func (r *refusal) quota(name string) (objecttext.Object, bool) {
	return r.inCluster(schema.GroupKind{Kind: "ResourceQuota"}, r.Initial.Namespace, name)
}

// exceeded says which containers ask for what a quota has no more of, and offers to raise the quota.
func (r *refusal) exceeded(texts []string) bool {
	quota, ok := r.quota(texts[1])
	if !ok {
		return false
	}
	_, at := specOf(r.sent.Value)
	r.at(at)
	requested, used, hard := amountsOf(texts[2]), amountsOf(texts[3]), amountsOf(texts[4])
	r.diag.Detail = fmt.Sprintf("ResourceQuota %s limits what the objects of the namespace may take together.", texts[1])
	r.inScope(quota)
	needed := map[string]any{}
	for _, name := range requested.Names() {
		rest, sum := hard[name], used[name]
		rest.Sub(used[name])
		sum.Add(requested[name])
		needed[name] = sum.String()
		asked := requested[name]
		r.diag.Detail += fmt.Sprintf(" %s of %s is left, and the request needs %s", rest.String(), name, asked.String())
		var parts []string
		for _, c := range containersOf(r.finalSpec()) {
			list, resource := amount(c, name)
			if q, has := list[resource]; has && r.Initial.Kind.Kind == "Pod" {
				parts = append(parts, fmt.Sprintf("%s for container %s%s", q.String(), text(c, "name"), r.added(text(c, "name"))))
			}
		}
		if len(parts) > 0 {
			r.diag.Detail += ": " + strings.Join(parts, ", ")
		}
		r.diag.Detail += "."
	}
	r.nodePorts(requested)
	r.decided(quota, "spec.hard", "the quota")
	r.diag.Detail += " Ask for less, in the request or in what adds the container, or raise the quota."
	r.offer(quota.Fix("Raise the quota to what is needed", func(object map[string]any) {
		for _, part := range []string{"spec", "status"} {
			maps.Copy(untyped.Child(untyped.Child(object, part), "hard"), needed)
		}
	})...)
	return true
}

// nodePorts explains the node ports of a Service of type LoadBalancer, and offers to do without.
func (r *refusal) nodePorts(requested podresources.List) {
	spec := untyped.Sub(r.sent.Value, "spec")
	if _, counted := requested["services.nodeports"]; !counted || spec["type"] != "LoadBalancer" || spec["allocateLoadBalancerNodePorts"] == false {
		return
	}
	r.diag.Detail += " Each port of a LoadBalancer takes a node port, unless allocateLoadBalancerNodePorts is false."
	r.offer(r.sent.Fix("Take no node ports, if the load balancer needs none: allocateLoadBalancerNodePorts: false", func(object map[string]any) {
		untyped.Child(object, "spec")["allocateLoadBalancerNodePorts"] = false
	})...)
}

// amountsOf reads amounts as a quota's text writes them: a=1,b=2.
func amountsOf(text string) podresources.List {
	fields := map[string]any{}
	for part := range strings.SplitSeq(text, ",") {
		if name, value, ok := strings.Cut(part, "="); ok {
			fields[name] = value
		}
	}
	return podresources.Of(fields)
}

// usual are amounts for a container of which nothing is known.
var usual = map[string]string{"cpu": "100m", "memory": "128Mi", "ephemeral-storage": "1Gi"}

// usual is an amount for a container that has none: no limit is below its request.
func (r *refusal) usual(container, field, name string) string {
	value := usual[name]
	least, requested := podresources.Container(named(r.finalSpec(), container), "requests")[name]
	if q, err := resource.ParseQuantity(value); err == nil && field == "limits" && requested && least.Cmp(q) > 0 {
		return least.String()
	}
	return value
}

// amountOf is the field of a container's resources that a quota's key counts, and the name in it: cpu alone
// is requests.cpu.
func amountOf(key string) (field, name string) {
	if field, name, found := strings.Cut(key, "."); found && (field == "limits" || field == "requests") {
		return field, name
	}
	return "requests", key
}

// unspecified says which containers lack what a quota counts, and offers to fill it in.
func (r *refusal) unspecified(texts []string) bool {
	_, at := specOf(r.sent.Value)
	r.at(at)
	missing := map[string][]string{} // by container
	for part := range strings.SplitSeq(texts[2], "; ") {
		resource, list, _ := strings.Cut(part, " for: ")
		for name := range strings.SplitSeq(list, ",") {
			missing[name] = append(missing[name], resource)
		}
	}
	var said []string
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		said = append(said, fmt.Sprintf("container %s%s has no %s", name, r.added(name), strings.Join(missing[name], ", ")))
	}
	r.atContainer(func(name string) bool { return missing[name] != nil })
	r.diag.Detail = fmt.Sprintf("ResourceQuota %s counts them, so each container must have them: %s. Set them where the container comes from, or let a LimitRange of the namespace have defaults.", texts[1], strings.Join(said, "; "))
	if quota, ok := r.quota(texts[1]); ok {
		r.decided(quota, "spec.hard", "the quota")
	}
	defaults := map[string]map[string]string{"default": {}, "defaultRequest": {}}
	inText, known := true, true
	spec, _ := specOf(r.sent.Value)
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		inText = inText && named(spec, name) != nil
		for _, resource := range missing[name] {
			field, of := amountOf(resource)
			value := r.usual(name, field, of)
			known = known && value != ""
			defaults[map[string]string{"limits": "default", "requests": "defaultRequest"}[field]][of] = value
		}
	}
	if !known {
		return true
	}
	if inText {
		fixes := r.sent.Fix("Set them in the request", func(object map[string]any) {
			spec, _ := specOf(object)
			for name, resources := range missing {
				for _, resource := range resources {
					field, of := amountOf(resource)
					untyped.Child(untyped.Child(named(spec, name), "resources"), field)[of] = r.usual(name, field, of)
				}
			}
		})
		for i := range fixes {
			fixes[i].Draft = true // the amounts are examples
		}
		r.offer(fixes...)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "apiVersion: v1\nkind: LimitRange\nmetadata: {name: defaults, namespace: %s}\nspec:\n  limits:\n  - type: Container\n", r.Initial.Namespace)
	for _, field := range []string{"default", "defaultRequest"} {
		var pairs []string
		for _, name := range slices.Sorted(maps.Keys(defaults[field])) {
			pairs = append(pairs, name+": "+defaults[field][name])
		}
		if len(pairs) > 0 {
			fmt.Fprintf(&b, "    %s: {%s}\n", field, strings.Join(pairs, ", "))
		}
	}
	fix := compile.AddToCluster(r.Scenario.Cluster, "Add a LimitRange with defaults", b.String())
	fix.Draft = true
	r.offer(fix)
	return true
}
