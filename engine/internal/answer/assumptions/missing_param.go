package assumptions

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/answer/compile"
	"github.com/preadmit/preadmit/engine/internal/answer/evaluate"
	"github.com/preadmit/preadmit/engine/internal/cel/explain"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/cluster"
	"github.com/preadmit/preadmit/engine/internal/repair/documents"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// MissingParams reports bindings that name a param which the cluster text does not have,
// where it has one that is likely meant: of nearly the same name, of the same name in
// another namespace, or the only one of its kind. Where it has none, it reports those for which
// that denies the request.
func MissingParams(e *evaluate.Evaluation) {
	seen := map[*scenario.Document]bool{}
	for _, m := range e.Chain.MissingParams {
		doc := bindingOf(e, m)
		if doc == nil || seen[doc] {
			continue
		}
		seen[doc] = true
		path, value := "spec.paramRef.name", ""
		o := likelyParam(m, e.Cluster.List(m.Kind.GroupKind(), "", labels.Everything()))
		switch {
		case m.Name == "" || o == nil:
			absentParam(e, doc, m)
			continue
		case o.Name == m.Name && doc.Has("spec.paramRef.namespace"):
			path, value = "spec.paramRef.namespace", o.Namespace
		case o.Name == m.Name:
			edit, ok := doc.Insert("spec.paramRef", "namespace", o.Namespace)
			missingParam(e, doc, m, o, diag.Fix{Title: "Add namespace: " + o.Namespace, Edits: []diag.Edit{edit}}, ok)
			continue
		default:
			value = o.Name
		}
		edit, ok := doc.Rewrite(path, value)
		missingParam(e, doc, m, o, diag.Fix{Title: "Change to " + value, Edits: []diag.Edit{edit}}, ok)
	}
}

// UnboundParams gives bindings without a paramRef the name of the only object of the policy's paramKind in
// the cluster text.
func UnboundParams(e *evaluate.Evaluation) {
	for i := range e.Report.Diagnostics {
		p := &e.Report.Diagnostics[i]
		if p.Code != codes.ParamsNotBound || len(p.Fixes) != 1 || !p.Fixes[0].Draft {
			continue
		}
		all := e.Parsed(diag.Policies)
		at := slices.IndexFunc(all, func(d *scenario.Document) bool { return d.Kind+"/"+d.Name == p.Document })
		if at < 0 {
			continue
		}
		name, _ := fieldpath.Parse("spec.policyName").Get(all[at].Value)
		for _, d := range all {
			gvk, ok := model.ParamKind(d.Value)
			if !ok || d.Name != name || d.Kind+"Binding" != all[at].Kind {
				continue
			}
			if params := e.Cluster.List(gvk.GroupKind(), "", labels.Everything()); len(params) == 1 {
				p.Fixes = documents.ParamRef(all[at], params[0].Name, params[0].Namespace)
			}
			break
		}
	}
}

// MissingParamKinds reports policies whose paramKind the server does not serve: it accepts the
// policy and denies each request that the policy matches.
func MissingParamKinds(e *evaluate.Evaluation) {
	seen := map[*scenario.Document]bool{}
	for i := range e.Report.Steps {
		s := &e.Report.Steps[i]
		if s.Status != report.Errored || !strings.Contains(s.Error, "failed to find resource referenced by paramKind") {
			continue
		}
		for _, doc := range e.Parsed(diag.Policies) {
			if doc.Kind != s.Kind || doc.Name != s.Policy || seen[doc] {
				continue
			}
			seen[doc] = true
			if slices.ContainsFunc(e.Report.Diagnostics, func(d diag.Diagnostic) bool {
				return d.Code == codes.InvalidParamKind && d.Document == doc.Kind+"/"+doc.Name
			}) {
				continue // no expression reads params: the paramKind has to go
			}
			gvk, _ := model.ParamKind(doc.Value)
			e.Diagnose([]diag.Diagnostic{{Code: codes.UnknownKind, Severity: diag.Warning, Text: doc.Text, Span: doc.LocateKey("spec.paramKind"), Path: "spec.paramKind", Document: doc.Kind + "/" + doc.Name,
				Summary: fmt.Sprintf("the server does not serve %s, so it cannot evaluate the policy", gvk),
				Detail:  "The server accepts the policy without its paramKind and then answers each request by failurePolicy. Install the CustomResourceDefinition first.",
				Fixes:   compile.DefinitionFor(e.Scenario.Cluster, gvk)}})
		}
	}
}

// absentParam reports a param whose lack denies the request, with the object to add.
func absentParam(e *evaluate.Evaluation, doc *scenario.Document, m run.MissingParam) {
	a := assumed{places: map[string]int{}, report: e.Report, cluster: e.Scenario.Cluster}
	a.param(e, m, 0, terminates(e, m.Namespace))
	if m.Step.Verdict != report.Deny || len(a.list) == 0 || len(a.list[0].Fixes) == 0 {
		return
	}
	path := "spec.paramRef.name"
	if m.Name == "" {
		path = "spec.paramRef"
	}
	e.Diagnose([]diag.Diagnostic{{Code: codes.MissingParam, Severity: diag.Warning, Text: doc.Text, Span: doc.Locate(path), Path: path, Document: doc.Kind + "/" + doc.Name,
		Summary: a.list[0].What, Detail: "The binding denies requests without it. The scenario's cluster does not have it.", Fixes: a.list[0].Fixes}})
}

// missingParam reports that a binding names a param which does not exist, where likely is the one that is meant.
func missingParam(e *evaluate.Evaluation, doc *scenario.Document, m run.MissingParam, likely *cluster.Object, fix diag.Fix, made bool) {
	if !made {
		return
	}
	_, near := suggest.Of([]string{likely.Name}, m.Name)
	fix.Choice = m.Namespace != likely.Namespace || !near // it may be a param that the cluster's text lacks
	where := ""
	if m.Namespace != "" {
		where = " in namespace " + m.Namespace
	}
	e.Diagnose([]diag.Diagnostic{{Code: codes.MissingParam, Severity: diag.Warning, Text: doc.Text, Span: doc.Locate("spec.paramRef.name"), Path: "spec.paramRef.name", Document: doc.Kind + "/" + doc.Name,
		Summary: fmt.Sprintf("the scenario's cluster has no %s %s%s", m.Kind.Kind, m.Name, where), Detail: fmt.Sprintf("It has %s %s. Is that the one you mean?", m.Kind.Kind, path.Join(likely.Namespace, likely.Name)), Fixes: []diag.Fix{fix}}})
}

func bindingOf(e *evaluate.Evaluation, m run.MissingParam) *scenario.Document {
	if m.Step == nil {
		return nil
	}
	for _, d := range e.Parsed(diag.Policies) {
		if d.Kind == m.Step.Kind+"Binding" && d.Name == m.Step.Binding {
			return d
		}
	}
	return nil
}

// likelyParam is the param that a reference most likely means; nil if there is none.
func likelyParam(m run.MissingParam, all []cluster.Object) *cluster.Object {
	var here []cluster.Object
	var names []string
	for _, o := range all {
		switch o.Namespace {
		case m.Namespace:
			here, names = append(here, o), append(names, o.Name)
		default:
			if o.Name == m.Name {
				return &o
			}
		}
	}
	near, ok := suggest.Of(names, m.Name)
	for i := range here {
		if ok && here[i].Name == near || len(here) == 1 {
			return &here[i]
		}
	}
	return nil
}

// paramDocument is a param with the fields that the policy of a step reads, and the place of the
// first of their values: only the reader knows those. The place is empty where it reads none.
func paramDocument(e *evaluate.Evaluation, gvk schema.GroupVersionKind, metadata map[string]any, step *report.Step) (text string, fill diag.Span, err error) {
	apiVersion, kind := gvk.ToAPIVersionAndKind()
	head, err := yaml.Marshal(map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": metadata})
	if err != nil {
		return "", fill, err
	}
	typ, _ := e.Catalog.TypeOf(gvk)
	fields, first := map[string]any{}, []string(nil)
	for _, f := range explain.ParamFields(expressionsOf(e, step)) {
		value, ok := Fitting(f.Value, typ, f.Path)
		if ok && putField(fields, f.Path, value) && first == nil {
			first = f.Path
		}
	}
	if first == nil {
		return string(head), fill, nil
	}
	rest, err := yaml.Marshal(fields)
	if err != nil {
		return "", fill, err
	}
	return string(head) + string(rest), valueAt(string(rest), first[len(first)-1], len(head)), nil
}

func expressionsOf(e *evaluate.Evaluation, step *report.Step) (texts []string) {
	for _, d := range e.Parsed(diag.Policies) {
		if step != nil && d.Kind == step.Kind && d.Name == step.Policy {
			for _, x := range model.Expressions(d.Value) {
				texts = append(texts, x.Text)
			}
			return texts
		}
	}
	return nil
}

// Fitting is a value of the field's type, if it has one that is known; false for a field that holds others.
func Fitting(value any, of *catalog.Type, path []string) (any, bool) {
	if of != nil {
		of = of.At(path...)
	}
	if of == nil {
		if value == nil {
			value = "x"
		}
		return value, true
	}
	text, isText := value.(string)
	switch of.Kind {
	case catalog.Integer, catalog.Number:
		if n, ok := value.(int64); ok {
			return n, true
		}
		return int64(1), true
	case catalog.Boolean:
		return true, true
	case catalog.List:
		item, ok := Fitting(nil, of.Elem, nil)
		return []any{item}, ok
	case catalog.String, catalog.Custom, catalog.Any:
		switch {
		case isText && text != "":
			return text, true
		case len(of.Enum) > 0:
			return of.Enum[0], true
		}
		return "x", true
	}
	return nil, false
}

// putField sets a field in nested maps; false where another value is in its way.
func putField(in map[string]any, path []string, value any) bool {
	for _, step := range path[:len(path)-1] {
		next, ok := in[step].(map[string]any)
		if in[step] == nil {
			next, ok = map[string]any{}, true
			in[step] = next
		}
		if !ok {
			return false
		}
		in = next
	}
	in[path[len(path)-1]] = value
	return true
}

// valueAt is the place of the value behind a key of a YAML text, without quotes and dashes; offset
// is where the text begins.
func valueAt(text, key string, offset int) diag.Span {
	lines := slices.Collect(strings.Lines(text))
	for i, line := range lines {
		name, value, ok := strings.Cut(strings.TrimRight(line, "\n"), ":")
		if !ok || strings.Trim(strings.TrimSpace(name), `'"`) != key {
			offset += len(line)
			continue
		}
		if start := offset + len(name) + 1; strings.TrimSpace(value) != "" || i+1 == len(lines) {
			return trimmed(value, start)
		}
		offset += len(line)
		return trimmed(strings.TrimRight(lines[i+1], "\n"), offset)
	}
	return diag.Span{}
}

func trimmed(value string, start int) diag.Span {
	left := strings.TrimLeft(value, ` -"'`)
	start += len(value) - len(left)
	return diag.Span{Start: start, End: start + len(strings.TrimRight(left, `"' `))}
}
