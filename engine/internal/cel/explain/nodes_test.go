package explain

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
)

var update = flag.Bool("update", false, "write the golden file")

// expressions of the golden file, typical ones and the ones that are hard.
var expressions = []string{
	"object.spec.replicas <= 5",
	"object.spec.replicas <= 2 || object.metadata.name.startsWith('sys-')",
	"has(object.spec.replicas) && object.spec.replicas > 1",
	"!has(object.spec.paused.since)",
	"object.metadata.labels['team'] == 'a'",
	"object.metadata.label.app == 'web'",
	"object.metadata.?labels['team'].orValue('none') == 'none'",
	"object.spec.?paused.orValue(false)",
	"object.spec.containers.all(c, c.image.startsWith('registry/') && c.name != 'x')",
	"object.spec.containers.exists(c, c.name == 'sidecar')",
	"object.spec.containers.exists_one(c, has(c.ports))",
	"object.spec.containers.all(c, c.ports.all(p, p < 1024))",
	"object.spec.containers.filter(c, has(c.ports)).map(c, c.name)",
	"object.metadata.labels.all(k, v, k.size() + v.size() < 10)",
	"object.metadata.labels.all(k, k != 'app')",
	"object.spec.replicas > 3 ? object.metadata.name : object.spec.mode",
	"(object.spec.replicas > 3 ? object : oldObject).metadata.name",
	"object.metadata.name in ['web', 'db'] && 'x' in object.metadata.labels",
	"'é' + object.metadata.name.upperAscii() + string(object.spec.replicas)",
	"object.spec.containers[object.spec.replicas].name == 'x'",
	"object.spec.containers[0].ports[size(object.spec.containers) - 2]",
	"oldObject.spec.replicas == 1",
	"object.spec.replicas.max == 1",
	"object.spec.containers.name == 'x'",
	"object.metadata.name + object.spec.replicas == ''",
	"object.?spec.?replicas.optMap(r, r + 1).orValue(0) == 4",
	"{'a': object.spec.replicas, 'b': dyn(1)}['c'] == 1",
	"[1, 2, 3].map(x, x * object.spec.replicas) == [3, 6, 9]",
	"authorizer.path('/x').check('get').allowed()",
	"lists.range(40).all(i, i < 30 || object.nope)",
	"object.spec.containers.filter(c, c.image.startsWith('registry/')) != []",
	"object.spec.containers.map(c, has(c.ports), c.name) == ['web']",
	"object.metadata.labels.map(k, k).sortBy(x, x.size())[0] == 'app'",
	"object.spec.?nope.optFlatMap(r, optional.of(r + 1)).hasValue()",
	"object.spec.containers.exists(i, c, c.name == 'sidecar' && i > 0)",
	"object.spec.containers.existsOne(i, c, c.name.size() > 3)",
	"object.spec.containers.transformList(i, c, i > 0, c.name) != []",
	"object.metadata.labels.transformMap(k, v, k + v) == {'app': 'appweb', 'tier': 'tierfront'}",
	"object.metadata.labels.transformMapEntry(k, v, {v: k}).size() > 1",
}

func object() map[string]any {
	return map[string]any{
		"metadata": map[string]any{"name": "web", "labels": map[string]any{"app": "web", "tier": "front"}},
		"spec": map[string]any{"replicas": int64(3), "containers": []any{
			map[string]any{"name": "web", "image": "registry/web:1", "ports": []any{int64(80), int64(8080)}},
			map[string]any{"name": "sidecar", "image": "docker.io/proxy"},
			map[string]any{"name": "last", "image": "registry/last"},
		}},
	}
}

func TestNodes(t *testing.T) {
	environments, err := eval.NewSet().ForVersion(version.MustParse("1.37"))
	if err != nil {
		t.Fatal(err)
	}
	compiler := environments.NewCompiler(eval.Run, false, true)
	var got strings.Builder
	for _, expression := range expressions {
		c := compiler.Compile(expression, eval.VariableValue)
		if !c.OK() {
			t.Fatalf("%s: %s", expression, c.Err)
		}
		p := eval.NewEvaluator(context.Background(), eval.Options{Trace: true}).NewListRun(eval.Inputs{Object: object()}, nil, eval.Budget)
		e := Evaluation(Source{}, p.Run(c), "")
		fmt.Fprintf(&got, "%s\n", expression)
		checkCosts(t, e)
		for _, n := range e.Children {
			outline(&got, []rune(expression), n, "  ")
		}
		got.WriteString("\n")
	}
	const golden = "testdata/nodes.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("differs from %s; run with -update and look at the difference\n%s", golden, got.String())
	}
}

// checkCosts checks that the parts cost what the whole costs, each no less than
// nothing.
func checkCosts(t *testing.T, e report.Evaluation) {
	t.Helper()
	var sum func([]report.Node) int64
	sum = func(list []report.Node) (total int64) {
		for _, n := range list {
			if n.Cost < 0 {
				t.Errorf("%s: [%d, %d) costs %d", e.Expression, n.Start, n.End, n.Cost)
			}
			total += n.Cost + sum(n.Children)
		}
		return total
	}
	if got := sum(e.Children); got != e.Cost {
		t.Errorf("%s: the parts cost %d, the whole %d", e.Expression, got, e.Cost)
	}
}

func outline(out *strings.Builder, source []rune, n report.Node, indent string) {
	text, start, end := string(source[n.Start:n.End]), n.Start, n.End
	n.Start, n.End, n.Span.Start, n.Span.End = 0, 0, 0, 0
	children := n.Children
	n.Children = nil
	fmt.Fprintf(out, "%s%s ", indent, text)
	fields, err := json.Marshal(n)
	if err != nil {
		panic(err)
	}
	shown := strings.NewReplacer(`"span":{"start":0,"end":0},"start":0,"end":0,`, "", `,"evaluated":true`, "").Replace(string(fields))
	fmt.Fprintf(out, "%d-%d %s\n", start, end, shown)
	for _, child := range children {
		outline(out, source, child, indent+"  ")
	}
}
