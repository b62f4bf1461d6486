package reply

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// field matches a line of kubectl describe at the left margin: a name, a colon, and a value in a
// column.
var field = lazy.Regexp{Text: `(?m)^([A-Z][A-Za-z ./-]*):(?:[ \t]+(\S.*?))?[ \t\r]*$`}

// only are fields that kubectl describe prints for one kind only.
var only = []struct{ fields, kind string }{
	{"Node,Containers", "pod"}, {"StrategyType", "deployment"}, {"Endpoints", "service"}, {"Update Strategy,Volume Claims", "statefulset"},
	{"Desired Number of Nodes Scheduled", "daemonset"}, {"Concurrency Policy", "cronjob"}, {"Completions", "job"},
	{"Controlled By,Replicas", "replicaset"}, {"Replicas,Pods Status,Pod Template", "replicaset"},
	{"Default backend", "ingress"}, {"Finalizers,Capacity", "pvc"}, {"Taints", "node"},
}

// Described is an object from kubectl describe.
type Described struct {
	// Kind is in lower case; empty if unknown.
	Kind, Name, Namespace string
	// Owner is the controller's kind and name: deployment/web.
	Owner string
}

// ReadDescribed reads kubectl describe's output for an object. It reports false for any other text.
func ReadDescribed(text string) (Described, bool) {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "Name:") {
		return Described{}, false
	}
	values := map[string]string{}
	for _, m := range field.FindAllStringSubmatch(text, -1) {
		if _, twice := values[m[1]]; !twice {
			values[m[1]] = m[2]
		}
	}
	has := func(name string) bool { _, ok := values[name]; return ok }
	if values["Name"] == "" || !has("Labels") && !has("Annotations") && !has("Events") {
		return Described{}, false
	}
	d := Described{Kind: strings.ToLower(values["Kind"]), Name: values["Name"], Namespace: values["Namespace"]}
	for _, o := range only {
		if d.Kind == "" && !slices.ContainsFunc(strings.Split(o.fields, ","), func(f string) bool { return !has(f) }) {
			d.Kind = o.kind
		}
	}
	if kind, name, ok := strings.Cut(values["Controlled By"], "/"); ok {
		d.Owner = strings.ToLower(kind) + "/" + name
	}
	return d, true
}
