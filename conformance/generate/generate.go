// Package generate makes admission scenarios at random, each determined by a
// seed and a number: policies, bindings, params, roles and a request that go
// together well enough that a good share of them succeeds, mutates, denies,
// fails, is excluded or runs out of budget.
//
// It never gives two variables of a policy the same name: a later one that
// refers to itself recurses without end (semantics §15).
package generate

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/conformance/wire"
)

// Now is what creationTimestamp gets in every scenario.
const Now = "2026-01-01T00:00:00Z"

// Scenario is a generated case and what it was made of.
type Scenario struct {
	wire.Case
	// Kind is the kind of the request, Operation its operation.
	Kind, Operation string
}

// A Source makes scenarios for one Kubernetes version.
type Source struct {
	// Minor is the minor version, such as 36: policies have the API versions that
	// it serves and mostly use functions that it knows.
	Minor int
	Seed  uint64
}

// Scenario makes the scenario of that number.
func (src Source) Scenario(number int) Scenario {
	seed := src.Seed
	g := src.gen(seed, number)
	g.kind = g.pickKind()
	g.operation = weighted(g, map[string]int{"CREATE": 6, "UPDATE": 3, "DELETE": 1})
	g.params = weighted(g, map[string]int{"": 6, "ConfigMap": 3, "Widget": 2, "Quota": 1})
	s := Scenario{Kind: g.kind.Kind, Operation: g.operation}
	s.ID = fmt.Sprintf("%d/%d", seed, number)
	// A server defaults before anything else, so that objects without defaults
	// reach admission only for kinds that have none of their own.
	s.Defaulting = !g.kind.plain || g.chance(0.7)
	s.Cluster = g.cluster()
	s.Request = g.request()
	s.Policies = g.policies()
	if g.operation == "CREATE" {
		s.Set = map[string]any{"/metadata/uid": zeroUID, "/metadata/creationTimestamp": Now}
		if g.kind.Generation {
			s.Set["/metadata/generation"] = int64(1)
		}
		switch g.kind.Kind {
		case "Namespace":
			s.Set["/status"] = object{"phase": "Active"}
		case "Pod":
			s.Set["/status"] = object{"phase": "Pending", "qosClass": "BestEffort"}
		}
	}
	return s
}

func (src Source) gen(stream uint64, number int) *gen {
	return &gen{Rand: rand.New(rand.NewPCG(stream, uint64(number))), minor: src.Minor}
}

const zeroUID = "00000000-0000-0000-0000-000000000000"

// gen is the state of one scenario under way.
type gen struct {
	*rand.Rand
	minor     int
	kind      *kind
	operation string
	// name is the request's object name, "" with a generateName.
	name, namespace string
	// params is the paramKind that the scenario's policies may use, "" for none.
	params string

	// What an expression may refer to in its place.
	hasParams  bool
	variables  []variable
	authorizer bool
}

// variable is one of spec.variables: its name and the type of its value.
type variable struct{ name, typ string }

func (g *gen) chance(p float64) bool { return g.Float64() < p }

// pick takes one at random.
func pick[T any](g *gen, list ...T) T { return list[g.IntN(len(list))] }

// weighted takes a key with the probability of its weight. The keys are walked
// in a fixed order, as a scenario must depend on nothing but its seed.
func weighted(g *gen, weights map[string]int) string {
	keys := sortedKeys(weights)
	total := 0
	for _, k := range keys {
		total += weights[k]
	}
	n := g.IntN(total)
	for _, k := range keys {
		if n -= weights[k]; n < 0 {
			return k
		}
	}
	panic("unreachable")
}

// object is a shorthand for JSON objects.
type object = map[string]any

// text writes documents as one YAML text.
func text(docs ...object) string {
	parts := make([]string, 0, len(docs))
	for _, d := range docs {
		data, err := yaml.Marshal(d)
		if err != nil {
			panic(err) // maps, lists and scalars only
		}
		parts = append(parts, string(data))
	}
	return strings.Join(parts, "---\n")
}

// request is the AdmissionReview of the scenario.
func (g *gen) request() string {
	g.namespace = ""
	if g.kind.Namespaced {
		g.namespace = pick(g, "default", "default", "team-a")
	}
	g.name = pick(g, "web", "api", "job-1")
	obj := g.newObject()
	r := object{
		"uid":       zeroUID,
		"kind":      object{"group": g.kind.Group, "version": g.kind.Version, "kind": g.kind.Kind},
		"resource":  object{"group": g.kind.Group, "version": g.kind.Version, "resource": g.kind.Resource},
		"operation": g.operation,
		"userInfo":  g.user(),
		"dryRun":    g.chance(0.3),
		"options":   object{"apiVersion": "meta.k8s.io/v1", "kind": optionsKind[g.operation]},
	}
	r["requestKind"], r["requestResource"] = r["kind"], r["resource"]
	if g.namespace != "" {
		r["namespace"] = g.namespace
	}
	if g.kind.Kind == "Namespace" { // requests for a namespace are in the namespace itself
		r["namespace"] = g.name
	}
	switch g.operation {
	case "CREATE":
		r["object"] = obj
	case "UPDATE":
		r["object"], r["oldObject"] = obj, g.older(obj)
	case "DELETE":
		r["oldObject"] = g.older(obj)
	}
	r["name"] = g.name
	data, err := json.MarshalIndent(object{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": r}, "", "  ")
	if err != nil {
		panic(err)
	}
	return string(data)
}

var optionsKind = map[string]string{"CREATE": "CreateOptions", "UPDATE": "UpdateOptions", "DELETE": "DeleteOptions"}

func (g *gen) user() object {
	switch g.IntN(4) {
	case 0:
		return object{"username": "alice", "uid": "u-alice", "groups": []any{"dev", "system:authenticated"}, "extra": object{"team": []any{"a", "b"}}}
	case 1:
		return object{"username": "system:serviceaccount:default:bot", "groups": []any{"system:serviceaccounts", "system:authenticated"}}
	}
	return object{"username": "admin", "groups": []any{"system:masters", "system:authenticated"}}
}

func (g *gen) newObject() object {
	metadata := object{"name": g.name}
	if g.namespace != "" {
		metadata["namespace"] = g.namespace
	}
	if g.chance(0.8) {
		metadata["labels"] = g.labels()
	}
	if g.chance(0.4) {
		metadata["annotations"] = object{"note": pick(g, "x", "hello world", "Ünïcödé"), "example.com/owner": "team"}
	}
	if g.kind.annotations != nil && g.chance(0.4) {
		metadata["annotations"] = copyObject(g.kind.annotations)
	}
	if g.chance(0.1) {
		metadata["finalizers"] = []any{"example.com/a", "example.com/b"}
	}
	obj := object{"apiVersion": apiVersion(g.kind.Group, g.kind.Version), "kind": g.kind.Kind, "metadata": metadata}
	for k, v := range g.kind.body(g) {
		obj[k] = v
	}
	return obj
}

func apiVersion(group, version string) string {
	if group == "" {
		return version
	}
	return group + "/" + version
}

func (g *gen) labels() object {
	out := object{"app": pick(g, "web", "api")}
	if g.chance(0.5) {
		out["env"] = pick(g, "prod", "dev")
	}
	if g.chance(0.3) {
		out["example.com/tier"] = pick(g, "1", "2")
	}
	return out
}

// older is the object as it is stored: with other labels, and what storage
// adds to it.
func (g *gen) older(obj object) object {
	old := copyObject(obj)
	metadata := old["metadata"].(object)
	metadata["uid"], metadata["creationTimestamp"], metadata["resourceVersion"] = zeroUID, Now, "1"
	if g.chance(0.5) {
		metadata["labels"] = g.labels()
	}
	// The new object carries the same system fields, as the server puts them in.
	if g.operation == "UPDATE" {
		m := obj["metadata"].(object)
		m["uid"], m["creationTimestamp"], m["resourceVersion"] = zeroUID, Now, "1"
	}
	return old
}

func copyObject(in object) object {
	data, err := json.Marshal(in)
	if err != nil {
		panic(err)
	}
	var out object
	if err := json.Unmarshal(data, &out); err != nil {
		panic(err)
	}
	return out
}
