// Package names finds the names in the texts of a scenario: where a variable, a policy, the kind of
// params or a param is defined, and where it is used. Editors go from one to the other, and rename.
package names

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/guard"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Name is one place where something is named.
type Name struct {
	// Of is the same for all names of one thing.
	Of string
	// Word is the name itself.
	Word string
	// Text and Span (bytes) are its place. The span holds the word alone, unless a YAML scalar writes
	// it with quotes or escapes.
	Text diag.Text
	Span diag.Span
	// Defines says that the thing is defined there.
	Defines bool
	// Variable says that it is a variable of a policy, whose name is an identifier of CEL.
	Variable bool
}

// In lists the names of a scenario's policies and cluster, in no order.
func In(s scenario.Scenario) (out []Name, err error) {
	defer guard.Error(&err)
	f := &finder{}
	var all []*scenario.Document
	for _, t := range []struct {
		text    diag.Text
		content string
	}{{diag.Policies, s.Policies}, {diag.Cluster, s.Cluster}} {
		docs, _ := scenario.ParseDocuments(t.text, t.content) // those that cannot be parsed have a diagnostic already
		for i, d := range docs {
			f.at, f.doc = t.text, d
			f.document(fmt.Sprintf("%s/%d", t.text, i))
		}
		all = append(all, docs...)
	}
	f.params(all)
	return f.out, nil
}

// At are all names of what is named at an offset of a text; the first result is the one there, nil
// where there is none.
func At(s scenario.Scenario, text diag.Text, offset int) (here *Name, all []Name, err error) {
	found, err := In(s)
	if err != nil {
		return nil, nil, err
	}
	for i := range found {
		if n := &found[i]; n.Text == text && n.Span.Start <= offset && offset <= n.Span.End {
			here = n
			break
		}
	}
	if here == nil {
		return nil, nil, nil
	}
	for _, n := range found {
		if n.Of == here.Of {
			all = append(all, n)
		}
	}
	return here, all, nil
}

type finder struct {
	out []Name
	at  diag.Text
	doc *scenario.Document
	// paramKinds are the kinds of params of policies, by what names the policy.
	paramKinds map[string]schema.GroupVersionKind
}

// add notes the name that a field holds.
func (f *finder) add(of, path, word string, defines, variable bool) {
	scalar, ok := f.doc.Scalar(path)
	if !ok || word == "" || scalar.Text != word {
		return
	}
	f.out = append(f.out, Name{Of: of, Word: word, Text: f.at, Span: scalar.SpanOfRunes(0, len([]rune(word))), Defines: defines, Variable: variable})
}

func field(parent map[string]any, name string) string {
	text, _ := parent[name].(string)
	return text
}

// policyOf is what names a policy of a kind.
func policyOf(kind, name string) string { return "policy " + kind + " " + name }

func kindOf(gk schema.GroupKind) string { return "kind " + gk.String() }

// document notes the names in a policy, a binding or a definition.
func (f *finder) document(id string) {
	d := f.doc
	spec := untyped.Sub(d.Value, "spec")
	switch kind, group := d.Kind, schema.FromAPIVersionAndKind(field(d.Value, "apiVersion"), d.Kind).Group; {
	case group == "admissionregistration.k8s.io" && strings.HasSuffix(kind, "PolicyBinding"):
		f.add(policyOf(strings.TrimSuffix(kind, "Binding"), field(spec, "policyName")), "spec.policyName", field(spec, "policyName"), false, false)
	case group == "admissionregistration.k8s.io" && strings.HasSuffix(kind, "Policy"):
		f.add(policyOf(kind, d.Name), "metadata.name", d.Name, true, false)
		f.paramKind(policyOf(kind, d.Name), untyped.Sub(spec, "paramKind"))
		f.variables(id, untyped.Items(spec["variables"]))
	case group == "apiextensions.k8s.io" && kind == "CustomResourceDefinition":
		names := untyped.Sub(spec, "names")
		f.add(kindOf(schema.GroupKind{Group: field(spec, "group"), Kind: field(names, "kind")}), "spec.names.kind", field(names, "kind"), true, false)
	}
}

// paramKind notes the kind of a policy's params, which a CustomResourceDefinition may define.
func (f *finder) paramKind(policy string, kind map[string]any) {
	gvk := schema.FromAPIVersionAndKind(field(kind, "apiVersion"), field(kind, "kind"))
	if gvk.Kind == "" {
		return
	}
	if f.paramKinds == nil {
		f.paramKinds = map[string]schema.GroupVersionKind{}
	}
	f.paramKinds[policy] = gvk
	f.add(kindOf(gvk.GroupKind()), "spec.paramKind.kind", gvk.Kind, false, false)
}

// variables notes the variables of a policy and where its expressions read them.
func (f *finder) variables(id string, list []map[string]any) {
	of := func(name string) string { return "variable " + id + " " + name }
	declared := map[string]bool{}
	for i, v := range list {
		name := field(v, "name")
		declared[name] = true
		f.add(of(name), fmt.Sprintf("spec.variables[%d].name", i), name, true, true)
	}
	for _, e := range model.Expressions(f.doc.Value) {
		scalar, ok := f.doc.Scalar(e.Path)
		if !ok || scalar.Text != e.Text {
			continue
		}
		tokens := source.Lex(e.Text)
		for i := 2; i < len(tokens); i++ {
			word := tokens[i]
			if word.Kind != source.Word || tokens[i-1].Text != "." || tokens[i-2].Text != "variables" || !declared[word.Text] || i > 2 && tokens[i-3].Text == "." {
				continue
			}
			f.out = append(f.out, Name{Of: of(word.Text), Word: word.Text, Text: f.at, Span: scalar.SpanOfRunes(word.Start, word.End), Variable: true})
		}
	}
}

// params notes the params that bindings name, and the objects that are these params.
func (f *finder) params(docs []*scenario.Document) {
	wanted := map[string]bool{}
	for _, d := range docs {
		spec := untyped.Sub(d.Value, "spec")
		ref := untyped.Sub(spec, "paramRef")
		kind, known := f.paramKinds[policyOf(strings.TrimSuffix(d.Kind, "Binding"), field(spec, "policyName"))]
		if name := field(ref, "name"); known && strings.HasSuffix(d.Kind, "PolicyBinding") && name != "" {
			of := "param " + kind.GroupKind().String() + " " + name
			wanted[of] = true
			f.at, f.doc = d.Text, d
			f.add(of, "spec.paramRef.name", name, false, false)
		}
	}
	for _, d := range docs {
		of := "param " + schema.FromAPIVersionAndKind(field(d.Value, "apiVersion"), d.Kind).GroupKind().String() + " " + d.Name
		if wanted[of] {
			f.at, f.doc = d.Text, d
			f.add(of, "metadata.name", d.Name, true, false)
		}
	}
}

// CanBe reports whether a variable can have a name: an identifier of CEL that is not reserved.
func CanBe(word string) bool {
	tokens := source.Lex(word)
	if len(tokens) != 1 || tokens[0].Kind != source.Word || tokens[0].Text != word {
		return false
	}
	escaped, ok := apiservercel.Escape(word)
	return ok && escaped == word && word != "in" && word != "true" && word != "false" && word != "null"
}
