package refusals

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/kube/podresources"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report"
)

// podSpecs are the places of a Pod's spec, the deepest first.
var podSpecs = []string{"spec.jobTemplate.spec.template.spec", "spec.template.spec", "template.spec", "spec"}

// specOf is the spec of an object's Pods, and where it is.
func specOf(object map[string]any) (spec map[string]any, at string) {
	for _, at := range podSpecs {
		value, _ := fieldpath.Parse(at).Get(object)
		if spec, _ := value.(map[string]any); spec["containers"] != nil {
			return spec, at
		}
	}
	return nil, ""
}

// containersOf are all containers of a Pod.
func containersOf(spec map[string]any) []map[string]any {
	return slices.Concat(untyped.Items(spec["containers"]), untyped.Items(spec["initContainers"]), untyped.Items(spec["ephemeralContainers"]))
}

func named(spec map[string]any, name string) map[string]any {
	for _, c := range containersOf(spec) {
		if c["name"] == name {
			return c
		}
	}
	return nil
}

// adder is the step that added a container to the Pod; nil where the request has it.
func (r *refusal) adder(name string) *report.Step {
	for i := range r.Report.Steps {
		s := &r.Report.Steps[i]
		before, _ := specOf(s.Before)
		after, _ := specOf(s.After)
		if s.OfPolicy() && after != nil && named(before, name) == nil && named(after, name) != nil {
			return s
		}
	}
	return nil
}

// added says who added a container to the Pod, in brackets; empty where the request has it.
func (r *refusal) added(name string) string {
	switch s := r.adder(name); {
	case s == nil:
		return ""
	case s.Webhook != "":
		return fmt.Sprintf(" (added by webhook %s)", s.Webhook)
	default:
		return fmt.Sprintf(" (added by %s %s)", s.Kind, s.Policy)
	}
}

// violations are the parts of what Pod Security says, without their details in brackets.
func violations(text string) []string {
	var plain strings.Builder
	depth := 0
	for _, c := range text {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		default:
			if depth == 0 {
				plain.WriteRune(c)
			}
		}
	}
	var out []string
	for part := range strings.SplitSeq(plain.String(), ", ") {
		out = append(out, strings.TrimSpace(part))
	}
	return out
}

// security is what a Pod Security check asks of a Pod: the level whose check it is, and the change of a spec that
// satisfies it; nil where that depends on what the Pod does.
type security struct {
	restricted bool
	change     func(spec map[string]any)
}

// inEach changes the security context of each container.
func inEach(change func(context map[string]any)) func(spec map[string]any) {
	return func(spec map[string]any) {
		for _, c := range containersOf(spec) {
			context := untyped.Sub(c, "securityContext")
			fresh := context == nil
			if fresh {
				context = map[string]any{}
			}
			if change(context); !fresh || len(context) > 0 {
				c["securityContext"] = context
			}
		}
	}
}

// without removes fields of a spec and of the security contexts of the Pod and its containers.
func without(names ...string) func(spec map[string]any) {
	return func(spec map[string]any) {
		drop := func(m map[string]any) {
			for _, name := range names {
				delete(m, name)
			}
		}
		drop(spec)
		drop(untyped.Sub(spec, "securityContext"))
		inEach(drop)(spec)
	}
}

// securities are the checks of the Pod Security Standards, by their names in the server's text.
var securities = map[string]security{
	"host namespaces":  {false, without("hostNetwork", "hostPID", "hostIPC")},
	"privileged":       {false, without("privileged")},
	"procMount":        {false, without("procMount")},
	"seLinuxOptions":   {false, without("seLinuxOptions")},
	"hostProcess":      {false, without("windowsOptions")},
	"hostPort":         {false, withoutHostPorts},
	"hostPath volumes": {},
	"non-default capabilities": {false, inEach(func(context map[string]any) {
		delete(untyped.Sub(context, "capabilities"), "add")
	})},
	"unrestricted capabilities": {true, inEach(func(context map[string]any) {
		capabilities := untyped.Child(context, "capabilities")
		capabilities["drop"] = []any{"ALL"}
		if add, _ := capabilities["add"].([]any); slices.ContainsFunc(add, func(c any) bool { return c != "NET_BIND_SERVICE" }) {
			delete(capabilities, "add")
		}
	})},
	"allowPrivilegeEscalation != false": {true, inEach(func(context map[string]any) {
		context["allowPrivilegeEscalation"] = false
		delete(context, "privileged")
	})},
	"runAsNonRoot != true": {true, ofPod("runAsNonRoot", true)},
	"seccompProfile":       {true, ofPod("seccompProfile", map[string]any{"type": "RuntimeDefault"})},
	"runAsUser=0":          {true, without("runAsUser")},
}

// ofPod sets a field of the Pod's security context, which no container overrides.
func ofPod(name string, value any) func(spec map[string]any) {
	return func(spec map[string]any) {
		without(name)(spec)
		untyped.Child(spec, "securityContext")[name] = value
	}
}

func withoutHostPorts(spec map[string]any) {
	for _, c := range containersOf(spec) {
		for _, port := range untyped.Items(c["ports"]) {
			delete(port, "hostPort")
		}
	}
}

// podSecurity offers the fields that a level asks for, and a level of the Namespace that does not ask.
func (r *refusal) podSecurity(texts []string) bool {
	names := violations(texts[1])
	repairable, restricted := r.sent.Value != nil, true
	for _, name := range names {
		check := securities[name]
		repairable, restricted = repairable && check.change != nil, restricted && check.restricted
	}
	spec, at := specOf(r.sent.Value)
	r.at(at)
	violates := func(name string) bool { return strings.Contains(texts[1], fmt.Sprintf("%q", name)) }
	r.atContainer(violates)
	var others []string
	for _, c := range containersOf(r.finalSpec()) {
		if name := text(c, "name"); named(spec, name) == nil && violates(name) {
			others, repairable = append(others, name+r.added(name)), false
		}
	}
	stored := r.stored(violates)
	repairable = repairable && len(stored) == 0
	if repairable && spec != nil {
		r.offer(r.sent.Fix("Set what the level asks for", func(object map[string]any) {
			spec, _ := specOf(object)
			for _, name := range names {
				securities[name].change(spec)
			}
		})...)
	}
	if len(others) > 0 {
		r.diag.Detail = "Not in the request: container " + strings.Join(others, ", ") + ". Its injector must set the fields. "
	}
	if len(stored) > 0 {
		r.diag.Detail = fmt.Sprintf("The stored Pod has container %s already, and an update can neither change nor remove it. Pod Security checks every container of the Pod, not only a new one. "+
			"Delete the Pod and create it again, or debug a copy: kubectl debug --copy-to. ", strings.Join(stored, ", "))
		r.createdAgain(stored)
	}
	level := "privileged"
	if restricted {
		level = "baseline"
	}
	r.diag.Detail += "The labels pod-security.kubernetes.io of the Namespace decide. Change the fields that the text names, or let the Namespace have the level " + level + "."
	namespace, ok := r.inCluster(untyped.Namespace.GroupKind(), "", r.Initial.Namespace)
	if !ok {
		return true
	}
	r.decided(namespace, "metadata.labels", "the labels of the Namespace")
	r.offer(namespace.Fix("Let namespace "+r.Initial.Namespace+" have the level "+level, func(object map[string]any) {
		labels := untyped.Child(untyped.Child(object, "metadata"), "labels")
		labels["pod-security.kubernetes.io/enforce"] = level
		for _, mode := range []string{"audit", "warn"} {
			if label := "pod-security.kubernetes.io/" + mode; labels[label] != nil {
				labels[label] = level
			}
		}
	})...)
	return true
}

// priority explains a priority that is not the class's: usually the plugin wrote that of no class before a policy or
// webhook named one.
func (r *refusal) priority(texts []string) bool {
	field := strings.ToLower(texts[1][:1]) + texts[1][1:]
	spec, at := specOf(r.sent.Value)
	class := text(r.finalSpec(), "priorityClassName")
	r.at(at + "." + field)
	if spec[field] != nil {
		r.diag.Detail = fmt.Sprintf("The PriorityClass decides: the plugin writes %s %s. A Pod that names its class leaves the field out.", field, texts[3])
		for _, o := range r.Cluster.List(schema.GroupKind{Group: "scheduling.k8s.io", Kind: "PriorityClass"}, "", labels.Everything()) {
			if class != "" || field != "priority" || fmt.Sprint(o.Value["value"]) != texts[2] {
				continue
			}
			r.offer(r.sent.Fix("Name PriorityClass "+o.Name+", which has this priority", func(object map[string]any) {
				spec, _ := specOf(object)
				delete(spec, field)
				spec["priorityClassName"] = o.Name
			})...)
		}
		r.offer(r.sent.Fix("Remove "+field, func(object map[string]any) {
			spec, _ := specOf(object)
			delete(spec, field)
		})...)
		return true
	}
	by := "a mutation"
	for i := range r.Report.Steps {
		s := &r.Report.Steps[i]
		before, _ := specOf(s.Before)
		after, _ := specOf(s.After)
		if s.OfPolicy() && after != nil && text(before, "priorityClassName") != text(after, "priorityClassName") {
			by = s.Kind + " " + cmp.Or(s.Webhook, s.Policy)
		}
	}
	r.diag.Detail = fmt.Sprintf("The request has no %s. The plugin Priority wrote %s, that of a Pod without a class, before %s named class %s. It runs again, and then the two differ. "+
		"The mutation must remove spec.priority and spec.preemptionPolicy too, by a JSONPatch. A PriorityClass with globalDefault: true needs no mutation.", field, texts[2], by, class)
	if o, ok := r.inCluster(schema.GroupKind{Group: "scheduling.k8s.io", Kind: "PriorityClass"}, "", class); ok {
		r.decided(o, "value", "the class")
		r.offer(o.Fix("Make "+class+" the default of all Pods: globalDefault: true", func(object map[string]any) { object["globalDefault"] = true })...)
	}
	return true
}

// atContainer marks the first container of the request that a text names, if there is one.
func (r *refusal) atContainer(names func(name string) bool) {
	spec, at := specOf(r.sent.Value)
	for _, list := range []string{"initContainers", "containers", "ephemeralContainers"} {
		for i, c := range untyped.Items(spec[list]) {
			if names(text(c, "name")) {
				r.at(fmt.Sprintf("%s.%s[%d].name", at, list, i))
				return
			}
		}
	}
}

// finalSpec is the spec of the Pods as the server judged it.
func (r *refusal) finalSpec() map[string]any {
	spec, _ := specOf(r.Chain.Attributes.Object)
	return spec
}

// amount is what a container asks for, such as its limits.cpu.
func amount(container map[string]any, key string) (podresources.List, string) {
	field, name := amountOf(key)
	return podresources.Container(container, field), name
}
