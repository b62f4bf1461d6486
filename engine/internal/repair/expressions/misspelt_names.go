package expressions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/text/suggest"
)

// systemNames are the users and groups that Kubernetes gives names of its own. The names of nodes and
// service accounts begin with those of systemPrefixes.
var systemNames = []string{
	"system:masters", "system:authenticated", "system:unauthenticated", "system:anonymous", "system:nodes", "system:serviceaccounts", "system:bootstrappers", "system:monitoring",
	"system:kube-scheduler", "system:kube-controller-manager", "system:kube-proxy", "system:apiserver", "system:volume-scheduler", "system:node-proxier", "system:cloud-controller-manager",
}

var systemPrefixes = []string{"system:node:", "system:serviceaccount:", "system:serviceaccounts:", "system:bootstrappers:", "system:bootstrap:"}

// systemNamespaces are the namespaces that Kubernetes creates, apart from default.
var systemNamespaces = []string{"kube-system", "kube-public", "kube-node-lease"}

// misspeltName is a text that nearly is one of Kubernetes' own names, where it is compared with a user, a
// group or a namespace.
func (d *draft) misspeltName(i int, content string) *Doubt {
	known, what := systemNames, "user or group"
	if !strings.HasPrefix(content, "system:") {
		known, what = systemNamespaces, "namespace"
	}
	field := d.comparedWith(i)
	of := strings.HasSuffix(field, "amespace") || strings.HasPrefix(field, "namespaceObject.")
	if what == "user or group" {
		of = field != "" && strings.Contains(d.text, "userInfo") // field may be the item of a macro
	}
	hasPrefix := func(prefix string) bool { return strings.HasPrefix(content, prefix) }
	near, ok := suggest.Of(known, content)
	if !of || !ok || slices.Contains(known, content) || slices.ContainsFunc(systemPrefixes, hasPrefix) || suggest.Letters(near, content) > 2 {
		return nil
	}
	return &Doubt{
		Summary:  fmt.Sprintf("%s is nearly %s, a %s that Kubernetes has", d.List[i].Text, near, what),
		Detail:   fmt.Sprintf("No request of %s matches this text.", near),
		Repaired: d.with(edit{d.start(i), d.end(i), d.quoted(i, near)}),
	}
}

// comparedWith is the operand that a text is compared with, alone or as an item of a list: of ==, != and in.
// It is empty for another text.
func (d *draft) comparedWith(i int) string {
	first, last := i, i
	for open := i; open > 0; open-- {
		if d.Is(open, "[") {
			first, last = open, d.Partner[open]
			break
		}
		if !d.isString(open) && !d.Is(open, ",") {
			break
		}
	}
	equals := func(at int) bool { return d.Is(at, "==") || d.Is(at, "!=") || d.Is(at, "in") }
	switch {
	case equals(first-1) && d.ends(first-2):
		return d.slice(d.chainStart(first-2), first-2)
	case equals(last+1) && d.begins(last+2):
		return d.slice(last+2, d.chainEnd(last+2))
	}
	return ""
}
