package completion

import (
	_ "embed" // the list
	"strings"
	"sync"

	yamlv3 "go.yaml.in/yaml/v3"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
)

// This file completes whole documents.

// isBlankDocument reports whether the document around an offset has only white
// space and comments.
func isBlankDocument(text string, offset int) bool {
	from, to := documentAt(text, offset)
	if from < 0 {
		return false
	}
	for line := range strings.Lines(text[from:to]) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return false
		}
	}
	return true
}

// documents completes in an empty document.
func (q *query) documents() Result {
	line := q.src[strings.LastIndexByte(q.src[:q.offset], '\n')+1 : q.offset]
	if strings.HasPrefix(strings.TrimSpace(line), "#") {
		return q.result("", "", nil)
	}
	q.cursor = &cursor{isKey: true}
	var t *catalog.Type
	if q.alone() {
		t = q.typeOfRules()
	}
	return q.result("", "", append(q.topKeys(t), q.ruleSnippets()...))
}

// snippet is a document with placeholders, from snippets.yaml.
type snippet struct {
	In                               diag.Text
	Label, Detail, Group, Kind, Text string
}

const registration = "admissionregistration.k8s.io"

// someWebhook is the name of a webhook in the list.
const someWebhook = "name.example.com"

//go:embed snippets.yaml
var snippetsText []byte

var snippetList = sync.OnceValue(func() (list []snippet) {
	if err := yamlv3.Unmarshal(snippetsText, &list); err != nil {
		panic(err) // a test reads it
	}
	return list
})

// snippets returns the text's documents of kinds that this release serves, each
// in its preferred API version.
func (q *query) snippets() []Item {
	var items []Item
	for _, s := range snippetList() {
		version := q.bestVersion(s.Group, s.Kind)
		if s.In != q.text || version == "" && s.Kind != "" {
			continue
		}
		text := strings.ReplaceAll(s.Text, "VERSION", s.Group+"/"+version)
		if hooks := q.unanswered(); len(hooks) > 0 && s.In == diag.Cluster {
			text = strings.ReplaceAll(text, "${"+someWebhook+"}", "${"+hooks[0]+"}")
		}
		items = append(items, Item{Label: s.Label, Kind: SnippetItem, Detail: s.Detail, Apply: text, Boost: fieldBoost + 20})
	}
	return items
}

// bestVersion prefers versions that a server serves by default, and v1.
func (q *query) bestVersion(group, kind string) string {
	best := ""
	for _, r := range q.catalog.Kinds() {
		if r.GVK.Group != group || r.GVK.Kind != kind {
			continue
		}
		if v := r.GVK.Version; best == "" || v == "v1" || v == "v1beta1" && best != "v1" {
			best = v
		}
	}
	return best
}

// webhookResponse is the type of our own kind: the recorded answer of a webhook.
var webhookResponse = sync.OnceValue(func() *catalog.Type {
	answer := catalog.NewStruct(
		field("allowed", catalog.Boolean), field("patch", catalog.Any), enum("patchType", "JSONPatch"),
		field("status", catalog.Any), field("warnings", catalog.Any), field("auditAnnotations", catalog.Any), field("uid", catalog.String),
		field("delaySeconds", catalog.Integer), field("httpStatus", catalog.Integer), field("body", catalog.Any), field("text", catalog.String),
		field("noResponse", catalog.Boolean), field("apiVersion", catalog.String), field("kind", catalog.String),
		field("connectionRefused", catalog.Boolean), field("sequence", catalog.Any))
	meta := catalog.NewStruct(field("name", catalog.String))
	return catalog.NewStruct(field("apiVersion", catalog.String), field("kind", catalog.String),
		&catalog.Field{Name: "metadata", Type: meta}, &catalog.Field{Name: "spec", Type: answer})
})

func field(name string, kind catalog.Kind) *catalog.Field {
	return &catalog.Field{Name: name, Type: &catalog.Type{Kind: kind}, OmitEmpty: true}
}

func enum(name string, values ...string) *catalog.Field {
	return &catalog.Field{Name: name, Type: &catalog.Type{Kind: catalog.String, Enum: values}, OmitEmpty: true}
}
