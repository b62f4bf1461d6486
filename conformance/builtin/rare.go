package builtin

import (
	"encoding/json"
	"fmt"
)

// This file generates requests that are rare in clusters: for subresources, updates, and objects
// with fields that only one rule reads.

// rare generates one of them.
func (g generator) rare(q object) {
	[]func(object){
		g.mirrorPod, g.kubeletPods, g.kubeletObjects, g.token, g.certificate, g.resize, g.ephemeral, g.images,
		g.stricterNamespace, g.claimStatus, g.serviceUpdate, g.template, g.classUpdate, g.keptPriority, g.ofNamespaces, g.signed, g.protected,
	}[g.Intn(17)](q)
}

// existing are the cluster's Pods, and its Namespaces for requests about Namespaces.
func (g generator) existing() []object {
	pod := func(name, namespace, node, uid string, spec object) object {
		m := meta(name, namespace)
		m["uid"] = uid
		spec["nodeName"] = node
		return of("v1", "Pod", m, object{"spec": spec})
	}
	token := func() object {
		return object{"containers": []any{object{"name": "a", "image": "a"}}, "volumes": []any{
			object{"name": "t", "projected": object{"sources": []any{object{"serviceAccountToken": object{"path": "t", "audience": "vault"}}}}}}}
	}
	out := []object{pod("here", namespace, "n1", "u-here", token()), pod("there", namespace, "n2", "u-there", token())}
	team := of("v1", "Namespace", meta("team", ""), object{"status": object{"phase": "Active"}})
	for i := range g.Intn(4) {
		p := pod(fmt.Sprintf("p%d", i), "team", "n1", fmt.Sprintf("u-%d", i), g.podSpec())
		if g.chance(50) {
			p["metadata"].(object)["ownerReferences"] = []any{object{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "uid": g.one("r1", "r2"), "controller": g.chance(80)}}
		}
		out = append(out, p)
	}
	return append(out, team)
}

// copied returns a deep copy.
func copied(o object) object {
	raw, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	var out object
	if err := json.Unmarshal(raw, &out); err != nil {
		panic(err)
	}
	return out
}

// stricterNamespace changes the labels of the Namespace team, which has Pods.
func (g generator) stricterNamespace(q object) {
	labelled := func() object {
		m := meta("team", "")
		labels := object{}
		if g.chance(80) {
			labels["pod-security.kubernetes.io/enforce"] = g.one("baseline", "restricted", "privileged", "strict")
		}
		if g.chance(40) {
			labels["pod-security.kubernetes.io/enforce-version"] = g.one("latest", "v1.24", "1.30")
		}
		m["labels"] = labels
		return of("v1", "Namespace", m, nil)
	}
	about(q, "", "v1", "Namespace", "namespaces", labelled())
	q["namespace"], q["operation"], q["oldObject"] = "team", "UPDATE", labelled()
	if g.chance(10) {
		q["subResource"], q["requestSubResource"] = "status", "status"
	}
}

// claimStatus generates claims with fields that quotas and claim resizing read.
func (g generator) claimStatus(q object) {
	made := func() object {
		spec := object{"accessModes": []any{"ReadWriteOnce"}, "resources": object{"requests": object{"storage": g.one("1Gi", "5Gi", "10Gi", "1500m")}}}
		if g.chance(70) {
			spec["storageClassName"] = g.one("fast", "slow", "")
		}
		if g.chance(30) {
			spec["volumeAttributesClassName"] = g.one("gold", "silver")
		}
		m := meta("data", namespace)
		m["resourceVersion"] = "1"
		if g.chance(15) {
			m["annotations"] = object{"volume.beta.kubernetes.io/storage-class": g.one("fast", "slow")}
		}
		status := object{"phase": g.one("Bound", "Bound", "Pending")}
		if g.chance(30) {
			status["allocatedResources"] = object{"storage": g.one("1Gi", "7Gi", "20Gi")}
		}
		return of("v1", "PersistentVolumeClaim", m, object{"spec": spec, "status": status})
	}
	about(q, "", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", made())
	q["operation"], q["oldObject"] = "UPDATE", made()
	switch {
	case g.chance(30):
		q["subResource"], q["requestSubResource"] = "status", "status"
		q["object"].(object)["spec"] = copied(q["oldObject"].(object))["spec"] // storage keeps it
		if g.chance(50) {                                                      // a kubelet only changes what it uses
			kubelet(q, "n1")
			same := copied(q["oldObject"].(object))
			same["status"].(object)["conditions"] = []any{object{"type": "Resizing", "status": "True"}}
			q["object"] = same
		}
	case g.chance(40):
		q["operation"] = "CREATE"
		delete(q, "oldObject")
		delete(q["object"].(object), "status")
	default: // storage restores the status before a quota sees the object
		q["object"].(object)["status"] = copied(q["oldObject"].(object))["status"]
	}
}

// devicesClaim is a device claim, by one class or alternatives.
func (g generator) devicesClaim(q object) {
	asked := func(name string) object {
		o := object{"deviceClassName": g.one("gpu", "gpu", "fpga", "other"), "allocationMode": "All"}
		if name != "" {
			o["name"] = name
		}
		if g.chance(75) {
			o["allocationMode"], o["count"] = "ExactCount", 1+g.Intn(3)
		}
		return o
	}
	var requests []any
	for i := range g.Intn(4) {
		one := object{"name": fmt.Sprintf("r%d", i), "exactly": asked("")}
		if g.chance(40) {
			delete(one, "exactly")
			one["firstAvailable"] = []any{asked("a"), asked("b"), asked("c")}
		}
		requests = append(requests, one)
	}
	claim := of("resource.k8s.io/v1", "ResourceClaim", meta("devices", namespace), object{"spec": object{"devices": object{"requests": requests}}})
	about(q, "resource.k8s.io", "v1", "ResourceClaim", "resourceclaims", claim)
	if g.chance(20) {
		old := copied(claim)
		old["metadata"].(object)["resourceVersion"] = "1"
		q["operation"], q["oldObject"] = "UPDATE", old
	}
}

// serviceUpdate changes a Service's type, ports and addresses.
func (g generator) serviceUpdate(q object) {
	made := func() object {
		m := meta("s", namespace)
		m["resourceVersion"] = "1"
		spec := object{"type": g.one("ClusterIP", "NodePort", "LoadBalancer", "ExternalName"), "clusterIP": "10.0.0.7", "clusterIPs": []any{"10.0.0.7"}}
		if spec["type"] == "ExternalName" {
			delete(spec, "clusterIP")
			delete(spec, "clusterIPs")
			spec["externalName"] = "a.example.com"
		}
		var ports []any
		for i := range 1 + g.Intn(3) {
			port := object{"name": fmt.Sprintf("p%d", i), "port": 80 + i, "protocol": "TCP"}
			if g.chance(40) && spec["type"] != "ClusterIP" && spec["type"] != "ExternalName" {
				port["nodePort"] = 31000 + i
			}
			ports = append(ports, port)
		}
		spec["ports"] = ports
		if g.chance(40) && spec["type"] == "LoadBalancer" {
			spec["allocateLoadBalancerNodePorts"] = g.chance(40)
		}
		if g.chance(30) {
			spec["externalIPs"] = []any{g.one("192.0.2.1", "192.0.2.2")}
			if g.chance(30) {
				spec["externalIPs"] = append(spec["externalIPs"].([]any), "192.0.2.3")
			}
		}
		return of("v1", "Service", m, object{"spec": spec})
	}
	about(q, "", "v1", "Service", "services", made())
	if g.chance(80) {
		q["operation"], q["oldObject"] = "UPDATE", made()
	}
	if g.chance(10) && q["oldObject"] != nil {
		q["subResource"], q["requestSubResource"] = "status", "status"
	}
}

// template is an object with a Pod template.
func (g generator) template(q object) {
	labels := object{"app": "web"}
	template := object{"metadata": object{"labels": labels}, "spec": g.podSpec()}
	kinds := []struct{ group, kind, resource string }{{"apps", "ReplicaSet", "replicasets"}, {"apps", "StatefulSet", "statefulsets"}, {"batch", "Job", "jobs"}, {"", "ReplicationController", "replicationcontrollers"}, {"", "PodTemplate", "podtemplates"}}
	k := kinds[g.Intn(len(kinds))]
	version := "v1"
	apiVersion := version
	if k.group != "" {
		apiVersion = k.group + "/v1"
	}
	spec := object{"template": template}
	switch k.kind {
	case "ReplicaSet", "StatefulSet":
		spec["selector"] = object{"matchLabels": labels}
		if k.kind == "StatefulSet" {
			spec["serviceName"] = "web"
		}
	case "Job":
		template["spec"].(object)["restartPolicy"] = "Never"
	case "ReplicationController":
		spec["selector"] = labels
	}
	o := of(apiVersion, k.kind, meta("web", namespace), object{"spec": spec})
	if k.kind == "PodTemplate" {
		o = of(apiVersion, k.kind, meta("web", namespace), object{"template": template})
	}
	about(q, k.group, version, k.kind, k.resource, o)
	switch g.Intn(6) {
	case 0:
		q["operation"], q["oldObject"] = "UPDATE", copied(o)
	case 1:
		if k.kind != "PodTemplate" {
			q["operation"], q["oldObject"] = "UPDATE", copied(o)
			q["subResource"], q["requestSubResource"] = "status", "status"
		}
	}
}

// classUpdate changes a PriorityClass.
func (g generator) classUpdate(q object) {
	made := func() object {
		return of("scheduling.k8s.io/v1", "PriorityClass", meta("usual", ""), object{"value": 10, "globalDefault": g.chance(70), "preemptionPolicy": "PreemptLowerPriority"})
	}
	o, old := made(), made()
	if g.chance(50) {
		o["metadata"], old["metadata"] = meta("another", ""), meta("another", "")
	}
	about(q, "scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", o)
	q["operation"], q["oldObject"] = "UPDATE", old
}

// ofNamespaces deletes Namespaces, and writes into terminating or missing ones.
func (g generator) ofNamespaces(q object) {
	if g.chance(50) {
		name := g.one("default", "kube-system", "kube-public", "team", namespace)
		o := of("v1", "Namespace", meta(name, ""), nil)
		about(q, "", "v1", "Namespace", "namespaces", o)
		q["namespace"], q["operation"], q["oldObject"] = name, "DELETE", o
		delete(q, "object")
		return
	}
	where := g.one(namespace, "nowhere", "team")
	o := of("v1", g.one("ConfigMap", "Secret"), meta("c", where), nil)
	about(q, "", "v1", o["kind"].(string), map[string]string{"ConfigMap": "configmaps", "Secret": "secrets"}[o["kind"].(string)], o)
	q["namespace"] = where
	switch g.Intn(3) {
	case 0:
		q["operation"], q["oldObject"] = "UPDATE", copied(o)
	case 1:
		q["operation"], q["oldObject"] = "DELETE", o
		delete(q, "object")
	}
}

// protected are the kinds that get a finalizer or a class.
func (g generator) protected(q object) {
	m := meta("new", "")
	if g.chance(40) {
		m["finalizers"] = []any{g.one("kubernetes.io/pv-protection", "kubernetes.io/pvc-protection", "example.com/f")}
	}
	switch g.Intn(3) {
	case 0:
		about(q, "", "v1", "PersistentVolume", "persistentvolumes", of("v1", "PersistentVolume", m, object{"spec": object{"capacity": object{"storage": "1Gi"}, "accessModes": []any{"ReadWriteOnce"}, "hostPath": object{"path": "/"}}}))
	case 1:
		m["namespace"] = namespace
		if g.chance(30) {
			m["annotations"] = object{"volume.beta.kubernetes.io/storage-class": g.one("fast", "")}
		}
		about(q, "", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", of("v1", "PersistentVolumeClaim", m, object{"spec": object{"accessModes": []any{"ReadWriteOnce"}, "resources": object{"requests": object{"storage": "1Gi"}}}}))
	case 2:
		m["namespace"] = namespace
		spec := object{"defaultBackend": object{"service": object{"name": "s", "port": object{"number": 80}}}}
		if g.chance(30) {
			m["annotations"] = object{"kubernetes.io/ingress.class": "x"}
		} else if g.chance(30) {
			spec["ingressClassName"] = "private"
		}
		about(q, "networking.k8s.io", "v1", "Ingress", "ingresses", of("networking.k8s.io/v1", "Ingress", m, object{"spec": spec}))
	}
}
