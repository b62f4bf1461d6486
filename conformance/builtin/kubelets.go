package builtin

// This file generates requests from kubelets and about certificates: mirror Pods, a node's objects,
// tokens.

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

// kubeletPods generates a kubelet's requests about existing Pods.
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

// kubeletObjects generates objects that belong to a node.
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

// certificate requests one; certificates.go has the contents.
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
