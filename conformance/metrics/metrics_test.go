// Package metrics compares the metrics that preadmit prints with those of the API
// server's admission: names, kinds, labels and buckets.
package metrics

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	admissionmetrics "k8s.io/apiserver/pkg/admission/metrics"
	manifestmetrics "k8s.io/apiserver/pkg/admission/plugin/manifest/metrics"
	mutatingmetrics "k8s.io/apiserver/pkg/admission/plugin/policy/mutating/metrics"
	validatingmetrics "k8s.io/apiserver/pkg/admission/plugin/policy/validating/metrics"
	celmetrics "k8s.io/apiserver/pkg/cel/metrics"
	"k8s.io/component-base/metrics/legacyregistry"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/analysis/replay"
	"github.com/preadmit/preadmit/engine/scenario"
)

// ofAdmission are the beginnings of the names of the server's metrics of admission.
var ofAdmission = []string{"apiserver_admission_", "apiserver_validating_admission_policy_", "apiserver_mutating_admission_policy_",
	"apiserver_manifest_admission_config_controller_", "apiserver_cel_"}

// server are all metrics of the API server's admission, each moved once.
func server(t *testing.T) map[string]*dto.MetricFamily {
	t.Helper()
	ctx := context.Background()
	attributes := admission.NewAttributesRecord(nil, nil, schema.GroupVersionKind{}, "", "", schema.GroupVersionResource{}, "", admission.Create, nil, false, nil)
	m := admissionmetrics.Metrics
	m.ObserveAdmissionStep(ctx, time.Second, false, attributes, "admit")
	m.ObserveAdmissionController(ctx, time.Second, false, attributes, "admit", "name")
	m.ObserveWebhook(ctx, "name", time.Second, false, attributes, "admit", 200)
	m.ObserveWebhookRejection(ctx, "name", "admit", "CREATE", admissionmetrics.WebhookRejectionNoError, 400)
	m.ObserveWebhookFailOpen(ctx, "name", "admit")
	m.ObserveMatchConditionEvalError(ctx, "name", "webhook", "admit", "CREATE")
	m.ObserveMatchConditionExclusion(ctx, "name", "webhook", "admit", "CREATE")
	m.ObserveMatchConditionEvaluationTime(ctx, time.Second, "name", "webhook", "admit", "CREATE")
	validatingmetrics.Metrics.ObserveWarn(ctx, time.Second, "policy", "binding", validatingmetrics.ValidatingInvalidError)
	mutatingmetrics.Metrics.ObserveAdmission(ctx, time.Second, "policy", "binding", mutatingmetrics.MutationNoError)
	celmetrics.Metrics.ObserveCompilation(time.Second)
	manifestmetrics.RegisterMetrics()
	manifestmetrics.RecordAutomaticReloadFailure(manifestmetrics.VAPManifestType, "server")
	manifestmetrics.RecordAutomaticReloadSuccess(manifestmetrics.VAPManifestType, "server", "sha256:0")
	families, err := legacyregistry.DefaultGatherer.Gather()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*dto.MetricFamily{}
	for _, f := range families {
		if slices.ContainsFunc(ofAdmission, func(p string) bool { return strings.HasPrefix(f.GetName(), p) }) {
			out[f.GetName()] = f
		}
	}
	return out
}

// printed are the metrics of a scenario that moves all that preadmit has.
func printed(t *testing.T) map[string]*dto.MetricFamily {
	t.Helper()
	text, err := os.ReadFile("testdata/everything.txtar")
	if err != nil {
		t.Fatal(err)
	}
	s, problems := scenario.FromTxtar(text)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	r, err := engine.Evaluate(context.Background(), s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var one, many bytes.Buffer
	if err := replay.Prometheus(&one, s, r); err != nil {
		t.Fatal(err)
	}
	summary, err := replay.Run(context.Background(), s, replay.Read(strings.NewReader(s.Request)), replay.Options{Times: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := summary.Prometheus(&many); err != nil {
		t.Fatal(err)
	}
	out := map[string]*dto.MetricFamily{}
	for _, b := range []*bytes.Buffer{&one, &many} {
		parser := expfmt.NewTextParser(model.LegacyValidation)
		families, err := parser.TextToMetricFamilies(b)
		if err != nil {
			t.Fatal(err)
		}
		for name, f := range families {
			out[name] = f
		}
	}
	return out
}

// TestNames: what is printed under a name of the server's is what the server has under
// it, and what the server has besides is named in docs/not-simulated.md.
func TestNames(t *testing.T) {
	document, err := os.ReadFile("../../docs/not-simulated.md")
	if err != nil {
		t.Fatal(err)
	}
	ours := printed(t)
	theirs := server(t)
	for name, f := range theirs {
		p := ours[name]
		if p == nil {
			if !bytes.Contains(document, []byte("`"+name+"`")) {
				t.Errorf("%s is neither printed nor named in docs/not-simulated.md", name)
			}
			continue
		}
		if bytes.Contains(document, []byte("`"+name+"`")) {
			t.Errorf("%s is printed, and named in docs/not-simulated.md", name)
		}
		if p.GetType() != f.GetType() {
			t.Errorf("%s is a %s, and printed as a %s", name, f.GetType(), p.GetType())
		}
		if want, got := labels(f), labels(p); !slices.Equal(want, got) {
			t.Errorf("%s has the labels %v, and is printed with %v", name, want, got)
		}
		if want, got := buckets(f), buckets(p); !slices.Equal(want, got) {
			t.Errorf("%s has the buckets %v, and is printed with %v", name, want, got)
		}
	}
	for name := range ours {
		if theirs[name] == nil && !strings.HasPrefix(name, "preadmit_") {
			t.Errorf("the API server has no metric %s", name)
		}
	}
	if len(theirs) < 15 || len(ours) < 11 {
		t.Errorf("only %d metrics of the server, %d of preadmit", len(theirs), len(ours))
	}
}

func labels(f *dto.MetricFamily) []string {
	var out []string
	for _, l := range f.GetMetric()[0].GetLabel() {
		out = append(out, l.GetName())
	}
	slices.Sort(out)
	return out
}

func buckets(f *dto.MetricFamily) []float64 {
	var out []float64
	for _, b := range f.GetMetric()[0].GetHistogram().GetBucket() {
		if bound := b.GetUpperBound(); bound < 1e9 { // without the last, which is infinite in the text
			out = append(out, bound)
		}
	}
	return out
}
