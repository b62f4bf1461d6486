package objects

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// otherWords maps other systems' field names, in lower case and without dashes, to the API's.
var otherWords = map[string][]string{
	"replicacount": {"replicas"}, "instances": {"replicas"}, "scale": {"replicas"}, "count": {"replicas"}, "desiredcount": {"replicas"},
	"msg": {"message"}, "errormessage": {"message"}, "error": {"message"}, "errormsg": {"message"}, "text": {"message"},
	"expr": {"rule", "expression"}, "expression": {"rule"}, "cel": {"rule", "expression"}, "condition": {"rule"},
	"environment": {"env"}, "envs": {"env"}, "envvars": {"env"}, "environmentvariables": {"env"}, "variables": {"env"},
	"cmd": {"command"}, "entrypoint": {"command"}, "arguments": {"args"}, "parameters": {"args"}, "pullpolicy": {"imagePullPolicy"}, "mounts": {"volumeMounts"},
	"restart": {"restartPolicy"}, "healthcheck": {"livenessProbe"}, "podtemplate": {"template"}, "secrets": {"imagePullSecrets"}, "pullsecrets": {"imagePullSecrets"},
	"user": {"runAsUser"}, "group": {"runAsGroup"}, "workdir": {"workingDir"}, "cwd": {"workingDir"}, "nodelabels": {"nodeSelector"},
	"fields": {"properties"}, "attributes": {"properties"}, "regex": {"pattern"}, "regexp": {"pattern"}, "values": {"enum"}, "options": {"enum"}, "max": {"maximum"}, "min": {"minimum"},
	"validations": {"x-kubernetes-validations"}, "rules": {"x-kubernetes-validations"}, "xvalidations": {"x-kubernetes-validations"}, "celrules": {"x-kubernetes-validations"},
	"preserveunknownfields": {"x-kubernetes-preserve-unknown-fields"}, "inttostring": {"x-kubernetes-int-or-string"}, "intorstring": {"x-kubernetes-int-or-string"},
	"role": {"roleRef"}, "subject": {"subjects"}, "ref": {"roleRef"},
	"spec": {"data"}, "config": {"data"}, "settings": {"data"},
	"version": {"name"}, "validation": {"schema"}, "openapi": {"openAPIV3Schema"}, "schema": {"openAPIV3Schema"},
}

// otherWord returns the API's name for a field from another system; empty if no such field accepts
// the value.
func (o Object) otherWord(t *catalog.Type, free []string, steps fieldpath.Path) string {
	word := strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(steps.Last()))
	for _, name := range otherWords[word] {
		if f := t.Field(name); slices.Contains(free, name) && f != nil && o.likeIts(f, name, steps) {
			return name
		}
	}
	return ""
}

// shortened returns the only field that begins with the given word and accepts the value: httpGet
// for http.
func (o Object) shortened(t *catalog.Type, free []string, steps fieldpath.Path) string {
	best, word := "", steps.Last()
	for _, name := range free {
		f := t.Field(name)
		if len(word) < shortestWord || !strings.HasPrefix(name, word) || f == nil || !o.likeIts(f, name, steps) {
			continue
		}
		if best != "" {
			return ""
		}
		best = name
	}
	return best
}

// shortestWord is the minimum length of such a word.
const shortestWord = 3

// likeIts reports whether a value is plausible for a field. A version is a name only where versions
// are listed.
func (o Object) likeIts(f *catalog.Field, name string, steps fieldpath.Path) bool {
	value := o.value(steps)
	if name == "name" {
		text, _ := value.(string)
		return len(steps) > 2 && steps[len(steps)-3].Name() == "versions" && strings.HasPrefix(text, "v")
	}
	return f.Type != nil && value != nil && len(wrongTypes(f.Type, value, nil)) == 0
}
