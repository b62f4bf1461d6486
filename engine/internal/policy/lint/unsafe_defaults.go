package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// unsafeDefault is a field whose absence means what a check of the field is about.
type unsafeDefault struct {
	// field is its name, owner the type that it is in, in the API's catalog; empty for any.
	owner, field string
	// who lacks the field, and what that means.
	who, meaning string
	// value is what counts where a boolean is absent; nil for other fields.
	value *bool
}

var yes, no = new(true), new(false)

// unsafeDefaults are the fields that are looked at. The security context's other fields are not here: the Pod Security
// Standards let them be absent.
var unsafeDefaults = []unsafeDefault{
	{"", "allowPrivilegeEscalation", "a container", "its processes may gain more privileges than their parent", yes},
	{"", "readOnlyRootFilesystem", "a container", "its root file system is writable", no},
	{"", "runAsNonRoot", "a container", "it may run as root", no},
	{"core/v1.VolumeMount", "readOnly", "a volume mount", "it is writable", no},
	{"core/v1.PodSpec", "automountServiceAccountToken", "a Pod", "its containers get a token", yes},
	{"core/v1.ServiceAccount", "automountServiceAccountToken", "a ServiceAccount", "its Pods get a token", yes},
	{"core/v1.PodSpec", "hostUsers", "a Pod", "it uses the node's user namespace", yes},
	{"core/v1.PodSpec", "nodeSelector", "a Pod", "it runs on any node", nil},
	{"core/v1.PodSpec", "runtimeClassName", "a Pod", "it runs with the default runtime", nil},
	{"core/v1.Capabilities", "drop", "a container", "it keeps all default capabilities", nil},
	{"core/v1.ResourceRequirements", "limits", "a container", "it has no limit", nil},
	{"core/v1.EmptyDirVolumeSource", "sizeLimit", "an emptyDir", "it has no limit", nil},
	{"core/v1.Toleration", "key", "a toleration", "it tolerates taints of every key", nil},
	{"core/v1.Toleration", "effect", "a toleration", "it tolerates every effect", nil},
	{"core/v1.Toleration", "tolerationSeconds", "a toleration", "it lasts forever", nil},
	{"core/v1.ServiceSpec", "loadBalancerSourceRanges", "a Service", "its load balancer accepts every address", nil},
	{"core/v1.ConfigMap", "immutable", "a ConfigMap", "it can be changed", no},
	{"core/v1.Secret", "immutable", "a Secret", "it can be changed", no},
	{"batch/v1.JobSpec", "activeDeadlineSeconds", "a Job", "it may run forever", nil},
	{"batch/v1.JobSpec", "ttlSecondsAfterFinished", "a Job", "it is never deleted", nil},
	{"networking/v1.NetworkPolicyIngressRule", "from", "an ingress rule", "it allows every source", nil},
	{"networking/v1.NetworkPolicyIngressRule", "ports", "an ingress rule", "it allows every port", nil},
	{"networking/v1.NetworkPolicyEgressRule", "to", "an egress rule", "it allows every destination", nil},
	{"networking/v1.NetworkPolicyEgressRule", "ports", "an egress rule", "it allows every port", nil},
	{"networking/v1.NetworkPolicyPort", "port", "an item of ports", "it allows every port", nil},
	{"networking/v1.IngressRule", "host", "a rule", "it serves every host", nil},
	{"rbac/v1.PolicyRule", "resourceNames", "a rule", "it grants access to objects of every name", nil},
	{"meta/v1.LabelSelector", "matchLabels", "a selector", "without matchExpressions it selects everything", nil},
	{"admissionregistration/v1.ValidatingWebhook", "namespaceSelector", "a webhook", "it matches every namespace", nil},
	{"admissionregistration/v1.MutatingWebhook", "namespaceSelector", "a webhook", "it matches every namespace", nil},
	{"admissionregistration/v1.ValidatingWebhook", "objectSelector", "a webhook", "it matches every object", nil},
	{"admissionregistration/v1.MutatingWebhook", "objectSelector", "a webhook", "it matches every object", nil},
	{"certificates/v1.CertificateSigningRequestSpec", "expirationSeconds", "a request", "the signer chooses how long it lasts", nil},
}

// safe is the sign of a part that is true where a boolean's value is safe.
func (d *unsafeDefault) safe() int {
	if *d.value {
		return -1
	}
	return 1
}

// saysOptional are words of a message about a field that may be absent.
var saysOptional = lazy.Regexp{Text: `(?i)\b(if|when|where) (set|present|given|specified|defined|it is|they are)\b|\boptional`}

// absentUnsafe finds validations that deny values of a field and admit an object without the field, where that means
// a value that they deny.
func absentUnsafe(p *policy) {
	if p.webhook || len(p.bindings) > 0 && !slices.ContainsFunc(p.bindings, binding.denies) {
		return
	}
	owners := p.owners()
	for i := range unsafeDefaults {
		d := &unsafeDefaults[i]
		is := func(n *values.Node) bool { o, ok := owners[n]; return ok && o == d.owner+" "+d.field }
		if d.owner == "" {
			is = func(n *values.Node) bool { return fieldOf(n) == d.field }
		}
		part, fixed := p.passesWithout(d, is)
		if part == nil || slices.ContainsFunc(p.all, func(o *policy) bool { return o.demands(d) }) {
			continue
		}
		path := p.effects().in[part].path
		if p.said(p.document, path) {
			continue
		}
		out := p.report(p.document, codes.UnsafeDefault, diag.Warning, path, fmt.Sprintf("%s without %s passes, and %s", d.who, d.field, d.meaning), "Demand the field, or count an absent one as its default.")
		p.within(out, p.document, path, part.Start, part.End)
		if fixed != nil && out.Code != "" {
			out.Fixes = p.rewritten(p.document, path, fixed.Start, fixed.End, fmt.Sprint(*d.value))
		}
	}
}

// owners are the types, and after a space the names, of the fields that parts of the expressions read or ask for.
func (p *policy) owners() map[*values.Node]string {
	out := map[*values.Node]string{}
	p.eachPart(func(_ expression, n *values.Node, of func(*values.Node) *place) bool {
		in, name := presence(n, of)
		if n.Kind == values.Select {
			in, name = of(n.Children[0]), n.Name
		}
		if in == nil || in.typ == nil {
			return false
		}
		if isUnsafeMap(in, name) { // a key of limits
			out[n] = "core/v1.ResourceRequirements limits"
			return true
		}
		out[n] = in.typ.ID + " " + name
		return in.typ.ID != ""
	})
	return out
}

// isUnsafeMap reports whether a field is a key of a container's limits, each of which may be absent.
func isUnsafeMap(in *place, key string) bool {
	return in.steps[len(in.steps)-1] == "limits" && in.typ.ID == "" && !strings.Contains(key, "/")
}

// passesWithout is the part of a validation or condition that lets an object without a field pass, while another one
// denies by the field's value; nil for none. fixed is the default that it writes, if it does.
func (p *policy) passesWithout(d *unsafeDefault, is func(*values.Node) bool) (part, fixed *values.Node) {
	effects := p.effects()
	reads := func(n *values.Node) bool {
		return n.Kind == values.Select && is(n) && (d.value == nil || effects.sign[n] == d.safe())
	}
	if !slices.ContainsFunc(p.validations, func(v validation) bool { return v.read != nil && p.anyBelow(v.read.Root(), reads) }) {
		return nil, nil
	}
	look := func(n *values.Node) {
		switch {
		case part != nil || effects.in[n].read == nil:
		case isPresence(n) && effects.sign[n] < 0 && (is(n) || d.owner == "" && fieldOf(n) == "securityContext"):
			part = n
		case n.Kind != values.Call || n.Name != "orValue" || len(n.Children) != 2 || !is(n.Children[0]):
		case d.value != nil && literal(n.Children[1]) == !*d.value && effects.sign[n] == d.safe():
			part, fixed = n, n.Children[1]
		case d.value == nil && n.Children[1].Kind == values.List && len(n.Children[1].Children) == 0 && effects.sign[n] < 0:
			part = n
		}
	}
	for _, v := range p.validations {
		if v.read != nil && !saysOptional.MatchString(v.message) && p.anyBelow(v.read.Root(), reads) {
			p.eachBelow(v.read.Root(), look)
		}
	}
	return part, fixed
}

// demands reports whether a policy denies an object without a field, or sets the field.
func (p *policy) demands(d *unsafeDefault) bool {
	sets := func(m expression) bool { return m.read != nil && slices.Contains(p.fields(m.read), d.field) }
	return slices.ContainsFunc(p.mutations, sets) || slices.ContainsFunc(p.validations, func(v validation) bool {
		return v.read != nil && p.deniesAbsence(v.read.Root(), d)
	})
}

// deniesAbsence reports whether a validation is false for an object without a field.
func (p *policy) deniesAbsence(root *values.Node, d *unsafeDefault) bool {
	effects := p.effects()
	named := func(n *values.Node) bool { return isPresence(n) && askedFor(n) == d.field }
	admitsAbsence := p.anyBelow(root, func(n *values.Node) bool { return named(n) && effects.sign[n] < 0 })
	return p.anyBelow(root, func(n *values.Node) bool {
		switch {
		case named(n) && effects.sign[n] > 0:
			return isHas(n) || !admitsAbsence
		case d.value == nil: // an item is looked for
			return n.Kind == values.Select && n.Name == d.field && effects.sign[n] > 0 && !admitsAbsence
		}
		return n.Kind == values.Call && n.Name == "orValue" && len(n.Children) == 2 && fieldOf(n.Children[0]) == d.field &&
			literal(n.Children[1]) == *d.value && effects.sign[n] == d.safe()
	})
}

// isPresence reports whether a part is the macro has, or looks for a key in a map.
func isPresence(n *values.Node) bool {
	return isHas(n) || n.Kind == values.Call && n.Name == "@in" && len(n.Children) == 2 && n.Children[0].Kind == values.Literal
}

// askedFor is the field whose presence a part asks for, with the one that it is in for a key.
func askedFor(n *values.Node) string {
	if isHas(n) && n.Expr != nil && n.Expr.Kind() == ast.SelectKind {
		return n.Expr.AsSelect().FieldName()
	}
	return fieldOf(n.Children[len(n.Children)-1])
}

// isHas reports whether a part is the macro has.
func isHas(n *values.Node) bool { return n.Kind == values.Macro && n.Name == "has" }
