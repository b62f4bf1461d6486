package custom

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/conformance/differential"
	"github.com/preadmit/preadmit/conformance/wire"
	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

var (
	scenarios = flag.Int("scenarios", differential.Custom, "scenarios to compare")
	first     = flag.Int("first", 0, "number of the first scenario")
	seed      = flag.Uint64("seed", 1, "seed of the generator")
	version   = flag.String("kubernetes", "1.36", "Kubernetes version to compare with")
	update    = flag.Bool("update", false, "write the row of what was compared to docs/fidelity.md")
	show      = flag.Bool("show", false, "print each scenario that differs")
)

// Scenario makes a definition and a request.
func made(seed uint64, n int) wire.Case {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, uint64(n)))}
	definition := g.definition()
	if n%12 == 4 {
		cluster, request := g.scaling(definition)
		return wire.Case{ID: fmt.Sprint(n), Cluster: cluster, Request: request, Defaulting: true}
	}
	if n%6 == 5 {
		return wire.Case{ID: fmt.Sprint(n), Request: g.definitionUpdate(definition), Defaulting: true}
	}
	return wire.Case{ID: fmt.Sprint(n), Cluster: text(definition), Request: g.request(definition), Defaulting: true}
}

// TestCustomResources compares the installation of definitions, and verdict,
// message, causes, warnings and object of requests for their objects:
//
//	go test ./custom -args -kubernetes 1.33 -scenarios 5000
func TestCustomResources(t *testing.T) {
	server, release, minor, err := differential.BuildCommand(t.Context(), "../customresources", "../build", "customresources", "k8s.io/apiextensions-apiserver", *version)
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]wire.Case{}
	var in bytes.Buffer
	encoder := json.NewEncoder(&in)
	for i := range *scenarios {
		c := made(*seed, *first+i)
		cases[c.ID] = c
		if err := encoder.Encode(c); err != nil {
			t.Fatal(err)
		}
	}
	out, err := differential.Answered(t.Context(), server, &in)
	if err != nil {
		t.Fatal(err)
	}
	again := func(c wire.Case) []wire.Answer { return repeated(t, server, c) }
	result := &differential.Result{Scenarios: len(cases), Counts: map[string]int{}, Excepted: map[string]int{}}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 64<<20)
	answered := 0
	for lines.Scan() {
		var want wire.Answer
		if err := json.Unmarshal(lines.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		answered++
		differences := compare(t, cases[want.ID], want, result.Counts)
		if len(differences) > 0 && oneOf(t, cases[want.ID], again) {
			result.Counts["answers that the server gives by chance"]++
			differences = nil
		}
		if len(differences) > 0 {
			result.Failures = append(result.Failures, differential.Failure{})
			if len(result.Failures) <= 20 {
				t.Errorf("seed %d, scenario %s:\n%s", *seed, want.ID, strings.Join(differences, "\n"))
				if *show {
					t.Logf("%s\n%s", cases[want.ID].Cluster, cases[want.ID].Request)
				}
			}
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if answered != len(cases) {
		t.Errorf("%d of %d scenarios were answered", answered, len(cases))
	}
	t.Logf("%d different\n%s", len(result.Failures), result.Table())
	reached(t, result)
	if *update {
		row := &differential.Reference{Minor: minor, Release: release}
		if err := result.WriteRow(filepath.FromSlash("../../docs/fidelity.md"), row, "custom resources"); err != nil {
			t.Fatal(err)
		}
	}
}

// repeated are the server's responses to a scenario that is sent many times.
func repeated(t *testing.T, server string, c wire.Case) []wire.Answer {
	t.Helper()
	var in bytes.Buffer
	encoder := json.NewEncoder(&in)
	for range 40 {
		if err := encoder.Encode(c); err != nil {
			t.Fatal(err)
		}
	}
	out, err := differential.Answered(t.Context(), server, &in)
	if err != nil {
		t.Fatal(err)
	}
	var answers []wire.Answer
	for line := range bytes.Lines(out) {
		var a wire.Answer
		if err := json.Unmarshal(line, &a); err != nil {
			t.Fatal(err)
		}
		answers = append(answers, a)
	}
	return answers
}

// oneOf reports whether a scenario has several random responses that both the engine and the server
// return. Both compare maps in random order, and the first value that differs or has another type
// decides.
func oneOf(t *testing.T, c wire.Case, again func(wire.Case) []wire.Answer) bool {
	for _, want := range again(c) {
		if len(compare(t, c, want, map[string]int{})) == 0 {
			return true
		}
	}
	return false
}

// reached fails if the generator no longer covers what it should.
func reached(t *testing.T, r *differential.Result) {
	t.Helper()
	if r.Scenarios < 500 {
		return
	}
	for _, what := range []string{"definitions: accepted", "definitions: refused", "definitions: warned about", "CREATE: allowed", "CREATE: refused", "UPDATE: allowed", "UPDATE: refused", "UPDATE status: allowed", "UPDATE status: refused", "UPDATE scale: allowed", "UPDATE of a definition: allowed", "UPDATE of a definition: refused", "warnings", "failed rules", "rules not run"} {
		if old := *version < "1.34"; old && what == "definitions: warned about" {
			continue // those releases have no warnings
		}
		if r.Counts[what] == 0 {
			t.Errorf("not one scenario has: %s", what)
		}
	}
}

// compare lists the differences.
func compare(t *testing.T, c wire.Case, want wire.Answer, counts map[string]int) []string {
	if want.Error != "" {
		return []string{"the reference: " + want.Error}
	}
	on := true
	r, err := engine.Evaluate(context.Background(), scenario.Scenario{
		Kubernetes: *version, Cluster: c.Cluster, Request: sent(c.Request), Now: "2026-01-01T00:00:00Z",
		// The reference does not check for unknown fields.
		Options: scenario.Options{Defaulting: &on, Plugins: &scenario.Plugins{}, FieldValidation: "Ignore", CompleteCluster: true},
	}, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c.Cluster == "" {
		return compareOutcome(c, want, r, counts)
	}
	if differences := compareInstall(want.Install[0], r.Install, counts); len(differences) > 0 || want.Install[0].Message != "" {
		return differences
	}
	if missing := func(s string) bool { return strings.HasPrefix(s, "The scenario's cluster has no Widget") }; slices.ContainsFunc(r.NotSimulated, missing) {
		counts["scales of an object that cannot be created"]++
		return nil
	}
	return compareOutcome(c, want, r, counts)
}

// sent returns the engine's request: a created object as the client has it.
func sent(request string) string {
	var q struct {
		Request struct {
			Operation string
			Object    json.RawMessage
		}
	}
	if err := json.Unmarshal([]byte(request), &q); err != nil || q.Request.Operation != "CREATE" {
		return request
	}
	return string(q.Request.Object)
}

func compareInstall(want wire.Install, got []report.Install, counts map[string]int) []string {
	var have report.Install
	if len(got) > 0 {
		have = got[0]
	}
	switch {
	case want.Message != "":
		counts["definitions: refused"]++
	case len(want.Warnings) > 0:
		counts["definitions: warned about"]++
	default:
		counts["definitions: accepted"]++
	}
	var out []string
	if want.Code != have.Code || want.Reason != have.Reason || !sameList(want.Message, have.Message) {
		out = append(out, fmt.Sprintf("install:\n want %d %s\n got  %d %s", want.Code, want.Message, have.Code, have.Message))
	}
	if want.Message == "" && !slices.Equal(inOrder(want.Warnings), inOrder(have.Warnings)) {
		out = append(out, fmt.Sprintf("warnings of the installation:\n want %q\n got  %q", want.Warnings, have.Warnings))
	}
	return out
}

func inOrder(list []string) []string { return slices.Sorted(slices.Values(list)) }

// comparableCauses returns sorted causes without random parts.
func comparableCauses(causes []string) []string {
	var out []string
	for _, cause := range causes {
		if !strings.HasSuffix(cause, nearTheTotal) {
			out = append(out, withoutChance(cause))
		}
	}
	return inOrder(out)
}

// nearTheTotal ends the error about a rule that helped to exceed the total. Among rules with equal
// cost, the named ones are random.
const nearTheTotal = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"

func compareOutcome(c wire.Case, want wire.Answer, r *report.Report, counts map[string]int) []string {
	o := r.Outcome
	var out []string
	what := "CREATE: "
	if strings.Contains(c.Request, `"operation":"UPDATE"`) {
		what = "UPDATE: "
		if strings.Contains(c.Request, `"subResource":"status"`) {
			what = "UPDATE status: "
		}
		if strings.Contains(c.Request, `"subResource":"scale"`) {
			what = "UPDATE scale: "
		}
		if c.Cluster == "" {
			what = "UPDATE of a definition: "
		}
	}
	if want.Allowed {
		counts[what+"allowed"]++
	} else {
		counts[what+"refused"]++
	}
	if o.Allowed != want.Allowed || !o.Allowed && (o.Code != want.Code || o.Reason != want.Reason || !sameList(o.Message, want.Message)) {
		return []string{fmt.Sprintf(" want %t %d %s\n got  %t %d %s", want.Allowed, want.Code, want.Message, o.Allowed, o.Code, o.Message)}
	}
	if len(want.Warnings) > 0 {
		counts["warnings"]++
	}
	if !slices.Equal(inOrder(o.Warnings), inOrder(want.Warnings)) {
		out = append(out, fmt.Sprintf("warnings:\n want %q\n got  %q", want.Warnings, o.Warnings))
	}
	if !want.Allowed {
		if strings.Contains(want.Message, "some validation rules were not checked") {
			counts["rules not run"]++
		} else if strings.Contains(c.Cluster, "x-kubernetes-validations") {
			counts["failed rules"]++
		}
		if got := causes(o); !slices.Equal(comparableCauses(got), comparableCauses(want.Causes)) {
			out = append(out, fmt.Sprintf("causes:\n want %q\n got  %q", want.Causes, got))
		}
		return out
	}
	if a, b := plain(want.Object), plain(r.Object); what != "UPDATE scale: " && !reflect.DeepEqual(a, b) {
		out = append(out, fmt.Sprintf("object:\n want %s\n got  %s", text(a), text(b)))
	}
	return out
}

func causes(o report.Outcome) []string {
	var out []string
	for i, cause := range o.Causes {
		field := "<nil>"
		if i < len(o.CauseFields) && o.CauseFields[i] != nil {
			field = *o.CauseFields[i]
		}
		out = append(out, field+": "+cause)
	}
	return out
}

// plain returns an object without random parts.
func plain(o map[string]any) any {
	var out map[string]any
	if err := json.Unmarshal([]byte(text(o)), &out); err != nil {
		panic(err) // it was JSON
	}
	if m, ok := out["metadata"].(map[string]any); ok {
		delete(m, "uid")
		delete(m, "creationTimestamp")
		delete(m, "managedFields")
	}
	return out
}

// selfType is the server's generated name for a type without properties.
var selfType = regexp.MustCompile(`selfType\d+`)

// pointer matches an address, which old releases' messages contain.
var pointer = regexp.MustCompile(`0x[0-9a-f]{6,}`)

func withoutChance(message string) string {
	return pointer.ReplaceAllString(selfType.ReplaceAllString(message, "selfType"), "0x0")
}

// sameList compares messages that list errors in any order: properties come in Go map order.
func sameList(a, b string) bool {
	a, b = withoutChance(a), withoutChance(b)
	if a == b {
		return true
	}
	split := func(s string) []string {
		head, list, found := strings.Cut(s, " is invalid: [")
		if !found {
			return []string{s}
		}
		parts := slices.DeleteFunc(strings.Split(strings.TrimSuffix(list, "]"), ", "), func(part string) bool {
			return strings.HasSuffix(part, nearTheTotal)
		})
		slices.Sort(parts)
		return append(parts, head)
	}
	return slices.Equal(split(a), split(b))
}

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(m.Run())
}
