package plugins_test

import (
	"testing"
)

// TestOwnerPermissions: who may give an object owners, and block their deletion.
func TestOwnerPermissions(t *testing.T) {
	const cluster = `
{apiVersion: v1, kind: Namespace, metadata: {name: shop}}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: dev, namespace: shop}, rules: [
  {apiGroups: [apps], resources: [deployments/finalizers], resourceNames: [web], verbs: [update]},
  {apiGroups: [""], resources: [configmaps], resourceNames: [mine], verbs: [delete]}]}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: dev, namespace: shop}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: dev}, subjects: [{apiGroup: rbac.authorization.k8s.io, kind: Group, name: developers}]}
`
	object := func(name, owners string) string {
		return `{apiVersion: v1, kind: ConfigMap, metadata: {name: ` + name + `, namespace: shop, ownerReferences: [` + owners + `]}}`
	}
	owner := func(version, kind, name, block string) string {
		return `{apiVersion: ` + version + `, kind: ` + kind + `, name: ` + name + `, uid: ` + name + block + `}`
	}
	create := func(name, owners string, want ...string) row {
		return row{name: name, request: "CREATE configmaps c", object: object("c", owners), want: want}
	}
	update := func(name, of, owners, were string, want ...string) row {
		return row{name: name, request: "UPDATE configmaps " + of, object: object(of, owners), old: object(of, were), want: want}
	}
	const block, free = ", blockOwnerDeletion: true", ", blockOwnerDeletion: false"
	const refused = "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil>"
	const unfound = "cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion "
	const kept = "cannot set an ownerRef on a resource you can't delete: , <nil>"
	web := owner("apps/v1", "Deployment", "web", block)
	compareAs(t, "OwnerReferencesPermissionEnforcement", cluster, "rbac", []row{
		create("no owner", ""),
		create("an owner that may go", owner("v1", "Pod", "a", "")),
		create("said in so many words", owner("v1", "Pod", "a", free)),
		create("one whose finalizers the user may update", web),
		create("another of the kind", owner("apps/v1", "Deployment", "api", block), refused),
		create("the second", web+", "+owner("v1", "Pod", "a", block), refused),
		create("a kind that nobody knows", owner("example.com/v1", "Nothing", "a", block), unfound+`example.com/v1 Kind Nothing: no matches for kind "Nothing" in version "example.com/v1"`),
		create("a version that is not served", owner("apps/v9", "Deployment", "web", block), unfound+`apps/v9 Kind Deployment: no matches for kind "Deployment" in version "apps/v9"`),
		update("the same owners", "c", web, web),
		update("of an object that the user may not delete", "c", "", web, kept),
		update("of one that she may", "mine", web, ""),
		update("which then blocks", "mine", owner("v1", "Pod", "a", block), owner("v1", "Pod", "a", free), refused),
		update("and did before", "mine", owner("v1", "Pod", "a", block)+", "+owner("v1", "Pod", "b", ""), owner("v1", "Pod", "a", block)),
		{name: "the status of a Pod", request: "UPDATE pods/status web",
			object: `{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop, ownerReferences: [` + web + `]}}`, old: onePod("", "")},
	})
	compare(t, "OwnerReferencesPermissionEnforcement", cluster, []row{
		create("a user who may do everything", owner("example.com/v1", "Nothing", "a", block)),
	})
}

// TestPullImages: images that are always pulled.
func TestPullImages(t *testing.T) {
	never := onePod(", imagePullPolicy: Never", "")
	compare(t, "AlwaysPullImages", "", []row{
		{name: "a new Pod", request: "CREATE pods web", object: onePod(", imagePullPolicy: IfNotPresent", ", initContainers: [{name: first, image: a}]"),
			want: []string{`replace /spec/containers/0/imagePullPolicy "Always"`, `add /spec/initContainers/0/imagePullPolicy "Always"`}},
		{name: "an image as a volume", request: "CREATE pods web", object: onePod(", imagePullPolicy: Always", ", volumes: [{name: v, image: {reference: a}}]"),
			want: []string{`add /spec/volumes/0/image/pullPolicy "Always"`}},
		{name: "an update that brings no image", request: "UPDATE pods web", object: never, old: never},
		{name: "one that does", request: "UPDATE pods web", object: never, old: `{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop}, spec: {containers: [{name: app, image: b}]}}`,
			want: []string{`replace /spec/containers/0/imagePullPolicy "Always"`}},
		{name: "a subresource", request: "UPDATE pods/ephemeralcontainers web", object: never, old: onePod("", "")},
	})
}

// TestSpreadOverNodes: Pods keep away from others by node only.
func TestSpreadOverNodes(t *testing.T) {
	by := func(required, preferred string) string {
		return onePod("", `, affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [`+required+`], preferredDuringSchedulingIgnoredDuringExecution: [`+preferred+`]}}`)
	}
	const refused = "affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey zone but only key kubernetes.io/hostname is allowed"
	compare(t, "LimitPodHardAntiAffinityTopology", "", []row{
		{name: "by node", request: "CREATE pods web", object: by("{topologyKey: kubernetes.io/hostname}", "")},
		{name: "by zone", request: "CREATE pods web", object: by("{topologyKey: kubernetes.io/hostname}, {topologyKey: zone}", ""), want: []string{refused}},
		{name: "by zone if possible", request: "CREATE pods web", object: by("", "{weight: 1, podAffinityTerm: {topologyKey: zone}}")},
	})
}

// TestNamespaceScheduling: where a Namespace lets its Pods run.
func TestNamespaceScheduling(t *testing.T) {
	in := func(annotations string) string {
		return `{apiVersion: v1, kind: Namespace, metadata: {name: shop, annotations: {` + annotations + `}}}`
	}
	selector := in("scheduler.alpha.kubernetes.io/node-selector: 'env=prod, zone=a'")
	compare(t, "PodNodeSelector", "", []row{
		{name: "the selector of the Namespace", request: "CREATE pods web", cluster: selector, object: onePod("", ", nodeSelector: {disk: ssd}"),
			want: []string{`add /spec/nodeSelector/env "prod"`, `add /spec/nodeSelector/zone "a"`}},
		{name: "one that conflicts", request: "CREATE pods web", cluster: selector, object: onePod("", ", nodeSelector: {env: dev}"),
			want: []string{"pod node label selector conflicts with its namespace node label selector"}},
		{name: "none", request: "CREATE pods web", cluster: in("a: b"), object: onePod("", ", nodeSelector: {env: dev}")},
		{name: "one that is no map", request: "CREATE pods web", cluster: in("scheduler.alpha.kubernetes.io/node-selector: a in (b)"), object: onePod("", ""),
			want: []string{"500 invalid selector: [a in (b)]"}},
	})
	const limited, tolerated = `scheduler.alpha.kubernetes.io/tolerationsWhitelist: '[{"key":"a","operator":"Exists"}]'`,
		`scheduler.alpha.kubernetes.io/defaultTolerations: '[{"key":"n","operator":"Exists","effect":"NoExecute","tolerationSeconds":30}]'`
	compare(t, "PodTolerationRestriction", "", []row{
		{name: "the tolerations of the Namespace", request: "CREATE pods web", cluster: in(tolerated), object: onePod("", ""),
			want: []string{`add /spec/tolerations [{"effect":"NoExecute","key":"n","operator":"Exists","tolerationSeconds":30}]`}},
		{name: "not on an update", request: "UPDATE pods web", cluster: in(tolerated), object: onePod("", ""), old: onePod("", "")},
		{name: "that of a Pod with requests", request: "CREATE pods web", cluster: in(""), object: onePod(resources("cpu: '1'", ""), ""),
			want: []string{`add /spec/tolerations [{"effect":"NoSchedule","key":"node.kubernetes.io/memory-pressure","operator":"Exists"}]`}},
		{name: "one that the Namespace allows", request: "CREATE pods web", cluster: in(limited), object: onePod("", ", tolerations: [{key: a, operator: Equal, value: b, effect: NoSchedule}]")},
		{name: "one that it does not", request: "CREATE pods web", cluster: in(limited), object: onePod("", ", tolerations: [{key: b, operator: Exists}]"),
			want: []string{"500 pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist"}},
	})
	gpu := func(tolerations string) string {
		return onePod(resources("cpu: '1', example.com/gpu: '1'", "example.com/gpu: '1'"), ", tolerations: ["+tolerations+"]")
	}
	compare(t, "ExtendedResourceToleration", "", []row{
		{name: "an extended resource", request: "CREATE pods web", object: gpu("{key: a, operator: Exists}"),
			want: []string{`add /spec/tolerations/1 {"effect":"NoSchedule","key":"example.com/gpu","operator":"Exists"}`}},
		{name: "a Pod that tolerates it", request: "CREATE pods web", object: gpu("{key: example.com/gpu, operator: Exists, effect: NoSchedule}")},
		{name: "no such resource", request: "CREATE pods web", object: onePod(resources("cpu: '1'", ""), "")},
	})
}
