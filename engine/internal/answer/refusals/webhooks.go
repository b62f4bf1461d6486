package refusals

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/webhook"
	"github.com/preadmit/preadmit/engine/internal/answer/assumptions"
	"github.com/preadmit/preadmit/engine/internal/answer/compile"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/repair/objecttext"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report"
)

// callErrors say what an error of a call to a webhook means. The first whose text matches is used.
var callErrors = []struct {
	text    *lazy.Regexp
	meaning string
}{
	{&lazy.Regexp{Text: `service "[^"]*" not found`}, "The Service of its clientConfig does not exist. If the program was removed, its configuration is left over: delete it."},
	{&lazy.Regexp{Text: `no endpoints available`}, "The Service exists, and none of its Pods is ready: they are down or starting, or its selector matches none."},
	{&lazy.Regexp{Text: `connection refused`}, "The address answers, and nothing listens on the port: the program is not running, or the targetPort of the Service is not the one that it listens on."},
	{&lazy.Regexp{Text: `certificate signed by unknown authority`}, "The certificate of the webhook is not signed by the authority in caBundle: caBundle is old, empty or another one's. What injects it, such as cert-manager's cainjector, must run."},
	{&lazy.Regexp{Text: `certificate is (?:not )?valid for|cannot validate certificate|legacy Common Name|certificate is not valid for any names`}, "The certificate is for other names. The server asks for SERVICE.NAMESPACE.svc, which must be among the certificate's DNS names."},
	{&lazy.Regexp{Text: `certificate has expired`}, "The certificate of the webhook is out of date: renew it."},
	{&lazy.Regexp{Text: `server gave HTTP response to HTTPS`}, "The port speaks HTTP, and a webhook must serve HTTPS."},
	{&lazy.Regexp{Text: `no such host`}, "The server cannot resolve the name of the webhook's URL."},
	{&lazy.Regexp{Text: `no route to host`}, "There is no way from the API server to the network of the Pods."},
	{&lazy.Regexp{Text: `dial tcp.*timeout|Client\.Timeout exceeded while awaiting|deadline exceeded|timeout`}, "No answer came in time. A NetworkPolicy or a firewall may drop the packets between the control plane and the Pods' port, or the control plane cannot reach the Pod network. Or the program is too slow."},
	{&lazy.Regexp{Text: `EOF|connection reset`}, "The other side closed the connection without an answer: the program or a proxy before it is starting or stopping."},
	{&lazy.Regexp{Text: `could not find the requested resource|404`}, "The program answers, and does not know the path of clientConfig."},
}

// call explains why a webhook could not be called.
func (r *refusal) call(texts []string) bool {
	doc, ok := r.owner(r.step)
	if !ok {
		return false
	}
	r.diag.Text, r.diag.Span = r.step.Text, r.step.Span
	r.diag.Summary = fmt.Sprintf("the server cannot call webhook %s: %s", r.step.Webhook, cause(texts[1]))
	for _, e := range callErrors {
		if e.text.MatchString(texts[1]) {
			r.diag.Detail = e.meaning + " "
			break
		}
	}
	if r.diag.Detail == "" {
		return false
	}
	r.diag.Detail += "While this lasts, failurePolicy Fail rejects every request that its rules match."
	owner, _ := objecttext.In(doc, "")
	r.missingService(owner)
	r.offer(owner.Fix("Let requests pass while it does not answer: failurePolicy: Ignore", func(object map[string]any) {
		for _, w := range untyped.Items(object["webhooks"]) {
			if w["name"] == r.step.Webhook {
				w["failurePolicy"] = "Ignore"
			}
		}
	})...)
	return true
}

// missingService offers the Service of a webhook that the cluster text does not have: who knows the webhook's answer
// has one.
func (r *refusal) missingService(owner objecttext.Object) {
	for _, w := range untyped.Items(owner.Value["webhooks"]) {
		service := untyped.Sub(w, "clientConfig", "service")
		name, namespace := text(service, "name"), text(service, "namespace")
		_, there := r.Cluster.Get(schema.GroupKind{Kind: "Service"}, namespace, name)
		if w["name"] != r.step.Webhook || name == "" || there {
			continue
		}
		port := service["port"]
		if port == nil {
			port = 443
		}
		r.offer(compile.AddToCluster(r.Scenario.Cluster, "Add Service "+namespace+"/"+name+", if it exists", fmt.Sprintf(
			"apiVersion: v1\nkind: Service\nmetadata: {name: %s, namespace: %s}\nspec: {ports: [{port: %v}]}\n", name, namespace, port)))
	}
}

// cause is what an error says after the address that was called.
func cause(text string) string {
	if i := strings.LastIndex(text, `": `); i >= 0 {
		return text[i+3:]
	}
	return text
}

// patch explains an operation of a webhook's patch below something that the object does not have.
func (r *refusal) patch(texts []string) bool {
	object, pointer := r.Chain.Attributes.Object, texts[2]
	steps := fieldpath.Pointer(pointer)
	missing := ""
	for i := 1; i < len(steps); i++ {
		parent := "/" + strings.Join(escaped(steps[:i]), "/")
		if _, there := fieldpath.Lookup(object, parent); !there {
			missing = parent
			break
		}
	}
	if missing == "" || texts[1] != "add" {
		return false
	}
	r.diag.Text, r.diag.Span = r.step.Text, r.step.Span
	r.diag.Summary = fmt.Sprintf("webhook %s adds %s, and the object has no %s", r.step.Webhook, pointer, missing)
	first := fmt.Sprintf(`{"op": "add", "path": %q, "value": {}}`, missing)
	r.diag.Detail = "add creates the last part of its path only. Where the object lacks " + missing + ", the patch must add that first: " + first + ". Where the object has it, that operation would empty it."
	for _, d := range r.Parsed(diag.Cluster) {
		encoded, _ := untyped.Sub(d.Value, "spec")["patch"].(string)
		if d.Kind != webhook.ResponseKind || d.Name != r.step.Webhook || encoded == "" {
			continue
		}
		if now, ok := before(encoded, pointer, first); ok {
			response, _ := objecttext.In(d, "")
			r.offer(response.Fix("Add "+missing+" first", func(object map[string]any) { untyped.Child(object, "spec")["patch"] = now })...)
		}
	}
	return true
}

func escaped(steps []string) []string {
	out := make([]string, len(steps))
	for i, s := range steps {
		out[i] = fieldpath.Escape(s)
	}
	return out
}

// before is an encoded patch with an operation before the one that adds at a path.
func before(encoded, path, operation string) (string, bool) {
	raw, err := base64.StdEncoding.DecodeString(encoded)
	var operations []json.RawMessage
	if err != nil || json.Unmarshal(raw, &operations) != nil {
		return "", false
	}
	var out []json.RawMessage
	found := false
	for _, o := range operations {
		var op report.PatchOperation
		if json.Unmarshal(o, &op) == nil && op.Path == path && !found {
			found, out = true, append(out, json.RawMessage(operation))
		}
		out = append(out, o)
	}
	changed, err := json.Marshal(out)
	return base64.StdEncoding.EncodeToString(changed), found && err == nil
}

// escalation offers the right that the user needs to grant what it does not have.
func (r *refusal) escalation([]string) bool {
	field := "rules"
	if strings.HasSuffix(r.Initial.Kind.Kind, "Binding") {
		field = "roleRef"
	}
	r.at(field)
	for _, check := range r.step.Authorizations {
		if check.Allowed || check.Verb != "bind" && check.Verb != "escalate" {
			continue
		}
		what := check.Resource
		if check.Name != "" {
			what += " " + check.Name
		}
		r.diag.Detail = fmt.Sprintf("A user may grant only permissions that it has, in the same scope. Give %s the permissions that the text lists, or the verb %s for %s, with which it may grant them all.", check.User, check.Verb, what)
		if rules := missingRules(r.step.Error); rules != "" {
			r.offer(assumptions.GrantRules(r.Scenario.Cluster, check, rules))
		}
		r.offer(assumptions.GrantRight(r.Scenario.Cluster, check))
		return true
	}
	return false
}

// unauthorized offers the right to make the request, and names the roles that the user has.
func (r *refusal) unauthorized(texts []string) bool {
	check, ok := r.lacks(texts[1])
	if !ok || check.Explanation == "" {
		return false
	}
	r.diag.Detail = "Authorization comes before admission: no policy or webhook has seen the request. " + strings.ToUpper(check.Explanation[:1]) + check.Explanation[1:] + "."
	return true
}

// signer offers the right that approving or signing a certificate needs besides that of the update.
func (r *refusal) signer(texts []string) bool {
	_, ok := r.lacks(texts[1])
	r.diag.Detail = fmt.Sprintf("Besides the update, the user needs the verb %s for signers in certificates.k8s.io, with the signer's name as the resource name.", texts[1])
	return ok
}

// lacks is the check that denied a verb, whose right it offers.
func (r *refusal) lacks(verb string) (report.Authorization, bool) {
	r.at("metadata.name")
	i := slices.IndexFunc(r.step.Authorizations, func(c report.Authorization) bool { return c.Verb == verb && !c.Allowed })
	if i < 0 {
		return report.Authorization{}, false
	}
	r.offer(assumptions.GrantRight(r.Scenario.Cluster, r.step.Authorizations[i]))
	return r.step.Authorizations[i], true
}

// rulePart is a list of a rule as the server writes the permissions that a user lacks: Verbs:["get" "list"].
var rulePart = &lazy.Regexp{Text: `(APIGroups|Resources|ResourceNames|NonResourceURLs|Verbs):\[([^\]]*)\]`}

// missingRules are the permissions that a text lists, one a line, as the rules of a role.
func missingRules(message string) string {
	var b strings.Builder
	for line := range strings.Lines(message) {
		sign := "- "
		if !strings.HasPrefix(strings.TrimSpace(line), "{") {
			continue
		}
		for _, part := range rulePart.FindAllStringSubmatch(line, -1) {
			name := strings.ToLower(part[1][:1]) + part[1][1:]
			if part[1] == "APIGroups" {
				name = "apiGroups"
			}
			fmt.Fprintf(&b, "%s%s: [%s]\n", sign, name, strings.Join(strings.Fields(part[2]), ", "))
			sign = "  "
		}
	}
	return b.String()
}
