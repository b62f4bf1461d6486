package plugins

import (
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
)

// OwnerPermissions is the name of the plugin that asks who may do what an object's owners ask of them.
const OwnerPermissions = "OwnerReferencesPermissionEnforcement"

// ownerPermissions lets only those change the owners of an object who may delete it, and only those
// block the deletion of an owner who may update its finalizers.
var ownerPermissions = plugin{
	name:         OwnerPermissions,
	operations:   []string{"CREATE", "UPDATE"},
	subresources: []string{"*"},
	validate: func(r *request) error {
		a := &r.Attributes
		owners, were := ownersOf(a.Object), ownersOf(a.OldObject)
		if a.Resource.GroupResource() == pods && a.SubResource == "status" || len(owners) == len(were) && (len(were) == 0 || reflect.DeepEqual(owners, were)) {
			return r.nothing("the object keeps its owners")
		}
		if a.Operation != "CREATE" {
			ok, reason, err := r.may(authorizer.AttributesRecord{Verb: "delete", Namespace: a.Namespace, APIGroup: a.Resource.Group, APIVersion: a.Resource.Version,
				Resource: a.Resource.Resource, Subresource: a.SubResource, Name: a.Name})
			if !ok {
				return fmt.Errorf("cannot set an ownerRef on a resource you can't delete: %v, %v", reason, err)
			}
		}
		return r.mayBlock(blocking(owners, were))
	},
}

func ownersOf(object map[string]any) []map[string]any {
	return untyped.Items(object, "metadata", "ownerReferences")
}

// blocking are the owners whose deletion the object blocks and did not block before.
func blocking(owners, were []map[string]any) (out []map[string]any) {
	did := map[any]bool{}
	for _, owner := range were {
		did[owner["uid"]] = owner["blockOwnerDeletion"] == true
	}
	for _, owner := range owners {
		if owner["blockOwnerDeletion"] == true && !did[owner["uid"]] {
			out = append(out, owner)
		}
	}
	return out
}

// mayBlock asks whether the user may block the deletion of owners.
func (r *request) mayBlock(owners []map[string]any) error {
	if len(owners) == 0 {
		return r.nothing("the object blocks the deletion of no further owner")
	}
	r.reason = "the user may update the owners' finalizers"
	if all, _, _ := r.may(authorizer.AttributesRecord{Verb: "update", APIGroup: "*", APIVersion: "*", Resource: "*", Subresource: "finalizers", Name: "*"}); all {
		return nil
	}
	for _, owner := range owners {
		gv, err := schema.ParseGroupVersion(text(owner, "apiVersion"))
		resource, known := r.Catalog.ResourceForKind(gv.WithKind(text(owner, "kind")))
		if err == nil && !known {
			err = &meta.NoKindMatchError{GroupKind: gv.WithKind(text(owner, "kind")).GroupKind(), SearchedVersions: []string{gv.Version}}
		}
		if err != nil {
			return fmt.Errorf("cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion %s Kind %s: %w", text(owner, "apiVersion"), text(owner, "kind"), err)
		}
		asked := authorizer.AttributesRecord{Verb: "update", APIGroup: gv.Group, APIVersion: gv.Version, Resource: resource.GVR.Resource, Subresource: "finalizers", Name: text(owner, "name")}
		if resource.Namespaced {
			asked.Namespace = r.Attributes.Namespace
		}
		if ok, reason, err := r.may(asked); !ok {
			return fmt.Errorf("cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: %v, %v", reason, err)
		}
	}
	return nil
}

// may asks the authorizer whether the user may do something with a resource.
func (r *request) may(asked authorizer.AttributesRecord) (ok bool, reason string, err error) {
	asked.User, asked.ResourceRequest = r.Attributes.User, true
	decision, reason, err := r.Authorizer.Authorize(r.Evaluator.Context(), asked)
	return err == nil && decision == authorizer.DecisionAllow, reason, err
}
