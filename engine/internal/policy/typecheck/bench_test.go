package typecheck

import (
	"os"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/scenario"
)

// BenchmarkCheck prints what checking costs that is done on every change of the
// text: ten policies with sixty expressions.
func BenchmarkCheck(b *testing.B) {
	text, err := os.ReadFile("testdata/policies.yaml")
	if err != nil {
		b.Fatal(err)
	}
	docs, _ := scenario.ParseDocuments(diag.Policies, string(text))
	cat, err := catalog.For(version.MustParse("1.37"))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Check(docs, map[diag.Text]string{diag.Policies: string(text)}, checkerOf(b, version.MustParse("1.37")), cat); err != nil {
			b.Fatal(err)
		}
	}
}
