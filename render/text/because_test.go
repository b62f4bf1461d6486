package text

import (
	"context"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/scenario"
)

// The line below an expression names the values that decided it, also where a loop's items did not.
func TestBecause(t *testing.T) {
	const request = "{apiVersion: v1, kind: ConfigMap, metadata: {name: web, namespace: shop, annotations: {a/x: '1', b/y: '2'}}, data: {color: blue}}"
	for _, test := range []struct{ expression, want string }{
		{"object.metadata.annotations.exists(k, k.startsWith('a/') && oldObject != null)", "oldObject is null"},
		{"object.metadata.annotations.exists(k, k.startsWith('a/') && (oldObject != null && oldObject.metadata.name == k))", "oldObject is null"},
		{"object.metadata.annotations.all(k, k == 'c' || object.data.color == 'blue')", `object.data.color is "blue"`},
		{"object.metadata.annotations.exists(k, k.startsWith('c/'))", `object.metadata.annotations is {"a/x":"1","b/y":"2"}`},
		{"has(request.userInfo.extra) && 'node' in request.userInfo.extra ? 'a' : ''", "request.userInfo.extra is missing"},
		{"object.data.color == 'blue' ? 1 : 2", `object.data.color is "blue"`},
		{"object.data.color + '1'", ""},
	} {
		t.Run(test.expression, func(t *testing.T) {
			r, err := engine.Evaluate(context.Background(), scenario.Scenario{Request: request, Expression: test.expression}, engine.Options{Explain: true})
			if err != nil {
				t.Fatal(err)
			}
			if got := because(*r.Expression); got != test.want {
				t.Errorf("%s: %s, want %s", test.expression, strings.TrimSpace(got), test.want)
			}
		})
	}
}
