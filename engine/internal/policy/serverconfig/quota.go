package serverconfig

import (
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/scenario"
)

const (
	quotaKind     = "ResourceQuotaConfiguration"
	oldQuotaGroup = "resourcequota.admission.k8s.io"
)

// Limited is a resource of which nobody may have anything without a quota that counts it.
type Limited struct {
	APIGroup string `json:"apiGroup"`
	Resource string `json:"resource"`
	// MatchContains are parts of the names under which quotas count.
	MatchContains []string `json:"matchContains"`
	// MatchScopes are scopes; an object in one of them needs a quota with that scope.
	MatchScopes []Scope `json:"matchScopes"`
}

// Scope restricts a quota, or the need of one, to some objects.
type Scope struct {
	ScopeName string   `json:"scopeName"`
	Operator  string   `json:"operator"`
	Values    []string `json:"values"`
}

// partKind is the kind of a configuration under the name that it has today.
func partKind(apiVersion, kind string) string {
	if kind == "Configuration" && strings.HasPrefix(apiVersion, oldQuotaGroup+"/") {
		return quotaKind
	}
	return kind
}

// quota reads the configuration of ResourceQuota at a path of a document.
func (r *reader) quota(d *scenario.Document, at, apiVersion, kind string, value map[string]any) {
	versions := []string{group + "/v1"}
	if kind != quotaKind {
		versions = []string{oldQuotaGroup + "/v1beta1", oldQuotaGroup + "/v1alpha1"}
	}
	if !r.served(d, at, apiVersion, kind, versions...) {
		return
	}
	before := len(r.Diagnostics)
	r.fields(d, at, value, "apiVersion", "kind", "limitedResources")
	for i, limited := range untyped.Items(value["limitedResources"]) {
		place := fieldpath.Join(at, fmt.Sprintf("limitedResources[%d]", i))
		r.fields(d, place, limited, "apiGroup", "resource", "matchContains", "matchScopes")
		for j, scope := range untyped.Items(limited["matchScopes"]) {
			r.fields(d, fmt.Sprintf("%s.matchScopes[%d]", place, j), scope, "scopeName", "operator", "values")
		}
		if limited["resource"] == nil || limited["resource"] == "" {
			r.refuse(d, place, fmt.Sprintf("limitedResources[%d].resource: Required value", i))
		}
	}
	var file struct {
		LimitedResources []Limited `json:"limitedResources"`
	}
	if r.decoded(d, at, value, &file) && len(r.Diagnostics) == before {
		r.Limited = file.LimitedResources
	}
}
