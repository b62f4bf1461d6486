package install

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/kube/configuration"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestEveryPlaceIsCompiled: an expression that does not compile is rejected at
// every place of the list, and named there by the path that the list writes.
func TestEveryPlaceIsCompiled(t *testing.T) {
	for _, p := range model.Places() {
		if p.Group != configuration.Group {
			continue
		}
		for _, kind := range p.Kinds {
			t.Run(kind+" "+p.Field, func(t *testing.T) {
				text := fmt.Sprintf("apiVersion: %s/v1\nkind: %s\nmetadata: {name: a.example.com}\n%s", configuration.Group, kind, nested(p.Field))
				docs, problems := scenario.ParseDocuments(diag.Policies, text)
				if diag.HasErrors(problems) {
					t.Fatal(problems)
				}
				if found := model.Expressions(docs[0].Value); len(found) != 1 || found[0].Place != p {
					t.Fatalf("listed as %+v", found)
				}
				result, err := Install(docs, eval.NewSet(), version.MustParse("1.37"), Server{})
				if err != nil {
					t.Fatal(err)
				}
				want := p.At(0, 0).String()
				for _, d := range result.Diagnostics {
					if d.Code == codes.CELCompile && d.Path == want && text[d.Span.Start:d.Span.End] == "unknown" {
						return
					}
				}
				t.Errorf("nothing is said of %s in\n%s", want, text)
			})
		}
	}
}

// nested writes an expression that does not compile at a field, in YAML, with
// what the items of lists need beside it.
func nested(field string) string {
	names := strings.Split(field, ".")
	last := len(names) - 1
	text := names[last] + ": unknown"
	for _, name := range slices.Backward(names[:last]) {
		if list, ok := strings.CutSuffix(name, "[]"); ok {
			text = fmt.Sprintf("%s: [{name: a, key: a, patchType: %s, %s}]", list, patchType(field), text)
		} else {
			text = fmt.Sprintf("%s: {%s}", name, text)
		}
	}
	return text + "\n"
}

func patchType(field string) string {
	if strings.Contains(field, "jsonPatch") {
		return "JSONPatch"
	}
	return "ApplyConfiguration"
}
