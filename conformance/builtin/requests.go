package builtin

import "encoding/json"

// request is an AdmissionReview for one of the kinds that plugins read.
func (g generator) request() string {
	q := object{"uid": "1", "operation": "CREATE", "dryRun": true, "namespace": namespace,
		"userInfo": object{"username": "jane", "groups": []any{"system:authenticated"}}}
	switch g.Intn(24) {
	case 0, 1, 2, 3, 4:
		g.pod(q)
	case 5:
		g.controller(q)
	case 6:
		g.claim(q)
	case 7:
		g.namespaceRequest(q)
	case 8:
		g.node(q)
	case 9:
		g.small(q)
	case 10:
		g.podUpdate(q)
	case 11:
		g.binding(q)
	default:
		g.rare(q)
	}
	raw, err := json.Marshal(object{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": q})
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// about sets a request's kind, resource, name and object.
func about(q object, group, version, kind, resource string, o object) {
	q["kind"], q["resource"] = object{"group": group, "version": version, "kind": kind}, object{"group": group, "version": version, "resource": resource}
	q["requestKind"], q["requestResource"] = q["kind"], q["resource"]
	q["name"], q["object"] = o["metadata"].(object)["name"], o
	if o["metadata"].(object)["namespace"] == nil {
		delete(q, "namespace")
	}
}

func (g generator) securityContext(pod bool) object {
	out := object{}
	if g.chance(40) {
		out["runAsNonRoot"] = g.chance(80)
	}
	if g.chance(20) {
		out["runAsUser"] = g.Intn(2) * 1000
	}
	if g.chance(30) {
		out["seccompProfile"] = object{"type": g.one("RuntimeDefault", "Unconfined")}
	}
	if pod {
		if g.chance(10) {
			out["sysctls"] = []any{object{"name": g.one("kernel.shm_rmid_forced", "kernel.msgmax", "net.ipv4.tcp_rmem"), "value": "1"}}
		}
		return out
	}
	if g.chance(40) {
		out["allowPrivilegeEscalation"] = g.chance(30)
	}
	if g.chance(10) {
		out["privileged"] = true
	}
	if g.chance(50) {
		out["capabilities"] = object{"drop": []any{g.one("ALL", "NET_RAW")}}
		if g.chance(30) {
			out["capabilities"].(object)["add"] = []any{g.one("NET_BIND_SERVICE", "SYS_ADMIN", "CHOWN")}
		}
	}
	if g.chance(10) {
		out["procMount"] = "Unmasked"
	}
	return out
}

func (g generator) container(name string) object {
	requests, limits := g.amounts(35, "cpu", "memory"), g.amounts(35, "cpu", "memory")
	if g.chance(10) {
		requests["nvidia.com/gpu"], limits["nvidia.com/gpu"] = "1", "1"
	}
	if g.chance(5) {
		requests["hugepages-2Mi"], limits["hugepages-2Mi"] = "4Mi", "4Mi"
	}
	if g.chance(8) {
		requests["ephemeral-storage"] = "1Gi"
	}
	c := object{"name": name, "image": g.one("a:1", "b:2"), "resources": object{"requests": requests, "limits": limits}, "securityContext": g.securityContext(false)}
	if g.chance(15) {
		c["ports"] = []any{object{"containerPort": 80, "hostPort": 80 * g.Intn(2)}}
	}
	if g.chance(10) {
		c["livenessProbe"] = object{"httpGet": object{"port": 80, "host": g.one("", "example.com", "127.0.0.1")}}
	}
	if g.chance(15) {
		c["env"] = []any{object{"name": "A", "valueFrom": object{"secretKeyRef": object{"name": g.one("mine", "other"), "key": "k"}}}}
	}
	return c
}

func (g generator) podSpec() object {
	spec := object{"securityContext": g.securityContext(true)}
	var main, init []any
	for i := range 1 + g.Intn(2) {
		main = append(main, g.container([]string{"app", "side"}[i]))
	}
	spec["containers"] = main
	if g.chance(30) {
		c := g.container("init")
		if g.chance(50) {
			c["restartPolicy"] = "Always"
		}
		spec["initContainers"] = append(init, c)
	}
	for _, field := range []string{"hostNetwork", "hostPID", "hostIPC"} {
		if g.chance(8) {
			spec[field] = true
		}
	}
	if g.chance(10) {
		spec["hostUsers"] = false
	}
	if g.chance(15) {
		spec["volumes"] = []any{g.volume()}
	}
	if g.chance(8) {
		spec["os"] = object{"name": g.one("windows", "linux")}
	}
	g.scheduling(spec)
	return spec
}

func (g generator) volume() object {
	return []object{
		{"name": "v", "hostPath": object{"path": "/"}}, {"name": "v", "emptyDir": object{}}, {"name": "v", "secret": object{"secretName": g.one("mine", "other")}},
		{"name": "v", "nfs": object{"server": "s", "path": "/"}}, {"name": "v", "configMap": object{"name": "c"}}, {"name": "v", "persistentVolumeClaim": object{"claimName": "c"}},
	}[g.Intn(6)]
}

func (g generator) scheduling(spec object) {
	if g.chance(25) {
		spec["serviceAccountName"] = g.one("default", "robot", "robot", "ghost")
	}
	if g.chance(15) {
		spec["automountServiceAccountToken"] = g.chance(30)
	}
	if g.chance(20) {
		spec["priorityClassName"] = g.one("high", "high", "system-node-critical", "nope")
	}
	if g.chance(8) {
		spec["priority"] = []int{0, 10, 1000}[g.Intn(3)]
	}
	if g.chance(20) {
		spec["runtimeClassName"] = g.one("kata", "kata", "ghost")
		if g.chance(20) {
			spec["overhead"] = object{"cpu": g.one("250m", "1")}
		}
		if g.chance(30) {
			spec["nodeSelector"] = object{g.one("kata", "kata", "other"): g.one("yes", "no")}
		}
	}
	if g.chance(10) {
		term := object{"topologyKey": "zone", "labelSelector": object{}}
		if g.chance(60) {
			term["namespaces"] = []any{"team"}
		} else if g.chance(50) {
			term["namespaceSelector"] = object{}
		}
		kind := g.one("podAffinity", "podAntiAffinity")
		if g.chance(50) {
			spec["affinity"] = object{kind: object{"requiredDuringSchedulingIgnoredDuringExecution": []any{term}}}
		} else {
			spec["affinity"] = object{kind: object{"preferredDuringSchedulingIgnoredDuringExecution": []any{object{"weight": 1, "podAffinityTerm": term}}}}
		}
	}
	if g.chance(25) {
		spec["tolerations"] = []any{g.toleration()}
		if g.chance(30) {
			spec["tolerations"] = append(spec["tolerations"].([]any), g.toleration())
		}
	}
	if g.chance(15) {
		spec["nodeName"] = g.one("n1", "ghost")
	}
	if g.chance(15) {
		spec["activeDeadlineSeconds"] = 60
	}
}

func (g generator) toleration() object {
	t := object{"key": g.one("kata", "kata", "mine", "node.kubernetes.io/not-ready"), "operator": "Exists"}
	if g.chance(50) {
		t["effect"] = g.one("NoSchedule", "NoSchedule", "NoExecute")
		if t["effect"] == "NoExecute" && g.chance(60) {
			t["tolerationSeconds"] = 60
		}
	}
	if g.chance(15) {
		t["operator"], t["value"] = "Equal", g.one("a", "b")
	}
	return t
}

// kubelet turns the user into a node.
func kubelet(q object, name string) {
	q["userInfo"] = object{"username": "system:node:" + name, "groups": []any{"system:nodes", "system:authenticated"}}
}

func (g generator) pod(q object) {
	pod := of("v1", "Pod", meta("web", namespace), object{"spec": g.podSpec()})
	if g.chance(10) {
		kubelet(q, "n1")
		m := pod["metadata"].(object)
		if g.chance(80) {
			m["annotations"] = object{"kubernetes.io/config.mirror": "h"}
		}
		if g.chance(80) {
			m["ownerReferences"] = []any{object{"apiVersion": "v1", "kind": "Node", "name": "n1", "uid": g.one("node-uid", "node-uid", "u"), "controller": g.chance(90)}}
		}
		if g.chance(80) {
			pod["spec"].(object)["nodeName"] = "n1"
			delete(pod["spec"].(object), "serviceAccountName")
		}
	}
	about(q, "", "v1", "Pod", "pods", pod)
	if g.chance(4) {
		pod["metadata"].(object)["namespace"], q["namespace"] = "nowhere", "nowhere"
	}
}

func (g generator) podUpdate(q object) {
	spec := g.storedPodSpec()
	old := of("v1", "Pod", meta("web", namespace), object{"spec": spec})
	raw, _ := json.Marshal(old)
	var changed object
	_ = json.Unmarshal(raw, &changed)
	old["metadata"].(object)["resourceVersion"] = "1"
	if g.chance(70) {
		changed["spec"].(object)["containers"].([]any)[0].(object)["image"] = "c:3"
	}
	about(q, "", "v1", "Pod", "pods", changed)
	q["operation"], q["oldObject"] = "UPDATE", old
}

func (g generator) controller(q object) {
	labels := object{"app": "web"}
	template := object{"metadata": object{"labels": labels}, "spec": g.podSpec()}
	switch g.Intn(3) {
	case 0:
		about(q, "apps", "v1", "Deployment", "deployments", of("apps/v1", "Deployment", meta("web", namespace), object{"spec": object{"selector": object{"matchLabels": labels}, "template": template}}))
	case 1:
		about(q, "batch", "v1", "CronJob", "cronjobs", of("batch/v1", "CronJob", meta("web", namespace), object{"spec": object{"schedule": "* * * * *", "jobTemplate": object{"spec": object{"template": template}}}}))
	case 2:
		about(q, "apps", "v1", "DaemonSet", "daemonsets", of("apps/v1", "DaemonSet", meta("web", namespace), object{"spec": object{"selector": object{"matchLabels": labels}, "template": template}}))
	}
}

func (g generator) claim(q object) {
	claim := func(size string) object {
		return of("v1", "PersistentVolumeClaim", meta("data", namespace), object{"spec": object{"accessModes": []any{"ReadWriteOnce"}, "resources": object{"requests": object{"storage": size}}}})
	}
	o := claim(g.amount("storage"))
	if g.chance(50) {
		o["spec"].(object)["storageClassName"] = g.one("fast", "slow", "")
	}
	about(q, "", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", o)
	if g.chance(40) {
		old := claim("1Gi")
		old["spec"].(object)["storageClassName"] = o["spec"].(object)["storageClassName"]
		old["metadata"].(object)["resourceVersion"] = "1"
		old["status"] = object{"phase": g.one("Bound", "Bound", "Pending")}
		q["operation"], q["oldObject"] = "UPDATE", old
	}
}

func (g generator) namespaceRequest(q object) {
	labelled := func() object {
		m := meta("team", "")
		m["labels"] = object{"pod-security.kubernetes.io/enforce": g.one("baseline", "restricted", "privileged", "strict"), "pod-security.kubernetes.io/warn-version": g.one("latest", "v1.30", "1.30")}
		return of("v1", "Namespace", m, nil)
	}
	about(q, "", "v1", "Namespace", "namespaces", labelled())
	q["namespace"] = "team"
	if g.chance(50) {
		q["operation"], q["oldObject"] = "UPDATE", labelled()
	}
}

func (g generator) node(q object) {
	labelled := func() object {
		m := meta(g.one("n1", "n1", "n2"), "")
		labels := object{}
		for _, key := range []string{"kubernetes.io/arch", "node-restriction.kubernetes.io/a", "foo.k8s.io/b", "kubelet.kubernetes.io/c", "d", "node.kubernetes.io/e"} {
			if g.chance(30) {
				labels[key] = "x"
			}
		}
		m["labels"] = labels
		o := of("v1", "Node", m, nil)
		if g.chance(20) {
			o["spec"] = object{"taints": []any{object{"key": g.one("a", "node.kubernetes.io/not-ready"), "effect": "NoSchedule"}}}
		}
		return o
	}
	about(q, "", "v1", "Node", "nodes", labelled())
	if g.chance(70) {
		kubelet(q, g.one("n1", "n1", "n1", ""))
	}
	if g.chance(50) {
		old := labelled()
		old["metadata"].(object)["name"] = q["name"]
		q["operation"], q["oldObject"] = "UPDATE", old
	}
}

// small generates requests for kinds that few plugins read.
func (g generator) small(q object) {
	if g.devices && g.chance(30) {
		g.devicesClaim(q)
		return
	}
	switch g.Intn(6) {
	case 0:
		about(q, "", "v1", "ConfigMap", "configmaps", of("v1", "ConfigMap", meta("c", namespace), nil))
	case 1:
		spec := object{"ports": []any{object{"port": 80}, object{"port": 81, "name": "b"}}, "type": g.one("ClusterIP", "NodePort", "LoadBalancer")}
		spec["ports"].([]any)[0].(object)["name"] = "a"
		if g.chance(30) {
			spec["externalIPs"] = []any{"192.0.2.1"}
		}
		about(q, "", "v1", "Service", "services", of("v1", "Service", meta("s", namespace), object{"spec": spec}))
	case 2:
		about(q, "scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", of("scheduling.k8s.io/v1", "PriorityClass", meta("new", ""), object{"value": 1, "globalDefault": g.chance(60)}))
	case 3:
		about(q, "networking.k8s.io", "v1", "Ingress", "ingresses", of("networking.k8s.io/v1", "Ingress", meta("i", namespace), object{"spec": object{"defaultBackend": object{"service": object{"name": "s", "port": object{"number": 80}}}}}))
	case 4:
		about(q, "coordination.k8s.io", "v1", "Lease", "leases", of("coordination.k8s.io/v1", "Lease", meta(g.one("n1", "n2"), g.one("kube-node-lease", namespace)), nil))
		q["namespace"] = q["object"].(object)["metadata"].(object)["namespace"]
		kubelet(q, "n1")
	case 5:
		about(q, "", "v1", "PersistentVolume", "persistentvolumes", of("v1", "PersistentVolume", meta("v", ""), object{"spec": object{"capacity": object{"storage": "1Gi"}, "accessModes": []any{"ReadWriteOnce"}, "hostPath": object{"path": "/"}}}))
	}
}

func (g generator) binding(q object) {
	about(q, "", "v1", "Binding", "pods", of("v1", "Binding", meta("web", namespace), object{"target": object{"apiVersion": "v1", "kind": "Node", "name": g.one("n1", "ghost")}}))
	q["subResource"], q["requestSubResource"] = "binding", "binding"
}
