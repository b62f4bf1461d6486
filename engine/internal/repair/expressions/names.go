package expressions

import (
	"iter"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/hints"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
)

// nameRules find what a name was meant to be.
var nameRules = []rule{
	{"A rule reads self, the value that it belongs to.", selfRoots},
	{"CEL reads a name with a dash as a subtraction.", dashed},
	{"Read a property named like a CEL reserved word as __name__.", escapedFields},
	{"optionalOldSelf makes oldSelf an optional value: oldSelf.hasValue() tests it, oldSelf.value() reads it.", optionalOldSelf},
	{"The field is below another one.", selfBelow},
	{"oldSelf is a variable of its own, not a field of self.", selfOld},
	{"self is {self} here, the value that the rule belongs to.", selfAgain},
	{"The field's name is misspelled.", selfSpelt},
	{"A rule below items belongs to each item: self is the item.", eachItself},
	{"Match conditions have no variables: write out the variable's expression.", unseenVariables},
	{"A name begins with its root, such as object, request, params or variables.", roots},
	{"The field is elsewhere in request.", requestFields},
	{"The variable's name is misspelled.", variableNames},
}

// requestNames are the fields of request that are seldom called otherwise.
var requestNames = []string{"userInfo", "operation", "resource", "subResource", "dryRun", "requestKind", "requestResource", "options", "name", "namespace", "kind"}

// userNames are the fields of userInfo.
var userNames = []string{"username", "groups", "extra"}

// otherRoots are names that other systems, and other places of Kubernetes, have
// for the roots of CEL.
var otherRoots = map[string]string{
	"self": "object", "oldSelf": "oldObject", "obj": "object", "resource": "object", "this": "object", "Object": "object", "new": "object", "newObject": "object",
	"old": "oldObject", "oldObj": "oldObject", "pod": "object", "deployment": "object", "root": "object",
	"req": "request", "Request": "request", "param": "params", "parameters": "params", "parameter": "params", "variable": "variables", "vars": "variables", "var": "variables",
	"user": "request.userInfo", "userinfo": "request.userInfo", "ns": "namespaceObject", "namespaceobject": "namespaceObject",
}

// undeclaredRoots are the undeclared names that paths begin with, by their tokens.
func (d *draft) undeclaredRoots() iter.Seq2[int, string] {
	undeclared := d.undeclared()
	return func(yield func(int, string) bool) {
		for i := range d.List {
			name, ok := undeclared[i]
			if !ok || !d.IsWord(i) || d.Is(i-1, ".") || d.Is(i+1, "(") {
				continue
			}
			if name, _, _ = strings.Cut(name, "."); !yield(i, name) {
				return
			}
		}
	}
}

// roots gives undeclared names the root that they have.
func roots(d *draft) string {
	if d.self != nil {
		return d.text
	}
	var edits []edit
	for i, name := range d.undeclaredRoots() {
		if name == "resource" && d.Is(i+1, ".") && (d.Is(i+2, "Get") || d.Is(i+2, "List") || d.Is(i+2, "Post")) {
			continue // a library of Kyverno, which no policy of the server has
		}
		if end := d.wrapped(i); end > i {
			edits = append(edits, edit{d.start(i), d.start(end), ""})
			continue
		}
		if path := d.root(i, name); path != "" {
			edits = append(edits, edit{d.start(i), d.end(i), path})
		}
	}
	if len(edits) == 0 {
		return d.text
	}
	return Spelt(d.with(edits...), d.object, d.params)
}

// wrapped skips the names around a root: input.request.object, as Rego has it,
// and review.request.
func (d *draft) wrapped(i int) int {
	if !slices.Contains([]string{"input", "review", "admissionReview", "ar", "admission", "event"}, d.List[i].Text) && !(d.Is(i, "data") && slices.Contains([]string{"request", "object", "review"}, d.token(i+2))) {
		return i
	}
	for d.Is(i+1, ".") && slices.Contains([]string{"review", "request", "object", "oldObject"}, d.List[min(i+2, len(d.List)-1)].Text) {
		i += 2
		if !d.Is(i, "review") {
			break
		}
	}
	if d.Is(i+1, ".") && d.Is(i, "input") && (d.Is(i+2, "parameters") || d.Is(i+2, "params")) {
		return i + 2 // roots knows them by these names
	}
	return i
}

// root is the whole path of what was meant by an undeclared name at a token.
func (d *draft) root(i int, name string) string {
	declared := hints.Names(d.expression.Place)
	next := ""
	if d.Is(i+1, ".") && d.IsWord(i+2) {
		next = d.List[i+2].Text
	}
	switch {
	case d.expression.Scope.Variables && d.hasVariable(name):
		return "variables." + name
	case name == "resource" && slices.Contains([]string{"resource", "group", "version"}, next):
		return "request.resource"
	case otherRoots[name] != "" && (slices.Contains(declared, otherRoots[name]) || otherRoots[name] == "request.userInfo"):
		if otherRoots[name] != "object" || next != "" {
			return otherRoots[name]
		}
	case slices.Contains(userNames, name):
		return "request.userInfo." + name
	}
	asked := next != "" || (d.Is(i+1, "==") || d.Is(i+1, "!=")) && d.Is(i+2, "null")
	if best, ok := suggest.Of(declared, name); ok && (asked || best == "object") {
		return best
	}
	if path := PathOf(d.params, name); path != "" && d.expression.Scope.Params && (PathOf(d.object, name) == "" || d.params.Kind == catalog.Struct && d.params.Field("data") == nil) {
		return "params." + path
	}
	if name == "metadata" || name == "spec" || name == "data" || name == "status" {
		return "object." + name
	}
	if slices.Contains(requestNames[:8], name) && PathOf(d.object, name) == "" {
		return "request." + name
	}
	if path := PathOf(d.object, name); path != "" {
		return "object." + path
	}
	if root := d.rootWith(name); root != "" {
		return root
	}
	if d.expression.Scope.Params && d.params != nil && d.params.Field("data") != nil && d.params.Field("data").Type.Kind == catalog.Map {
		return "params.data." + name
	}
	if slices.Contains(requestNames, name) {
		return "request." + name
	}
	return ""
}

// rootWith is the root that has the field which is read of a name: what is called svc or
// config is as much the object, or the params, as its spec or data are.
func (d *draft) rootWith(name string) string {
	for i := range d.List {
		if !d.Is(i, name) || d.Is(i-1, ".") || !d.Is(i+1, ".") || !d.IsWord(i+2) || d.Is(i+3, "(") {
			continue
		}
		field, declared := d.List[i+2].Text, hints.Names(d.expression.Place)
		if slices.Contains(rootNames, name) { // not to be had here
			if name == "params" && slices.Contains(requestNames, field) {
				return "request"
			}
			return ""
		}
		object, params := typeAt(d.object, field) != nil, d.expression.Scope.Params && typeAt(d.params, field) != nil
		switch {
		case object && !params && oldWord.MatchString(name) && slices.Contains(declared, "oldObject"):
			return "oldObject"
		case object && !params && slices.Contains(declared, "object"):
			return "object"
		case params && !object:
			return "params"
		case slices.Contains(requestNames[:8], field):
			return "request"
		}
	}
	return ""
}

// oldWord is how names of what was there before begin.
var oldWord = lazy.Regexp{Text: `^(?i:old|prev|existing|before)`}

func (d *draft) hasVariable(name string) bool {
	return slices.ContainsFunc(d.variables, func(v eval.Declaration) bool { return v.Name == name })
}

// searched are the fields in which a field is looked for, in this order.
var searched = []string{"spec", "metadata", "spec.template.spec", "spec.template.metadata", "spec.securityContext", "spec.jobTemplate.spec.template.spec", "status"}

// PathOf is the path from an object of a type to a field that is not where it was read:
// spec.replicas for replicas. It is empty if there is none or the type is not known.
func PathOf(t *catalog.Type, name string) string {
	if t == nil || t.Kind != catalog.Struct {
		return ""
	}
	if t.Field(name) != nil {
		return name
	}
	for _, path := range searched {
		if at := typeAt(t, path); at != nil && at.Kind == catalog.Struct && at.Field(name) != nil {
			return path + "." + name
		}
	}
	return ""
}

func typeAt(t *catalog.Type, path string) *catalog.Type {
	for _, step := range strings.Split(path, ".") {
		if t == nil || t.Kind != catalog.Struct || t.Field(step) == nil {
			return nil
		}
		t = t.Field(step).Type
	}
	return t
}

// requestFields moves fields that request does not have to where they are.
func requestFields(d *draft) string {
	for i := range d.List {
		if !d.Is(i, "request") || d.Is(i-1, ".") || !d.Is(i+1, ".") || !d.IsWord(i+2) || !d.messages("undefined field '"+d.List[i+2].Text+"'") {
			continue
		}
		name := d.List[i+2].Text
		switch {
		case slices.Contains([]string{"object", "oldObject", "params", "variables", "authorizer", "namespaceObject"}, name):
			return d.with(edit{d.start(i), d.start(i + 2), ""})
		case slices.Contains(userNames, name):
			return d.with(edit{d.start(i + 2), d.start(i + 2), "userInfo."})
		case name == "user" || name == "userinfo" || name == "userInfos":
			return d.with(edit{d.start(i + 2), d.end(i + 2), "userInfo"})
		case name == "request":
			return d.with(edit{d.start(i), d.start(i + 2), ""})
		case name == "subresource":
			return d.with(edit{d.start(i + 2), d.end(i + 2), "subResource"})
		case name == "group" || name == "version":
			return d.with(edit{d.start(i + 2), d.start(i + 2), "resource."})
		case name == "verb" || name == "method" || name == "action":
			return d.with(edit{d.start(i + 2), d.end(i + 2), "operation"})
		}
		if best, ok := suggest.Of(requestNames, name); ok {
			return d.with(edit{d.start(i + 2), d.end(i + 2), best})
		}
	}
	for i := range d.List { // fields of userInfo
		if d.Is(i, "userInfo") && d.Is(i+1, ".") && d.IsWord(i+2) && d.messages("undefined field '"+d.List[i+2].Text+"'") {
			best, ok := suggest.Of(userNames, d.List[i+2].Text)
			if !ok && slices.Contains([]string{"name", "user"}, d.List[i+2].Text) {
				best, ok = "username", true
			}
			if ok {
				return d.with(edit{d.start(i + 2), d.end(i + 2), best})
			}
		}
	}
	return d.text
}

func variableNames(d *draft) string {
	var names []string
	for _, v := range d.variables {
		names = append(names, v.Name)
	}
	for i := range d.List {
		if !d.Is(i, "variables") || !d.Is(i+1, ".") || !d.IsWord(i+2) || slices.Contains(names, d.List[i+2].Text) {
			continue
		}
		best, ok := suggest.Of(names, d.List[i+2].Text)
		if !ok {
			best, ok = suggest.Word(names, d.List[i+2].Text)
		}
		if ok {
			return d.with(edit{d.start(i + 2), d.end(i + 2), best})
		}
	}
	return d.text
}

// unseenVariables writes what a variable says in the place of its name, where match
// conditions read variables, which come after them.
func unseenVariables(d *draft) string {
	if d.expression.Scope.Variables || !d.messages("undeclared reference to 'variables'") {
		return d.text
	}
	for i := range d.List {
		if !d.Is(i, "variables") || d.Is(i-1, ".") || !d.Is(i+1, ".") || !d.IsWord(i+2) {
			continue
		}
		k := slices.IndexFunc(d.unseen, func(v eval.Declaration) bool { return v.Name == d.List[i+2].Text })
		if k < 0 || strings.Contains(d.unseen[k].Expression, "namespaceObject") {
			continue // the Namespace is not there yet, either
		}
		text := strings.TrimSpace(d.unseen[k].Expression)
		if inner := newDraft(d.context, text, d.compiled); inner.combined(0, len(inner.List)-1) {
			text = "(" + text + ")"
		}
		return d.with(edit{d.start(i), d.end(i + 2), text})
	}
	return d.text
}
