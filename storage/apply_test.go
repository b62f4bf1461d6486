package storage

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/options"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

var (
	applyRuns = flag.Int("applies", 6, "how many histories of applies to compare for each kind")
	applySeed = flag.Uint64("apply-seed", 1, "the seed of the histories")
)

// TestApply runs histories of applies and updates by several managers through the API server's own field
// manager, with its Go types, defaults and published schemas, and each apply through the engine as well. It
// compares the merged object with its managed fields, or the rejection.
func TestApply(t *testing.T) {
	raw, err := os.ReadFile("testdata/apply/objects.yaml")
	if err != nil {
		t.Fatal(err)
	}
	converter := openAPI(t)
	for text := range strings.SplitSeq(string(raw), "\n---\n") {
		var base map[string]any
		if err := yaml.Unmarshal([]byte(text), &base); err != nil {
			t.Fatal(err)
		}
		t.Run(fmt.Sprint(base["kind"]), func(t *testing.T) {
			h := &history{T: t, base: base, manager: fieldManager(t, base, converter), random: rand.New(rand.NewPCG(*applySeed, 1)), seen: map[int]int{}}
			for range *applyRuns {
				h.run()
			}
			if h.seen[http.StatusOK] == 0 || h.seen[http.StatusConflict] == 0 {
				t.Errorf("the histories have %v", h.seen)
			}
			t.Log(h.seen)
		})
	}
}

// openAPI is the server's converter between objects and their published schemas.
func openAPI(t *testing.T) managedfields.TypeConverter {
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes").Output()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "api/openapi-spec/v3/*__v*_openapi.json"))
	if err != nil || len(files) < 30 {
		t.Fatalf("%d documents: %v", len(files), err)
	}
	schemas := map[string]*spec.Schema{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var document spec3.OpenAPI
		if err := json.Unmarshal(raw, &document); err != nil {
			t.Fatal(err)
		}
		if document.Components != nil {
			maps.Copy(schemas, document.Components.Schemas)
		}
	}
	converter, err := managedfields.NewTypeConverter(schemas, false)
	if err != nil {
		t.Fatal(err)
	}
	return converter
}

// fieldManager is that of the base's kind, as installed by k8s.io/apiserver/pkg/endpoints.
func fieldManager(t *testing.T, base map[string]any, converter managedfields.TypeConverter) *managedfields.FieldManager {
	gvk := (&unstructured.Unstructured{Object: base}).GroupVersionKind()
	plural, _ := meta.UnsafeGuessKindToResource(gvk)
	filters := map[fieldpath.APIVersion]fieldpath.Filter{}
	if resets, ok := kinds[plural.GroupResource()].object.(rest.ResetFieldsStrategy); ok {
		filters = fieldpath.NewExcludeFilterSetMap(resets.GetResetFields())
	}
	hub := schema.GroupVersion{Group: gvk.Group, Version: runtime.APIVersionInternal}
	m, err := managedfields.NewDefaultFieldManager(converter, legacyscheme.Scheme, legacyscheme.Scheme, legacyscheme.Scheme, gvk, hub, "", filters)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// history is what several managers do to one object.
type history struct {
	*testing.T
	base    map[string]any
	manager *managedfields.FieldManager
	random  *rand.Rand
	seen    map[int]int // answers by code
}

// chance is true in some of a hundred cases.
func (h *history) chance(percent int) bool { return h.random.IntN(100) < percent }

func (h *history) run() {
	gvk := (&unstructured.Unstructured{Object: h.base}).GroupVersionKind()
	var live map[string]any
	for range 6 {
		if live != nil && h.chance(20) {
			live = h.update(gvk, live)
		}
		if live != nil && h.chance(5) {
			delete(live["metadata"].(map[string]any), "managedFields")
		}
		config := h.part(h.base, true).(map[string]any)
		apply := scenario.ApplySettings{FieldManager: []string{"one", "two", "kubectl"}[h.random.IntN(3)], Force: h.chance(30)}
		want, err := h.apply(gvk, live, config, apply)
		h.compare(live, config, apply, want, err)
		if h.Failed() {
			return
		}
		if err == nil {
			live = want
		}
	}
}

// part is a random part of a value, with changes. top says that it is the object itself, which keeps its name.
func (h *history) part(value any, top bool) any {
	switch v := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			switch {
			case top && (key == "apiVersion" || key == "kind"):
				out[key] = v[key]
			case top && key == "metadata":
				out[key] = h.part(v[key], false)
				metadata, given := out[key].(map[string]any), v[key].(map[string]any)
				metadata["name"] = given["name"]
				if given["namespace"] != nil {
					metadata["namespace"] = given["namespace"]
				}
			case h.chance(75) || key == "name" || key == "port" || key == "containerPort":
				out[key] = h.part(v[key], false)
			}
		}
		if h.chance(1) {
			out["bogus"] = "1"
		}
		return out
	case []any:
		out := []any{}
		for _, item := range v {
			if h.chance(80) {
				out = append(out, h.part(item, false))
			}
			if h.chance(3) {
				out = append(out, h.part(item, false))
			}
		}
		return out
	case string:
		if h.chance(12) {
			return v + "x"
		}
	case int64, float64:
		if h.chance(12) {
			return h.random.IntN(9)
		}
	case bool:
		return v != h.chance(20)
	}
	if h.chance(1) {
		return []any{value}
	}
	return value
}

// apply is what the server makes of an apply.
func (h *history) apply(gvk schema.GroupVersionKind, live, config map[string]any, apply scenario.ApplySettings) (map[string]any, error) {
	var stored runtime.Object
	var err error
	if live == nil {
		stored, err = legacyscheme.Scheme.New(gvk)
	} else {
		_, stored, err = decode(gvk, live)
	}
	if err != nil {
		h.Fatal(err)
	}
	merged, err := h.manager.Apply(stored, &unstructured.Unstructured{Object: runtime.DeepCopyJSON(decoded(h, config))}, apply.FieldManager, apply.Force)
	if err != nil {
		return nil, err
	}
	return h.versioned(gvk, merged), nil
}

// update writes the object with another label, as the manager "editor".
func (h *history) update(gvk schema.GroupVersionKind, live map[string]any) map[string]any {
	_, before, err := decode(gvk, live)
	if err != nil {
		h.Fatal(err)
	}
	changed := runtime.DeepCopyJSON(live)
	for _, key := range slices.Sorted(maps.Keys(changed)) {
		if key == "spec" || key == "data" {
			changed[key] = h.merged(changed[key], h.part(h.base[key], false))
		}
	}
	_, after, err := decode(gvk, changed)
	if err != nil {
		return live // a changed value does not fit
	}
	return h.versioned(gvk, h.manager.UpdateNoErrors(before, after, "editor"))
}

// merged puts the scalars of a change into the maps of a value.
func (h *history) merged(value, change any) any {
	was, ok := value.(map[string]any)
	with, both := change.(map[string]any)
	if !ok || !both {
		if _, list := change.([]any); list || reflect.TypeOf(value) != reflect.TypeOf(change) {
			return value
		}
		return change
	}
	for key := range with {
		if was[key] != nil {
			was[key] = h.merged(was[key], with[key])
		}
	}
	return was
}

func (h *history) versioned(gvk schema.GroupVersionKind, object runtime.Object) map[string]any {
	out, err := legacyscheme.Scheme.ConvertToVersion(object, gvk.GroupVersion())
	if err != nil {
		h.Fatal(err)
	}
	raw, err := json.Marshal(out)
	if err != nil {
		h.Fatal(err)
	}
	var value map[string]any
	if err := json.Unmarshal(raw, &value); err != nil {
		h.Fatal(err)
	}
	return decoded(h, value)
}

// decoded is an object with whole numbers as integers.
func decoded(h *history, object map[string]any) map[string]any {
	raw, err := json.Marshal(object)
	if err != nil {
		h.Fatal(err)
	}
	var out unstructured.Unstructured
	if err := out.UnmarshalJSON(raw); err != nil {
		h.Fatal(err)
	}
	return out.Object
}

// compare asks the engine and compares its answer with the server's.
func (h *history) compare(live, config map[string]any, apply scenario.ApplySettings, want map[string]any, refusal error) {
	settings := &scenario.RequestSettings{Apply: &apply}
	if live != nil {
		settings.OldObject = indented(h, live)
	}
	s := scenario.Scenario{Request: indented(h, config), Options: scenario.Options{Plugins: scenario.Exactly(), AdmissionOnly: true, Request: settings}}
	got, err := engine.Evaluate(h.Context(), s, options.Options{})
	if err != nil {
		h.Fatal(err)
	}
	code, message := http.StatusOK, ""
	var causes []string
	var status *apierrors.StatusError
	switch {
	case errors.As(refusal, &status):
		code, message = int(status.ErrStatus.Code), status.ErrStatus.Message
		for _, cause := range status.ErrStatus.Details.Causes {
			causes = append(causes, cause.Field+" "+cause.Message)
		}
	case refusal != nil:
		code, message = http.StatusInternalServerError, refusal.Error()
	}
	h.seen[code]++
	said := fmt.Sprintf("apply %+v of\n%s\nto\n%s\n", apply, s.Request, settings.OldObject)
	if got.Outcome.Allowed != (code == http.StatusOK) || code != http.StatusOK && (got.Outcome.Code != code || sortedLines(got.Outcome.Message) != sortedLines(message)) {
		h.Fatalf("%s\n got %d %s\nwant %d %s", said, got.Outcome.Code, got.Outcome.Message, code, message)
	}
	if list := causesOf(got); !slices.Equal(list, slices.Sorted(slices.Values(causes))) {
		h.Fatalf("%s\n got %q\nwant %q", said, list, causes)
	}
	if code != http.StatusOK {
		return
	}
	have, wanted := indented(h, untimed(got.Input)), indented(h, untimed(want))
	if have != wanted {
		h.Fatalf("%s\n got only %s\nwant also %s", said, without(have, wanted), without(wanted, have))
	}
}

// sortedLines are the lines of a message: errors about several fields are in random order. Of several
// invalid values of a map the server names any.
func sortedLines(text string) string {
	text, _, _ = strings.Cut(text, "illegal base64 data at input byte")
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// without are the lines of a text that another lacks.
func without(text, other string) string {
	has := map[string]int{}
	for line := range strings.Lines(other) {
		has[line]++
	}
	var out strings.Builder
	for line := range strings.Lines(text) {
		if has[line]--; has[line] < 0 {
			out.WriteString(line)
		}
	}
	return out.String()
}

func causesOf(r *report.Report) (out []string) {
	for i, message := range r.Outcome.Causes {
		field := ""
		if r.Outcome.CauseFields[i] != nil {
			field = *r.Outcome.CauseFields[i]
		}
		out = append(out, field+" "+message)
	}
	slices.Sort(out)
	return out
}

// untimed is an object without the times of its managers. A manager without a time is not.
func untimed(object map[string]any) map[string]any {
	out := runtime.DeepCopyJSON(object)
	metadata, _ := out["metadata"].(map[string]any)
	list, _ := metadata["managedFields"].([]any)
	for _, entry := range list {
		if fields, ok := entry.(map[string]any); ok && fields["time"] != nil {
			fields["time"] = "some"
		}
	}
	slices.SortFunc(list, func(a, b any) int { return bytes.Compare(managerOf(a), managerOf(b)) })
	return out
}

// managerOf is what entries are ordered by here. The server orders them by time first.
func managerOf(entry any) []byte {
	fields, _ := entry.(map[string]any)
	return []byte(fmt.Sprint(fields["manager"], fields["operation"], fields["apiVersion"]))
}

func indented(h *history, object map[string]any) string {
	raw, err := json.MarshalIndent(object, "", " ")
	if err != nil {
		h.Fatal(err)
	}
	return string(raw)
}
