package evaluate

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
)

// advices are tried in order.
var advices = []advice{
	// Workloads
	{lazy.Regexp{Text: `^CronJob metadata\.name: .*no more than 52 characters`},
		"For each Job the controller adds 11 characters to the name: a dash and the time. A Job's name has at most 63, so a CronJob's has at most 52.",
		[]offer{by(func(text string) string { return cut(text, 52) })}},
	{lazy.Regexp{Text: `^CronJob .*"(?:CRON_)?TZ=(\S+) (.*)": cannot use TZ`}, "The time zone has a field of its own, spec.timeZone.", []offer{zoned}},
	{lazy.Regexp{Text: `unknown time zone`}, "A time zone is a name of the IANA database, such as Europe/Berlin or Etc/UTC. Abbreviations depend on the server.", []offer{example("Etc/UTC")}},
	{lazy.Regexp{Text: `unrecognized descriptor: (@\w+)`}, "A schedule has five fields, or is @yearly, @monthly, @weekly, @daily, @hourly, or @every with a duration.", []offer{by(descriptor)}},
	{lazy.Regexp{Text: `\.schedule: .*(?:above maximum|below minimum|failed to parse int)`}, "The five fields are minute 0-59, hour 0-23, day 1-31, month 1-12 and weekday 0-6, where 0 is Sunday.", []offer{by(sunday)}},
	{lazy.Regexp{Text: `(Deployment|ReplicaSet|DaemonSet|StatefulSet) spec\.selector: Required value`},
		"apps/v1 has no default for the selector. It must match the labels of the Pods that template describes.", []offer{selectTemplate}},
	{lazy.Regexp{Text: `progressDeadlineSeconds: .*must be greater than minReadySeconds`}, "A new Pod must be ready for minReadySeconds before it counts, within progressDeadlineSeconds.", []offer{to(int64(600))}},
	{lazy.Regexp{Text: "maxUnavailable: .*may not be 0 when `maxSurge` is 0"}, "With both at 0 no Pod may stop and none may start, so no update could make progress.",
		[]offer{toBeside("maxSurge", int64(1)), to(int64(1))}},
	{lazy.Regexp{Text: `maxSurge: .*may not be set when maxUnavailable is non-zero`}, "A DaemonSet starts the new Pod of a node first (maxSurge), or stops the old one first (maxUnavailable). The other one must be 0.",
		[]offer{toBeside("maxUnavailable", int64(0)), gone}},
	{lazy.Regexp{Text: `must not be greater than 100%`}, "A percentage is at most 100%.", []offer{to("100%")}},
	{lazy.Regexp{Text: `^Job .*restartPolicy: Required value: valid values`},
		"Always is the default, and a Job's Pods may not have it. OnFailure restarts the container in its Pod; with Never the Job creates another Pod.", nil},
	{lazy.Regexp{Text: `only "(\w+)" is supported when (\w+)`}, "With $2 the value must be $1.", []offer{to("$1")}},
	{lazy.Regexp{Text: "^Job .*`selector` not auto-generated"}, "The server makes a Job's selector itself, so that no two Jobs share Pods. With manualSelector: true it keeps the one that is given.",
		[]offer{gone, toBeside("manualSelector", true)}},
	{lazy.Regexp{Text: `scaling to zero replicas`}, "The CPU or memory of no Pod cannot be measured, so minReplicas: 0 needs an Object or External metric.", []offer{toBeside("minReplicas", int64(1))}},
	{lazy.Regexp{Text: `must populate information for the given metric source`}, "type names the field that must be set: Resource needs resource, Pods needs pods, ContainerResource needs containerResource, and so on.", []offer{metricType}},
	{lazy.Regexp{Text: `^HorizontalPodAutoscaler spec\.maxReplicas: Required value`}, "maxReplicas has no default: it is at least 1, and at least minReplicas. The server takes 0 for missing.", []offer{atLeast("minReplicas")}},
	{lazy.Regexp{Text: "must be (?:greater|less) than or equal to `(\\w+)`"}, "The bound is the value of $1 in the same object.", []offer{likeBeside}},

	// Pods
	{lazy.Regexp{Text: `topologyKey: (?:Required value|Invalid value: "")`}, "topologyKey is a label of nodes: kubernetes.io/hostname for each node, topology.kubernetes.io/zone for each zone.",
		[]offer{to("kubernetes.io/hostname"), to("topology.kubernetes.io/zone")}},
	{lazy.Regexp{Text: `must be in the range (\d+)-(\d+)`}, "The value is from $1 to $2.", []offer{nearest}},
	{lazy.Regexp{Text: "must provide `dnsConfig`"}, "With dnsPolicy None, the Pod has only the name servers that dnsConfig lists.",
		[]offer{toBeside("dnsPolicy", "ClusterFirst"), example(map[string]any{"nameservers": []any{"10.96.0.10"}})}},
	{lazy.Regexp{Text: `field label not supported`}, "A fieldRef reads metadata.name, .namespace, .uid, .labels['KEY'] and .annotations['KEY'], spec.nodeName and .serviceAccountName, status.podIP(s) and .hostIP(s).", []offer{by(downward)}},
	{lazy.Regexp{Text: `valid environment variable name`}, "The name of a variable has no equals sign, and the value is in the field value.", []offer{by(func(text string) string { return strings.ReplaceAll(text, "=", "_") })}},
	{lazy.Regexp{Text: `Limit must be set for non overcommitable resources`}, "Devices and huge pages cannot be overcommitted: they need a limit, and a request is equal to it.", []offer{deviceLimits}},
	{lazy.Regexp{Text: `resources\.\w+\[[^\]]+\]: .*must be an integer`}, "Devices are counted in whole numbers.", []offer{to(int64(1))}},
	{lazy.Regexp{Text: `^(?:Pod|Deployment|StatefulSet|DaemonSet|Job|CronJob|ReplicaSet) .*must be a standard resource`}, "A container asks for cpu, memory, ephemeral-storage, hugepages-SIZE, or for a device by its whole name, such as nvidia.com/gpu.", nil},
	{lazy.Regexp{Text: `HugePages require cpu or memory`}, "A container with huge pages must also request cpu or memory.", []offer{func(a *advised) []proposal { return a.write(a.path.Child("limits", "memory"), "64Mi", true) }}},
	{lazy.Regexp{Text: `hostname: .*must not contain dots`}, "hostname is one label. With subdomain, and a headless Service of that name, the Pod gets a longer DNS name.",
		[]offer{by(func(text string) string { first, _, _ := strings.Cut(text, "."); return first })}},
	{lazy.Regexp{Text: `leading or trailing whitespace`}, "The server does not trim texts.", []offer{by(strings.TrimSpace)}},
	{lazy.Regexp{Text: `init containers without restartPolicy=Always`}, "An init container ends before the next one starts, so nothing probes it. With restartPolicy: Always it is a sidecar, which keeps running.",
		[]offer{gone, toBeside("restartPolicy", "Always")}},
	{lazy.Regexp{Text: `sleep: Invalid value: (\d+): .*less than terminationGracePeriodSeconds \((\d+)\)`}, "A hook must end within terminationGracePeriodSeconds, here $2.", []offer{shorterSleep}},
	{lazy.Regexp{Text: "values: Required value: must be specified when `operator` is"}, "In and NotIn compare with values. Exists and DoesNotExist have none.", []offer{toBeside("operator", "Exists"), example([]any{"example"})}},
	{lazy.Regexp{Text: `"(\d+)": must contain at least one letter`}, "In quotes, a port is the name of a port, which has a letter. Write the number without quotes.", []offer{func(a *advised) []proposal {
		number, err := strconv.ParseInt(a.groups[1], 10, 64)
		if err != nil {
			return nil
		}
		return a.write(a.path, number, false)
	}}},
	{lazy.Regexp{Text: `(?:containerPort|ports\[\]\.name): .*must contain (?:only alpha-numeric|at least one letter)|ports\[\]\.(?:name|targetPort): .*no more than 15 characters`},
		"A port's name has at most 15 lower case letters, digits and dashes, and at least one letter.", []offer{by(portNamed)}},
	{lazy.Regexp{Text: `may not specify more than (?:1|one) (?:handler|volume) type`}, "Only one of them may be set. A merge keeps the old one until it is set to null, as the defaults of an emptyDir or a probe may be.", []offer{others}},
	{lazy.Regexp{Text: `localhostProfile: Required value`}, "Localhost reads a profile from a file of the node, below the kubelet's folder seccomp. RuntimeDefault needs no file.", []offer{toBeside("type", "RuntimeDefault")}},
	{lazy.Regexp{Text: `ShareProcessNamespace and HostPID cannot both be enabled`}, "hostPID shares the node's processes, which are more than the Pod's.", []offer{gone, goneBeside("hostPID")}},
	{lazy.Regexp{Text: `subPath: .*must be a relative path`}, "subPath is below the root of the volume, without a slash at its beginning.", []offer{relativeSubPaths}},
	{lazy.Regexp{Text: `sysctls\[\]\.name: .*'hostNetwork' is true`}, "With hostNetwork the Pod has the network of the node, whose settings the node's administrator makes.", nil},
	{lazy.Regexp{Text: "value must be empty when `operator` is 'Exists'"}, "Exists matches every value, so it has none. Equal compares with value.", []offer{goneBeside("value"), to("Equal")}},
	{lazy.Regexp{Text: "operator must be Exists when `key` is empty"}, "Without a key the toleration matches all keys and values, which Exists says.", []offer{to("Exists")}},
	{lazy.Regexp{Text: "effect must be 'NoExecute' when `tolerationSeconds`"}, "Only NoExecute removes running Pods, so only there a time counts.", []offer{goneBeside("tolerationSeconds"), to("NoExecute")}},

	// Storage and configuration
	{lazy.Regexp{Text: `ReadWriteOncePod with other access modes`}, "ReadWriteOncePod is for one Pod alone, and stands alone.", []offer{to([]any{"ReadWriteOncePod"}), to([]any{"ReadWriteOnce"})}},
	{lazy.Regexp{Text: `accessModes: Required value`}, "Most volumes are ReadWriteOnce: read and written from one node. ReadWriteMany needs a file system that nodes share.", []offer{to([]any{"ReadWriteOnce"}), to([]any{"ReadWriteMany"})}},
	{lazy.Regexp{Text: `resources\[storage\]: (?:Required value|.*greater than zero)`}, "A claim asks for its size in spec.resources.requests.storage.", []offer{func(a *advised) []proposal {
		return a.write(a.path.Parent().Child("requests", "storage"), "1Gi", true)
	}}},
	{lazy.Regexp{Text: `must specify a volume type`}, "A volume says where its data is: one field such as emptyDir, configMap, persistentVolumeClaim, csi or hostPath.", nil},
	{lazy.Regexp{Text: `Local volume requires node affinity`}, "A local volume is the disk of one node, so nodeAffinity must name that node.", nil},
	{lazy.Regexp{Text: `data\[[^\]]*\]: .*duplicate of key present in binaryData`}, "A key is in data or in binaryData, not in both.", []offer{named("Remove it from data", gone),
		named("Remove it from binaryData", func(a *advised) []proposal { return a.without(fieldpath.New("binaryData").Key(a.path.Last())) })}},
	{lazy.Regexp{Text: `valid config key must consist`}, "Each key becomes the name of a file, so it has no slash or space.", []offer{renamedKey}},
	{lazy.Regexp{Text: `data\[\.dockerconfigjson\]: Invalid value`}, "The value is the JSON of ~/.docker/config.json: {\"auths\": {\"REGISTRY\": {\"auth\": \"…\"}}}. data has it in base64, stringData as it is.", nil},
	{lazy.Regexp{Text: `annotations\[kubernetes\.io/service-account\.name\]: Required value`}, "Such a Secret is a token of the ServiceAccount that the annotation names. kubectl create token makes one without a Secret.", []offer{example("default")}},

	// Services, Ingresses and the network
	{lazy.Regexp{Text: `^Service spec\.ports\[\]\.name: Required value`}, "A Service with more than one port needs a name for each. One port alone needs none.", nil},
	{lazy.Regexp{Text: `^Service spec\.ports: Required value`}, "A Service needs ports, unless it is headless (clusterIP: None) or of type ExternalName.", nil},
	{lazy.Regexp{Text: "(?:expected an IPv[46] value as indicated by `ipFamilies\\[0\\]`|more than one IP for each IP family)"},
		"The primary family, ipFamilies[0], belongs to the clusterIP, and neither changes. An update adds or removes only the second family. For another primary family, delete the Service and create it again.", []offer{primaryFamily}},
	{lazy.Regexp{Text: `externally-accessible services`}, "externalTrafficPolicy is for what comes from outside: a Service of type NodePort or LoadBalancer, or with externalIPs.", []offer{gone, toBeside("type", "LoadBalancer")}},
	{lazy.Regexp{Text: `may not be set to 'None' for (\w+) services`}, "None means that the Service has no IP of its own, and a $1 needs one to forward to.", []offer{goneBeside("/spec/clusterIP"), toBeside("/spec/type", "ClusterIP")}},
	{lazy.Regexp{Text: `"([0-9.]+)": must be a valid CIDR value`}, "A range has a length: /32 is one IPv4 address.", []offer{oneAddress}},
	{lazy.Regexp{Text: `externalName: Required value`}, "A Service of type ExternalName answers with a DNS name: externalName.", []offer{example("db.example.com")}},
	{lazy.Regexp{Text: `^Ingress .*host: .*must be a DNS name, not an IP address`}, "An Ingress chooses by the name in the request's Host header. Without host, a rule is for every name and address.", []offer{gone}},
	{lazy.Regexp{Text: `^Ingress .*host: Invalid value: "\*"`}, "A wildcard is the first label of a name: *.example.com. Without host, a rule is for every name.", []offer{gone}},
	{lazy.Regexp{Text: `port name or number is required`}, "A backend names a port of the Service, by port.number or port.name.", nil},
	{lazy.Regexp{Text: `cannot set both port name & port number`}, "A backend names a port of the Service, by its name or by its number.", []offer{
		func(a *advised) []proposal { return a.without(a.path.Child("service", "port", "name")) }, func(a *advised) []proposal { return a.without(a.path.Child("service", "port", "number")) }}},
	{lazy.Regexp{Text: `pathType must be specified`}, "networking.k8s.io/v1 has no default for pathType. Prefix compares whole elements of the path, Exact the whole path.", []offer{to("Prefix"), to("Exact"), to("ImplementationSpecific")}},
	{lazy.Regexp{Text: `must be an absolute path`}, "The path begins with a slash.", []offer{by(func(text string) string { return "/" + text })}},
	{lazy.Regexp{Text: "either `defaultBackend` or `rules`"}, "An Ingress has rules, or a defaultBackend for every request.", nil},
	{lazy.Regexp{Text: `may not specify both ipBlock and another peer`}, "A peer is a range of addresses, or Pods by selectors. For both, write two items in the list.", []offer{twoPeers}},
	{lazy.Regexp{Text: "strict subset of `cidr`"}, "except takes addresses out of cidr, so it must be a smaller range inside it.", nil},
	{lazy.Regexp{Text: `^EndpointSlice .*must be a valid IP address`}, "With addressType IPv4 or IPv6 each address is an IP. kube-proxy ignores the type FQDN. For a DNS name, use a Service of type ExternalName.", nil},
	{lazy.Regexp{Text: `(?:loopback|link-local) range`}, "Other nodes must be able to reach an endpoint's address.", nil},

	// Rights, quotas and the rest
	{lazy.Regexp{Text: `apiGroups: Required value`}, `The core group, of pods, services and secrets, is the empty text: apiGroups: [""].`, []offer{to([]any{""})}},
	{lazy.Regexp{Text: `rules\[\]\.verbs: Required value`}, "A rule allows verbs, such as get, list and watch for reading.", []offer{example([]any{"get", "list", "watch"})}},
	{lazy.Regexp{Text: `namespaced rules cannot apply to non-resource URLs`}, "Paths such as /healthz are in no namespace. A ClusterRole with a ClusterRoleBinding grants them.", nil},
	{lazy.Regexp{Text: `^ClusterRoleBinding roleRef\.kind: Unsupported`}, "A ClusterRoleBinding grants a ClusterRole. To grant a Role, write a RoleBinding in the Role's namespace.", nil},
	{lazy.Regexp{Text: `^ResourceQuota .*must be a standard resource (?:type|for quota)`}, "A quota counts cpu, memory, requests.NAME and limits.NAME, pods, services and other objects, count/RESOURCE.GROUP, and devices as requests.DOMAIN/NAME.", nil},
	{lazy.Regexp{Text: `default(?: request)? value (\S+) is greater than (max|default limit) value (\S+)`}, "A default must be within the item's other bounds. A defaultRequest that is absent is the same as default.", []offer{func(a *advised) []proposal {
		if a.value == nil {
			return nil // the server filled it in
		}
		return a.write(a.path, a.groups[3], false)
	}}},
	{lazy.Regexp{Text: "^LimitRange spec\\.limits\\[\\]\\.(default|defaultRequest): Forbidden: may not be specified when `type` is 'Pod'"},
		"Only containers get defaults. An item of type Pod has min, max and maxLimitRequestRatio for the sum of its containers.", []offer{containerItem}},
	{lazy.Regexp{Text: `either minimum or maximum storage value is required`}, "An item for PersistentVolumeClaim bounds their size by min or max. Claims get no defaults.", nil},
	{lazy.Regexp{Text: `ownerReferences\[\]\.uid: Required value`}, "The uid identifies the owner, so a manifest cannot know it. A controller sets it, or read it: kubectl get … -o jsonpath={.metadata.uid}.", nil},
	{lazy.Regexp{Text: `maximum allowed value of a user defined priority is (\d+)`}, "Values above $1 are for the system's own classes.", []offer{to(int64(1000000000))}},
	{lazy.Regexp{Text: `prefix are reserved for system use`}, "Only the two classes that the server creates begin with system-.", []offer{by(func(text string) string { return strings.TrimPrefix(text, "system-") })}},
	{lazy.Regexp{Text: `does not match event\.namespace`}, "An Event is in the namespace of the object that it is about.", nil},
	{lazy.Regexp{Text: `^CertificateSigningRequest spec\.signerName: Required value`},
		"v1 has no default; v1beta1 had kubernetes.io/legacy-unknown, which v1 refuses. kubernetes.io/kube-apiserver-client signs for users, kubernetes.io/kubelet-serving for nodes only. A certificate of a Service needs a signer of your own, and a controller that signs for it.",
		[]offer{example("example.com/serving"), to("kubernetes.io/kube-apiserver-client")}},
	{lazy.Regexp{Text: `the legacy signerName is not allowed`}, "kubernetes.io/kube-apiserver-client signs for users, kubernetes.io/kubelet-serving for nodes only. Anything else needs a signer of your own.", []offer{example("example.com/serving"), to("kubernetes.io/kube-apiserver-client")}},
	{lazy.Regexp{Text: `PEM block type must be`}, "spec.request is the base64 of a whole PEM file that begins with BEGIN CERTIFICATE REQUEST: base64 -w0 server.csr.", nil},
	{lazy.Regexp{Text: `Invalid value: "?0"?: must be greater than (?:0|zero)`}, "0 is too little.", []offer{to(int64(1))}},
}

// cut shortens a name, between its words where that leaves most of it.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	short := text[:most]
	if i := strings.LastIndexAny(short, "-."); i > most/3 && text[most] != '-' {
		short = short[:i]
	}
	return strings.TrimRight(short, "-.")
}

// zoned moves a time zone into its field.
func zoned(a *advised) []proposal {
	zone, rest := a.groups[1], a.groups[2]
	return []proposal{{"Move the time zone to timeZone", false, func(object map[string]any) {
		a.path.Set(object, rest)
		a.beside("timeZone").Set(object, zone)
	}}}
}

// descriptor is the schedule's word that was probably meant.
func descriptor(text string) string {
	word, rest, _ := strings.Cut(text, " ")
	return strings.TrimSpace(suggest.OneOf([]string{"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly", "@every"}, word) + " " + rest)
}

// sunday writes a weekday 7 as 0.
func sunday(text string) string {
	fields := strings.Fields(text)
	if len(fields) != 5 || fields[4] != "7" {
		return ""
	}
	fields[4] = "0"
	return strings.Join(fields, " ")
}

// selectTemplate selects the labels of the template.
func selectTemplate(a *advised) []proposal {
	labels := untyped.Sub(a.sent.Value, "spec", "template", "metadata", "labels")
	if len(labels) == 0 {
		return nil
	}
	return a.write(a.path.Child("matchLabels"), labels, false)
}

// metricType names the field that a metric has.
func metricType(a *advised) []proposal {
	metric := fieldpath.As[map[string]any](a.path.Parent().Get(a.sent.Value))
	for _, name := range []string{"Resource", "ContainerResource", "Pods", "Object", "External"} {
		if field := strings.ToLower(name[:1]) + name[1:]; metric[field] != nil {
			return a.write(a.beside("type"), name, false)
		}
	}
	return nil
}

// atLeast writes a number that is not below another field.
func atLeast(name string) offer {
	return func(a *advised) []proposal {
		if least, ok := fieldpath.As[any](a.beside(name).Get(a.sent.Value)).(int64); ok {
			return a.write(a.path, least, false)
		}
		return a.write(a.path, int64(1), true)
	}
}

// nearest writes the bound of a range that is nearest to the number.
func nearest(a *advised) []proposal {
	least, err := strconv.ParseInt(a.groups[1], 10, 64)
	most, bad := strconv.ParseInt(a.groups[2], 10, 64)
	if err != nil || bad != nil {
		return nil
	}
	if given, ok := a.value.(int64); ok && given > most {
		least = most
	}
	return a.write(a.path, least, a.value == nil)
}

// downward is the field of a Pod that was probably meant.
func downward(text string) string {
	return suggest.OneOf([]string{"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"}, text)
}

// deviceLimits limits a container to the devices that it requests.
func deviceLimits(a *advised) []proposal {
	devices := map[string]any{}
	for name, amount := range fieldpath.As[map[string]any](a.beside("requests").Get(a.sent.Value)) {
		if strings.Contains(name, "/") || strings.HasPrefix(name, "hugepages-") {
			devices[name] = amount
		}
	}
	return []proposal{{"Limit it to what is requested", false, func(object map[string]any) {
		for name, amount := range devices {
			a.path.Key(name).Set(object, amount)
		}
	}}}
}

// shorterSleep lets a hook end in time, or gives it more.
func shorterSleep(a *advised) []proposal {
	given, err := strconv.ParseInt(a.groups[1], 10, 64)
	grace, bad := strconv.ParseInt(a.groups[2], 10, 64)
	if err != nil || bad != nil || len(a.path) < 5 {
		return nil
	}
	spec := a.path[:len(a.path)-5] // containers, index, lifecycle, hook, sleep
	return append(a.write(spec.Child("terminationGracePeriodSeconds"), given+grace, false), a.write(a.path.Child("seconds"), max(grace-1, 0), false)...)
}

// portNamed is a port's name that the server accepts.
func portNamed(text string) string {
	name := strings.Trim(notInLabel.ReplaceAllString(strings.ToLower(text), "-"), "-.")
	return cut(strings.ReplaceAll(name, ".", "-"), 15)
}

// others removes each of the fields of which only one may be set.
func others(a *advised) (out []proposal) {
	around := fieldpath.As[map[string]any](a.path.Parent().Get(a.sent.Value))
	out = a.without(a.path)
	for _, name := range slices.Sorted(maps.Keys(around)) {
		if _, isObject := around[name].(map[string]any); isObject && name != a.path.Last() {
			out = append(out, a.without(a.beside(name))...)
		}
	}
	return out
}

// relativeSubPaths takes the slash from the subPaths of a container: the server's path has no index.
func relativeSubPaths(a *advised) []proposal {
	mounts := a.path.Parent()
	return []proposal{{"Remove the slash", false, func(object map[string]any) {
		for _, m := range untyped.Items(fieldpath.As[any](mounts.Get(object))) {
			if text, ok := m["subPath"].(string); ok {
				m["subPath"] = strings.TrimLeft(text, "/")
			}
		}
	}}}
}

// renamedKey writes a key without what a file's name cannot have.
func renamedKey(a *advised) []proposal {
	name := strings.Trim(notInValue.ReplaceAllString(a.path.Last(), "-"), "-")
	return []proposal{{"Rename it to " + name, false, func(object map[string]any) {
		value := a.value
		a.path.Remove(object)
		a.path.Parent().Key(name).Set(object, value)
	}}}
}

// primaryFamily puts the family of the clusterIP first.
func primaryFamily(a *advised) []proposal {
	at := fieldpath.New("spec", "ipFamilies")
	families := untyped.Strings(fieldpath.As[any](at.Get(a.sent.Value)))
	if len(families) != 2 {
		return nil
	}
	return a.write(at, []any{families[1], families[0]}, false)
}

// oneAddress writes an address as a range. The server's path of a Service's ranges begins with a capital.
func oneAddress(a *advised) []proposal {
	address, changed := a.groups[1], false
	walk := func(list []any) {
		for i := range list {
			if list[i] == address {
				list[i], changed = address+"/32", true
			}
		}
	}
	return []proposal{{"Write " + address + "/32", false, func(object map[string]any) {
		if walk(fieldpath.As[[]any](fieldpath.New("spec", "loadBalancerSourceRanges").Get(object))); !changed {
			a.path.Set(object, address+"/32")
		}
	}}}
}

// twoPeers writes a peer with a range and selectors as two.
func twoPeers(a *advised) []proposal {
	return []proposal{{"Write two peers", false, func(object map[string]any) {
		peer := fieldpath.As[map[string]any](a.path.Get(object))
		list := fieldpath.As[[]any](a.path.Parent().Get(object))
		block := map[string]any{"ipBlock": peer["ipBlock"]}
		delete(peer, "ipBlock")
		a.path.Parent().Set(object, append(list, block))
	}}}
}

// containerItem moves the defaults of an item into one of type Container.
func containerItem(a *advised) []proposal {
	return []proposal{{"Move the defaults to an item of type Container", false, func(object map[string]any) {
		list := fieldpath.As[[]any](fieldpath.New("spec", "limits").Get(object))
		pod := fieldpath.As[map[string]any](a.path.Parent().Get(object))
		var container map[string]any
		for _, item := range untyped.Items(list) {
			if item["type"] == "Container" {
				container = item
			}
		}
		if container == nil {
			container = map[string]any{"type": "Container"}
			list = append(list, container)
		}
		for _, name := range []string{"default", "defaultRequest"} {
			if value, there := pod[name]; there && container[name] == nil {
				container[name] = value
				delete(pod, name)
			}
		}
		untyped.Child(object, "spec")["limits"] = list
	}}}
}
