package proposal

import (
	"reflect"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
)

// kubeSystemAccounts is how the names of users begin that are ServiceAccounts of
// kube-system, among them the controllers.
const kubeSystemAccounts = "system:serviceaccount:kube-system:"

// coreUsers are the users of the control plane that ask most often.
var coreUsers = []string{"system:kube-controller-manager", "system:kube-scheduler", "system:apiserver"}

// busy are resources that are written all the time and hold nothing to check.
var busy = []struct{ group, resource string }{
	{"coordination.k8s.io", "leases"}, {"events.k8s.io", "events"}, {"", "events"},
	{"discovery.k8s.io", "endpointslices"}, {"", "endpoints"},
}

// facts are what a request, as a webhook gets it, says that may make the call
// superfluous: who asks, for which resource, and what an update leaves alone.
func facts(request map[string]any) []fact {
	var out []fact
	group, plural := untyped.At[string](request, "resource", "group"), untyped.At[string](request, "resource", "resource")
	for _, b := range busy {
		if b.group == group && b.resource == plural {
			out = append(out, fact{"the resource is " + plural + ", which changes all the time", "not-" + plural,
				"!(request.resource.group == " + quote(group) + " && request.resource.resource == " + quote(plural) + ")"})
		}
	}
	if sub := untyped.At[string](request, "subResource"); sub != "" {
		out = append(out, fact{"only the subresource " + sub + " is written", "not-" + sub,
			"!has(request.subResource) || request.subResource != " + quote(sub)})
	}
	out = append(out, updateFacts(request)...)
	return append(out, userFacts(request)...)
}

func updateFacts(request map[string]any) []fact {
	var out []fact
	spec, old := untyped.At[any](request, "object", "spec"), untyped.At[any](request, "oldObject", "spec")
	if spec != nil && reflect.DeepEqual(spec, old) {
		out = append(out, fact{"an update does not change spec", "spec-changes",
			`request.operation != "UPDATE" || object.spec != oldObject.spec`})
	}
	if untyped.At[any](request, "object", "metadata", "deletionTimestamp") != nil {
		out = append(out, fact{"the object is being deleted and only waits for its finalizers", "not-terminating",
			"object == null || !has(object.metadata.deletionTimestamp)"})
	}
	return out
}

func userFacts(request map[string]any) []fact {
	name := untyped.At[string](request, "userInfo", "username")
	var out []fact
	if slices.Contains(untyped.Strings(request, "userInfo", "groups"), "system:nodes") {
		out = append(out, fact{"a node asks", "not-nodes",
			`!has(request.userInfo.groups) || !("system:nodes" in request.userInfo.groups)`})
	}
	if strings.HasPrefix(name, kubeSystemAccounts) {
		out = append(out, fact{"the user is a ServiceAccount of kube-system, such as a controller", "not-kube-system",
			"!request.userInfo.username.startsWith(" + quote(kubeSystemAccounts) + ")"})
	}
	if slices.Contains(coreUsers, name) {
		out = append(out, fact{name + " asks", "not-" + strings.TrimPrefix(name, "system:"),
			"request.userInfo.username != " + quote(name)})
	}
	return out
}
