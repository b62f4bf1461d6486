package scenario

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// field is a line of kubectl describe at the left margin: a name, a colon, and a
// value in a column.
var field = lazy.Regexp{Text: `(?m)^([A-Z][A-Za-z ./-]*):(?:[ \t]+(\S.*?))?[ \t\r]*$`}

// described are fields that kubectl describe prints for one kind alone.
var described = []struct{ fields, kind string }{
	{"Node,Containers", "pod"}, {"StrategyType", "deployment"}, {"Endpoints", "service"}, {"Update Strategy,Volume Claims", "statefulset"},
	{"Desired Number of Nodes Scheduled", "daemonset"}, {"Concurrency Policy", "cronjob"}, {"Completions", "job"},
	{"Controlled By,Replicas", "replicaset"}, {"Default backend", "ingress"}, {"Finalizers,Capacity", "pvc"}, {"Taints", "node"},
}

// header is the head of a table that kubectl get prints.
var header = lazy.Regexp{Text: `^(?:NAMESPACE\s+)?NAME(?:\s{2,}[A-Z][A-Z0-9()-]*(?: [A-Z]+)*)+\s*$`}

// helmTemplate is what only the template of a Helm chart has.
var helmTemplate = lazy.Regexp{Text: `\{\{-?\s*(?:(?:if|with|range|toYaml|quote)\s+)?(?:\.Values\b|\.Release\b|\.Chart\b|include\s+["\x60])`}

// foreign recognises what kubectl prints for people, and templates. It returns what the text is
// and the command that prints the object instead; both are empty for other
// texts.
func foreign(text string) (said, command string) {
	text = strings.TrimSpace(text)
	first, _, _ := strings.Cut(text, "\n")
	if header.MatchString(strings.TrimRight(first, "\r ")) {
		return "this is a table that kubectl get prints, without the objects themselves", "kubectl get KIND NAME -o yaml"
	}
	if helmTemplate.MatchString(text) {
		return "this is a template of a Helm chart, which has no values yet", "helm template NAME CHART"
	}
	values := map[string]string{}
	for _, m := range field.FindAllStringSubmatch(text, -1) {
		if _, twice := values[m[1]]; !twice {
			values[m[1]] = m[2]
		}
	}
	_, labels := values["Labels"]
	_, annotations := values["Annotations"]
	_, events := values["Events"]
	if !strings.HasPrefix(first, "Name:") || values["Name"] == "" || !labels && !annotations && !events {
		return "", ""
	}
	kind := strings.ToLower(values["Kind"])
	for _, d := range described {
		has := func(name string) bool { _, ok := values[name]; return ok }
		if kind == "" && !slices.ContainsFunc(strings.Split(d.fields, ","), func(f string) bool { return !has(f) }) {
			kind = d.kind
		}
	}
	if kind == "" {
		kind = "KIND"
	}
	command = fmt.Sprintf("kubectl get %s %s", kind, values["Name"])
	if ns := values["Namespace"]; ns != "" {
		command += " -n " + ns
	}
	return "this is what kubectl describe prints, which leaves out parts of the object", command + " -o yaml"
}
