package catalog_test

import (
	"encoding/json"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog/catalogtest"
)

// TestRecordedObjectsAreDefaulted checks that defaulting and conversion do not change objects from
// a real server.
func TestRecordedObjectsAreDefaulted(t *testing.T) {
	builtin := mustCatalog(t, "1.36")
	count := map[string]int{}
	for _, v := range vectorObjects(t) {
		c, _ := builtin.WithCRDs(v.crds)
		got := c.Roundtrip(v.gvk, c.Default(v.gvk, v.object))
		for _, diff := range differences("", v.object, got) {
			t.Errorf("%s: %s", v.where, diff)
		}
		count[v.gvk.Kind]++
	}
	t.Logf("objects by kind: %v", count)
}

// TestDefaults sets the defaults of short manifests. want is what the result has besides the
// manifest. Lists match item by item.
func TestDefaults(t *testing.T) {
	for _, tt := range []struct {
		name, minor, in, want string
	}{
		{"pod", "1.37", `{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: nginx}]}}`, `
spec:
  restartPolicy: Always
  dnsPolicy: ClusterFirst
  schedulerName: default-scheduler
  terminationGracePeriodSeconds: 30
  securityContext: {}
  enableServiceLinks: true
  containers:
  - {imagePullPolicy: Always, terminationMessagePath: /dev/termination-log, terminationMessagePolicy: File}`},
		{"image tags", "1.37", `{apiVersion: v1, kind: Pod, metadata: {}, spec: {initContainers: [{name: i, image: "r.example:5000/i"}], containers: [{name: a, image: "a:1"}, {name: b, image: "b:latest"}, {name: c, image: c, imagePullPolicy: Never}]}}`, `
spec:
  initContainers: [{imagePullPolicy: Always}]
  containers: [{imagePullPolicy: IfNotPresent}, {imagePullPolicy: Always}, {imagePullPolicy: Never}]`},
		{"probes and ports", "1.37", `{apiVersion: v1, kind: Pod, metadata: {}, spec: {hostNetwork: true, containers: [{name: a, ports: [{containerPort: 80}], livenessProbe: {httpGet: {port: 80}}, readinessProbe: {grpc: {port: 1}, periodSeconds: 3}, lifecycle: {preStop: {httpGet: {port: 1}}}}]}}`, `
spec:
  containers:
  - ports: [{protocol: TCP, hostPort: 80}]
    livenessProbe: {timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3, httpGet: {path: /, scheme: HTTP}}
    readinessProbe: {periodSeconds: 3, grpc: {service: ""}}
    lifecycle: {preStop: {httpGet: {path: /, scheme: HTTP}}}`},
		{"volumes", "1.37", `{apiVersion: v1, kind: Pod, metadata: {}, spec: {containers: [], volumes: [{name: a}, {name: b, configMap: {name: c}}, {name: c, secret: {}}, {name: d, hostPath: {path: /}}, {name: e, projected: {sources: [{serviceAccountToken: {path: t}}, {downwardAPI: {items: [{path: x, fieldRef: {fieldPath: metadata.name}}]}}]}}, {name: f, image: {reference: "x:1"}}, {name: g, ephemeral: {volumeClaimTemplate: {spec: {}}}}, {name: h, iscsi: {lun: 1}}]}}`, `
spec:
  volumes:
  - {emptyDir: {}}
  - {configMap: {defaultMode: 420}}
  - {secret: {defaultMode: 420}}
  - {hostPath: {type: ""}}
  - {projected: {defaultMode: 420, sources: [{serviceAccountToken: {expirationSeconds: 3600}}, {downwardAPI: {items: [{fieldRef: {apiVersion: v1}}]}}]}}
  - {image: {pullPolicy: IfNotPresent}}
  - {ephemeral: {volumeClaimTemplate: {spec: {volumeMode: Filesystem}}}}
  - {iscsi: {iscsiInterface: default}}`},
		{"iscsi in 1.30, from a rule instead of the type", "1.30", `{apiVersion: v1, kind: Pod, metadata: {}, spec: {containers: [], volumes: [{name: h, iscsi: {lun: 1}}]}}`,
			`{spec: {volumes: [{iscsi: {iscsiInterface: default}}]}}`},
		{"requests from limits", "1.37", `{apiVersion: v1, kind: Pod, metadata: {}, spec: {containers: [{name: a, resources: {limits: {cpu: "1", memory: 1Gi}, requests: {cpu: 10m}}}]}}`,
			`{spec: {containers: [{resources: {requests: {cpu: 10m, memory: 1Gi}}}]}}`},
		{"quantities are rounded up", "1.37", `{apiVersion: v1, kind: Pod, metadata: {}, spec: {containers: [{name: a, resources: {requests: {cpu: 100u}}}]}}`,
			`{spec: {containers: [{resources: {requests: {cpu: 1m}}}]}}`},
		{"pod-level requests in 1.36", "1.36", `{apiVersion: v1, kind: Pod, metadata: {}, spec: {resources: {limits: {cpu: "4", memory: 4Gi}}, containers: [{name: a, resources: {requests: {cpu: "1"}}}, {name: b, resources: {requests: {cpu: 500m}}}]}}`,
			`{spec: {resources: {requests: {cpu: 1500m, memory: 4Gi}}}}`},
		{"negative grace period", "1.37", `{apiVersion: v1, kind: Pod, metadata: {}, spec: {terminationGracePeriodSeconds: -5, containers: []}}`,
			`{spec: {terminationGracePeriodSeconds: 1}}`},
		{"deployment", "1.37", `{apiVersion: apps/v1, kind: Deployment, metadata: {}, spec: {template: {spec: {containers: [{name: a}]}}}}`, `
spec:
  replicas: 1
  revisionHistoryLimit: 10
  progressDeadlineSeconds: 600
  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 25%, maxUnavailable: 25%}}
  template: {spec: {restartPolicy: Always, containers: [{imagePullPolicy: IfNotPresent}]}}`},
		{"recreate", "1.37", `{apiVersion: apps/v1, kind: Deployment, metadata: {}, spec: {strategy: {type: Recreate}}}`, `{spec: {strategy: {type: Recreate}}}`},
		{"stateful set", "1.37", `{apiVersion: apps/v1, kind: StatefulSet, metadata: {}, spec: {volumeClaimTemplates: [{metadata: {name: v}}]}}`, `
spec:
  replicas: 1
  podManagementPolicy: OrderedReady
  updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 0, maxUnavailable: 1}}
  persistentVolumeClaimRetentionPolicy: {whenDeleted: Retain, whenScaled: Retain}
  volumeClaimTemplates: [{spec: {volumeMode: Filesystem}, status: {phase: Pending}}]`},
		{"daemon set", "1.37", `{apiVersion: apps/v1, kind: DaemonSet, metadata: {}}`,
			`{spec: {revisionHistoryLimit: 10, updateStrategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}}}`},
		{"job", "1.37", `{apiVersion: batch/v1, kind: Job, metadata: {}, spec: {template: {metadata: {labels: {a: b}}}}}`,
			`{metadata: {labels: {a: b}}, spec: {completions: 1, parallelism: 1, backoffLimit: 6, completionMode: NonIndexed, suspend: false, manualSelector: false, podReplacementPolicy: TerminatingOrFailed}}`},
		{"job with a parallelism", "1.37", `{apiVersion: batch/v1, kind: Job, metadata: {}, spec: {parallelism: 2, backoffLimitPerIndex: 1, podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: X}]}]}}}`,
			`{spec: {backoffLimit: 2147483647, podReplacementPolicy: Failed, podFailurePolicy: {rules: [{onPodConditions: [{status: "True"}]}]}}}`},
		{"cron job", "1.37", `{apiVersion: batch/v1, kind: CronJob, metadata: {}, spec: {jobTemplate: {spec: {template: {spec: {containers: [{name: c}]}}}}}}`,
			`{spec: {concurrencyPolicy: Allow, suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1, jobTemplate: {spec: {template: {spec: {dnsPolicy: ClusterFirst}}}}}}`},
		{"service", "1.37", `{apiVersion: v1, kind: Service, metadata: {}, spec: {ports: [{port: 80}, {port: 443, targetPort: https, protocol: UDP}]}}`,
			`{spec: {type: ClusterIP, sessionAffinity: None, internalTrafficPolicy: Cluster, ports: [{protocol: TCP, targetPort: 80}, {protocol: UDP, targetPort: https}]}}`},
		{"load balancer", "1.37", `{apiVersion: v1, kind: Service, metadata: {}, spec: {type: LoadBalancer, sessionAffinity: ClientIP}}`,
			`{spec: {externalTrafficPolicy: Cluster, allocateLoadBalancerNodePorts: true, sessionAffinityConfig: {clientIP: {timeoutSeconds: 10800}}}}`},
		{"persistent volume", "1.37", `{apiVersion: v1, kind: PersistentVolume, metadata: {}, spec: {azureDisk: {}}}`,
			`{spec: {persistentVolumeReclaimPolicy: Retain, volumeMode: Filesystem, azureDisk: {cachingMode: ReadWrite, kind: Shared, fsType: ext4, readOnly: false}}, status: {phase: Pending}}`},
		{"claim", "1.37", `{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {}}`, `{spec: {volumeMode: Filesystem}, status: {phase: Pending}}`},
		{"secret", "1.37", `{apiVersion: v1, kind: Secret, metadata: {}}`, `{type: Opaque}`},
		{"namespace", "1.37", `{apiVersion: v1, kind: Namespace, metadata: {name: dev}}`, `{metadata: {labels: {kubernetes.io/metadata.name: dev}}, status: {phase: Active}}`},
		{"namespace without a name", "1.37", `{apiVersion: v1, kind: Namespace, metadata: {generateName: dev-}}`, `{status: {phase: Active}}`},
		{"network policy", "1.37", `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {}, spec: {egress: [{ports: [{port: 53}]}]}}`,
			`{spec: {policyTypes: [Ingress, Egress], egress: [{ports: [{protocol: TCP}]}]}}`},
		{"autoscaler", "1.37", `{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {}, spec: {behavior: {scaleDown: {selectPolicy: Min}}}}`, `
spec:
  minReplicas: 1
  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}]
  behavior:
    scaleUp: {stabilizationWindowSeconds: 0, selectPolicy: Max, policies: [{type: Pods, value: 4, periodSeconds: 15}, {type: Percent, value: 100, periodSeconds: 15}]}
    scaleDown: {selectPolicy: Min, policies: [{type: Percent, value: 100, periodSeconds: 15}]}`},
		{"role binding", "1.37", `{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {}, roleRef: {kind: Role, name: r}, subjects: [{kind: User, name: u}, {kind: ServiceAccount, name: s}]}`,
			`{roleRef: {apiGroup: rbac.authorization.k8s.io}, subjects: [{apiGroup: rbac.authorization.k8s.io}, {}]}`},
		{"storage class", "1.37", `{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {}}`, `{reclaimPolicy: Delete, volumeBindingMode: Immediate}`},
		{"CSI driver", "1.36", `{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {}}`,
			`{spec: {attachRequired: true, podInfoOnMount: false, storageCapacity: false, fsGroupPolicy: ReadWriteOnceWithFSType, volumeLifecycleModes: [Persistent], requiresRepublish: false, seLinuxMount: false}}`},
		{"priority class", "1.37", `{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {}}`, `{preemptionPolicy: PreemptLowerPriority}`},
		{"ingress class", "1.37", `{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {}, spec: {parameters: {kind: x}}}`, `{spec: {parameters: {scope: Cluster}}}`},
		{"limit range", "1.37", `{apiVersion: v1, kind: LimitRange, metadata: {}, spec: {limits: [{type: Container, max: {cpu: "2"}, min: {memory: 1Mi}}]}}`,
			`{spec: {limits: [{default: {cpu: "2"}, defaultRequest: {cpu: "2", memory: 1Mi}}]}}`},
		{"webhook configuration", "1.37", `{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingWebhookConfiguration, metadata: {}, webhooks: [{name: a.b.c, clientConfig: {service: {name: s}}, rules: [{resources: [pods]}]}]}`,
			`{webhooks: [{failurePolicy: Fail, matchPolicy: Equivalent, timeoutSeconds: 10, reinvocationPolicy: Never, namespaceSelector: {}, objectSelector: {}, clientConfig: {service: {port: 443}}, rules: [{scope: "*"}]}]}`},
		{"validating policy", "1.37", `{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {}, spec: {matchConstraints: {resourceRules: [{resources: [pods]}]}}}`,
			`{spec: {failurePolicy: Fail, matchConstraints: {matchPolicy: Equivalent, namespaceSelector: {}, objectSelector: {}, resourceRules: [{scope: "*"}]}}}`},
		{"mutating policy", "1.36", `{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingAdmissionPolicy, metadata: {}, spec: {reinvocationPolicy: Never}}`,
			`{spec: {failurePolicy: Fail}}`},
		{"CRD", "1.37", `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {}, spec: {names: {kind: Thing}, versions: [{name: v1}, {name: v2, storage: true}]}}`,
			`{spec: {names: {singular: thing, listKind: ThingList}, conversion: {strategy: None}}, status: {storedVersions: [v2]}}`},
		{"runtime class has no defaults", "1.37", `{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {}, handler: h, overhead: {podFixed: {cpu: 10u}}}`,
			`{overhead: {podFixed: {cpu: 10u}}}`},
		{"eviction has no defaults", "1.37", `{apiVersion: policy/v1, kind: Eviction, metadata: {}}`, `{}`},
	} {
		c := mustCatalog(t, tt.minor)
		in := object(t, tt.in)
		gv, err := schema.ParseGroupVersion(in["apiVersion"].(string))
		if err != nil {
			t.Fatal(err)
		}
		kind := gv.WithKind(in["kind"].(string))
		normal, problems := c.Normalise(kind, in)
		if len(problems) > 0 {
			t.Fatalf("%s: %v", tt.name, problems)
		}
		got := c.Default(kind, normal)
		for _, diff := range missing("", object(t, tt.want), got) {
			t.Errorf("%s: %s", tt.name, diff)
		}
		for _, diff := range missing("", withoutZeros(normal), got) {
			// Written values stay unless they are rounded or replaced on purpose.
			if tt.name != "quantities are rounded up" && tt.name != "negative grace period" {
				t.Errorf("%s: changed: %s", tt.name, diff)
			}
		}
		for _, diff := range differences("", got, c.Default(kind, got)) {
			t.Errorf("%s: defaulting twice: %s", tt.name, diff)
		}
	}
}

// TestVersionsOfDefaults: a release's new default does not exist before that release.
func TestVersionsOfDefaults(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		path     []string
		in30     map[string]any // by version: the value, nil when absent
	}{
		{"stateful set's maxUnavailable", `{apiVersion: apps/v1, kind: StatefulSet}`, []string{"spec", "updateStrategy", "rollingUpdate", "maxUnavailable"},
			map[string]any{"1.36": nil, "1.37": int64(1)}},
		{"image volume's pull policy", `{apiVersion: v1, kind: Pod, spec: {volumes: [{name: a, image: {reference: x}}]}}`, []string{"spec", "volumes", "0", "image", "pullPolicy"},
			map[string]any{"1.34": nil, "1.35": "Always"}},
		{"pod-level requests", `{apiVersion: v1, kind: Pod, spec: {resources: {limits: {cpu: "1"}}}}`, []string{"spec", "resources", "requests", "cpu"},
			map[string]any{"1.33": nil, "1.34": "1", "1.36": "1", "1.37": nil}},
		{"service account's alias", `{apiVersion: v1, kind: Pod, spec: {serviceAccountName: sa}}`, []string{"spec", "serviceAccount"},
			map[string]any{"1.36": nil, "1.37": "sa"}},
	} {
		for minor, want := range tt.in30 {
			c := mustCatalog(t, minor)
			in := object(t, tt.in)
			gv, _ := schema.ParseGroupVersion(in["apiVersion"].(string))
			kind := gv.WithKind(in["kind"].(string))
			normal, _ := c.Normalise(kind, in)
			if got := lookup(c.Default(kind, normal), tt.path); got != want {
				t.Errorf("%s in %s: %v, want %v", tt.name, minor, got, want)
			}
		}
	}
}

// TestRoundtrip: changes by conversion to the internal version and back.
func TestRoundtrip(t *testing.T) {
	c := mustCatalog(t, "1.36")
	for _, tt := range []struct {
		name string
		kind schema.GroupVersionKind
		in   string
		path []string
		want any
	}{
		{"stringData", secret, `{data: {a: eA==, b: eA==}, stringData: {a: hello}}`, []string{"data", "a"}, "aGVsbG8="},
		{"stringData keeps the rest", secret, `{data: {a: eA==, b: eA==}, stringData: {a: hello}}`, []string{"data", "b"}, "eA=="},
		{"stringData goes", secret, `{stringData: {a: hello}}`, []string{"stringData"}, nil},
		{"service account", pod, `{spec: {serviceAccountName: sa}}`, []string{"spec", "serviceAccount"}, "sa"},
		{"old service account", pod, `{spec: {serviceAccount: sa}}`, []string{"spec", "serviceAccountName"}, "sa"},
		{"both", pod, `{spec: {serviceAccount: old, serviceAccountName: sa}}`, []string{"spec", "serviceAccount"}, "sa"},
		{"in a template", deployment, `{spec: {template: {spec: {serviceAccountName: sa}}}}`, []string{"spec", "template", "spec", "serviceAccount"}, "sa"},
		{"daemon set's generation", gvk("apps", "v1", "DaemonSet"), `{metadata: {name: d}}`, []string{"metadata", "annotations", "deprecated.daemonset.template.generation"}, "0"},
		{"claim templates", gvk("apps", "v1", "StatefulSet"), `{spec: {volumeClaimTemplates: [{metadata: {name: v}}]}}`, []string{"spec", "volumeClaimTemplates", "0", "kind"}, "PersistentVolumeClaim"},
		{"old init containers", pod, `{metadata: {annotations: {pod.beta.kubernetes.io/init-containers: x}}}`, []string{"metadata", "annotations"}, nil},
		{"CPU target", gvk("autoscaling", "v1", "HorizontalPodAutoscaler"), `{spec: {maxReplicas: 1}}`, []string{"spec", "targetCPUUtilizationPercentage"}, int64(80)},
		{"pod IPs", pod, `{status: {podIP: 10.0.0.1}}`, []string{"status", "podIPs", "0", "ip"}, "10.0.0.1"},
	} {
		normal, problems := c.Normalise(tt.kind, object(t, tt.in))
		if len(problems) > 0 {
			t.Fatalf("%s: %v", tt.name, problems)
		}
		once := c.Roundtrip(tt.kind, normal)
		if got := lookup(once, tt.path); got != tt.want {
			t.Errorf("%s: %v is %v, want %v", tt.name, tt.path, got, tt.want)
		}
		for _, diff := range differences("", once, c.Roundtrip(tt.kind, once)) {
			t.Errorf("%s: twice: %s", tt.name, diff)
		}
	}
}

// TestDefaultingIsIdempotent tries random objects of every kind and version. Defaulting and
// converting twice changes nothing more, and the result is in normal form.
func TestDefaultingIsIdempotent(t *testing.T) {
	g := catalogtest.New(5)
	for _, minor := range []string{"1.30", "1.33", "1.36", "1.37"} {
		c := mustCatalog(t, minor)
		for _, r := range c.Kinds() {
			typ, _ := c.TypeOf(r.GVK)
			for range 10 {
				obj, err := c.DecodeLenient(r.GVK, marshalObject(t, g, r.GVK, typ))
				if err != nil {
					t.Fatal(err)
				}
				once := c.Roundtrip(r.GVK, c.Default(r.GVK, obj))
				for _, diff := range differences("", once, c.Roundtrip(r.GVK, c.Default(r.GVK, once))) {
					t.Errorf("%s %v: %s", minor, r.GVK, diff)
				}
				normal, problems := c.Normalise(r.GVK, once)
				for _, diff := range differences("", once, normal) {
					t.Errorf("%s %v: not normal: %s", minor, r.GVK, diff)
				}
				if len(problems) > 0 {
					t.Errorf("%s %v: %v", minor, r.GVK, problems)
				}
			}
		}
	}
}

func marshalObject(t *testing.T, g *catalogtest.Generator, gvk schema.GroupVersionKind, typ *catalog.Type) []byte {
	t.Helper()
	data, err := json.Marshal(g.Object(gvk, typ))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
