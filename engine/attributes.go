package engine

import (
	"reflect"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/preadmit/preadmit/engine/authorizer"
	"github.com/preadmit/preadmit/engine/chain"
	"github.com/preadmit/preadmit/engine/cluster"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/match"
	"github.com/preadmit/preadmit/engine/report"
)

// readRequest reads the request text and puts the request at the begin of the
// chain. It is false when there is no request to run.
func (e *evaluation) readRequest() bool {
	docs := e.parse(diag.Request, e.scenario.Request)
	if len(docs) != 1 {
		return false
	}
	v := docs[0].Value
	form := "object"
	if docs[0].Kind == "AdmissionReview" {
		v, _ = v["request"].(map[string]any)
		form = "AdmissionReview"
	}
	str := func(m map[string]any, k string) string { s, _ := m[k].(string); return s }
	sub := func(k string) map[string]any { s, _ := v[k].(map[string]any); return s }
	var a chain.Attributes
	if form == "object" {
		gvk := schema.FromAPIVersionAndKind(docs[0].APIVersion, docs[0].Kind)
		res, ok := e.catalog.ResourceForKind(gvk)
		if !ok {
			return false
		}
		a = chain.Attributes{Request: match.Request{Kind: gvk, Resource: res.GVR, Name: docs[0].Name, Namespace: docs[0].Namespace, Operation: "CREATE", Object: v}, User: &user.DefaultInfo{Name: "jane", Groups: []string{"system:authenticated"}}}
		if res.Namespaced && a.Namespace == "" {
			a.Namespace = "default"
		}
		n, _ := e.catalog.Normalise(gvk, v)
		a.Object = e.catalog.Default(gvk, n)
	} else {
		k, r := sub("requestKind"), sub("requestResource")
		if k == nil {
			k, r = sub("kind"), sub("resource")
		}
		u := sub("userInfo")
		info := &user.DefaultInfo{Name: str(u, "username"), UID: str(u, "uid"), Extra: map[string][]string{}}
		gs, _ := u["groups"].([]any)
		for _, g := range gs {
			info.Groups = append(info.Groups, g.(string))
		}
		ex, _ := u["extra"].(map[string]any)
		for k, v := range ex {
			for _, s := range v.([]any) {
				info.Extra[k] = append(info.Extra[k], s.(string))
			}
		}
		dry, _ := v["dryRun"].(bool)
		a = chain.Attributes{Request: match.Request{
			Kind:        schema.GroupVersionKind{Group: str(k, "group"), Version: str(k, "version"), Kind: str(k, "kind")},
			Resource:    schema.GroupVersionResource{Group: str(r, "group"), Version: str(r, "version"), Resource: str(r, "resource")},
			SubResource: str(v, "subResource"), Name: str(v, "name"), Namespace: str(v, "namespace"), Operation: str(v, "operation"),
			Object: sub("object"), OldObject: sub("oldObject")}, User: info, Options: sub("options"), DryRun: dry}
	}
	e.report.Request = &report.Request{Operation: a.Operation, Kind: a.Kind.String(), Resource: a.Resource.String(), SubResource: a.SubResource, Name: a.Name, Namespace: a.Namespace, User: a.User.Name, Groups: a.User.Groups, DryRun: a.DryRun, Form: form}
	if a.Kind == (schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}) && a.OldObject != nil {
		e.cluster.Add(cluster.Object{GVK: a.Kind, Name: a.Name, Value: a.OldObject, Builtin: true})
	}
	e.report.Input, e.report.OldObject = a.Object, a.OldObject
	e.chain = &chain.Chain{Ctx: e.ctx, Minor: e.minor, Catalog: e.catalog, Expressions: e.expressions, Cluster: e.cluster, Matcher: e.matcher, Report: e.report, Attributes: a}
	resource, known := e.catalog.ResourceForKind(a.Kind)
	e.chain.Precise = known && resource.Builtin && freshlyManaged(a)
	e.chain.Authorizer = e.rules.Checker(authorizer.Mode(e.scenario.Options.Authorizer), e.chain.Authorized)
	return true
}

// freshlyManaged says that this request changed the object's managedFields, so
// that their time is the present (see Chain.Precise).
func freshlyManaged(a chain.Attributes) bool {
	if a.Operation == "CREATE" {
		return true
	}
	return a.Operation == "UPDATE" && !reflect.DeepEqual(managedFields(a.Object), managedFields(a.OldObject))
}

func managedFields(object map[string]any) any {
	meta, _ := object["metadata"].(map[string]any)
	return meta["managedFields"]
}
