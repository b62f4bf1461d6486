// Package speed measures the engine beside the API server's own evaluator, in one
// process and with the same version of the server's packages:
//
//	cd conformance && go test ./speed -run '^$' -bench . -benchmem
//
// With GOGC=400 the collector runs as often as in the program preadmit.
//
// Times of one side alone are those of a machine that may have other work.
// BenchmarkInTurns takes both sides in turns and compares their processor time, with the
// collector's.
//
// # What is the same work
//
// The engine gets the text of an AdmissionReview. It decodes it, looks for keys that are
// there twice and for fields that do not fit the kind, matches rules and selectors,
// evaluates the conditions, makes the review that would be sent, and writes a report. So
// "server, a request" does what a server does from the same text to the review that it
// would send, with its own packages: the object is decoded by the server's serializer,
// which looks for the kind first; rules are matched; conditions are evaluated; the review
// is made. What it does besides and is not in this, because it needs k8s.io/kubernetes:
// defaults, and the conversion of the object into its internal form and back into the
// version that conditions see. Nor are the counters of calls that the engine has in its
// report. "server, decoding" is less than a server does, and what these benchmarks
// compared with until 23 November 2026: encoding/json reads the object, as no server does,
// nothing is matched, and no review is made.
//
// The engine with everything also validates the object and does what storage does. The
// server's side of that is not here: it is in k8s.io/kubernetes too.
//
// It has no code but benchmarks, and nothing fails on time.
package speed

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	goruntime "runtime"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	v1 "k8s.io/api/admissionregistration/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/rules"
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

// hook is the webhook that both sides ask.
func hook() v1.ValidatingWebhookConfiguration {
	fail, none, url := v1.Fail, v1.SideEffectClassNone, "https://hooks.example.com/pods"
	return v1.ValidatingWebhookConfiguration{
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
}

func configuration(tb testing.TB) scenario.Scenario {
	policies, err := json.Marshal(hook())
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
	b.Run("server, a request", func(b *testing.B) {
		side := newServer(b)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			side.request(b, texts[i%different])
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

// BenchmarkInTurns has one operation: so many requests of each side, one side after the
// other. It reports what the engine takes for each second of the server's.
func BenchmarkInTurns(b *testing.B) {
	const requests = 1000
	texts := reviews(b)
	matcher, side, cfg := serversMatcher(b), newServer(b), compiled(b)
	evaluate := func(options engine.Options) func(i int) {
		return func(i int) {
			r, err := cfg.Evaluate(context.Background(), engine.Text(string(texts[i%different])), options)
			decided(b, r, err)
		}
	}
	sides := []func(i int){
		func(i int) { matches(b, matcher, decode(b, texts[i%different]).attributes()) },
		func(i int) { side.request(b, texts[i%different]) },
		evaluate(engine.Options{AdmissionOnly: true}),
		evaluate(engine.Options{}),
	}
	took := make([]time.Duration, len(sides))
	for b.Loop() {
		for s, one := range sides {
			goruntime.GC() // what others have left is not this side's
			begin := processorTime(b)
			for i := range requests {
				one(i)
			}
			took[s] += processorTime(b) - begin
		}
	}
	b.ReportMetric(float64(took[0].Microseconds())/float64(b.N*requests), "server-decoding-µs")
	b.ReportMetric(float64(took[1].Microseconds())/float64(b.N*requests), "server-request-µs")
	b.ReportMetric(float64(took[2].Microseconds())/float64(b.N*requests), "admission-µs")
	b.ReportMetric(float64(took[3].Microseconds())/float64(b.N*requests), "all-µs")
	for s, name := range []string{"decoding", "request"} {
		b.ReportMetric(float64(took[2])/float64(took[s]), "admission/"+name)
		b.ReportMetric(float64(took[3])/float64(took[s]), "all/"+name)
	}
}

// BenchmarkReplayInTurns is BenchmarkInTurns for many captured requests on all processors.
func BenchmarkReplayInTurns(b *testing.B) {
	const requests = 4000
	texts := reviews(b)
	side := newServer(b)
	matcher := serversMatcher(b)
	capture := append(bytes.Join(texts, []byte("\n")), '\n')
	parallel := func(one func(i int)) func() {
		return func() {
			var all sync.WaitGroup
			for range goruntime.GOMAXPROCS(0) {
				all.Go(func() {
					for i := range requests / goruntime.GOMAXPROCS(0) {
						one(i)
					}
				})
			}
			all.Wait()
		}
	}
	sides := []func(){
		parallel(func(i int) { matches(b, matcher, decode(b, texts[i%different]).attributes()) }),
		parallel(func(i int) { side.request(b, texts[i%different]) }),
		func() {
			summary, err := replay.Run(context.Background(), configuration(b), replay.Read(&repeated{text: capture, lines: requests}), replay.Options{})
			if err != nil || summary.Records != requests || len(summary.Bad) > 0 {
				b.Fatalf("%+v, %v", summary, err)
			}
		},
	}
	took, clock := make([]time.Duration, len(sides)), make([]time.Duration, len(sides))
	for b.Loop() {
		for s, all := range sides {
			goruntime.GC()
			begin, at := processorTime(b), time.Now()
			all()
			took[s] += processorTime(b) - begin
			clock[s] += time.Since(at)
		}
	}
	for s, name := range []string{"decoding", "request"} {
		b.ReportMetric(float64(took[2])/float64(took[s]), "replay/"+name)
		b.ReportMetric(float64(clock[2])/float64(clock[s]), "replay/"+name+"-by-the-clock")
	}
	b.ReportMetric(float64(b.N*requests)/clock[2].Seconds(), "requests/s")
}

// processorTime is what this process has taken so far, with its collector.
func processorTime(tb testing.TB) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
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
	b.Run("server, a request", func(b *testing.B) {
		side := newServer(b)
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for i := 0; pb.Next(); i++ {
				side.request(b, texts[i%different])
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

// server is what a server does with a request, from its text to the review that it would
// send to the webhook.
type server struct {
	decoder runtime.Decoder
	matcher matchconditions.Matcher
	rules   []v1.RuleWithOperations
}

func newServer(tb testing.TB) *server {
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		tb.Fatal(err)
	}
	return &server{
		decoder: serializer.NewSerializerWithOptions(serializer.DefaultMetaFactory, scheme, scheme, serializer.SerializerOptions{}),
		matcher: serversMatcher(tb),
		rules:   hook().Webhooks[0].Rules,
	}
}

func (s *server) request(tb testing.TB, text []byte) *admissionv1.AdmissionReview {
	var review admissionv1.AdmissionReview
	if err := json.Unmarshal(text, &review); err != nil {
		tb.Fatal(err)
	}
	object, _, err := s.decoder.Decode(review.Request.Object.Raw, nil, nil)
	if err != nil {
		tb.Fatal(err)
	}
	a := decoded{review.Request, object}.attributes()
	if !slices.ContainsFunc(s.rules, func(r v1.RuleWithOperations) bool { return (&rules.Matcher{Rule: r, Attr: a}).Matches() }) {
		tb.Fatal("no rule matches")
	}
	matches(tb, s.matcher, a)
	return sent(a, object)
}

// sent is the review as the server makes it (CreateV1AdmissionReview of its package
// plugin/webhook/request, which needs client-go), but for its uid, which is random there.
func sent(a *admission.VersionedAttributes, object runtime.Object) *admissionv1.AdmissionReview {
	kind, resource, dryRun := metav1.GroupVersionKind(a.GetKind()), metav1.GroupVersionResource(a.GetResource()), a.IsDryRun()
	who := a.GetUserInfo()
	info := authenticationv1.UserInfo{Extra: make(map[string]authenticationv1.ExtraValue), Groups: who.GetGroups(), UID: who.GetUID(), Username: who.GetName()}
	for key, value := range who.GetExtra() {
		info.Extra[key] = authenticationv1.ExtraValue(value)
	}
	return &admissionv1.AdmissionReview{Request: &admissionv1.AdmissionRequest{
		UID: "705ab4f5-6393-11e8-b7cc-42010a800002", Kind: kind, Resource: resource, SubResource: a.GetSubresource(), RequestKind: &kind, RequestResource: &resource,
		RequestSubResource: a.GetSubresource(), Name: a.GetName(), Namespace: a.GetNamespace(), Operation: admissionv1.Operation(a.GetOperation()), UserInfo: info,
		Object: runtime.RawExtension{Object: object}, DryRun: &dryRun,
	}}
}
