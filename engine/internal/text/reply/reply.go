// Package reply reads an API server's response, as printed by kubectl, events, controllers and
// their logs: which policy, webhook or check denied which object, and with which message. Preadmit
// does not evaluate a response, but says which policy and object are needed.
package reply

import (
	"cmp"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/text/pasted"
)

// By says what decided.
type By string

// The values of By.
const (
	ValidatingPolicy By = "ValidatingAdmissionPolicy"
	MutatingPolicy   By = "MutatingAdmissionPolicy"
	Webhook          By = "webhook"       // the webhook's response
	WebhookCall      By = "webhook call"  // the webhook call failed
	PodSecurity      By = "PodSecurity"   // the admission plugin
	Validation       By = "validation"    // API validation
	Decoding         By = "decoding"      // the object does not decode as its kind
	Authorization    By = "authorization" // comes before admission
	Forbidden        By = "forbidden"     // another admission plugin
	Modified         By = "modified"      // the request was made from an older object
	Managed          By = "managed"       // another field manager has the fields
	Exists           By = "exists"        // the object exists already
	NotServed        By = "not served"    // no resource of this kind and version
)

// Reply is an API server's response.
type Reply struct {
	By By
	// Name is the policy's or webhook's name. Binding is the policy binding's.
	Name, Binding string
	Message       string
	// Warned says that the server admitted the request with a warning.
	Warned bool
	Object Object
	// Start and End are the byte range in the text.
	Start, End int
}

// Object is a reply's object, as far as the text identifies it.
type Object struct {
	// Resource is in kubectl's form: deployments.apps, or a kind.
	Resource, Name, Namespace string
	// File is the manifest that was sent.
	File string
	// Exists says that the object exists in the cluster: the request was not a create.
	Exists bool
	// Owner is the object for which a controller creates this one, such as replicaset/web-5d4f.
	Owner string
}

// forms match the server's and kubectl's texts, by precedence: a policy's line is wrapped in the
// form of a forbidden or invalid object.
var forms = []struct {
	by     By
	warned bool
	lazy.Regexp
}{
	{by: ValidatingPolicy, Regexp: lazy.Regexp{Text: `ValidatingAdmissionPolicy '(?P<name>[^']+)'(?: with binding '(?P<binding>[^']+)')? denied request: ?(?P<message>.*)`}},
	{by: ValidatingPolicy, warned: true, Regexp: lazy.Regexp{Text: `Validation failed for ValidatingAdmissionPolicy '(?P<name>[^']+)' with binding '(?P<binding>[^']+)': ?(?P<message>.*)`}},
	{by: MutatingPolicy, Regexp: lazy.Regexp{Text: `\bpolicy '(?P<name>[^']+)' with binding '(?P<binding>[^']+)' denied request: ?(?P<message>.*)`}},
	{by: MutatingPolicy, Regexp: lazy.Regexp{Text: `\bpolicy "(?P<name>[^"]+)" denied request: ?(?P<message>.*)`}},
	{by: Webhook, Regexp: lazy.Regexp{Text: `admission webhook "(?P<name>[^"]+)" denied the request:? ?(?P<message>.*)`}},
	{by: WebhookCall, Regexp: lazy.Regexp{Text: `failed calling webhook "(?P<name>[^"]+)": ?(?P<message>.*)`}},
	{by: WebhookCall, Regexp: lazy.Regexp{Text: `admission webhook "(?P<name>[^"]+)" (?P<message>does not support dry run.*)`}},
	{by: PodSecurity, Regexp: lazy.Regexp{Text: `(?P<message>violates PodSecurity ".*)`}},
	{by: Decoding, Regexp: lazy.Regexp{Text: `cannot be handled as an? \w+: (?P<message>.*)`}},
	{by: Decoding, Regexp: lazy.Regexp{Text: `\(BadRequest\): (?P<message>.*)`}},
	{by: Decoding, Regexp: lazy.Regexp{Text: `error validating data: (?P<message>[^;\n]*)`}},
	{by: Authorization, Regexp: lazy.Regexp{Text: `\bforbidden: (?P<message>User "[^"]*" cannot .*)`}},
	{by: Modified, Regexp: lazy.Regexp{Text: `(?P<message>Operation cannot be fulfilled on .*the object has been modified.*)`}},
	{by: Managed, Regexp: lazy.Regexp{Text: `(?P<message>Apply failed with \d+ conflicts?: .*)`}},
	{by: Exists, Regexp: lazy.Regexp{Text: `(?P<message>[\w.-]+ "[^"]*" already exists)`}},
	{by: NotServed, Regexp: lazy.Regexp{Text: `(?P<message>no matches for kind "[^"]*" in version "[^"]*")`}},
	{by: NotServed, Regexp: lazy.Regexp{Text: `(?P<message>the server could not find the requested resource)`}},
	{by: Validation, Regexp: lazy.Regexp{Text: `[\w.-]+ "[^"]*" is invalid:? ?(?P<message>.*)`}},
	{by: Forbidden, Regexp: lazy.Regexp{Text: `[\w.-]+ "[^"]*" is forbidden: (?P<message>.*)`}},
}

// told are words of which every reply has one. Most texts have none.
var told = []string{"denied request", "denied the request", "failed calling webhook", "does not support dry run", "violates PodSecurity",
	"Validation failed for", "is invalid", "forbidden: ", "(BadRequest)", "cannot be handled as", "error validating data",
	"Operation cannot be fulfilled", "Apply failed with", "already exists", "no matches for kind", "could not find the requested resource"}

// tells reports whether a text may contain a reply.
func tells(text string) bool {
	return slices.ContainsFunc(told, func(words string) bool { return strings.Contains(text, words) })
}

// maxText limits the text size, in bytes, for finding replies.
const maxText = 256 << 10

// maxReplies limits how many different replies are returned.
const maxReplies = 6

// Find returns a text's replies, in order, each once.
func Find(text string) []Reply {
	if len(text) > maxText || !tells(text) {
		return nil
	}
	plain, found := []byte(text), []Reply(nil)
	at := 0
	for line := range strings.Lines(text) {
		if decoded := telling(line); len(decoded) > 0 {
			for _, r := range find(decoded[len(decoded)-1]) {
				r.Start, r.End = at, at+len(strings.TrimRight(line, "\r\n"))
				found = append(found, r)
			}
			for i := range len(strings.TrimRight(line, "\r\n")) {
				plain[at+i] = ' ' // already reported
			}
		}
		at += len(line)
	}
	found = append(found, find(string(plain))...)
	slices.SortStableFunc(found, func(a, b Reply) int { return cmp.Compare(a.Start, b.Start) })
	return once(found)
}

// telling returns the strings in a log line that contain a reply; the last is quoted most deeply.
func telling(line string) []string {
	return slices.DeleteFunc(pasted.Unquoted(line), func(s string) bool { return !tells(s) })
}

// find looks for the forms in an unquoted text.
func find(text string) []Reply {
	var found []Reply
	for i := range forms {
		form := &forms[i]
		names := form.SubexpNames()
		for _, m := range form.FindAllStringSubmatchIndex(text, -1) {
			r := Reply{By: form.by, Warned: form.warned, Start: m[0], End: m[1]}
			for g, name := range names {
				if name == "" || m[2*g] < 0 {
					continue
				}
				part := text[m[2*g]:m[2*g+1]]
				switch name {
				case "name":
					r.Name = part
				case "binding":
					r.Binding = part
				case "message":
					r.Message = message(part, text[m[1]:])
				}
			}
			if slices.ContainsFunc(found, func(f Reply) bool { return lineOf(text, f.Start) == lineOf(text, m[0]) }) {
				continue // a form that wraps another
			}
			r.Object = about(text, m[0], r)
			found = append(found, r)
		}
	}
	return found
}

// lineOf returns the start of an offset's line.
func lineOf(text string, at int) int { return strings.LastIndexByte(text[:at], '\n') + 1 }

// retrying is what Argo CD appends to a message.
var retrying = lazy.Regexp{Text: `\.? \(?Retrying attempt #\d+ at .*$| \(retried \d+ times\)\.?$`}

// message returns the server's message: the rest of its line, or the following lines if kubectl or
// a webhook begins a new line for it. For a list of causes, it is the whole list.
func message(line, after string) string {
	if line = retrying.ReplaceAllString(strings.TrimSpace(line), ""); line != "" {
		return line
	}
	var causes []string
	for next := range strings.Lines(strings.TrimLeft(after, "\r\n")) {
		next = strings.TrimSpace(next)
		cause, listed := strings.CutPrefix(next, "* ")
		if !listed && len(causes) == 0 {
			return next
		}
		if !listed {
			break
		}
		causes = append(causes, cause)
	}
	return strings.Join(causes, "; ")
}

// once drops repetitions: events repeat, and kubectl prints a denial for every object in a file.
func once(all []Reply) []Reply {
	var out []Reply
	for _, r := range all {
		again := func(o Reply) bool {
			return o.By == r.By && o.Name == r.Name && o.Binding == r.Binding && o.Message == r.Message
		}
		if len(out) < maxReplies && !slices.ContainsFunc(out, again) {
			out = append(out, r)
		}
	}
	return out
}
