package plugins

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/kube/cluster"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

const (
	defaultAccount = "default"
	tokenVolume    = "kube-api-access-"
	tokenMountPath = "/var/run/secrets/kubernetes.io/serviceaccount"
	// generatedSuffix stands for the five random characters of a generated name.
	generatedSuffix  = "xxxxx"
	mirrorAnnotation = "kubernetes.io/config.mirror"
)

// serviceAccount gives a new Pod its service account, with the token mounted in
// every container and the account's image pull secrets.
var serviceAccount = plugin{
	name:         "ServiceAccount",
	operations:   []string{"CREATE", "UPDATE"},
	resources:    []schema.GroupResource{pods},
	validates:    []schema.GroupResource{pods},
	subresources: []string{"ephemeralcontainers"},
	admit: func(r *request) error {
		if r.Attributes.Operation != "CREATE" {
			return r.nothing("only new Pods are changed")
		}
		if _, mirror := annotation(r.object, mirrorAnnotation); mirror {
			r.reason = "mirror Pods are not changed"
			return r.checkMirror()
		}
		spec := r.spec()
		spec["serviceAccountName"] = cmp.Or(text(spec, "serviceAccountName"), text(spec, "serviceAccount"), defaultAccount)
		// The old name of the field follows the new one whenever the server writes
		// a Pod.
		spec["serviceAccount"] = spec["serviceAccountName"]
		account, err := r.account()
		if err != nil {
			return err
		}
		r.reason = "the Pod runs as " + text(spec, "serviceAccountName")
		if automount(account, spec) {
			mountToken(spec)
		}
		if secrets := untyped.Items(account["imagePullSecrets"]); len(list(spec, "imagePullSecrets")) == 0 && len(secrets) > 0 {
			var names []any
			for _, s := range secrets {
				names = append(names, map[string]any{"name": text(s, "name")})
			}
			spec["imagePullSecrets"] = names
		}
		return checkSecrets(account, spec)
	},
	validate: func(r *request) error {
		if r.Attributes.Operation != "CREATE" && r.Attributes.SubResource == "" {
			return r.nothing("only new Pods are checked")
		}
		r.reason = "the Pod may use its service account"
		switch {
		case r.Attributes.SubResource == "ephemeralcontainers" && r.Attributes.Operation == "UPDATE":
			return r.checkAccount(func(account map[string]any) error {
				return internal(checkContainers(account, r.spec(), ephemeralContainers...))
			})
		case r.Attributes.Operation != "CREATE":
			return nil
		}
		if _, mirror := annotation(r.object, mirrorAnnotation); mirror {
			return r.checkMirror()
		}
		return r.checkAccount(func(account map[string]any) error { return checkSecrets(account, r.spec()) })
	},
}

// internal is the server's answer for an error that a plugin returns as it is: for the
// secrets of ephemeral containers it makes no rejection of it.
func internal(err error) error {
	if err == nil {
		return nil
	}
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: err.Error()}}
}

// account finds the Pod's service account. A controller makes the account
// "default" in each namespace, so it is taken to exist unless the cluster text
// has such an account elsewhere. Any other account that the text lacks is assumed
// to exist, unless the text is complete.
func (r *request) account() (map[string]any, error) {
	namespace, name := r.Attributes.Namespace, text(r.spec(), "serviceAccountName")
	if o, ok := r.Cluster.Get(accountKind, namespace, name); ok {
		return o.Value, nil
	}
	made := map[string]any{"metadata": map[string]any{"name": name}}
	switch {
	case name == defaultAccount && !r.listsDefaultAccounts():
		r.NotSimulated(fmt.Sprintf("The scenario's cluster has no ServiceAccount %s/%s; it is assumed to exist, without secrets.", namespace, name))
		return made, nil
	case r.proven:
		r.NotSimulated(fmt.Sprintf("The scenario's cluster has no ServiceAccount %s/%s; the captured request shows that it exists. It is assumed to have no secrets.", namespace, name))
		return made, nil
	case !r.Cluster.Complete() && len(validation.IsDNS1123Subdomain(name)) == 0:
		r.Assume(run.Assumed{Kind: "ServiceAccount", Namespace: namespace, Name: name, Without: "secrets",
			Document: "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: " + name + "\n  namespace: " + namespace + "\n"})
		return made, nil
	}
	r.notes = append(r.notes, report.Note{Code: codes.MissingServiceAccount, Text: "The scenario's cluster has no ServiceAccount " + namespace + "/" + name + ". Add it if your cluster has it."})
	return nil, fmt.Errorf("error looking up service account %s/%s: serviceaccount %q not found", namespace, name, name)
}

var accountKind = schema.GroupKind{Kind: "ServiceAccount"}

// listsDefaultAccounts reports whether the cluster text has the accounts that a
// controller makes.
func (r *request) listsDefaultAccounts() bool {
	return slices.ContainsFunc(r.Cluster.List(accountKind, "", labels.Everything()), func(o cluster.Object) bool { return o.Name == defaultAccount })
}

func (r *request) checkAccount(check func(account map[string]any) error) error {
	if text(r.spec(), "serviceAccountName") == "" {
		if r.proven {
			return r.nothing("the server that the request was captured from ran without this plugin: the Pod has no service account")
		}
		return fmt.Errorf("no service account specified for pod %s/%s", r.Attributes.Namespace, text(r.metadata(), "name"))
	}
	account, err := r.account()
	if err != nil {
		return err
	}
	if !enforcesSecrets(account) {
		return r.nothing("the Pod may use its service account")
	}
	return check(account)
}

// automount asks the Pod first, then the account.
func automount(account, spec map[string]any) bool {
	for _, o := range []map[string]any{spec, account} {
		if wish, ok := o["automountServiceAccountToken"].(bool); ok {
			return wish
		}
	}
	return true
}

// mountToken mounts the token in every container that has nothing there yet.
func mountToken(spec map[string]any) {
	name, hasVolume := tokenVolume+generatedSuffix, false
	for _, v := range untyped.Items(spec["volumes"]) {
		if strings.HasPrefix(text(v, "name"), tokenVolume) {
			name, hasVolume = text(v, "name"), true
			break
		}
	}
	needed := false
	for _, field := range []string{"initContainers", "containers"} {
		for _, c := range untyped.Items(spec[field]) {
			if slices.ContainsFunc(untyped.Items(c["volumeMounts"]), func(m map[string]any) bool { return text(m, "mountPath") == tokenMountPath }) {
				continue
			}
			c["volumeMounts"] = append(list(c, "volumeMounts"), map[string]any{"name": name, "readOnly": true, "mountPath": tokenMountPath})
			needed = true
		}
	}
	if needed && !hasVolume {
		var source any
		if err := utiljson.Unmarshal([]byte(tokenSource), &source); err != nil {
			panic(err) // it is a constant
		}
		spec["volumes"] = append(list(spec, "volumes"), map[string]any{"name": name, "projected": source})
	}
}

// tokenSource is the volume that a container finds at tokenMountPath. The token is valid for
// an hour and a little, so that clients which do not reload it can be found.
const tokenSource = `{"defaultMode":420,"sources":[{"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}},` +
	`{"configMap":{"name":"kube-root-ca.crt","items":[{"key":"ca.crt","path":"ca.crt"}]}},` +
	`{"downwardAPI":{"items":[{"path":"namespace","fieldRef":{"apiVersion":"v1","fieldPath":"metadata.namespace"}}]}}]}`

// containers are the lists of containers with the words for them in messages.
type containers struct{ field, words string }

var (
	podContainers       = []containers{{"initContainers", "init container"}, {"containers", "container"}}
	ephemeralContainers = []containers{{"ephemeralContainers", "ephemeral container"}}
)

// enforcesSecrets says whether an account allows only the secrets that it lists
// (deprecated since 1.32). Anything but a boolean counts as false.
func enforcesSecrets(account map[string]any) bool {
	wish, _ := annotation(account, "kubernetes.io/enforce-mountable-secrets")
	enforce, err := strconv.ParseBool(wish)
	return err == nil && enforce
}

// checkSecrets rejects secrets that the account does not list.
func checkSecrets(account, spec map[string]any) error {
	if !enforcesSecrets(account) {
		return nil
	}
	mountable, name := names(account, "secrets"), untyped.At[string](account, "metadata", "name")
	for _, v := range untyped.Items(spec["volumes"]) {
		if secret, ok := v["secret"].(map[string]any); ok && !slices.Contains(mountable, text(secret, "secretName")) {
			return fmt.Errorf("volume with secret.secretName=\"%s\" is not allowed because service account %s does not reference that secret", text(secret, "secretName"), name)
		}
	}
	if err := checkContainers(account, spec, podContainers...); err != nil {
		return err
	}
	pull := names(account, "imagePullSecrets")
	for i, secret := range names(spec, "imagePullSecrets") {
		if !slices.Contains(pull, secret) {
			return fmt.Errorf(`imagePullSecrets[%d].name="%s" is not allowed because service account %s does not reference that imagePullSecret`, i, secret, name)
		}
	}
	return nil
}

// checkContainers checks the environment of containers for such secrets, of an account
// that allows no others.
func checkContainers(account, spec map[string]any, in ...containers) error {
	mountable, name := names(account, "secrets"), untyped.At[string](account, "metadata", "name")
	for _, kind := range in {
		for _, c := range untyped.Items(spec[kind.field]) {
			for _, env := range untyped.Items(c["env"]) {
				if secret, ok := secretOf(env, "valueFrom", "secretKeyRef"); ok && !slices.Contains(mountable, secret) {
					return fmt.Errorf("%s %s with envVar %s referencing secret.secretName=\"%s\" is not allowed because service account %s does not reference that secret", kind.words, text(c, "name"), text(env, "name"), secret, name)
				}
			}
			for _, env := range untyped.Items(c["envFrom"]) {
				if secret, ok := secretOf(env, "secretRef"); ok && !slices.Contains(mountable, secret) {
					return fmt.Errorf("%s %s with envFrom referencing secret.secretName=\"%s\" is not allowed because service account %s does not reference that secret", kind.words, text(c, "name"), secret, name)
				}
			}
		}
	}
	return nil
}

func names(m map[string]any, field string) []string {
	var out []string
	for _, item := range untyped.Items(m[field]) {
		out = append(out, text(item, "name"))
	}
	return out
}

// secretOf follows fields to the name of a reference to a Secret.
func secretOf(m map[string]any, fields ...string) (string, bool) {
	for _, f := range fields {
		next, ok := m[f].(map[string]any)
		if !ok {
			return "", false
		}
		m = next
	}
	return text(m, "name"), true
}

// checkMirror rejects mirror Pods that need what the kubelet cannot give them.
func (r *request) checkMirror() error {
	spec := r.spec()
	if text(spec, "serviceAccountName") != "" {
		return errors.New("a mirror pod may not reference service accounts")
	}
	if len(list(spec, "imagePullSecrets")) > 0 || namesSecret(spec) {
		return errors.New("a mirror pod may not reference secrets")
	}
	for _, v := range untyped.Items(spec["volumes"]) {
		projected, _ := v["projected"].(map[string]any)
		for _, source := range untyped.Items(projected["sources"]) {
			if source["serviceAccountToken"] != nil {
				return errors.New("a mirror pod may not use ServiceAccountToken volume projections")
			}
		}
	}
	return nil
}

// secretFields are the fields of a Pod that refer to a Secret, with the field
// that holds its name.
var secretFields = map[string][]string{
	"secretRef": {"name"}, "secretKeyRef": {"name"}, "nodePublishSecretRef": {"name"},
	"secret": {"secretName", "name"}, "azureFile": {"secretName"},
}

// namesSecret looks for such a field anywhere.
func namesSecret(v any) bool {
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, namesSecret)
	case map[string]any:
		for field, value := range v {
			reference, _ := value.(map[string]any)
			for _, name := range secretFields[field] {
				if text(reference, name) != "" {
					return true
				}
			}
			if namesSecret(value) {
				return true
			}
		}
	}
	return false
}
