package failures

import (
	"slices"
	"strings"
	"unicode"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/explain"
	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/report"
)

var keyWithSlash = lazy.Regexp{Text: `^(/(?:[^'\\]*/)?(?:labels|annotations|matchLabels|nodeSelector)/)([^/'\\]+/[^'\\]+)$`}

// fixes are the ways to repair a part that failed.
func fixes(s *rewrite.Source, e *report.Evaluation, n *node) []diag.Fix {
	var out []diag.Fix
	switch {
	case textForNumber(e, n) != nil:
		return ofNumbers(s, e, n, textForNumber(e, n))
	case strings.HasPrefix(n.Error, "no such overload") && slices.Contains(ofTextFunctions, n.Name) && n.Kind == "call" && len(n.children) > 0 && n.children[0].Type == "int":
		return textOfNumber(s, n)
	case strings.HasPrefix(n.Error, "no such overload") && mixed(n) != nil:
		of := mixed(n)
		return []diag.Fix{s.Fix("Convert the integer with double()", rewrite.Replace(of.Start, of.Start, "double("), rewrite.Replace(of.End, of.End, ")"))}
	case strings.HasPrefix(n.Error, "no such overload") && n.Name == "_+_":
		return stringify(s, n)
	case strings.HasPrefix(n.Error, "no such overload") && n.Name == "!_" && len(n.children) == 1 && n.children[0].Kind == "select":
		of := n.children[0]
		text := "!has(" + string(s.Runes[of.Start:of.End]) + ")"
		return []diag.Fix{s.Fix("Write "+text, rewrite.Replace(n.Start, n.End, text))}
	case strings.HasPrefix(n.Error, "no such overload") && (n.Name == "contains" || n.Name == "includes") && n.Kind == "call" && len(n.children) == 2:
		return searched(s, n)
	case strings.HasPrefix(n.Error, "no such overload") && n.Name == "@in" && len(n.children) == 2 && n.children[0].Type == "string" && n.children[1].Type == "string":
		of, part := n.children[1], n.children[0]
		return []diag.Fix{s.Fix("Use contains()", rewrite.Replace(n.Start, n.End, string(s.Runes[of.Start:of.End])+".contains("+string(s.Runes[part.Start:part.End])+")"))}
	case strings.HasPrefix(n.Error, "got 'types.String', expected iterable type") && n.Kind == "macro" && len(n.children) > 0 && n.children[0].Type == "string":
		of := n.children[0]
		return []diag.Fix{s.Fix("Split the text at its commas: "+string(s.Runes[of.Start:of.End])+".split(',')", rewrite.Replace(of.End, of.End, ".split(',')"))}
	case strings.HasPrefix(n.Error, "unsupported index type 'string'") && n.Kind == "index" && len(n.children) == 2:
		return numbered(s, n)
	case n.Name == "quantity" && n.Kind == "call" && strings.HasPrefix(n.Error, "quantities must match"):
		return otherUnit(s, n)
	case strings.HasPrefix(n.Error, "no such overload") && n.Name == "quantity" && n.Kind == "call" && len(n.children) == 1:
		return quantityOfNumber(s, n)
	case n.Name == "int" && n.Kind == "call" && strings.HasPrefix(n.Error, "type conversion error from 'string' to 'int'"):
		return asQuantity(s, n)
	case n.Kind == "select" && n.Name == "length" && len(n.children) > 0 && (n.children[0].Type == "list" || n.children[0].Type == "string"):
		on := n.children[0]
		return []diag.Fix{s.Fix("Use size()", rewrite.Replace(n.Start, n.End, "size("+string(s.Runes[on.Start:on.End])+")"))}
	case n.Missing == "" || len(n.children) == 0 || strings.HasSuffix(n.Note, "which has no fields"):
		return nil
	}
	if list := turnedGuard(s, e, n); list != nil {
		return list
	}
	for _, only := range []func(*rewrite.Source, *node) (diag.Fix, bool){fromTheEnd, inData, macroKey, escapedKey} {
		if f, ok := only(s, n); ok {
			return []diag.Fix{f}
		}
	}
	for _, one := range []func(*rewrite.Source, *node) (diag.Fix, bool){rename, inTemplate, currentObject, leftOut, onlyWith, bothAbsent} {
		if f, ok := one(s, n); ok {
			out = append(out, f)
		}
	}
	if f, ok := askedForNull(s, e, n); ok {
		out = append(out, f)
	}
	if f, ok := namespaceName(s, e, n); ok {
		return []diag.Fix{f}
	}
	if f, ok := ofNamespace(s, n); ok {
		out = append(out, f)
	}
	if fixed, other := sameForAll(s, e, n); fixed {
		return append(out, other...)
	}
	if f, ok := withoutAnnotation(s, e, n); ok {
		return append(out, f)
	}
	around := guards(s, e, n)
	if f, ok := optional(s, e, n); ok {
		// The default of a rule has no limit of length by which the server could estimate
		// its cost: the guard keeps what the schema says.
		if e.List == report.RulesList && len(around) > 0 {
			return append(out, append(around, f)...)
		}
		if whole := outermost(n); isPart(n) && !ofNull(n) && whole.parent.children[1-whole.index].Type == "list" {
			return append(out, f) // a guard would leave the items of the other list untested
		}
		if e.List == report.MutationList || isPart(n) && !ofNull(n) || ofImage(s, n) || forbidsZero(n) {
			around = append([]diag.Fix{f}, around...)
		} else {
			around = append(around, f)
		}
	}
	return append(out, around...)
}

// withoutAnnotation writes no audit annotation where a part of its value is absent: the server leaves out an empty one.
func withoutAnnotation(s *rewrite.Source, e *report.Evaluation, n *node) (diag.Fix, bool) {
	present, _, what := test(s, n)
	if !strings.HasPrefix(e.Path, "spec.auditAnnotations[") || present == "" || ofNull(n) {
		return diag.Fix{}, false
	}
	top := n
	for top.parent != nil {
		if top = top.parent; top.Kind == "macro" {
			return diag.Fix{}, false // the part is of an item
		}
	}
	before, after := present+" ? ", " : ''"
	if top.Kind == "ternary" {
		before, after = before+"(", ")"+after
	}
	return s.Fix("Leave out the annotation when "+what+" is absent", rewrite.Replace(top.Start, top.Start, before), rewrite.Replace(top.End, top.End, after)), true
}

// mixed is the integer that a part multiplies or divides by a number with a fraction; nil for another part.
func mixed(n *node) *node {
	if !slices.Contains([]string{"_+_", "_-_", "_*_", "_/_"}, n.Name) || len(n.children) != 2 {
		return nil
	}
	for i, of := range n.children {
		if of.Type == "int" && n.children[1-i].Type == "double" && of.Start < of.End {
			return of
		}
	}
	return nil
}

// fromTheEnd writes an index below 0, which other languages count from the end.
func fromTheEnd(s *rewrite.Source, n *node) (diag.Fix, bool) {
	if n.Kind != "index" || len(n.children) != 2 || !strings.HasPrefix(n.Missing, "-") {
		return diag.Fix{}, false
	}
	on, at := n.children[0], n.children[1]
	text := "size(" + string(s.Runes[on.Start:on.End]) + ") - " + strings.TrimPrefix(n.Missing, "-")
	return s.Fix("Count from the end: "+text, rewrite.Replace(at.Start, at.End, text)), true
}

// numbered writes the index of a list, which is a number, without its quotes.
func numbered(s *rewrite.Source, n *node) []diag.Fix {
	key := n.children[1]
	text := strings.Trim(string(s.Runes[key.Start:key.End]), `'"`)
	if key.Kind != "literal" || text == "" || strings.Trim(text, "0123456789") != "" {
		return nil
	}
	return []diag.Fix{s.Fix("Write the index "+text, rewrite.Replace(key.Start, key.End, text))}
}

// inData reads a key of a ConfigMap or Secret among its data: params['max'] is
// params.data['max'].
func inData(s *rewrite.Source, n *node) (diag.Fix, bool) {
	on := n.children[0]
	if n.Kind != "index" || on.Kind != "variable" || on.Name != "params" || n.Nearest != "" || !slices.Contains(n.Has, "data") {
		return diag.Fix{}, false
	}
	text := string(s.Runes[on.Start:on.End]) + ".data" + string(s.Runes[on.End:n.End])
	return s.Fix("Write "+text, rewrite.Replace(n.Start, n.End, text)), true
}

// macroKey reads a map by the key that a macro gives a name, where the name is written as a
// field: object.data.all(key, object.data.key != "") means object.data[key].
func macroKey(s *rewrite.Source, n *node) (diag.Fix, bool) {
	if n.Kind != "select" {
		return diag.Fix{}, false
	}
	text := func(n *node) string { return string(s.Runes[n.Start:n.End]) }
	on := n.children[0]
	for p := n.parent; p != nil; p = p.parent {
		if p.Kind != "macro" || p.Name == "has" || len(p.children) < 3 || text(p.children[1]) != n.Name || text(p.children[0]) != text(on) {
			continue
		}
		return s.Fix("Write "+text(on)+"["+n.Name+"]", rewrite.Replace(on.End, n.End, "["+n.Name+"]")), true
	}
	return diag.Fix{}, false
}

// unescape undoes the escapes of the names of fields, which the keys of maps do not have.
var unescape = strings.NewReplacer("__underscores__", "__", "__dot__", ".", "__dash__", "-", "__slash__", "/")

// escapedKey reads the key of a map that is written as the names of fields are escaped:
// labels.app__dash__id is labels['app-id'].
func escapedKey(s *rewrite.Source, n *node) (diag.Fix, bool) {
	key, on := unescape.Replace(n.Name), n.children[0]
	if n.Kind != "select" || key == n.Name || len(n.Has) > 0 && !slices.Contains(n.Has, key) {
		return diag.Fix{}, false
	}
	text := string(s.Runes[on.Start:on.End]) + "[" + literal(key) + "]"
	return s.Fix("Write "+text, rewrite.Replace(n.Start, n.End, text)), true
}

// searched looks for a part in a list or a text with what CEL has for it.
func searched(s *rewrite.Source, n *node) []diag.Fix {
	in, part := n.children[0], n.children[1]
	on, item := string(s.Runes[in.Start:in.End]), string(s.Runes[part.Start:part.End])
	switch {
	case in.Type == "list" || in.Kind == "list":
		text := item + " in " + on
		if n.under("call", "!_") {
			text = "(" + text + ")"
		}
		return []diag.Fix{s.Fix("Write "+text, rewrite.Replace(n.Start, n.End, text))}
	case in.Type == "string" && n.Name != "contains":
		return []diag.Fix{s.Fix("Use contains()", rewrite.Replace(n.Start, n.End, on+".contains("+item+")"))}
	}
	return nil
}

// forbidsZero reports whether a part is compared with 0, which the server leaves out of it,
// so that this is the value of what is absent.
func forbidsZero(n *node) bool {
	end := outermost(n)
	p := end.parent
	return explain.ZeroWhenAbsent[n.last()] && !ofNull(n) && p != nil && p.Name == "_!=_" && len(p.children) == 2 && p.children[1-end.index].Kind == "literal" && p.children[1-end.index].empty()
}

// ofNull reports whether a part is read of a variable that is null, as oldObject is
// where an object is created: no value of it stands for one.
func ofNull(n *node) bool {
	root := n.children[0]
	return root.Kind == "variable" && root.Evaluated && root.Type == "null_type"
}

// outermost is the whole of what is selected of a part: a.b.c for a.b.
func outermost(n *node) *node {
	for n.parent != nil && n.index == 0 && (n.parent.Kind == "select" || n.parent.Kind == "index") {
		n = n.parent
	}
	return n
}

// onlyWith leaves items without a field out of what map() collects of it.
func onlyWith(s *rewrite.Source, n *node) (diag.Fix, bool) {
	body := n
	for body.parent != nil && body.parent.Kind != "macro" {
		if body.parent.Kind == "logical" || body.parent.Kind == "ternary" {
			return diag.Fix{}, false
		}
		body = body.parent
	}
	macro := body.parent
	if macro == nil || macro.Name != "map" || body.index != len(macro.children)-1 || len(macro.children) != 3 {
		return diag.Fix{}, false
	}
	present, _, what := test(s, n)
	root := n
	for len(root.children) > 0 {
		root = root.children[0]
	}
	if present == "" || root.Name != macro.children[1].Name || isPart(n) {
		return diag.Fix{}, false
	}
	return s.Fix("Skip the items without "+what, rewrite.Replace(body.Start, body.Start, present+", ")), true
}

// isPart reports whether a part is added to something: a guard would leave out
// the other part as well.
func isPart(n *node) bool {
	for n.parent != nil && n.index == 0 && (n.parent.Kind == "select" || n.parent.Kind == "index") {
		n = n.parent
	}
	return n.parent != nil && n.parent.Kind == "call" && n.parent.Name == "_+_"
}

// currentObject reads the old object where there is no new one: a deletion has
// only that.
func currentObject(s *rewrite.Source, n *node) (diag.Fix, bool) {
	root := n.children[0]
	if root.Kind != "variable" || root.Name != "object" || !root.Evaluated || root.Type != "null_type" {
		return diag.Fix{}, false
	}
	top := n
	for top.parent != nil {
		top = top.parent
	}
	var changes []rewrite.Change
	top.walk(func(n *node) {
		if n.Kind == "variable" && n.Name == "object" && n.parent != nil && n.parent.Kind == "select" {
			changes = append(changes, rewrite.Replace(n.Start, n.End, "(object == null ? oldObject : object)"))
		}
	})
	return s.Fix(ReadOldObject, changes...), len(changes) > 0
}

// ReadOldObject is the title of the repair that a policy about deletions needs.
const ReadOldObject = "Read oldObject where the request deletes"

// stringify converts the operands of + that are no strings.
func stringify(s *rewrite.Source, n *node) []diag.Fix {
	var changes []rewrite.Change
	strings := 0
	for _, child := range n.children {
		if child.Type == "string" {
			strings++
			continue
		}
		changes = append(changes, rewrite.Replace(child.Start, child.Start, "string("), rewrite.Replace(child.End, child.End, ")"))
	}
	if strings == 0 || len(changes) == 0 {
		return nil
	}
	return []diag.Fix{s.Fix("Convert the value with string()", changes...)}
}

// renames writes the name that the object has, if there is one like it.
func renames(s *rewrite.Source, n *node) []diag.Fix {
	if f, ok := rename(s, n); ok {
		return []diag.Fix{f}
	}
	return nil
}

// rename writes the name that the object has.
func rename(s *rewrite.Source, n *node) (diag.Fix, bool) {
	if n.Nearest == "" {
		return diag.Fix{}, false
	}
	title := "Write " + n.Nearest
	if n.Kind == "select" {
		start := n.End - len([]rune(n.Name))
		if start < 0 || string(s.Runes[start:n.End]) != n.Name || !dottedNames.MatchString(n.Nearest) {
			return diag.Fix{}, false
		}
		return s.Fix(title, append(besides(s, n), rewrite.Replace(start, n.End, n.Nearest))...), true
	}
	if key := n.children[len(n.children)-1]; n.Kind == "index" && key.Kind == "literal" {
		return s.Fix(title, rewrite.Replace(key.Start, key.End, literal(n.Nearest))), true
	}
	return diag.Fix{}, false
}

// besides are the other fields that are read of the same value and are where this one is: who writes
// params.name for params.spec.name writes params.image, too.
func besides(s *rewrite.Source, n *node) []rewrite.Change {
	within, below := strings.CutSuffix(n.Nearest, "."+n.Name)
	value, known := n.children[0].Value.(map[string]any)
	inner, ok := value[within].(map[string]any)
	if !below || !known || !ok {
		return nil
	}
	of := func(n *node) string { return string(s.Runes[n.children[0].Start:n.children[0].End]) }
	var out []rewrite.Change
	seen := []int{n.End}
	top := n
	for top.parent != nil {
		top = top.parent
	}
	top.walk(func(other *node) {
		if other.Kind != "select" || len(other.children) == 0 || slices.Contains(seen, other.End) || of(other) != of(n) {
			return
		}
		_, there := value[other.Name]
		_, moved := inner[other.Name]
		if start := other.End - len([]rune(other.Name)); moved && !there && start >= 0 && string(s.Runes[start:other.End]) == other.Name {
			seen = append(seen, other.End)
			out = append(out, rewrite.Replace(start, start, within+"."))
		}
	})
	return out
}

// dottedNames is one name, or several joined by points.
var dottedNames = lazy.Regexp{Text: `^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$`}

var identifier = lazy.Regexp{Text: `^[A-Za-z_][A-Za-z0-9_]*$`}

func literal(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}

// optional selects with ? and gives a value for where there is none.
func optional(s *rewrite.Source, e *report.Evaluation, n *node) (diag.Fix, bool) {
	end := n
	for end.parent != nil && end.index == 0 && (end.parent.Kind == "select" || end.parent.Kind == "index") {
		end = end.parent
	}
	value := otherwise(e, end)
	switch {
	case ofImage(s, n) && value == "''":
		value = "'latest'"
	case value == "false" && trueWhenAbsent[n.last()]:
		value = "true" // which is what the API takes it for
	case end.parent == nil && ofTexts(end) && (value == "" || strings.Contains(e.Path, "variables[")):
		value = "''"
	}
	title, changes := "Default to "+value+" when missing", []rewrite.Change{}
	top := n
	for top.parent != nil {
		top = top.parent
	}
	for _, same := range sameReads(s, top, n) { // each of them fails next
		end, value := outermost(same), value
		if same != n {
			value = otherwise(e, end)
		}
		marks := optionalMarks(s, same)
		if value == "" || marks == nil || end.under("macro", "has") {
			return diag.Fix{}, false
		}
		changes = append(append(changes, marks...), rewrite.Replace(end.End, end.End, ".orValue("+value+")"))
	}
	return s.Fix(title, changes...), true
}

// optionalMarks make the selection of a field or key optional, and that of the map that it is read
// of, where objects may lack that one as well. They are nil where there is no place for a ?.
func optionalMarks(s *rewrite.Source, n *node) []rewrite.Change {
	mark := n.End - len([]rune(n.Name))
	if n.Kind == "index" {
		mark = n.children[len(n.children)-1].Start
		if mark == 0 || s.Runes[mark-1] != '[' {
			return nil
		}
	}
	if mark <= n.Start || n.Kind != "index" && string(s.Runes[mark:n.End]) != n.Name {
		return nil
	}
	changes := []rewrite.Change{rewrite.Replace(mark, mark, "?")}
	if of, ok := mapOfTexts(s, n); ok && strings.HasSuffix(of, "."+n.children[0].Name) {
		at := n.children[0].End - len([]rune(n.children[0].Name))
		changes = append([]rewrite.Change{rewrite.Replace(at, at, "?")}, changes...)
	}
	return changes
}

// ofTexts reports whether a part is a key of a map whose values are texts.
func ofTexts(n *node) bool {
	if len(n.children) == 0 {
		return false
	}
	of := n.children[0]
	return of.Kind == "select" && slices.Contains(textMaps, of.Name)
}

// textMaps are the fields of the API that hold texts by a key.
var textMaps = []string{"labels", "annotations", "matchLabels", "nodeSelector", "data"}

// leftOut makes an optional entry of one whose value may be absent.
func leftOut(s *rewrite.Source, n *node) (diag.Fix, bool) {
	end := n
	for end.parent != nil && end.index == 0 && (end.parent.Kind == "select" || end.parent.Kind == "index") {
		end = end.parent
	}
	p := end.parent
	for p != nil && p.Kind == "call" {
		p = p.parent
	}
	if p != nil && p.Kind == "struct" && p.Name == "JSONPatch" { // the server reads an operation without a value as null
		return onlyWithValue(s, p, end)
	}
	p = end.parent
	marks := optionalMarks(s, n)
	if p == nil || p.Kind != "map" && p.Kind != "struct" || marks == nil {
		return diag.Fix{}, false
	}
	key := end.Start - 1 // the colon, and then the key
	for key >= 0 && (s.Runes[key] == ' ' || s.Runes[key] == '\n') {
		key--
	}
	if key < 0 || s.Runes[key] != ':' {
		return diag.Fix{}, false
	}
	switch {
	case p.Kind == "map" && end.index > 0:
		key = p.children[end.index-1].Start
	case p.Kind == "struct":
		for key > 0 && (s.Runes[key-1] == '_' || unicode.IsLetter(s.Runes[key-1]) || unicode.IsDigit(s.Runes[key-1])) {
			key--
		}
	default:
		return diag.Fix{}, false
	}
	if key < 1 || s.Runes[key-1] == '?' {
		return diag.Fix{}, false
	}
	return s.Fix("Omit it where it is absent", append(marks, rewrite.Replace(key, key, "?"))...), true
}

// onlyWithValue makes an operation only where the object has what the operation reads.
func onlyWithValue(s *rewrite.Source, operation, n *node) (diag.Fix, bool) {
	root, chain := rootOf(n)
	if root == nil || root.Name != "object" {
		return diag.Fix{}, false
	}
	var steps []string
	for _, step := range chain {
		name := step.Name
		if step.Kind == "index" {
			key, ok := step.children[1].Value.(string)
			if !ok || strings.Contains(key, "'") {
				return diag.Fix{}, false
			}
			name = strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
		}
		steps = append(steps, name)
	}
	return onlyWhere(s, operation, presence("object", steps), "Create the operation only where "+string(s.Runes[n.Start:n.End])+" exists")
}

// otherwise is the value that fits in the place of a part, "" when that is not
// plain.
func otherwise(e *report.Evaluation, n *node) string {
	p, none := n.parent, "[]"
	if slices.Contains(textMaps, n.Name) {
		none = "{}"
	}
	switch {
	case p == nil:
		if _, ok := conditionOf(e, n); ok {
			return "false"
		}
		return ""
	case p.Kind == "logical", p.Kind == "ternary" && n.index == 0, p.Kind == "call" && p.Name == "!_":
		return "false"
	case p.Kind == "macro" && p.Name != "has" && n.index == 0:
		return none
	case p.Kind == "macro" && n.index > 0 && p.Name != "has" && tests(p, n):
		return "false"
	case p.Kind != "call":
		return ""
	}
	switch p.Name {
	case "_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_", "_+_":
		if upper := n.index == 1 && strings.HasPrefix(p.Name, "_<") || n.index == 0 && strings.HasPrefix(p.Name, "_>"); upper && p.children[1-n.index].Kind != "literal" {
			return "" // a limit that is not set is no limit of 0
		}
		return zero(p.children[1-n.index].Type)
	case "@in":
		if n.index == 1 {
			return none
		}
	case "size":
		return none
	case "startsWith", "endsWith", "contains", "matches", "lowerAscii", "upperAscii", "trim", "split", "replace", "substring", "string":
		if n.index == 0 {
			return "''"
		}
	}
	return ""
}

func zero(typeName string) string {
	switch typeName {
	case "string":
		return "''"
	case "int":
		return "0"
	case "double":
		return "0.0"
	case "bool":
		return "false"
	case "list":
		return "[]"
	}
	return ""
}
