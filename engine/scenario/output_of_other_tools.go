package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/text/reply"
)

// header matches the head of a kubectl get table.
var header = lazy.Regexp{Text: `^(?:NAMESPACE\s+)?NAME(?:\s{2,}[A-Z][A-Z0-9()-]*(?: [A-Z]+)*)+\s*$`}

// eventTable matches the head of a kubectl get events table.
var eventTable = lazy.Regexp{Text: `^(?:NAMESPACE\s+)?LAST SEEN\s+(?:COUNT\s+)?TYPE\s+REASON\s`}

// goValue matches an AdmissionReview or its request as Go's %v, %+v and %#v print it.
var goValue = lazy.Regexp{Text: `Admission(?:Review|Request)\{|TypeMeta:\{Kind:AdmissionReview`}

// helmTemplate matches syntax that only a Helm chart's template has.
var helmTemplate = lazy.Regexp{Text: `\{\{[^{}\n]*(?:\.(?:Values|Release|Chart)\b|\binclude\s+["\x60])`}

// hasObject reports whether one of the documents is an object. A template is none, even if it can be
// parsed: the API server rejects its name.
func hasObject(docs []*Document) bool {
	return slices.ContainsFunc(docs, func(d *Document) bool {
		return d.Kind != "" && !helmTemplate.MatchString(d.Name+" "+d.Namespace)
	})
}

// outputOf is before a command that prints what to paste.
const outputOf = "Paste the output of "

// mostLines limits the lines that a sentence names.
const mostLines = 4

// linesWith names the lines that have a mark.
func linesWith(text, mark string) string {
	var list []string
	for i, line := range strings.Split(text, "\n") {
		if strings.Contains(line, mark) {
			list = append(list, fmt.Sprint(i+1))
		}
	}
	more := ""
	if len(list) > mostLines {
		list, more = list[:mostLines], " and others"
	}
	if len(list) == 1 {
		return "line " + list[0]
	}
	return "lines " + strings.Join(list, ", ") + more
}

// foreign recognises kubectl's output for people, and templates. It returns what the text is and
// what to paste instead. Both are empty for other texts.
func foreign(src string) (said, instead string) {
	text := strings.TrimSpace(src)
	first, _, _ := strings.Cut(text, "\n")
	if header.MatchString(strings.TrimRight(first, "\r ")) {
		return "this is a table from kubectl get, without the objects themselves", outputOf + "kubectl get KIND NAME -o yaml"
	}
	if helmTemplate.MatchString(text) {
		return "this is a Helm template, not a manifest: {{ }} in " + linesWith(src, "{{"), outputOf + "helm template NAME CHART"
	}
	if eventTable.MatchString(first) {
		return "this is a table of events, and no event in it is about a denial", outputOf + "kubectl get events -A --field-selector type=Warning"
	}
	if strings.Contains(text, "AdmissionReview") || strings.Contains(text, "AdmissionRequest") {
		switch {
		case goValue.MatchString(text):
			return "this is an AdmissionReview as Go prints it, which cannot be read back", "Paste a log of the review as JSON"
		case text[0] != '{' && strings.Contains(text, "{") && !manifest(text):
			return "this log has no complete AdmissionReview: the JSON is cut off", "Paste a log with the whole AdmissionReview, or an audit event of level Request"
		}
	}
	d, ok := reply.ReadDescribed(text)
	if !ok {
		return "", ""
	}
	instead = fmt.Sprintf(outputOf+"kubectl get %s %s", cmp.Or(d.Kind, "KIND"), d.Name)
	if d.Namespace != "" {
		instead += " -n " + d.Namespace
	}
	return "this is the output of kubectl describe, which omits parts of the object", instead + " -o yaml"
}

// manifest reports whether a text has an object's fields, even if it cannot be parsed.
func manifest(text string) bool {
	apiVersion, kind := seemingKind(text)
	return apiVersion != "" && kind != ""
}
