package run

import (
	"fmt"
	"reflect"
	"testing"

	v1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/cluster"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
)

// clusterOf are objects by "kind namespace/name", with their labels.
func clusterOf(objects map[string]map[string]any) *cluster.Cluster {
	var out []cluster.Object
	for id, labels := range objects {
		var kind, namespace, name string
		if _, err := fmt.Sscan(id, &kind, &namespace, &name); err != nil {
			panic(err)
		}
		if namespace == "-" {
			namespace = ""
		}
		out = append(out, cluster.Object{GVK: schema.GroupVersionKind{Version: "v1", Kind: kind}, Namespace: namespace, Name: name,
			Value: map[string]any{"apiVersion": "v1", "kind": kind, "metadata": map[string]any{"name": name, "labels": labels, "selfLink": "x", "managedFields": []any{}, "ownerReferences": []any{}}}})
	}
	return cluster.New(out, "2026-01-01T00:00:00Z", len(out) > 0)
}

// TestNamespace: the variable namespaceObject, and the error about a Namespace that is not
// there (semantics §5.4).
func TestNamespace(t *testing.T) {
	pod, namespace := schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}
	whole := clusterOf(map[string]map[string]any{"Namespace - shop": {"a": "b"}})
	for _, c := range []struct {
		name    string
		version string
		kind    schema.GroupVersionKind
		in      string
		cluster *cluster.Cluster
		want    string // its name and labels, or the error
		missing bool
	}{
		{"one that is there", "1.36", pod, "shop", whole, "shop map[a:b kubernetes.io/metadata.name:shop]", false},
		{"none", "1.36", pod, "", whole, "", false},
		{"of a Namespace", "1.36", namespace, "shop", whole, "", false},
		{"one that is not there", "1.36", pod, "other", whole, `namespaces "other" not found`, true},
		{"before 1.32", "1.31", pod, "other", whole, `namespace "other" not found`, true},
		{"one that is assumed", "1.36", pod, "other", clusterOf(nil), "other map[kubernetes.io/metadata.name:other]", false},
	} {
		chain := &Chain{Version: version.MustParse(c.version), Cluster: c.cluster, Report: &report.Report{}}
		chain.Attributes.Kind, chain.Attributes.Namespace = c.kind, c.in
		object, status := chain.Namespace()
		got := ""
		if status != nil {
			got = status.ErrStatus.Message
		} else if object != nil {
			meta, _ := object["metadata"].(map[string]any)
			got = fmt.Sprint(meta["name"], " ", meta["labels"])
			for _, hidden := range []string{"selfLink", "managedFields", "ownerReferences"} {
				if _, shown := meta[hidden]; shown {
					t.Errorf("%s: it has %s", c.name, hidden)
				}
			}
			if object["kind"] != nil || object["apiVersion"] != nil {
				t.Errorf("%s: it has a kind", c.name)
			}
		}
		if got != c.want || chain.MissingNamespace != c.missing {
			t.Errorf("%s: %s, missing %t", c.name, got, chain.MissingNamespace)
		}
	}
}

// TestFirstParam: the first param of any binding; those that find none, or an error, are
// passed over.
func TestFirstParam(t *testing.T) {
	kinds, err := catalog.For(version.Default())
	if err != nil {
		t.Fatal(err)
	}
	chain := &Chain{Version: version.Default(), Catalog: kinds, Report: &report.Report{}, Cluster: clusterOf(map[string]map[string]any{
		"Secret shop a": {"k": "v"}, "Secret shop b": {"k": "v"}, "Secret shop c": {}})}
	chain.Attributes.Namespace = "shop"
	secrets := &v1.ParamKind{APIVersion: "v1", Kind: "Secret"}
	named := func(name string) Binding { return Binding{ParamRef: &v1.ParamRef{Name: name}} }
	by := func(value string) Binding {
		return Binding{ParamRef: &v1.ParamRef{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"k": value}}}}
	}
	both := Binding{ParamRef: &v1.ParamRef{Name: "a", Selector: &metav1.LabelSelector{}}}
	broken := Binding{ParamRef: &v1.ParamRef{Selector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "k", Operator: "Like"}}}}}
	deny := v1.DenyAction
	required := Binding{ParamRef: &v1.ParamRef{Name: "none", ParameterNotFoundAction: &deny}}
	for _, c := range []struct {
		name     string
		kind     *v1.ParamKind
		bindings []Binding
		want     string
	}{
		{"no bindings", secrets, nil, ""},
		{"by name", secrets, []Binding{named("c")}, "c"},
		{"by labels", secrets, []Binding{by("v")}, "a"},
		{"after one that finds none", secrets, []Binding{named("none"), by("none"), named("c")}, "c"},
		{"after one that is refused", secrets, []Binding{required, both, broken, {ParamRef: &v1.ParamRef{}}, named("c")}, "c"},
		{"after one without params", secrets, []Binding{{}, named("c")}, "c"},
		{"none", secrets, []Binding{{}, named("none")}, ""},
		{"of a policy without params", nil, []Binding{named("c")}, ""},
		{"of a kind that is not known", &v1.ParamKind{APIVersion: "example.com/v1", Kind: "Thing"}, []Binding{named("c")}, ""},
	} {
		param := chain.FirstParam(&Policy{ParamKind: c.kind, Bindings: c.bindings})
		meta, _ := param["metadata"].(map[string]any)
		if got, _ := meta["name"].(string); got != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
	// What is there of another version is given in that of the param kind.
	events := schema.GroupVersionKind{Group: "events.k8s.io", Version: "v1", Kind: "Event"}
	got, err := chain.asParams(schema.GroupVersionKind{Version: "v1", Kind: "Event"}, cluster.Object{GVK: events, Name: "e", Value: map[string]any{"apiVersion": "events.k8s.io/v1", "kind": "Event", "note": "n"}})
	if err != nil || len(got) != 1 || got[0].Value["message"] != "n" || got[0].Value["apiVersion"] != "v1" || got[0].GVK.Group != "" {
		t.Errorf("an event becomes %v, %v", got, err)
	}
	if _, err := chain.asParams(schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, cluster.Object{GVK: events, Value: map[string]any{}}); err == nil {
		t.Error("an event becomes a Pod")
	}
}

// TestKindsWithTypes: from 1.37 on expressions see Go values, of kinds that have types.
func TestKindsWithTypes(t *testing.T) {
	kinds, err := catalog.For(version.MustParse("1.37"))
	if err != nil {
		t.Fatal(err)
	}
	pod, thing := schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Thing"}
	scale := schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"} // of subresources only
	for _, c := range []struct {
		version       string
		kind          schema.GroupVersionKind
		param         *schema.GroupVersionKind
		object, other bool // whether the object and the param have a type
	}{
		{"1.37", pod, nil, true, false},
		{"1.37", pod, &pod, true, true},
		{"1.37", pod, &thing, true, false},
		{"1.37", thing, &pod, false, true},
		{"1.37", scale, nil, true, false},
		{"1.36", pod, &pod, false, false},
	} {
		chain := &Chain{Version: version.MustParse(c.version), Catalog: kinds}
		got := chain.TypesOf(c.kind, c.param)
		if (got.Object != nil) != c.object || (got.OldObject != nil) != c.object || (got.Params != nil) != c.other || (got.Namespace != nil) != (c.version == "1.37") || (got.Request != nil) != (c.version == "1.37") {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

// TestManyMetrics: one entry for each set of labels, however many there are.
func TestManyMetrics(t *testing.T) {
	chain := &Chain{Report: &report.Report{}}
	for range 2 {
		for i := range 3 * fewMetrics {
			chain.Count(Metric{Name: "a", Webhook: fmt.Sprint(i)})
		}
	}
	chain.Observe(Metric{Name: "a", Webhook: "5"}, 1.5)
	chain.Observe(Metric{Name: "a", Webhook: "5"}, 2)
	if len(chain.Report.Metrics) != 3*fewMetrics {
		t.Fatalf("%d metrics", len(chain.Report.Metrics))
	}
	for i, m := range chain.Report.Metrics {
		want := report.Metric{Name: "a", Labels: map[string]string{"name": fmt.Sprint(i)}, Value: 2}
		if i == 5 {
			want.Value, want.Seconds = 4, []float64{1.5, 2}
		}
		if !reflect.DeepEqual(m, want) {
			t.Errorf("got %+v, want %+v", m, want)
		}
	}
}

// TestSteps: the last of none is none, and repeated checks are not recorded.
func TestSteps(t *testing.T) {
	chain := &Chain{Report: &report.Report{}}
	if chain.Last() != nil || chain.Current() != -1 {
		t.Error("there is a step")
	}
	step := &report.Step{}
	chain.Enter(step)
	ran := false
	chain.quietly(func() {
		ran = true
		chain.Authorized(report.Authorization{})
	})
	if !ran || len(step.Authorizations) != 0 {
		t.Errorf("ran: %t, recorded: %v", ran, step.Authorizations)
	}
	if chain.Authorized(report.Authorization{}); len(step.Authorizations) != 1 {
		t.Errorf("recorded: %v", step.Authorizations)
	}
}
