package storage

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/podresources"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// This file is what the server's strategies (pkg/registry of k8s.io/kubernetes)
// do to objects of single kinds, beyond the metadata and the status that all
// kinds have in common.

var (
	podKind         = schema.GroupKind{Kind: "Pod"}
	certificateKind = schema.GroupKind{Group: "certificates.k8s.io", Kind: "CertificateSigningRequest"}
)

// preparation is what a strategy does to a new object.
type preparation func(e *Storage, object map[string]any)

var creations = map[schema.GroupKind]preparation{
	{Kind: "Namespace"}:                                namespaceFinalizer,
	podKind:                                            newPod,
	{Kind: "PersistentVolume"}:                         phaseTransition,
	{Kind: "PersistentVolumeClaim"}:                    func(_ *Storage, object map[string]any) { dataSources(untyped.Child(object, "spec"), false) },
	{Kind: "Service"}:                                  allocate,
	{Kind: "ServiceAccount"}:                           func(_ *Storage, object map[string]any) { onlyNames(object) },
	{Kind: "LimitRange"}:                               limitRangeName,
	{Group: "apps", Kind: "DaemonSet"}:                 firstTemplate,
	{Group: "batch", Kind: "Job"}:                      jobSelector,
	certificateKind:                                    requester,
	{Group: "discovery.k8s.io", Kind: "EndpointSlice"}: func(_ *Storage, object map[string]any) { dropTopology(object, nil) },
}

// change is what a strategy does to an object that replaces old.
type change func(e *Storage, object, old map[string]any)

var updates = map[schema.GroupKind]change{
	{Kind: "Namespace"}: keepFinalizers,
	{Kind: "PersistentVolumeClaim"}: func(_ *Storage, object, old map[string]any) {
		spec, _ := old["spec"].(map[string]any)
		dataSources(untyped.Child(object, "spec"), spec["dataSource"] != nil || spec["dataSourceRef"] != nil)
	},
	{Kind: "Secret"}:                   keepSecretType,
	{Kind: "Service"}:                  keepAllocated,
	{Kind: "ServiceAccount"}:           func(_ *Storage, object, _ map[string]any) { onlyNames(object) },
	{Group: "apps", Kind: "DaemonSet"}: nextTemplate,
	certificateKind: func(_ *Storage, object, old map[string]any) {
		object["spec"] = runtime.DeepCopyJSONValue(old["spec"])
	},
	{Group: "discovery.k8s.io", Kind: "EndpointSlice"}: func(_ *Storage, object, old map[string]any) {
		if !reflect.DeepEqual(object["endpoints"], old["endpoints"]) {
			dropTopology(object, old)
		}
	},
}

// Stored gives an object of a manifest what its creation gave it: selectors,
// addresses and the like. Its metadata and status are left alone. isNew says that
// it replaces the stored object, for which most strategies then see to it.
func (e *Storage) Stored(object map[string]any, isNew bool) map[string]any {
	own, ok := e.Catalog.KindFor(e.Attributes.Resource, "")
	prepare := creations[own.GroupKind()]
	if e.SharedOnly || object == nil || !ok || own != e.Attributes.Kind || prepare == nil || isNew && updates[own.GroupKind()] != nil {
		return object
	}
	out := runtime.DeepCopyJSON(object)
	prepare(e, out)
	if status, had := object["status"]; had {
		out["status"] = status
	} else {
		delete(out, "status")
	}
	return out
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// namespaceFinalizer lets the content of a Namespace be deleted before it.
func namespaceFinalizer(_ *Storage, namespace map[string]any) {
	spec := untyped.Child(namespace, "spec")
	list, _ := spec["finalizers"].([]any)
	if !slices.Contains(list, any("kubernetes")) {
		spec["finalizers"] = append(slices.Clone(list), "kubernetes")
	}
}

func keepFinalizers(_ *Storage, namespace, old map[string]any) {
	before, _ := old["spec"].(map[string]any)
	spec := untyped.Child(namespace, "spec")
	delete(spec, "finalizers")
	if list, ok := before["finalizers"]; ok {
		spec["finalizers"] = runtime.DeepCopyJSONValue(list)
	}
}

func keepSecretType(_ *Storage, secret, old map[string]any) {
	if text(secret["type"]) == "" && old["type"] != nil {
		secret["type"] = old["type"]
	}
}

// onlyNames leaves of the Secrets of a ServiceAccount nothing but their names.
func onlyNames(account map[string]any) {
	for _, secret := range untyped.Items(account["secrets"]) {
		for field := range secret {
			if field != "name" {
				delete(secret, field)
			}
		}
	}
}

func limitRangeName(_ *Storage, object map[string]any) {
	if metadata := untyped.Child(object, "metadata"); text(metadata["name"]) == "" {
		metadata["name"] = untyped.ZeroUID
	}
}

// phaseTransition dates the first phase of a PersistentVolume.
func phaseTransition(e *Storage, volume map[string]any) {
	untyped.Child(volume, "status")["lastPhaseTransitionTime"] = e.Now
}

// dataSources keeps the old and the new field for the origin of a claim's
// content in step (KEP-1495). inUse says that the claim had an origin before.
func dataSources(spec map[string]any, inUse bool) {
	source, _ := spec["dataSource"].(map[string]any)
	reference, _ := spec["dataSourceRef"].(map[string]any)
	if !inUse && reference == nil && !claimOrSnapshot(source) {
		delete(spec, "dataSource")
		source = nil
	}
	switch {
	case source != nil && reference == nil:
		spec["dataSourceRef"] = with(source, "kind", "name", "apiGroup")
	case reference != nil && source == nil && text(reference["namespace"]) == "":
		spec["dataSource"] = with(reference, "kind", "name", "apiGroup")
	}
}

func claimOrSnapshot(source map[string]any) bool {
	group, kind := text(source["apiGroup"]), text(source["kind"])
	return kind == "PersistentVolumeClaim" && group == "" || kind == "VolumeSnapshot" && group == "snapshot.storage.k8s.io"
}

// with is a map with some of the fields of another.
func with(m map[string]any, fields ...string) map[string]any {
	out := map[string]any{}
	for _, name := range fields {
		if value, ok := m[name]; ok {
			out[name] = value
		}
	}
	return out
}

// requester writes the user of the request into a CertificateSigningRequest.
func requester(e *Storage, object map[string]any) {
	spec, user := untyped.Child(object, "spec"), e.Attributes.User
	if e.Attributes.OldObject != nil && spec["username"] != nil {
		return // it is there already
	}
	for _, name := range []string{"username", "uid", "groups", "extra"} {
		delete(spec, name)
	}
	if user == nil {
		return
	}
	for name, value := range map[string]string{"username": user.Name, "uid": user.UID} {
		if value != "" {
			spec[name] = value
		}
	}
	if len(user.Groups) > 0 {
		spec["groups"] = texts(user.Groups)
	}
	if len(user.Extra) > 0 {
		extra := untyped.Child(spec, "extra")
		for key, values := range user.Extra {
			extra[key] = texts(values)
		}
	}
}

func texts(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}

// firstTemplate and nextTemplate count the templates of a DaemonSet, in a field
// that only the server's internal version has and that is shown as an annotation.
func firstTemplate(_ *Storage, object map[string]any) {
	catalog.SetTemplateGeneration(object, max(catalog.TemplateGeneration(object), 1))
}

func nextTemplate(_ *Storage, object, old map[string]any) {
	generation := catalog.TemplateGeneration(old)
	before, _ := old["spec"].(map[string]any)
	if !reflect.DeepEqual(untyped.Child(object, "spec")["template"], before["template"]) {
		generation++
	}
	catalog.SetTemplateGeneration(object, generation)
}

// jobSelector makes the Pods of a Job its own, unless the Job says that it has
// seen to that itself.
func jobSelector(e *Storage, job map[string]any) {
	spec := untyped.Child(job, "spec")
	if manual, _ := spec["manualSelector"].(bool); manual {
		return
	}
	metadata, _ := job["metadata"].(map[string]any)
	stored, _ := e.Attributes.OldObject["metadata"].(map[string]any)
	uid := cmp.Or(text(metadata["uid"]), text(stored["uid"]), untyped.ZeroUID) // those of manifests have none
	labels := untyped.Child(untyped.Child(untyped.Child(spec, "template"), "metadata"), "labels")
	missing(labels, "job-name", text(metadata["name"]))
	missing(labels, "batch.kubernetes.io/job-name", text(metadata["name"]))
	missing(labels, "controller-uid", uid)
	missing(labels, "batch.kubernetes.io/controller-uid", uid)
	missing(untyped.Child(untyped.Child(spec, "selector"), "matchLabels"), "batch.kubernetes.io/controller-uid", uid)
	before, _ := e.Attributes.Object["metadata"].(map[string]any)
	switch given := untyped.Sub(e.Attributes.Object, "spec", "template", "metadata", "labels"); {
	case e.sharesLabels():
		metadata["labels"] = maps.Clone(labels)
	case e.Captured && e.Attributes.Operation == "CREATE" && len(given) > 0 && reflect.DeepEqual(before["labels"], any(given)):
		e.NotSimulated("The labels of the Job are those of its template. If its author wrote none, the server adds the controller's labels to both. A captured request does not show that.")
	}
}

// sharesLabels reports whether a new Job has no labels of its own. Its defaults are then the labels of its
// template, as the same map (SetDefaults_Job): what storage adds to the template, the Job gets too, unless
// something has changed the object before.
func (e *Storage) sharesLabels() bool {
	r, a := e.Report, &e.Attributes
	return r != nil && a.Operation == "CREATE" && len(untyped.Sub(r.Sent, "metadata", "labels")) == 0 && len(untyped.Labels(a.Object)) > 0 && reflect.DeepEqual(r.Input, a.Object)
}

// missing sets what is not there.
func missing(m map[string]any, key, value string) {
	if _, exists := m[key]; !exists {
		m[key] = value
	}
}

// changesSpec reports whether newPod may change anything below the spec of a Pod.
func changesSpec(pod map[string]any) bool {
	spec, _ := pod["spec"].(map[string]any)
	metadata, _ := pod["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	for key := range annotations {
		if strings.HasPrefix(key, appArmor) {
			return true
		}
	}
	return spec["affinity"] != nil || spec["topologySpreadConstraints"] != nil
}

// newPod fills in the status of a new Pod and what its selectors leave to its
// labels.
func newPod(e *Storage, pod map[string]any) {
	spec, status := untyped.Child(pod, "spec"), untyped.Child(pod, "status")
	status["qosClass"] = podresources.QOS(spec, e.Version)
	if gates, _ := spec["schedulingGates"].([]any); len(gates) > 0 {
		status["conditions"] = []any{map[string]any{"type": "PodScheduled", "status": "False", "reason": "SchedulingGated",
			"message": "Scheduling is blocked due to non-empty scheduling gates", "lastProbeTime": nil, "lastTransitionTime": e.Now}}
	}
	metadata, _ := pod["metadata"].(map[string]any)
	labels, _ := metadata["labels"].(map[string]any)
	if e.Version.Has(version.LabelKeysInAffinity) {
		affinity, _ := spec["affinity"].(map[string]any)
		for _, kind := range []string{"podAffinity", "podAntiAffinity"} {
			terms, _ := affinity[kind].(map[string]any)
			for _, preferred := range untyped.Items(terms["preferredDuringSchedulingIgnoredDuringExecution"]) {
				term, _ := preferred["podAffinityTerm"].(map[string]any)
				selectByKeys(term, labels)
			}
			for _, term := range untyped.Items(terms["requiredDuringSchedulingIgnoredDuringExecution"]) {
				selectByKeys(term, labels)
			}
		}
	}
	if e.Version.Has(version.LabelKeysInSpread) {
		for _, constraint := range untyped.Items(spec["topologySpreadConstraints"]) {
			selectByKeys(constraint, labels)
		}
	}
	e.profiles(pod)
}

// selectByKeys adds to a selector the labels of the Pod whose keys are listed
// beside it (KEP-3633, KEP-3243).
func selectByKeys(term, labels map[string]any) {
	selector, ok := term["labelSelector"].(map[string]any)
	if !ok {
		return
	}
	add := func(field, operator string) {
		keys, _ := term[field].([]any)
		for _, key := range keys {
			if value, ok := labels[text(key)]; ok {
				list, _ := selector["matchExpressions"].([]any)
				selector["matchExpressions"] = append(slices.Clone(list), map[string]any{"key": key, "operator": operator, "values": []any{value}})
			}
		}
	}
	add("matchLabelKeys", "In")
	add("mismatchLabelKeys", "NotIn")
}

const appArmor = "container.apparmor.security.beta.kubernetes.io/"

// profiles keeps the annotations and fields of AppArmor in step (KEP-24).
func (e *Storage) profiles(pod map[string]any) {
	spec := untyped.Child(pod, "spec")
	if os, _ := spec["os"].(map[string]any); os["name"] == "windows" {
		return
	}
	metadata, _ := pod["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	if len(annotations) == 0 && e.Version.Has(version.AppArmorFieldsOnly) {
		return
	}
	context, _ := spec["securityContext"].(map[string]any)
	whole, _ := context["appArmorProfile"].(map[string]any)
	for _, field := range []string{"initContainers", "containers", "ephemeralContainers"} {
		for _, container := range untyped.Items(spec[field]) {
			key := appArmor + text(container["name"])
			own, _ := container["securityContext"].(map[string]any)
			profile, has := own["appArmorProfile"].(map[string]any)
			annotation, annotated := annotations[key].(string)
			switch {
			case !annotated && !e.Version.Has(version.AppArmorFieldsOnly):
				if shown := profileAnnotation(profile, whole); shown != "" && metadata != nil {
					annotations = untyped.Child(metadata, "annotations")
					annotations[key] = shown
				}
			case annotated && !has:
				profile = annotatedProfile(annotation)
				if profile != nil && maps.Equal(profile, whole) {
					continue
				}
				if profile != nil {
					untyped.Child(container, "securityContext")["appArmorProfile"] = profile
				}
				e.Warn(fmt.Sprintf(`metadata.annotations[%s]: deprecated since v1.30; use the "appArmorProfile" field instead`, key))
			}
		}
	}
}

func annotatedProfile(annotation string) map[string]any {
	name, local := strings.CutPrefix(annotation, "localhost/")
	switch {
	case annotation == "unconfined":
		return map[string]any{"type": "Unconfined"}
	case annotation == "runtime/default":
		return map[string]any{"type": "RuntimeDefault"}
	case local && name != "" && name == strings.TrimSpace(name):
		return map[string]any{"type": "Localhost", "localhostProfile": name}
	}
	return nil
}

// profileAnnotation is the annotation for the profile of a container, or for
// that of its Pod.
func profileAnnotation(profile, whole map[string]any) string {
	if profile == nil {
		profile = whole
	}
	switch text(profile["type"]) {
	case "Unconfined":
		return "unconfined"
	case "RuntimeDefault":
		return "runtime/default"
	case "Localhost":
		if name := text(profile["localhostProfile"]); name != "" {
			return "localhost/" + name
		}
	}
	return ""
}

// tokenRequest names the account in the request for a token of it.
func (e *Storage) tokenRequest(object map[string]any) {
	metadata := untyped.Child(object, "metadata")
	metadata["creationTimestamp"] = e.Now
	missing(metadata, "name", e.Attributes.Name)
	missing(metadata, "namespace", e.Attributes.Namespace)
}
