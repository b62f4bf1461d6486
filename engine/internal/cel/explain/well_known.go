package explain

// ZeroWhenAbsent are the fields of Kubernetes that the server leaves out when they are 0 or
// false: their Go types are no pointers and say omitempty. Replicas are those of a Scale;
// other kinds with replicas have a default.
var ZeroWhenAbsent = map[string]bool{
	"replicas": true, "hostPort": true, "nodePort": true, "healthCheckNodePort": true, "minReadySeconds": true, "initialDelaySeconds": true,
	"hostNetwork": true, "hostPID": true, "hostIPC": true, "paused": true, "readOnly": true, "stdin": true, "stdinOnce": true, "tty": true,
	"publishNotReadyAddresses": true, "unschedulable": true,
}

// WellKnownKeys are labels and annotations of Kubernetes. An expression that reads one of them is
// not misspelt: where an object has one that is nearly the same, the object is.
var WellKnownKeys = map[string]bool{
	"app.kubernetes.io/name": true, "app.kubernetes.io/instance": true, "app.kubernetes.io/version": true,
	"app.kubernetes.io/component": true, "app.kubernetes.io/part-of": true, "app.kubernetes.io/managed-by": true,
	"kubernetes.io/metadata.name": true, "kubernetes.io/hostname": true, "kubernetes.io/arch": true, "kubernetes.io/os": true,
	"topology.kubernetes.io/zone": true, "topology.kubernetes.io/region": true, "node.kubernetes.io/instance-type": true,
	"pod-security.kubernetes.io/enforce": true, "pod-security.kubernetes.io/enforce-version": true,
	"pod-security.kubernetes.io/audit": true, "pod-security.kubernetes.io/audit-version": true,
	"pod-security.kubernetes.io/warn": true, "pod-security.kubernetes.io/warn-version": true,
	"kubernetes.io/service-name": true, "kubernetes.io/ingress.class": true, "kubernetes.io/description": true,
	"kubernetes.io/change-cause": true, "kubectl.kubernetes.io/default-container": true,
}
