package builtin

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/conformance/wire"
	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/scenario"
)

var (
	server = flag.String("server", "", "the command conformance/plugins, built; without it the test is skipped")
	count  = flag.Int("scenarios", 1000, "scenarios")
	first  = flag.Int64("seed", 1, "of the first scenario")
)

// kubernetes is the release that conformance/plugins is pinned to.
const kubernetes = "1.36"

// TestPlugins compares verdict, message, warnings, audit annotations and the
// object after the mutating phase, for instance with
//
//	(cd plugins && go build -o SERVER .)
//	go test ./builtin -args -server SERVER -scenarios 5000
func TestPlugins(t *testing.T) {
	if *server == "" {
		t.Skip("-server is not given")
	}
	var in bytes.Buffer
	encoder := json.NewEncoder(&in)
	cases := map[string]wire.Case{}
	for i := range *count {
		g := generator{rand.New(rand.NewSource(*first + int64(i)))}
		c := wire.Case{ID: fmt.Sprint(*first + int64(i)), Cluster: text(g.cluster()), Request: g.request()}
		cases[c.ID] = c
		if err := encoder.Encode(c); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.Command(*server)
	command.Stdin = &in
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 16<<20)
	answered, denied, mutated := 0, 0, 0
	for lines.Scan() {
		var want wire.Answer
		if err := json.Unmarshal(lines.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		if want.Error != "" {
			t.Errorf("seed %s: the reference: %s", want.ID, want.Error)
			continue
		}
		answered++
		if !want.Allowed {
			denied++
		}
		if compare(t, cases[want.ID], want) {
			mutated++
		}
	}
	if answered != *count {
		t.Errorf("%d of %d scenarios were answered", answered, *count)
	}
	t.Logf("%d scenarios, %d denied, %d with changes of the object", answered, denied, mutated)
}

// compare reports whether the plugins changed the object.
func compare(t *testing.T, c wire.Case, want wire.Answer) bool {
	// The objects of an update are taken as they are: those of a manifest would be
	// completed as if they had been created.
	update := strings.Contains(c.Request, `"operation":"UPDATE"`)
	defaulting := !update
	r, err := engine.Evaluate(context.Background(), scenario.Scenario{
		Kubernetes: kubernetes, Cluster: c.Cluster, Request: c.Request, Now: "2026-01-01T00:00:00Z",
		Options: scenario.Options{Defaulting: &defaulting, Plugins: &scenario.Plugins{Enable: []string{"NodeRestriction", "DenyServiceExternalIPs"}}},
	}, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o := r.Outcome
	if o.Allowed != want.Allowed || !o.Allowed && (o.Code != want.Code || o.Reason != want.Reason || !sameMessage(o.Message, want.Message)) {
		t.Errorf("seed %s:\n want %t %d %s\n got  %t %d %s", c.ID, want.Allowed, want.Code, want.Message, o.Allowed, o.Code, o.Message)
		return false
	}
	if !slices.Equal(o.Warnings, want.Warnings) || len(o.AuditAnnotations)+len(want.AuditAnnotations) > 0 && !reflect.DeepEqual(o.AuditAnnotations, want.AuditAnnotations) {
		t.Errorf("seed %s:\n want %q %v\n got  %q %v", c.ID, want.Warnings, want.AuditAnnotations, o.Warnings, o.AuditAnnotations)
	}
	if !want.Allowed || update {
		return false
	}
	if a, b := plain(t, want.Object), plain(t, r.Mutated); a != b {
		t.Errorf("seed %s:\n want %s\n got  %s", c.ID, a, b)
	}
	return !reflect.DeepEqual(r.Sent, r.Mutated)
}

// sameMessage compares messages whose parts come in random order.
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

// plain is an object as text, without what is random.
func plain(t *testing.T, o map[string]any) string {
	raw, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	text := tokenName.ReplaceAllString(string(raw), "kube-api-access")
	return strings.ReplaceAll(empty.ReplaceAllString(text, ""), ",}", "}")
}
