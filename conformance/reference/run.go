package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/warning"

	"github.com/preadmit/preadmit/conformance/wire"
)

// A reference answers cases with the API server's own packages.
type reference struct {
	kinds   []resourceKind
	schemas *schemaStore
}

// answer runs one case. A panic of the server's code ends the request there, and
// is an answer here: it is reported as an error, and the process goes on.
func (r *reference) answer(c wire.Case) wire.Answer {
	out := wire.Answer{ID: c.ID}
	if err := r.evaluate(c, &out); err != nil {
		out.Error = err.Error()
	}
	return out
}

func (r *reference) evaluate(c wire.Case, out *wire.Answer) error {
	p, err := installPolicies(c.Policies)
	if err != nil {
		return fmt.Errorf("policies: %w", err)
	}
	out.Install = p.answers
	if c.Request == "" {
		return nil
	}
	w, err := newWorld(c.Cluster, r.kinds, r.schemas)
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	request, err := readRequest(c.Request)
	if err != nil {
		return fmt.Errorf("request: %w", err)
	}
	f, err := p.informerFactory(w)
	if err != nil {
		return err
	}
	if c.Webhooks {
		return w.evaluateWebhooks(c, request, p, f, out)
	}
	rec := &recorder{}
	recorded, err := recordedChain(f, rec)
	if err != nil {
		return err
	}
	defer recorded.stop()
	answer, err := w.admitRecovering(c, request, recorded, rec)
	if err != nil {
		return err
	}
	if c.Plugins {
		if answer.PluginDifference, err = w.comparePlugins(c, request, f, answer); err != nil {
			return err
		}
	}
	answer.ID, answer.Install, answer.Runs = c.ID, p.answers, rec.runs
	*out = answer
	return nil
}

// admitRecovering turns a panic into an error.
func (w *world) admitRecovering(c wire.Case, request *admissionv1.AdmissionRequest, plugins *chain, rec *recorder) (out wire.Answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return w.admit(c, request, plugins, rec)
}

// comparePlugins runs the case with the plugins that their constructors make.
func (w *world) comparePlugins(c wire.Case, request *admissionv1.AdmissionRequest, f *informerFactory, recorded wire.Answer) (string, error) {
	plugins, err := pluginChain(f)
	if err != nil {
		return "", err
	}
	defer plugins.stop()
	plain, err := w.admitRecovering(c, request, plugins, &recorder{})
	// The plugin begins to read the schemas when it starts and does not wait
	// for them; until then it answers that the service is unavailable.
	for i := 0; i < 100 && err == nil && plain.Code == http.StatusServiceUnavailable && recorded.Code != plain.Code; i++ {
		time.Sleep(20 * time.Millisecond)
		plain, err = w.admitRecovering(c, request, plugins, &recorder{})
	}
	if err != nil || reflect.DeepEqual(plain, recorded) {
		return "", err
	}
	a, err := json.Marshal(plain)
	if err != nil {
		return "", err
	}
	b, err := json.Marshal(recorded)
	return fmt.Sprintf("plugins: %s\nrecorded: %s", a, b), err
}

// admit takes the request through the mutating plugin, storage and the
// validating plugin.
func (w *world) admit(c wire.Case, request *admissionv1.AdmissionRequest, plugins *chain, rec *recorder) (wire.Answer, error) {
	object, err := w.internalObject(request.Object.Raw, c.Defaulting)
	if err != nil {
		return wire.Answer{}, fmt.Errorf("object: %w", err)
	}
	old, err := w.internalObject(request.OldObject.Raw, c.Defaulting)
	if err != nil {
		return wire.Answer{}, fmt.Errorf("oldObject: %w", err)
	}
	gvk, _, _ := endpoint(request)
	o := w.objectInterfaces(gvk)
	warnings := &warningRecorder{}
	ctx := warning.WithWarningRecorder(context.Background(), warnings)
	a, err := w.attributes(request, object, old)
	if err != nil {
		return wire.Answer{}, err
	}
	rec.phase, rec.pass = "mutating", 0
	if err := mutate(ctx, plugins.mutating, a, o, rec); err != nil {
		return denied(err, warnings, a.annotations)
	}
	final, err := w.externalObject(a.GetObject(), gvk)
	if err != nil {
		return wire.Answer{}, fmt.Errorf("the object after the mutations: %w", err)
	}
	if final != nil {
		if err := w.ownNamespace(request, final); err != nil {
			return denied(err, warnings, a.annotations)
		}
		if a, err = w.beforeValidation(c, request, a, final, old); err != nil {
			return wire.Answer{}, err
		}
	}
	rec.phase, rec.pass = "validating", 0
	if plugins.validating.Handles(a.GetOperation()) {
		if err := plugins.validating.Validate(ctx, a, o); err != nil {
			return denied(err, warnings, a.annotations)
		}
	}
	out := wire.Answer{Allowed: true, Code: http.StatusOK, Warnings: warnings.warnings, AuditAnnotations: a.annotations, Object: final}
	if request.Operation == admissionv1.Create {
		out.Code = http.StatusCreated
	}
	return out, nil
}

// mutate runs the mutating plugin, and a second time if it asks for it, as the
// server does with the whole chain (admission's reinvoker).
func mutate(ctx context.Context, plugin admission.MutationInterface, a admission.Attributes, o admission.ObjectInterfaces, rec *recorder) error {
	if plugin == nil || !plugin.Handles(a.GetOperation()) {
		return nil
	}
	if err := plugin.Admit(ctx, a, o); err != nil {
		return err
	}
	again := a.GetReinvocationContext()
	if !again.ShouldReinvoke() {
		return nil
	}
	again.SetIsReinvoke()
	rec.pass = 1
	return plugin.Admit(ctx, a, o)
}

// beforeValidation applies to the object what storage changes between the two
// phases, and gives the attributes of the validating phase.
func (w *world) beforeValidation(c wire.Case, request *admissionv1.AdmissionRequest, a *recordingAttributes, object map[string]any, old runtime.Object) (*recordingAttributes, error) {
	for _, pointer := range slices.Sorted(maps.Keys(c.Set)) { // list items come in their order
		setPointer(object, pointer, c.Set[pointer])
	}
	for _, pointer := range c.Remove {
		removePointer(object, pointer)
	}
	data, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	gvk, _, _ := endpoint(request)
	internal, err := w.internalAs(gvk, data, false)
	if err != nil {
		return nil, fmt.Errorf("the object between the phases: %w", err)
	}
	named := *request
	if named.Name == "" { // it was generated
		m, err := meta.Accessor(internal)
		if err != nil {
			return nil, err
		}
		named.Name = m.GetName()
	}
	out, err := w.attributes(&named, internal, old)
	if err != nil {
		return nil, err
	}
	out.annotations = a.annotations
	return out, nil
}

// ownNamespace does with an object what every registry begins with (rest.BeforeCreate,
// rest.BeforeUpdate): the namespace of the request, where the object has none, is put
// into it; another one is rejected.
func (w *world) ownNamespace(request *admissionv1.AdmissionRequest, object map[string]any) error {
	gvk, gvr, sub := endpoint(request)
	if request.Operation == admissionv1.Delete || sub != "" && sub != "status" {
		return nil
	}
	for _, k := range w.kinds {
		if k.Kind != gvk || k.Resource != gvr || k.Subresource != "" {
			continue
		}
		u := &unstructured.Unstructured{Object: object}
		return rest.EnsureObjectNamespaceMatchesRequestNamespace(rest.ExpectedNamespaceForScope(request.Namespace, k.Namespaced), u)
	}
	return nil
}

func denied(err error, warnings *warningRecorder, annotations map[string]string) (wire.Answer, error) {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return wire.Answer{}, fmt.Errorf("the plugin failed: %w", err)
	}
	s := status.Status()
	out := wire.Answer{Code: int(s.Code), Reason: string(s.Reason), Message: s.Message, Warnings: warnings.warnings, AuditAnnotations: annotations}
	if s.Details != nil {
		out.Details = about(s.Details)
		for _, cause := range s.Details.Causes {
			out.Causes = append(out.Causes, cause.Message)
		}
	}
	return out, nil
}

func pointerKeys(pointer string) []string {
	keys := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, k := range keys {
		keys[i] = strings.ReplaceAll(strings.ReplaceAll(k, "~1", "/"), "~0", "~")
	}
	return keys
}

// setPointer writes a value, and makes the maps and lists on the way to it
// that are missing.
func setPointer(object map[string]any, pointer string, value any) {
	setKeys(object, pointerKeys(pointer), value)
}

func setKeys(node any, keys []string, value any) any {
	if len(keys) == 0 {
		return value
	}
	index, err := strconv.Atoi(keys[0])
	list, isList := node.([]any)
	if isList || (node == nil && err == nil) {
		if index == len(list) {
			list = append(list, nil)
		}
		if err == nil && index < len(list) {
			list[index] = setKeys(list[index], keys[1:], value)
		}
		return list
	}
	m, ok := node.(map[string]any)
	if !ok {
		m = map[string]any{}
	}
	m[keys[0]] = setKeys(m[keys[0]], keys[1:], value)
	return m
}

// parent walks to the container of the pointer's last key.
func parent(object any, keys []string) any {
	for _, k := range keys {
		switch node := object.(type) {
		case map[string]any:
			object = node[k]
		case []any:
			i, err := strconv.Atoi(k)
			if err != nil || i < 0 || i >= len(node) {
				return nil
			}
			object = node[i]
		default:
			return nil
		}
	}
	return object
}

// removePointer takes a value away, and the maps that are empty without it:
// the recorded answers name leaves.
func removePointer(object map[string]any, pointer string) {
	keys := pointerKeys(pointer)
	for n := len(keys) - 1; n >= 0; n-- {
		node, ok := parent(object, keys[:n]).(map[string]any)
		if !ok {
			return
		}
		delete(node, keys[n])
		if len(node) > 0 {
			return
		}
	}
}
