package workload

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "sigs.k8s.io/json"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// worked is what a real control plane's controllers created for an object (TestWorkloads in
// conformance/server).
type worked struct {
	Name   string         `json:"name"`
	Stored map[string]any `json:"stored"`
	Made   []recorded     `json:"made"`
}

type recorded struct {
	User   string         `json:"user"`
	Sent   map[string]any `json:"sent"`
	Stored map[string]any `json:"stored"`
}

// TestRecorded compares with what real controllers sent, with the server decoder's defaults.
func TestRecorded(t *testing.T) {
	raw, err := os.ReadFile("../../../../storage/testdata/workloads.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []worked
	if err := kjson.UnmarshalCaseSensitivePreserveInts(raw, &list); err != nil {
		t.Fatal(err)
	}
	kinds, err := catalog.For(version.MustParse("1.37"))
	if err != nil {
		t.Fatal(err)
	}
	compared := map[string]bool{}
	for _, w := range list {
		parent := w.Stored
		compared[text(parent["kind"])] = true
		for i := 0; i < len(w.Made); {
			made := Of(parent, scheduledAt(w.Made[i].Sent))
			if len(made) == 0 {
				t.Fatalf("%s: nothing is made of the %s", w.Name, parent["kind"])
			}
			for _, m := range made {
				j := slices.IndexFunc(w.Made, func(r recorded) bool {
					return r.Sent["kind"] == m.Object["kind"] && (m.Object["kind"] != "PersistentVolumeClaim" || nameOf(r.Sent) == nameOf(m.Object))
				})
				if j < 0 {
					t.Fatalf("%s: no controller made a %s %s", w.Name, m.Object["kind"], nameOf(m.Object))
				}
				sent := w.Made[j].Sent
				got, want := comparable(t, kinds, m.Object), comparable(t, kinds, hashed(t, sent))
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s: the %s is\n%s\nwant\n%s", w.Name, m.Object["kind"], written(t, got), written(t, want))
				}
				if want := "system:serviceaccount:kube-system:" + m.Account; w.Made[j].User != want {
					t.Errorf("%s: the %s is made by %s, and not by %s", w.Name, m.Object["kind"], w.Made[j].User, want)
				}
				parent = w.Made[j].Stored
				i++
			}
		}
	}
	if len(compared) != len(controllers) {
		t.Errorf("only %v are compared", compared)
	}
}

func nameOf(object map[string]any) string { return text(untyped.Sub(object, "metadata")["name"]) }

// scheduledAt is the scheduled time of the CronJob's Job.
func scheduledAt(job map[string]any) string {
	return text(untyped.Sub(job, "metadata", "annotations")["batch.kubernetes.io/cronjob-scheduled-timestamp"])
}

// hashed replaces the template hash from the object's own controller by Hash.
func hashed(t *testing.T, object map[string]any) map[string]any {
	labels := untyped.Sub(object, "metadata", "labels")
	hash := text(labels["controller-revision-hash"])
	if object["kind"] == "ReplicaSet" {
		hash = text(labels["pod-template-hash"])
	}
	if hash == "" {
		return object
	}
	hash = hash[strings.LastIndex(hash, "-")+1:]
	return parsed(t, strings.ReplaceAll(written(t, object), hash, Hash))
}

// comparable returns an object as the server reads it: with its URL's namespace, without its status
// and the time that the Job client generates. A StatefulSet's claims may be in any order.
func comparable(t *testing.T, kinds *catalog.Catalog, object map[string]any) map[string]any {
	kind := schema.FromAPIVersionAndKind(text(object["apiVersion"]), text(object["kind"]))
	normal, problems := kinds.Normalise(kind, parsed(t, written(t, object)))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	out := kinds.Complete(kind, catalog.Normal{Object: normal})
	delete(out, "status")
	metadata := untyped.Sub(out, "metadata")
	metadata["namespace"] = "work"
	delete(metadata, "creationTimestamp")
	if volumes, _ := untyped.Sub(out, "spec")["volumes"].([]any); untyped.Sub(metadata, "labels")["apps.kubernetes.io/pod-index"] != nil {
		slices.SortFunc(volumes, func(a, b any) int { return strings.Compare(written(t, a), written(t, b)) })
	}
	return out
}

func written(t *testing.T, value any) string {
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
