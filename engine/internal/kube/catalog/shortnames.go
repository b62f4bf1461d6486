package catalog

// ShortNames are kubectl's short names for built-in resources. Rules do not support them.
var ShortNames = map[string]string{
	"po": "pods", "deploy": "deployments", "svc": "services", "cm": "configmaps", "ns": "namespaces", "no": "nodes", "sts": "statefulsets", "ds": "daemonsets",
	"rs": "replicasets", "rc": "replicationcontrollers", "cj": "cronjobs", "ing": "ingresses", "pvc": "persistentvolumeclaims", "pv": "persistentvolumes",
	"sa": "serviceaccounts", "ep": "endpoints", "hpa": "horizontalpodautoscalers", "pdb": "poddisruptionbudgets", "netpol": "networkpolicies",
	"quota": "resourcequotas", "limits": "limitranges", "csr": "certificatesigningrequests", "sc": "storageclasses", "pc": "priorityclasses",
}
