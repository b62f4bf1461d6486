// Package served runs generated policies twice through the API server's own
// packages: in its policy plugins, and as a webhook that `preadmit serve` answers
// over TLS on loopback, called by the server's own dispatcher. A client must see
// the same.
package served

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/preadmit/preadmit/conformance/differential"
	"github.com/preadmit/preadmit/conformance/generate"
	"github.com/preadmit/preadmit/conformance/wire"
)

// The names of the two webhooks.
const (
	mutateName   = "mutate.preadmit.dev"
	validateName = "validate.preadmit.dev"
)

// configurations are the webhooks that take the place of the policies: for every
// request that policies see, which leaves out policies and webhooks themselves.
const configurations = `apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: preadmit}
webhooks:
- name: mutate.preadmit.dev
  rules: [{apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*']}]
  clientConfig: {url: 'https://%[1]s/mutate', caBundle: %[2]s}
  sideEffects: None
  timeoutSeconds: 30
  admissionReviewVersions: [%[3]s]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: preadmit}
webhooks:
- name: validate.preadmit.dev
  rules: [{apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*']}]
  clientConfig: {url: 'https://%[1]s/validate', caBundle: %[2]s}
  sideEffects: None
  timeoutSeconds: 30
  admissionReviewVersions: [%[3]s]
`

// A Result is what was compared, and what differed.
type Result struct {
	// Counts are the comparisons by what was compared.
	Counts map[string]int
	// Failures are the scenarios that differ, by their number.
	Failures map[int][]differential.Difference
}

// batch is how many servers run at the same time.
const batch = 24

// Run compares n generated scenarios.
func Run(ctx context.Context, p *program, reference *differential.Reference, source generate.Source, first, n, workers int) (*Result, error) {
	r := &Result{Counts: map[string]int{}, Failures: map[int][]differential.Difference{}}
	for from := first; from < first+n; from += batch {
		if err := r.run(ctx, p, reference, source, from, min(batch, first+n-from), workers); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// pair is one scenario under way.
type pair struct {
	number         int
	policies       wire.Case
	server         *server // nil where preadmit serve refuses the policies
	inPlugins, out wire.Answer
	// notStored says that the server rejects what the mutations made of the object.
	notStored bool
}

// LeftOut counts the scenarios that are not compared: a server rejects the object between
// its mutating and its validating phase, for its definition or the checks of a built-in kind.
// Its plugins alone, which are asked here, go on, while preadmit serve makes these checks.
const LeftOut = "left out: the server refuses the object before it is validated by policies"

func (r *Result) run(ctx context.Context, p *program, reference *differential.Reference, source generate.Source, first, n, workers int) (err error) {
	pairs, err := start(ctx, p, source, first, n, workers)
	defer func() {
		for _, x := range pairs {
			if x.server != nil {
				err = errors.Join(err, x.server.stop())
			}
		}
	}()
	if err != nil {
		return err
	}
	var cases []wire.Case
	for _, x := range pairs {
		inPlugins := x.policies
		inPlugins.ID = fmt.Sprintf("plugins/%d", x.number)
		cases = append(cases, inPlugins)
		if x.server == nil {
			continue
		}
		called := x.policies
		called.ID = fmt.Sprintf("served/%d", x.number)
		version := []string{"v1", "v1beta1"}[x.number%2]
		called.Policies = fmt.Sprintf(configurations, x.server.address, base64.StdEncoding.EncodeToString(p.authority), version)
		cases = append(cases, called)
	}
	err = reference.Answers(ctx, workers, cases, func(a wire.Answer) {
		var number int
		if _, err := fmt.Sscanf(a.ID, "plugins/%d", &number); err == nil {
			pairs[number-first].inPlugins = a
		} else if _, err := fmt.Sscanf(a.ID, "served/%d", &number); err == nil {
			pairs[number-first].out = a
		}
	})
	if err != nil {
		return err
	}
	for _, x := range pairs {
		if x.notStored, err = differential.NotStored(ctx, source.Minor, x.policies); err != nil {
			return err
		}
		if d := x.compare(r.Counts); len(d) > 0 {
			r.Failures[x.number] = d
		}
	}
	return nil
}

// start writes the files of the scenarios and starts a server for each. What was
// started is returned with an error, too.
func start(ctx context.Context, p *program, source generate.Source, first, n, workers int) ([]*pair, error) {
	pairs := make([]*pair, n)
	errs := make([]error, n)
	slots := make(chan struct{}, workers)
	var wg sync.WaitGroup
	for i := range pairs {
		c := source.Scenario(first + i).Case
		c.Webhooks, c.Served = true, true
		pairs[i] = &pair{number: first + i, policies: c}
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			folder, err := os.MkdirTemp("", "served")
			if err != nil {
				errs[i] = err
				return
			}
			defer os.RemoveAll(folder)
			for name, text := range map[string]string{"policies.yaml": c.Policies, "cluster.yaml": c.Cluster} {
				if errs[i] = errors.Join(errs[i], os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600)); errs[i] != nil {
					return
				}
			}
			pairs[i].server, errs[i] = p.serve(ctx, folder, fmt.Sprintf("1.%d", source.Minor))
			if errors.Is(errs[i], errRefused) {
				errs[i] = nil
			}
		})
	}
	wg.Wait()
	return pairs, errors.Join(errs...)
}

// compare lists where a client sees something else, but for what a webhook cannot
// do otherwise: the words that name it before a message, and its name before the
// keys of audit annotations.
func (x *pair) compare(counts map[string]int) []differential.Difference {
	want, got := x.inPlugins, x.out
	refused := slices.ContainsFunc(want.Install, func(i wire.Install) bool { return i.Message != "" })
	if x.server == nil || refused {
		if (x.server == nil) != refused {
			return []differential.Difference{{What: "policies refused", Reference: fmt.Sprint(refused), Engine: fmt.Sprint(x.server == nil)}}
		}
		counts["policies that both refuse"]++
		return nil
	}
	if strings.HasPrefix(want.Error, "panic: ") {
		counts["the server's plugins panic"]++
		return nil
	}
	if x.notStored {
		counts[LeftOut]++
		return nil
	}
	var out []differential.Difference
	check := func(what string, reference, engine any) {
		if !reflect.DeepEqual(reference, engine) {
			out = append(out, differential.Difference{What: what, Reference: fmt.Sprint(reference), Engine: fmt.Sprint(engine)})
		}
	}
	check("error", want.Error, got.Error)
	check("allowed", want.Allowed, got.Allowed)
	check("code", want.Code, got.Code)
	check("warnings", sorted(want.Warnings), sorted(got.Warnings))
	check("audit annotations", values(want.AuditAnnotations), values(fromWebhooks(got.AuditAnnotations)))
	counts["warnings"] += len(want.Warnings)
	counts["audit annotations"] += len(want.AuditAnnotations)
	if want.Allowed {
		counts["allowed"]++
		if strings.Contains(got.AuditAnnotations[firstCall], `"mutated":true`) {
			counts["allowed, with a patch"]++
		}
		return append(out, differential.Object("object", want.Object, got.Object)...)
	}
	counts[fmt.Sprintf("denied, %d %s", want.Code, want.Reason)]++
	counts["causes"] += len(want.Causes)
	check("reason", want.Reason, got.Reason)
	check("details", want.Details, got.Details)
	if message := withoutName(got.Message); !differential.SameText(want.Message, message) {
		check("message", want.Message, message)
	}
	if !slices.EqualFunc(want.Causes, got.Causes, differential.SameText) {
		check("causes", want.Causes, got.Causes)
	}
	return out
}

// withoutName takes away what the server puts before the message of a webhook.
func withoutName(message string) string {
	for _, name := range []string{mutateName, validateName} {
		message = strings.TrimPrefix(message, fmt.Sprintf("admission webhook %q denied the request: ", name))
	}
	return message
}

// firstCall is the audit annotation of the server about its first mutating webhook.
const firstCall = "mutation.webhook.admission.k8s.io/round_0_index_0"

// fromWebhooks keeps the audit annotations that the webhooks gave, by their key
// there.
func fromWebhooks(annotations map[string]string) map[string]string {
	out := map[string]string{}
	for key, value := range annotations {
		for _, name := range []string{mutateName, validateName} {
			if own, ok := strings.CutPrefix(key, name+"/"); ok {
				out[own] = value
			}
		}
	}
	return out
}

// values writes annotations in the order of their keys, a slash in a key as the
// underscore that serve makes of it.
func values(annotations map[string]string) []string {
	out := []string{}
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		out = append(out, strings.ReplaceAll(key, "/", "_")+": "+annotations[key])
	}
	slices.Sort(out)
	return out
}

func sorted(list []string) []string {
	out := append([]string{}, list...)
	slices.Sort(out)
	return out
}
