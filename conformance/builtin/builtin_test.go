package builtin

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/conformance/differential"
	"github.com/preadmit/preadmit/conformance/wire"
	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/scenario"
)

var (
	scenarios = flag.Int("scenarios", 300, "scenarios to compare")
	first     = flag.Int64("seed", 1, "seed of the first scenario; each has the next one")
	version   = flag.String("kubernetes", "1.36", "Kubernetes version to compare with")
	update    = flag.Bool("update", false, "write the row of what was compared to docs/fidelity.md")
	show      = flag.Bool("show", false, "print each scenario that differs")
)

// TestPlugins compares verdict, message, warnings, audit annotations and the
// object after the mutating phase:
//
//	go test ./builtin -args -kubernetes 1.33 -scenarios 5000
func TestPlugins(t *testing.T) {
	server, release, minor, err := differential.BuildCommand(t.Context(), "../plugins", "../build", "plugins", "k8s.io/kubernetes", *version)
	if err != nil {
		t.Fatal(err)
	}
	var in bytes.Buffer
	encoder := json.NewEncoder(&in)
	cases := map[string]wire.Case{}
	for i := range *scenarios {
		g := generator{rand.New(rand.NewSource(*first + int64(i))), minor >= 34}
		c := wire.Case{ID: fmt.Sprint(*first + int64(i)), Cluster: text(g.cluster()), Request: g.request()}
		c.PodSecurity, c.Quotas = g.podSecurity(), g.limited()
		cases[c.ID] = c
		if err := encoder.Encode(c); err != nil {
			t.Fatal(err)
		}
	}
	out, err := differential.Answered(t.Context(), server, &in)
	if err != nil {
		t.Fatal(err)
	}
	result := &differential.Result{Scenarios: len(cases), Counts: map[string]int{}, Excepted: map[string]int{}}
	answered := 0
	for line := range bytes.Lines(out) {
		var want wire.Answer
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatal(err)
		}
		answered++
		differences := []string{"the reference: " + want.Error}
		if want.Error == "" {
			differences = compare(t, cases[want.ID], want, result.Counts)
		}
		if len(differences) == 0 {
			continue
		}
		result.Failures = append(result.Failures, differential.Failure{})
		if len(result.Failures) <= 20 {
			t.Errorf("seed %s:\n%s", want.ID, strings.Join(differences, "\n"))
			if *show {
				t.Logf("%s\n%s", cases[want.ID].Cluster, cases[want.ID].Request)
			}
		}
	}
	if answered != *scenarios {
		t.Errorf("%d of %d scenarios were answered", answered, *scenarios)
	}
	t.Logf("%d different\n%s", len(result.Failures), result.Table())
	if *update {
		row := &differential.Reference{Minor: minor, Release: release}
		if err := result.WriteRow(filepath.FromSlash("../../docs/fidelity.md"), row, "built-in plugins"); err != nil {
			t.Fatal(err)
		}
	}
}

// compare lists the differences.
func compare(t *testing.T, c wire.Case, want wire.Answer, counts map[string]int) []string {
	// An update's objects are used unchanged: a manifest's would be completed as if just created.
	update := strings.Contains(c.Request, `"operation":"UPDATE"`)
	defaulting := !update
	var configured []string
	for plugin, text := range map[string]string{"PodSecurity": c.PodSecurity, "ResourceQuota": c.Quotas} {
		if text != "" {
			configured = append(configured, `{"name": "`+plugin+`", "configuration": `+text+`}`)
			counts["servers that configure "+plugin]++
		}
	}
	policies := `{"apiVersion": "apiserver.config.k8s.io/v1", "kind": "AdmissionConfiguration", "plugins": [` + strings.Join(configured, ", ") + `]}`
	r, err := engine.Evaluate(context.Background(), scenario.Scenario{
		Kubernetes: *version, Policies: policies, Cluster: c.Cluster, Request: c.Request, Now: "2026-01-01T00:00:00Z",
		Options: scenario.Options{Defaulting: &defaulting, Authorizer: "allow", FieldValidation: "Ignore", CompleteCluster: true, // as in the reference
			Plugins: &scenario.Plugins{Enable: []string{"NodeRestriction", "DenyServiceExternalIPs"}}},
	}, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o := r.Outcome
	if want.Allowed {
		counts["requests: admitted"]++
	} else {
		counts["requests: refused"]++
	}
	if strings.Contains(want.Message, "insufficient quota") {
		counts["requests: refused for want of a quota"]++
	}
	if o.Allowed != want.Allowed || !o.Allowed && (o.Code != want.Code || o.Reason != want.Reason || !sameMessage(o.Message, want.Message)) {
		return []string{fmt.Sprintf(" want %t %d %s\n got  %t %d %s", want.Allowed, want.Code, want.Message, o.Allowed, o.Code, o.Message)}
	}
	var out []string
	warnings := slices.DeleteFunc(slices.Clone(o.Warnings), ofKind)
	if !slices.Equal(warnings, want.Warnings) || len(o.AuditAnnotations)+len(want.AuditAnnotations) > 0 && !reflect.DeepEqual(o.AuditAnnotations, want.AuditAnnotations) {
		out = append(out, fmt.Sprintf(" want %q %v\n got  %q %v", want.Warnings, want.AuditAnnotations, warnings, o.AuditAnnotations))
	}
	if !want.Allowed || update {
		return out
	}
	if a, b := plain(t, want.Object), plain(t, r.Mutated); a != b {
		out = append(out, fmt.Sprintf(" want %s\n got  %s", a, b))
	}
	if !reflect.DeepEqual(r.Sent, r.Mutated) {
		counts["objects that plugins changed"]++
	}
	return out
}

// sameMessage compares messages with randomly ordered parts.
func sameMessage(a, b string) bool {
	sorted := func(s string) string {
		letters := strings.Split(s, "")
		slices.Sort(letters)
		return strings.Join(letters, "")
	}
	return a == b || sorted(a) == sorted(b)
}

var (
	tokenName = regexp.MustCompile(`kube-api-access-\w+`)
	empty     = regexp.MustCompile(`"(status|metadata|creationTimestamp|resources|strategy|updateStrategy|loadBalancer)":(\{\}|null),?`)
)

// plain returns an object as text without random parts.
func plain(t *testing.T, o map[string]any) string {
	raw, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	text := tokenName.ReplaceAllString(string(raw), "kube-api-access")
	return strings.ReplaceAll(empty.ReplaceAllString(text, ""), ",}", "}")
}

// ofKind reports whether a warning comes from the server's own code for a kind and not from a
// plugin.
func ofKind(warning string) bool {
	return strings.HasPrefix(warning, "metadata.") || strings.HasPrefix(warning, "spec.") || strings.HasPrefix(warning, "annotation ")
}
