package rbac

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	kjson "sigs.k8s.io/json"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// Document is one document of the cluster text.
type Document struct {
	Text  diag.Text
	Value map[string]any
	// Locate returns the place of a field path such as rules[0].verbs. For a missing field it
	// returns the nearest parent.
	Locate func(path string) diag.Span
}

// Load reads the RBAC objects among the documents and adds those that this version's API server
// creates. An object from the cluster text replaces a built-in one with the same name. Other API
// groups are skipped. RBAC objects that the server would reject are left out, with diagnostics. The
// error is about the embedded data.
func Load(v version.Version, documents []Document) (*Rules, []diag.Diagnostic, error) {
	l := loader{rules: &Rules{version: v, roles: map[key]*role{}, bindings: map[key]*binding{}}, seen: map[key]bool{}}
	if err := l.rules.addBootstrap(); err != nil {
		return nil, nil, err
	}
	for i := range documents {
		l.document = &documents[i]
		l.load()
	}
	if err := l.rules.index(); err != nil {
		return nil, nil, err
	}
	l.checkRoleRefs()
	return l.rules, l.found, nil
}

// loader turns documents into rules and problems.
type loader struct {
	rules    *Rules
	seen     map[key]bool
	found    []diag.Diagnostic
	document *Document // current document
	kind     string    // its kind and name
	name     string
}

// load reads one document.
func (l *loader) load() {
	apiVersion, _ := l.document.Value["apiVersion"].(string)
	kind, _ := l.document.Value["kind"].(string)
	group, _, _ := strings.Cut(apiVersion, "/")
	if group != rbacv1.GroupName {
		return
	}
	meta, _ := l.document.Value["metadata"].(map[string]any)
	l.kind = kind
	l.name, _ = meta["name"].(string)
	if apiVersion != rbacv1.SchemeGroupVersion.String() {
		l.report(codes.RBACVersion, diag.Error, "apiVersion", fmt.Sprintf("no matches for kind %q in version %q", kind, apiVersion),
			"RBAC objects have the apiVersion "+rbacv1.SchemeGroupVersion.String()+".")
		return
	}
	from := source{text: l.document.Text, locate: l.document.Locate}
	switch kind {
	case "Role":
		var object rbacv1.Role
		if l.decode(&object) && l.accept(&object.ObjectMeta, true, validateRules(object.Rules, true)) {
			l.lint(object.Rules)
			l.rules.addRole(kind, &object.ObjectMeta, object.Rules, nil, from)
		}
	case "ClusterRole":
		var object rbacv1.ClusterRole
		if l.decode(&object) && l.accept(&object.ObjectMeta, false, validateClusterRole(&object)) {
			l.lint(object.Rules)
			l.lintAggregation(&object)
			l.rules.addRole(kind, &object.ObjectMeta, object.Rules, object.AggregationRule, from)
		}
	case "RoleBinding":
		var object rbacv1.RoleBinding
		if l.decode(&object) {
			l.binding(kind, &object, true, from)
		}
	case "ClusterRoleBinding":
		var object rbacv1.ClusterRoleBinding
		if l.decode(&object) {
			l.binding(kind, (*rbacv1.RoleBinding)(&object), false, from)
		}
	default:
		l.report(codes.RBACVersion, diag.Error, "kind", fmt.Sprintf("no matches for kind %q in version %q", kind, apiVersion),
			"The RBAC kinds are Role, ClusterRole, RoleBinding and ClusterRoleBinding.")
	}
}

// binding adds a decoded RoleBinding, or a ClusterRoleBinding, which has the same fields.
func (l *loader) binding(kind string, b *rbacv1.RoleBinding, namespaced bool, from source) {
	setBindingDefaults(&b.RoleRef, b.Subjects)
	if l.accept(&b.ObjectMeta, namespaced, validateBinding(b.RoleRef, b.Subjects, namespaced)) {
		l.rules.addBinding(kind, &b.ObjectMeta, b.RoleRef, b.Subjects, from)
	}
}

// decode strictly decodes the document into a typed object. It reports whether the object can be
// used.
func (l *loader) decode(into any) bool {
	text, err := json.Marshal(l.document.Value)
	if err != nil {
		l.report(codes.RBACRefused, diag.Error, "", err.Error(), "")
		return false
	}
	strict, err := kjson.UnmarshalStrict(text, into)
	if err != nil {
		path := ""
		if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
			path = wrong.Field
		}
		l.report(codes.RBACRefused, diag.Error, path,
			fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", l.kind, "v1", l.kind, err), "")
		return false
	}
	for _, problem := range strict {
		path := ""
		if placed, ok := problem.(kjson.FieldError); ok {
			path = placed.FieldPath()
		}
		l.report(codes.RBACUnknownField, diag.Warning, path, problem.Error(),
			"The server drops it with a warning; kubectl rejects the object.")
	}
	return true
}

// accept reports whether the server would create the object: it is valid and the first with its
// name.
func (l *loader) accept(meta *metav1.ObjectMeta, namespaced bool, problems field.ErrorList) bool {
	if !namespaced {
		meta.Namespace = "" // the server clears it
	} else if meta.Namespace == "" {
		meta.Namespace = metav1.NamespaceDefault
		l.report(codes.RBACNamespace, diag.Info, "metadata", l.kind+" has no namespace; default is assumed", "kubectl uses its context's namespace.")
	}
	problems = append(validateMeta(meta), problems...)
	if len(problems) > 0 {
		whole := apierrors.NewInvalid(rbacv1.SchemeGroupVersion.WithKind(l.kind).GroupKind(), meta.Name, problems).Error()
		for _, problem := range problems {
			l.report(codes.RBACRefused, diag.Error, problem.Field, problem.Error(), whole)
		}
		return false
	}
	id := key{l.kind, meta.Namespace, meta.Name}
	if l.seen[id] {
		resource := rbacv1.Resource(strings.ToLower(l.kind) + "s")
		l.report(codes.RBACDuplicate, diag.Error, "metadata.name", apierrors.NewAlreadyExists(resource, meta.Name).Error(), "The first one counts.")
		return false
	}
	l.seen[id] = true
	return true
}

// checkRoleRefs warns about bindings to missing roles, which the server accepts.
func (l *loader) checkRoleRefs() {
	for _, b := range l.rules.order {
		if _, err := l.rules.roleOf(b); err != nil && !b.source.builtin() {
			l.found = append(l.found, diag.Diagnostic{
				Code: codes.RBACMissingRole, Severity: diag.Warning, Text: b.source.text, Span: b.source.locate("roleRef.name"), Path: "roleRef.name",
				Summary: err.Error(), Detail: "The binding grants nothing until the role exists.", Document: b.kind + "/" + b.name,
			})
		}
	}
}

// report adds a problem in the current document.
func (l *loader) report(code string, severity diag.Severity, path, summary, detail string) {
	l.found = append(l.found, diag.Diagnostic{
		Code: code, Severity: severity, Text: l.document.Text, Span: l.document.Locate(path), Path: path,
		Summary: summary, Detail: detail, Document: l.kind + "/" + l.name,
	})
}
