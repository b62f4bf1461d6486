package storage

import (
	"fmt"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/kube/cluster"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
)

// TestEvict has the texts of EvictionREST.Create that no server can be brought to say:
// conformance/server compares the others with one.
func TestEvict(t *testing.T) {
	const (
		running = "metadata: {name: p, namespace: n, uid: u1, resourceVersion: '7', labels: {app: p}}\nstatus: {phase: Running}\n"
		written = "metadata: {name: p, namespace: n, labels: {app: p}}\n"
		over    = "429 " + overBudget
		broken  = `403 poddisruptionbudget.policy "b" is forbidden: `
		stale   = "The object might have been "
		budget  = "The disruption budget b "
	)
	disrupted := make([]string, maxDisruptedPods+1)
	for i := range disrupted {
		disrupted[i] = fmt.Sprintf("p%d: '2026-01-01T00:00:00Z'", i)
	}
	for name, c := range map[string]struct {
		pod, status, options, release string
		complete                      bool
		want, cause, said, assumed    string
	}{
		"no budget":              {pod: running},
		"no pod":                 {complete: true, want: `404 pods "p" not found`},
		"a pod that is assumed":  {assumed: "p"},
		"another uid":            {pod: running, options: "{preconditions: {uid: u2}}", want: `409 Operation cannot be fulfilled on Pod "p": the UID in the precondition (u2) does not match the UID in record (u1). ` + stale + "deleted and then recreated"},
		"another version":        {pod: running, options: "{preconditions: {resourceVersion: '6'}}", want: `409 Operation cannot be fulfilled on Pod "p": the ResourceVersion in the precondition (6) does not match the ResourceVersion in record (7). ` + stale + "modified"},
		"a manifest's uid":       {pod: written, options: "{preconditions: {uid: u2, resourceVersion: '6'}}"},
		"less than none":         {pod: running, status: "{disruptionsAllowed: -1}", want: broken + "pdb disruptions allowed is negative", cause: budget + "does not allow evicting pods currently: pdb disruptions allowed is negative"},
		"less than none, before": {pod: running, release: "1.36", status: "{disruptionsAllowed: -1}", want: broken + "pdb disruptions allowed is negative"},
		"too many":               {pod: running, status: "{disruptionsAllowed: 1, disruptedPods: {" + strings.Join(disrupted, ", ") + "}}", want: broken + "DisruptedPods map too big - too many evictions not confirmed by PDB controller", cause: budget + "does not allow evicting pods currently: too many pending evictions not confirmed by PDB controller"},
		"one less":               {pod: running, status: "{disruptionsAllowed: 1, disruptedPods: {" + strings.Join(disrupted[1:], ", ") + "}}"},
		"an older version":       {pod: running, status: "{observedGeneration: 1, disruptionsAllowed: 1}\n  generation: 2", want: over, cause: budget + "is still being processed by the server.", said: "PodDisruptionBudget b has no current status"},
		"nothing counted":        {pod: running, status: "{}", want: over, cause: budget + "is still being processed by the server.", said: "PodDisruptionBudget b has no current status"},
		"too few":                {pod: running, status: "{desiredHealthy: 2, currentHealthy: 1}", want: over, cause: budget + "needs 2 healthy pods and has 1 currently"},
		"a pod without a phase":  {pod: written, status: "{desiredHealthy: 2}", said: "Pod p has no status.phase"},
		"of another app":         {pod: strings.Replace(running, "app: p", "app: q", 1), status: "{desiredHealthy: 2}"},
	} {
		t.Run(name, func(t *testing.T) {
			var objects []cluster.Object
			if c.pod != "" {
				objects = append(objects, cluster.Object{GVK: podKind.WithVersion("v1"), Namespace: "n", Name: "p", Value: decoded(t, c.pod)})
			}
			if c.status != "" {
				status, generation, _ := strings.Cut(c.status, "\n")
				objects = append(objects, cluster.Object{GVK: budgetKind.WithVersion("v1"), Namespace: "n", Name: "b",
					Value: decoded(t, "metadata:\n  name: b\n  namespace: n\n"+generation+"\nspec: {selector: {matchLabels: {app: p}}}\nstatus: "+status+"\n")})
			}
			v := version.Default()
			if c.release != "" {
				v = version.MustParse(c.release)
			}
			s := Storage{Chain: &run.Chain{Version: v, Report: &report.Report{}, Cluster: cluster.New(objects, "2026-01-01T00:00:00Z", c.complete)}}
			a := &s.Attributes
			a.Operation, a.SubResource, a.Resource, a.Namespace, a.Name = "CREATE", "eviction", podResource, "n", "p"
			a.Object = map[string]any{"metadata": map[string]any{"name": "p"}}
			if c.options != "" {
				a.Object["deleteOptions"] = decoded(t, c.options)
			}
			got, cause := "", ""
			if status := s.Evict(); status != nil {
				got = fmt.Sprint(status.ErrStatus.Code, " ", status.ErrStatus.Message)
				if details := status.ErrStatus.Details; details != nil && len(details.Causes) > 0 {
					cause = details.Causes[0].Message
				}
			}
			if got != c.want || cause != c.cause {
				t.Errorf("got  %s: %s\nwant %s: %s", got, cause, c.want, c.cause)
			}
			if said := strings.Join(s.Report.NotSimulated, "\n"); !strings.HasPrefix(said, c.said) || c.said == "" && said != "" {
				t.Errorf("not simulated: %q, want %q", said, c.said)
			}
			assumed := ""
			for _, o := range s.AssumedObjects {
				assumed += o.Name
			}
			if assumed != c.assumed {
				t.Errorf("assumed %q, want %q", assumed, c.assumed)
			}
		})
	}
}

// TestEvictable is what the server does to an eviction's deleteOptions before validating admission.
func TestEvictable(t *testing.T) {
	for name, c := range map[string]struct{ options, asked, want, dryRun string }{
		"no options":      {"", "[All]", "", "<nil>"},
		"no dry run":      {"{gracePeriodSeconds: 5}", "", "", "<nil>"},
		"dry run":         {"{gracePeriodSeconds: 5}", "[All]", "", "[All]"},
		"dry run in both": {"{dryRun: [All]}", "[All]", "", "[All]"},
		"dry run inside":  {"{dryRun: [All]}", "", "", "[All]"},
		"two dry runs":    {"{dryRun: [All, All]}", "[All]", "Non-matching dry-run options in request and content: [All] and [All All]", "[All All]"},
		"unsafe":          {"{ignoreStoreReadErrorWithClusterBreakingPotential: true}", "", `Eviction.policy "p" is invalid: deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: can not be set for pod eviction, try after removing the option`, "<nil>"},
	} {
		s := Storage{Chain: &run.Chain{}}
		s.Attributes.Name, s.Attributes.Options = "p", map[string]any{}
		eviction := map[string]any{}
		if c.asked != "" {
			s.Attributes.Options = decoded(t, "dryRun: "+c.asked)
		}
		var given map[string]any
		if c.options != "" {
			given = decoded(t, c.options)
			eviction["deleteOptions"] = given
		}
		before := fmt.Sprint(given)
		if got := message(s.evictable(eviction)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		options, _ := eviction["deleteOptions"].(map[string]any)
		if got := fmt.Sprint(options["dryRun"]); got != c.dryRun || fmt.Sprint(given) != before {
			t.Errorf("%s: the dry run is %s, want %s; %s became %v", name, got, c.dryRun, before, given)
		}
	}
}
