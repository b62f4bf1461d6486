package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/text/reply"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// replied describes an API server reply in a text: what it is, what to paste instead, and the
// commands that print that.
type replied struct {
	summary, detail string
	commands        []string
	span            diag.Span
}

// diagnostic returns the problem for a text that is a reply.
func (r replied) diagnostic(text diag.Text) diag.Diagnostic {
	detail := r.detail
	for _, c := range r.commands {
		detail += "\n  " + c
	}
	return diag.Diagnostic{Code: codes.ServerReply, Severity: diag.Error, Text: text, Span: r.span, Summary: r.summary, Detail: detail}
}

// replies finds API server replies in a text without other documents: text for people, a Status, or
// events. A manifest that contains such a text stays a manifest.
func replies(src string, docs []*Document) []replied {
	var out []replied
	kinds := false
	if slices.ContainsFunc(docs, func(d *Document) bool { _, ok := tells(d); return d.Kind != "" && !ok }) {
		return nil
	}
	for _, d := range docs {
		text, ok := tells(d)
		if !ok {
			continue
		}
		kinds = true
		for _, r := range reply.Find(text) {
			if r.Object.Owner == "" {
				r.Object.Owner, r.Object.Namespace = involved(d.Value)
			}
			out = append(out, explained(r, d.Span))
		}
	}
	if kinds {
		return out
	}
	if manifest(src) {
		return nil
	}
	for _, r := range reply.Find(src) {
		out = append(out, explained(r, diag.Span{Start: r.Start, End: r.End}))
	}
	return out
}

// tells returns the text of a failure Status, or of an event about one.
func tells(d *Document) (text string, ok bool) {
	switch {
	case d.Kind == "Status" && d.APIVersion == "v1" && d.Value["status"] == "Failure":
		text, ok = d.Value["message"].(string)
	case d.Kind == "Event" && (d.APIVersion == "v1" || d.APIVersion == "events.k8s.io/v1"):
		if text, ok = d.Value["message"].(string); !ok {
			text, ok = d.Value["note"].(string)
		}
		ok = ok && d.Value["type"] == "Warning"
	}
	return text, ok
}

// involved returns the object of an event.
func involved(event map[string]any) (owner, namespace string) {
	for _, name := range []string{"involvedObject", "regarding"} {
		if of, ok := event[name].(map[string]any); ok {
			kind, _ := of["kind"].(string)
			name, _ := of["name"].(string)
			namespace, _ = of["namespace"].(string)
			return strings.ToLower(kind) + "/" + name, namespace
		}
	}
	return "", ""
}

// answerIs begins every message about a reply.
const answerIs = "this is a server's answer: "

// explained says what a reply is and what Preadmit needs to explain it.
func explained(r reply.Reply, span diag.Span) replied {
	out := replied{span: span, summary: answerIs + whoSaid(r)}
	if r.Message != "" {
		out.summary += ": " + shortened(r.Message)
	}
	wanted := "the manifest" + manifestOf(r.Object)
	shows := "which expression decided"
	switch r.By {
	case reply.ValidatingPolicy, reply.MutatingPolicy:
		kind := strings.ToLower(string(r.By))
		binding, command := "its bindings", "kubectl get "+kind+"bindings -o yaml"
		if r.Binding != "" {
			binding, command = "its binding", "kubectl get "+kind+"binding "+r.Binding+" -o yaml"
		}
		wanted = "the policy, " + binding + " and " + wanted
		out.commands = append(out.commands, "kubectl get "+kind+" "+r.Name+" -o yaml", command)
	case reply.Webhook, reply.WebhookCall:
		wanted, shows = "the webhook configuration and "+wanted, "why the server calls the webhook, and with what"
		out.commands = append(out.commands, "kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations -o yaml")
	case reply.PodSecurity:
		wanted, shows = "the Namespace and "+wanted, "which fields violate the standard"
	default:
		if of, ok := before[r.By]; ok {
			out.detail = of.detail
			return out
		}
		out.detail, shows = "No policy denied the request. ", "which field is wrong, or which policy set it"
	}
	if ns := r.Object.Namespace; ns != "" && out.detail == "" {
		out.commands = append(out.commands, "kubectl get namespace "+ns+" -o yaml")
	}
	if c := objectCommand(r.Object); c != "" {
		out.commands = append(out.commands, c)
	}
	out.detail += "Paste " + wanted + ": Preadmit shows " + shows + "."
	if len(out.commands) > 0 {
		out.detail += " To print them:"
	}
	return out
}

// whoSaid says who denied what.
func whoSaid(r reply.Reply) string {
	denied := "denied"
	if r.Warned {
		denied = "warns about"
	}
	object := r.Object.Resource
	if object == "" {
		object = "the request"
	} else if r.Object.Name != "" {
		object += fmt.Sprintf(" %q", r.Object.Name)
	}
	switch r.By {
	case reply.ValidatingPolicy, reply.MutatingPolicy:
		by := fmt.Sprintf("%s %q", r.By, r.Name)
		if r.Binding != "" {
			by += fmt.Sprintf(" with binding %q", r.Binding)
		}
		return by + " " + denied + " " + object
	case reply.Webhook:
		return fmt.Sprintf("webhook %q denied %s", r.Name, object)
	case reply.WebhookCall:
		return fmt.Sprintf("the call of webhook %q for %s failed", r.Name, object)
	case reply.PodSecurity:
		return "Pod Security denied " + object
	case reply.Decoding:
		return "the object cannot be read"
	case reply.Validation:
		return "API validation rejected " + object
	}
	return cmp.Or(before[r.By].summary, "an admission plugin denied "+object)
}

// before are the answers that no policy, webhook or validation has to do with, and what to do about them.
var before = map[reply.By]struct{ summary, detail string }{
	reply.Authorization: {"the user is not authorized", "Authorization comes before admission. No policy or webhook has seen the request."},
	reply.Modified: {"the object has changed since it was read", "The request has an older metadata.resourceVersion than the stored object. Read the object again and repeat the change. " +
		"A manifest in a repository must not have metadata.resourceVersion."},
	reply.Managed: {"another field manager has these fields", "Server-side apply changes a field only if no other manager has set it to another value. " +
		"Remove the field from the manifest where the other manager should decide, as an autoscaler does for replicas. Otherwise take it: kubectl apply --server-side --force-conflicts. " +
		"To see who has which field: kubectl get --show-managed-fields -o yaml."},
	reply.Exists: {"the object exists already", "Only a new object can be created. kubectl apply changes an object that exists, and generateName gives each one a name of its own."},
	reply.NotServed: {"the cluster does not serve this kind in this version", "Either the release no longer has this apiVersion, or the CustomResourceDefinition is missing. " +
		"Paste the manifest: Preadmit shows which versions the release serves. To list what the cluster serves: kubectl api-resources."},
}

// manifestOf says which manifest a reply is about.
func manifestOf(o reply.Object) string {
	switch {
	case o.Owner != "":
		return " of " + o.Owner + ", which creates the object"
	case o.File != "":
		return " " + o.File
	case o.Resource != "" && o.Name != "":
		return fmt.Sprintf(" of %s %q", o.Resource, o.Name)
	}
	return ""
}

// objectCommand prints the object from the cluster.
func objectCommand(o reply.Object) string {
	namespace := ""
	if o.Namespace != "" {
		namespace = " -n " + o.Namespace
	}
	kind, name, ok := strings.Cut(o.Owner, "/")
	if !ok {
		if !o.Exists || o.Resource == "" || o.Name == "" {
			return ""
		}
		kind, name = o.Resource, o.Name
	}
	return "kubectl get " + kind + " " + name + namespace + " -o yaml"
}

// maxSaid limits how much of a server's message is repeated, in bytes. The pasted text has all of
// it.
const maxSaid = 300

func shortened(message string) string {
	if len(message) <= maxSaid {
		return message
	}
	cut := maxSaid
	for cut > 0 && message[cut]&0xc0 == 0x80 {
		cut--
	}
	return message[:cut] + "…"
}

// commandsOf returns the commands of all replies, each once.
func commandsOf(all []replied) []string {
	var out []string
	for _, r := range all {
		for _, c := range r.commands {
			if !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
	}
	return out
}

// replied reports whether a text is only a reply, and if so diagnoses it.
func (p *parser) replied() bool {
	if p.text == diag.Settings {
		return false // a description may quote one
	}
	all := replies(p.src, p.docs)
	if len(all) == 0 {
		return false
	}
	p.docs, p.diags = nil, nil
	for _, r := range all {
		p.diags = append(p.diags, r.diagnostic(p.text))
	}
	return true
}

// replied diagnoses a file's replies and reports whether there are any.
func (c *classifier) replied(s sourceFile) bool {
	docs, _ := parseClean(&parser{text: diag.Request}, s.Text)
	all := replies(s.Text, docs)
	r := &read{sourceFile: s, src: s.Text}
	for i := range strings.Count(s.Text, "\n") + 1 {
		r.lines = append(r.lines, i+1)
	}
	for _, one := range all {
		d := one.diagnostic(diag.Request)
		c.diagnose(r, d.Severity, d.Code, d.Span, d.Summary, d.Detail)
	}
	c.out.Commands = append(c.out.Commands, commandsOf(all)...)
	return len(all) > 0
}

// answeredEvent adds the server's reply to an audit event's request to the last problem, with the
// commands.
func (c *classifier) answeredEvent(event map[string]any) {
	status, _ := event["responseStatus"].(map[string]any)
	message, _ := status["message"].(string)
	for _, found := range reply.Find(message) {
		r := explained(found, diag.Span{})
		d := &c.out.Diagnostics[len(c.out.Diagnostics)-1]
		d.Detail += " The server's answer: " + strings.TrimPrefix(r.summary, answerIs) + ". " + r.detail
		for _, command := range r.commands {
			d.Detail += "\n  " + command
		}
		c.out.Commands = append(c.out.Commands, r.commands...)
	}
}
