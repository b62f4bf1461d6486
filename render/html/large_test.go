package html

import (
	"strings"
	"testing"

	"github.com/a-h/templ"

	"github.com/preadmit/preadmit/engine/report"
)

func TestTooLarge(t *testing.T) {
	items := func(n int, of any) []any {
		list := make([]any, n)
		for i := range list {
			list[i] = of
		}
		return list
	}
	container := map[string]any{"name": "c", "image": "b", "ports": items(2, map[string]any{"containerPort": int64(80)}), "tty": true, "stdin": nil}
	for _, c := range []struct {
		name  string
		value any
		large bool
	}{
		{"nothing", map[string]any(nil), false},
		{"a text below", map[string]any{"data": strings.Repeat("x", largestShown-20)}, false},
		{"a text above", map[string]any{"data": strings.Repeat("x", largestShown)}, true},
		{"many small items", map[string]any{"spec": items(largestShown/20, "x")}, false},
		{"too many small items", map[string]any{"spec": items(largestShown/4, "x")}, true},
		{"keys", map[string]any{"a": map[string]any{strings.Repeat("k", largestShown): 1.5}}, true},
		{"lines, whose indentation counts", map[string]any{"a": strings.Repeat("\n", largestShown/2)}, true},
		{"containers", items(1000, container), false},
		{"too many containers", items(50_000, container), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := tooLarge(c.value); got != c.large {
				t.Errorf("tooLarge is %t", got)
			}
		})
	}
	if !tooLarge(nil, items(largestShown, "x")) {
		t.Error("the second value is not looked at")
	}
}

// TestFitsAsWritten: the estimate is within a fifth of the written size.
func TestFitsAsWritten(t *testing.T) {
	container := map[string]any{"name": "web", "image": "nginx:1.27", "args": []any{"a", "b"}, "securityContext": map[string]any{"runAsUser": int64(1000), "privileged": false}}
	list := make([]any, 500)
	for i := range list {
		list[i] = container
	}
	object := map[string]any{"kind": "Pod", "spec": map[string]any{"containers": list}}
	left := 10 * largestShown
	if !fits(object, 0, &left) {
		t.Fatal("it does not fit")
	}
	if estimate, written := 10*largestShown-left, len(YAML(object)); estimate*5 < written*4 || estimate*5 > written*6 {
		t.Errorf("%d bytes are expected, %d written", estimate, written)
	}
}

func TestLargeObjects(t *testing.T) {
	sent := map[string]any{"data": strings.Repeat("x", largestShown)}
	now := map[string]any{"data": strings.Repeat("y", largestShown)}
	html := ""
	for _, c := range []templ.Component{objectDiff("Diff", sent, now), object("Object", "object", sent)} {
		part, err := text(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		html += part
	}
	if strings.Count(html, notShown) != 2 || len(html) > 1000 {
		t.Errorf("%d bytes of HTML: %.300s", len(html), html)
	}
	if got := inputSummary(sent, now); got != "not compared" {
		t.Errorf("the summary is %q", got)
	}
}

// TestLargeChanges: neither the size nor the number of a step's changes makes the page large. If
// the object is too large to show, its film is not drawn.
func TestLargeChanges(t *testing.T) {
	large := map[string]any{"data": strings.Repeat("x", largestShown)}
	many := make([]report.PatchOperation, mostOperations+7)
	for i := range many {
		many[i] = report.PatchOperation{Op: "add", Path: "/a", Value: "b"}
	}
	many[0].Value = large
	html, err := text(t.Context(), operations(many))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(html, `<li class="op-add"`); got != mostOperations || len(html) > 200*mostOperations {
		t.Errorf("%d operations are listed, in %d bytes", got, len(html))
	}
	for _, want := range []string{notShown, ">7 more changes are not listed."} {
		if !strings.Contains(html, want) {
			t.Errorf("there is no %q", want)
		}
	}

	way := &report.Report{Sent: map[string]any{"a": "b"}, Input: map[string]any{"a": "c"}}
	if got := len(NewView(way, nil).filmed()); got != 2 {
		t.Errorf("the way has %d frames", got)
	}
	way.Mutated = large
	if got := NewView(way, nil).filmed(); got != nil {
		t.Errorf("the way of an object that is too large has %d frames", len(got))
	}
}
