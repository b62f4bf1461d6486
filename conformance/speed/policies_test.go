package speed

import (
	"context"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/storage"
)

const namespace = `
apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {kubernetes.io/metadata.name: shop}}
`

// validatingPolicy has two validations, a variable and a message.
const validatingPolicy = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: pods}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [pods]}]
  variables:
  - {name: containers, expression: "object.spec.containers + object.spec.?initContainers.orValue([])"}
  validations:
  - {expression: "variables.containers.all(c, c.image.startsWith('registry.example.com/'))", message: images come from registry.example.com}
  - {expression: "!object.spec.?hostNetwork.orValue(false)", messageExpression: "'Pod ' + object.metadata.name + ' uses the host network'"}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: pods}
spec: {policyName: pods, validationActions: [Deny]}
`

// mutatingPolicy adds a label with one mutation.
func mutatingPolicy(name, mutation string) string {
	return `
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: ` + name + `}
spec:
  reinvocationPolicy: Never
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
  mutations:
  - ` + mutation + `
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: ` + name + `}
spec: {policyName: ` + name + `}
`
}

const (
	applied = `{patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{metadata: Object.metadata{labels: {'team': 'shop'}}}"}}`
	patched = `{patchType: JSONPatch, jsonPatch: {expression: "[JSONPatch{op: 'add', path: '/metadata/labels/team', value: 'shop'}]"}}`
)

// BenchmarkPolicies is the creation of a Pod with one policy, by the server's own code and by the
// engine, in turns. It reports the processor time and the allocations of each side, and their ratio.
//
// The server's side reads the AdmissionReview of the other benchmarks with encoding/json, decodes the
// Pod with its own codec into the internal version with defaults, runs its mutating policy plugin (a
// second time where the plugin asks for it), fills in the metadata, runs the strategy of Pods
// (rest.BeforeCreate with all validation) and then its validating policy plugin. There is no HTTP, no
// etcd, no other plugin, no authorization and no audit.
//
// "engine" does the same work from the same text, and besides: it looks for fields that do not fit the
// kind, runs the built-in plugins that validate, and writes a report with all values and changes.
// "brief" leaves those out of the report, as replay does. Both have the strategy of Pods from package
// storage, which is the server's code.
func BenchmarkPolicies(b *testing.B) {
	klog.SetLogger(logr.Discard()) // the plugins write when they read policies
	engine.Use(storage.New())
	for _, c := range []struct {
		name, policies string
		labelled       bool
	}{
		{"ValidatingAdmissionPolicy", validatingPolicy, false},
		{"ApplyConfiguration", mutatingPolicy("apply", applied), true},
		{"JSONPatch", mutatingPolicy("patch", patched), true},
		{"all", validatingPolicy + "---" + mutatingPolicy("apply", applied) + "---" + mutatingPolicy("patch", patched), true},
	} {
		b.Run(c.name, func(b *testing.B) {
			texts := reviews(b)
			side := newPolicyServer(b, append(strings.Split(c.policies, "---\n"), namespace))
			cfg, problems := engine.New().Compile(scenario.Scenario{Policies: c.policies, Cluster: namespace})
			if err := problems.Err(); err != nil {
				b.Fatal(err)
			}
			run := func(o engine.Options) func(int) {
				return func(i int) {
					r, err := cfg.Evaluate(context.Background(), engine.Text(string(texts[i%different])), o)
					admitted(b, r, err, c.labelled)
				}
			}
			inTurns(b, []turn{
				{"server", func(i int) { side.created(b, texts[i%different], c.labelled) }},
				{"engine", run(engine.Options{})},
				{"brief", run(engine.Options{Brief: true})},
			})
		})
	}
}

// admitted fails unless the engine admits the request, and with the label where there is to be one.
func admitted(tb testing.TB, r *report.Report, err error, labelled bool) {
	if err != nil {
		tb.Fatal(err)
	}
	meta, _ := r.Object["metadata"].(map[string]any)
	labels, _ := meta["labels"].(map[string]any)
	if !r.Outcome.Allowed || len(r.NotChecked) > 0 || (labels["team"] == "shop") != labelled {
		tb.Fatalf("the benchmark measures something else: %+v", r)
	}
}

// turn is one side of a comparison.
type turn struct {
	name string
	one  func(i int)
}

// inTurns runs so many requests of each side, one side after the other, and compares each with the first.
func inTurns(b *testing.B, sides []turn) {
	const requests = 500
	took, allocs := make([]time.Duration, len(sides)), make([]uint64, len(sides))
	for s := range sides {
		for i := range different {
			sides[s].one(i)
		}
	}
	for b.Loop() {
		for s, side := range sides {
			goruntime.GC() // what others have left is not this side's
			var before, after goruntime.MemStats
			goruntime.ReadMemStats(&before)
			begin := processorTime(b)
			for i := range requests {
				side.one(i)
			}
			took[s] += processorTime(b) - begin
			goruntime.ReadMemStats(&after)
			allocs[s] += after.Mallocs - before.Mallocs
		}
	}
	n := float64(b.N * requests)
	for s, side := range sides {
		b.ReportMetric(float64(took[s].Microseconds())/n, side.name+"-µs")
		b.ReportMetric(float64(allocs[s])/n, side.name+"-allocs")
		if s > 0 {
			b.ReportMetric(float64(took[s])/float64(took[0]), side.name+"/"+sides[0].name)
		}
	}
}
