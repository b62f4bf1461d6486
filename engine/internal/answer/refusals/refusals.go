// Package refusals explains why a check or a plugin of the server itself refused a request, and why a webhook
// could not be called: what decided, where it is, and what to change.
package refusals

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/plugins"
	"github.com/preadmit/preadmit/engine/internal/answer/evaluate"
	"github.com/preadmit/preadmit/engine/internal/kube/crd"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/repair/objecttext"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// refusal is what a step of a request said, with the diagnostic that explains it. The request is the user's, or
// that of a controller for the object that the user sent.
type refusal struct {
	*evaluate.Evaluation
	step *report.Step
	sent objecttext.Object // without a document where the text is not at hand
	diag diag.Diagnostic
}

// rules are the explanations, by the plugin or the check of the server and by what its text says. A webhook has
// no name here.
var rules = []struct {
	by      string
	message *lazy.Regexp
	// explain completes the diagnostic. texts are what the message has in its groups.
	explain func(r *refusal, texts []string) bool
}{
	{"NamespaceLifecycle", &lazy.Regexp{Text: `namespace (\S+) because it is being terminated`}, (*refusal).terminating},
	{"PodSecurity", &lazy.Regexp{Text: `violates? PodSecurity "[^"]+": (.*)`}, (*refusal).podSecurity},
	{"LimitRanger", limitText, (*refusal).limits},
	{"ResourceQuota", &lazy.Regexp{Text: `exceeded quota: ([^,]+), requested: (\S+), used: (\S+), limited: (\S+)`}, (*refusal).exceeded},
	{"ResourceQuota", &lazy.Regexp{Text: `insufficient quota to (?:match these scopes: \[.*\]|consume: (\S+))`}, (*refusal).uncovered},
	{"PersistentVolumeClaimResize", &lazy.Regexp{Text: `(only dynamically provisioned pvc can be resized)`}, (*refusal).resize},
	{"ResourceQuota", &lazy.Regexp{Text: `failed quota: ([^:]+): must specify (.*)`}, (*refusal).unspecified},
	{"storage", &lazy.Regexp{Text: `the object has been modified; (please apply)`}, (*refusal).conflict},
	{"storage", &lazy.Regexp{Text: `metadata\.resourceVersion: Invalid value: \S+: must be specified for an update`}, (*refusal).unversioned},
	{"storage", &lazy.Regexp{Text: `may not specify a duration less than 10 minutes`}, (*refusal).shortLived},
	{"CertificateApproval", signerText, (*refusal).signer},
	{"CertificateSigning", signerText, (*refusal).signer},
	{"authorization", &lazy.Regexp{Text: `cannot (\w+) resource`}, (*refusal).unauthorized},
	{"Priority", &lazy.Regexp{Text: `of (priority|PreemptionPolicy) \(([^)]*)\) must not be provided in pod spec; priority admission controller computed (\S+)`}, (*refusal).priority},
	{"Priority", &lazy.Regexp{Text: `PriorityClass (\S+) is already marked as default`}, (*refusal).otherDefault},
	{"storage", misaddressedText, (*refusal).misaddressed},
	{"storage", &lazy.Regexp{Text: `more than one PodDisruptionBudget`}, (*refusal).severalBudgets},
	{"storage", &lazy.Regexp{Text: `Cannot evict pod as it would violate the pod's disruption budget`}, (*refusal).disrupted},
	{"escalation", &lazy.Regexp{Text: `(?s)(is attempting to grant RBAC permissions not currently held)`}, (*refusal).escalation},
	{"", &lazy.Regexp{Text: `failed calling webhook "[^"]*": (.*)`}, (*refusal).call},
	{"", &lazy.Regexp{Text: `(\w+) operation does not apply: .*missing \w+: "?(/[^"\s:]*)`}, (*refusal).patch},
}

// signerText is what the plugins for certificates say of a user who lacks a right.
var signerText = &lazy.Regexp{Text: `user not permitted to (\w+) requests with signerName`}

// misaddressedText is what the server says of an object that is sent to another place than its own.
var misaddressedText = &lazy.Regexp{Text: `does not match the (?:namespace sent on the request|name on the URL)`}

// AddEarly explains the refusal of a request that does not get to admission.
func AddEarly(e *evaluate.Evaluation) {
	if e.Options.Brief || e.Report.Outcome.Allowed || !misaddressedText.MatchString(e.Report.Outcome.Message) {
		return
	}
	if d, ok := explain(e, e, &report.Step{Policy: "storage"}, e.Report.Outcome.Message); ok {
		e.Diagnose([]diag.Diagnostic{d})
	}
}

// Add explains the refusal of the request, and the warnings of the Pod Security of a workload, whose Pods would
// be refused.
func Add(e *evaluate.Evaluation) {
	if e.Options.Brief || e.AdmissionOnly() {
		return
	}
	keepStoredVersions(e)
	for i := range e.Report.Steps {
		s := &e.Report.Steps[i]
		texts := s.Warnings
		if i == e.Report.Outcome.DecidedBy && !e.Report.Outcome.Allowed {
			texts = []string{s.Error}
		} else if s.Kind != plugins.Kind {
			continue
		}
		for _, text := range texts {
			if d, ok := explain(e, e, s, text); ok {
				e.Diagnose([]diag.Diagnostic{d})
			}
		}
	}
}

// AddMade explains the refusal of an object that a controller makes of the request's object, such as its Pods, by
// the request's text. A warning may have said it already.
func AddMade(of, made *evaluate.Evaluation, name string) {
	o := made.Report.Outcome
	if o.Allowed || o.DecidedBy < 0 || of.Options.Brief {
		return
	}
	s := &made.Report.Steps[o.DecidedBy]
	d, ok := explain(of, made, s, s.Error)
	if !ok || slices.ContainsFunc(of.Report.Diagnostics, func(other diag.Diagnostic) bool { return other.Detail == d.Detail }) {
		return
	}
	d.Summary = name + ": " + d.Summary
	of.Diagnose([]diag.Diagnostic{d})
}

// explain is what there is to say of a step's message. The request's text is that of the evaluation of.
func explain(of, e *evaluate.Evaluation, s *report.Step, message string) (diag.Diagnostic, bool) {
	by := s.Policy
	switch {
	case s.Webhook != "":
		by = ""
	case s.Kind == crd.Kind:
		r := &refusal{Evaluation: e, step: s, diag: diag.Diagnostic{Code: codes.RefusedRequest, Severity: diag.Warning}}
		ok := r.unchanged()
		return r.diag, ok
	}
	for _, rule := range rules {
		if rule.by != by {
			continue
		}
		texts := rule.message.FindStringSubmatch(message)
		if texts == nil {
			continue
		}
		_, reason, _ := strings.Cut(message, " is forbidden: ")
		sent, _ := of.Sent()
		r := &refusal{Evaluation: e, step: s, sent: sent, diag: diag.Diagnostic{Code: codes.RefusedRequest, Severity: diag.Warning, Text: diag.Request,
			Summary: firstLine(cmp.Or(reason, message))}}
		ok := rule.explain(r, texts)
		return r.diag, ok && (r.diag.Text != diag.Request || r.diag.Span.End > 0)
	}
	return diag.Diagnostic{}, false
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// at marks a field of the request's object, or the nearest around it that the text has.
func (r *refusal) at(field string) {
	if r.sent.Document != nil {
		r.diag.Path = r.sent.Path(field)
		r.diag.Span = r.sent.Document.Locate(r.diag.Path)
	}
}

// offer adds repairs. They change the request or the cluster, so a person chooses.
func (r *refusal) offer(fixes ...diag.Fix) {
	for i := range fixes {
		fixes[i].Choice = true
	}
	r.diag.Fixes = append(r.diag.Fixes, fixes...)
}

// inCluster is an object as the cluster text has it.
func (r *refusal) inCluster(kind schema.GroupKind, namespace, name string) (objecttext.Object, bool) {
	for _, d := range r.Parsed(diag.Cluster) {
		group, _ := schema.ParseGroupVersion(text(d.Value, "apiVersion"))
		metadata := untyped.Sub(d.Value, "metadata")
		if d.Kind == kind.Kind && group.Group == kind.Group && d.Name == name && text(metadata, "namespace") == namespace {
			return objecttext.In(d, "")
		}
	}
	return objecttext.Object{}, false
}

// decided names the object that decided, and shows its field.
func (r *refusal) decided(o objecttext.Object, field, summary string) {
	if o.Document != nil {
		r.diag.Related = append(r.diag.Related, diag.Related{Text: o.Document.Text, Span: o.Document.Locate(field), Path: field, Summary: summary})
	}
}

// owner is the policy or the webhook configuration of a step.
func (r *refusal) owner(s *report.Step) (*scenario.Document, bool) {
	for _, d := range r.Parsed(s.Text) {
		if d.Span.Start <= s.Span.Start && s.Span.End <= d.Span.End {
			return d, true
		}
	}
	return nil, false
}

func text(m map[string]any, field string) string {
	s, _ := m[field].(string)
	return s
}

// terminating says what a Namespace waits for that is being deleted.
func (r *refusal) terminating(texts []string) bool {
	name := texts[1]
	namespace, ok := r.inCluster(untyped.Namespace.GroupKind(), "", name)
	r.at("metadata.namespace")
	if !ok {
		return false
	}
	var waits []string
	for _, c := range untyped.Items(untyped.Sub(namespace.Value, "status")["conditions"]) {
		if c["status"] == "True" && text(c, "message") != "" {
			waits = append(waits, text(c, "message"))
		}
	}
	for _, f := range []map[string]any{untyped.Sub(namespace.Value, "spec"), untyped.Sub(namespace.Value, "metadata")} {
		finalizers, _ := f["finalizers"].([]any)
		for _, finalizer := range finalizers {
			waits = append(waits, fmt.Sprintf("finalizer %v", finalizer))
		}
	}
	r.decided(namespace, "metadata.deletionTimestamp", "the Namespace is being deleted")
	waitsFor := ""
	if len(waits) > 0 {
		waitsFor = " It waits for: " + strings.Join(waits, "; ") + "."
	}
	r.diag.Detail = fmt.Sprintf("Namespace %s was deleted, and nothing can be created in it until it is gone. Its status.conditions name what is left: kubectl get namespace %s -o yaml. Wait until it is gone and create it again, or use another namespace.", name, name) + waitsFor
	return true
}

// conflict names the resource versions of an update that was made from an older object than the stored one.
func (r *refusal) conflict([]string) bool {
	given := text(untyped.Sub(r.sent.Value, "metadata"), "resourceVersion")
	stored := text(untyped.Sub(r.Chain.Attributes.OldObject, "metadata"), "resourceVersion")
	if given == "" || stored == "" || given == stored {
		return false
	}
	r.at("metadata.resourceVersion")
	r.diag.Detail = fmt.Sprintf("The request was made from resourceVersion %s, and the stored object has %s: it has changed meanwhile. A client reads the object and tries again. A manifest in a repository must not have metadata.resourceVersion.", given, stored)
	r.offer(r.sent.Fix("Remove resourceVersion", func(object map[string]any) { delete(untyped.Sub(object, "metadata"), "resourceVersion") })...)
	return true
}

// unversioned explains an update that does not say which stored object it replaces.
func (r *refusal) unversioned([]string) bool {
	r.at("metadata.name")
	r.diag.Detail = "An update of this kind must have the stored object's metadata.resourceVersion, so that no change by others is lost. Read the object first. A patch, such as kubectl apply sends, needs none."
	if stored := text(untyped.Sub(r.Chain.Attributes.OldObject, "metadata"), "resourceVersion"); stored != "" {
		r.offer(r.sent.Fix("Set resourceVersion to "+stored+", as stored", func(object map[string]any) {
			untyped.Child(object, "metadata")["resourceVersion"] = stored
		})...)
	}
	return true
}

// shortLived offers the shortest lifetime that a token may have.
func (r *refusal) shortLived([]string) bool {
	r.at("spec.expirationSeconds")
	r.diag.Detail = "A token lives at least 600 seconds. To end it earlier, bind it to a Pod or Secret by boundObjectRef, and delete that."
	r.offer(r.sent.Fix("Set expirationSeconds to 600", func(object map[string]any) { untyped.Child(object, "spec")["expirationSeconds"] = int64(600) })...)
	return true
}
