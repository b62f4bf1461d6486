package storage

import (
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/user"
	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// rare are objects that no recorded request has: what the strategies of
// k8s.io/kubernetes/pkg/registry make of them, each in one line of YAML. Without old it
// is a creation.
var rare = []struct {
	name, kind, version string
	object, old, want   string
	made                string // the placeholders
}{
	{name: "an address", kind: "v1/Service", object: `spec: {type: ClusterIP, ports: [{port: 80}]}`,
		want: `spec: {type: ClusterIP, ports: [{port: 80}], clusterIP: 10.0.0.100, clusterIPs: [10.0.0.100], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack}`,
		made: "/spec/clusterIPs/0 /spec/clusterIP"},
	{name: "of the other family", kind: "v1/Service", object: `spec: {type: ClusterIP, ipFamilies: [IPv6]}`,
		want: `spec: {type: ClusterIP, clusterIP: "fd00::100", clusterIPs: ["fd00::100"], ipFamilies: [IPv6], ipFamilyPolicy: SingleStack}`,
		made: "/spec/clusterIPs/0 /spec/clusterIP"},
	{name: "of both", kind: "v1/Service", object: `spec: {type: ClusterIP, ipFamilyPolicy: RequireDualStack}`,
		want: `spec: {type: ClusterIP, clusterIP: 10.0.0.100, clusterIPs: [10.0.0.100, "fd00::100"], ipFamilies: [IPv4, IPv6], ipFamilyPolicy: RequireDualStack}`,
		made: "/spec/clusterIPs/0 /spec/clusterIPs/1 /spec/clusterIP"},
	{name: "of both, the other first", kind: "v1/Service", object: `spec: {type: ClusterIP, ipFamilyPolicy: RequireDualStack, ipFamilies: [IPv6]}`,
		want: `spec: {type: ClusterIP, clusterIP: "fd00::100", clusterIPs: ["fd00::100", 10.0.0.100], ipFamilies: [IPv6, IPv4], ipFamilyPolicy: RequireDualStack}`,
		made: "/spec/clusterIPs/0 /spec/clusterIPs/1 /spec/clusterIP"},
	{name: "an address that was asked for", kind: "v1/Service", object: `spec: {type: ClusterIP, clusterIP: "fd00::7"}`,
		want: `spec: {type: ClusterIP, clusterIP: "fd00::7", clusterIPs: ["fd00::7"], ipFamilies: [IPv6], ipFamilyPolicy: SingleStack}`},
	{name: "one of two is asked for", kind: "v1/Service", object: `spec: {type: ClusterIP, clusterIP: 10.0.0.7, ipFamilyPolicy: RequireDualStack}`,
		want: `spec: {type: ClusterIP, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7, "fd00::100"], ipFamilies: [IPv4, IPv6], ipFamilyPolicy: RequireDualStack}`,
		made: "/spec/clusterIPs/1"},
	{name: "no address, Pods chosen", kind: "v1/Service", object: `spec: {type: ClusterIP, clusterIP: None, selector: {app: a}}`,
		want: `spec: {type: ClusterIP, clusterIP: None, clusterIPs: [None], selector: {app: a}, ipFamilies: [IPv4], ipFamilyPolicy: SingleStack}`},
	{name: "no address, no Pods chosen", kind: "v1/Service", object: `spec: {type: ClusterIP, clusterIP: None}`,
		want: `spec: {type: ClusterIP, clusterIP: None, clusterIPs: [None], ipFamilies: [IPv4, IPv6], ipFamilyPolicy: RequireDualStack}`},
	{name: "a name outside", kind: "v1/Service", object: `spec: {type: ExternalName, externalName: a.example.com}`, want: `spec: {type: ExternalName, externalName: a.example.com}`},
	{name: "a port of nodes", kind: "v1/Service", object: `spec: {type: NodePort, clusterIP: 10.0.0.7, ports: [{name: a, port: 80}, {name: b, port: 81}]}`,
		want: `spec: {type: NodePort, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack, ports: [{name: a, port: 80, nodePort: 30100}, {name: b, port: 81, nodePort: 30101}]}`,
		made: "/spec/ports/0/nodePort /spec/ports/1/nodePort"},
	{name: "one port of nodes for two protocols", kind: "v1/Service", object: `spec: {type: NodePort, clusterIP: 10.0.0.7, ports: [{name: a, port: 53}, {name: b, port: 53}]}`,
		want: `spec: {type: NodePort, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack, ports: [{name: a, port: 53, nodePort: 30100}, {name: b, port: 53, nodePort: 30100}]}`,
		made: "/spec/ports/0/nodePort"},
	{name: "which a later one asks for", kind: "v1/Service", object: `spec: {type: NodePort, clusterIP: 10.0.0.7, ports: [{name: a, port: 53}, {name: b, port: 53, nodePort: 31000}]}`,
		want: `spec: {type: NodePort, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack, ports: [{name: a, port: 53, nodePort: 31000}, {name: b, port: 53, nodePort: 31000}]}`},
	{name: "a load balancer without ports of nodes, with checks of health", kind: "v1/Service",
		object: `spec: {type: LoadBalancer, clusterIP: 10.0.0.7, allocateLoadBalancerNodePorts: false, externalTrafficPolicy: Local, ports: [{port: 80}, {port: 81, nodePort: 31000}]}`,
		want:   `spec: {type: LoadBalancer, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack, allocateLoadBalancerNodePorts: false, externalTrafficPolicy: Local, healthCheckNodePort: 30100, ports: [{port: 80}, {port: 81, nodePort: 31000}]}`,
		made:   "/spec/healthCheckNodePort"},

	{name: "what is there stays", kind: "v1/Service", object: `spec: {type: NodePort, ports: [{name: a, port: 80}]}`,
		old:  `spec: {type: NodePort, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack, ports: [{name: a, port: 80, nodePort: 31000}]}`,
		want: `spec: {type: NodePort, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack, ports: [{name: a, port: 80, nodePort: 31000}]}`},
	{name: "but not a port that another one has now", kind: "v1/Service", object: `spec: {type: NodePort, ports: [{name: a, port: 80}, {name: b, port: 81, nodePort: 31000}]}`,
		old:  `spec: {type: NodePort, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack, ports: [{name: a, port: 80, nodePort: 31000}]}`,
		want: `spec: {type: NodePort, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack, ports: [{name: a, port: 80, nodePort: 30100}, {name: b, port: 81, nodePort: 31000}]}`,
		made: "/spec/ports/0/nodePort"},
	{name: "of two families one is left", kind: "v1/Service", object: `spec: {type: ClusterIP, ipFamilyPolicy: SingleStack}`,
		old:  `spec: {type: ClusterIP, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7, "fd00::7"], ipFamilies: [IPv4, IPv6], ipFamilyPolicy: RequireDualStack}`,
		want: `spec: {type: ClusterIP, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack}`},
	{name: "two families stay when both are wanted", kind: "v1/Service", object: `spec: {type: ClusterIP, ipFamilyPolicy: PreferDualStack}`,
		old:  `spec: {type: ClusterIP, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7, "fd00::7"], ipFamilies: [IPv4, IPv6], ipFamilyPolicy: RequireDualStack}`,
		want: `spec: {type: ClusterIP, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7, "fd00::7"], ipFamilies: [IPv4, IPv6], ipFamilyPolicy: PreferDualStack}`},
	{name: "a name outside needs no address", kind: "v1/Service",
		object: `spec: {type: ExternalName, externalName: a.example.com, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack}`,
		old:    `spec: {type: ClusterIP, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack}`,
		want:   `spec: {type: ExternalName, externalName: a.example.com}`},
	{name: "a name outside becomes an address", kind: "v1/Service", object: `spec: {type: ClusterIP}`, old: `spec: {type: ExternalName, externalName: a.example.com}`,
		want: `spec: {type: ClusterIP, clusterIP: 10.0.0.100, clusterIPs: [10.0.0.100], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack}`,
		made: "/spec/clusterIPs/0 /spec/clusterIP"},
	{name: "a second family is added", kind: "v1/Service", object: `spec: {type: ClusterIP, ipFamilyPolicy: RequireDualStack}`,
		old:  `spec: {type: ClusterIP, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack}`,
		want: `spec: {type: ClusterIP, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7, "fd00::100"], ipFamilies: [IPv4, IPv6], ipFamilyPolicy: RequireDualStack}`,
		made: "/spec/clusterIPs/1"},
	{name: "no load balancer any more", kind: "v1/Service",
		object: `spec: {type: ClusterIP, allocateLoadBalancerNodePorts: true, loadBalancerClass: a, externalTrafficPolicy: Local, healthCheckNodePort: 31001, ports: [{port: 80, nodePort: 31000}]}`,
		old:    `spec: {type: LoadBalancer, allocateLoadBalancerNodePorts: true, loadBalancerClass: a, externalTrafficPolicy: Local, healthCheckNodePort: 31001, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack, ports: [{port: 80, nodePort: 31000}]}`,
		want:   `spec: {type: ClusterIP, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack, ports: [{port: 80}]}`},
	{name: "what was changed as well stays", kind: "v1/Service",
		object: `spec: {type: ClusterIP, externalIPs: [192.0.2.1], externalTrafficPolicy: Cluster, ports: [{port: 80, nodePort: 31002}]}`,
		old:    `spec: {type: NodePort, externalTrafficPolicy: Cluster, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack, ports: [{port: 80, nodePort: 31000}]}`,
		want:   `spec: {type: ClusterIP, externalIPs: [192.0.2.1], externalTrafficPolicy: Cluster, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack, ports: [{port: 80, nodePort: 31002}]}`},
	{name: "the port of checks stays", kind: "v1/Service", object: `spec: {type: LoadBalancer, externalTrafficPolicy: Local}`,
		old:  `spec: {type: LoadBalancer, externalTrafficPolicy: Local, healthCheckNodePort: 31001, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack}`,
		want: `spec: {type: LoadBalancer, externalTrafficPolicy: Local, healthCheckNodePort: 31001, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack}`},
	{name: "both, if there are both", kind: "v1/Service", object: `spec: {type: ClusterIP, ipFamilyPolicy: PreferDualStack}`,
		want: `spec: {type: ClusterIP, clusterIP: 10.0.0.100, clusterIPs: [10.0.0.100], ipFamilies: [IPv4], ipFamilyPolicy: PreferDualStack}`, made: "/spec/clusterIPs/0 /spec/clusterIP"},
	{name: "no address, no Pods chosen, one family", kind: "v1/Service", object: `spec: {type: ClusterIP, clusterIP: None, ipFamilyPolicy: SingleStack}`,
		want: `spec: {type: ClusterIP, clusterIP: None, clusterIPs: [None], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack}`},
	{name: "no address, no Pods chosen, both if there are both", kind: "v1/Service", object: `spec: {type: ClusterIP, clusterIP: None, ipFamilyPolicy: PreferDualStack, ipFamilies: [IPv6]}`,
		want: `spec: {type: ClusterIP, clusterIP: None, clusterIPs: [None], ipFamilies: [IPv6, IPv4], ipFamilyPolicy: PreferDualStack}`},
	{name: "ports of nodes of a load balancer", kind: "v1/Service", object: `spec: {type: LoadBalancer, clusterIP: 10.0.0.7, ports: [{port: 80}, {port: 81, nodePort: 31000}]}`,
		want: `spec: {type: LoadBalancer, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack, ports: [{port: 80, nodePort: 30100}, {port: 81, nodePort: 31000}]}`, made: "/spec/ports/0/nodePort"},
	{name: "no ports of nodes", kind: "v1/Service", object: `spec: {type: ClusterIP, clusterIP: 10.0.0.7, ports: [{port: 80}]}`,
		want: `spec: {type: ClusterIP, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack, ports: [{port: 80}]}`},
	{name: "a name outside that asks for a family", kind: "v1/Service", object: `spec: {type: ExternalName, externalName: a.example.com, ipFamilyPolicy: SingleStack}`,
		old:  `spec: {type: ClusterIP, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7, "fd00::7"], ipFamilies: [IPv4, IPv6], ipFamilyPolicy: RequireDualStack}`,
		want: `spec: {type: ExternalName, externalName: a.example.com, ipFamilyPolicy: SingleStack}`},
	{name: "nothing is left of two families that are empty", kind: "v1/Service", object: `spec: {type: ClusterIP, clusterIP: None, clusterIPs: [None], ipFamilies: [], ipFamilyPolicy: SingleStack}`,
		old:  `spec: {type: ClusterIP, clusterIP: None, clusterIPs: [None], ipFamilies: [], ipFamilyPolicy: SingleStack}`,
		want: `spec: {type: ClusterIP, clusterIP: None, clusterIPs: [None], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack}`},
	{name: "fewer ports, and none of nodes", kind: "v1/Service", object: `spec: {type: ClusterIP, ports: [{name: a, port: 80}]}`,
		old:  `spec: {type: NodePort, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack, ports: [{name: a, port: 80, nodePort: 31000}, {name: b, port: 81, nodePort: 31001}]}`,
		want: `spec: {type: ClusterIP, ports: [{name: a, port: 80}], clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack}`},
	{name: "another port of checks", kind: "v1/Service", object: `spec: {type: LoadBalancer, externalTrafficPolicy: Local, healthCheckNodePort: 31002}`,
		old:  `spec: {type: LoadBalancer, externalTrafficPolicy: Local, healthCheckNodePort: 31001, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack}`,
		want: `spec: {type: LoadBalancer, externalTrafficPolicy: Local, healthCheckNodePort: 31002, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack}`},
	{name: "health that was not checked before", kind: "v1/Service", object: `spec: {type: LoadBalancer, externalTrafficPolicy: Local}`,
		old:  `spec: {type: LoadBalancer, externalTrafficPolicy: Cluster, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack}`,
		want: `spec: {type: LoadBalancer, externalTrafficPolicy: Local, healthCheckNodePort: 30100, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack}`, made: "/spec/healthCheckNodePort"},
	{name: "a load balancer stays one", kind: "v1/Service", object: `spec: {type: LoadBalancer, allocateLoadBalancerNodePorts: false, loadBalancerClass: a}`,
		old:  `spec: {type: LoadBalancer, allocateLoadBalancerNodePorts: false, loadBalancerClass: a, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack}`,
		want: `spec: {type: LoadBalancer, allocateLoadBalancerNodePorts: false, loadBalancerClass: a, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack}`},
	{name: "no address stays none", kind: "v1/Service", object: `spec: {type: ClusterIP, selector: {a: b}}`,
		old:  `spec: {type: ClusterIP, selector: {a: b}, clusterIP: None, clusterIPs: [None], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack}`,
		want: `spec: {type: ClusterIP, selector: {a: b}, clusterIP: None, clusterIPs: [None], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack}`},
	{name: "empty fields are not given", kind: "v1/Service", object: `spec: {type: ClusterIP, clusterIP: "", clusterIPs: [], ipFamilies: []}`,
		old:  `spec: {type: ClusterIP, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack}`,
		want: `spec: {type: ClusterIP, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack}`},
	{name: "what is given stays, whatever was there", kind: "v1/Service", object: `spec: {type: ClusterIP, clusterIP: 10.0.0.8, clusterIPs: [10.0.0.8], ipFamilies: [IPv4], ipFamilyPolicy: PreferDualStack}`,
		old:  `spec: {type: ClusterIP, clusterIP: "fd00::7", clusterIPs: ["fd00::7"], ipFamilies: [IPv6], ipFamilyPolicy: SingleStack}`,
		want: `spec: {type: ClusterIP, clusterIP: 10.0.0.8, clusterIPs: [10.0.0.8], ipFamilies: [IPv4], ipFamilyPolicy: PreferDualStack}`},
	{name: "another port of nodes, and a port that is new", kind: "v1/Service", object: `spec: {type: NodePort, ports: [{name: a, port: 80, nodePort: 31002}, {name: c, port: 82}]}`,
		old:  `spec: {type: NodePort, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack, ports: [{name: a, port: 80, nodePort: 31000}, {name: b, port: 81, nodePort: 31001}]}`,
		want: `spec: {type: NodePort, ports: [{name: a, port: 80, nodePort: 31002}, {name: c, port: 82, nodePort: 30100}], clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack}`, made: "/spec/ports/1/nodePort"},
	{name: "a port that had none of nodes", kind: "v1/Service", object: `spec: {type: LoadBalancer, ports: [{name: a, port: 80}]}`,
		old:  `spec: {type: LoadBalancer, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack, ports: [{name: a, port: 80}]}`,
		want: `spec: {type: LoadBalancer, ports: [{name: a, port: 80, nodePort: 30100}], clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack}`, made: "/spec/ports/0/nodePort"},

	{name: "of another namespace", kind: "v1/PersistentVolumeClaim", object: `spec: {dataSourceRef: {apiGroup: example.com, kind: Thing, name: a, namespace: b}}`,
		want: `spec: {dataSourceRef: {apiGroup: example.com, kind: Thing, name: a, namespace: b}}`},
	{name: "another type of a Secret", kind: "v1/Secret", object: `type: example.com/b`, old: `type: example.com/a`, want: `type: example.com/b`},
	{name: "no type of a Secret", kind: "v1/Secret", object: `data: {}`, old: `data: {}`, want: `data: {}`},

	{name: "not before 1.31", kind: "v1/Pod", version: "1.30",
		object: `{metadata: {labels: {app: a}}, spec: {affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: z, labelSelector: {}, matchLabelKeys: [app]}]}}}}`,
		want:   `{metadata: {labels: {app: a}}, spec: {affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: z, labelSelector: {}, matchLabelKeys: [app]}]}}}}`},
	{name: "but not what the Pod says itself", kind: "v1/Pod",
		object: `{metadata: {annotations: {container.apparmor.security.beta.kubernetes.io/a: unconfined}}, spec: {securityContext: {appArmorProfile: {type: Unconfined}}, initContainers: [{name: a}]}}`,
		want:   `{metadata: {annotations: {container.apparmor.security.beta.kubernetes.io/a: unconfined}}, spec: {securityContext: {appArmorProfile: {type: Unconfined}}, initContainers: [{name: a}]}}`},
	{name: "not for Windows", kind: "v1/Pod", version: "1.33", object: `{metadata: {}, spec: {os: {name: windows}, securityContext: {appArmorProfile: {type: RuntimeDefault}}, containers: [{name: a}]}}`,
		want: `{metadata: {}, spec: {os: {name: windows}, securityContext: {appArmorProfile: {type: RuntimeDefault}}, containers: [{name: a}]}}`},

	{name: "nor when it wants none of that", kind: "batch/v1/Job", object: `{metadata: {name: j, uid: u}, spec: {manualSelector: true, template: {}}}`, want: `{metadata: {name: j}, spec: {manualSelector: true, template: {}}}`},
	{name: "an annotation of a DaemonSet", kind: "apps/v1/DaemonSet", object: `{metadata: {annotations: {deprecated.daemonset.template.generation: "4"}}, spec: {}}`, want: `{metadata: {annotations: {deprecated.daemonset.template.generation: "4"}}, spec: {}}`},
	{name: "a LimitRange with one", kind: "v1/LimitRange", object: `{metadata: {name: a}, spec: {}}`, want: `{metadata: {name: a}, spec: {}}`},
	{name: "a status is not a change", kind: "apps/v1/Deployment", object: `{metadata: {}, spec: {}, status: {replicas: 1}}`, old: `{metadata: {generation: 4}, spec: {}}`, want: `{metadata: {generation: 4}, spec: {}, status: {}}`},
	{name: "annotations of a Deployment", kind: "apps/v1/Deployment", object: `{metadata: {annotations: {a: b}}, spec: {}}`, old: `{metadata: {generation: 4}, spec: {}}`, want: `{metadata: {annotations: {a: b}, generation: 5}, spec: {}}`},
	{name: "annotations of a StatefulSet", kind: "apps/v1/StatefulSet", object: `{metadata: {annotations: {a: b}}, spec: {}}`, old: `{metadata: {generation: 4}, spec: {}}`, want: `{metadata: {annotations: {a: b}, generation: 4}, spec: {}}`},
	{name: "webhooks", kind: "admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration", object: `{metadata: {}, webhooks: [{name: a}]}`, old: `{metadata: {generation: 1}, webhooks: []}`, want: `{metadata: {generation: 2}, webhooks: [{name: a}]}`},
	{name: "the same webhooks", kind: "admissionregistration.k8s.io/v1/MutatingWebhookConfiguration", object: `{metadata: {labels: {a: b}}, webhooks: []}`, old: `{metadata: {generation: 1}, webhooks: []}`, want: `{metadata: {labels: {a: b}, generation: 1}, webhooks: []}`},
	{name: "a PriorityClass", kind: "scheduling.k8s.io/v1/PriorityClass", object: `{metadata: {}, value: 2}`, old: `{metadata: {generation: 1}, value: 1}`, want: `{metadata: {generation: 1}, value: 2}`},
	{name: "a PodTemplate", kind: "v1/PodTemplate", object: `{metadata: {}, template: {a: b}}`, old: `{metadata: {generation: 1}, template: {}}`, want: `{metadata: {generation: 2}, template: {a: b}}`},
	{name: "endpoints", kind: "discovery.k8s.io/v1/EndpointSlice", object: `{metadata: {labels: {a: b}}, endpoints: []}`, old: `{metadata: {generation: 1}, endpoints: []}`, want: `{metadata: {labels: {a: b}, generation: 2}, endpoints: []}`},
	{name: "their ports", kind: "discovery.k8s.io/v1/EndpointSlice", object: `{metadata: {}, ports: [{port: 1}]}`, old: `{metadata: {generation: 1}, ports: []}`, want: `{metadata: {generation: 2}, ports: [{port: 1}]}`},
	{name: "their family", kind: "discovery.k8s.io/v1/EndpointSlice", object: `{metadata: {}, addressType: IPv6}`, old: `{metadata: {generation: 1}, addressType: IPv4}`, want: `{metadata: {generation: 2}, addressType: IPv6}`},
	{name: "the endpoints themselves", kind: "discovery.k8s.io/v1/EndpointSlice", object: `{metadata: {}, endpoints: [{addresses: [a]}]}`, old: `{metadata: {generation: 1}, endpoints: []}`, want: `{metadata: {generation: 2}, endpoints: [{addresses: [a]}]}`},
	{name: "nothing of them", kind: "discovery.k8s.io/v1/EndpointSlice", object: `{metadata: {annotations: {a: b}}, endpoints: [], ports: [], addressType: IPv4}`, old: `{metadata: {generation: 1}, endpoints: [], ports: [], addressType: IPv4}`,
		want: `{metadata: {annotations: {a: b}, generation: 1}, endpoints: [], ports: [], addressType: IPv4}`},
	{name: "annotations of webhooks", kind: "admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration", object: `{metadata: {annotations: {a: b}}, webhooks: []}`, old: `{metadata: {generation: 1}, webhooks: []}`, want: `{metadata: {annotations: {a: b}, generation: 1}, webhooks: []}`},
	{name: "a PodTemplate's labels", kind: "v1/PodTemplate", object: `{metadata: {labels: {a: b}}, template: {a: b}}`, old: `{metadata: {generation: 1}, template: {a: b}}`, want: `{metadata: {labels: {a: b}, generation: 1}, template: {a: b}}`},
	{name: "a kind without a generation", kind: "v1/ConfigMap", object: `{metadata: {}, data: {a: b}}`, old: `{metadata: {generation: 1}, data: {}}`, want: `{metadata: {generation: 1}, data: {a: b}}`},
	{name: "a generation that a client made up", kind: "v1/ConfigMap", object: `{metadata: {generation: 9}, data: {a: b}}`, old: `{metadata: {}, data: {}}`, want: `{metadata: {}, data: {a: b}}`},
	{name: "no generation from before", kind: "apps/v1/Deployment", object: `{metadata: {}, spec: {a: b}}`, old: `{metadata: {}, spec: {}}`, want: `{metadata: {}, spec: {a: b}}`},
	{name: "a Pod has a generation", kind: "v1/Pod", object: `{metadata: {}, spec: {a: b}}`, old: `{metadata: {generation: 1}, spec: {}}`, want: `{metadata: {generation: 2}, spec: {a: b}}`},
	{name: "not before 1.33", kind: "v1/Pod", version: "1.32", object: `{metadata: {}, spec: {a: b}}`, old: `{metadata: {generation: 1}, spec: {}}`, want: `{metadata: {generation: 1}, spec: {a: b}}`},
}

// TestRare compares all of an object but what every creation writes, and the status of a
// new one.
func TestRare(t *testing.T) {
	for _, c := range rare {
		t.Run(c.name, func(t *testing.T) {
			v := version.Default()
			if c.version != "" {
				v, _ = version.Parse(c.version)
			}
			kinds, err := catalog.For(v)
			if err != nil {
				t.Fatal(err)
			}
			s := Storage{Chain: &run.Chain{Catalog: kinds, Version: v}}
			at := strings.LastIndex(c.kind, "/")
			s.Attributes.Kind = schema.FromAPIVersionAndKind(c.kind[:at], c.kind[at+1:])
			s.Attributes.User = &user.DefaultInfo{Name: "jane", UID: "7", Groups: []string{"developers", "readers"}, Extra: map[string][]string{"scopes": {"all"}}}
			object, want := decoded(t, c.object), decoded(t, strings.ReplaceAll(c.want, "NEW", untyped.ZeroUID))
			if c.old == "" {
				s.beforeCreate(object)
				delete(object, "status")
				if meta, ok := object["metadata"].(map[string]any); ok {
					for _, name := range []string{"uid", "creationTimestamp", "generation"} {
						delete(meta, name)
					}
				}
			} else {
				s.Attributes.OldObject = decoded(t, c.old)
				object = s.beforeUpdate(object)
			}
			if !reflect.DeepEqual(object, want) {
				t.Errorf("it becomes %s, want %s", asYAML(t, object), asYAML(t, want))
			}
			if made := strings.Join(s.Placeholders, " "); made != c.made {
				t.Errorf("placeholders are %q, want %q", made, c.made)
			}
		})
	}
}

func decoded(t *testing.T, text string) map[string]any {
	t.Helper()
	var value any
	if err := yaml.UnmarshalStrict([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	value, err := plain(value)
	if err != nil {
		t.Fatal(err)
	}
	return value.(map[string]any)
}

func asYAML(t *testing.T, value any) string {
	t.Helper()
	raw, err := yaml.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
