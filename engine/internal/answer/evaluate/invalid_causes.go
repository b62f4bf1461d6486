package evaluate

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/repair/objecttext"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// causeRules explain the errors of a validation by what the server says of them. The first whose text
// matches is used.
var causeRules = []causeRule{
	{&fixed, (*Evaluation).unchangeable},
	{&lazy.Regexp{Text: "must match `(\\w+)` when `(\\w+)` is (\\w+)"}, (*Evaluation).unequal},
	{&lazy.Regexp{Text: "when (?:\\w+ )?`?(\\w+)`? is '?([\\w -]+)"}, (*Evaluation).dependent},
	{&lazy.Regexp{Text: "(?:may|must|can) ?not be (?:specified|set|used) (?:when|if|together with|with|alongside) `?(\\w+)`?"}, (*Evaluation).exclusive},
	{&longText, (*Evaluation).tooLong},
	{&lazy.Regexp{Text: `: (\w+) and (\w+) cannot be both set`}, (*Evaluation).both},
	{&lazy.Regexp{Text: "cannot set `(\\w+)` to (\\w+) and `(\\w+)` to (\\w+)"}, (*Evaluation).contradictory},
	{&lazy.Regexp{Text: `^Invalid value: (".*"): (?:a valid label must|must be no more than 63 )`}, (*Evaluation).labelValue},
	{&lazy.Regexp{Text: `: invalid label selector$`}, (*Evaluation).selectorValue},
	{&lazy.Regexp{Text: `must be no more than (\d+) (?:bytes|characters)`}, (*Evaluation).tooLong},
	{&lazy.Regexp{Text: `unsupported scope applied to resource`}, (*Evaluation).scopedAmounts},
	{&lazy.Regexp{Text: `expected exactly 5 fields, found`}, (*Evaluation).schedule},
	{&lazy.Regexp{Text: `^Duplicate value: (.*)`}, (*Evaluation).duplicate},
	{&lazy.Regexp{Text: `^Invalid value: (.*): must be unique`}, (*Evaluation).duplicate},
	{&lazy.Regexp{Text: `^Not found: "(.*)"`}, (*Evaluation).unknownVolume},
	{&lazy.Regexp{Text: `^Required value: .*values: `}, (*Evaluation).oneOf},
	{&lazy.Regexp{Text: `must be less than or equal to (\S+) limit`}, (*Evaluation).aboveLimit},
	{&numberText, (*Evaluation).number},
	{&lazy.Regexp{Text: `no new finalizers can be added`}, (*Evaluation).newFinalizers},
	{&lazy.Regexp{Text: `can ?not be less than (?:previous value|status\.capacity)`}, (*Evaluation).shrinks},
	{&lazy.Regexp{Text: `^Forbidden: `}, (*Evaluation).forbiddenField},
}

// longText is what the server says of a text that is too long.
var longText = lazy.Regexp{Text: `^Too long: may not be more than (\d+) bytes`}

// causeRule explains the errors whose text matches.
type causeRule struct {
	message *lazy.Regexp
	// explain adds to the diagnostic of a cause. names are what the text has in its groups.
	explain func(e *Evaluation, d *diag.Diagnostic, cause metav1.StatusCause, names []string)
}

// fixed is what the server says of a field that an update may not change.
var fixed = lazy.Regexp{Text: `is immutable|immutable field|fields? other than|may not change (?:once|fields)|cannot change roleRef|may not be changed|cannot be changed|can not be changed`}

// explainCause says more about an error of the request, with its repairs.
func (e *Evaluation) explainCause(d *diag.Diagnostic, cause metav1.StatusCause) {
	advised := e.Registered != nil && e.advise(d, cause)
	defer e.explainPlaceholders(d, cause.Message)
	if len(d.Fixes) > 0 {
		return
	}
	said := d.Detail
	for _, rule := range slices.Concat(causeRules, customCauses) {
		if names := rule.message.FindStringSubmatch(cause.Message); names != nil {
			rule.explain(e, d, cause, names)
			break
		}
	}
	if advised {
		d.Detail = said
	}
}

// explainPlaceholders says which values of the server's text nobody wrote: the server chooses them, and Preadmit has
// others in their place.
func (e *Evaluation) explainPlaceholders(d *diag.Diagnostic, message string) {
	for _, pointer := range e.placeholders {
		value, _ := fieldpath.Lookup(e.Chain.Attributes.Object, pointer)
		if text, ok := value.(string); ok && len(text) > 3 && strings.Contains(message, text) && !strings.Contains(e.Scenario.Request, text) {
			d.Detail += fmt.Sprintf(" %s is an example: the server chooses it.", text)
		}
	}
}

// changeable are the fields that an update may change, of kinds for which the server names one field
// around all others. Of a StatefulSet the server's text lists them.
var changeable = map[string][]string{
	"PersistentVolumeClaim": {"spec.resources", "spec.volumeAttributesClassName"},
	"Pod":                   {"spec.activeDeadlineSeconds", "spec.terminationGracePeriodSeconds", "spec.tolerations"},
}

// otherWays say how to get another value into a field that no update changes.
var otherWays = map[string]string{
	"ConfigMap":             "To change it anyway, create another ConfigMap with a new name, or delete this one and create it again.",
	"DaemonSet":             "Keep what changes, such as a version, out of a selector. To change it anyway, delete the DaemonSet and create it again.",
	"Deployment":            "Keep what changes, such as a version, out of a selector. To change it anyway, delete the Deployment and create it again.",
	"Job":                   "A Job runs once with one template. To run another one, delete the Job and create it again, or give it a new name; ttlSecondsAfterFinished, or the delete policy of a Helm hook, deletes finished Jobs.",
	"PersistentVolumeClaim": "The cluster fills in volumeName and storageClassName: a replaced manifest must keep them. To change them anyway, delete the claim and create it again, which may delete its data.",
	"Pod":                   "To change it anyway, delete the Pod and create it again, or change the template of its controller.",
	"ReplicaSet":            "To change it anyway, delete the ReplicaSet and create it again.",
	"Secret":                "To change it anyway, create another Secret with a new name, or delete this one and create it again.",
	"StatefulSet":           "To change it anyway, delete the StatefulSet with --cascade=orphan, which keeps its Pods and claims, and create it again.",
}

// immutableTogether are the fields that immutable: true protects, itself among them: one alone cannot be put back.
var immutableTogether = map[string][]string{"ConfigMap": {"immutable", "data", "binaryData"}, "Secret": {"immutable", "data"}}

// unchangeable shows what an update changes in a field that is immutable, and puts the old value back.
func (e *Evaluation) unchangeable(d *diag.Diagnostic, cause metav1.StatusCause, _ []string) {
	a := &e.Chain.Attributes
	if a.Operation != request.Update || a.OldObject == nil {
		return
	}
	all := e.changedBelow(cause)
	if len(all) == 0 {
		return
	}
	way := otherWays[a.Kind.Kind]
	if way == "" {
		way = fmt.Sprintf("To change it anyway, delete the %s and create it again.", a.Kind.Kind)
	}
	if a.Kind.Kind == "Secret" { // its values are nobody's to read in a report, and a marked line would show them
		for i := range all {
			if first := all[i].path[0].Name(); first == "data" || first == "stringData" {
				all[i].hidden = true
			}
		}
	}
	if sent, ok := e.Sent(); ok && slices.ContainsFunc(all, func(c change) bool { return c.hidden }) {
		d.Span = sent.Document.Locate(sent.Path("metadata.name"))
	}
	d.Detail = "An update cannot change this. " + described(all) + way
	sent, ok := e.Sent()
	if first := all[0].path; ok && cause.Field == "spec" && sent.Document.Has(sent.Path(first.String())) {
		d.Path = sent.Path(first.String())
		d.Span = sent.Document.Locate(d.Path)
	}
	back := all
	for _, field := range immutableTogether[a.Kind.Kind] {
		back = append(slices.Clip(back), e.changedBelow(metav1.StatusCause{Field: field})...)
	}
	restore := func(object map[string]any) {
		for _, c := range back {
			if written, derived := derived[c.path.String()]; derived {
				if _, there := c.path.Parent().Get(object); !there {
					c.path = fieldpath.Parse(written)
				}
			}
			if c.hadOld {
				c.path.Set(object, untyped.Copy(c.old))
			} else {
				c.path.Remove(object)
			}
		}
	}
	if _, ok := e.causesAfter(sent, restore); ok || e.Once || e.Registered == nil { // other fields may rely on the new value
		d.Fixes = sent.Fix("Put the old value back", restore)
	}
	e.underNewName(d)
	e.scheduled(d, all)
	e.resized(d, all)
}

// scheduling is a field of a Job's template that an update may change while the Job has not started.
var scheduling = lazy.Regexp{Text: `^spec\.template\.(?:metadata\.(?:labels|annotations)|spec\.(?:nodeSelector|tolerations|schedulingGates|affinity\.nodeAffinity))`}

// scheduled says when the scheduling fields of a Job's template may change.
func (e *Evaluation) scheduled(d *diag.Diagnostic, all []change) {
	a, given := &e.Chain.Attributes, e.Form.text
	if a.Kind.Kind != "Job" || slices.ContainsFunc(all, func(c change) bool { return !scheduling.MatchString(c.path.String()) }) {
		return
	}
	d.Detail += " Scheduling fields of the template may change while spec.suspend is true and the Job has not started, so while it has no status.startTime."
	start := untyped.Sub(a.OldObject, "status")["startTime"]
	if start == nil || untyped.Sub(a.OldObject, "spec")["suspend"] != true || given == nil || given.Form == request.Object {
		return
	}
	d.Detail += fmt.Sprintf(" Here it is %v: a queue's controller clears it by the subresource status before it changes them.", start)
	review, _ := objecttext.In(given.Document(), fieldpath.Parse(given.ObjectPath).Parent().String())
	d.Fixes = append(review.Fix("Clear status.startTime first", func(r map[string]any) {
		for _, object := range []string{"object", "oldObject"} {
			delete(untyped.Sub(r, object, "status"), "startTime")
		}
	}), d.Fixes...)
}

// underNewName offers to create a Secret or ConfigMap with another name, as rotated ones are, where the request is a
// review.
func (e *Evaluation) underNewName(d *diag.Diagnostic) {
	a, given := &e.Chain.Attributes, e.Form.text
	if a.Kind.Kind != "Secret" && a.Kind.Kind != "ConfigMap" || given == nil || given.Form == request.Object {
		return
	}
	name := a.Name + "-2"
	review, _ := objecttext.In(given.Document(), fieldpath.Parse(given.ObjectPath).Parent().String())
	d.Fixes = append(review.Fix("Create another "+a.Kind.Kind+", "+name, func(r map[string]any) {
		r["operation"], r["name"] = request.Create, name
		delete(r, "oldObject")
		delete(r, "options") // those of an update
		metadata := untyped.Sub(r, "object", "metadata")
		metadata["name"] = name
		for _, field := range []string{"uid", "resourceVersion", "creationTimestamp", "managedFields", "generation"} {
			delete(metadata, field)
		}
	}), d.Fixes...)
}

// derived are fields that the server fills from another one, where the object does not have them.
var derived = map[string]string{"spec.clusterIPs[0]": "spec.clusterIP"}

// listedField is a field below the one that the server names, in a list of those that may change.
var listedField = lazy.Regexp{Text: `'(\w+)'`}

// change is a field that an update changes.
type change struct {
	path           fieldpath.Path
	old, is        any
	hadOld, stands bool
	hidden         bool // the values are secret
}

// changedBelow are the fields at and below one that the update changes and may not.
func (e *Evaluation) changedBelow(cause metav1.StatusCause) []change {
	a := &e.Chain.Attributes
	path := fieldpath.Parse(cause.Field)
	old, hadOld := path.Get(a.OldObject)
	is, stands := path.Get(a.Object)
	may := slices.Clone(changeable[a.Kind.Kind])
	for _, field := range listedField.FindAllStringSubmatch(cause.Message, -1) {
		may = append(may, path.Child(field[1]).String())
	}
	return slices.DeleteFunc(changes(change{path: path, old: old, is: is, hadOld: hadOld, stands: stands}), func(c change) bool {
		at := c.path.String()
		image := a.Kind.Kind == "Pod" && strings.HasSuffix(at, ".image")
		return image || slices.ContainsFunc(may, func(f string) bool { return at == f || strings.HasPrefix(at, f+".") || strings.HasPrefix(at, f+"[") })
	})
}

// changes are the smallest parts of a value that differ.
func changes(c change) (out []change) {
	before, wasMap := c.old.(map[string]any)
	after, isMap := c.is.(map[string]any)
	list, wasList := c.old.([]any)
	now, isList := c.is.([]any)
	switch {
	case c.hadOld && c.stands && wasMap && isMap:
		names := maps.Clone(before)
		maps.Copy(names, after)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			old, hadOld := before[name]
			is, stands := after[name]
			out = append(out, changes(change{path: c.path.Child(name), old: old, is: is, hadOld: hadOld, stands: stands})...)
		}
	case c.hadOld && c.stands && wasList && isList && len(list) == len(now):
		for i := range list {
			out = append(out, changes(change{path: c.path.Index(i), old: list[i], is: now[i], hadOld: true, stands: true})...)
		}
	case c.hadOld != c.stands || shown(c.old) != shown(c.is):
		return []change{c}
	}
	return out
}

// maxShown is how long a value may be that is shown, and maxChanges how many changes are.
const (
	maxShown   = 60
	maxChanges = 4
)

// described says what an update changes, and what it removes: kubectl apply sends only what its manifest has.
func described(all []change) string {
	var changed, removed []string
	for _, c := range all {
		if !c.stands {
			removed = append(removed, c.path.String())
			continue
		}
		if c.hidden {
			changed = append(changed, c.path.String())
			continue
		}
		old := "nothing"
		if c.hadOld {
			old = shortened(shown(c.old))
		}
		changed = append(changed, fmt.Sprintf("%s from %s to %s", c.path, old, shortened(shown(c.is))))
	}
	out := ""
	if len(changed) > 0 {
		out = "The update changes " + few(changed) + ". "
	}
	if len(removed) > 0 {
		out += "It leaves out " + few(removed) + ", which removes them; kubectl apply keeps what it has not set. "
	}
	return out
}

// few are the first texts of a list.
func few(list []string) string {
	if more := len(list) - maxChanges; more > 0 {
		list = append(slices.Clip(list[:maxChanges]), fmt.Sprintf("%d more", more))
	}
	return strings.Join(list, ", ")
}

func shown(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

func shortened(text string) string {
	if runes := []rune(text); len(runes) > maxShown {
		return string(runes[:maxShown]) + "…"
	}
	return text
}

// exclusive offers to remove either of two fields that exclude each other.
func (e *Evaluation) exclusive(d *diag.Diagnostic, cause metav1.StatusCause, names []string) {
	sent, ok := e.Sent()
	path := fieldpath.Parse(cause.Field)
	other := path.Parent().Child(names[1])
	if _, there := other.Get(sent.Value); !ok || !there {
		e.forbiddenField(d, cause, nil)
		return
	}
	d.Detail = fmt.Sprintf("Only one of %s and %s may be set. A field that a manifest no longer has stays in the object when the manifest is merged into it: set it to null.", path.Last(), names[1])
	for _, p := range []fieldpath.Path{path, other} {
		d.Fixes = append(d.Fixes, e.removed(sent, cause, p)...)
	}
}

// contradictory explains two values that contradict each other, and offers to remove either.
func (e *Evaluation) contradictory(d *diag.Diagnostic, cause metav1.StatusCause, names []string) {
	e.both(d, cause, []string{"", names[1], names[3]})
	d.Detail = fmt.Sprintf("%s: %s and %s: %s contradict each other: remove one of them.", names[1], names[2], names[3], names[4])
}

// both offers to remove either of two fields below one.
func (e *Evaluation) both(d *diag.Diagnostic, cause metav1.StatusCause, names []string) {
	cause.Field = fieldpath.Parse(cause.Field).Child(names[1]).String()
	e.exclusive(d, cause, names[1:])
	if sent, ok := e.Sent(); ok {
		d.Path = sent.Path(cause.Field)
		d.Span = sent.Document.LocateKey(d.Path)
	}
}

// unequal explains two fields that must be equal beside the value of a third, and offers either value for both.
func (e *Evaluation) unequal(d *diag.Diagnostic, cause metav1.StatusCause, names []string) {
	sent, ok := e.Sent()
	path := fieldpath.Parse(cause.Field)
	other := path.Parent().Child(names[1])
	value, _ := path.Get(sent.Value)
	wanted, there := other.Get(sent.Value)
	if !ok || !there {
		return
	}
	d.Detail = fmt.Sprintf("While %s is %s, %s and %s must be equal: the container opens the port on the node itself.", names[2], names[3], path.Last(), names[1])
	d.Fixes = append(d.Fixes, sent.Fix(fmt.Sprintf("Set %s to %v", names[1], value), func(object map[string]any) { other.Set(object, value) })...)
	d.Fixes = append(d.Fixes, sent.Fix(fmt.Sprintf("Set %s to %v", path.Last(), wanted), func(object map[string]any) { path.Set(object, wanted) })...)
	for i := range d.Fixes {
		d.Fixes[i].Choice = true
	}
}

// dependent explains a field that the value of another one excludes, and offers to remove it.
func (e *Evaluation) dependent(d *diag.Diagnostic, cause metav1.StatusCause, names []string) {
	path := fieldpath.Parse(cause.Field)
	if names[2] == "not empty" {
		e.exclusive(d, cause, names)
		return
	}
	if e.forbiddenField(d, cause, nil); len(d.Fixes) == 0 {
		return
	}
	d.Detail = fmt.Sprintf("%s cannot be set while %s is %s: remove it, or change %s.", path.Last(), names[1], names[2], names[1])
	if _, there := path.Get(e.Chain.Attributes.OldObject); there {
		d.Detail += fmt.Sprintf(" The stored object has it already, perhaps as a default. A manifest that is merged into the object keeps it: write %s: null in the manifest.", path.Last())
	}
}

// forbiddenField offers to remove a field that the server does not accept there.
func (e *Evaluation) forbiddenField(d *diag.Diagnostic, cause metav1.StatusCause, _ []string) {
	sent, _ := e.Sent()
	if path := fieldpath.Parse(cause.Field); len(path) > 1 {
		d.Fixes = e.removed(sent, cause, path)
	}
}

// removed is the repair that removes a field of the request, if the server then no longer reports the cause.
func (e *Evaluation) removed(sent objecttext.Object, cause metav1.StatusCause, path fieldpath.Path) []diag.Fix {
	if e.Once || e.Registered == nil || sent.Document == nil || !sent.Document.Has(sent.Path(path.String())) {
		return nil
	}
	object, _ := untyped.Copy(sent.Value).(map[string]any)
	path.Remove(object)
	if slices.ContainsFunc(e.causes(object), func(c metav1.StatusCause) bool { return c.Field == cause.Field || c.Field == path.Parent().String() }) {
		return nil
	}
	edit, ok := sent.Document.Remove(sent.Path(path.String()))
	if !ok {
		return nil
	}
	return []diag.Fix{{Title: "Remove " + path.Last(), Edits: []diag.Edit{edit}, Choice: true}}
}

// lastApplied is where kubectl apply keeps what it applied.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// tooLong names the longest of the annotations that are too long together.
func (e *Evaluation) tooLong(d *diag.Diagnostic, cause metav1.StatusCause, names []string) {
	sent, ok := e.Sent()
	path := fieldpath.Parse(cause.Field)
	if !ok || path.Last() != "annotations" {
		shorten(d, sent, path, names[1])
		return
	}
	annotations := fieldpath.As[map[string]any](path.Get(sent.Value))
	longest, size := "", -1
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		if text, ok := annotations[key].(string); ok && len(text) > size {
			longest, size = key, len(text)
		}
	}
	if size < 0 {
		return
	}
	d.Detail = fmt.Sprintf("The annotations may have %s bytes together. The longest, %s, has %d.", names[1], longest, size)
	if longest == lastApplied {
		d.Detail += " kubectl apply writes it: a copy of the whole object. kubectl apply --server-side does not, nor do kubectl create and kubectl replace."
	}
	edit, ok := sent.Document.Remove(sent.Path(path.Child(longest).String()))
	if ok {
		d.Fixes = []diag.Fix{{Title: "Remove this annotation", Edits: []diag.Edit{edit}, Choice: true}}
	}
}

// withoutUpdate are the repairs of a policy or webhook that changes what no update may change: its rules
// leave updates out.
func (e *Evaluation) withoutUpdate(by changer, cause metav1.StatusCause) []diag.Fix {
	if e.Chain.Attributes.Operation != request.Update || !fixed.MatchString(cause.Message) || len(e.changedBelow(cause)) == 0 {
		return nil
	}
	for _, doc := range e.Parsed(by.step.Text) {
		if by.span.Start < doc.Span.Start || by.span.End > doc.Span.End || !by.step.OfPolicy() {
			continue
		}
		owner, _ := objecttext.In(doc, "")
		return owner.Fix("Leave updates out of its rules", func(object map[string]any) {
			rules := untyped.Items(untyped.Sub(object, "spec", "matchConstraints")["resourceRules"])
			for _, w := range untyped.Items(object["webhooks"]) {
				if w["name"] == by.step.Webhook {
					rules = append(rules, untyped.Items(w["rules"])...)
				}
			}
			for _, rule := range rules {
				operations, _ := rule["operations"].([]any)
				left := slices.DeleteFunc(slices.Clone(operations), func(o any) bool { return o == request.Update })
				if slices.Contains(operations, any("*")) {
					left = []any{request.Create}
				}
				if len(left) > 0 {
					rule["operations"] = left
				}
			}
		})
	}
	return nil
}
