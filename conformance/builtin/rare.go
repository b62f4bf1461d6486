package builtin

import (
	"encoding/json"
	"fmt"
)

// This file makes requests that few clusters see: of kubelets, of subresources, of
// updates, and of objects with fields that only one rule reads.

// rare is one of them.
func (g generator) rare(q object) {
	[]func(object){
		g.mirrorPod, g.kubeletPods, g.kubeletObjects, g.token, g.certificate, g.resize, g.ephemeral, g.images,
		g.stricterNamespace, g.claimStatus, g.serviceUpdate, g.template, g.classUpdate, g.keptPriority, g.ofNamespaces, g.signed, g.protected,
	}[g.Intn(17)](q)
}

// existing are the Pods of the cluster, and Namespaces for requests about Namespaces.
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

// defaulted are resources with a request for every limit, which is the default: an update
// is taken as it is.
func (g generator) defaulted(percent int) object {
	requests, limits := g.amounts(percent, "cpu", "memory"), g.amounts(percent, "cpu", "memory")
	for name, limit := range limits {
		if requests[name] == nil {
			requests[name] = limit
		}
	}
	return object{"requests": requests, "limits": limits}
}

// plainPod is a Pod that most rules let pass.
func (g generator) plainPod() object {
	return object{"containers": []any{object{"name": "app", "image": "a:1", "resources": g.defaulted(50)}}}
}

func (g generator) mirrorPod(q object) {
	kubelet(q, g.one("n1", "n1", "n1", "n2"))
	m := meta("web", namespace)
	if g.chance(95) {
		m["annotations"] = object{"kubernetes.io/config.mirror": "h"}
	}
	owner := object{"apiVersion": g.one("v1", "v1", "v1", "v1", "v2"), "kind": "Node", "name": "n1", "uid": "node-uid", "controller": true}
	switch g.Intn(12) {
	case 0:
		owner["kind"] = "Pod"
	case 1:
		owner["name"] = "n2"
	case 2:
		owner["uid"] = "old"
	case 3:
		delete(owner, "controller")
	case 4:
		owner["blockOwnerDeletion"] = g.chance(50)
	}
	owners := []any{owner}
	if g.chance(5) {
		owners = append(owners, object{"apiVersion": "v1", "kind": "Node", "name": "n2", "uid": "x"})
	}
	if g.chance(95) {
		m["ownerReferences"] = owners
	}
	spec := g.plainPod()
	spec["nodeName"] = "n1"
	if g.chance(70) {
		g.reference(spec)
	}
	about(q, "", "v1", "Pod", "pods", of("v1", "Pod", m, object{"spec": spec}))
}

// kubeletPods are requests of a kubelet about Pods that are there.
func (g generator) kubeletPods(q object) {
	kubelet(q, "n1")
	name, node := "here", "n1"
	if g.chance(40) {
		name, node = "there", "n2"
	}
	status := func() object {
		m := meta(name, namespace)
		if g.chance(20) {
			m["labels"] = object{"a": g.one("b", "c")}
		}
		s := object{"phase": "Running"}
		if g.chance(20) {
			s["resourceClaimStatuses"] = []any{object{"name": "a", "resourceClaimName": g.one("b", "c")}}
		}
		return of("v1", "Pod", m, object{"spec": object{"nodeName": node, "containers": []any{object{"name": "a", "image": "a"}}}, "status": s})
	}
	switch g.Intn(5) {
	case 0, 1:
		about(q, "", "v1", "Pod", "pods", status())
		q["operation"], q["oldObject"] = "UPDATE", status()
		q["subResource"], q["requestSubResource"] = "status", "status"
	case 2:
		about(q, "policy", "v1", "Eviction", "pods", of("policy/v1", "Eviction", meta(name, namespace), nil))
		q["resource"], q["requestResource"] = object{"group": "", "version": "v1", "resource": "pods"}, object{"group": "", "version": "v1", "resource": "pods"}
		q["subResource"], q["requestSubResource"] = "eviction", "eviction"
	case 3:
		about(q, "", "v1", "Pod", "pods", status())
		q["operation"], q["oldObject"] = "DELETE", q["object"]
		delete(q, "object")
	case 4:
		about(q, "", "v1", "Pod", "pods", status())
		q["operation"], q["oldObject"] = "UPDATE", status()
		if g.chance(50) {
			q["subResource"], q["requestSubResource"] = "ephemeralcontainers", "ephemeralcontainers"
		}
	}
}

// kubeletObjects are objects that belong to a node.
func (g generator) kubeletObjects(q object) {
	kubelet(q, "n1")
	name := g.one("n1", "n1", "n2")
	operation := g.one("CREATE", "UPDATE", "DELETE")
	switch g.Intn(5) {
	case 0:
		o := of("coordination.k8s.io/v1", "Lease", meta(name, g.one("kube-node-lease", "kube-node-lease", namespace)), nil)
		about(q, "coordination.k8s.io", "v1", "Lease", "leases", o)
		q["namespace"] = o["metadata"].(object)["namespace"]
	case 1:
		about(q, "storage.k8s.io", "v1", "CSINode", "csinodes", of("storage.k8s.io/v1", "CSINode", meta(name, ""), object{"spec": object{"drivers": []any{}}}))
	case 2:
		g.claim(q)
		kubelet(q, "n1")
		q["operation"] = "CREATE"
		delete(q, "oldObject")
		return
	case 3:
		labels := func() object {
			out := object{}
			for _, key := range []string{"kubernetes.io/hostname", "topology.kubernetes.io/zone", "kubernetes.io/x", "a.k8s.io/x", "k8s.io/x", "node-restriction.kubernetes.io/x",
				"a.node-restriction.kubernetes.io/x", "a.kubelet.kubernetes.io/x", "node.kubernetes.io/x", "x", "example.com/x", "xkubernetes.io/x"} {
				if g.chance(12) {
					out[key] = g.one("a", "b")
				}
			}
			return out
		}
		made := func() object {
			m := meta(name, "")
			m["labels"] = labels()
			if g.chance(10) {
				m["ownerReferences"] = []any{object{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": g.one("u", "w")}}
			}
			spec := object{"taints": []any{object{"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}}}
			if g.chance(10) {
				spec["configSource"] = object{"configMap": object{"name": g.one("a", "b"), "namespace": "b", "kubeletConfigKey": "c"}}
			}
			return of("v1", "Node", m, object{"spec": spec})
		}
		about(q, "", "v1", "Node", "nodes", made())
		if operation != "CREATE" {
			q["oldObject"] = made()
		}
		q["operation"] = operation
		if operation == "DELETE" {
			delete(q, "object")
		}
		return
	case 4:
		about(q, "", "v1", "ConfigMap", "configmaps", of("v1", "ConfigMap", meta(name, namespace), nil))
	}
	q["operation"] = operation
	if operation != "CREATE" {
		q["oldObject"] = q["object"]
	}
	if operation == "DELETE" {
		delete(q, "object")
	}
}

func (g generator) token(q object) {
	if g.chance(90) {
		kubelet(q, "n1")
	}
	spec := object{"audiences": []any{"vault"}}
	bound := object{"apiVersion": "v1", "kind": "Pod", "name": "here", "uid": "u-here"}
	switch g.Intn(9) {
	case 0:
		bound["kind"] = "Secret"
	case 1:
		bound["name"], bound["uid"] = "there", "u-there"
	case 2:
		bound["uid"] = "old"
	case 3:
		delete(bound, "uid")
	case 4:
		bound["name"] = ""
	case 5:
		bound["name"] = "nobody"
	case 6:
		bound["apiVersion"] = "v2"
	}
	if g.chance(90) {
		spec["boundObjectRef"] = bound
	}
	about(q, "authentication.k8s.io", "v1", "TokenRequest", "serviceaccounts", of("authentication.k8s.io/v1", "TokenRequest", meta("robot", namespace), object{"spec": spec}))
	q["resource"], q["requestResource"] = object{"group": "", "version": "v1", "resource": "serviceaccounts"}, object{"group": "", "version": "v1", "resource": "serviceaccounts"}
	q["subResource"], q["requestSubResource"] = "token", "token"
}

// certificate asks for one: see certificates.go for what is in them.
func (g generator) certificate(q object) {
	if g.chance(70) {
		kubelet(q, g.one("n1", "n2"))
	}
	spec := object{
		"signerName": g.one("kubernetes.io/kubelet-serving", "kubernetes.io/kube-apiserver-client-kubelet", "kubernetes.io/kube-apiserver-client", "example.com/s"),
		"request":    certificates[g.Intn(len(certificates))], "usages": []any{"digital signature", "client auth"},
	}
	about(q, "certificates.k8s.io", "v1", "CertificateSigningRequest", "certificatesigningrequests", of("certificates.k8s.io/v1", "CertificateSigningRequest", meta("c", ""), object{"spec": spec}))
}

// copied is an object that shares nothing with another.
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

// resize changes the resources of a running Pod.
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
	if a, b := fmt.Sprint(changed["spec"]), fmt.Sprint(copied(old)["spec"]); a != b {
		changed["metadata"].(object)["generation"] = 2 // as the server counts before admission
	}
	about(q, "", "v1", "Pod", "pods", changed)
	q["operation"], q["oldObject"] = "UPDATE", old
	if g.chance(85) {
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

// images changes images of a Pod, or its containers.
func (g generator) images(q object) {
	spec := g.podSpec()
	spec["serviceAccountName"] = "default"
	delete(spec, "hostNetwork")
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

// claimStatus are claims with fields that quotas and the resize of claims read.
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
		if g.chance(50) { // a kubelet changes nothing but what it uses
			kubelet(q, "n1")
			same := copied(q["oldObject"].(object))
			same["status"].(object)["conditions"] = []any{object{"type": "Resizing", "status": "True"}}
			q["object"] = same
		}
	case g.chance(40):
		q["operation"] = "CREATE"
		delete(q, "oldObject")
		delete(q["object"].(object), "status")
	}
}

// serviceUpdate changes the type, the ports and the addresses of a Service.
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

// template is an object with a template of Pods.
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

// keptPriority updates a Pod, and leaves out what the server has computed.
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

// ofNamespaces deletes Namespaces, and writes into those that go or are not there.
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

// signed approves or signs a certificate.
func (g generator) signed(q object) {
	made := func() object {
		status := object{}
		if g.chance(50) {
			status["certificate"] = g.one("YQ==", "Yg==")
		}
		if g.chance(50) {
			status["conditions"] = []any{object{"type": g.one("Approved", "Denied"), "status": "True"}}
		}
		return of("certificates.k8s.io/v1", "CertificateSigningRequest", meta("c", ""), object{"spec": object{"signerName": "example.com/s", "request": certificates[0], "usages": []any{"client auth"}}, "status": status})
	}
	about(q, "certificates.k8s.io", "v1", "CertificateSigningRequest", "certificatesigningrequests", made())
	q["operation"], q["oldObject"] = "UPDATE", made()
	sub := g.one("approval", "status")
	q["subResource"], q["requestSubResource"] = sub, sub
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
