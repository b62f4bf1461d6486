package catalog

// ShortNames are names that kubectl has for built-in resources; rules do not know them.
var ShortNames = map[string]string{
	"po": "pods", "deploy": "deployments", "svc": "services", "cm": "configmaps", "ns": "namespaces", "no": "nodes", "sts": "statefulsets", "ds": "daemonsets",
	"rs": "replicasets", "rc": "replicationcontrollers", "cj": "cronjobs", "ing": "ingresses", "pvc": "persistentvolumeclaims", "pv": "persistentvolumes",
	"sa": "serviceaccounts", "ep": "endpoints", "hpa": "horizontalpodautoscalers", "pdb": "poddisruptionbudgets", "netpol": "networkpolicies",
	"quota": "resourcequotas", "limits": "limitranges", "csr": "certificatesigningrequests", "sc": "storageclasses", "pc": "priorityclasses",
}
