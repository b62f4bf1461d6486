package plugins_test

import (
	"strings"
	"testing"
)

// TestServiceAccounts: secrets that an account lets Pods have, and mirror Pods.
func TestServiceAccounts(t *testing.T) {
	const cluster = `
{apiVersion: v1, kind: Namespace, metadata: {name: shop}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: robot, namespace: shop, annotations: {kubernetes.io/enforce-mountable-secrets: 'true'}}, secrets: [{name: mine}], imagePullSecrets: [{name: registry}], automountServiceAccountToken: false}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: free, namespace: shop, annotations: {kubernetes.io/enforce-mountable-secrets: 'yes'}}, secrets: [{name: mine}], automountServiceAccountToken: false}
`
	const gets = `add /spec/imagePullSecrets [{"name":"registry"}]`
	not := func(what string) string {
		return what + " is not allowed because service account robot does not reference that secret"
	}
	as := func(account, name, container, spec string, want ...string) row {
		return row{name: name, request: "CREATE pods web", object: onePod(container, ", serviceAccountName: "+account+", serviceAccount: "+account+spec), want: want}
	}
	robot := func(name, container, spec string, want ...string) row {
		return as("robot", name, container, spec, want...)
	}
	env := func(secret string) string {
		return ", env: [{name: A, valueFrom: {secretKeyRef: {name: " + secret + ", key: k}}}]"
	}
	from := func(secret string) string { return ", envFrom: [{secretRef: {name: " + secret + "}}]" }
	mirror := func(name, spec string, want ...string) row {
		return row{name: "a mirror: " + name, request: "CREATE pods web", object: strings.Replace(onePod("", spec), "name: web,", "name: web, annotations: {kubernetes.io/config.mirror: h},", 1), want: want}
	}
	look := func(name, account, container string, want ...string) row {
		pod := func(rest string) string { return onePod("", ", serviceAccountName: "+account+rest) }
		return row{name: "a look: " + name, request: "UPDATE pods/ephemeralcontainers web", object: pod(", ephemeralContainers: [{name: e, image: a" + container + "}]"), old: pod(""), want: want}
	}
	compare(t, "ServiceAccount", cluster, []row{
		robot("its secret", env("mine"), "", gets),
		robot("another secret", env("yours"), "", not(`container app with envVar A referencing secret.secretName="yours"`)),
		robot("all of a secret", from("yours"), "", not(`container app with envFrom referencing secret.secretName="yours"`)),
		robot("all of its own", from("mine"), "", gets),
		robot("a volume", "", ", volumes: [{name: v, secret: {secretName: mine}}]", gets),
		robot("a volume of another", "", ", volumes: [{name: v, secret: {secretName: yours}}]", not(`volume with secret.secretName="yours"`)),
		robot("for images", "", ", imagePullSecrets: [{name: registry}]"),
		robot("for images, another", "", ", imagePullSecrets: [{name: registry}, {name: yours}]", `imagePullSecrets[1].name="yours" is not allowed because service account robot does not reference that imagePullSecret`),
		as("free", "an account that does not insist", env("yours"), ""),
		robot("values of no secret", ", env: [{name: A, value: b}, {name: C, valueFrom: {fieldRef: {fieldPath: metadata.name}}}], envFrom: [{configMapRef: {name: c}}]", "", gets),
		as("nobody", "one that is not there", "", "", `error looking up service account shop/nobody: serviceaccount "nobody" not found`),
		{name: "an update", request: "UPDATE pods web", object: onePod(env("yours"), ", serviceAccountName: robot"), old: onePod("", ", serviceAccountName: robot")},
		look("no secret", "robot", ""),
		look("its secret", "robot", env("mine")),
		// The server makes no rejection of these two, and answers with the plain error.
		look("another secret", "robot", env("yours"), "500 "+not(`ephemeral container e with envVar A referencing secret.secretName="yours"`)),
		look("all of a secret", "robot", from("yours"), "500 "+not(`ephemeral container e with envFrom referencing secret.secretName="yours"`)),
		look("an account that does not insist", "free", env("yours")),
		look("no account", "''", "", "no service account specified for pod shop/web"),
		look("one that is not there", "nobody", "", `error looking up service account shop/nobody: serviceaccount "nobody" not found`),
		mirror("nothing", ""),
		mirror("an account", ", serviceAccountName: robot", "a mirror pod may not reference service accounts"),
		mirror("for images", ", imagePullSecrets: [{name: registry}]", "a mirror pod may not reference secrets"),
		mirror("a volume", ", volumes: [{name: v, secret: {secretName: s}}]", "a mirror pod may not reference secrets"),
		mirror("a token", ", volumes: [{name: v, projected: {sources: [{downwardAPI: {}}, {serviceAccountToken: {path: p}}]}}]", "a mirror pod may not use ServiceAccountToken volume projections"),
		mirror("another projection", ", volumes: [{name: v, projected: {sources: [{downwardAPI: {}}]}}]"),
	})
}

// TestSigners: who approves and signs certificates. The authorizer is the cluster's.
func TestSigners(t *testing.T) {
	asked := func(status string) string {
		return `{apiVersion: certificates.k8s.io/v1, kind: CertificateSigningRequest, metadata: {name: c, resourceVersion: "1"}, spec: {signerName: example.com/s, request: YQ==, usages: [client auth]}, status: {` + status + `}}`
	}
	const approved = "conditions: [{type: Approved, status: 'True'}]"
	update := func(name, sub, object, old string, want ...string) row {
		return row{name: name, request: "UPDATE certificates.k8s.io/certificatesigningrequests" + sub + " c -", object: asked(object), old: asked(old), want: want}
	}
	right := func(verb, name string) string {
		return "\n{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: r}, rules: [{apiGroups: [certificates.k8s.io], resources: [signers], resourceNames: ['" + name + "'], verbs: [" + verb + "]}]}\n" +
			"---\n{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: r}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: r}, subjects: [{kind: User, name: jane, apiGroup: rbac.authorization.k8s.io}]}\n"
	}
	for _, c := range []struct {
		name, cluster     string
		approves, signing bool
	}{
		{"nobody's right", right("get", "example.com/s"), false, false},
		{"approves this one", right("approve", "example.com/s"), true, false},
		{"approves the domain", right("approve", "example.com/*"), true, false},
		{"another domain", right("approve", "example.org/*"), false, false},
		{"signs this one", right("sign", "example.com/s"), false, true},
		{"signs the domain", right("sign", "example.com/*"), false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			refused := func(allowed bool, text string) []string {
				if allowed {
					return nil
				}
				return []string{`user not permitted to ` + text + ` requests with signerName "example.com/s"`}
			}
			compareAs(t, "CertificateApproval", c.cluster, "", []row{
				update("approval", "/approval", approved, "", refused(c.approves, "approve")...),
				update("nothing", "", approved, ""),
			})
			compareAs(t, "CertificateSigning", c.cluster, "", []row{
				update("a certificate", "/status", "certificate: YQ==", "", refused(c.signing, "sign")...),
				update("a condition", "/status", approved, "", refused(c.signing, "sign")...),
				update("nothing new", "/status", approved, approved),
			})
		})
	}
}
