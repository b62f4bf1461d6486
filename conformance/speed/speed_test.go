// Package speed measures the engine beside the API server's own evaluator, in one
// process and with the same version of the server's packages:
//
//	cd conformance && go test ./speed -run '^$' -bench . -benchmem
//
// With GOGC=400 the collector runs as often as in the program preadmit.
//
// It has no code but benchmarks, and nothing fails on time.
package speed

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	v1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/analysis/replay"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// conditions are what both sides evaluate for each request; all hold, so none is
// left out.
var conditions = []v1.MatchCondition{
	{Name: "not-the-nodes", Expression: "!('system:nodes' in request.userInfo.groups)"},
	{Name: "not-exempt", Expression: "!has(object.metadata.labels) || !('exempt' in object.metadata.labels)"},
	{Name: "some-image", Expression: "object.spec.containers.exists(c, c.image.startsWith('registry.example.com/'))"},
}

// different is the number of requests that take turns: more than the engine keeps.
const different = 64

func reviews(tb testing.TB) [][]byte {
	out := make([][]byte, different)
	for i := range out {
		pod := corev1.Pod{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("web-%d", i), Namespace: "shop", Labels: map[string]string{"app": "web"}},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "registry.example.com/web:1"}}},
		}
		raw, err := json.Marshal(pod)
		if err != nil {
			tb.Fatal(err)
		}
		kind := metav1.GroupVersionKind{Version: "v1", Kind: "Pod"}
		resource := metav1.GroupVersionResource{Version: "v1", Resource: "pods"}
		dryRun := false
		review := admissionv1.AdmissionReview{
			TypeMeta: metav1.TypeMeta{APIVersion: "admission.k8s.io/v1", Kind: "AdmissionReview"},
			Request: &admissionv1.AdmissionRequest{
				UID: "705ab4f5-6393-11e8-b7cc-42010a800002", Kind: kind, Resource: resource, RequestKind: &kind, RequestResource: &resource,
				Name: pod.Name, Namespace: pod.Namespace, Operation: admissionv1.Create, DryRun: &dryRun,
				Object: runtime.RawExtension{Raw: raw},
			},
		}
		review.Request.UserInfo.Username = "jane"
		review.Request.UserInfo.Groups = []string{"system:authenticated"}
		if out[i], err = json.Marshal(review); err != nil {
			tb.Fatal(err)
		}
	}
	return out
}

func configuration(tb testing.TB) scenario.Scenario {
	fail, none, url := v1.Fail, v1.SideEffectClassNone, "https://hooks.example.com/pods"
	hook := v1.ValidatingWebhookConfiguration{
		TypeMeta:   metav1.TypeMeta{APIVersion: "admissionregistration.k8s.io/v1", Kind: "ValidatingWebhookConfiguration"},
		ObjectMeta: metav1.ObjectMeta{Name: "pods"},
		Webhooks: []v1.ValidatingWebhook{{
			Name: "pods.example.com", ClientConfig: v1.WebhookClientConfig{URL: &url}, FailurePolicy: &fail, SideEffects: &none,
			AdmissionReviewVersions: []string{"v1"}, MatchConditions: conditions,
			Rules: []v1.RuleWithOperations{{Operations: []v1.OperationType{v1.Create}, Rule: v1.Rule{
				APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"pods"},
			}}},
		}},
	}
	policies, err := json.Marshal(hook)
	if err != nil {
		tb.Fatal(err)
	}
	return scenario.Scenario{Policies: string(policies), Options: scenario.Options{Plugins: scenario.Exactly()}}
}

func compiled(tb testing.TB) *engine.Configuration {
	cfg, problems := engine.Compile(configuration(tb))
	if err := problems.Err(); err != nil {
		tb.Fatal(err)
	}
	return cfg
}

// decided fails when a report is not that of three conditions that hold.
func decided(tb testing.TB, r *report.Report, err error) {
	if err != nil {
		tb.Fatal(err)
	}
	if len(r.Steps) != 1 || len(r.Steps[0].Conditions) != len(conditions) || r.Steps[0].Status == report.Excluded || !r.Outcome.Allowed {
		tb.Fatalf("the benchmark measures something else: %+v", r)
	}
}

// BenchmarkConditions is one request against three match conditions. The server
// has decoded the request when its evaluator begins: "server, decoding" has that
// in it, which is what the engine does with a text.
func BenchmarkConditions(b *testing.B) {
	texts := reviews(b)
	matcher := serversMatcher(b)
	b.Run("server", func(b *testing.B) {
		requests := make([]decoded, len(texts))
		for i, text := range texts {
			requests[i] = decode(b, text)
		}
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			matches(b, matcher, requests[i%different].attributes())
		}
	})
	b.Run("server, decoding", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			matches(b, matcher, decode(b, texts[i%different]).attributes())
		}
	})
	cfg := compiled(b)
	// The server's evaluator is a part of its admission; the rest of a request is
	// storage, validation and what a report says of them.
	for _, admissionOnly := range []bool{false, true} {
		name := "engine"
		if admissionOnly {
			name = "engine, admission alone"
		}
		options := engine.Options{AdmissionOnly: admissionOnly}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				r, err := cfg.Evaluate(context.Background(), engine.Text(string(texts[i%different])), options)
				decided(b, r, err)
			}
		})
	}
}

// BenchmarkReplay is many captured requests on all processors, one a line.
func BenchmarkReplay(b *testing.B) {
	texts := reviews(b)
	matcher := serversMatcher(b)
	b.Run("server, decoding", func(b *testing.B) {
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for i := 0; pb.Next(); i++ {
				matches(b, matcher, decode(b, texts[i%different]).attributes())
			}
		})
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
	})
	b.Run("engine", func(b *testing.B) {
		b.ReportAllocs()
		captured := replay.Read(&repeated{text: append(bytes.Join(texts, []byte("\n")), '\n'), lines: b.N})
		summary, err := replay.Run(context.Background(), configuration(b), captured, replay.Options{})
		if err != nil || summary.Records != b.N || len(summary.Bad) > 0 {
			b.Fatalf("%+v, %v", summary, err)
		}
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
	})
}

// repeated is a capture of so many lines: those of a text, again and again.
type repeated struct {
	text  []byte
	at    int
	lines int
}

// Read implements io.Reader.
func (r *repeated) Read(p []byte) (n int, err error) {
	for n < len(p) && r.lines > 0 {
		line := r.text[r.at:]
		line = line[:bytes.IndexByte(line, '\n')+1]
		copied := copy(p[n:], line)
		n += copied
		if r.at += copied; copied == len(line) {
			r.lines--
			r.at %= len(r.text)
		}
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// serversMatcher compiles the conditions as the server's webhook accessors do.
func serversMatcher(tb testing.TB) matchconditions.Matcher {
	accessors := make([]cel.ExpressionAccessor, len(conditions))
	for i := range conditions {
		accessors[i] = (*matchconditions.MatchCondition)(&conditions[i])
	}
	compiler := cel.NewConditionCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	condition := compiler.CompileCondition(accessors, cel.OptionalVariableDeclarations{HasAuthorizer: true}, environment.StoredExpressions)
	if errs := condition.CompilationErrors(); len(errs) > 0 {
		tb.Fatal(errs)
	}
	fail := v1.Fail
	return matchconditions.NewMatcher(condition, &fail, "webhook", "validating", "pods.example.com")
}

func matches(tb testing.TB, m matchconditions.Matcher, a *admission.VersionedAttributes) {
	if got := m.Match(context.Background(), a, nil, nil); !got.Matches || got.Error != nil {
		tb.Fatalf("the benchmark measures something else: %+v", got)
	}
}

// decoded is what the server has when admission begins.
type decoded struct {
	request *admissionv1.AdmissionRequest
	object  runtime.Object
}

func decode(tb testing.TB, text []byte) decoded {
	var review admissionv1.AdmissionReview
	if err := json.Unmarshal(text, &review); err != nil {
		tb.Fatal(err)
	}
	pod := &corev1.Pod{}
	if err := json.Unmarshal(review.Request.Object.Raw, pod); err != nil {
		tb.Fatal(err)
	}
	return decoded{review.Request, pod}
}

// attributes are what the webhook plugin makes for each request: the form that
// expressions read is made and kept in them.
func (d decoded) attributes() *admission.VersionedAttributes {
	q := d.request
	kind, resource := schema.GroupVersionKind(q.Kind), schema.GroupVersionResource(q.Resource)
	who := &user.DefaultInfo{Name: q.UserInfo.Username, Groups: q.UserInfo.Groups}
	a := admission.NewAttributesRecord(d.object, nil, kind, q.Namespace, q.Name, resource, q.SubResource,
		admission.Operation(q.Operation), nil, *q.DryRun, who)
	return &admission.VersionedAttributes{Attributes: a, VersionedKind: kind, VersionedObject: admission.NewLazyObject(d.object)}
}
