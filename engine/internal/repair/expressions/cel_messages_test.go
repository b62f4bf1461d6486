package expressions

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// TestMessagesOfCELGo names each rule that a new cel-go breaks: whatever rules look for in its messages is in
// that of one of the mistakes below.
func TestMessagesOfCELGo(t *testing.T) {
	said := messagesOf(t)
	for _, w := range lookedFor(t) {
		if !slices.ContainsFunc(said, w.in) {
			t.Errorf("%s: %s looks for %q, which is in no message", w.at, w.rule, strings.Join(w.parts, "..."))
		}
	}
	for name, pattern := range map[string]*lazy.Regexp{"listAndOne": &listAndOne, "mixed": &mixed, "mixedChoice": &mixedChoice, "overload": &overload} {
		if !slices.ContainsFunc(said, pattern.MatchString) {
			t.Errorf("%s matches no message", name)
		}
	}
}

// wanted is what a rule looks for in a message: texts in their order, with a name between them.
type wanted struct {
	at, rule string
	parts    []string
}

func (w wanted) in(message string) bool {
	for _, part := range w.parts {
		_, rest, found := strings.Cut(message, part)
		if !found {
			return false
		}
		message = rest
	}
	return true
}

// lookedFor reads what this package and that of the hints look for in messages.
func lookedFor(t *testing.T) (out []wanted) {
	t.Helper()
	var names []string
	for _, folder := range []string{".", "../../cel/hints"} {
		found, err := filepath.Glob(folder + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, found...)
	}
	files := token.NewFileSet()
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			rule := "a variable"
			if f, ok := d.(*ast.FuncDecl); ok {
				rule = f.Name.Name
			}
			ast.Inspect(d, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					if parts := inMessage(call); len(parts) > 0 {
						out = append(out, wanted{files.Position(call.Pos()).String(), rule, parts})
					}
				}
				return true
			})
		}
	}
	if len(out) < 90 {
		t.Fatalf("only %d texts are looked for", len(out))
	}
	return out
}

// inMessage is what a call looks for: d.messages(text), or strings.HasPrefix(issue.Message, text) and the like.
func inMessage(call *ast.CallExpr) []string {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	if f.Sel.Name == "messages" && len(call.Args) == 1 {
		return literals(call.Args[0])
	}
	if len(call.Args) == 2 && slices.Contains([]string{"HasPrefix", "HasSuffix", "Contains", "CutPrefix"}, f.Sel.Name) {
		switch in := call.Args[0].(type) {
		case *ast.SelectorExpr:
			if in.Sel.Name == "Message" {
				return literals(call.Args[1])
			}
		case *ast.Ident:
			if in.Name == "message" {
				return literals(call.Args[1])
			}
		}
	}
	return nil
}

// literals are the texts in a sum of texts.
func literals(e ast.Expr) []string {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		return append(literals(e.X), literals(e.Y)...)
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil {
			return []string{text}
		}
	}
	return nil
}

// messagesOf are the messages about the mistakes.
func messagesOf(t *testing.T) (said []string) {
	t.Helper()
	environments, err := eval.NewSet().ForVersion(version.MustParse("1.37"))
	if err != nil {
		t.Fatal(err)
	}
	for place, expressions := range mistakes {
		scope := place.Scope(false)
		compiler := environments.NewCompiler(eval.Write, scope.Params, scope.Variables)
		for _, text := range expressions {
			compiled := compiler.CompileIn(text, place.Result, scope)
			if compiled.OK() {
				t.Errorf("%s is no mistake", text)
			}
			for _, issue := range compiled.Issues {
				said = append(said, issue.Message)
			}
			said = append(said, fmt.Sprint(compiled.Err))
		}
	}
	// The names of types of objects are ours.
	for _, name := range []string{"object.item", "<object>.item"} {
		item := apiservercel.NewObjectType(name, map[string]*apiservercel.DeclField{"name": apiservercel.NewDeclField("name", apiservercel.StringType, true, nil, nil)})
		scope, err := environments.RuleScope(eval.Write, apiservercel.NewListType(item, -1), false)
		if err != nil {
			t.Fatal(err)
		}
		for _, issue := range scope.CompileRule("'a' in self", eval.Condition).Issues {
			said = append(said, issue.Message)
		}
	}
	return said
}

// mistakes are expressions by their place. cel-go says of them what rules look for.
var mistakes = map[*model.Place][]string{
	model.Validation: {
		"object.spec.replicas", "1", "object ?? 1", "has(object)", "namespaceObject == 'a'", "[true] && true", "'%z'.format([1])", "'%d'.format([1, 2])", "string.startsWith('a')", "true in ['a']", "object.x.map(c, c.y) == 'a'", "object.x in 'a'", "[true]", "object.x == 1 1", "true and true", "true or true", "object @ 1", "object ~= 1", "object ^ 1", "missing == 1", ".missing == 1", "namespace == 'a'",
		"size('a', 'b') == 1", "'a' == ['a'].join(',', 1)", "size(true) == 1", "['a']['b'] == 'a'", "'a'['b'] == 'a'", "'a'[0] == 'a'",
		"'a' in 'b'", "'a' in namespaceObject", "namespaceObject.size() == 1", "size(namespaceObject) == 1", "namespaceObject.contains('a')", "'a'.startsWith(namespaceObject)",
		"'a'.matches('(')", "['a'].map(x, true)", "['a'].contains('a')", "['a'].includes('a')", "'a'.contains(['a'])", "optional.of(1) == 1", "optional.of(1) < 2", "optional.of(1).orValue('a') == 1",
		"'a'.getHost() == 'a'", "authorizer.serviceAccount('a')", "'a' + 1 == 'a'", "'a' + 1.0 == 'a'", "'a' || true", "1 && true", "true || 'a'", "!1", "!['a']", "!{'a': 1}", "!'a' in ['a']",
		"'%d %s'.format(['a', 1])", "'%d'.format(['a'])", "'%s'.format('a')", "'%f'.format(['a'])", "true in [1, 'a']", "1 in ['a']", "['a'] in ['a']", "[1] in 1", "['a'] in 'a'", "type('a') == 'string'", "string == 'a'",
		"ip('10.0.0.1') in cidr('10.0.0.0/8')", "'10.0.0.1' in cidr('10.0.0.0/8')", "cidr('10.0.0.0/8') in cidr('10.0.0.0/8')", "cidr('10.0.0.0/8').contains('10.0.0.1')", "cidr('10.0.0.0/8').contains(cidr('10.0.0.0/8'))",
		"duration('1d') > duration('1s')", "{'a': 1}.contains('a')", "request.kind.name == 'a'", "request.kind == 'a'", "request.namespace.name == 'a'", "request.nothing == 'a'",
		"authorizer.check('get')", "authorizer.path('/a').check('get')", "'abc'.all(c, c == 'a')", "request.userInfo == 'a'", "request.userInfo.name == 'a'", "size(1) == 1", "1.size() == 1", "'a' == null", "1 == null",
		"true ? 'a' : 1", "'a' < ['a']", "['a'] + 'a' == ['a']", "['a'] < 1", "['a'] == 1", "[1] > 1", "type(1) in ['int']", "[['a']] == 'a'", "[['a']] in ['a']", "'a' in [['a']]", "['a'] in [['a'], 'b']", "'a'.split(',').in(['a'])",
	},
	model.MessageExpression:  {"1", "true"},
	model.WebhookCondition:   {"variables.a == 1"},
	model.ApplyConfiguration: {"true ? Object{} : 1", "has(object.x) ? Object{spec: Object.spec{}} : {}", "Deployment{}"},
	model.JSONPatch:          {"Object{}", "[JSONPatch{op: 'remove', path: '/a'}] + JSONPatch{op: 'remove', path: '/a'}", "true ? JSONPatch{op: 'remove', path: '/a'} : []", "true ? [JSONPatch{op: 'remove', path: '/a'}] : JSONPatch{op: 'remove', path: '/a'}", "[{'op': 'remove'}]", "JSONPatch{op: 1}"},
}
