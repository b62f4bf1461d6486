package lint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/cel-go/common/ast"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/outcomes"
	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// overwritten finds mutations that replace a map, a list or a number without a look at it, and such that set the number
// of replicas on each update.
func overwritten(p *policy) {
	p.replacedNumbers()
	for _, e := range p.mutations {
		if e.read == nil || p.said(p.document, e.path) {
			continue
		}
		for _, n := range e.read.Nodes() {
			if n.Kind == values.Struct && n.Expr != nil && n.Expr.Kind() == ast.StructKind && (p.replacesAll(e, n) || p.resetsReplicas(e, n)) {
				break
			}
		}
	}
}

// replacedNumbers reports the first number that a policy sets without a look at it. A text or boolean is often enforced;
// a number is mostly meant for objects without one. Numbers of users and groups are enforced, too.
func (p *policy) replacedNumbers() {
	for _, w := range p.writes() {
		_, number := w.value.(int64)
		if !number || w.steps[len(w.steps)-1] == "replicas" || slices.Contains(w.steps, "metadata") || slices.Contains(w.steps, "securityContext") {
			continue
		}
		read := func(e expression) bool { return e.read != nil && p.touches(e, &w) }
		through := slices.ContainsFunc(p.worlds(nil), func(world *outcomes.World) bool { return !written(world.Object, w.steps) })
		if through || slices.ContainsFunc(p.expressions(), read) || p.said(p.document, w.in.path) {
			continue
		}
		advice := "If it is meant as a default, test with has() first."
		if v := p.serverDefault(w.steps); v != nil {
			advice = fmt.Sprintf("If it is meant as a default, write it only over the server's own default %v, which the object has already.", v)
		}
		out := p.report(p.document, codes.Overwrites, diag.Info, w.in.path, fmt.Sprintf("this sets %s also where the object has another value", strings.Join(w.steps, ".")), advice)
		p.within(out, p.document, w.in.path, w.at.Start, w.at.End)
		return
	}
}

// serverDefault is the value that the server gives a field before policies run; nil for none.
func (p *policy) serverDefault(steps []string) any {
	for _, w := range p.worlds(nil) {
		if v := p.defaultBeside(w, steps, nil); v != nil {
			return v
		}
	}
	return nil
}

// structFields are the fields of a literal.
func structFields(n *values.Node) map[string]ast.Expr {
	out := map[string]ast.Expr{}
	for _, f := range n.Expr.AsStruct().Fields() {
		out[f.AsStructField().Name()] = f.AsStructField().Value()
	}
	return out
}

// literalValue is the value of a literal; nil for another expression.
func literalValue(e ast.Expr) any {
	if e == nil || e.Kind() != ast.LiteralKind {
		return nil
	}
	return e.AsLiteral().Value()
}

// replacesAll reports an operation of a JSON Patch that replaces a map or list.
func (p *policy) replacesAll(e expression, n *values.Node) bool {
	fields := structFields(n)
	pointer, _ := literalValue(fields["path"]).(string)
	op, value := literalValue(fields["op"]), fields["value"]
	if value == nil || value.Kind() != ast.MapKind && value.Kind() != ast.ListKind || op != "add" && op != "replace" {
		return false
	}
	steps := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	name := steps[len(steps)-1]
	whole := slices.ContainsFunc(p.worlds(nil), func(w *outcomes.World) bool {
		t := w.Object.At(steps...)
		return t != nil && (t.Kind == catalog.Map || t.Kind == catalog.List)
	})
	if !whole || p.looksAt(name, op == "add") {
		return false
	}
	severity := diag.Info
	if steps[0] == "metadata" {
		severity = diag.Warning // others need what is in it
	}
	out := p.report(p.document, codes.Overwrites, severity, e.path, "this replaces all that the object has in "+strings.Join(steps, "."),
		"Add its keys or items one by one, or only set the field where the object has none.")
	p.within(out, p.document, e.path, n.Start, n.End)
	if out.Code != "" && value.Kind() == ast.MapKind {
		out.Fixes = p.keyByKey(e, n, steps, value.AsMap())
	}
	return true
}

// keyByKey adds the keys of a map one by one where the object has the map. The operation is all that the expression has.
func (p *policy) keyByKey(e expression, n *values.Node, steps []string, of ast.MapExpr) []diag.Fix {
	s := rewrite.In(p.document, p.Plain[p.document.Text], e.path)
	if s == nil || len(steps) != 2 || steps[1] == "" || len(of.Entries()) == 0 {
		return nil
	}
	before, operation, after := string(s.Runes[:n.Start]), string(s.Runes[n.Start:n.End]), string(s.Runes[n.End:])
	if strings.TrimSpace(before) != "[" || strings.TrimSpace(after) != "]" {
		return nil
	}
	var each []string
	for _, item := range of.Entries() {
		entry := item.AsMapEntry()
		key, isText := literalValue(entry.Key()).(string)
		text, plain := literalValue(entry.Value()).(string)
		if !isText || !plain {
			return nil
		}
		key = strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
		each = append(each, fmt.Sprintf("JSONPatch{op: 'add', path: %s, value: %s}", strconv.Quote("/"+strings.Join(steps, "/")+"/"+key), strconv.Quote(text)))
	}
	text := fmt.Sprintf("has(object.%s) ? [%s] : [%s]", strings.Join(steps, "."), strings.Join(each, ", "), operation)
	return []diag.Fix{s.Fix("Add its keys one by one where the object has "+strings.Join(steps, "."), rewrite.Replace(0, len(s.Runes), text))}
}

// looksAt reports whether the policy reads a field, or only whether it is there where that is enough.
func (p *policy) looksAt(name string, presence bool) bool {
	keyed := map[*values.Node]bool{} // maps of which only one key is read or looked for
	p.anyPart(func(n *values.Node) bool {
		if of := keyedMap(n); of != nil {
			keyed[of] = true
		}
		return false
	})
	return p.anyPart(func(n *values.Node) bool {
		text, _ := literalText(n)
		return n.Kind == values.Select && n.Name == name && !keyed[n] || presence && isHas(n) && fieldOf(n) == name || text == name
	})
}

// keyedMap is the map of which a part reads or looks for one key; nil for other parts.
func keyedMap(n *values.Node) *values.Node {
	var of *values.Node
	switch {
	case n.Kind == values.Call && n.Name == "@in" && len(n.Children) == 2:
		of = n.Children[1]
	case (n.Kind == values.Index || n.Kind == values.Select) && len(n.Children) > 0:
		of = n.Children[0]
	default:
		return nil
	}
	if of.Kind == values.Call && of.Name == "orValue" && len(of.Children) > 0 {
		of = of.Children[0]
	}
	return of
}

// resetsReplicas reports a constant number of replicas that a policy sets on each update.
func (p *policy) resetsReplicas(e expression, n *values.Node) bool {
	fields := structFields(n)
	number, ok := literalValue(fields["replicas"]).(int64)
	if literalValue(fields["path"]) == "/spec/replicas" {
		number, ok = literalValue(fields["value"]).(int64)
	} else if n.Name != "Object.spec" {
		return false
	}
	updates := slices.ContainsFunc(p.worlds(nil), func(w *outcomes.World) bool {
		return w.Operation == "UPDATE" && w.Resource != nil && w.Sub == "" && slices.Contains([]string{"deployments", "statefulsets", "replicasets"}, w.Resource.GVR.Resource)
	})
	if !ok || !updates || p.looksAt("replicas", true) {
		return false
	}
	out := p.report(p.document, codes.Overwrites, diag.Info, e.path, fmt.Sprintf("every update sets replicas to %d again, also after an autoscaler has changed it", number),
		"An autoscaler and kubectl scale change the number through the subresource scale. Match only CREATE, or change the number where it is too small.")
	p.within(out, p.document, e.path, n.Start, n.End)
	return true
}
