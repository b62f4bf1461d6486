package wording

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/registry"
)

// Declares reports whether a release answers with the errors that its API types declare. Others
// only compare those with the errors of their hand-written checks.
func Declares(kubernetes string) bool {
	return release(kubernetes).Has(version.DeclaredErrors)
}

// release is the newest one for a text that is none, as for the feature gates of package storage.
func release(kubernetes string) version.Version {
	if v, err := version.Parse(kubernetes); err == nil {
		return v
	}
	return version.Newest()
}

// Errors returns what a release finds in an object of a built-in kind, given the errors of the
// newest release's hand-written checks, in order. It changes the errors.
func Errors(q registry.Request, errs field.ErrorList) field.ErrorList {
	v := release(q.Kubernetes)
	if v == version.Newest() {
		return errs
	}
	once := q.Kind.Kind == "StatefulSet" && !v.Has(version.StatefulSetTemplates) // its labels and annotations
	var found field.ErrorList
	for _, err := range errs {
		if !older(q, err, v) {
			continue
		}
		Reword(err, v)
		if !once || !slices.ContainsFunc(found, func(other *field.Error) bool { return other.Error() == err.Error() }) {
			found = append(found, err)
		}
	}
	if statefulSetUpdate(q) && !v.Has(version.StatefulSetFieldsNamed) {
		found = frozenFields(q, found, v)
	}
	return found
}

// Answer returns the causes of a rejection with errors from [Errors], and their texts, each once.
func Answer(kubernetes string, errs field.ErrorList) (causes []metav1.StatusCause, all string) {
	v := release(kubernetes)
	seen := map[string]bool{}
	var texts []string
	for _, err := range errs {
		text := body(err, v)
		causes = append(causes, metav1.StatusCause{Type: metav1.CauseType(err.Type), Message: text, Field: err.Field})
		if line := err.Field + ": " + text; !seen[line] {
			seen[line] = true
			texts = append(texts, line)
		}
	}
	if all = strings.Join(texts, ", "); len(texts) > 1 {
		all = "[" + all + "]"
	}
	return causes, all
}

// change is an error that a release answers differently or not at all.
type change struct {
	with   version.Behaviour // has the error as it is now
	kinds  string            // between spaces; empty for all kinds
	field  *lazy.Regexp
	detail string // the beginning of its detail now
	// old gives the error its old form, and reports whether there was one. Nil if there was not.
	old func(registry.Request, *field.Error) bool
}

// changes are those of the hand-written checks in k8s.io/kubernetes/pkg/apis, newest first.
var changes = []change{
	{version.RoleRefImmutable, "RoleBinding ClusterRoleBinding", &lazy.Regexp{Text: `^roleRef$`}, "field is immutable", detail("cannot change roleRef")},
	{version.ProcessNamespacePath, "", &lazy.Regexp{Text: `(^|\.)spec\.shareProcessNamespace$`}, "ShareProcessNamespace and HostPID", inSecurityContext},
	{version.EndPortShown, "NetworkPolicy", &lazy.Regexp{Text: `\.endPort$`}, "must be greater than or equal to `port`", showPort},
	{version.ProviderIDsSet, "Node", &lazy.Regexp{Text: `^spec\.providerID$`}, "field cannot be ", forbidden(`node updates may not change providerID except from "" to valid`)},
	{version.TemplateImagesRequired, "Deployment ReplicaSet StatefulSet DaemonSet Job CronJob ReplicationController PodTemplate", &lazy.Regexp{Text: `\.image\.reference$`}, "", nil},

	{version.MaxReplicasRequired, "HorizontalPodAutoscaler", &lazy.Regexp{Text: `^spec\.maxReplicas$`}, "must be set and greater than 0", invalid(int32(0), "must be greater than 0")},
	{version.MaxReplicasRequired, "HorizontalPodAutoscaler", &lazy.Regexp{Text: `^spec\.maxReplicas$`}, "must be greater than or equal to 1", detail("must be greater than 0")},
	{version.StorageClassImmutable, "StorageClass", &lazy.Regexp{Text: `^(parameters|provisioner|reclaimPolicy)$`}, "field is immutable", forbidUpdates},

	{version.StatefulSetTemplates, "StatefulSet", &lazy.Regexp{Text: `^spec\.(volumeClaimTemplates\[|template\.spec\.)`}, "", ownTemplateChecks},
	{version.TargetVersions, "HorizontalPodAutoscaler", &lazy.Regexp{Text: `\.(scaleTargetRef|describedObject)\.apiVersion$`}, "", nil},
	{version.HostUsersShort, "", &lazy.Regexp{Text: `\.(hostNetwork|HostPID|HostIPC)$`}, "when `hostUsers` is false", detail("when `pod.Spec.HostUsers` is false")},
	{version.ShortFieldErrors, "", &lazy.Regexp{Text: `\.os\.name$`}, "", required("cannot be empty")},
	{version.ShortFieldErrors, "IngressClass", &lazy.Regexp{Text: `^spec\.parameters\.kind$`}, "", required("kind is required")},
	{version.ShortFieldErrors, "IngressClass", &lazy.Regexp{Text: `^spec\.parameters\.name$`}, "", required("name is required")},
	{version.StatefulSetServiceNames, "StatefulSet", &lazy.Regexp{Text: `^spec\.serviceName$`}, "a lowercase RFC 1123 label", nil},
	{version.StatefulSetServiceNames, "StatefulSet", &lazy.Regexp{Text: `^spec\.serviceName$`}, "must be no more than", nil},
	{version.ByteLimits, "", &lazy.Regexp{Text: `$`}, "may not be more than ", limitInBytes},
}

// older gives an error the form that it has in a release, and reports whether there is one.
func older(q registry.Request, err *field.Error, v version.Version) bool {
	for _, c := range changes {
		if v.Has(c.with) || c.kinds != "" && !slices.Contains(strings.Fields(c.kinds), q.Kind.Kind) || !strings.HasPrefix(err.Detail, c.detail) || !c.field.MatchString(err.Field) {
			continue
		}
		if c.old == nil || !c.old(q, err) {
			return false
		}
	}
	return true
}

// detail is a former detail of the same error.
func detail(text string) func(registry.Request, *field.Error) bool {
	return func(_ registry.Request, e *field.Error) bool {
		e.Detail = text
		return true
	}
}

// required is the former detail of a missing value; other errors about the field are unchanged.
func required(text string) func(registry.Request, *field.Error) bool {
	return func(_ registry.Request, e *field.Error) bool {
		if e.Type == field.ErrorTypeRequired && e.Detail == "" {
			e.Detail = text
		}
		return true
	}
}

// invalid is an error that named a value.
func invalid(value any, text string) func(registry.Request, *field.Error) bool {
	return func(_ registry.Request, e *field.Error) bool {
		e.Type, e.BadValue, e.Detail = field.ErrorTypeInvalid, value, text
		return true
	}
}

// forbidden is an error that did not.
func forbidden(text string) func(registry.Request, *field.Error) bool {
	return func(_ registry.Request, e *field.Error) bool {
		e.Type, e.BadValue, e.Detail = field.ErrorTypeForbidden, "", text
		return true
	}
}

func forbidUpdates(q registry.Request, e *field.Error) bool {
	return forbidden(fmt.Sprintf("updates to %s are forbidden.", e.Field))(q, e)
}

// inSecurityContext is the path of a field that the internal Pod had in its security context.
func inSecurityContext(_ registry.Request, e *field.Error) bool {
	e.Field = strings.Replace(e.Field, "spec.shareProcess", "spec.securityContext.shareProcess", 1)
	return true
}

// limitInBytes is the text of field.TooLong. Two fields had field.TooLongMaxLength, as schemas do.
func limitInBytes(_ registry.Request, e *field.Error) bool {
	if e.Type == field.ErrorTypeTooLong && !strings.HasSuffix(e.Field, ".managedBy") && !strings.HasSuffix(e.Field, ".localhostProfile") {
		e.Detail = "must have at most " + strings.TrimPrefix(e.Detail, "may not be more than ")
	}
	return true
}

// portOf matches the path of a NetworkPolicy's endPort.
var portOf = lazy.Regexp{Text: `^spec\.(ingress|egress)\[(\d+)\]\.ports\[(\d+)\]\.endPort$`}

// showPort shows the port in place of the endPort.
func showPort(q registry.Request, e *field.Error) bool {
	match := portOf.FindStringSubmatch(e.Field)
	if match == nil {
		return true
	}
	rules, _, _ := unstructured.NestedSlice(q.Object, "spec", match[1])
	rule, _ := at(rules, match[2]).(map[string]any)
	ports, _ := rule["ports"].([]any)
	port, _ := at(ports, match[3]).(map[string]any)
	e.BadValue = int32(number(port["port"]))
	return true
}

// ownTemplateChecks keeps what a StatefulSet checked by itself: that its Pods restart, and end only
// when told to.
func ownTemplateChecks(_ registry.Request, e *field.Error) bool {
	switch e.Field {
	case "spec.template.spec.restartPolicy":
		return e.Type == field.ErrorTypeNotSupported && e.Detail == `supported values: "Always"`
	case "spec.template.spec.activeDeadlineSeconds":
		return e.Detail == "activeDeadlineSeconds in StatefulSet is not Supported"
	}
	return false
}

func statefulSetUpdate(q registry.Request) bool {
	return q.Kind.GroupKind() == schema.GroupKind{Group: "apps", Kind: "StatefulSet"} && !q.Create && q.SubResource == ""
}

// frozenFields joins the errors about a StatefulSet's immutable fields into one.
func frozenFields(q registry.Request, errs field.ErrorList, v version.Version) field.ErrorList {
	var left field.ErrorList
	for _, err := range errs {
		switch {
		case err.Detail != "field is immutable":
		case err.Field == "spec.selector", err.Field == "spec.volumeClaimTemplates", err.Field == "spec.serviceName", err.Field == "spec.podManagementPolicy":
			continue
		}
		left = append(left, err)
	}
	limit := ""
	changed := len(left) < len(errs)
	if v.Has(version.StatefulSetHistories) {
		limit = "'revisionHistoryLimit', "
	} else if history(q.Object) != history(q.Old) {
		changed = true
	}
	if changed {
		left = append(left, field.Forbidden(field.NewPath("spec"), "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', "+limit+"'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"))
	}
	return left
}

// history is the revisionHistoryLimit of a StatefulSet, or its default.
func history(object map[string]any) int64 {
	spec, _ := object["spec"].(map[string]any)
	if limit, given := spec["revisionHistoryLimit"]; given && limit != nil {
		return number(limit)
	}
	return 10
}

func number(value any) int64 {
	switch n := value.(type) {
	case int64:
		return n
	case float64:
		return int64(n)
	}
	return 0
}

// at is the item of a list at an index in text; nil where there is none.
func at(list []any, index string) any {
	var i int
	if _, err := fmt.Sscan(index, &i); err != nil || i >= len(list) {
		return nil
	}
	return list[i]
}
