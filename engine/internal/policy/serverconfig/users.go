package serverconfig

import (
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

// user is an entry of a kubeConfig file: how the server proves to a webhook who it
// is.
type user struct{ name, proof string }

// readUsers reads the users of a kubeConfig file. The clusters are not for webhooks.
func (r *reader) readUsers(d *scenario.Document) {
	if len(r.credentials) == 0 {
		r.add(d, diag.Warning, "kind", "no WebhookAdmissionConfiguration names a kubeConfigFile, so these credentials are not used", "")
		return
	}
	list, _ := d.Value["users"].([]any)
	for i, entry := range list {
		e, _ := entry.(map[string]any)
		name, _ := e["name"].(string)
		given, _ := e["user"].(map[string]any)
		if name == "" || given == nil {
			r.add(d, diag.Warning, fmt.Sprintf("users[%d]", i), "each entry of users must have a name and a user", "")
			continue
		}
		if given["auth-provider"] != nil {
			r.add(d, diag.Error, fmt.Sprintf("users[%d].user.auth-provider", i), "auth provider not supported", "Every call of a webhook that this user is for fails.")
		}
		r.users = append(r.users, user{name, proof(given)})
	}
	if context, _ := d.Value["current-context"].(string); context != "" {
		r.currentContext(d, context)
	}
}

// currentContext is what the server uses where no user has the name of a webhook.
func (r *reader) currentContext(d *scenario.Document, current string) {
	list, _ := d.Value["contexts"].([]any)
	for _, entry := range list {
		e, _ := entry.(map[string]any)
		context, _ := e["context"].(map[string]any)
		if e["name"] != current {
			continue
		}
		for _, u := range r.users {
			if u.name == context["user"] {
				r.users = append(r.users, user{currentName, u.proof})
				return
			}
		}
	}
}

// currentName stands for the user of the current context. No user can be called so.
const currentName = "\x00"

// proof says what a user shows: all that is given is sent.
func proof(given map[string]any) string {
	has := func(names ...string) bool {
		for _, name := range names {
			if text, _ := given[name].(string); text != "" {
				return true
			}
		}
		return false
	}
	var out []string
	if has("token", "tokenFile") {
		out = append(out, "a bearer token")
	}
	if has("client-certificate", "client-certificate-data") {
		out = append(out, "a client certificate")
	}
	if has("username", "password") {
		out = append(out, "a user name and password")
	}
	if given["exec"] != nil {
		out = append(out, "a command's output")
	}
	if len(out) == 0 {
		return "nothing"
	}
	return strings.Join(out, ", ")
}

// Credentials says with which user of the kubeConfig file the server authenticates
// to a webhook at a host and port, and with what; "" where the plugin has no such
// file. Mutating chooses the plugin.
func (c *Config) Credentials(mutating bool, hostPort string) string {
	plugin := "ValidatingAdmissionWebhook"
	if mutating {
		plugin = "MutatingAdmissionWebhook"
	}
	if !c.credentials[plugin] {
		return ""
	}
	if c.users == nil {
		return "The server has a kubeConfigFile for webhooks, whose content is missing here, so its credentials are unknown."
	}
	for _, name := range candidates(hostPort) {
		for _, u := range c.users {
			if u.name == name {
				who := fmt.Sprintf("as the user %q of its kubeConfig file", name)
				if name == currentName {
					who = "as the user of the current context of its kubeConfig file"
				}
				return fmt.Sprintf("The server authenticates %s, with %s.", who, u.proof)
			}
		}
	}
	return "No user in the server's kubeConfig file has this webhook's name, so the server calls it without credentials."
}

// candidates are the names of users for a host and port, the best first: exact, then
// with a star for more and more of its beginning, with the port and, where that is
// 443, without it.
func candidates(hostPort string) []string {
	out := starred(hostPort)
	if host, ok := strings.CutSuffix(hostPort, ":443"); ok {
		out = append(out, starred(strings.Trim(host, "[]"))...) // brackets are those of an IPv6 address
	}
	return append(out, "*", currentName)
}

func starred(name string) []string {
	out := []string{name}
	steps := strings.Split(name, ".")
	for i := 1; i < len(steps); i++ {
		out = append(out, "*."+strings.Join(steps[i:], "."))
	}
	return out
}
