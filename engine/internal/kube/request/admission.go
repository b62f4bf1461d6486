package request

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// admission reads an AdmissionRequest. Prefix precedes its field paths. Every field is optional if
// it follows from others.
func (p *parser) admission(f *scenario.Fields, prefix string) {
	r := p.r
	r.ObjectPath, r.OldObjectPath = prefix+"object", prefix+"oldObject"
	r.UID = f.String("uid")
	r.Object, r.OldObject = f.Map("object"), f.Map("oldObject")
	r.Operation = p.operation(f)
	r.SubResource = f.String("subResource")
	r.Name, r.Namespace = f.String("name"), f.String("namespace")
	if dryRun := f.Bool("dryRun"); dryRun != nil {
		r.DryRun = *dryRun
	}
	r.Options = f.Map("options")
	r.User = p.user(f)
	r.Kind, r.Resource = groupVersionKind(f, "kind"), groupVersionResource(f, "resource")
	requestKind, requestResource := groupVersionKind(f, "requestKind"), groupVersionResource(f, "requestResource")
	requestSubResource := f.String("requestSubResource")
	f.Done()
	if !diag.HasErrors(p.diags) {
		p.conclude(prefix, requestKind, requestResource, requestSubResource)
	}
}

// plainReview uses a parsed AdmissionReview.
func (p *parser) plainReview(v *scenario.Review) {
	r := p.r
	r.Form = Review
	r.ObjectPath, r.OldObjectPath = "request.object", "request.oldObject"
	r.UID, r.Operation, r.SubResource, r.Name, r.Namespace, r.DryRun = v.UID, v.Operation, v.SubResource, v.Name, v.Namespace, v.DryRun
	r.Object, r.OldObject, r.Options = v.Object, v.OldObject, v.Options
	r.Kind, r.Resource = v.Kind, v.Resource
	if v.User {
		r.User = &user.DefaultInfo{Name: v.Username, UID: v.UserUID, Groups: v.Groups, Extra: v.Extra}
	} else {
		r.User = p.someone()
	}
	p.conclude("request.", v.RequestKind, v.RequestResource, v.RequestSubResource)
}

// conclude checks an AdmissionRequest and derives missing fields. The given fields describe the
// client's request.
func (p *parser) conclude(prefix string, requestKind schema.GroupVersionKind, requestResource schema.GroupVersionResource, requestSubResource string) {
	if p.r.Apply != nil {
		p.applied(p.r.OldObject != nil)
	}
	p.checkObjects(prefix)
	p.kind(prefix)
	p.resource(prefix)
	if diag.HasErrors(p.diags) {
		return
	}
	p.currentEviction()
	p.completeObjects()
	p.backToRequested(requestKind, requestResource, requestSubResource, prefix)
	p.nameAndNamespace()
	p.options()
}

// currentEviction reads an Eviction of an older version as one of the version in which the server has it.
func (p *parser) currentEviction() {
	kind := schema.GroupVersionKind{Group: "policy", Version: "v1", Kind: "Eviction"}
	if p.r.SubResource != "eviction" || p.r.Kind.GroupKind() != kind.GroupKind() || p.r.Kind == kind {
		return
	}
	if p.r.Object != nil && KindOf(p.r.Object) == p.r.Kind {
		p.r.Object = with(p.r.Object, "apiVersion", kind.GroupVersion().String())
	}
	p.r.Kind = kind
}

var operations = []string{Create, Update, Delete, Connect}

// operation reads the operation, or derives it from the objects.
func (p *parser) operation(f *scenario.Fields) string {
	if f.Has("operation") {
		for _, verb := range []string{"PATCH", "APPLY"} {
			if f.Is("operation", verb) {
				return p.patched(f, verb)
			}
		}
		return f.OneOf("operation", operations...)
	}
	f.String("operation")
	operation := ""
	switch {
	case p.r.Object != nil && p.r.OldObject != nil:
		operation = Update
	case p.r.Object != nil:
		operation = Create
	case p.r.OldObject != nil:
		operation = Delete
	default:
		f.Report(diag.Error, codes.NoOperation, "", "the request has neither an operation nor an object", "operation must be one of "+strings.Join(operations, ", ")+".")
		return ""
	}
	p.derived("The operation is %s, because of the given objects.", operation)
	return operation
}

// patched returns what admission sees of a patch.
func (p *parser) patched(f *scenario.Fields, verb string) string {
	operation := Update
	if p.r.OldObject == nil {
		operation = Create
	}
	f.ReadAs("operation", operation, verb+" is not an admission operation: read as "+operation,
		"A patch of an object that exists is an UPDATE, with the object before and after the patch. A server-side apply that creates the object is a CREATE.")
	return operation
}

// user reads userInfo (authentication.k8s.io/v1 UserInfo).
func (p *parser) user(f *scenario.Fields) *user.DefaultInfo {
	if !f.Has("userInfo") {
		f.Map("userInfo")
		return p.someone()
	}
	sub := f.Sub("userInfo")
	info := &user.DefaultInfo{Name: sub.String("username"), UID: sub.String("uid"), Groups: sub.Strings("groups")}
	extra := sub.Sub("extra")
	for _, name := range extra.Names() {
		if info.Extra == nil {
			info.Extra = map[string][]string{}
		}
		info.Extra[name] = extra.Strings(name)
	}
	sub.Done()
	return info
}

// someone returns the made-up user, in the usual groups or the given ones.
func (p *parser) someone(groups ...string) *user.DefaultInfo {
	if len(groups) == 0 {
		groups = []string{madeUpGroup}
	}
	p.derived("The user is assumed: %s, in the group %s.", madeUpUser, strings.Join(groups, ", "))
	p.r.MadeUp = true
	return &user.DefaultInfo{Name: madeUpUser, Groups: groups}
}

// checkObjects compares the objects with the operation: an UPDATE has both, a CREATE only the
// object, a DELETE only the old one (semantics §0.4).
func (p *parser) checkObjects(prefix string) {
	r := p.r
	var w struct{ object, old bool }
	switch r.Operation {
	case Create:
		w.object = true
	case Update:
		w.object, w.old = true, true
	case Delete:
		w.old = true
	default:
		return // a CONNECT may have options as its object
	}
	at := strings.TrimSuffix(prefix, ".")
	switch {
	case w.object && r.Object == nil:
		p.problem(diag.Error, codes.NoObject, at, fmt.Sprintf("%s needs an object", article(r.Operation)), "Add the field object.")
	case !w.object && r.Object != nil:
		p.problem(diag.Warning, codes.UnexpectedObject, r.ObjectPath, fmt.Sprintf("the server sends no object with %s; it is left out", article(r.Operation)), "The deleted object is in oldObject.")
		r.Object = nil
	}
	switch {
	case w.old && r.OldObject == nil:
		p.problem(diag.Warning, codes.NoOldObject, at, fmt.Sprintf("the server always sends an oldObject with %s", article(r.Operation)),
			"Expressions that read oldObject see null here. Add the object from before the request.")
	case !w.old && r.OldObject != nil:
		p.problem(diag.Warning, codes.UnexpectedOldObject, r.OldObjectPath, fmt.Sprintf("the server sends no oldObject with %s; it is left out", article(r.Operation)), "")
		r.OldObject = nil
	}
}

func article(operation string) string {
	if operation == Update {
		return "an " + operation
	}
	return "a " + operation
}

// KindOf returns the kind that an object names.
func KindOf(object map[string]any) schema.GroupVersionKind {
	apiVersion, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	return schema.FromAPIVersionAndKind(apiVersion, kind)
}

// kind derives the kind from the object or the resource.
func (p *parser) kind(prefix string) {
	r := p.r
	if r.Kind.Kind != "" && r.Kind.Version != "" {
		return
	}
	object := r.Object
	if object == nil {
		object = r.OldObject
	}
	if gvk := KindOf(object); gvk.Kind != "" && gvk.Version != "" && (r.Kind.Kind == "" || r.Kind.Kind == gvk.Kind) {
		r.Kind = gvk
		p.derived("The kind is %s, as in the object.", plain(gvk))
		return
	}
	if gvk, ok := p.catalog.KindFor(r.Resource, r.SubResource); ok {
		r.Kind = gvk
		p.derived("The kind is %s, derived from the resource.", plain(gvk))
		return
	}
	p.problem(diag.Error, codes.NoKind, prefix+"kind", "the kind of the object is missing", "kind has the fields group, version and kind.")
}

// resource derives the resource from the kind.
func (p *parser) resource(prefix string) {
	r := p.r
	if r.Resource.Resource != "" {
		if r.Resource.Version == "" {
			r.Resource.Version = r.Kind.Version
			p.derived("The resource's version is %s, derived from the kind.", r.Kind.Version)
		}
		return
	}
	if r.Kind.Kind == "" {
		return // reported already
	}
	candidates := p.resourcesOf(r.Kind, r.SubResource)
	if len(candidates) == 1 {
		r.Resource = candidates[0]
		p.derived("The resource is %s, derived from the kind %s.", plainResource(r.Resource, r.SubResource), plain(r.Kind))
		return
	}
	if p.scaled(candidates) {
		return
	}
	if of, ok := p.catalog.ResourceForKind(r.Kind); ok && len(candidates) == 0 && !of.Builtin {
		r.Resource = of.GVR // which does not have the subresource
		return
	}
	detail := "resource has the fields group, version and resource."
	if len(candidates) > 1 {
		var names []string
		for _, c := range candidates {
			names = append(names, plainResource(c, r.SubResource))
		}
		slices.Sort(names)
		detail = fmt.Sprintf("%s could be %s.", plain(r.Kind), strings.Join(names, ", "))
	}
	p.problem(diag.Error, codes.NoResource, prefix+"resource", fmt.Sprintf("the resource is missing, and the kind %s does not determine it", plain(r.Kind)), detail)
}

// resourcesOf lists the resources for a kind, with a subresource if not empty.
func (p *parser) resourcesOf(gvk schema.GroupVersionKind, subResource string) []schema.GroupVersionResource {
	var list []schema.GroupVersionResource
	for _, r := range p.catalog.Kinds() {
		taken := r.GVK
		if subResource != "" {
			taken = r.Subresources[subResource]
		}
		if taken == gvk {
			list = append(list, r.GVR)
		}
	}
	return list
}

// completeObjects sets the objects' apiVersion and kind to the request's, and warns if they differ,
// because the server's always agree.
func (p *parser) completeObjects() {
	p.r.Object = p.completeObject(p.r.Object, p.r.ObjectPath)
	p.r.OldObject = p.completeObject(p.r.OldObject, p.r.OldObjectPath)
}

func (p *parser) completeObject(object map[string]any, path string) map[string]any {
	if object == nil {
		return nil
	}
	gvk := p.r.Kind
	if object["apiVersion"] == nil && object["kind"] == nil {
		p.derived("%s gets the apiVersion and kind of the request, %s.", path, plain(gvk))
		return with(object, "apiVersion", gvk.GroupVersion().String(), "kind", gvk.Kind)
	}
	if got := KindOf(object); got != gvk {
		p.problem(diag.Warning, codes.KindMismatch, path+".kind", fmt.Sprintf("the object is %s, but the request says %s", plain(got), plain(gvk)),
			"In a real request the two are always the same.")
	}
	return object
}

// with returns a copy of an object with some fields set.
func with(object map[string]any, fields ...string) map[string]any {
	out := make(map[string]any, len(object)+len(fields)/2)
	for k, v := range object {
		out[k] = v
	}
	for i := 0; i < len(fields); i += 2 {
		out[fields[i]] = fields[i+1]
	}
	return out
}

// plain writes a kind for people: apps/v1 Deployment.
func plain(gvk schema.GroupVersionKind) string {
	return strings.TrimSpace(gvk.GroupVersion().String() + " " + gvk.Kind)
}

func plainResource(gvr schema.GroupVersionResource, subResource string) string {
	s := gvr.GroupVersion().String() + " " + gvr.Resource
	if subResource != "" {
		s += "/" + subResource
	}
	return s
}
