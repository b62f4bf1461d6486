package scenario

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// item is a document, or a part of a text that cannot be read (doc is nil).
type item struct {
	Object
	read  *read
	chunk int
	doc   *Document
	at    diag.Span   // in read.src
	http  *httpAnswer // set if the text is an HTTP response instead of a document

	home diag.Text
	why  string
	// instead replaces the document.
	instead string
}

// The rules that place documents, as Placed.Why names them.
const (
	whyPolicy     = "admission configuration"
	whyRequest    = "a request"
	whyResponse   = "a webhook's response"
	whySupporting = "an object that others use"
	whySettings   = "settings"
	whyRules      = "schema rules"
	whyObject     = "an object"
	whyUnknown    = "not recognised"
)

// group is the API group of an apiVersion.
func group(apiVersion string) string {
	g, _, found := strings.Cut(apiVersion, "/")
	if !found {
		return ""
	}
	return g
}

// supportingKinds are kinds that usually support a request, by API group.
var supportingKinds = map[string][]string{
	"":                          {"Namespace", "ServiceAccount", "ConfigMap", "Secret", "LimitRange", "ResourceQuota", "Node", "PersistentVolume", "PersistentVolumeClaim"},
	"apiextensions.k8s.io":      {"CustomResourceDefinition"},
	"rbac.authorization.k8s.io": {"Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"},
	"scheduling.k8s.io":         {"PriorityClass"},
	"storage.k8s.io":            {"StorageClass", "VolumeAttributesClass", "CSIDriver"},
	"networking.k8s.io":         {"IngressClass"},
	"node.k8s.io":               {"RuntimeClass"},
	"resource.k8s.io":           {"ResourceSlice"},
	"preadmit.dev":              {"WebhookResponse", "TokenClaims"},
}

// policyGroups are the API groups of policies and of the server's configuration files.
var policyGroups = []string{"admissionregistration.k8s.io", "apiserver.config.k8s.io", "pod-security.admission.config.k8s.io"}

// kindOf classifies a document. params are the kinds of the policies' params, as apiVersion and
// kind.
func (it *item) kindOf(params [][2]string, behind backends) string {
	switch {
	case it.doc != nil && behind.has(it.doc):
		return whySupporting
	case it.http != nil:
		return whyResponse
	case slices.Contains(policyGroups, group(it.APIVersion)), it.APIVersion == "v1" && it.Kind == "Config":
		return whyPolicy
	case slices.Contains(supportingKinds[group(it.APIVersion)], it.Kind), slices.Contains(params, [2]string{it.APIVersion, it.Kind}):
		return whySupporting
	case it.doc == nil && it.APIVersion == "" && it.Kind == "":
		return whyUnknown
	case it.read != nil && it.read.known() == ClusterFile && it.Kind != "" && it.Kind != "AdmissionReview":
		return whySupporting
	case it.doc == nil:
		return whyObject
	case it.doc.IsAuditEvent():
		return whyRequest
	case it.Kind == "AdmissionReview":
		if _, asks := it.doc.Value["request"].(map[string]any); !asks && it.doc.Value["response"] != nil {
			return whyResponse
		}
		return whyRequest
	case it.Kind != "":
		return whyObject
	case hasField(it.doc.Value, "operation", "object", "oldObject", "userInfo", "resource", "requestKind"):
		return whyRequest
	case isRules(it.doc.Value):
		return whyRules
	case hasField(it.doc.Value, "kubernetes", "beforeValidation", "options", "expressionContext"):
		return whySettings
	}
	return whyUnknown
}

func hasField(value map[string]any, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return value[name] != nil })
}

// isRules recognises custom resource rules without a definition (see Scenario.Expression).
func isRules(value map[string]any) bool {
	if _, ok := value[SchemaField].(map[string]any); !ok {
		return false
	}
	for name := range value {
		if name != SchemaField && name != SelfField && name != OldSelfField {
			return false
		}
	}
	return true
}

// decide places each document by Classify's table.
func (c *classifier) decide() {
	policies := c.policies()
	params, behind := paramKinds(policies), c.backends(policies)
	by := map[string][]*item{}
	for _, it := range c.items {
		it.why = it.kindOf(params, behind)
		by[it.why] = append(by[it.why], it)
		switch it.why {
		case whyPolicy:
			it.home = diag.Policies
		case whySupporting, whyObject:
			it.home = diag.Cluster
		case whySettings:
			it.home = diag.Settings
		case whyRules:
			it.home = diag.Expression
			c.out.Scenario.ExpressionContext = RuleContext
		case whyUnknown:
			if it.home = c.given.Into; it.home == "" {
				it.home = diag.Request
			}
		}
	}
	for _, it := range by[whyResponse] {
		c.response(it, policies)
	}
	c.pick(c.possible(by, policies))
	for _, it := range c.items {
		if it.home == diag.Request && it.doc != nil && it.doc.IsAuditEvent() {
			c.audited(it)
		}
		c.out.Placed = append(c.out.Placed, Placed{it.Object, it.home, it.why})
	}
}

// possible lists the documents that could be the request, by the first rule that finds any.
func (c *classifier) possible(by map[string][]*item, policies []*Document) []*item {
	alone := len(by[whySupporting]) == 1 && by[whySupporting][0].Kind != "WebhookResponse" && strings.TrimSpace(c.given.Scenario.Request) == ""
	switch {
	case len(by[whyRequest]) > 0:
		if one := asked(by[whyRequest], by[whyResponse]); len(one) == 1 {
			return one
		}
		return by[whyRequest]
	case c.given.Into == diag.Cluster:
		return nil
	case len(by[whyObject]) > 0:
		return by[whyObject]
	case len(ruled(policies, by[whySupporting])) == 1:
		return ruled(policies, by[whySupporting])
	case c.given.Into == diag.Request, alone:
		return slices.DeleteFunc(slices.Clone(by[whySupporting]), func(it *item) bool { return it.Kind == "WebhookResponse" })
	}
	return nil
}

// pick makes the only object, or the chosen one, the request.
func (c *classifier) pick(from []*item) {
	if len(from) == 1 {
		from[0].home = diag.Request
		return
	}
	if len(from) == 0 {
		return
	}
	for i, it := range from {
		it.home = ""
		c.out.Candidates = append(c.out.Candidates, it.Object)
		if i+1 == c.given.Request {
			it.home, c.out.Chosen = diag.Request, i+1
		}
	}
	if c.out.Chosen > 0 {
		return
	}
	first := from[0]
	d := c.diagnose(first.read, diag.Error, codes.WhichRequest, first.at, fmt.Sprintf("any of %s could be the request", Names(c.out.Candidates)),
		"A request concerns one object at a time.")
	for _, it := range from[1:min(len(from), maxRelated+1)] {
		line, column := it.read.lineColumn(it.at.Start)
		d.Related = append(d.Related, diag.Related{Text: d.Text, Span: it.at, Line: line, Column: column, Summary: it.String()})
	}
}

// maxRelated limits how many related places and names a message lists.
const maxRelated = 6

// Names lists objects for a sentence. If there are many, it lists only the first ones.
func Names(list []Object) string {
	var names []string
	for _, o := range list[:min(len(list), maxRelated)] {
		names = append(names, o.String())
	}
	if more := len(list) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}

// policies returns the policies of the files and of the current scenario.
func (c *classifier) policies() []*Document {
	docs, _ := ParseDocuments(diag.Policies, c.given.Scenario.Policies)
	for _, it := range c.items {
		if it.doc != nil {
			docs = append(docs, it.doc)
		}
	}
	return slices.DeleteFunc(docs, func(d *Document) bool { return group(d.APIVersion) != "admissionregistration.k8s.io" })
}

// ruled returns the objects whose resource a policy or webhook rule names. A PersistentVolumeClaim
// next to a policy about persistentvolumeclaims is the request, although it usually supports one.
func ruled(policies []*Document, objects []*item) []*item {
	var named []string
	for _, d := range policies {
		walkRules(d.Value, &named)
	}
	var out []*item
	for _, it := range objects {
		plural := strings.ToLower(it.Kind) + "s"
		if strings.HasSuffix(it.Kind, "s") {
			plural = strings.ToLower(it.Kind) + "es"
		}
		if slices.Contains(named, plural) {
			out = append(out, it)
		}
	}
	return out
}

// walkRules collects the resources named by rules anywhere in a document.
func walkRules(v any, named *[]string) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			walkRules(item, named)
		}
	case map[string]any:
		for key, item := range v {
			list, _ := item.([]any)
			if key != "resources" || list == nil {
				walkRules(item, named)
				continue
			}
			for _, resource := range list {
				if name, ok := resource.(string); ok {
					*named = append(*named, name)
				}
			}
		}
	}
}

// paramKinds returns the apiVersion and kind of the policies' params.
func paramKinds(policies []*Document) [][2]string {
	var out [][2]string
	for _, d := range policies {
		spec, _ := d.Value["spec"].(map[string]any)
		kind, _ := spec["paramKind"].(map[string]any)
		if apiVersion, ok := kind["apiVersion"].(string); ok {
			name, _ := kind["kind"].(string)
			out = append(out, [2]string{apiVersion, name})
		}
	}
	return out
}

// seeming finds apiVersion and kind at the start of a line in an unreadable text.
var seeming = lazy.Regexp{Text: `(?m)^\s{0,2}"?(apiVersion|kind)"?:\s*"?([A-Za-z][\w./-]*)"?,?\s*$`}

func seemingKind(part string) (apiVersion, kind string) {
	for _, m := range seeming.FindAllStringSubmatch(part, -1) {
		switch {
		case m[1] == "apiVersion" && apiVersion == "":
			apiVersion = m[2]
		case m[1] == "kind" && kind == "":
			kind = m[2]
		}
	}
	return apiVersion, kind
}
