// Package scenarios generates scenarios that try to exhaust a program's time and memory. Each kind
// grows along one dimension. Tests run small ones and count work; scripts/hostile runs them at full
// size and measures.
package scenarios

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/scenario"
)

// Kind is a family of scenarios of growing size.
type Kind struct {
	Name string
	// Unit names what the size counts.
	Unit string
	// Full is the size that was harmful, or would be without limits.
	Full int
	// Make returns the scenario of a size.
	Make func(n int) scenario.Scenario
}

// Small is a size for tests: a hundredth, and at least two.
func (k Kind) Small() int { return max(2, k.Full/100) }

// All are all kinds, by name.
func All() []Kind {
	all := slices.Concat(reading(), expressions(), policies(), mutations(), webhooks(), roles(), customResources(), objects(), amplified(), libraries(), schemas(), combined())
	slices.SortFunc(all, func(a, b Kind) int { return strings.Compare(a.Name, b.Name) })
	return all
}

const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: b}\nspec: {containers: [{name: a, image: b}]}\n"

// repeat joins n texts, which get their number.
func repeat(n int, separator string, f func(i int) string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = f(i)
	}
	return strings.Join(parts, separator)
}

func numbered(format string) func(int) string {
	return func(i int) string { return strings.ReplaceAll(format, "#", fmt.Sprint(i)) }
}

func quoted(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string can be written
	}
	return string(raw)
}

const everything = "matchConstraints: {resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*']}]}"

func binding(kind, name string) string {
	actions := ", validationActions: [Deny]"
	if kind != "Validating" {
		actions = ""
	}
	return fmt.Sprintf("---\napiVersion: admissionregistration.k8s.io/v1\nkind: %sAdmissionPolicyBinding\nmetadata: {name: %s}\nspec: {policyName: %s%s}\n", kind, name, name, actions)
}

// validating is a policy and its binding; spec are more lines of its spec.
func validating(name, spec string) string {
	return fmt.Sprintf("---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: %s}\nspec:\n  %s\n%s", name, everything, indented(spec)) + binding("Validating", name)
}

// mutating is a mutating policy and its binding.
func mutating(name, spec string) string {
	return fmt.Sprintf("---\napiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicy\nmetadata: {name: %s}\nspec:\n  reinvocationPolicy: IfNeeded\n  %s\n%s", name, everything, indented(spec)) + binding("Mutating", name)
}

func indented(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString("  " + line)
	}
	if !strings.HasSuffix(s, "\n") {
		b.WriteString("\n")
	}
	return b.String()
}

func validation(expression string) string {
	return "validations: [{expression: " + quoted(expression) + "}]"
}

func jsonPatch(expression string) string {
	return "mutations: [{patchType: JSONPatch, jsonPatch: {expression: " + quoted(expression) + "}}]"
}

func apply(expression string) string {
	return "mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: " + quoted(expression) + "}}]"
}

// cel is a scenario of one validation.
func cel(f func(n int) string) func(int) scenario.Scenario {
	return func(n int) scenario.Scenario {
		return scenario.Scenario{Policies: validating("p", validation(f(n))), Request: configMap(10)}
	}
}

// celOver is a scenario of one validation of a ConfigMap with n keys.
func celOver(expression string) func(int) scenario.Scenario {
	return func(n int) scenario.Scenario {
		return scenario.Scenario{Policies: validating("p", validation(expression)), Request: configMap(n)}
	}
}

// request is a scenario of a request and one simple policy.
func request(f func(n int) string) func(int) scenario.Scenario {
	return func(n int) scenario.Scenario {
		return scenario.Scenario{Policies: validating("p", validation("has(object.metadata)")), Request: f(n)}
	}
}

// Nothing is a scenario of any size that does nearly nothing.
func Nothing(int) scenario.Scenario { return cel(func(int) string { return "true" })(0) }

func configMap(n int) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}\ndata:\n  k: v\n" + repeat(n, "", numbered("  k#: value #\n"))
}
