package request

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// bareObject builds a request from an object: a user creates it.
func (p *parser) bareObject(texts *scenario.Reader) {
	r := p.r
	gvk := KindOf(p.r.Document().Value)
	if gvk.Kind == "AdmissionRequest" {
		p.problem(diag.Error, codes.NotARequest, "kind", "an AdmissionRequest has no apiVersion and kind of its own", "Remove them, or put the request into the field request of an AdmissionReview.")
		return
	}
	if gvk.Version == "" {
		p.problem(diag.Error, codes.NoAPIVersion, "apiVersion", "the object has no apiVersion", "Such as apiVersion: v1 or apiVersion: apps/v1.")
		p.fix(KindFixes(p.r.Document(), p.catalog))
		return
	}
	r.Kind = gvk
	p.sent(texts, p.r.Document().Value)
	if r.SubResource != "" {
		if p.resource(""); diag.HasErrors(p.diags) {
			return
		}
	} else if resource, ok := p.catalog.ResourceForKind(gvk); ok {
		r.Resource = resource.GVR
		p.derived("The resource is %s, derived from the kind %s.", plainResource(r.Resource, ""), plain(gvk))
	} else {
		p.guessResource()
	}
	p.nameAndNamespace()
	if r.Operation == Create && !named(r.Object) {
		p.problem(diag.Warning, codes.NoName, "metadata", "the object has no name; the server would reject it after admission", "Set metadata.name or metadata.generateName.")
		p.fix(p.usualName())
	}
	p.options()
}

const scale = "scale"

// ofSubResource has the kinds that only a subresource takes, and people send in a manifest.
var ofSubResource = map[schema.GroupKind]string{
	{Group: "autoscaling", Kind: "Scale"}:                  scale,
	{Group: "policy", Kind: "Eviction"}:                    "eviction",
	{Group: "authentication.k8s.io", Kind: "TokenRequest"}: "token",
}

// scaled takes the commonest of the resources that have a Scale, as a Scale does not say whose it is.
func (p *parser) scaled(candidates []schema.GroupVersionResource) bool {
	deployments := schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	if p.r.SubResource != scale || !slices.Contains(candidates, deployments) {
		return false
	}
	p.r.Resource, p.r.MadeUpScaled = deployments, true
	p.derived("The resource is assumed to be %s. An AdmissionReview can name another.", plainResource(deployments, scale))
	return true
}

// sent says how a plain object is sent: by the settings, or created by a made-up user.
func (p *parser) sent(texts *scenario.Reader, object map[string]any) {
	r, s := p.r, p.settings
	r.SubResource, r.DryRun = s.SubResource, s.DryRun
	if subResource, ok := ofSubResource[r.Kind.GroupKind()]; ok && r.SubResource == "" {
		r.SubResource = subResource
		p.derived("The subresource is %s, as the text is %s.", subResource, plain(r.Kind))
	}
	switch r.Operation = s.Operation; {
	case r.Apply != nil:
		p.applied(s.OldObject != "")
	case r.Operation != "":
	case r.SubResource == scale:
		p.derived("The text is a Scale, so the operation is UPDATE.")
		r.Operation = Update
	default:
		p.derived("The text is an object, so the operation is CREATE.")
		r.Operation = Create
	}
	switch r.Operation {
	case Update:
		r.Object, r.OldObject = object, p.oldObject(texts, object)
	case Delete:
		r.OldObject = object
	default:
		r.Object = object
	}
	if s.User == "" {
		r.User = p.someone(s.Groups...)
	} else {
		r.User = &user.DefaultInfo{Name: s.User, Groups: s.Groups}
	}
}

// usualName names the object after its application labels or its first container.
func (p *parser) usualName() []diag.Fix {
	for _, path := range []fieldpath.Path{fieldpath.New("metadata", "labels").Key("app.kubernetes.io/name"), fieldpath.New("metadata", "labels", "app"), fieldpath.New("metadata", "labels", "k8s-app"),
		fieldpath.New("spec", "containers").Index(0).Child("name"), fieldpath.New("spec", "template", "spec", "containers").Index(0).Child("name")} {
		name := fieldpath.As[string](path.Get(p.r.Document().Value))
		if name == "" || len(validation.IsDNS1123Subdomain(name)) > 0 {
			continue
		}
		edit, ok := p.r.Document().Insert("metadata", "name", name)
		if !p.r.Document().Has("metadata") {
			edit, ok = p.r.Document().Insert("", "metadata", "{name: "+name+"}")
		}
		if ok {
			return []diag.Fix{{Title: "Add name: " + name, Edits: []diag.Edit{edit}, Draft: true}}
		}
	}
	return nil
}

func named(object map[string]any) bool {
	metadata, _ := object["metadata"].(map[string]any)
	return metadata["name"] != nil || metadata["generateName"] != nil
}

// guessResource guesses the resource for a kind that the server does not serve. People try policies
// for custom resources without the definition.
func (p *parser) guessResource() {
	gvk := p.r.Kind
	if refused, ok := p.catalog.RefusedKind(gvk); ok {
		p.r.Resource = refused.GVR
		p.derived("The resource is %s, from a definition that the server rejects.", plainResource(refused.GVR, ""))
	} else {
		p.r.Resource, _ = meta.UnsafeGuessKindToResource(gvk)
		p.derived("The resource is assumed to be %s.", plainResource(p.r.Resource, ""))
	}
	if foreign, ok := ForeignKind(gvk); ok {
		p.problem(diag.Warning, codes.ForeignKind, "kind", foreign.Summary(gvk.Kind), foreign.Advice)
		return
	}
	detail := "The request still runs, with fields of any type. Add the CustomResourceDefinition to the scenario's cluster, or correct apiVersion and kind."
	summary := fmt.Sprintf("Kubernetes %s has no kind %s, and no CustomResourceDefinition here defines it", p.catalog.Version(), plain(gvk))
	if p.catalog.OnlyBuiltin(gvk) {
		summary = fmt.Sprintf("Kubernetes %s does not serve %s", p.catalog.Version(), plain(gvk))
		detail = "Correct apiVersion and kind. No CustomResourceDefinition can define it."
	}
	if near := p.otherVersions(gvk); near != "" {
		detail = "There is " + near + ". " + detail
	}
	if release := catalog.Removed(gvk); release != "" {
		detail = fmt.Sprintf("Kubernetes %s removed it. %s", release, detail)
	}
	p.problem(diag.Warning, codes.UnknownKind, "kind", summary, detail)
	p.fix(KindFixes(p.r.Document(), p.catalog))
}

// otherVersions lists the API versions that have a kind with that name.
func (p *parser) otherVersions(gvk schema.GroupVersionKind) string {
	var list []string
	for _, r := range p.catalog.Kinds() {
		if strings.EqualFold(r.GVK.Kind, gvk.Kind) {
			list = append(list, plain(r.GVK))
		}
	}
	return strings.Join(list, ", ")
}

var namespaces = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}

// nameAndNamespace completes both from the object. Before admission, the server sets the object's
// namespace to the URL's. A Namespace's namespace is its name.
func (p *parser) nameAndNamespace() {
	r := p.r
	object := r.Object
	if object == nil || r.Operation == Connect {
		object = r.OldObject
	}
	metadata, _ := object["metadata"].(map[string]any)
	if name, _ := metadata["name"].(string); r.Name == "" && name != "" {
		r.Name = name
		if r.Form != Object {
			p.derived("The name is %s, from the object.", name)
		}
	}
	inObject, _ := metadata["namespace"].(string)
	resource, known := p.catalog.ResourceFor(r.Resource)
	if !known { // a rejected definition still tells its objects' scope
		resource, known = p.catalog.RefusedResource(r.Resource)
	}
	switch {
	case r.Namespace != "":
		return
	case r.Resource == namespaces:
		if r.Name != "" {
			r.Namespace = r.Name
			p.derived("The namespace is %s: a request on a Namespace is in that namespace.", r.Name)
		}
	case known && !resource.Namespaced:
		p.clusterScoped(resource, inObject)
	case inObject != "":
		r.Namespace = inObject
		if r.Form != Object {
			p.derived("The namespace is %s, from the object.", inObject)
		}
	case known && metadata != nil || r.Form == Object:
		p.defaultNamespace()
	}
}

func (p *parser) clusterScoped(resource catalog.Resource, inObject string) {
	if inObject != "" {
		p.problem(diag.Warning, codes.UnexpectedNamespace, p.r.ObjectPath+".metadata.namespace", fmt.Sprintf("%s is not namespaced; the server would reject the object", plain(resource.GVK)),
			"The request is run without a namespace.")
	}
}

// defaultNamespace applies the setting's namespace to a plain object, or kubectl's default namespace.
func (p *parser) defaultNamespace() {
	namespace := "default"
	if p.r.Form == Object {
		namespace = cmp.Or(p.settings.Namespace, namespace)
	}
	p.r.Namespace = namespace
	p.derived("The namespace is %s, because the object names none.", namespace)
	if p.r.Operation == Create && p.r.SubResource == "" && p.r.Object != nil {
		metadata, _ := p.r.Object["metadata"].(map[string]any)
		out := with(p.r.Object)
		out["metadata"] = with(metadata, "namespace", namespace)
		p.r.Object = out
	}
}

// options completes the field options, which the server always sends except for CONNECT.
func (p *parser) options() {
	none, some := emptyOptions[p.r.Operation]
	if p.r.Apply != nil {
		p.applyOptions(none.value)
		return
	}
	if p.r.Options != nil && some {
		p.optionsKind(none.value["kind"].(string))
		if p.r.Options["kind"] == nil || p.r.Options["apiVersion"] == nil { // a server shows policies both
			p.r.Options = with(p.r.Options)
			maps.Copy(p.r.Options, none.value)
		}
	}
	if p.r.Options != nil || !some {
		return
	}
	if p.r.DryRun {
		kind, _ := none.value["kind"].(string)
		p.r.Options = with(none.value)
		p.r.Options["dryRun"] = []any{"All"} // where the server reads it from
		p.derived("The options are %s for a dry run.", kind)
		return
	}
	p.r.Options = none.value
	if p.r.Form != Object {
		p.r.Derived = append(p.r.Derived, none.said)
	}
}

// optionsKind sets the options' kind for the operation.
func (p *parser) optionsKind(kind string) {
	given, _ := p.r.Options["kind"].(string)
	if given == "" || given == kind {
		return
	}
	path := strings.TrimSuffix(p.r.ObjectPath, "object") + "options.kind"
	p.problem(diag.Warning, codes.UnknownValue, path, fmt.Sprintf("the options of a request to %s are %s: read as such", p.r.Operation, kind),
		"The server shows UpdateOptions for a patch too, and CreateOptions where an apply creates the object. To simulate a server-side apply, set options.request.apply in scenario.yaml.")
	var fixes []diag.Fix
	if edit, ok := p.r.Document().Rewrite(path, kind); ok {
		fixes = []diag.Fix{{Title: "Change to " + kind, Edits: []diag.Edit{edit}}}
	}
	manager, _ := p.r.Options["fieldManager"].(string)
	if force, forced := p.r.Options["force"].(bool); given == "PatchOptions" && manager != "" {
		as := diag.Fix{Title: "Simulate the server-side apply by " + manager, Edits: []diag.Edit{}, Request: &diag.RequestChange{FieldManager: manager, Force: force}}
		fixes = append(fixes, as)
		if forced { // no other patch has it
			p.diags[len(p.diags)-1].Detail = "PatchOptions with force are those of a server-side apply. The server merges the applied object into the stored one, and answers 409 Conflict where another manager owns a field. A plain update, as here, replaces the object. To simulate the apply, set options.request.apply in scenario.yaml, or use --server-side --field-manager " + manager + "."
			slices.Reverse(fixes)
		}
	}
	p.fix(fixes)
	p.r.Options = with(p.r.Options)
	p.r.Options["kind"] = kind
}

// emptyOptions are the default options by operation. The values are shared and must not be changed.
var emptyOptions = map[string]noOptions{
	Create: {map[string]any{"apiVersion": "meta.k8s.io/v1", "kind": "CreateOptions"}, "The options are empty CreateOptions."},
	Update: {map[string]any{"apiVersion": "meta.k8s.io/v1", "kind": "UpdateOptions"}, "The options are empty UpdateOptions."},
	Delete: {map[string]any{"apiVersion": "meta.k8s.io/v1", "kind": "DeleteOptions"}, "The options are empty DeleteOptions."},
}

// noOptions has default options and their description.
type noOptions struct {
	value map[string]any
	said  string
}

// backToRequested undoes a conversion. A webhook with matchPolicy Equivalent gets the object in its
// rules' version. requestKind and requestResource have the client's version, from which the chain
// starts.
func (p *parser) backToRequested(kind schema.GroupVersionKind, resource schema.GroupVersionResource, subResource, prefix string) {
	r := p.r
	if subResource != "" && subResource != r.SubResource {
		p.problem(diag.Warning, codes.SubresourceMismatch, prefix+"requestSubResource", fmt.Sprintf("requestSubResource is %q, but subResource is %q", subResource, r.SubResource),
			"In a real request the two are always the same. subResource counts.")
	}
	if kind.Kind == "" || kind == r.Kind {
		return
	}
	object, err := p.convert(r.Object, r.Kind, kind)
	if err == nil {
		r.OldObject, err = p.convert(r.OldObject, r.Kind, kind)
	}
	if err != nil || resource.Resource == "" {
		detail := "The request is run as one for kind and resource."
		if err != nil {
			detail = err.Error() + ". " + detail
		}
		p.problem(diag.Warning, codes.NotConverted, prefix+"requestKind", fmt.Sprintf("the object cannot be converted back from %s to %s", plain(r.Kind), plain(kind)), detail)
		return
	}
	p.derived("The text shows the object converted to %s for a webhook; the request was for %s, and starts from that.", plain(r.Kind), plain(kind))
	r.Object, r.Kind, r.Resource = object, kind, resource
}

func (p *parser) convert(object map[string]any, from, to schema.GroupVersionKind) (map[string]any, error) {
	if object == nil {
		return nil, nil
	}
	return p.catalog.Convert(object, from, to)
}
