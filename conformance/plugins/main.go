// Command plugins answers admission scenarios with the API server's own built-in
// admission plugins, in its order and with its defaults. It reads one wire.Case
// per line from standard input and writes one wire.Answer per line to standard
// output. The request is an AdmissionReview whose object comes from a client;
// the plugins NodeRestriction and DenyServiceExternalIPs run besides those that
// are on by default.
//
// Nothing but plugins runs: no policy, no webhook, no storage. Object is the
// object at the end of the mutating phase.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/controlplane" // installs all groups into the scheme

	"github.com/preadmit/preadmit/conformance/wire"
)

func main() {
	flag.Parse()
	logs := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(logs)
	if err := logs.Parse([]string{"-logtostderr=false", "-stderrthreshold=FATAL"}); err != nil {
		panic(err)
	}
	klog.SetOutput(io.Discard)
	if err := wire.Serve(os.Stdin, os.Stdout, together, answer); err != nil {
		fmt.Fprintln(os.Stderr, "plugins:", err)
		os.Exit(1)
	}
}

// together is how many requests are answered at the same time. Each has a cluster of its
// own, whose caches are filled in the background: most of an answer is waiting for them.
const together = 16

// answer sends one request through the plugins.
func answer(c wire.Case) (wire.Answer, error) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	chain, err := newChain(ctx, c.Cluster, map[string]string{"PodSecurity": c.PodSecurity, "ResourceQuota": c.Quotas})
	if err != nil {
		return wire.Answer{}, err
	}
	attributes, kind, err := requested(c.Request)
	if err != nil {
		return wire.Answer{}, err
	}
	warnings := &recorder{}
	if ctx, err = audited(warning.WithWarningRecorder(ctx, warnings)); err != nil {
		return wire.Answer{}, err
	}
	a := wire.Answer{Allowed: true}
	err = chain.admit(ctx, attributes)
	if attributes.GetObject() != nil {
		external, convertErr := legacyscheme.Scheme.ConvertToVersion(attributes.GetObject(), kind.GroupVersion())
		if convertErr != nil {
			return wire.Answer{}, convertErr
		}
		if a.Object, convertErr = runtime.DefaultUnstructuredConverter.ToUnstructured(external); convertErr != nil {
			return wire.Answer{}, convertErr
		}
	}
	if err == nil {
		count(attributes)
		err = chain.validate(ctx, attributes)
	}
	if err != nil {
		a.Allowed = false
		s := responsewriters.ErrorToAPIStatus(err)
		a.Code, a.Reason, a.Message = int(s.Code), string(s.Reason), s.Message
	}
	a.Warnings, a.AuditAnnotations = warnings.texts, annotations(ctx)
	return a, nil
}

// count does what storage does between the phases to a Pod that was changed, as far as a
// plugin looks at it: its generation is the next one.
func count(a admission.Attributes) {
	pod, ok := a.GetObject().(*core.Pod)
	old, updated := a.GetOldObject().(*core.Pod)
	if ok && updated && old.Generation > 0 && !equality.Semantic.DeepEqual(pod.Spec, old.Spec) {
		pod.Generation = old.Generation + 1
	}
}

// recorder keeps warnings, each once, in their order. It implements warning.Recorder.
type recorder struct {
	sync.Mutex
	texts []string
}

func (r *recorder) AddWarning(_, text string) {
	r.Lock()
	defer r.Unlock()
	if !slices.Contains(r.texts, text) {
		r.texts = append(r.texts, text)
	}
}

// requested reads an AdmissionReview. The objects are decoded with the defaults
// of their version.
func requested(text string) (admission.Attributes, schema.GroupVersionKind, error) {
	var review admissionv1.AdmissionReview
	if err := json.Unmarshal([]byte(text), &review); err != nil {
		return nil, schema.GroupVersionKind{}, err
	}
	q := review.Request
	kind := schema.GroupVersionKind(q.Kind)
	object, err := decoded(q.Object, kind)
	if err != nil {
		return nil, kind, err
	}
	old, err := decoded(q.OldObject, kind)
	if err != nil {
		return nil, kind, err
	}
	var options runtime.Object = &metav1.CreateOptions{}
	switch q.Operation {
	case admissionv1.Update:
		options = &metav1.UpdateOptions{}
	case admissionv1.Delete:
		options = &metav1.DeleteOptions{}
	}
	who := &user.DefaultInfo{Name: q.UserInfo.Username, UID: q.UserInfo.UID, Groups: q.UserInfo.Groups}
	return admission.NewAttributesRecord(object, old, kind, q.Namespace, q.Name, schema.GroupVersionResource(q.Resource), q.SubResource,
		admission.Operation(q.Operation), options, true, who), kind, nil
}

func decoded(raw runtime.RawExtension, kind schema.GroupVersionKind) (runtime.Object, error) {
	if len(raw.Raw) == 0 || string(raw.Raw) == "null" {
		return nil, nil
	}
	object, _, err := legacyscheme.Codecs.UniversalDecoder().Decode(raw.Raw, &kind, nil)
	return object, err
}
