package generate

import (
	"encoding/json"
	"fmt"
)

// Webhooks makes a scenario for the whole chain: webhook configurations, what
// the webhooks answer (WebhookResponse documents), the Services that some of
// them are behind, policies in between, and a request.
//
// Two validating webhooks never have the same name: they are called at the same
// time, so that the order in which they take their answers would be random.
func (src Source) Webhooks(number int) Scenario {
	// A stream of its own, so that number n is not a variation of scenario n.
	seed := src.Seed
	g := &hookGen{gen: src.gen(seed^0x77656268, number)}
	g.subject = g.pickSubject()
	g.kind, g.operation = g.subject.kind, g.subject.operation
	if g.operation == "" {
		g.operation = weighted(g.gen, map[string]int{"CREATE": 6, "UPDATE": 4, "DELETE": 1})
	}
	s := Scenario{Kind: g.kind.Kind, Operation: g.operation}
	if g.subject.sub != "" {
		s.Kind = g.kind.Resource + "/" + g.subject.sub
	}
	s.ID, s.Webhooks, s.Defaulting = fmt.Sprintf("webhooks %d/%d", seed, number), true, g.operation != "CONNECT"
	s.Request = g.request()
	s.Set = g.storage()
	configurations := g.configurations()
	s.Policies = text(g.served(append(configurations, g.between()...))...)
	s.Cluster = g.cluster() + "---\n" + gadgetText + "---\n" + text(g.documents...)
	return s
}

// hookGen is the state of one scenario with webhooks.
type hookGen struct {
	*gen
	subject *subject
	// documents are Services and WebhookResponses.
	documents []object
	// longWarnings says that a validating webhook has them: those of a second
	// one would come in random order, and be cut differently.
	longWarnings bool
}

// A subject is what a request is about.
type subject struct {
	*kind
	sub       string // subresource
	operation string // "" for any of CREATE, UPDATE and DELETE
	// object is the kind of the object, where it is not that of the resource.
	object object
	// versions and groups are those that serve the same objects.
	versions, groups []string
	// noPolicies leaves out policies, whose schemas know nothing of the object.
	noPolicies bool
	weight     int
}

// subjects are special requests; most are for one of the kinds.
var subjects = []*subject{
	{weight: 120},
	{weight: 14, kind: hpa("v1", autoscalerV1), versions: []string{"v1", "v2"}},
	{weight: 14, kind: hpa("v2", autoscaler), versions: []string{"v1", "v2"}},
	{weight: 12, kind: gadgetKind("v1beta1"), versions: gadgetVersions},
	{weight: 12, kind: gadgetKind("v1"), versions: gadgetVersions},
	{weight: 12, kind: gadgetKind("v2"), versions: gadgetVersions},
	{weight: 8, kind: kindOf("Deployment"), sub: "status", operation: "UPDATE"},
	{weight: 8, kind: &kind{Group: "apps", Version: "v1", Kind: "Deployment", Resource: "deployments", Namespaced: true, body: scale, apply: applyMetadata,
		ints: []string{"object.spec.replicas"}, pointers: []string{"/spec/replicas", "/spec/bogus"}},
		sub: "scale", operation: "UPDATE", object: object{"group": "autoscaling", "version": "v1", "kind": "Scale"}},
	{weight: 6, kind: &kind{Group: "multi.example.com", Version: "v1", Kind: "Gadget", Resource: "gadgets", Namespaced: true, body: scale, apply: applyMetadata,
		ints: []string{"object.spec.replicas"}, pointers: []string{"/spec/replicas", "/spec/bogus"}},
		sub: "scale", operation: "UPDATE", object: object{"group": "autoscaling", "version": "v1", "kind": "Scale"}, versions: gadgetVersions},
	{weight: 6, kind: &kind{Version: "v1", Kind: "Pod", Resource: "pods", Namespaced: true, body: func(*gen) object { return object{} }, apply: applyMetadata,
		pointers: []string{"/deleteOptions", "/spec"}}, sub: "eviction", operation: "CREATE", object: object{"group": "policy", "version": "v1", "kind": "Eviction"}},
	{weight: 8, kind: &kind{Version: "v1", Kind: "Pod", Resource: "pods", Namespaced: true, body: execOptions, apply: applyMetadata,
		pointers: []string{"/container", "/command/-", "/stdin", "/command", "/bogus"}}, sub: "exec", operation: "CONNECT",
		object: object{"group": "", "version": "v1", "kind": "PodExecOptions"}, noPolicies: true},
	{weight: 6, kind: event("", coreEvent), versions: []string{"v1"}, groups: []string{"", "events.k8s.io"}},
	{weight: 6, kind: event("events.k8s.io", newEvent), versions: []string{"v1"}, groups: []string{"", "events.k8s.io"}},
	{weight: 4, kind: &kind{Group: "admissionregistration.k8s.io", Version: "v1", Kind: "ValidatingWebhookConfiguration", Resource: "validatingwebhookconfigurations",
		Generation: true, body: func(*gen) object { return object{} }, apply: applyMetadata, pointers: []string{"/webhooks"}}},
}

func (g *hookGen) pickSubject() *subject {
	total := 0
	for _, s := range subjects {
		total += s.weight
	}
	n := g.IntN(total)
	for _, s := range subjects {
		if n -= s.weight; n < 0 {
			if s.kind == nil {
				return &subject{kind: g.pickKind()}
			}
			return s
		}
	}
	panic("unreachable")
}

func kindOf(name string) *kind {
	for _, k := range kinds {
		if k.Kind == name {
			return k
		}
	}
	panic("no kind " + name)
}

func hpa(version string, body func(*gen) object) *kind {
	return &kind{Group: "autoscaling", Version: version, Kind: "HorizontalPodAutoscaler", Resource: "horizontalpodautoscalers", Namespaced: true, Weight: 3, body: body,
		ints: []string{"object.spec.maxReplicas", "object.spec.minReplicas", "object.spec.targetCPUUtilizationPercentage"}, strings: []string{"object.spec.scaleTargetRef.name"}, lists: []string{"object.spec.metrics"},
		pointers: []string{"/spec/maxReplicas", "/spec/minReplicas", "/spec/metrics/-", "/spec/metrics", "/spec/behavior", "/spec/targetCPUUtilizationPercentage",
			"/metadata/annotations/autoscaling.alpha.kubernetes.io~1metrics", "/metadata/annotations/autoscaling.alpha.kubernetes.io~1behavior"}, apply: applyMetadata,
		annotations: object{
			"autoscaling.alpha.kubernetes.io/metrics":  `[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"1Gi"}}]`,
			"autoscaling.alpha.kubernetes.io/behavior": `{"ScaleDown":{"StabilizationWindowSeconds":60}}`,
		}}
}

func autoscalerV1(g *gen) object {
	spec := object{"maxReplicas": 1 + g.IntN(9), "scaleTargetRef": object{"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}}
	if g.chance(0.5) {
		spec["minReplicas"] = 1
	}
	if g.chance(0.6) {
		spec["targetCPUUtilizationPercentage"] = 50 + g.IntN(40)
	}
	return object{"spec": spec}
}

// event is the kind of events, which two groups serve with other names for some
// of the fields.
func event(group string, body func(*gen) object) *kind {
	return &kind{Group: group, Version: "v1", Kind: "Event", Resource: "events", Namespaced: true, body: body, apply: applyMetadata,
		strings: []string{"object.reason", "object.type"}, pointers: []string{"/reason", "/type", "/note", "/message", "/action", "/count", "/deprecatedCount"}}
}

func coreEvent(g *gen) object {
	out := object{"involvedObject": object{"kind": "Pod", "name": "web", "namespace": "default"}, "reason": "Started", "message": "it runs", "type": "Normal"}
	if g.chance(0.5) {
		out["count"], out["firstTimestamp"], out["lastTimestamp"] = 1+g.IntN(3), Now, Now
		out["source"] = object{"component": "kubelet", "host": "node-1"}
	}
	return out
}

func newEvent(g *gen) object {
	out := object{"regarding": object{"kind": "Pod", "name": "web", "namespace": "default"}, "reason": "Started", "note": "it runs", "type": "Normal",
		"action": "Starting", "reportingController": "example.com/controller", "reportingInstance": "i-1", "eventTime": "2026-01-01T00:00:00.000000Z"}
	if g.chance(0.3) {
		out["related"] = object{"kind": "Node", "name": "node-1"}
	}
	return out
}

func scale(g *gen) object {
	return object{"spec": object{"replicas": g.IntN(9)}, "status": object{"replicas": g.IntN(9), "selector": "app=web"}}
}

func execOptions(g *gen) object {
	out := object{"command": []any{"sh", "-c", "id"}, "stdout": true}
	if g.chance(0.5) {
		out["container"] = pick(g, "a", "b")
	}
	if g.chance(0.5) {
		out["stdin"], out["tty"] = true, true
	}
	return out
}

// gadgetVersions are served from one stored version, without conversion.
var gadgetVersions = []string{"v1beta1", "v1", "v2"}

func gadgetKind(version string) *kind {
	return &kind{Group: "multi.example.com", Version: version, Kind: "Gadget", Resource: "gadgets", plain: true, Namespaced: true, Generation: true, body: gadget, apply: applyMetadata,
		ints: []string{"object.spec.size"}, strings: []string{"object.spec.color", "object.spec.name"}, bools: []string{"object.spec.on"},
		pointers: []string{"/spec/size", "/spec/color", "/spec/on", "/spec/unknown", "/spec", "/spec/name"}}
}

func gadget(g *gen) object {
	spec := object{"size": g.IntN(9)}
	if g.chance(0.4) {
		spec["name"] = "n"
	}
	if g.chance(0.4) {
		spec["on"] = g.chance(0.5)
	}
	return object{"spec": spec}
}

// gadgetText is the definition of the Gadget: another field and another default
// in each version.
var gadgetText = text(func() object {
	var versions []any
	for i, version := range gadgetVersions {
		properties := object{"size": object{"type": "integer"}, "name": object{"type": "string"}, "color": object{"type": "string", "default": "green-" + version}}
		if version != "v1beta1" {
			properties["on"] = object{"type": "boolean"}
		}
		versions = append(versions, object{"name": version, "served": true, "storage": i == 1,
			"subresources": object{"scale": object{"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"}}, "schema": object{"openAPIV3Schema": object{"type": "object", "properties": object{
				"apiVersion": object{"type": "string"}, "kind": object{"type": "string"}, "metadata": object{"type": "object"},
				"spec": object{"type": "object", "properties": properties}}}}})
	}
	return object{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": object{"name": "gadgets.multi.example.com"},
		"spec": object{"group": "multi.example.com", "scope": "Namespaced", "versions": versions,
			"names": object{"kind": "Gadget", "listKind": "GadgetList", "plural": "gadgets", "singular": "gadget"}}}
}())

// request is the AdmissionReview.
func (g *hookGen) request() string {
	k := g.kind
	if g.namespace = ""; k.Namespaced {
		g.namespace = pick(g.gen, "default", "default", "team-a")
		if g.chance(0.02) {
			g.namespace = "gone" // not in the cluster text
		}
	}
	g.name = pick(g.gen, "web", "api", "job-1")
	gvk := object{"group": k.Group, "version": k.Version, "kind": k.Kind}
	obj := g.newObject()
	if g.subject.object != nil {
		gvk = g.subject.object
		obj["apiVersion"], obj["kind"] = apiVersion(gvk["group"].(string), gvk["version"].(string)), gvk["kind"]
	}
	r := object{"uid": zeroUID, "kind": gvk, "resource": object{"group": k.Group, "version": k.Version, "resource": k.Resource},
		"operation": g.operation, "userInfo": g.user(), "dryRun": g.chance(0.3), "name": g.name}
	r["requestKind"], r["requestResource"] = r["kind"], r["resource"]
	if g.subject.sub != "" {
		r["subResource"], r["requestSubResource"] = g.subject.sub, g.subject.sub
	}
	if g.namespace != "" {
		r["namespace"] = g.namespace
	}
	if k.Kind == "Namespace" {
		r["namespace"] = g.name
	}
	if kind := optionsKind[g.operation]; kind != "" {
		r["options"] = object{"apiVersion": "meta.k8s.io/v1", "kind": kind}
	}
	g.objects(r, obj)
	data, err := json.MarshalIndent(object{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": r}, "", "  ")
	if err != nil {
		panic(err)
	}
	return string(data)
}

// objects puts the objects into the request, with what the server's field
// manager wrote into them.
func (g *hookGen) objects(r, obj object) {
	metadata := obj["metadata"].(object)
	switch g.operation {
	case "CONNECT":
		delete(obj, "metadata")
		r["object"] = obj
	case "CREATE":
		if g.subject.sub == "" { // an Eviction has none
			metadata["managedFields"] = managedFields(obj, "kubectl")
		}
		if g.subject.sub == "" && g.chance(0.15) {
			delete(metadata, "name")
			metadata["generateName"], g.name = "gen-", ""
			delete(r, "name")
		}
		r["object"] = obj
	case "UPDATE":
		old := g.older(obj)
		metadata["managedFields"] = managedFields(obj, "kubectl")
		manager := "kubectl"
		if g.chance(0.5) {
			manager = "before"
		}
		old["metadata"].(object)["managedFields"] = managedFields(obj, manager)
		r["object"], r["oldObject"] = obj, old
	case "DELETE":
		r["oldObject"] = g.older(obj)
	}
}

func managedFields(obj object, manager string) []any {
	return []any{object{"manager": manager, "operation": "Update", "apiVersion": obj["apiVersion"], "time": Now,
		"fieldsType": "FieldsV1", "fieldsV1": object{"f:metadata": object{"f:labels": object{}}}}}
}

// storage is what storage changes between the two phases.
func (g *hookGen) storage() map[string]any {
	if g.operation != "CREATE" || g.subject.sub != "" {
		return nil
	}
	set := map[string]any{"/metadata/uid": zeroUID, "/metadata/creationTimestamp": Now}
	if g.name == "" {
		set["/metadata/name"] = "gen-xxxxx"
	}
	if g.kind.Generation {
		set["/metadata/generation"] = int64(1)
	}
	switch g.kind.Kind {
	case "Namespace":
		set["/status"] = object{"phase": "Active"}
	case "Pod":
		set["/status"] = object{"phase": "Pending", "qosClass": "BestEffort"}
	}
	return set
}

// between are the policies of the scenario: none, some that get along with
// most objects, or any.
func (g *hookGen) between() []object {
	switch {
	case g.subject.noPolicies || g.chance(0.5):
		return nil
	case g.chance(0.25):
		if g.chance(0.5) {
			return g.policy("Mutating", "any")
		}
		return g.policy("Validating", "any")
	}
	var docs []object
	for i := range pick(g.gen, 1, 1, 2) {
		docs = append(docs, g.labeller(fmt.Sprintf("p%d", i))...)
	}
	if g.chance(0.4) {
		docs = append(docs, g.judge()...)
	}
	return docs
}

// everything matches all that the scenario's request may be.
func (g *hookGen) everything() object {
	return object{"resourceRules": []any{object{"apiGroups": []any{"*"}, "apiVersions": []any{"*"}, "operations": []any{"*"}, "resources": []any{"*/*"}}}}
}

// labeller is a mutating policy that changes labels or annotations.
func (g *hookGen) labeller(name string) []object {
	constraints := g.everything()
	constraints["resourceRules"].([]any)[0].(object)["operations"] = []any{"CREATE", "UPDATE"}
	if g.chance(0.25) {
		constraints["objectSelector"] = g.hookSelector()
	}
	mutation := object{"patchType": "ApplyConfiguration", "applyConfiguration": object{"expression": pick(g.gen,
		"Object{metadata: Object.metadata{labels: {'by-policy': 'yes'}}}",
		"Object{metadata: Object.metadata{labels: {'added': 'by-policy', 'n': string(size(object.metadata.?labels.orValue({})))}}}",
		"Object{metadata: Object.metadata{annotations: {'count': string(int(object.metadata.?annotations['count'].orValue('0')) + 1)}}}",
		"has(object.metadata.labels) && 'added' in object.metadata.labels ? Object{metadata: Object.metadata{labels: {'seen': 'added'}}} : Object{}")}}
	if g.chance(0.3) {
		mutation = object{"patchType": "JSONPatch", "jsonPatch": object{"expression": "[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'patched': string(size(object.metadata.?labels.orValue({})))}}]"}}
	}
	spec := object{"matchConstraints": constraints, "mutations": []any{mutation}, "reinvocationPolicy": pick(g.gen, "Never", "IfNeeded"), "failurePolicy": pick(g.gen, "Fail", "Ignore")}
	if g.chance(0.3) {
		spec["matchConditions"] = []any{object{"name": "c", "expression": pick(g.gen, "!has(object.metadata.labels) || !('added' in object.metadata.labels)", "has(object.metadata.labels) && 'added' in object.metadata.labels", "true")}}
	}
	return []object{
		{"apiVersion": group, "kind": "MutatingAdmissionPolicy", "metadata": object{"name": name}, "spec": spec},
		{"apiVersion": group, "kind": "MutatingAdmissionPolicyBinding", "metadata": object{"name": name + "-b"}, "spec": object{"policyName": name}},
	}
}

// judge is a validating policy about labels.
func (g *hookGen) judge() []object {
	spec := object{"matchConstraints": g.everything(), "failurePolicy": pick(g.gen, "Fail", "Ignore"), "validations": []any{object{
		"expression":        pick(g.gen, "object == null || !has(object.metadata.labels) || !('forbidden' in object.metadata.labels)", "object == null || object.metadata.?labels['added'].orValue('') != 'yes'", "true"),
		"messageExpression": "'labels: ' + string(size(object.metadata.?labels.orValue({})))"}}}
	return []object{
		{"apiVersion": group, "kind": "ValidatingAdmissionPolicy", "metadata": object{"name": "judge"}, "spec": spec},
		{"apiVersion": group, "kind": "ValidatingAdmissionPolicyBinding", "metadata": object{"name": "judge-b"}, "spec": object{
			"policyName": "judge", "validationActions": pickAny(g.gen, []any{"Deny"}, []any{"Warn"}, []any{"Audit", "Warn"})}},
	}
}
