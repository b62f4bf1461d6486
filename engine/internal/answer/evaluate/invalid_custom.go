package evaluate

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/customresource"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/repair/objecttext"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// customCauses explain the errors of a custom resource's schema, as causeRules do.
var customCauses = []causeRule{
	{&lazy.Regexp{Text: `Too many: (\d+): must have at most (\d+) items?`}, (*Evaluation).tooMany},
	{&lazy.Regexp{Text: `^Required value`}, (*Evaluation).required},
	{&lazy.Regexp{Text: `in body should match '(.*)'$`}, (*Evaluation).pattern},
	{&lazy.Regexp{Text: `in body must be of type (\w+): "`}, (*Evaluation).wrongType},
	{&lazy.Regexp{Text: `in body should be (?:less|greater) than or equal to (\d+)$`}, (*Evaluation).bound},
	{&lazy.Regexp{Text: `"[^"]*" must (?:not )?validate `}, (*Evaluation).branches},
}

// branchPlace is the field that a branch of a schema is about: the server names it in the text only.
var branchPlace = lazy.Regexp{Text: `"([^"]+)" must (?:not )?validate `}

// invalidCustom marks what the schema of a custom resource rejects. The rules have their own explanations.
func (e *Evaluation) invalidCustom(status *apierrors.StatusError, step *report.Step) []diag.Diagnostic {
	details := status.ErrStatus.Details
	if details == nil {
		return nil
	}
	ofSchema := *status
	ofSchema.ErrStatus.Details = details.DeepCopy()
	causes := slices.DeleteFunc(ofSchema.ErrStatus.Details.Causes, func(c metav1.StatusCause) bool {
		text := c.Field + ": " + c.Message
		return strings.HasSuffix(c.Message, customresource.Unchecked) ||
			slices.ContainsFunc(step.Validations, func(v report.Validation) bool { return v.Message == text })
	})
	for i := range causes {
		if place := branchPlace.FindStringSubmatch(causes[i].Message); place != nil {
			causes[i].Field = place[1]
		}
	}
	ofSchema.ErrStatus.Details.Causes = causes
	out := e.invalidObject(&ofSchema)
	for _, d := range out { // what is in a list in place of an object is no unknown field
		e.Report.Diagnostics = slices.DeleteFunc(e.Report.Diagnostics, func(o diag.Diagnostic) bool {
			return o.Code == codes.UnknownField && strings.Contains(d.Summary, "must be of type object") && strings.HasPrefix(o.Path, d.Path+"[")
		})
	}
	return out
}

// schemaOf is the schema of a field of the request's custom resource: the definition's text, the path in it, and
// what is there; nil for other kinds.
func (e *Evaluation) schemaOf(resource schema.GroupVersionResource, field fieldpath.Path) (definition objecttext.Object, at fieldpath.Path, node map[string]any) {
	d := e.Customs.Definitions[resource.GroupResource()]
	if d == nil || d.Document == nil {
		return objecttext.Object{}, nil, nil
	}
	definition, _ = objecttext.In(d.Document, "")
	for i, version := range untyped.Items(untyped.Sub(d.Document.Value, "spec")["versions"]) {
		if version["name"] != resource.Version {
			continue
		}
		at = fieldpath.New("spec", "versions").Index(i).Child("schema", "openAPIV3Schema")
		for _, step := range field {
			around := fieldpath.As[map[string]any](at.Get(d.Document.Value))
			switch properties := untyped.Sub(around, "properties"); {
			case step.IsIndex():
				at = at.Child("items")
			case properties[step.Name()] == nil && around["additionalProperties"] != nil:
				at = at.Child("additionalProperties")
			default:
				at = at.Child("properties").Key(step.Name())
			}
		}
		node = fieldpath.As[map[string]any](at.Get(d.Document.Value))
	}
	return definition, at, node
}

// tooMany offers to let a list have as many items as it has.
func (e *Evaluation) tooMany(d *diag.Diagnostic, cause metav1.StatusCause, texts []string) {
	d.Detail = fmt.Sprintf("The list has %s items, and maxItems of its definition allows %s.", texts[1], texts[2])
	definition, at, node := e.schemaOf(e.Chain.Attributes.Resource, fieldpath.Parse(cause.Field))
	count, err := strconv.ParseInt(texts[1], 10, 64)
	if node["maxItems"] == nil || err != nil {
		return
	}
	d.Related = []diag.Related{{Text: definition.Document.Text, Span: definition.Document.Locate(at.Child("maxItems").String()), Path: at.Child("maxItems").String(), Summary: "the limit"}}
	d.Fixes = definition.Fix(fmt.Sprintf("Allow %d items in the definition", count), func(object map[string]any) { at.Child("maxItems").Set(object, count) })
}

// required offers a field that the schema requires: each of its few values, or an example.
func (e *Evaluation) required(d *diag.Diagnostic, cause metav1.StatusCause, _ []string) {
	sent, _ := e.Sent()
	path := fieldpath.Parse(cause.Field)
	_, _, node := e.schemaOf(e.Chain.Attributes.Resource, path)
	if node == nil {
		if len(path) == 2 && e.Chain.Attributes.Kind.Kind == "Secret" {
			e.secretKey(d, cause)
		} else if e.Registered != nil {
			e.requiredBuiltin(d, cause, sent)
		}
		return
	}
	d.Detail = fmt.Sprintf("The definition requires %s in %s.", path.Last(), path.Parent())
	values, _ := node["enum"].([]any)
	if len(values) == 0 || len(values) > maxAllowed {
		fixes := sent.Fix("Add "+path.Last(), func(object map[string]any) { path.Set(object, exampleOf(node["type"])) })
		for i := range fixes {
			fixes[i].Draft = true // the value is an example
		}
		d.Fixes = fixes
		return
	}
	for _, value := range values {
		d.Fixes = append(d.Fixes, sent.Fix(fmt.Sprintf("Add %s: %v", path.Last(), value), func(object map[string]any) { path.Set(object, value) })...)
	}
}

// pattern changes a text to one that its pattern matches, where spaces or capitals are all that is wrong.
func (e *Evaluation) pattern(d *diag.Diagnostic, cause metav1.StatusCause, texts []string) {
	sent, _ := e.Sent()
	path := fieldpath.Parse(cause.Field)
	text := fieldpath.As[string](path.Get(sent.Value))
	d.Detail = "The text must match the regular expression of its definition."
	expression, err := regexp.Compile(texts[1])
	if err != nil {
		return
	}
	together := strings.Join(strings.Fields(text), "")
	for _, other := range []string{together, strings.ToLower(together), strings.ToUpper(together), strings.ReplaceAll(strings.ToLower(text), "_", "-")} {
		if other != text && expression.MatchString(other) {
			d.Fixes = set(sent, path, other)
			return
		}
	}
}

// wrongType writes a value as the type that the schema has.
func (e *Evaluation) wrongType(d *diag.Diagnostic, cause metav1.StatusCause, texts []string) {
	sent, _ := e.Sent()
	path := fieldpath.Parse(cause.Field)
	value, there := path.Get(sent.Value)
	d.Detail = fmt.Sprintf("The definition has %s as %s.", path.Last(), withArticle[texts[1]])
	if !there {
		return
	}
	list, _ := value.([]any)
	object, isObject := value.(map[string]any)
	text, isText := value.(string)
	var meant any
	title := ""
	switch want := texts[1]; {
	case want == "object" && len(list) > 0 && len(untyped.Items(list)) == len(list):
		merged := map[string]any{}
		for _, item := range untyped.Items(list) {
			for key, of := range item {
				merged[key] = of
			}
		}
		meant, title = merged, "Write an object, not a list"
	case want == "array" && (isObject || isText):
		meant, title = []any{value}, "Write a list"
		if isObject {
			meant = []any{object}
		}
	case want == "string" && strings.HasSuffix(strings.ToLower(path.Last()), "port") && !isText:
		d.Detail += fmt.Sprintf(" A %s that is a string is the name of a port, such as the one that a Service gives to port %v.", path.Last(), value)
		d.Fixes = e.portName(sent, path, value)
	case want == "string" && list == nil && !isObject && value != nil:
		meant, title = fmt.Sprint(value), "Put it in quotes"
	case isText && want != "string":
		var scalar any
		if json.Unmarshal([]byte(text), &scalar) == nil && scalar != nil {
			meant, title = scalar, "Write it without quotes"
		}
	}
	if meant != nil {
		d.Fixes = sent.Fix(title, func(object map[string]any) { path.Set(object, meant) })
	}
}

// portName offers the names that Services of the namespace give to a port, or an example of one.
func (e *Evaluation) portName(sent objecttext.Object, path fieldpath.Path, number any) (fixes []diag.Fix) {
	var names []any
	for _, service := range e.Cluster.List(schema.GroupKind{Kind: "Service"}, e.Initial.Namespace, labels.Everything()) {
		for _, port := range untyped.Items(untyped.Sub(service.Value, "spec")["ports"]) {
			if name := port["name"]; name != nil && shown(port["port"]) == shown(number) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for _, name := range names[:min(len(names), maxAllowed)] {
		fixes = append(fixes, set(sent, path, name)...)
	}
	if len(fixes) == 0 {
		fixes = sent.Fix("Write a port's name, such as http", func(object map[string]any) { path.Set(object, "http") })
		for i := range fixes {
			fixes[i].Draft = true // the name is an example
		}
	}
	return fixes
}

var withArticle = map[string]string{"array": "a list", "object": "an object", "string": "a string", "integer": "an integer", "number": "a number", "boolean": "a boolean"}

// bound offers the bound that a number breaks.
func (e *Evaluation) bound(d *diag.Diagnostic, cause metav1.StatusCause, texts []string) {
	sent, _ := e.Sent()
	if bound, err := strconv.ParseInt(texts[1], 10, 64); err == nil {
		d.Fixes = set(sent, fieldpath.Parse(cause.Field), bound)
	}
	d.Detail = "The definition limits the number."
}
