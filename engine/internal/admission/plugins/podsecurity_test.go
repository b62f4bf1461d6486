package plugins_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestPodSecurity: the texts are those of k8s.io/pod-security-admission.
func TestPodSecurity(t *testing.T) {
	namespace := func(labels string) string {
		return "{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {" + labels + "}}}\n"
	}
	const (
		enforce, warn, audit = "pod-security.kubernetes.io/enforce: ", "pod-security.kubernetes.io/warn: ", "pod-security.kubernetes.io/audit: "
		privileged           = ", securityContext: {privileged: true}"
		why                  = `privileged (container "app" must not set securityContext.privileged=true)`
		exempt               = `pod-security.kubernetes.io/enforce-policy: `
		violations           = `pod-security.kubernetes.io/audit-violations: `
	)
	create := func(name, labels, object string, want ...string) row {
		return row{name: name, request: "CREATE pods web", cluster: namespace(labels), object: object, want: want}
	}
	change := func(name, sub, object, old string, want ...string) row {
		return row{name: name, request: "UPDATE pods" + sub + " web", cluster: namespace(enforce + "baseline"), object: object, old: old, want: want}
	}
	image := func(name string) string {
		return fmt.Sprintf(`{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop, resourceVersion: "1"}, spec: {containers: [{name: app, image: %s, securityContext: {privileged: true}}]}}`, name)
	}
	with := func(field, container string) string {
		return onePod(privileged, ", "+field+": [{"+container+"}]")
	}
	deployment := `{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, namespace: shop, resourceVersion: "1"}, spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: app, image: a` + privileged + `}]}}}}`
	baseline := []string{exempt + "baseline:latest", `violates PodSecurity "baseline:latest": ` + why}
	compare(t, "PodSecurity", "", []row{
		create("no labels", "", onePod(privileged, ""), exempt+"privileged:latest"),
		create("it satisfies", enforce+"baseline", onePod("", ""), exempt+"baseline:latest"),
		create("it does not", enforce+"baseline", onePod(privileged, ""), baseline...),
		create("a warning", warn+"baseline", onePod(privileged, ""), `warning: would violate PodSecurity "baseline:latest": `+why, exempt+"privileged:latest"),
		create("no warning", warn+"baseline", onePod("", ""), exempt+"privileged:latest"),
		create("an audit", audit+"baseline", onePod(privileged, ""), violations+`would violate PodSecurity "baseline:latest": `+why, exempt+"privileged:latest"),
		create("no audit", audit+"baseline", onePod("", ""), exempt+"privileged:latest"),
		create("a level that nobody knows", enforce+"strict", onePod("", ""),
			exempt+"restricted:latest", `pod-security.kubernetes.io/error: Failed to parse policy: metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "strict": must be one of privileged, baseline, restricted`,
			`violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (container "app" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "app" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "app" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "app" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")`),
		create("a version without a level", "pod-security.kubernetes.io/enforce-version: v1.24", onePod(privileged, ""), exempt+"privileged:latest"),
		create("an old version", enforce+"baseline, pod-security.kubernetes.io/enforce-version: v1.24", onePod("", ""), exempt+"baseline:v1.24"),

		{name: "no Namespace", request: "CREATE pods web nowhere", cluster: namespace(enforce + "baseline"), object: strings.Replace(onePod("", ""), "shop", "nowhere", 1), want: []string{
			`pod-security.kubernetes.io/error: Internal error occurred: failed to lookup namespace "nowhere": namespaces "nowhere" not found`, `500 Internal error occurred: failed to lookup namespace "nowhere"`}},
		{name: "a template in no Namespace", request: "CREATE apps/deployments d nowhere", cluster: namespace(warn + "baseline"), object: strings.Replace(deployment, "shop", "nowhere", 1), want: []string{`pod-security.kubernetes.io/error: failed to lookup namespace "nowhere": namespaces "nowhere" not found`}},
		{name: "no template where an empty one would violate", request: "CREATE podtemplates t", cluster: namespace(warn + "restricted"), object: `{apiVersion: v1, kind: PodTemplate, metadata: {name: t, namespace: shop}}`},

		change("the same image", "", image("a"), image("a")),
		change("another image", "", image("b"), image("a"), baseline...),
		change("another first image", "", with("initContainers", "name: i, image: b"), with("initContainers", "name: i, image: a"), baseline...),
		change("the same first image", "", with("initContainers", "name: i, image: a"), with("initContainers", "name: i, image: a")),
		change("one container more", "", with("initContainers", "name: i, image: a"), onePod(privileged, ""), baseline...),
		change("a container to look", "/ephemeralcontainers", with("ephemeralContainers", "name: e, image: a"), onePod(privileged, ""), baseline...),
		change("which is there", "/ephemeralcontainers", with("ephemeralContainers", "name: e, image: a"), with("ephemeralContainers", "name: e, image: a")),
		change("with another image", "/ephemeralcontainers", with("ephemeralContainers", "name: e, image: b"), with("ephemeralContainers", "name: e, image: a"), baseline...),
		change("a status", "/status", image("b"), image("a")),

		{name: "a template", request: "CREATE apps/deployments d", cluster: namespace(enforce + "baseline, " + warn + "baseline"), object: deployment, want: []string{`warning: would violate PodSecurity "baseline:latest": ` + why}},
		{name: "what is enforced is warned about", request: "CREATE apps/deployments d", cluster: namespace(enforce + "baseline"), object: deployment, want: []string{`warning: would violate PodSecurity "baseline:latest": ` + why}},
		{name: "nobody asks about templates", request: "CREATE apps/deployments d", cluster: namespace(""), object: deployment},
		{name: "but for audit", request: "CREATE apps/deployments d", cluster: namespace(audit + "baseline"), object: deployment, want: []string{violations + `would violate PodSecurity "baseline:latest": ` + why}},
		{name: "a status of one", request: "UPDATE apps/deployments/status d", cluster: namespace(warn + "baseline"), object: deployment, old: deployment},
		{name: "no template", request: "CREATE podtemplates t", cluster: namespace(warn + "baseline"), object: `{apiVersion: v1, kind: PodTemplate, metadata: {name: t, namespace: shop}}`},
	})
	t.Run("namespaces", func(t *testing.T) {
		pods := func(names ...string) string {
			out := ""
			for _, name := range names {
				container, owner := "", ""
				if name[0] == 'p' {
					container = privileged
				}
				if len(name) > 2 {
					owner = ", ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: " + name[2:] + ", controller: true}]"
				}
				out += "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name + ", namespace: shop" + owner + "}, spec: {containers: [{name: app, image: a" + container + "}]}}\n"
			}
			return out
		}
		labelled := func(labels string) string {
			return `{apiVersion: v1, kind: Namespace, metadata: {name: shop, resourceVersion: "1", labels: {` + labels + `}}}`
		}
		update := func(name, before, after string, existing string, want ...string) row {
			return row{name: name, request: "UPDATE namespaces shop shop", cluster: namespace(before) + existing, object: labelled(after), old: labelled(before), want: want}
		}
		const violate = `warning: existing pods in namespace "shop" violate the new PodSecurity enforce level "baseline:latest"`
		invalid := []string{`422 Namespace "shop" is invalid: metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "strict": must be one of privileged, baseline, restricted`}
		compare(t, "PodSecurity", "", []row{
			{name: "a new one", request: "CREATE namespaces shop shop", object: labelled(enforce + "baseline")},
			{name: "a new one with a mistake", request: "CREATE namespaces shop shop", object: labelled(enforce + "strict"), want: invalid},
			update("a mistake", "", enforce+"strict", "", invalid...),
			update("the same mistake", enforce+"strict", enforce+"strict", ""),
			update("no Pods", "", enforce+"baseline", ""),
			update("none that violates", "", enforce+"baseline", pods("a1")),
			update("one", "", enforce+"baseline", pods("a1", "p1"), violate, "warning: p1: privileged"),
			update("two", "", enforce+"baseline", pods("p2", "p1"), violate, "warning: p1 (and 1 other pod): privileged"),
			update("three", "", enforce+"baseline", pods("p3", "p2", "p1"), violate, "warning: p1 (and 2 other pods): privileged"),
			update("of controllers", "", enforce+"baseline", pods("p1r", "p2r", "p3s"), violate, "warning: p1r (and 2 other pods): privileged"),
			update("a level that is less strict", enforce+"restricted", enforce+"baseline", pods("p1")),
			update("the same level", enforce+"baseline", enforce+"baseline", pods("p1")),
			update("another version", enforce+"baseline", enforce+"baseline, pod-security.kubernetes.io/enforce-version: v1.30", pods("p1"),
				`warning: existing pods in namespace "shop" violate the new PodSecurity enforce level "baseline:v1.30"`, "warning: p1: privileged"),
			update("no level any more", enforce+"baseline", "", pods("p1")),
			{name: "a status", request: "UPDATE namespaces/status shop shop", cluster: namespace("") + pods("p1"), object: labelled(enforce + "baseline"), old: labelled("")},
		})
	})
}

// TestPodSecurityConfiguration: the server's configuration says what holds without labels, and
// what is exempt.
func TestPodSecurityConfiguration(t *testing.T) {
	const (
		privileged = ", securityContext: {privileged: true}"
		why        = `privileged (container "app" must not set securityContext.privileged=true)`
		enforced   = `pod-security.kubernetes.io/enforce-policy: `
		exempt     = `pod-security.kubernetes.io/exempt: `
		enforce    = "pod-security.kubernetes.io/enforce: "
		baseline   = "defaults: {enforce: baseline}"
	)
	namespace := func(labels string) string {
		return `{apiVersion: v1, kind: Namespace, metadata: {name: shop, resourceVersion: "1", labels: {` + labels + `}}}`
	}
	const deployment = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, namespace: shop}, spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: app, image: a` + privileged + `}]}}}}`
	const kata = ", runtimeClassName: kata"
	bad := onePod(privileged, "")
	create := func(name, configuration, labels, object string, want ...string) row {
		return row{name: name, configuration: configuration, request: "CREATE pods web", cluster: namespace(labels), object: object, want: want}
	}
	existing := "\n---\n" + strings.Replace(onePod(privileged, kata), "name: web", "name: p1", 1) + "\n---\n" + strings.Replace(bad, "name: web", "name: p2", 1)
	compare(t, "PodSecurity", "", []row{
		create("a default", baseline, "", bad, enforced+"baseline:latest", `violates PodSecurity "baseline:latest": `+why),
		create("of a version", "defaults: {enforce: restricted, enforce-version: v1.0}", "", onePod(", securityContext: {runAsNonRoot: true, allowPrivilegeEscalation: false}", ""), enforced+"restricted:v1.0"),
		create("a label instead", baseline, enforce+"privileged", bad, enforced+"privileged:latest"),
		create("a warning", "defaults: {warn: baseline, audit: baseline}", "", bad, `warning: would violate PodSecurity "baseline:latest": `+why,
			`pod-security.kubernetes.io/audit-violations: would violate PodSecurity "baseline:latest": `+why, enforced+"privileged:latest"),
		create("a namespace", baseline+", exemptions: {namespaces: [kube-system, shop]}", "", bad, exempt+"namespace"),
		create("another namespace", baseline+", exemptions: {namespaces: [kube-system]}", "", bad, enforced+"baseline:latest", `violates PodSecurity "baseline:latest": `+why),
		create("a user", baseline+", exemptions: {usernames: [jane]}", "", bad, exempt+"user"),
		create("a RuntimeClass", baseline+", exemptions: {runtimeClasses: [kata]}", "", onePod(privileged, kata), exempt+"runtimeClass"),
		create("which is looked at after the level", "exemptions: {runtimeClasses: [kata]}", "", onePod(privileged, kata), enforced+"privileged:latest"),
		create("another RuntimeClass", baseline+", exemptions: {runtimeClasses: [gvisor]}", "", onePod(privileged, kata), enforced+"baseline:latest", `violates PodSecurity "baseline:latest": `+why),
		{name: "a template", configuration: baseline, request: "CREATE apps/deployments d", cluster: namespace(""), object: deployment},
		{name: "that is warned about", configuration: "defaults: {warn: baseline}", request: "CREATE apps/deployments d", cluster: namespace(""), object: deployment,
			want: []string{`warning: would violate PodSecurity "baseline:latest": ` + why}},
		{name: "an exempt template", configuration: "defaults: {warn: baseline}, exemptions: {usernames: [jane]}", request: "CREATE apps/deployments d", cluster: namespace(""), object: deployment,
			want: []string{exempt + "user"}},
		{name: "labels that have no effect", configuration: "exemptions: {namespaces: [shop]}", request: "CREATE namespaces shop shop",
			object: namespace(enforce + "baseline, pod-security.kubernetes.io/warn-version: v1.30, pod-security.kubernetes.io/audit: restricted"),
			want:   []string{`warning: namespace "shop" is exempt from Pod Security, and the policy (enforce=baseline:latest, audit=restricted:latest, warn=baseline:v1.30) will be ignored`}},
		{name: "labels like the defaults", configuration: "defaults: {enforce: baseline, warn: baseline}, exemptions: {namespaces: [shop]}", request: "CREATE namespaces shop shop", object: namespace(enforce + "baseline")},
		{name: "an update of such a Namespace", configuration: "exemptions: {namespaces: [shop]}", request: "UPDATE namespaces shop shop", cluster: namespace("") + existing,
			object: namespace(enforce + "baseline"), old: namespace(""), want: []string{`warning: namespace "shop" is exempt from Pod Security, and the policy (enforce=baseline:latest) will be ignored`}},
		{name: "Pods of an exempt RuntimeClass", configuration: "exemptions: {runtimeClasses: [kata]}", request: "UPDATE namespaces shop shop", cluster: namespace("") + existing,
			object: namespace(enforce + "baseline"), old: namespace(""),
			want: []string{`warning: existing pods in namespace "shop" violate the new PodSecurity enforce level "baseline:latest"`, "warning: p2: privileged"}},
	})
}

// TestPodSecuritySays: the step says what only a warning or the audit log says besides.
func TestPodSecuritySays(t *testing.T) {
	const enforced = "the Pod satisfies privileged:latest, which the Namespace enforces"
	for labels, want := range map[string]string{
		"pod-security.kubernetes.io/warn: baseline":                                               enforced + "; it would violate baseline:latest, about which the Namespace warns",
		"pod-security.kubernetes.io/audit: restricted":                                            enforced + "; the audit log notes that it would violate restricted:latest",
		"pod-security.kubernetes.io/warn: baseline, pod-security.kubernetes.io/audit: restricted": enforced + "; it would violate baseline:latest, about which the Namespace warns; the audit log notes that it would violate restricted:latest",
		"pod-security.kubernetes.io/warn: baseline, pod-security.kubernetes.io/audit: privileged": enforced + "; it would violate baseline:latest, about which the Namespace warns",
	} {
		r, err := engine.Evaluate(context.Background(), scenario.Scenario{Request: onePod(", securityContext: {privileged: true}", ""), Cluster: "{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {" + labels + "}}}",
			Options: scenario.Options{Plugins: scenario.Exactly("PodSecurity")}}, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Steps) != 1 || r.Steps[0].Reason != want {
			t.Errorf("%s: %+v", labels, r.Steps)
		}
	}
}
