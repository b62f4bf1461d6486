package outcome

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/answer/evaluate"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/repair/objecttext"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// effects finds what the server does with an admitted request that its author may not expect.
type effects struct {
	*evaluate.Evaluation
	sent objecttext.Object
}

// serverEffects reports what the server does with the request besides admission: what it does not store, what it
// does not check, and what stays.
func serverEffects(e *evaluate.Evaluation) {
	f := effects{Evaluation: e}
	f.sent, _ = e.Sent()
	f.quotas()
	if !e.Report.Outcome.Allowed || f.sent.Document == nil && e.Initial.Operation != request.Delete {
		return
	}
	f.notStored()
	f.deleting()
	f.grant()
}

// say reports an effect at a field of the request's object.
func (f *effects) say(code, field, summary, detail string, fixes ...diag.Fix) {
	d := diag.Diagnostic{Code: code, Severity: diag.Info, Text: diag.Request, Summary: summary, Detail: detail, Fixes: fixes}
	if f.sent.Document != nil {
		d.Path = f.sent.Path(field)
		d.Span = f.sent.Document.LocateKey(d.Path)
	} else if docs := f.Parsed(diag.Request); len(docs) > 0 {
		d.Span = docs[0].LocateKey("request.operation")
	}
	f.Diagnose([]diag.Diagnostic{d})
}

// review is the request of a review; it is false where the text is the object alone.
func (f *effects) review() (objecttext.Object, bool) {
	at, ok := strings.CutSuffix(f.sent.At, ".object")
	if !ok {
		return objecttext.Object{}, false
	}
	return objecttext.In(f.sent.Document, at)
}

// notStored reports a status that a request to the object itself brings, and a spec that one to the status brings.
func (f *effects) notStored() {
	a := &f.Initial
	if a.Operation != request.Create && a.Operation != request.Update {
		return
	}
	given, stored := untyped.Sub(f.sent.Value, "status"), untyped.Sub(f.Report.Object, "status")
	lost := missing(given, stored, nil)
	switch {
	case a.SubResource == "status":
		spec, before := f.sent.Value["spec"], a.OldObject["spec"]
		if a.OldObject != nil && spec != nil && len(missing(spec, before, nil)) > 0 && reflect.DeepEqual(f.Report.Object["spec"], before) {
			f.say(codes.NotStored, "spec", "the server does not store this change of spec: the request is to the subresource status",
				"A request to status changes the status, and one to the object changes all else. Send the spec without the subresource.")
		}
	case a.SubResource != "" || len(lost) == 0 || reflect.DeepEqual(given, a.OldObject["status"]):
	default:
		detail := "A request to the object itself keeps the stored status, and a new object has none. Its writer, usually a controller, sends the status to the subresource status: kubectl … --subresource=status."
		if f.defaultsBelowStatus() {
			detail += " A default below status is applied only where status is there; default: {} of status itself makes it so."
		}
		var fixes []diag.Fix
		if review, ok := f.review(); ok && a.Operation == request.Update {
			fixes = review.Fix("Send it to the subresource status", func(r map[string]any) { r["subResource"] = "status" })
		}
		f.say(codes.NotStored, "status", "the server does not store "+listed(lost, "status"), detail, fixes...)
	}
}

// missing are the fields with a value that another object does not have so.
func missing(given, stored any, at fieldpath.Path) (out []string) {
	fields, isMap := given.(map[string]any)
	others, _ := stored.(map[string]any)
	switch {
	case isMap:
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			out = append(out, missing(fields[name], others[name], at.Child(name))...)
		}
	case given == nil || reflect.ValueOf(given).IsZero() || reflect.DeepEqual(given, stored):
	default:
		if list, ok := given.([]any); !ok || len(list) > 0 {
			out = append(out, at.String())
		}
	}
	return out
}

// mostListed is how many fields are named.
const mostListed = 3

func listed(fields []string, below string) string {
	for i := range fields {
		fields[i] = below + "." + fields[i]
	}
	if more := len(fields) - mostListed; more > 0 {
		fields = append(slices.Clip(fields[:mostListed]), fmt.Sprintf("%d more", more))
	}
	return strings.Join(fields, ", ")
}

// defaultsBelowStatus reports whether the definition of the object has defaults below status, and none of status.
func (f *effects) defaultsBelowStatus() bool {
	d := f.Customs.Definitions[f.Initial.Resource.GroupResource()]
	if d == nil || d.Document == nil {
		return false
	}
	for _, v := range untyped.Items(untyped.Sub(d.Document.Value, "spec")["versions"]) {
		status := untyped.Sub(v, "schema", "openAPIV3Schema", "properties", "status")
		for _, field := range untyped.Sub(status, "properties") {
			if schema, _ := field.(map[string]any); v["name"] == f.Initial.Resource.Version && schema["default"] != nil && status["default"] == nil {
				return true
			}
		}
	}
	return false
}

// deleting reports an update of an object that is being deleted, and a deletion after which the object stays.
func (f *effects) deleting() {
	a := &f.Initial
	old := untyped.Sub(a.OldObject, "metadata")
	finalizers := strings.Join(untyped.Strings(old["finalizers"]), ", ")
	switch {
	case finalizers == "" || a.SubResource != "":
	case a.Operation == request.Delete && old["deletionTimestamp"] == nil:
		f.say(codes.BeingDeleted, "metadata.finalizers", "the object stays until its finalizers are gone: "+finalizers,
			"The server only sets metadata.deletionTimestamp. Each finalizer's controller removes it after its clean-up; without that controller the object stays.")
	case a.Operation == request.Update && old["deletionTimestamp"] != nil && !reflect.DeepEqual(a.OldObject["spec"], a.Object["spec"]):
		f.say(codes.BeingDeleted, "metadata.deletionTimestamp", "the object is being deleted, and the server accepts changes of it until its finalizers are gone: "+finalizers,
			"An update may not change deletionTimestamp or add finalizers. Everything else may change, so that controllers can finish. A ValidatingAdmissionPolicy can refuse more: !has(oldObject.metadata.deletionTimestamp) || object.spec == oldObject.spec.")
	}
}

// ruleOf is where an authorizer found a right.
var ruleOf = lazy.Regexp{Text: `rules\[(\d+)\] of (Role|ClusterRole) (\S+)`}

// grant reports that the server did not compare what a role or a binding grants with what the user has.
func (f *effects) grant() {
	for i := range f.Report.Steps {
		s := &f.Report.Steps[i]
		if s.Policy != "escalation" {
			continue
		}
		for _, check := range s.Authorizations {
			at := ruleOf.FindStringSubmatch(check.Explanation)
			if !check.Allowed || at == nil {
				continue
			}
			field := "rules"
			if check.Verb == "bind" {
				field = "roleRef"
			}
			detail := fmt.Sprintf("%s. With that verb a user may grant rights that they do not have.", strings.ToUpper(check.Explanation[:1])+check.Explanation[1:])
			fixes, every := f.withoutStar(at)
			if every {
				detail += fmt.Sprintf(" verbs: [\"*\"] includes %s: list the verbs to keep the server's check.", check.Verb)
			}
			f.say(codes.GrantNotCompared, field, fmt.Sprintf("the server does not compare what this grants with what %s has: the user has the verb %s", check.User, check.Verb), detail, fixes...)
			return
		}
	}
}

// withoutStar lists the verbs of a rule that allows all. It is false where the rule names its verbs.
func (f *effects) withoutStar(at []string) (fixes []diag.Fix, every bool) {
	for _, d := range f.Parsed(diag.Cluster) {
		name := d.Name
		if namespace, _ := untyped.Sub(d.Value, "metadata")["namespace"].(string); namespace != "" {
			name = namespace + "/" + name
		}
		role, _ := objecttext.In(d, "")
		verbs := fieldpath.Parse("rules[" + at[1] + "].verbs")
		list := fieldpath.As[[]any](verbs.Get(d.Value))
		if d.Kind != at[2] || name != at[3] || !slices.Contains(list, any("*")) {
			continue
		}
		return role.Fix("List the verbs of "+at[2]+" "+at[3]+", without escalate and bind", func(object map[string]any) {
			verbs.Set(object, []any{"get", "list", "watch", "create", "update", "patch", "delete"})
		}), true
	}
	return nil, false
}

// countedServices are the names of quotas that have a dot and no group.
var countedServices = []string{"services.loadbalancers", "services.nodeports"}

// quotas reports names of the namespace's quotas that no object has.
func (f *effects) quotas() {
	for _, d := range f.Parsed(diag.Cluster) {
		namespace, _ := untyped.Sub(d.Value, "metadata")["namespace"].(string)
		if d.Kind != "ResourceQuota" || namespace != f.Initial.Namespace {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(untyped.Sub(d.Value, "spec", "hard"))) {
			f.quotaName(d, name)
		}
	}
}

// quotaName reports a name count/RESOURCE.GROUP whose group no server has, or whose resource is in another group.
func (f *effects) quotaName(d *scenario.Document, name string) {
	counted, ok := strings.CutPrefix(name, "count/")
	resource, group, _ := strings.Cut(counted, ".")
	if !ok {
		return
	}
	groups, known, meant := map[string]bool{}, false, ""
	for _, of := range f.Catalog.Kinds() {
		groups[of.GVR.Group] = true
		known = known || of.GVR.Resource == resource && of.GVR.Group == group
		if of.GVR.Resource == resource && of.GVR.Group != "" {
			meant = "count/" + resource + "." + of.GVR.Group
		}
	}
	switch {
	case slices.Contains(countedServices, counted):
		meant = counted
	case known || strings.Contains(group, ".") || meant == "":
		return // a group with a dot may be that of a definition that the text does not have
	}
	quota, _ := objecttext.In(d, "")
	at := fieldpath.New("spec", "hard").Key(name)
	f.Diagnose([]diag.Diagnostic{{Code: codes.QuotaCountsNothing, Severity: diag.Warning, Text: d.Text, Span: d.LocateKey(at.String()), Path: at.String(), Document: d.Kind + "/" + d.Name,
		Summary: fmt.Sprintf("nothing is counted as %s, so this limits nothing", name),
		Detail:  fmt.Sprintf("count/RESOURCE.GROUP counts the objects of a resource: here %q in the group %q, which has none such. The name for this is %s.", resource, group, meant),
		Fixes: quota.Fix("Change to "+meant, func(object map[string]any) {
			for _, part := range []string{"spec", "status"} {
				if hard := untyped.Sub(object, part, "hard"); hard[name] != nil {
					hard[meant] = hard[name]
					delete(hard, name)
				}
			}
		})}})
}
