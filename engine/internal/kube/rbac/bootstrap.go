package rbac

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/preadmit/preadmit/engine/internal/version"
)

// bootstrapObjects has one object a line, written by bootstrap_gen.go from the
// releases that conformance/reference is built with, 1.30 to 1.37: the RBAC
// objects that an API server creates when it starts.
//
//go:embed bootstrap.jsonl
var bootstrapObjects []byte

// bootstrapObject is one line: an object of any of the four kinds.
type bootstrapObject struct {
	From            int                     `json:"from"` // minor numbers
	To              int                     `json:"to"`   // 0 means up to the newest
	Kind            string                  `json:"kind"`
	Metadata        metav1.ObjectMeta       `json:"metadata"`
	AggregationRule *rbacv1.AggregationRule `json:"aggregationRule"`
	Rules           []rbacv1.PolicyRule     `json:"rules"`
	RoleRef         rbacv1.RoleRef          `json:"roleRef"`
	Subjects        []rbacv1.Subject        `json:"subjects"`
}

// parseBootstrap reads the embedded objects once.
var parseBootstrap = sync.OnceValues(func() ([]bootstrapObject, error) {
	var all []bootstrapObject
	for i, line := range bytes.Split(bytes.TrimSpace(bootstrapObjects), []byte("\n")) {
		var object bootstrapObject
		if err := json.Unmarshal(line, &object); err != nil {
			return nil, fmt.Errorf("bootstrap.jsonl:%d: %w", i+1, err)
		}
		all = append(all, object)
	}
	return all, nil
})

// addBootstrap adds the objects that this version's server creates.
func (r *Rules) addBootstrap() error {
	objects, err := parseBootstrap()
	if err != nil {
		return err
	}
	for _, object := range objects {
		if !version.Between(object.From, object.To).Includes(r.version) {
			continue
		}
		meta := object.Metadata.DeepCopy()
		metav1.SetMetaDataLabel(meta, "kubernetes.io/bootstrapping", "rbac-defaults")
		switch object.Kind {
		case "Role", "ClusterRole":
			r.addRole(object.Kind, meta, object.Rules, object.AggregationRule, source{})
		default:
			r.addBinding(object.Kind, meta, object.RoleRef, object.Subjects, source{})
		}
	}
	return nil
}

func (r *Rules) addRole(kind string, meta *metav1.ObjectMeta, rules []rbacv1.PolicyRule, aggregation *rbacv1.AggregationRule, from source) {
	added := &role{key: key{kind, meta.Namespace, meta.Name}, labels: meta.Labels, aggregation: aggregation, source: from}
	for i, policyRule := range rules {
		added.rules = append(added.rules, rule{policyRule, added, i})
	}
	r.roles[added.key] = added
}

func (r *Rules) addBinding(kind string, meta *metav1.ObjectMeta, ref rbacv1.RoleRef, subjects []rbacv1.Subject, from source) {
	added := &binding{key: key{kind, meta.Namespace, meta.Name}, role: key{kind: ref.Kind, name: ref.Name}, subjects: subjects, source: from}
	if ref.Kind == "Role" {
		added.role.namespace = meta.Namespace
	}
	r.bindings[added.key] = added
}
