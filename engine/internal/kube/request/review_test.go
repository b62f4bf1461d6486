package request

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/scripts/hostile/variants"
)

// whole is a review with every field.
const whole = `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u","kind":{"group":"apps","version":"v1","kind":"Deployment"},
	"resource":{"group":"apps","version":"v1","resource":"deployments"},"subResource":"status","requestKind":{"group":"apps","version":"v1","kind":"Deployment"},
	"requestResource":{"group":"apps","version":"v1","resource":"deployments"},"requestSubResource":"status","name":"web","namespace":"shop","operation":"UPDATE",
	"userInfo":{"username":"jane","uid":"1","groups":["a","b"],"extra":{"scopes":["x"]}},
	"object":{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop"},"spec":{"replicas":1}},
	"oldObject":{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop"},"spec":{"replicas":2}},
	"options":{"apiVersion":"meta.k8s.io/v1","kind":"UpdateOptions","fieldManager":"kubectl"},"dryRun":true}}`

// values replace each field in turn.
var values = []string{`null`, `""`, `"x"`, `"CREATE"`, `1`, `true`, `[]`, `["a"]`, `["a",null]`, `{}`, `{"a":"b"}`, `{"a":[1]}`, `{"kind":"a","kind":"b"}`, `"... \u00e4"`}

// readBothWays compares the fast reader for reviews with the document reader, which reports
// problems.
func readBothWays(t *testing.T, text string, c *catalog.Catalog) {
	t.Helper()
	keeps, keepsNothing := scenario.NewReader(), scenario.NewReader().Once(nil)
	want, wantProblems := Parse(keeps, text, nil, c)
	got, problems := Parse(keepsNothing, text, nil, c)
	if len(problems)+len(wantProblems) > 0 && !reflect.DeepEqual(problems, wantProblems) {
		t.Fatalf("%s\nproblems %+v, want %+v", text, problems, wantProblems)
	}
	if (got == nil) != (want == nil) {
		t.Fatalf("%s\na request: %v, want %v", text, got != nil, want != nil)
	}
	if got == nil {
		return
	}
	if g, w := got.Document(), want.Document(); !reflect.DeepEqual(g.Value, w.Value) || g.Span != w.Span || string(g.JSON()) != string(w.JSON()) {
		t.Fatalf("%s\nthe documents differ", text)
	}
	got.document, want.document = nil, nil
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%s\n%+v, want\n%+v", text, got, want)
	}
}

// TestReviewsBothWays: with each field valid, missing, duplicated, unknown or of another type.
func TestReviewsBothWays(t *testing.T) {
	c := kinds(t)
	if _, plain := scenario.NewReader().Once(nil).Review(whole, operations); !plain {
		t.Fatal("a review in which all is well is not read as such")
	}
	readBothWays(t, whole, c)
	var review map[string]any
	if err := json.Unmarshal([]byte(whole), &review); err != nil {
		t.Fatal(err)
	}
	request := review["request"].(map[string]any)
	user := request["userInfo"].(map[string]any)
	for _, object := range []map[string]any{review, request, request["kind"].(map[string]any), request["requestResource"].(map[string]any), user, user["extra"].(map[string]any)} {
		for _, field := range append(slices.Sorted(maps.Keys(object)), "unknown") {
			value, there := object[field]
			delete(object, field)
			readBothWays(t, written(t, review), c)
			for _, other := range values {
				object[field] = json.RawMessage(other)
				text := written(t, review)
				readBothWays(t, text, c)
				key := `"` + field + `":`
				readBothWays(t, strings.Replace(text, key, key+`null,`+key, 1), c)
			}
			if object[field] = value; !there {
				delete(object, field)
			}
		}
	}
}

// FuzzReview reads arbitrary texts both ways.
func FuzzReview(f *testing.F) {
	target := variants.Of(f, 500)
	target.Add(whole)
	target.Add(`{"kind":"AdmissionReview","request":{"operation":"CREATE","object":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"}},"oldObject":null}}`)
	target.Add(`{"kind":"AdmissionReview","request":{"operation":"CONNECT","resource":{"version":"v1","resource":"pods"},"userInfo":{"extra":{"a":[]}}}}`)
	c := kinds(f)
	target.Fuzz(func(t *testing.T, text string) { readBothWays(t, text, c) })
}

func written(t *testing.T, review map[string]any) string {
	t.Helper()
	text, err := json.Marshal(review)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
