package serverconfig

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
	var file struct {
		metav1.TypeMeta  `json:",inline"`
		LimitedResources []Limited `json:"limitedResources"`
	}
	if !r.decoded(d, at, value, &file) {
		return
	}
	for i, limited := range file.LimitedResources {
		if limited.Resource == "" {
			place := fmt.Sprintf("limitedResources[%d]", i)
			r.refuse(d, fieldpath.Join(at, place), place+".resource: Required value")
		}
	}
	if len(r.Diagnostics) == before {
		r.Limited = file.LimitedResources
	}
}
