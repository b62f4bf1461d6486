package builtin

import (
	"encoding/json"
	"fmt"
)

// This file generates Pods with fields that only one rule reads, and updates of Pods.

// reference is a volume, or another field of a Pod, that names an object.
func (g generator) reference(spec object) {
	container := spec["containers"].([]any)[0].(object)
	volume := func(source string, value object) { spec["volumes"] = []any{object{"name": "v", source: value}} }
	projected := func(source string, value object) {
		volume("projected", object{"sources": []any{object{"downwardAPI": object{}}, object{source: value}}})
	}
	switch g.Intn(20) {
	case 0:
		volume("configMap", object{"name": "c"})
	case 1:
		volume("secret", object{"secretName": "s"})
	case 2:
		volume("csi", object{"driver": "d"})
	case 3:
		volume("persistentVolumeClaim", object{"claimName": "c"})
	case 4:
		volume("ephemeral", object{"volumeClaimTemplate": object{"spec": object{"accessModes": []any{"ReadWriteOnce"}, "resources": object{"requests": object{"storage": "1Gi"}}}}})
	case 5:
		volume("azureFile", object{"secretName": "s", "shareName": "a"})
	case 6:
		projected("configMap", object{"name": "c"})
	case 7:
		projected("secret", object{"name": "s"})
	case 8:
		projected("serviceAccountToken", object{"path": "p"})
	case 9:
		projected("clusterTrustBundle", object{"name": "b", "path": "p"})
	case 10:
		volume("csi", object{"driver": "d", "nodePublishSecretRef": object{"name": "s"}})
	case 11:
		spec["imagePullSecrets"] = []any{object{"name": g.one("registry", "other")}}
	case 12:
		spec["serviceAccountName"] = "robot"
	case 13:
		container["envFrom"] = []any{object{"configMapRef": object{"name": "c"}}}
	case 14:
		container["envFrom"] = []any{object{"secretRef": object{"name": g.one("mine", "other")}}}
	case 15:
		container["env"] = []any{object{"name": "A", "valueFrom": object{"configMapKeyRef": object{"name": "c", "key": "k"}}}}
	case 16:
		container["env"] = []any{object{"name": "A", "valueFrom": object{"secretKeyRef": object{"name": "mine", "key": "k"}}}}
	case 17:
		volume("emptyDir", object{})
	case 18:
		projected("downwardAPI", object{})
	}
}

// defaulted adds a request for every limit, which is the default: an update is used unchanged.
func (g generator) defaulted(percent int) object {
	requests, limits := g.amounts(percent, "cpu", "memory"), g.amounts(percent, "cpu", "memory")
	for name, limit := range limits {
		if requests[name] == nil {
			requests[name] = limit
		}
	}
	return object{"requests": requests, "limits": limits}
}

// storedPodSpec is podSpec as stored after creation, as far as updates depend on it: an update is
// used unchanged.
func (g generator) storedPodSpec() object {
	spec := g.podSpec()
	spec["serviceAccountName"] = "default"
	delete(spec, "hostNetwork") // with it the ports get defaults
	for _, field := range []string{"containers", "initContainers"} {
		list, _ := spec[field].([]any)
		for _, c := range list {
			resources := c.(object)["resources"].(object)
			requests := resources["requests"].(object)
			for name, limit := range resources["limits"].(object) {
				if requests[name] == nil {
					requests[name] = limit
				}
			}
		}
	}
	return spec
}

// plainPod is a Pod that most rules admit.
func (g generator) plainPod() object {
	return object{"containers": []any{object{"name": "app", "image": "a:1", "resources": g.defaulted(50)}}}
}

// resize changes a running Pod's resources.
func (g generator) resize(q object) {
	spec := g.plainPod()
	spec["serviceAccountName"] = "default"
	spec["nodeName"] = g.one("n1", "n1", "windows", "ghost", "")
	old := of("v1", "Pod", meta("web", namespace), object{"spec": spec})
	old["metadata"].(object)["resourceVersion"], old["metadata"].(object)["generation"] = "1", 1
	changed := copied(old)
	container := changed["spec"].(object)["containers"].([]any)[0].(object)
	container["resources"] = g.defaulted(70)
	if g.chance(20) {
		changed["spec"].(object)["activeDeadlineSeconds"] = 5
	}
	if g.chance(10) {
		changed = copied(old)
	}
	through := g.chance(85)
	if through {
		delete(changed["spec"].(object), "activeDeadlineSeconds") // storage only accepts resources
	}
	if a, b := fmt.Sprint(changed["spec"]), fmt.Sprint(copied(old)["spec"]); a != b {
		changed["metadata"].(object)["generation"] = 2 // as the server counts before admission
	}
	about(q, "", "v1", "Pod", "pods", changed)
	q["operation"], q["oldObject"] = "UPDATE", old
	if through {
		q["subResource"], q["requestSubResource"] = "resize", "resize"
	}
}

// ephemeral adds a container to a running Pod.
func (g generator) ephemeral(q object) {
	spec := g.plainPod()
	spec["serviceAccountName"] = g.one("default", "robot", "robot")
	old := of("v1", "Pod", meta("web", namespace), object{"spec": spec})
	old["metadata"].(object)["resourceVersion"] = "1"
	if g.chance(50) {
		spec["ephemeralContainers"] = []any{object{"name": "debug", "image": "d:1"}}
	}
	changed := copied(old)
	debug := object{"name": g.one("debug", "other"), "image": g.one("d:1", "d:2"), "securityContext": g.securityContext(false)}
	if g.chance(40) {
		debug["env"] = []any{object{"name": "A", "valueFrom": object{"secretKeyRef": object{"name": g.one("mine", "other"), "key": "k"}}}}
	}
	if g.chance(20) {
		debug["envFrom"] = []any{object{"secretRef": object{"name": g.one("mine", "other")}}}
	}
	changed["spec"].(object)["ephemeralContainers"] = []any{debug}
	about(q, "", "v1", "Pod", "pods", changed)
	q["operation"], q["oldObject"] = "UPDATE", old
	q["subResource"], q["requestSubResource"] = "ephemeralcontainers", "ephemeralcontainers"
}

// images changes a Pod's images, or its containers.
func (g generator) images(q object) {
	spec := g.storedPodSpec()
	old := of("v1", "Pod", meta("web", namespace), object{"spec": spec})
	old["metadata"].(object)["resourceVersion"] = "1"
	changed := copied(old)
	to := changed["spec"].(object)
	init, _ := to["initContainers"].([]any)
	main := to["containers"].([]any)
	switch {
	case g.chance(30) && len(init) > 0:
		init[0].(object)["image"] = "c:3"
	case g.chance(20):
		to["initContainers"] = append(init, object{"name": "more", "image": "c:3"})
	case g.chance(40):
		main[len(main)-1].(object)["image"] = "c:3"
	case g.chance(30):
		to["activeDeadlineSeconds"] = 7
	}
	about(q, "", "v1", "Pod", "pods", changed)
	q["operation"], q["oldObject"] = "UPDATE", old
}

// keptPriority updates a Pod and omits what the server computed.
func (g generator) keptPriority(q object) {
	spec := g.plainPod()
	spec["serviceAccountName"] = "default"
	old := of("v1", "Pod", meta("web", namespace), object{"spec": spec})
	old["metadata"].(object)["resourceVersion"] = "1"
	changed := copied(old)
	for _, s := range []object{spec, changed["spec"].(object)} {
		if g.chance(60) {
			s["priority"] = []int{0, 1000}[g.Intn(2)]
		}
		if g.chance(60) {
			s["preemptionPolicy"] = g.one("Never", "PreemptLowerPriority")
		}
		if g.chance(30) {
			s["tolerations"] = []any{object{"key": g.one("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable", ""), "operator": "Exists", "effect": g.one("NoExecute", "NoSchedule", "")}}
		}
	}
	about(q, "", "v1", "Pod", "pods", changed)
	q["operation"], q["oldObject"] = "UPDATE", old
}

// podSecurity is the server's Pod Security configuration; usually none.
func (g generator) podSecurity() string {
	if !g.chance(30) {
		return ""
	}
	defaults, exemptions := object{}, object{}
	for _, mode := range []string{"enforce", "warn", "audit"} {
		if g.chance(40) {
			defaults[mode] = g.one("privileged", "baseline", "restricted")
		}
		if g.chance(25) {
			defaults[mode+"-version"] = g.one("latest", "v1.24", "v1.30", "v1.99")
		}
	}
	if g.chance(15) {
		exemptions["namespaces"] = []any{"kube-system", g.one(namespace, "team")}
	}
	if g.chance(15) {
		exemptions["usernames"] = []any{g.one("jane", "joe")}
	}
	if g.chance(30) {
		exemptions["runtimeClasses"] = []any{"kata"}
	}
	raw, err := json.Marshal(object{"apiVersion": "pod-security.admission.config.k8s.io/" + g.one("v1", "v1", "v1beta1", "v1alpha1"), "kind": "PodSecurityConfiguration",
		"defaults": defaults, "exemptions": exemptions})
	if err != nil {
		panic(err)
	}
	return string(raw)
}
